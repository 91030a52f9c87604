"""The abstract class of attack scores: of records one by one, or of counts in cells."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.audit.scores.ordered_sample import OrderedSample
from dpviz.audit.scores.provenance import Provenance
from dpviz.checks import FloatArray
from dpviz.theory.tradeoff import Floats

ScoreKind = Literal["loss", "score"]
SCORE_KINDS = ("loss", "score")
LARGEST = 1e300  # beyond it, differences between two scores would overflow
TO_DRAW = 10**9  # records from which on NumPy does not draw some of them
MADE_BY = (
    "attack scores, as made by AttackScores, AttackScores.from_losses, BinnedScores.of or "
    "read_scores"
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Scores(ABC):
    """The scores of members and of non-members; **higher = more member**."""

    kind: ScoreKind = "score"  # the original scale; nothing computes with it
    provenance: Provenance | None = None
    is_binned: ClassVar[bool]  # whether records were counted in cells

    @property
    @abstractmethod
    def members(self) -> OrderedSample:
        """The members' scores in ascending order."""

    @property
    @abstractmethod
    def nonmembers(self) -> OrderedSample:
        """The non-members' scores in ascending order."""

    @property
    def n_members(self) -> int:
        """Number of member records."""
        return self.members.size

    @property
    def n_nonmembers(self) -> int:
        """Number of non-member records."""
        return self.nonmembers.size

    @property
    def groups(self) -> tuple[str, ...]:
        """The distinct labels of records, in natural order; empty where there are none."""
        return ()

    @property
    def hides(self) -> NDArray[np.bool_]:
        """Whether each of the distinct scores may stand for higher ones, rounded down to it."""
        return np.zeros(self.distinct().size, np.bool_)

    @property
    def is_rounded(self) -> bool:
        """Whether some scores were rounded down to the thresholds at which they were counted."""
        return self.is_binned and bool(self.hides.any())

    @abstractmethod
    def at_least(self, threshold: float) -> tuple[int, int]:
        """Numbers of members and of non-members with ``score >= threshold``."""

    @abstractmethod
    def pooled(self) -> OrderedSample:
        """The scores of members and of non-members in ascending order."""

    @abstractmethod
    def distinct(self) -> FloatArray:
        """The distinct scores of members and non-members, ascending."""

    @abstractmethod
    def means(self) -> tuple[OrderedSample, OrderedSample]:
        """Members and non-members as distributions are fitted to them."""

    @abstractmethod
    def reversed(self) -> Self:
        """The attack that says "member" at the other end; thresholds stay on their scale."""

    def swapped(self) -> Self:
        """The same scores with members and non-members exchanged."""
        given = {each.name: getattr(self, each.name) for each in fields(self) if each.init}
        members = [name for name in given if name.startswith("member")]
        pairs = [(name, f"non{name}") for name in members]
        return replace(self, **{a: given[b] for pair in pairs for a, b in (pair, pair[::-1])})

    @abstractmethod
    def thinned(self, most: int) -> Self:
        """Every k-th record, so that each class has at most `most`; itself if it has already."""

    @abstractmethod
    def label_permuter(self, rng: np.random.Generator) -> Callable[[], Self]:
        """A function that permutes the labels of members at random, anew on each call."""

    @abstractmethod
    def bootstrap_sample(self, rng: np.random.Generator) -> Self:
        """Members and non-members resampled with replacement, each at its size."""

    @abstractmethod
    def halves(self, rng: np.random.Generator) -> tuple[Self, Self]:
        """Random halves of members and of non-members; of odd numbers the second has one more.

        Members and non-members need two records each at least.
        """


def require_scores(name: str, scores: object) -> None:
    """Raise TypeError where an argument should be scores and is something else."""
    checks.instance(name, scores, Scores, MADE_BY)


def reject_too_many(scores: Scores, purpose: str) -> None:
    """Raise ValueError where there are more records than NumPy draws from."""
    total = scores.n_members + scores.n_nonmembers
    if total >= TO_DRAW:
        raise ValueError(f"scores must be fewer than {TO_DRAW} for {purpose}, got {total}")


def in_unit(scores: Floats, kind: ScoreKind) -> Floats:
    """Scores on their original scale, or the way back: the sign of a loss changes."""
    return -scores if kind == "loss" else scores
