"""Budgets: diffprivlib's accountant, tmlt's budgets of epsilon, delta and rho."""

from typing import Any

from dpviz import checks
from dpviz.claims.claim import Claim
from dpviz.claims.reader import Reader
from dpviz.theory import ApproximateDP, Composed, PureDP, TradeoffFunction, ZeroConcentratedDP


def _is_spent(source: Any) -> bool:
    return hasattr(source, "spent_budget") and callable(getattr(source, "total", None))


def _is_budget(source: Any) -> bool:
    name = type(source).__name__
    return name.endswith("Budget") and any(hasattr(source, each) for each in ("rho", "epsilon"))


def _read(source: Any) -> Claim:
    if not _is_spent(source):
        return Claim(
            guarantee=_budget(source),
            source=f"the {type(source).__name__}",
            states_adjacency=False,
        )
    spent = list(source.spent_budget)
    if not spent:
        raise ValueError("the accountant must have steps, got an empty spent_budget")
    if any(not isinstance(each, tuple | list) or len(each) != 2 for each in spent):
        raise checks.fail("the accountant's spent_budget", "pairs (epsilon, delta)", spent)
    parts = [ApproximateDP(epsilon=epsilon, delta=delta) for epsilon, delta in spent]
    return Claim(
        guarantee=parts[0] if len(parts) == 1 else Composed(parts),
        source=f"what a {type(source).__name__} has spent, {len(parts)} times",
        states_adjacency=False,
        notes=("the exact composition of what was spent; its slack is not needed",),
    )


def _budget(source: Any) -> TradeoffFunction:
    if hasattr(source, "rho"):
        return ZeroConcentratedDP(rho=_float("rho", source.rho))
    epsilon = _float("epsilon", source.epsilon)
    if hasattr(source, "delta"):
        return ApproximateDP(epsilon=epsilon, delta=_float("delta", source.delta))
    return PureDP(epsilon=epsilon)


def _float(name: str, value: Any) -> float:
    """Exact numbers of tmlt are objects that have a float."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise checks.fail(f"{name} of the budget", "a number", value) from None


BUDGETS = Reader(
    name="a diffprivlib accountant or a tmlt budget",
    accepts=lambda source: _is_spent(source) or _is_budget(source),
    read=_read,
)
