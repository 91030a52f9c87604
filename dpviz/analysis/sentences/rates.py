"""One sentence or two per picture, from the result: plain words, its numbers, no verdict.

Measured numbers are called estimates; what a guarantee permits is said with "at most" or "at
least".
"""

import math
from collections.abc import Callable

from dpviz.analysis import audit_sentences, claim_sentences, epsilon_star_sentences
from dpviz.analysis.result import Result
from dpviz.analysis.wording import exact, lower, percent, records, short, upper
from dpviz.analysis.words import WORDS
from dpviz.audit import OperatingPoint
from dpviz.theory import ApproximateDP, TradeoffFunction


def region(result: Result) -> str:
    """Whether the claim admits the point, and the epsilon it implies."""
    point = result.point
    return _conversion(result) + WORDS[f"region.{point.source}"].format(
        fpr=percent(point.fpr),
        fnr=percent(lower(point.fnr) if point.source == "claim" else point.fnr),
        place="inside" if point.admitted else "outside",
        claim=_claim(result),
        admitting=_admitting(point.epsilon),
        epsilon=short(point.epsilon),
        delta=short(result.claim.delta),
    )


def implied(result: Result) -> str:
    """The epsilon each of the four inequalities implies for the point."""
    e1, e2, e3, e4 = map(short, result.point.implied_epsilons)
    measured = WORDS["implied.measured"] if result.point.source == "attack" else ""
    delta = short(result.claim.delta)
    return WORDS["implied"].format(delta=delta, measured=measured, e1=e1, e2=e2, e3=e3, e4=e4)


def tradeoff(result: Result) -> str:
    """What the claim permits at the selected FPR, and what the attack did."""
    return _conversion(result) + permitted(result) + attack_at_fpr(result)


def permitted(result: Result) -> str:
    """The largest TPR that the claim permits at the selected FPR."""
    fpr, claim = result.spec.fpr, result.claim.claim
    tpr = percent(upper(claim.tpr(fpr)))
    text = WORDS["tradeoff"].format(claim=_claim(result), fpr=percent(fpr), tpr=tpr)
    if claim.error > 0:
        text += (
            f" Its curve is computed from below: never above the exact one, and by estimate no "
            f"more than {short(upper(claim.error))} under it."
        )
    return text


def attack_at_fpr(result: Result) -> str:
    """What the attack did at the selected FPR."""
    if result.sample is None:
        return ""
    at = result.sample.at_fpr
    return (
        f" This attack caught {percent(at.tpr)} ({_caught(at)}) at a realised FPR of "
        f"{percent(at.fpr)}: an estimate from this sample."
    )


def risk(result: Result) -> str:
    """PPV and advantage at the prior: the bounds, and the attack where it stands."""
    return _conversion(result) + permitted_risk(result) + attack_risk(result)


def permitted_risk(result: Result) -> str:
    """The largest PPV and advantage that the claim permits at the selected FPR."""
    spec, at = result.spec, result.risk_point
    text = WORDS["risk"].format(
        prior=percent(spec.prior),
        claim=_claim(result),
        fpr=percent(spec.fpr),
        ppv=percent(upper(at.ppv)),
        advantage=short(upper(at.advantage)),
    )
    return text + (WORDS["risk.limit"] if math.isinf(result.claim.claim.epsilon(0.0)) else "")


def attack_risk(result: Result) -> str:
    """PPV and advantage of the attack, beside what the claim permits at the same FPR."""
    if result.sample is None:
        return ""
    reached, bounds = result.sample.at_fpr, result.sample.bounds
    if reached.false_positives == reached.true_positives == 0:
        return " This attack accuses nobody at this FPR."
    return (
        f" This attack, at its realised FPR {percent(reached.fpr)}: PPV "
        f"{percent(reached.ppv(prior=result.spec.prior))} and advantage "
        f"{short(reached.tpr - reached.fpr)}, estimates; there the claim permits at most "
        f"{percent(upper(bounds.ppv))} and {short(upper(bounds.advantage))}."
    )


def scores(result: Result) -> str:
    """The threshold of the selected FPR, in the unit the numbers came in."""
    if result.sample is None:
        return "No scores loaded: choose a sample or a file."
    at, histogram = result.sample.at_fpr, result.sample.histogram
    sign = "≤" if histogram.kind == "loss" else "≥"
    if at.false_positives == 0 and at.true_positives == 0:
        text = (
            f"No {histogram.kind} threshold accuses at most {percent(result.spec.fpr)} of the "
            f"{at.n_nonmembers} non-members and anybody at all."
        )
    else:
        text = (
            f"Saying “member” when the {histogram.kind} is {sign} {exact(result.sample.threshold)} "
            f"accuses {records(at.false_positives, at.n_nonmembers, 'non-members')} (realised FPR "
            f"{percent(at.fpr)}, requested {percent(result.spec.fpr)}) and catches {_caught(at)}."
        )
    if histogram.n_beyond:
        plural = "record" if histogram.n_beyond == 1 else "records"
        text += f" The outermost bars also hold {histogram.n_beyond} {plural} beyond the axis."
    return text


SENTENCES: dict[str, Callable[[Result], str]] = {
    "region": region,
    "implied": implied,
    "tradeoff": tradeoff,
    "comparison": claim_sentences.comparison,
    "implies": claim_sentences.implies,
    "profile": claim_sentences.profile,
    "epsilon_star": epsilon_star_sentences.epsilon_star,
    "warnings": epsilon_star_sentences.warnings,
    "fit": epsilon_star_sentences.fit,
    "quantiles": epsilon_star_sentences.quantiles,
    "risk": risk,
    "scores": scores,
    "bound": audit_sentences.bound,
    "against": audit_sentences.against,
    "cautions": audit_sentences.cautions,
    "chance": audit_sentences.chance,
    "ceiling": audit_sentences.ceiling,
    "consistent": audit_sentences.consistent,
    "band": audit_sentences.band,
}


def claim_template(result: Result) -> str:
    """What the claim is called, with slots for its numbers."""
    claim = result.claim.claim
    if not isinstance(claim, ApproximateDP):
        return WORDS["guarantee"] if result.claim.converted else python_template(claim)
    greek = {"epsilon": "ε", "delta": "δ"}
    slots = ", ".join(f"{greek[name]} = {{{name}}}" for name in claim.parameters)
    return WORDS["claim"].format(parameters=slots)


def python_template(claim: TradeoffFunction) -> str:
    """A guarantee as Python writes it, with slots for its numbers."""
    slots = [f"{name}={{{name}}}" for name in claim.parameters]
    if claim.adjacency != "replace_one":
        slots.append(f"adjacency={claim.adjacency!r}")
    return f"{type(claim).__name__}({', '.join(slots)})"


def _claim(result: Result) -> str:
    claim = result.claim.claim
    if isinstance(claim, ApproximateDP):
        numbers = {name: short(value) for name, value in claim.parameters.items()}
        return claim_template(result).format(**numbers)
    # No template: a class made in Python may have any name.
    return WORDS["guarantee"] if result.claim.converted else repr(claim)


def _admitting(epsilon: float) -> str:
    if epsilon == 0:
        return WORDS["admitting.every"]
    if math.isinf(epsilon):
        return WORDS["admitting.none"]
    return WORDS["admitting.from"].format(epsilon=short(upper(epsilon)))


def _conversion(result: Result) -> str:
    return WORDS["conversion"].format(given=result.spec.claim) if result.claim.converted else ""


def _caught(at: OperatingPoint) -> str:
    return records(at.true_positives, at.n_members, "members")
