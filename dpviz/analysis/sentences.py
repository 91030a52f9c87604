"""One sentence or two per picture, from the result: plain words, its numbers, no verdict.

Measured numbers are called estimates; what a guarantee permits is said with "at most" or "at
least".
"""

import math
from collections.abc import Callable

from dpviz.analysis import audit_sentences, claim_sentences, epsilon_star_sentences
from dpviz.analysis.result import Result
from dpviz.analysis.wording import exact, lower, percent, records, short, upper
from dpviz.audit import OperatingPoint
from dpviz.theory import ApproximateDP


def region(result: Result) -> str:
    """Whether the claim admits the point, and the epsilon it implies."""
    point, at_delta = result.point, f"at δ = {short(result.claim.delta)}"
    rates = f"FPR {percent(point.fpr)} and FNR {percent(point.fnr)}"
    place = "inside" if point.admitted else "outside"
    if point.source == "claim":
        return _conversion(result) + (
            f"An attack with FPR {percent(point.fpr)} misses at least "
            f"{percent(lower(point.fnr))} of the members under {_claim(result)}: the point lies on "
            "the edge of the region."
        )
    if point.source == "chosen":
        return _conversion(result) + (
            f"An attack with {rates} lies {place} the region of {_claim(result)}: "
            f"{_admitting(point.epsilon)} {at_delta}."
        )
    return _conversion(result) + (
        f"With {rates}, measured on this sample, this model's attack lies {place} the region of "
        f"{_claim(result)}. The measured rates imply ε = {short(point.epsilon)} {at_delta}: "
        "an estimate, not a bound."
    )


def implied(result: Result) -> str:
    """The epsilon each of the four inequalities implies for the point."""
    names = ("TPR/FPR", "TNR/FNR", "FNR/TNR", "FPR/TPR")
    values = result.point.implied_epsilons
    shown = "; ".join(f"{name}: {short(v)}" for name, v in zip(names, values, strict=True))
    measured = " (measured rates, an estimate)" if result.point.source == "attack" else ""
    delta = short(result.claim.delta)
    return f"ε implied by each of the four inequalities at δ = {delta}{measured}: {shown}."


def tradeoff(result: Result) -> str:
    """What the claim permits at the selected FPR, and what the attack did."""
    fpr = result.spec.fpr
    permitted = result.claim.claim.tpr(fpr)
    text = (
        f"Under {_claim(result)} an attacker who accuses at most {percent(fpr)} of the non-members "
        f"catches at most {percent(upper(permitted))} of the members."
    )
    error = result.claim.claim.error
    if error > 0:
        text += (
            f" Its curve is computed from below: never above the exact one, and by estimate no "
            f"more than {short(upper(error))} under it."
        )
    if result.sample is None:
        return _conversion(result) + text
    at = result.sample.at_fpr
    return (
        _conversion(result)
        + text
        + (
            f" This attack caught {percent(at.tpr)} ({_caught(at)}) at a realised FPR of "
            f"{percent(at.fpr)}: an estimate from this sample."
        )
    )


def risk(result: Result) -> str:
    """PPV and advantage at the prior: the bounds, and the attack where it stands."""
    spec, at = result.spec, result.risk_point
    text = _conversion(result) + (
        f"If {percent(spec.prior)} of the candidates are members, under {_claim(result)} an "
        f"attacker with FPR {percent(spec.fpr)} is right in at most {percent(upper(at.ppv))} of "
        f"its accusations (PPV), and its advantage TPR - FPR is at most "
        f"{short(upper(at.advantage))}."
    )
    if math.isinf(result.claim.claim.epsilon(0.0)):
        text += " As the FPR goes to 0 this PPV bound goes to 100 %: quote it with its FPR."
    if result.sample is None:
        return text
    reached, bounds = result.sample.at_fpr, result.sample.bounds
    if reached.false_positives == reached.true_positives == 0:
        return text + " This attack accuses nobody at this FPR."
    return text + (
        f" This attack, at its realised FPR {percent(reached.fpr)}: PPV "
        f"{percent(reached.ppv(prior=spec.prior))} and advantage "
        f"{short(reached.tpr - reached.fpr)}, estimates; there the claim permits at most "
        f"{percent(upper(bounds.ppv))} and {short(upper(bounds.advantage))}."
    )


def scores(result: Result) -> str:
    """The threshold of the selected FPR, in the unit the numbers came in."""
    if result.sample is None:
        return "No scores loaded: choose a sample or upload a CSV file."
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


def _claim(result: Result) -> str:
    claim = result.claim.claim
    if not isinstance(claim, ApproximateDP):
        return "this guarantee" if result.claim.converted else repr(claim)
    greek = {"epsilon": "ε", "delta": "δ"}
    shown = ", ".join(f"{greek[k]} = {short(v)}" for k, v in claim.parameters.items())
    return f"the claim {shown}"


def _admitting(epsilon: float) -> str:
    if epsilon == 0:
        return "every ε admits it"
    if math.isinf(epsilon):
        return "no finite ε admits it"
    return f"only ε of {short(upper(epsilon))} or more admits it"


def _conversion(result: Result) -> str:
    if not result.claim.converted:
        return ""
    return f"Claimed for add/remove adjacency ({result.spec.claim!r}), converted to replace-one. "


def _caught(at: OperatingPoint) -> str:
    return records(at.true_positives, at.n_members, "members")
