"""Sentences about an audit: the bound, the claim, chance, the ceiling, measured rates."""

import math

from dpviz.analysis.number_format import exact, lower, percent, short, upper
from dpviz.analysis.parts.parts import AuditPart, ResultParts, SamplePart
from dpviz.analysis.sentences.bounds import at_least, bound_said
from dpviz.analysis.sentences.claim import name
from dpviz.audit.bounds import BOUNDS
from dpviz.audit.evidence.claim import ClaimTest
from dpviz.audit.evidence.null import NullDistribution
from dpviz.audit.roc.tpr_at_fpr import CONVENTIONS, TprAtFpr
from dpviz.theory import ApproximateDP

NO_SCORES = "No scores loaded: nothing to hold against the claim."
WAITING = "Not computed for these scores and choices."
RATES_CAPTION = (
    "Rates of this attack. Tools define the TPR at an FPR in five ways; the interval is for the "
    "true TPR of a threshold, whichever definition is used; a random choice between two thresholds "
    "may do better. Measured values are estimates, no bounds."
)
RATES_HEAD = ("rate", "measured", "interval", "no leakage: 95 in 100 below", "how")
CONVENTION_NAMES = {
    "last_vertex": "last threshold not above",
    "strict": "last threshold below",
    "interpolated": "interpolated",
    "through_thresholds": "interpolated through thresholds",
    "hull": "hull",
}
READ_AS = "read as one about this model instance's two score distributions"
MISSING = {
    "bound": "lower bound",
    "test": "answer about the claim",
    "null": "simulation of no leakage",
    "ceiling": "ceiling",
}
NULL_NAMES = {"raw_epsilon": "raw ε", "epsilon_star": "Epsilon*"}


def bound(result: ResultParts) -> str:
    """What the default method shows of epsilon."""
    if result.sample is None:
        return NO_SCORES
    found = result.sample.audit.bound
    return bound_said(found) if found is not None else _missing(result.sample.audit, "bound")


def against(result: ResultParts) -> str:
    """Whether the records contradict the claim, by how much and where; else that they cannot say.

    No outcome is in favour of a claim.
    """
    if result.sample is None:
        return NO_SCORES
    test = result.sample.audit.test
    if test is None:
        return _missing(result.sample.audit, "test")
    level = f"at {percent(test.confidence_level)} confidence"
    if test.outcome == "contradicted":
        whose = READ_AS if test.applies_to == "instance" else ""
        return (
            f"The claim {_claim(result, whose)} is contradicted {level}: {_evidence(test)}."
            f"{_place(test)}{_gap(result, result.sample)}"
        )
    at = result.sample.at_fpr
    return (
        f"The claim {_claim(result)} is not decidable with {at.n_members} members and "
        f"{at.n_nonmembers} non-members {level}: {_evidence(test)}. Not contradicted is not the "
        f"same as shown.{_outside(test)}{_beyond(test, result.sample.audit)}"
    )


def cautions(result: ResultParts) -> str:
    """Data warnings about the scores; empty where nothing was found."""
    test = result.sample and result.sample.audit.test
    return f"Caution: {'; '.join(test.warnings)}." if test and test.warnings else ""


def chance(result: ResultParts) -> str:
    """The values that chance alone gives where nothing leaks."""
    if result.sample is None:
        return NO_SCORES
    null = result.sample.audit.null
    if null is None:
        return _missing(result.sample.audit, "null")
    shown = "; ".join(_null(null, key, called) for key, called in NULL_NAMES.items())
    return (
        f"If nothing leaked, chance alone would give, in 95 of 100 cases, at most: {shown} "
        f"({null.runs} random labellings of these records). None of these numbers is a bound."
    )


def ceiling(result: ResultParts) -> str:
    """The most these numbers of records could have certified."""
    if result.sample is None:
        return NO_SCORES
    most = result.sample.audit.ceiling
    if most is None:
        return _missing(result.sample.audit, "ceiling")
    level = percent(result.spec.confidence_level)
    return (
        f"Even a perfect attack on this many records could not certify more than ε = "
        f"{short(upper(most))} at δ = {short(result.claim.delta)} ({level} confidence, method: "
        f"{BOUNDS['rank'].label}), but for a few seeds of its simulations in a hundred."
    )


def consistent(result: ResultParts) -> str:
    """The smallest parameters of claims that the band allows."""
    if result.sample is None:
        return NO_SCORES
    band, claim = result.sample.band, result.claim
    text = (
        f"By the band, which holds at every threshold at once ({percent(band.confidence_level)} "
        f"confidence): consistent are only ε ≥ {short(lower(band.smallest_epsilon(claim.delta)))} "
        f"at δ = {short(claim.delta)}"
    )
    if math.isfinite(claim.epsilon):
        at = f"δ ≥ {short(lower(band.smallest_delta(claim.epsilon)))}"
        text += f", {at} at ε = {short(claim.epsilon)}"
    return text + f", Gaussian DP with μ ≥ {short(lower(band.smallest_mu()))}."


def band(result: ResultParts) -> str:
    """What the band around the attack's curve says; empty without scores."""
    if result.sample is None:
        return ""
    level = percent(result.sample.band.confidence_level)
    text = (
        f"The band holds the attack's true curve, at every threshold at once, with {level} "
        "confidence. A claim's curve that enters the shaded part is ruled out; one that stays "
        "outside is not thereby shown to hold."
    )
    null = result.sample.audit.null_band
    if null is None:
        return text
    return text + (
        f" Where nothing leaks, {percent(null.share)} of the measured curves of this many records "
        "stay in the grey band (simulated)."
    )


def rates(result: ResultParts) -> list[tuple[str, ...]]:
    """The TPR by each convention, AUC and advantage, under `RATES_HEAD`."""
    if result.sample is None:
        return []
    part, null = result.sample.rates, result.sample.audit.null
    level = percent(part.auc.confidence_level)
    area, best = part.auc, part.advantage
    rows = [_tpr_row(reading) for reading in part.tpr_at_fpr]
    rows.append(
        (
            "AUC",
            short(area.value),
            f"{_interval(area.low, area.high)} ({level}{', approximate' * area.is_approximate})",
            "" if null is None else short(upper(null.quantile("auc"))),
            f"area under the curve, ties counted half; {area.note}",
        )
    )
    at = best.at
    rows.append(
        (
            "advantage",
            short(best.value),
            f"{_interval(best.low, best.high)} ({level})",
            "" if null is None else short(upper(null.quantile("advantage"))),
            f"largest TPR - FPR, raised by the search: {at.true_positives} of {at.n_members} "
            f"members, {at.false_positives} of {at.n_nonmembers} non-members",
        )
    )
    return rows


def _tpr_row(reading: TprAtFpr) -> tuple[str, ...]:
    rate = f"TPR at FPR {percent(reading.requested)} ({exact(reading.requested)})"
    low, high = reading.interval
    return (
        f"{rate}, {CONVENTION_NAMES.get(reading.convention, reading.convention)}",
        "undefined" if math.isnan(reading.value) else short(reading.value),
        f"{_interval(low, high)} ({percent(reading.confidence_level)})",
        "",
        reading.reason or f"{_how(reading)}; {CONVENTIONS[reading.convention].used_by}",
    )


def _how(reading: TprAtFpr) -> str:
    if reading.false_positives is None:
        return f"a mixture of two thresholds, FPR {percent(reading.realised_fpr)}"
    return (
        f"realised FPR {percent(reading.realised_fpr)} ({reading.false_positives} of "
        f"{reading.n_nonmembers}), {reading.true_positives} of {reading.n_members} members"
    )


def _interval(low: float, high: float) -> str:
    return f"{short(lower(low))} to {short(upper(high))}"


def _null(null: NullDistribution, key: str, called: str) -> str:
    observed = null.observed[key]
    shown = short(observed)
    most = short(upper(null.quantile(key)))
    low, high = null.quantile_interval(key)
    error = f"as simulated, {_interval(low, high)} at 95 %"
    return f"{called} {most} ({error}; here: {shown}, p = {short(upper(null.p_value(key)))})"


def _missing(audit: AuditPart, name: str) -> str:
    reason = dict(audit.refused).get(name)
    return f"No {MISSING[name]}: {reason}." if reason else WAITING


def _claim(result: ResultParts, *asides: str) -> str:
    claim = result.claim.claim
    shown = (
        f"ε = {short(claim.claimed_epsilon, digits=6)}, δ = {short(claim.claimed_delta)}"
        if isinstance(claim, ApproximateDP)
        else name(result.spec.claim)
    )
    converted = "converted to replace-one adjacency" if result.claim.converted else ""
    said = [aside for aside in (converted, *asides) if aside]
    return ", ".join([shown, *said]) + "," * bool(said)


def _evidence(test: ClaimTest) -> str:
    if test.bound is None:
        p_value = short(upper(test.p_value or 0.0))
        return f"p = {p_value}, a test of its whole curve at all thresholds"
    low = f"the lower bound {at_least(test.bound)} at δ = {short(test.bound.delta)}"
    if test.margin is not None and test.margin > 0:
        return f"{low} exceeds its ε, by at least {short(lower(test.margin))}"
    return f"{low} does not exceed its ε"


def _place(test: ClaimTest) -> str:
    place = test.place
    if place is None or test.permitted_tpr is None:
        return ""
    fp, m = place.false_positives, place.n_nonmembers
    tp, n = place.true_positives, place.n_members
    return (
        f" The clearest place: {fp} of {m} non-members and {tp} of {n} members "
        f"({percent(tp / n)}) are flagged, and at an FPR of {percent(fp / m)} the claim allows "
        f"at most {percent(upper(test.permitted_tpr))} of the members."
    )


def _gap(result: ResultParts, sample: SamplePart) -> str:
    gap = sample.band.gap(result.claim.claim)
    if gap.margin <= 0:
        return (
            " The confidence band, which pays for holding everywhere at once, does not show it by "
            "itself."
        )
    return (
        f" The whole confidence band lies below the claim's curve at FPR {percent(gap.fpr)}, by "
        f"{short(lower(gap.margin))} in FNR."
    )


def _outside(test: ClaimTest) -> str:
    if not test.measured_outside:
        return ""
    return (
        " The measured curve, an estimate, leaves the region that the claim allows, for which a "
        "single record can be enough."
    )


def _beyond(test: ClaimTest, audit: AuditPart) -> str:
    # The ceiling is at the delta of `AuditPart.bound`; another test decides about whole curves.
    if audit.ceiling is None or test.bound is None or test.bound is not audit.bound:
        return ""
    if not isinstance(test.claim, ApproximateDP) or audit.ceiling > test.claim.claimed_epsilon:
        return ""
    return (
        f" Even a perfect attack on this many records could certify no more than ε = "
        f"{short(upper(audit.ceiling))} there, which does not contradict it."
    )
