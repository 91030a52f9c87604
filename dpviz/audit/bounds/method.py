"""A method for lower bounds: its rule, its name in texts, and the conditions it needs."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpviz.audit.bounds.result import INDEPENDENT, AnyEvidence, AppliesTo
from dpviz.audit.scores.base import Scores
from dpviz.audit.scores.binned_scores import BinnedScores


@dataclass(frozen=True, kw_only=True)
class Request:
    """The arguments of a rule besides the scores; each rule reads those that it needs.

    `confidence_level` is that of one direction. `threshold` is on the original scale of the scores.
    """

    delta: float
    confidence_level: float
    seed: int = 0
    threshold: float | None = None


@dataclass(frozen=True, kw_only=True)
class MethodResult:
    """The bound that a rule found, with the fields of `EpsilonBound` that only the rule knows.

    `notes` are added to the warnings of the bound.
    """

    low: float
    evidence: tuple[AnyEvidence, ...] = ()
    seed: int | None = None
    seed_spread: float | None = 0.0
    notes: tuple[str, ...] = ()


def separated_cells(n: int, m: int) -> Scores:
    """Scores of a perfect attack, all equal within a class: any threshold learned separates all."""
    return BinnedScores(
        thresholds=np.array([-1.0, 1.0]),
        member_counts=np.array([0, n]),
        nonmember_counts=np.array([m, 0]),
    )


@dataclass(frozen=True, kw_only=True)
class BoundMethod:
    """A way to compute a lower bound on epsilon, and the conditions under which it holds."""

    label: str  # name in tables, menus and sentences
    rule: Callable[[Scores, Request], MethodResult]  # of the attack's direction
    assumption: str = ""  # besides `sampling`; with one, bounds are `ConditionalEpsilonBound`
    sampling: str = INDEPENDENT  # how records must have been drawn
    smallest_level: float = 0.0  # the smallest 1 - confidence_level at which the rule finishes
    fair_coins: bool = False  # whether membership has probability 1/2, which class sizes must fit
    needs_threshold: bool = False  # fixed in advance
    applies_to: AppliesTo | None = None  # whose epsilon, if not decided by how records were chosen
    separated: Callable[[int, int], Scores] = separated_cells  # scores of a perfect attack

    def resolves(self, confidence_level: float) -> bool:
        """Whether the rule finishes at a confidence level (1 - 0.9999 is 1e-4 up to rounding)."""
        return 1 - confidence_level >= self.smallest_level * (1 - 1e-9)
