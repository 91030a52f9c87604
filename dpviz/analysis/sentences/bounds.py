"""Sentences about lower bounds on epsilon: names of methods, one sentence, cautions, a table."""

import math
import re

from dpviz.analysis.number_format import lower, percent, short, short_above, upper
from dpviz.analysis.parts.bounds import BoundsPart, condition
from dpviz.analysis.parts.parts import ClaimPart
from dpviz.analysis.sentences.checklist import limiting
from dpviz.analysis.spec import Spec
from dpviz.audit import EpsilonBound
from dpviz.audit.bounds import BOUNDS, DEFAULT
from dpviz.audit.bounds.coverage import LEVEL, cells_of, worst_cell
from dpviz.audit.bounds.exact_rank import SIMULATED

WHOSE = {
    "instance": "this trained model's two score distributions",
    "mechanism": "the training method",
}
EACH_ALONE = (
    "Choose the method before looking. Each holds at its confidence by itself: the largest of "
    "several is not a valid bound."
)
UNFIT = re.compile(r"scores must have (.*) for method '\w+', got (.*)")
MEASURED = f"measured at {percent(LEVEL)} ({percent(1 - LEVEL)} allowed)"
WHOSE_EPSILON = {"instance": "this trained model's", "mechanism": "the training method's"}
HEAD = ("method", "ε at least", "further assumption", "whose ε", MEASURED)


def label(method: str) -> str:
    """Display name of a method; the default is marked."""
    name = BOUNDS[method].label
    return f"{name} (default)" if method == DEFAULT else name


def at_least(bound: EpsilonBound, claimed: float = math.inf) -> str:
    """Return the bound, rounded down so that it holds as printed, but not to what is claimed."""
    return short_above(bound.low, claimed)


def summary(part: BoundsPart, claim: ClaimPart) -> str:
    """What the chosen method shows, what it assumes, and how the claim compares."""
    bound, method = part.chosen, part.question.method
    if bound is None:
        reason = dict(part.refusals).get(method)
        return f"No bound by {BOUNDS[method].label}: {reason}." if reason else ""
    return f"{bound_said(bound)} {_comparison(bound, claim)}"


def bound_said(bound: EpsilonBound) -> str:
    """What a rank test shows, and what it assumes."""
    nothing = "" if bound.low > 0 else ": these records show no ε above 0"
    shown = (
        f"Lower bound: ε ≥ {at_least(bound)} at δ = {short(bound.delta)} "
        f"({percent(bound.confidence_level)} confidence, {BOUNDS[bound.method].label} over all "
        f"thresholds){nothing}. A lower bound cannot show that ε is small. It is about the ε of "
        f"{WHOSE[bound.applies_to]}, from {bound.n_members} members and {bound.n_nonmembers} "
        "non-members."
    )
    said = [shown, _direction(bound), f"Assumes: {bound.sampling}."]
    said += [_assumption(bound), _seeds(bound)]
    return " ".join(filter(None, said))


def cautions(part: BoundsPart, spec: Spec) -> str:
    """Data warnings, and what is stated about the threshold; empty where nothing was found."""
    bound = part.chosen
    said = [warned(bound.warnings)] if bound else []
    if part.question.threshold is not None:
        said += [choice.effect for choice in limiting(spec, "fixed threshold").values()]
    return " ".join(filter(None, said))


def warned(warnings: tuple[str, ...]) -> str:
    """Data warnings; that the default simulates is said with the bound, and is no reason for care.

    Nobody can choose its seed, so nobody can choose the largest of several bounds.
    """
    told = [each for each in warnings if each != SIMULATED]
    return f"Caution: {'; '.join(told)}." if told else ""


def table(part: BoundsPart) -> list[tuple[str, ...]]:
    """One row for each method, under `HEAD`, in the order of the question."""
    rows = {
        method: (label(method), "no bound", _does_not_apply(reason), "", measured(method))
        for method, reason in part.refusals
    }
    rows |= {
        bound.method: (
            label(bound.method),
            at_least(bound),
            condition(bound.method) or "none",
            WHOSE_EPSILON[bound.applies_to],
            measured(bound.method),
        )
        for bound in part.bounds
    }
    return [rows[method] for method in part.question.methods if method in rows]


def _does_not_apply(reason: str) -> str:
    """Why a method rejects the scores, without the name of an argument."""
    return "Does not apply: " + UNFIT.sub(r"needs \1 (\2)", reason)


def measured(method: str) -> str:
    """Return how often a method was false in its worst cell of the measured table.

    With limits of this rate: by chance alone the worst of many cells is above what is allowed.
    """
    try:
        cell, cells = worst_cell(method), len(cells_of(method))
    except KeyError:
        return "not measured"
    low, high = cell.interval
    limits = f"{percent(lower(low))} to {percent(upper(high))}"
    share = f"false in {percent(cell.false_rate)} ({limits}) of {cell.runs} runs"
    if not cell.false:
        return f"{share}, worst of {cells} cells"
    return f"{share}, worst of {cells} cells: {cell.law}, n = {cell.n}, δ = {short(cell.delta)}"


def _direction(bound: EpsilonBound) -> str:
    if bound.direction == "attack":
        return ""
    return "It was found where the attack says “non-member”: the scores point the other way."


def _assumption(bound: EpsilonBound) -> str:
    return f"It holds only under a further assumption: {bound.assumption}." * bool(bound.assumption)


def _seeds(bound: EpsilonBound) -> str:
    """What a seed matters; the default has none to choose."""
    if bound.seed is None:
        return ""
    spread = short(bound.seed_spread or 0.0)
    if bound.method == DEFAULT:
        varies = f" (standard deviation {spread})" if bound.seed_spread else ""
        return f"Its p-values are simulated, always with seed {bound.seed}{varies}."
    if not bound.seed_spread:
        return ""
    return (
        f"Depends slightly on the random seed, here {bound.seed} (s.d. {spread}); report the first "
        "seed: the largest of several is no bound."
    )


def _comparison(bound: EpsilonBound, claim: ClaimPart) -> str:
    converted = ", converted to replace-one adjacency," if claim.converted else ""
    claimed = f"The claim ε = {short(claim.epsilon, digits=6)}{converted}"
    margin = bound.low - claim.epsilon
    if margin <= 0:
        return f"{claimed} is not contradicted; that does not confirm it."
    below = f"{claimed} is below it by at least {short(lower(margin))}:"
    if bound.applies_to == "instance":
        return (
            f"{below} these records contradict it as a claim about these two distributions, at "
            "this confidence."
        )
    return f"{below} these records contradict it at this confidence."
