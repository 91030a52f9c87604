"""Sentences about lower bounds on epsilon: names of methods, one sentence, cautions, a table."""

from dpviz.analysis.number_format import lower, percent, short
from dpviz.analysis.parts.bounds import DEFAULT, BoundsPart, condition
from dpviz.analysis.parts.parts import ClaimPart
from dpviz.audit import EpsilonBound
from dpviz.audit.bounds import BOUNDS
from dpviz.audit.bounds.coverage import LEVEL, worst_cell

WHOSE = {"instance": "this model instance's two score distributions", "mechanism": "the mechanism"}
EACH_ALONE = (
    "Each holds at its confidence for a method chosen in advance: the largest of several is no "
    "valid bound."
)
HEAD = ("method", "ε at least", "further assumption", "whose ε", f"measured at {percent(LEVEL)}")


def label(method: str) -> str:
    """Display name of a method; the default is marked."""
    name = BOUNDS[method].label
    return f"{name} (default)" if method == DEFAULT else name


def at_least(bound: EpsilonBound) -> str:
    """Return the bound, rounded down so that it holds as printed."""
    return short(lower(bound.low))


def summary(part: BoundsPart, claim: ClaimPart) -> str:
    """What the default method shows, what it assumes, and how the claim compares."""
    bound = part.default
    if bound is None:
        reason = dict(part.refusals).get(DEFAULT)
        return f"No bound by {BOUNDS[DEFAULT].label}: {reason}." if reason else ""
    return f"{bound_said(bound)} {_comparison(bound, claim)}"


def bound_said(bound: EpsilonBound) -> str:
    """What the default method shows, and what it assumes."""
    counted = f"With {bound.n_members} members and {bound.n_nonmembers} non-members"
    at_delta = f"at δ = {short(bound.delta)}"
    level = f"({percent(bound.confidence_level)} confidence, method: {BOUNDS[DEFAULT].label})"
    if bound.low > 0:
        shown = (
            f"{counted} this audit shows that the ε of {WHOSE[bound.applies_to]} is at least "
            f"{at_least(bound)} {at_delta} {level}; it cannot show that ε is small."
        )
    else:
        shown = (
            f"{counted} these records show no ε above 0 {at_delta} of {WHOSE[bound.applies_to]} "
            f"{level}; they cannot show that ε is small."
        )
    said = [shown, _direction(bound), f"Sampling assumed: {bound.sampling}."]
    said += [_assumption(bound), _seeds(bound)]
    return " ".join(filter(None, said))


def cautions(part: BoundsPart) -> str:
    """Data warnings about the scores; empty where nothing was found."""
    bound = part.default
    return f"Caution: {'; '.join(bound.warnings)}." if bound and bound.warnings else ""


def table(part: BoundsPart) -> list[tuple[str, ...]]:
    """One row for each method, under `HEAD`, in the order of the question."""
    rows = {
        method: (label(method), "no bound", reason, "", measured(method))
        for method, reason in part.refusals
    }
    rows |= {
        bound.method: (
            label(bound.method),
            at_least(bound),
            condition(bound.method) or "none",
            bound.applies_to,
            measured(bound.method),
        )
        for bound in part.bounds
    }
    return [rows[method] for method in part.question.methods if method in rows]


def measured(method: str) -> str:
    """Return how often a method was false in its worst cell of the measured table."""
    try:
        cell = worst_cell(method)
    except KeyError:
        return "not measured"
    share = f"false in {percent(cell.false_rate)} of {cell.runs} runs at worst"
    if not cell.false:
        return share
    return f"{share} ({cell.law}, n = {cell.n}, δ = {short(cell.delta)})"


def _direction(bound: EpsilonBound) -> str:
    if bound.direction == "attack":
        return ""
    return "It was found where the attack says “non-member”: the scores point the other way."


def _assumption(bound: EpsilonBound) -> str:
    return f"It holds only under a further assumption: {bound.assumption}." * bool(bound.assumption)


def _seeds(bound: EpsilonBound) -> str:
    if not bound.seed_spread:
        return ""
    return (
        f"Over seeds this number varies with standard deviation {short(bound.seed_spread)}; the "
        "largest of several seeds is no bound."
    )


def _comparison(bound: EpsilonBound, claim: ClaimPart) -> str:
    converted = ", converted to replace-one adjacency," if claim.converted else ""
    claimed = f"The claim ε = {short(claim.epsilon, digits=6)}{converted}"
    margin = bound.low - claim.epsilon
    if margin <= 0:
        return f"{claimed} is not contradicted, which is not the same as shown."
    below = f"{claimed} is below it by at least {short(lower(margin))}:"
    if bound.applies_to == "instance":
        return (
            f"{below} read as a claim about these two distributions, the records contradict it at "
            "this confidence."
        )
    return f"{below} the records contradict the claim at this confidence."
