"""Attack scores: checked once, oriented once."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.tradeoff import Floats

ScoreKind = Literal["loss", "score"]
SCORE_KINDS = ("loss", "score")
LARGEST = 1e300
"""Beyond it, differences between two scores would overflow."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AttackScores:
    """The scores an attack gave to records whose membership is known; **higher = more member**.

    An attacker says "member" when ``score >= threshold``. Losses are the other way round (a low
    loss is member-like): build them with :meth:`from_losses`, which negates them once.

    Parameters
    ----------
    member, nonmember : array, one-dimensional
        Scores in [-1e300, 1e300] of the records that were, respectively were not, in the
        training set.
    kind : {"score", "loss"}
        The unit the numbers came in. Pictures and sentences speak in it; nothing computes with it.

    Raises
    ------
    ValueError
        If a class is empty, not one-dimensional, or holds anything but numbers in that range.
    """

    member: FloatArray
    nonmember: FloatArray
    kind: ScoreKind = "score"

    def __post_init__(self) -> None:
        checks.choice("kind", self.kind, SCORE_KINDS)
        unit = "losses" if self.kind == "loss" else "scores"
        for name in ("member", "nonmember"):
            values = checks.finite_vector(f"{name} {unit}", getattr(self, name))
            checks.reals(f"{name} {unit}", values, -LARGEST, LARGEST)
            object.__setattr__(self, name, checks.read_only(values))

    @classmethod
    def from_losses(cls, *, member: ArrayLike, nonmember: ArrayLike) -> "AttackScores":
        """Scores from losses: low loss = member-like, so ``score = -loss``."""
        return cls(
            member=-checks.finite_vector("member losses", member),
            nonmember=-checks.finite_vector("nonmember losses", nonmember),
            kind="loss",
        )

    @classmethod
    def of_sorted(
        cls, member: FloatArray, nonmember: FloatArray, *, kind: ScoreKind
    ) -> "AttackScores":
        """From scores that are legal and ascending already: neither checked nor sorted again."""
        scores = cls.__new__(cls)
        scores.__dict__.update(
            member=member,
            nonmember=nonmember,
            kind=kind,
            sorted_member=checks.read_only(member),
            sorted_nonmember=checks.read_only(nonmember),
        )
        return scores

    @property
    def n_members(self) -> int:
        """Number of member records."""
        return self.member.size

    @property
    def n_nonmembers(self) -> int:
        """Number of non-member records."""
        return self.nonmember.size

    @property
    def is_sorted(self) -> bool:
        """Whether both classes have been sorted."""
        return {"sorted_member", "sorted_nonmember"} <= self.__dict__.keys()

    @cached_property
    def sorted_member(self) -> FloatArray:
        """Member scores in ascending order."""
        return checks.read_only(np.sort(self.member))

    @cached_property
    def sorted_nonmember(self) -> FloatArray:
        """Non-member scores in ascending order."""
        return checks.read_only(np.sort(self.nonmember))

    def __repr__(self) -> str:
        return (
            f"AttackScores(n_members={self.n_members}, n_nonmembers={self.n_nonmembers}, "
            f"kind={self.kind!r})"
        )


def in_unit(scores: Floats, kind: ScoreKind) -> Floats:
    """Scores in the unit the numbers came in, or the way back: the sign of a loss is turned."""
    return -scores if kind == "loss" else scores
