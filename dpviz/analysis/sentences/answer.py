"""The answer in sentences: headline, second line, what it does not say, people and odds."""

import math

from dpviz.analysis.number_format import lower, percent, short, short_above, upper
from dpviz.analysis.parts.answer import allows_everything, answer_of
from dpviz.analysis.parts.parts import ResultParts, SamplePart
from dpviz.analysis.sentences import checklist
from dpviz.analysis.sentences.bounds import at_least
from dpviz.analysis.sentences.claim import name
from dpviz.analysis.sentences.rates import risk_at_point
from dpviz.audit import EpsilonBound
from dpviz.theory import ApproximateDP

WHOSE = {"instance": "this trained model", "mechanism": "the training mechanism"}
ABOUT = {
    "instance": "this trained model, not about the training method",
    "mechanism": "the training mechanism, as far as these records were chosen as declared",
}


def answer(result: ResultParts) -> str:
    """The headline."""
    sample, claim = result.sample, short_claim(result)
    if sample is None:
        if allows_everything(result.claim.claim):
            return f"{_first(claim)} is no guarantee: every attack is allowed."
        caught = percent(upper(result.claim.claim.tpr(result.fpr)))
        fpr = percent(result.fpr)
        return f"At FPR {fpr}, {claim} lets an attack catch at most {caught} of the members."
    kind = _scores(sample)
    match answer_of(result).state:
        case "contradicted":
            return f"The {kind} contradict the claim {claim}."
        case "not contradicted":
            return f"These {kind} do not contradict {claim}. That does not confirm it."
        case "no claim":
            return f"No claim is tested: this is what the {kind} show."
        case "cannot decide":
            return f"These {kind} cannot decide about {claim}."
        case _:
            return f"Not computed yet: whether these {kind} contradict {claim}."


def answer_detail(result: ResultParts) -> str:
    """Why nothing is decided, what is certified, and how many records there are."""
    sample = result.sample
    if sample is None:
        return (
            f"This is what the claim promises{_converted(result)}. What an attack on a trained "
            "model reached needs its scores."
        )
    subject = f"The {_scores(sample)}" if answer_of(result).state == "no claim" else "They"
    said = [_certified(sample, subject, result.claim.epsilon), _counts(sample), _reversed(sample)]
    said.append(checklist.limits(result.spec))
    test = sample.audit.test
    if test is not None and test.p_value is not None and test.outcome == "contradicted":
        level = percent(test.confidence_level)
        p_value = short(upper(test.p_value))
        said.insert(0, f"A test at all thresholds gives p = {p_value} ({level} confidence).")
    if answer_of(result).state == "cannot decide":
        said.insert(0, f"{_first(_why(sample))}.")
    return " ".join(filter(None, said))


def answer_limits(result: ResultParts) -> str:
    """What the answer does not say, and what it assumes."""
    sample = result.sample
    if sample is None:
        return (
            "It holds for every attack, known or not. Whether the mechanism keeps the claim is "
            "not checked here."
        )
    return (
        f"This is about {ABOUT[result.spec.applies_to]}. A lower bound cannot show that ε is "
        "small: another attack may reach more. Assumed: members and non-members are independent "
        f"draws, each from its own distribution. {checklist.answer_limits(result.spec)}"
    ).rstrip()


def at_one_percent(result: ResultParts) -> str:
    """How many of 100 members the attack detects at FPR 1 %, and how many the claim allows.

    Where that does not show a contradiction that was found, the clearest place is named.
    """
    sample = result.sample
    if sample is None:
        return ""
    most = result.claim.claim.tpr(0.01)
    said = f"{_caught_at_one_percent(sample)}; the claim allows at most {percent(upper(most))}"
    place = sample.audit.test.place if sample.audit.test is not None else None
    if answer_of(result).state != "contradicted" or place is None:
        return f"{said}."
    if sample.at_one_percent.tpr > most:
        return f"{said}."
    return f"{said} there. The contradiction is clearest at FPR {percent(place.fpr)}."


def caught_at_one_percent(result: ResultParts) -> str:
    """How many of 100 members the attack detects at FPR 1 %, where nothing is claimed."""
    return "" if result.sample is None else f"{_caught_at_one_percent(result.sample)}."


def _caught_at_one_percent(sample: SamplePart) -> str:
    at = sample.at_one_percent
    return (
        f"At FPR 1 % this attack catches {_of_100(at.tpr)} members, as measured "
        f"({at.true_positives} of {at.n_members})"
    )


def odds(result: ResultParts) -> str:
    """The odds of membership after the attack that the claim allows, beside those before it."""
    prior, at = result.spec.prior, risk_at_point(result)
    before, fpr, ppv = _odds(prior / (1 - prior)), percent(at.fpr), at.ppv
    after = math.inf if ppv >= 1 else ppv / (1 - ppv)
    if math.isinf(after):
        return f"At FPR {fpr} the claim allows certainty about those who are flagged."
    return (
        f"Before the attack the odds of membership are {before}; of a record flagged at FPR {fpr} "
        f"the claim allows odds of at most {_odds(upper(after))}."
    )


def large_delta(result: ResultParts) -> str:
    """That releasing a record in full would satisfy the delta, where it is not below 1/n."""
    sample, delta = result.sample, result.claim.delta
    if sample is None or result.spec.applies_to != "instance":
        return ""
    n = sample.at_fpr.n_members
    if delta * n < 1:
        return ""
    return (
        f"δ = {short(delta)} is not below 1/{n}: publishing one of {n} training records in full, "
        "picked at random, would satisfy it with ε = 0."
    )


def ruler(result: ResultParts) -> str:
    """The ruler in words."""
    found = answer_of(result)
    claimed = found.claimed
    said = ["nothing claimed" if claimed is None else f"claimed {short(upper(claimed))}"]
    if found.certified is not None:
        said.append(f"certified at least {short_above(found.certified, found.claimed or 0.0)}")
    said += [f"{name} certifies at least {short(lower(low))}" for name, low in found.attacks]
    if found.chance is not None:
        said.append(f"chance alone gives an Epsilon* of up to {short(upper(found.chance))}")
    if found.estimate is not None:
        said.append(f"Epsilon* {short(found.estimate)}, an estimate")
    if found.ceiling is not None:
        said.append(f"so many records certify at most {short(upper(found.ceiling))}")
    return f"ε at δ = {short(found.delta)}: {'; '.join(said)}."


def _certified(sample: SamplePart, subject: str, claimed: float) -> str:
    """The bound that decides about the claim, where there is one, else that at the chosen delta."""
    bound = _bound(sample)
    if bound is None:
        refused = dict(sample.audit.refused)
        said = refused.get("test")  # in the headline
        reason = refused.get("bound")
        return f"No lower bound: {reason}." if reason and reason != said else ""
    level = f"({percent(bound.confidence_level)} confidence, δ = {short(bound.delta)})"
    if bound.low <= 0:
        return f"{subject} certify no ε above 0 {level}."
    return f"{subject} show ε ≥ {at_least(bound, claimed)} for {WHOSE[bound.applies_to]} {level}."


def _bound(sample: SamplePart) -> EpsilonBound | None:
    test = sample.audit.test
    return test.bound if test is not None and test.bound is not None else sample.audit.bound


def _why(sample: SamplePart) -> str:
    reason = dict(sample.audit.refused).get("test")
    if reason:
        return reason
    most = short(upper(sample.audit.ceiling or 0.0))
    return f"with so few records even a perfect attack certifies at most ε = {most}"


def _counts(sample: SamplePart) -> str:
    at = sample.at_fpr
    return f"{at.n_members} members and {at.n_nonmembers} non-members."


def _reversed(sample: SamplePart) -> str:
    area = sample.rates.auc
    if not area.high < 0.5:
        return ""
    return f"The {_scores(sample)} look reversed (AUC {short(area.value)})."


def _scores(sample: SamplePart) -> str:
    return "losses" if sample.histogram.kind == "loss" else "scores"


def short_claim(result: ResultParts) -> str:
    """Return the claim in few signs, where another line has the delta."""
    given = result.spec.claim
    if isinstance(given, ApproximateDP) and "epsilon" in given.parameters:
        return f"ε = {short(given.claimed_epsilon, digits=6)}"
    return name(given)


def _converted(result: ResultParts) -> str:
    return ", converted to replace-one" if result.claim.converted else ""


def _of_100(share: float) -> str:
    if 0 < share < 0.005:
        return "fewer than 1 of 100"
    return f"{share * 100:.0f} of 100" if share else "none of 100"


def _odds(value: float) -> str:
    return f"{short(value)} to 1" if value >= 1 else f"1 to {short(lower(1 / value))}"


def _first(text: str) -> str:
    return text if text.startswith("ε") else text[0].upper() + text[1:]
