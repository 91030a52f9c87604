"""Sentences about error rates: the privacy region, the trade-off, risk and the threshold.

Measured numbers are called estimates; what a guarantee permits is stated with "at most" or "at
least".
"""

import math

from dpviz.analysis.number_format import (
    exact,
    lower,
    percent,
    records,
    short,
    short_above,
    upper,
)
from dpviz.analysis.parts.parts import PointPart, ResultParts, RiskPointPart
from dpviz.analysis.sentences.claim import in_words, name_template
from dpviz.analysis.sentences.templates import RATIOS, WORDS
from dpviz.audit import OperatingPoint
from dpviz.theory import ApproximateDP

NO_LIMIT = -1e-9  # an inequality that implies less allows every epsilon; 0 has rounding errors

SAME_INEQUALITY = (
    "TPR/FPR stands for two published inequalities, which are one: e^ε FPR + FNR ≥ 1 - δ says the "
    "same as 1 - FNR ≤ e^ε FPR + δ."
)
FLIPPED = (
    "An attack that flips all its answers has the rates 1 - FPR and 1 - FNR instead: the region "
    "allows both points or neither."
)
RANDOMNESS = (
    "The claim's probabilities are over the noise of the mechanism alone: both data sets are "
    "fixed, and it holds for every pair of neighbours. The confidence of a measured number is "
    "over the draw of the records."
)
ADVANTAGE_PRIOR = (
    "The advantage TPR - FPR does not depend on the prior: each rate is a share of one class. The "
    "PPV does."
)


def region(result: ResultParts) -> str:
    """Whether the claim allows the point, and the epsilon it implies."""
    point = result.point
    return _conversion(result) + WORDS[f"region.{point.source}"].format(
        fpr=percent(point.fpr),
        fnr=percent(lower(point.fnr) if point.source == "claim" else point.fnr),
        place="inside" if point.admitted else "outside",
        claim=_claim(result),
        allowing=allowing(result),
        epsilon=short(point.epsilon),
        delta=short(result.claim.delta),
    )


def implied(result: ResultParts) -> str:
    """The epsilon each of the four inequalities implies for the point."""
    measured = WORDS["implied.measured"] if result.point.source == "attack" else ""
    each = "; ".join(
        f"{rates}: {short(max(0.0, epsilon))}"
        for rates, epsilon in zip(RATIOS, result.point.implied_epsilons, strict=True)
        if epsilon > NO_LIMIT
    )
    template = WORDS["implied" if each else "implied.any"]
    return template.format(delta=short(result.claim.delta), measured=measured, each=each)


def point_box(result: ResultParts) -> str:
    """The limits of both true rates that are drawn around the attack's point."""
    if result.sample is None or result.point.source != "attack":
        return ""
    box = result.sample.box
    fpr, fnr = (
        f"{percent(lower(low))} to {percent(upper(high))}"
        for low, high in ((box.fpr_low, box.fpr_high), (box.fnr_low, box.fnr_high))
    )
    return (
        f"The box around the point has limits of both true rates, FPR {fpr} and FNR {fnr}, which "
        f"hold at every threshold at once ({percent(box.confidence_level)} confidence)."
    )


def pinned_point(result: ResultParts) -> str:
    """Which of two points leaks more: the one that is kept, or the one that moves."""
    kept, moved = result.pinned, result.point
    if kept is None:
        return ""
    more = f"this one {_leaks_than(moved.epsilon, kept.epsilon)}"
    measured = " (as measured)" if moved.source == "attack" else ""
    return (
        f"The pinned point (FPR {percent(kept.fpr)}, FNR {percent(kept.fnr)}) needs "
        f"{_from(kept, moved)}, this one {_from(moved, kept)}{measured} at δ = "
        f"{short(result.claim.delta)}: {more}."
    )


def _from(point: PointPart, other: PointPart) -> str:
    if math.isinf(point.epsilon):
        return "more than any finite ε"
    return f"ε ≥ {short_above(point.epsilon, other.epsilon)}"


def _leaks_than(one: float, other: float) -> str:
    if one == other:
        return "leaks as much"
    return "leaks more" if one > other else "leaks less"


def tradeoff(result: ResultParts) -> str:
    """What the claim permits at the selected FPR, and what the attack did."""
    return _conversion(result) + permitted(result) + attack_at_fpr(result)


def permitted(result: ResultParts) -> str:
    """The largest TPR that the claim permits at the selected FPR."""
    fpr, claim = result.fpr, result.claim.claim
    tpr = percent(upper(claim.tpr(fpr)))
    text = WORDS["tradeoff"].format(claim=_claim(result), fpr=percent(fpr), tpr=tpr)
    if claim.error > 0:
        text += (
            " Computed numerically: a lower bound of the exact curve, by estimate at most "
            f"{short(upper(claim.error))} below it."
        )
    return text


def attack_at_fpr(result: ResultParts) -> str:
    """What the attack did at the selected FPR."""
    if result.sample is None:
        return ""
    at = result.sample.at_fpr
    return (
        f" This attack caught {percent(at.tpr)} ({caught(at)}) at a realised FPR of "
        f"{percent(at.fpr)}: an estimate from this sample."
    )


def risk(result: ResultParts) -> str:
    """PPV and advantage at the prior: the bounds, and the attack where it stands."""
    return _conversion(result) + permitted_risk(result) + attack_risk(result)


def permitted_risk(result: ResultParts) -> str:
    """The largest PPV and advantage that the claim permits at the selected FPR."""
    spec, at = result.spec, result.risk_point
    text = WORDS["risk"].format(
        prior=percent(spec.prior),
        claim=_claim(result),
        fpr=percent(result.fpr),
        ppv=percent(upper(at.ppv)),
        advantage=short(upper(at.advantage)),
    )
    return text + (WORDS["risk.limit"] if math.isinf(result.claim.claim.epsilon(0.0)) else "")


def risk_at_point(result: ResultParts) -> RiskPointPart:
    """Both bounds at the FPR of the point: an attack realises a little less than selected."""
    if result.sample is not None and result.point.source == "attack":
        return result.sample.bounds
    return result.risk_point


def attack_risk(result: ResultParts) -> str:
    """PPV and advantage of the attack, beside what the claim permits at the same FPR."""
    if result.sample is None:
        return ""
    reached, bounds = result.sample.at_fpr, result.sample.bounds
    if reached.false_positives == reached.true_positives == 0:
        return " This attack flags nobody at this FPR."
    return (
        f" This attack, at its realised FPR {percent(reached.fpr)}: PPV "
        f"{percent(reached.ppv(prior=result.spec.prior))} and advantage "
        f"{short(reached.tpr - reached.fpr)}, estimates; there the claim allows at most "
        f"{percent(upper(bounds.ppv))} and {short(upper(bounds.advantage))}."
    )


def scores(result: ResultParts) -> str:
    """The threshold of the selected FPR, on the original scale."""
    if result.sample is None:
        return "No scores loaded: choose a sample or a file."
    at, histogram = result.sample.at_fpr, result.sample.histogram
    sign = "≤" if histogram.kind == "loss" else "≥"
    if at.false_positives == 0 and at.true_positives == 0:
        text = (
            f"No {histogram.kind} threshold flags at most {percent(result.fpr)} of the "
            f"{at.n_nonmembers} non-members and anybody at all."
        )
    else:
        text = (
            f"Saying “member” when the {histogram.kind} is {sign} {exact(result.sample.threshold)} "
            f"flags {records(at.false_positives, at.n_nonmembers, 'non-members')} (realised FPR "
            f"{percent(at.fpr)}, requested {percent(result.fpr)}) and catches {caught(at)}."
        )
    if histogram.n_beyond:
        plural = "record" if histogram.n_beyond == 1 else "records"
        text += f" The outermost bars also hold {histogram.n_beyond} {plural} beyond the axis."
    return text


def claim_template(result: ResultParts) -> str:
    """Return the name of a claim that has a closed form, with slots for its numbers."""
    claim = result.claim.claim
    if not isinstance(claim, ApproximateDP):
        return WORDS["guarantee"] if result.claim.converted else name_template(claim)
    greek = {"epsilon": "ε", "delta": "δ"}
    slots = ", ".join(f"{greek[key]} = {{{key}}}" for key in claim.parameters)
    return WORDS["claim"].format(parameters=slots)


def _claim(result: ResultParts) -> str:
    claim = result.claim.claim
    if isinstance(claim, ApproximateDP):
        numbers = {key: short(value) for key, value in claim.parameters.items()}
        return claim_template(result).format(**numbers)
    return WORDS["guarantee"] if result.claim.converted else in_words(claim)


def allowing(result: ResultParts) -> str:
    """Which epsilons allow the point."""
    epsilon = result.point.epsilon
    if epsilon == 0:
        return WORDS["allowing.every"]
    if math.isinf(epsilon):
        return WORDS["allowing.none"]
    return WORDS["allowing.from"].format(epsilon=needed(result))


def needed(result: ResultParts) -> str:
    """The least epsilon that allows the point; more than claimed where the claim does not."""
    point = result.point
    return short_above(point.epsilon, math.inf if point.admitted else result.claim.epsilon)


def _conversion(result: ResultParts) -> str:
    given = in_words(result.spec.claim)
    return WORDS["conversion"].format(given=given) if result.claim.converted else ""


def caught(at: OperatingPoint) -> str:
    """Return the members that an attack detects: "5 of 300 members"."""
    return records(at.true_positives, at.n_members, "members")
