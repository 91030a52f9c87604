"""The evidence about the claim: lower bound, ceiling, Epsilon*, and Epsilon* by chance alone."""

import math
from collections.abc import Callable

from dpviz.analysis.result import AuditPart, Result, SamplePart
from dpviz.analysis.topic import Table, TextWriter, Topic, has_scores
from dpviz.analysis.topics import bounds
from dpviz.analysis.topics.answer import adjacency_phrase, perfect_attack_result_text, scores_word
from dpviz.analysis.topics.attacks import ONE_RUN_INTERVALS, band_sentence
from dpviz.analysis.topics.claim import short_name
from dpviz.analysis.words import NOT_COMPUTED, NOT_LOADED, listed
from dpviz.audit.bounds.rank import SIMULATED_P_VALUES_NOTE
from dpviz.audit.bounds.registry import BOUNDS
from dpviz.audit.bounds.result import default_method
from dpviz.audit.evidence.claim import ClaimTest
from dpviz.audit.evidence.null import NullDistribution
from dpviz.audit.roc.tpr_at_fpr import CONVENTIONS, TprAtFpr
from dpviz.drawing import EPSILON_AXIS, ROW_AXIS, Scene, theme
from dpviz.drawing.layers import Bar, BarChartData, BarKind, Bars
from dpviz.number_format import exact, lower, percent, percent_at_most, short, upper
from dpviz.theory import ApproximateDP


def lead(sample: SamplePart, result: Result) -> str:
    """Say which epsilon the lower bound certifies."""
    audit = sample.audit
    if audit.bound is None:
        is_rejected = "bound" in dict(audit.refused)
        return "There is no lower bound for these settings." if is_rejected else NOT_COMPUTED
    least = bounds.bound_text(audit.bound, result.claim.epsilon)
    return (
        f"Lower bound: ε ≥ {least} at δ = {short(audit.bound.delta)} "
        f"({percent(audit.bound.confidence_level)} confidence). A lower bound cannot show that ε "
        "is small."
    )


def bound_sentence(sample: SamplePart) -> str:
    """Say which epsilon the default method certifies, and what the method assumes."""
    bound = sample.audit.bound
    missing = _missing_part_sentence(sample.audit, "bound")
    return missing if bound is None else bounds.bound_sentences(bound)


OUTSIDE = (
    " The measured curve (an estimate) leaves the allowed region at some FPR, but a single record "
    "can cause this."
)
CANNOT_DECIDE = " These records cannot decide: even a perfect attack on this many records"


def contradiction_sentences(sample: SamplePart, result: Result) -> str:
    """Say whether the records contradict the claim, by how much, and at which FPR."""
    test = sample.audit.test
    if test is None:
        return _missing_part_sentence(sample.audit, "test")
    records, level = scores_word(sample), f"at {percent(test.confidence_level)} confidence"
    if test.outcome == "contradicted":
        return (
            f"These {records} contradict the claim {_claim_text(result)} {level}. For "
            f"{bounds.OWNERS[test.applies_to]}, {_bound_or_p_value_clause(test)}."
            f"{_clearest_contradiction_sentence(test)}{_band_outcome_sentence(result, sample)}"
        )
    at, outside = sample.at_fpr, OUTSIDE * test.measured_outside
    most = perfect_attack_result_text(sample.audit)
    few = f"{CANNOT_DECIDE} {most}." if most else ""
    return (
        f"These {records} do not contradict the claim {_claim_text(result)} {level}. That "
        f"does not confirm the claim. With these {at.n_members} members and {at.n_nonmembers} "
        f"non-members, {_bound_or_p_value_clause(test)}.{outside}{few}"
    )


def _claim_text(result: Result) -> str:
    claim, numbers = result.claim.claim, short_name(result.spec.claim, with_adjacency=False)
    if isinstance(claim, ApproximateDP):
        numbers = f"ε = {short(claim.claimed_epsilon, digits=6)}, δ = {short(claim.claimed_delta)}"
    return f"{numbers} {adjacency_phrase(result)}"


def _bound_or_p_value_clause(test: ClaimTest) -> str:
    """Return a clause: the lower bound or the p-value by which the claim is tested."""
    if test.bound is None:
        p_value = short(upper(test.p_value or 0.0))
        return f"a test of the whole claimed curve at all thresholds gives p = {p_value}"
    at = f"at δ = {short(test.bound.delta)}"
    if test.margin is not None and test.margin > 0:
        more = short(lower(test.margin))
        least = bounds.bound_text(test.bound, test.bound.low - test.margin)
        return f"ε is at least {least} {at}: at least {more} more than claimed"
    return f"the lower bound is {bounds.bound_text(test.bound)} {at}"


def _clearest_contradiction_sentence(test: ClaimTest) -> str:
    """Say at which FPR the counts contradict the claim most clearly; "" for an unknown FPR."""
    place, most = test.place, test.permitted_tpr
    if place is None or most is None:
        return ""
    fp, m = place.false_positives, place.n_nonmembers
    tp, n = place.true_positives, place.n_members
    return (
        f" The contradiction is clearest at the measured FPR {percent(fp / m)} ({fp} of {m} "
        f"non-members): the attack catches {tp} of {n} members ({percent(tp / n)}), and the claim "
        f"allows a TPR of at most {percent_at_most(most)}."
    )


def _band_outcome_sentence(result: Result, sample: SamplePart) -> str:
    """Say whether the confidence band alone contradicts the claim, and at which FPR."""
    if result.spec.is_one_run:
        return ""
    # The band holds at all thresholds at once, so it may miss what the rank test shows.
    gap = sample.band.gap(result.claim.claim)
    if gap.margin <= 0:
        return (
            " The confidence band alone does not contradict the claim. The band holds at all "
            "thresholds at once, so it may miss a contradiction that the test shows."
        )
    return (
        " The confidence band is a second test. It lies furthest below the claim's curve at FPR "
        f"{percent(gap.fpr)}: the true FNR there is at least {short(lower(100 * gap.margin))} "
        "percentage points below the curve."
    )


def cautions(sample: SamplePart) -> str:
    """Return the warnings of the test of the claim as a sentence; "" if there are no warnings."""
    return bounds.warning_sentence(sample.audit.test.warnings) if sample.audit.test else ""


RAW_EPSILON = "largest finite log of (TPR - δ)/FPR or (TNR - δ)/FNR"
NULL_NAMES = {"epsilon_star": "Epsilon*", "raw_epsilon": f"Without the clip, the {RAW_EPSILON}"}
SHORT_NULL_NAMES = {"epsilon_star": "Epsilon*", "raw_epsilon": "this log"}


def estimates_by_chance_sentence(sample: SamplePart) -> str:
    """Say how large Epsilon* and the raw epsilon are for random labels and for the true labels."""
    null = sample.audit.null
    if null is None:
        return _missing_part_sentence(sample.audit, "null")
    texts = " ".join(_by_chance_sentence(null, sample, key) for key in NULL_NAMES)
    return (
        f"{null.n_resamples} random labellings of these records show the estimates that chance "
        f"alone gives. {texts} None of these numbers is a bound."
    )


def _by_chance_sentence(null: NullDistribution, sample: SamplePart, statistic: str) -> str:
    """Say a statistic's 95 % quantile under random membership, and its value for these scores."""
    observed, star = null.observed[statistic], sample.epsilon_star.star
    if statistic == "epsilon_star" and star.method == "empirical" and not star.suprema.is_empty:
        # At all thresholds, not only at the rank cut-offs of the simulation.
        observed = star.value
    most, p_value = short(upper(null.quantile(statistic))), short(upper(null.p_value(statistic)))
    low, high = null.quantile_confidence_limits(statistic)
    shown = "undefined (counted as infinite)" if math.isnan(observed) else short(observed)
    return (
        f"{NULL_NAMES[statistic]} is at most {most} in 95 % of the labellings (Monte Carlo "
        f"interval {_limits_text(low, high)}). With the true labels, "
        f"{SHORT_NULL_NAMES[statistic]} is {shown}: p = {p_value}."
    )


def ceiling_sentence(sample: SamplePart, result: Result) -> str:
    """Say which epsilon a perfect attack on the same number of records would certify."""
    most = sample.audit.ceiling
    if most is None:
        return _missing_part_sentence(sample.audit, "ceiling")
    level, bound = percent(result.spec.confidence_level), sample.audit.bound
    is_simulated = bound is not None and SIMULATED_P_VALUES_NOTE in bound.warnings
    method = BOUNDS[default_method(result.spec.sampling)].label + ", simulated" * is_simulated
    return (
        f"Even a perfect attack on this many records certifies at most ε = {short(upper(most))} at "
        f"δ = {short(result.claim.delta)} ({level} confidence, {method})."
    )


def ruled_out_claims_sentence(sample: SamplePart, result: Result) -> str:
    """Say which claims the confidence band rules out; "" if no claim is ruled out."""
    if result.spec.is_one_run:
        return ""
    band, claim = sample.band, result.claim
    # The smallest epsilon, delta and mu whose claims the band does not rule out.
    smallest = lower(band.smallest_epsilon(claim.delta))
    limits = [(smallest, f"ε < {short(smallest)} (at δ = {short(claim.delta)})")]
    if math.isfinite(claim.epsilon):
        least = lower(band.smallest_delta(claim.epsilon))
        limits.append((least, f"δ < {short(least)} (at ε = {short(claim.epsilon)})"))
    mu = lower(band.smallest_mu())
    limits.append((mu, f"Gaussian DP with μ < {short(mu)}"))
    excluded = [text for value, text in limits if value > 0]
    if not excluded:
        return ""
    text = (
        f"The {percent(band.confidence_level)} confidence band alone rules out {listed(excluded)}."
    )
    bound = sample.audit.bound
    if bound is None or bound.low <= smallest or bound.delta != claim.delta:
        return text
    return f"{text} The rank test gives a larger lower bound on ε."


MISSING = {
    "bound": "lower bound",
    "test": "answer about the claim",
    "null": "simulation of no leakage",
    "ceiling": "ceiling",
}


def _missing_part_sentence(audit: AuditPart, part: str) -> str:
    reason = dict(audit.refused).get(part)
    return f"No {MISSING[part]}: {reason}." if reason else NOT_COMPUTED


RATES_CAPTION = (
    "Rates of this attack (estimates, not bounds). Tools define the TPR at an FPR in five ways. "
    "Each interval of a TPR is for the true TPR of a single threshold. An attack that chooses "
    "between two thresholds at random may have a larger TPR."
)

RATES_HEAD = ("rate", "measured", "interval", "95 % quantile by chance", "how")

CONVENTION_NAMES = {  # another convention has its own name
    "last_vertex": "last threshold not above",
    "strict": "last threshold below",
    "through_thresholds": "interpolated through thresholds",
    "hull": "convex hull",
}


def rates_table(result: Result) -> Table:
    """Return the table of AUC, advantage, and the TPR at an FPR as different tools define it."""
    if result.sample is None:
        return Table(RATES_CAPTION, RATES_HEAD, [])
    part, null = result.sample.rates, result.sample.audit.null
    level = percent(part.auc.confidence_level)
    area, best, at = part.auc, part.advantage, part.advantage.at
    chance = {key: short(upper(null.quantile(key))) if null else "" for key in ("auc", "advantage")}
    last = [
        (
            "AUC",
            short(area.value),
            f"{_limits_text(area.low, area.high)} ({level}{', approximate' * area.is_approximate})",
            chance["auc"],
            f"area under the curve, ties counted half; {area.note}",
        ),
        (
            "advantage",
            short(best.value),
            f"{_limits_text(best.low, best.high)} ({level})",
            chance["advantage"],
            "largest TPR - FPR over all thresholds, biased upwards by the search: "
            f"{at.true_positives} of {at.n_members} members, {at.false_positives} of "
            f"{at.n_nonmembers} non-members",
        ),
    ]
    caption = RATES_CAPTION + ONE_RUN_INTERVALS * result.spec.is_one_run
    return Table(caption, RATES_HEAD, [*map(_tpr_row, part.tpr_at_fpr), *last])


def _tpr_row(tpr: TprAtFpr) -> tuple[str, ...]:
    """Return one row of the table of rates: the TPR at an FPR by one definition."""
    name = f"TPR at FPR {percent(tpr.requested)} ({exact(tpr.requested)})"
    how = f"a mixture of two thresholds, FPR {percent(tpr.realised_fpr)}"
    if tpr.false_positives is not None:
        how = (
            f"realised FPR {percent(tpr.realised_fpr)} ({tpr.false_positives} of "
            f"{tpr.n_nonmembers}), {tpr.true_positives} of {tpr.n_members} members"
        )
    return (
        f"{name}, {CONVENTION_NAMES.get(tpr.convention, tpr.convention)}",
        "undefined" if math.isnan(tpr.value) else short(tpr.value),
        f"{_limits_text(*tpr.interval)} ({percent(tpr.confidence_level)})",
        "",
        tpr.reason or f"{how}; {CONVENTIONS[tpr.convention].used_by}",
    )


def _limits_text(low: float, high: float) -> str:
    return f"{short(lower(low))} to {short(upper(high))}"


AXIS_FACTOR = 1.6  # length of the axis over that of the longest bar

KINDS = (
    BarKind(color=theme.ATTACK, opacity=0.5),
    BarKind(color=theme.SELECTION, opacity=0),
    BarKind(color=theme.ATTACK, opacity=0, dash="dashed"),
    BarKind(color=theme.SELECTION, opacity=0.3, dash="dotted"),
)

# Parts of a result on which the bars and their axis depend.
OF_BARS = (
    *("sample.epsilon_star", "sample.audit.bound", "sample.audit.ceiling", "sample.audit.null"),
    "claim.delta",
)


def _evidence_chart(result: Result) -> BarChartData:
    """Return bars for the lower bound, the ceiling, Epsilon*, and Epsilon* by chance alone."""
    sample = result.sample
    audit = sample.audit if sample else AuditPart()
    star = sample.epsilon_star.star.value if sample else None
    chance = audit.null.quantile("epsilon_star") if audit.null else None
    counted = "" if result.spec.method == "empirical" else "counted "
    test = "one run" if result.spec.sampling == "fair_coins" else "rank test"
    rows: list[tuple[str, float | None, str, Callable[[float], float]]] = [
        (f"lower bound ({test})", audit.bound.low if audit.bound else None, "≥ ", lower),
        ("ceiling of these records", audit.ceiling, "", upper),
        ("Epsilon*: an estimate", star, "≈ ", float),
        (f"{counted}Epsilon* by chance", chance, "up to ", upper),
    ]
    bars = []
    for kind, (name, epsilon, sign, rounded) in enumerate(rows):
        text = "" if epsilon is None else f"{sign}{short(rounded(epsilon))}"
        bars.append(Bar(name=name, epsilon=epsilon, text=text, kind=kind))
    return BarChartData(rows=bars, delta=result.claim.delta, room=AXIS_FACTOR)


EVIDENCE = Scene(
    title="What do these records show?",
    topic="evidence",
    needs="scores",
    x=EPSILON_AXIS,
    y=ROW_AXIS,
    left=160,
    layers=lambda: [Bars(KINDS, _evidence_chart, OF_BARS), bounds.ClaimAcrossBars(OF_BARS)],
)

TOPIC = Topic(
    sentences={
        "evidence_lead": TextWriter(lead, "evidence", "sample", NOT_LOADED, lead=True),
        "bound": TextWriter(bound_sentence, "evidence", "sample", NOT_LOADED),
        "against": TextWriter(
            contradiction_sentences, "evidence", "sample", NOT_LOADED, about_claim=True
        ),
        "cautions": TextWriter(cautions, "evidence", "sample"),
        "chance": TextWriter(estimates_by_chance_sentence, "evidence", "sample", NOT_LOADED),
        "ceiling": TextWriter(ceiling_sentence, "evidence", "sample", NOT_LOADED),
        "consistent": TextWriter(ruled_out_claims_sentence, "evidence", "sample", NOT_LOADED),
        "band": TextWriter(band_sentence, "tradeoff", "sample"),
    },
    tables={"rates": TextWriter(rates_table, when=has_scores)},
    scenes={"evidence": EVIDENCE},
)
