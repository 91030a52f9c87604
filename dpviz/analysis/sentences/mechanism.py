"""Sentences about a mechanism: a test and its rates, the privacy loss beside delta."""

from typing import TYPE_CHECKING

import numpy as np

from dpviz.analysis.number_format import percent, short
from dpviz.analysis.parts.parts import ClaimPart
from dpviz.analysis.sentences.templates import WORDS
from dpviz.theory.outputs.bars import Bars
from dpviz.theory.outputs.laws import Decision, OutputLaws

if TYPE_CHECKING:  # the part is computed only when its view is shown
    from dpviz.analysis.parts.mechanism import DecisionPart, LossPart, MechanismPart

CONVERTED = "Claimed for add/remove adjacency, converted to replace-one. "


def outputs_said(part: "MechanismPart", claim: ClaimPart) -> str:
    """The test in words, its rates, and how it compares with the best of that FPR."""
    at, laws = part.decision, part.laws.laws
    prefix = CONVERTED if claim.converted else ""
    if at.decision is None or laws is None:
        unknown = WORDS["no_outputs"]
        return (
            f"{prefix}{unknown} At FPR = {percent(at.fpr)} a best attack misses FNR = "
            f"{percent(at.fnr)} of the members."
        )
    return (
        f"{prefix}{_test(laws, at.decision)} the attack flags FPR = {percent(at.fpr)} of the "
        f"non-members and misses FNR = {percent(at.fnr)} of the members; {_compared(at)}."
    )


def loss_said(part: "LossPart") -> str:
    """P(L >= epsilon) beside the exact delta at that epsilon, which is not the same."""
    at_least = f"at least ε = {short(part.epsilon)}"
    tail, delta = short(part.member_tail), short(part.delta)
    text = (
        f"The privacy loss of a member's output is {at_least} with probability {tail} (of a "
        f"non-member's: {short(part.nonmember_tail)}); δ at that ε is {delta}"
    )
    if part.delta < part.member_tail and tail != delta:
        return (
            f"{text}, which is smaller: δ = E[(1 - e^(ε - L))+] counts a loss only by how far it "
            "exceeds ε. So “a loss of ε or more has probability at most δ” is enough for "
            "(ε, δ)-DP, not needed."
        )
    return f"{text}: here the two agree."


def point_said(at: "DecisionPart") -> str:
    """Where the point lies beside the curve."""
    above = decision_place(at)
    where = f"{above} above" if above else "on"
    return f"This test is the point {point_label(at)}, {where} the curve."


def point_label(at: "DecisionPart") -> str:
    """Both rates of the test."""
    return f"FPR {percent(at.fpr)}, FNR {percent(at.fnr)}"


def _test(laws: OutputLaws, decision: Decision) -> str:
    if not isinstance(laws, Bars):
        if decision.threshold is None:
            raise RuntimeError("a threshold is best wherever the output has a density")
        return f"With the threshold at t = {short(decision.threshold)}"
    always, by_coin = flagged(laws, decision)
    said = [f"when the {laws.name} is {' or '.join(always)}"] if always else []
    said += [f"in {percent(share)} of the cases when it is {label}" for label, share in by_coin]
    if not said:
        return "Flagging nobody,"
    text = f"Saying “member” {', and '.join(said)},"
    return text if always else text.replace(" it is ", f" the {laws.name} is ", 1)


def flagged(laws: Bars, decision: Decision) -> tuple[list[str], list[tuple[str, float]]]:
    """Return the outputs that are always flagged, and those that are with a probability."""
    always: list[str] = []
    by_coin: list[tuple[str, float]] = []
    for low, high in np.clip(decision.intervals, *laws.span) - laws.first:
        begin, end = int(np.ceil(low)), int(high)
        if begin > low:
            by_coin.append((laws.labels[begin - 1], float(begin - low)))
        if begin < end:
            always.append(_run(laws.labels[begin:end], reaches_last=end == len(laws.labels)))
    return always, by_coin


def _run(labels: tuple[str, ...], *, reaches_last: bool) -> str:
    if len(labels) <= 2:
        return " or ".join(labels)
    is_number = labels[0].lstrip("-").isdigit()
    return f"{labels[0]} or more" if reaches_last and is_number else f"{labels[0]} to {labels[-1]}"


def _compared(at: "DecisionPart") -> str:
    above = decision_place(at)
    if not above:
        return "no test with that FPR misses fewer"
    return (
        f"the best test with that FPR misses {percent(at.best_fnr)}: this point lies {above} above "
        "the curve"
    )


def decision_place(at: "DecisionPart") -> str:
    """Return how far above the curve the test lies; "" on the curve."""
    return f"{short(100 * at.gap)} percentage points" if at.gap > 1e-9 else ""
