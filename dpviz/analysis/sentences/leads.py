"""The one sentence below each picture, of at most 25 words; all others about it are folded.

A lead says what is seen; the other sentences of its topic say why, and what is assumed.
"""

import math
from typing import TYPE_CHECKING

from dpviz.analysis.number_format import exact, lower, percent, short, upper
from dpviz.analysis.parts.parts import LOW_FPR, ResultParts
from dpviz.analysis.sentences.bounds import at_least
from dpviz.analysis.sentences.experiment import NOT_PLAYED, grouped
from dpviz.analysis.sentences.landscape import counted
from dpviz.analysis.sentences.mechanism import decision_place
from dpviz.analysis.sentences.rates import allowing, caught, risk_at_point
from dpviz.analysis.sentences.templates import WORDS
from dpviz.audit.bounds.slices import Slices
from dpviz.audit.models.retraining import RetrainingAudit

if TYPE_CHECKING:  # parts that are computed only when their view is shown
    from dpviz.analysis.parts.bounds import BoundsPart
    from dpviz.analysis.parts.experiment import ExperimentPart
    from dpviz.analysis.parts.landscape import LandscapePart
    from dpviz.analysis.parts.mechanism import DecisionPart, LossPart, MechanismPart
    from dpviz.analysis.parts.timeline import TimelinePart

MOST_WORDS = 25  # of the sentence below a picture
NOT_LOADED = "Load a sample or your own file: scores of members and non-members."
NOT_COMPUTED = "Not computed yet for these scores and choices."


def region(result: ResultParts) -> str:
    """Where the point lies, beside what the claim allows at its FPR."""
    point, claim = result.point, result.claim.claim
    least = float(claim.beta(point.fpr))
    kind = point.source
    # An attack that is wrong too often lies outside above the region.
    above = kind == "attack" and not point.admitted and point.fnr >= least
    return WORDS["region_lead.above" if above else f"region_lead.{kind}"].format(
        fpr=percent(point.fpr),
        fnr=percent(point.fnr),
        tpr=percent(upper(claim.tpr(point.fpr))),
        least=percent(lower(least)),
        place="inside" if point.admitted else "outside",
        allowing=allowing(result),
    )


def region_without_claim(result: ResultParts) -> str:
    """Where the point lies."""
    point = result.point
    if point.source == "claim":
        return WORDS["no_claim"]
    kind = "measured" if point.source == "attack" else "point"
    return WORDS[f"region_lead.{kind}"].format(
        fpr=percent(point.fpr), fnr=percent(point.fnr), allowing=allowing(result)
    )


def tradeoff(result: ResultParts) -> str:
    """The smallest FNR that the claim requires at the FPR of the point, and that of the attack."""
    fpr = _fpr_as_in_the_region(result)
    least = percent(lower(float(result.claim.claim.beta(fpr))))
    return WORDS["tradeoff_lead"].format(fpr=percent(fpr), least=least) + attack_misses(result)


def tradeoff_without_claim(result: ResultParts) -> str:
    """How many members this attack misses at the FPR of the point."""
    fpr = percent(_fpr_as_in_the_region(result))
    return WORDS["at_fpr.no_claim"].format(fpr=fpr) + attack_misses(result)


def _fpr_as_in_the_region(result: ResultParts) -> float:
    return result.point.fpr if result.point.source == "attack" else result.fpr


def attack_misses(result: ResultParts) -> str:
    """The end of the lead of the trade-off: how many members this attack misses."""
    if result.sample is None:
        return "."
    at = result.sample.at_fpr
    return f"; this one misses {at.n_members - at.true_positives} of {at.n_members}."


def tail(result: ResultParts) -> str:
    """The largest TPR that the claim allows at a low FPR, and that of the attack."""
    most = percent(upper(result.claim.claim.tpr(LOW_FPR)))
    return WORDS["tail_lead"].format(fpr=percent(LOW_FPR), tpr=most) + attack_catches(result)


def tail_without_claim(result: ResultParts) -> str:
    """How many members this attack detects at a low FPR."""
    return WORDS["at_fpr.no_claim"].format(fpr=percent(LOW_FPR)) + attack_catches(result)


def attack_catches(result: ResultParts) -> str:
    """The end of the lead of low FPRs: how many members this attack detects there."""
    if result.sample is None:
        return "."
    at = result.sample.at_low_fpr
    return f"; this one catches {at.true_positives} of {at.n_members}."


def profile(result: ResultParts) -> str:
    """The epsilon of the curve at the chosen delta."""
    claim = result.claim
    at = f"at δ = {short(claim.delta)}"
    if math.isinf(claim.implied):
        return f"This guarantee gives no finite ε {at}."
    converted = " (converted to replace-one)" if claim.converted else ""
    return f"This guarantee{converted} gives ε = {short(upper(claim.implied))} {at}."


def risk(result: ResultParts) -> str:
    """The largest share of members among the flagged, at the FPR of the point."""
    at = risk_at_point(result)
    return WORDS["risk_lead"].format(
        prior=percent(result.spec.prior), fpr=percent(at.fpr), ppv=percent(upper(at.ppv))
    )


def epsilon_star(result: ResultParts) -> str:
    """The estimate, and that it is one."""
    if result.sample is None:
        return NOT_LOADED
    star = result.sample.epsilon_star.star
    if star.suprema.is_empty:
        return "Epsilon* is undefined for this trained model: no threshold survives its clip."
    return (
        f"Epsilon* ≈ {short(star.value)} at δ = {short(star.suprema.delta)}: an estimate "
        "(largest log ratio), not a bound."
    )


def fit(result: ResultParts) -> str:
    """Whether the fitted distributions are rejected."""
    if result.sample is None:
        return NOT_LOADED
    part = result.sample.fit
    if not len(part.member_density):
        return "No distribution can be fitted to these records."
    if part.goodness is None:
        return "Normal distributions, for comparison: Epsilon* is counted here and uses no fit."
    if part.goodness.member is None or part.goodness.nonmember is None:
        return "There are too few records to test these fits."
    match part.goodness.rejected:
        case ():
            return "No fit is rejected (5 % level), but such tests do not see the tails."
        case (name,):
            return f"The fit of the {name} is rejected (5 % level)."
        case _:
            return "Both fits are rejected (5 % level)."


def quantiles(result: ResultParts) -> str:
    """How to read the picture."""
    if result.sample is None:
        return NOT_LOADED
    if not len(result.sample.fit.member_quantiles):
        return "No distribution can be fitted to these records."
    return "Points off the line: the fit is wrong there."


def scores(result: ResultParts) -> str:
    """The counts at the threshold of the selected FPR."""
    if result.sample is None:
        return NOT_LOADED
    at = result.sample.at_fpr
    if at.false_positives == at.true_positives == 0:
        return f"No threshold flags anybody at FPR {percent(result.fpr)} or below."
    return (
        f"Threshold {exact(result.sample.threshold)}: {caught(at)} are caught, "
        f"{at.false_positives} of {at.n_nonmembers} non-members wrongly accused (FPR "
        f"{percent(at.fpr)})."
    )


def evidence(result: ResultParts) -> str:
    """The certified lower bound."""
    if result.sample is None:
        return NOT_LOADED
    audit = result.sample.audit
    if audit.bound is None:
        is_rejected = "bound" in dict(audit.refused)
        return "There is no lower bound for these choices." if is_rejected else NOT_COMPUTED
    least = at_least(audit.bound, result.claim.epsilon)
    return (
        f"Lower bound: ε ≥ {least} at δ = {short(audit.bound.delta)} "
        f"({percent(audit.bound.confidence_level)} confidence). A lower bound cannot show that ε "
        "is small."
    )


def bounds(part: "BoundsPart", result: ResultParts) -> str:
    """How many methods exceed the claim, and which of them count."""
    if not part.bounds:
        return "No method gives a bound for these scores and choices."
    above = sum(bound.low > result.claim.epsilon for bound in part.bounds)
    return (
        f"{above} of {len(part.bounds)} lower bounds exceed the claimed ε: what counts is the "
        "method that was chosen before looking."
    )


def slices(found: Slices) -> str:
    """The group with the largest bound."""
    if not found.n_tested:
        return "No group has both members and non-members."
    level = f"{percent(found.confidence_level)} confidence for all {found.n_tested} groups together"
    worst = found.worst
    if worst is None or worst.bound is None:
        return f"No group shows an ε above 0 ({level}); that does not show that ε is small."
    return f"Largest bound: group {worst.group}, ε ≥ {at_least(worst.bound)} ({level})."


def retraining(found: RetrainingAudit) -> str:
    """The canary with the largest bound."""
    level = f"{percent(found.confidence_level)} confidence"
    if found.worst is None:
        return f"No canary shows an ε above 0 ({level}); that does not show that ε is small."
    low = at_least(found.worst.bound)
    return f"Largest bound: {found.worst.canary}, ε of the training method ≥ {low} ({level})."


def outputs(part: "MechanismPart", result: ResultParts) -> str:
    """The rates of the test; it is an example until an FPR is chosen."""
    at = part.decision
    test = "this test" if decision_place(at) else "the best attack"
    text = (
        f"at FPR {percent(at.fpr)} {test} wrongly accuses {percent(at.fpr)} of the non-members "
        f"and misses {percent(at.fnr)} of the members."
    )
    return f"For example, {text}" if result.spec.fpr is None else f"A{text[1:]}"


def decision(at: "DecisionPart") -> str:
    """Where the test lies beside the curve."""
    above = decision_place(at)
    if above:
        return f"This test lies {above} above the curve, where the likelihood-ratio test is."
    return "Likelihood-ratio tests lie on the curve; no test lies below."


def privacy_loss(part: "LossPart") -> str:
    """The chance of a large loss, beside the delta there."""
    return (
        f"A member's privacy loss is ε = {short(part.epsilon)} or more with probability "
        f"{percent(part.member_tail)}; δ at that ε is {percent(part.delta)}."
    )


def experiment(part: "ExperimentPart") -> str:
    """What was counted so far."""
    if part.last is None:
        return NOT_PLAYED
    counts = part.counts
    right = counts.true_positives + counts.true_negatives
    return f"In {grouped(counts.rounds)} rounds the attack was right {grouped(right)} times."


def landscape(part: "LandscapePart") -> str:
    """How many models, and how many strategies no other beats."""
    models = counted(len(part.estimates.fleet.models), "model", "models")
    strategies = counted(len(part.landscape.strategies), "strategy", "strategies")
    if part.landscape.frontier is None:
        return f"{models} of {strategies}; their Epsilon* are estimates."
    best = len(part.landscape.frontier.indices)
    return f"{models} of {strategies}: no other strategy beats {best} of them (estimates)."


def timeline(part: "TimelinePart", name: str) -> str:
    """Epsilon* at the first stage and at the last."""
    stages = part.stages(name)
    if not stages:
        return "No model has a stage: give the fleet a column of epochs or stages."
    first, last = stages[0], stages[-1]
    values = ["undefined" if s.epsilon is None else short(s.epsilon) for s in (first, last)]
    if first is last:
        return f"At stage {short(first.stage or 0.0)} Epsilon* is {values[0]} (an estimate)."
    return (
        f"From stage {short(first.stage or 0.0)} to {short(last.stage or 0.0)} Epsilon* goes from "
        f"{values[0]} to {values[1]} (estimates)."
    )
