"""Sentences about adjacency: what the claim is read for, and what its other reading would say."""

from dpviz.analysis.number_format import short, upper
from dpviz.analysis.parts.answer import allows_everything
from dpviz.analysis.parts.neighbours import BARE
from dpviz.analysis.parts.parts import ResultParts, SamplePart
from dpviz.theory import ApproximateDP, TradeoffFunction

NAMES = {"replace_one": "replace-one", "add_remove": "add/remove"}


def under(result: ResultParts) -> str:
    """Return under which adjacency the claim is tested: "under replace-one"."""
    converted = " (converted from add/remove)" if result.claim.converted else ""
    return f"under {NAMES[result.claim.claim.adjacency]}{converted}"


def reading(result: ResultParts) -> str:
    """Under which adjacency the claim is tested, and what the other reading of it would say."""
    if result.sample is None or allows_everything(result.claim.claim):
        return ""
    claim, given = result.claim, result.spec.claim
    if type(given) not in BARE:
        return _mechanism(result)
    here, there = NAMES.values() if given.adjacency == "replace_one" else reversed(NAMES.values())
    if claim.other_reading is None:
        return (
            f"The claim is tested as it stands, under {here}; read as {there}, the answer is the "
            "same."
        )
    said = f"The claim is read as {here}"
    if claim.converted:
        said += f", which allows {numbers(claim.claim)} where a record is replaced"
    other = f"Read as {there}, it allows {numbers(claim.other_reading)} here"
    return f"{said}. {other}, which {_outcome(result.sample)}."


def readings_differ(result: ResultParts) -> bool:
    """Whether the losses contradict one reading of the claim and not the other."""
    if result.sample is None or result.claim.other_reading is None:
        return False
    audit = result.sample.audit
    if audit.test is None or audit.other_contradicted is None:
        return False
    return (audit.test.outcome == "contradicted") != audit.other_contradicted


def _mechanism(result: ResultParts) -> str:
    if result.claim.converted:
        return (
            "The claim is for add/remove, converted to replace-one: a record is compared with one "
            "that replaces it."
        )
    return f"The claim is tested as it stands, under {NAMES[result.spec.claim.adjacency]}."


def _outcome(sample: SamplePart) -> str:
    test, contradicted = sample.audit.test, sample.audit.other_contradicted
    if test is None or contradicted is None:
        return "is not tested yet"
    is_same = (test.outcome == "contradicted") == contradicted
    these = "these losses" if sample.histogram.kind == "loss" else "these scores"
    if contradicted:
        return f"{these} contradict" + " too" * is_same
    return f"{these} do not contradict" + " either" * is_same


def numbers(claim: TradeoffFunction) -> str:
    """Return the numbers of a claim that is nothing else: "ε = 2, δ = 1e-05"."""
    if isinstance(claim, ApproximateDP):
        epsilon, delta = claim.claimed_epsilon, claim.claimed_delta
        return f"ε = {short(upper(epsilon), digits=6)}, δ = {short(upper(delta))}"
    (mu,) = claim.parameters.values()
    return f"μ = {short(upper(mu))}"
