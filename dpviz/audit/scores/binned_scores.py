"""Attack scores as counts on a grid: any number of records in constant memory."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.audit import float_grid
from dpviz.audit.ascending import Counted, Counts
from dpviz.audit.provenance import Provenance
from dpviz.audit.scores import LARGEST, SCORE_KINDS, AttackScores, ScoreKind
from dpviz.checks import FloatArray


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BinnedScores:
    """Numbers of members and of non-members in cells of a grid; **higher = more member**.

    ``score >= threshold`` is answered exactly at the lower edges of cells, so every rate there is
    that of the scores that were counted; a threshold between two edges stands for the higher one.
    What is computed is what it would be for the scores rounded down to the grid; fits use the
    cells' means. What the rounding can hide of Epsilon* is
    `dpviz.audit.rounding_gap`.

    Parameters
    ----------
    thresholds : array, shape (k,)
        Lower edges of the cells that hold records, ascending, in [-1e300, 1e300].
    member_counts, nonmember_counts : array of int, shape (k,)
        Records from each threshold on and below the next edge.
    kind : {"score", "loss"}
        The unit the numbers came in; thresholds are scores, losses with the other sign.
    member_means, nonmember_means : array, shape (k,), optional
        Mean score of each class's records in a cell, the threshold where it has none. Left out:
        the thresholds.
    provenance : Provenance, optional
        Where they were read; nothing computes with it.

    Raises
    ------
    ValueError
        If a class is empty, a cell holds no records, or an array is not what it has to be.
    """

    thresholds: FloatArray
    member_counts: Counts
    nonmember_counts: Counts
    kind: ScoreKind = "score"
    member_means: FloatArray | None = None
    nonmember_means: FloatArray | None = None
    provenance: Provenance | None = None

    def __post_init__(self) -> None:
        checks.choice("kind", self.kind, SCORE_KINDS)
        thresholds = checks.finite_vector("thresholds", self.thresholds)
        checks.reals("thresholds", thresholds, -LARGEST, LARGEST)
        falls = np.flatnonzero(np.diff(thresholds) <= 0)
        if falls.size:
            raise checks.fail("thresholds", "ascending", thresholds[falls[0] : falls[0] + 2])
        object.__setattr__(self, "thresholds", checks.read_only(thresholds))
        for name in ("member", "nonmember"):
            counts = _checked_counts(f"{name}_counts", getattr(self, f"{name}_counts"), thresholds)
            object.__setattr__(self, f"{name}_counts", counts)
            means = getattr(self, f"{name}_means")
            if means is not None:
                means = _checked_means(f"{name}_means", means, counts)
                object.__setattr__(self, f"{name}_means", means)
        is_empty = self.member_counts + self.nonmember_counts == 0
        if is_empty.any():
            empty = thresholds[is_empty][0]
            raise checks.fail("thresholds", "those of cells that hold records", empty)

    @classmethod
    def of(cls, scores: AttackScores, *, bits: int = float_grid.BITS) -> "BinnedScores":
        """Count scores on the grid; labels of groups and the order of the records are lost.

        Parameters
        ----------
        scores : AttackScores
            Within +-3.4e38, the range of float32.
        bits : int
            Leading bits of a float32 that tell a cell, from 10 to 32.

        Raises
        ------
        ValueError
            If an argument leaves its range.
        """
        bits = checks.whole("bits", bits, 10, 32)
        largest = float_grid.LARGEST
        classes = [
            checks.reals(f"{name} scores on a float32 grid", values, -largest, largest)
            for name, values in (("member", scores.member), ("nonmember", scores.nonmember))
        ]
        cells = [float_grid.cells(values, bits=bits) for values in classes]
        filled = np.unique(np.concatenate(cells))
        thresholds = float_grid.edges(filled, bits=bits)
        counts, means = [], []
        for values, cell in zip(classes, cells, strict=True):
            place = np.searchsorted(filled, cell)
            counts.append(np.bincount(place, minlength=filled.size))
            beyond = np.bincount(place, values - thresholds[place], minlength=filled.size)
            means.append(thresholds + beyond / np.maximum(counts[-1], 1))
        return cls(
            thresholds=thresholds,
            member_counts=counts[0],
            nonmember_counts=counts[1],
            kind=scores.kind,
            member_means=means[0],
            nonmember_means=means[1],
            provenance=scores.provenance,
        )

    def merged(self, other: "BinnedScores") -> "BinnedScores":
        """The records of both, which have to be counted in the same cells; without provenance.

        Raises
        ------
        ValueError
            If they are of different kinds.
        """
        if other.kind != self.kind:
            raise checks.fail("other.kind", f"{self.kind!r}, as here", other.kind)
        thresholds = np.union1d(self.thresholds, other.thresholds)
        places = [np.searchsorted(thresholds, each.thresholds) for each in (self, other)]
        counts, means = [], []
        for name in ("member", "nonmember"):
            parts = np.zeros((2, thresholds.size), np.int64)
            sums = np.zeros((2, thresholds.size))
            for i, each in enumerate((self, other)):
                parts[i, places[i]] = getattr(each, f"{name}_counts")
                of_each = getattr(each, f"{name}_means")
                if of_each is not None:
                    sums[i, places[i]] = (of_each - each.thresholds) * parts[i, places[i]]
            counts.append(parts.sum(axis=0))
            means.append(thresholds + sums.sum(axis=0) / np.maximum(counts[-1], 1))
        return BinnedScores(
            thresholds=thresholds,
            member_counts=counts[0],
            nonmember_counts=counts[1],
            kind=self.kind,
            member_means=means[0],
            nonmember_means=means[1],
        )

    def with_counts(self, member: Counts, nonmember: Counts) -> "BinnedScores":
        """Other numbers of records in these cells; cells without any are left out."""
        some = (member > 0) | (nonmember > 0)
        means = [None if x is None else x[some] for x in (self.member_means, self.nonmember_means)]
        return BinnedScores(
            thresholds=self.thresholds[some],
            member_counts=member[some],
            nonmember_counts=nonmember[some],
            kind=self.kind,
            member_means=means[0],
            nonmember_means=means[1],
        )

    def reversed(self) -> "BinnedScores":
        """The attack that says "member" at the other end; thresholds keep the unit they had."""
        means = [None if x is None else -x[::-1] for x in (self.member_means, self.nonmember_means)]
        return BinnedScores(
            thresholds=-self.thresholds[::-1],
            member_counts=self.member_counts[::-1],
            nonmember_counts=self.nonmember_counts[::-1],
            kind="score" if self.kind == "loss" else "loss",
            member_means=means[0],
            nonmember_means=means[1],
        )

    @cached_property
    def n_members(self) -> int:
        """Number of member records."""
        return int(self.member_counts.sum())

    @cached_property
    def n_nonmembers(self) -> int:
        """Number of non-member records."""
        return int(self.nonmember_counts.sum())

    @property
    def groups(self) -> tuple[str, ...]:
        """None: which record is in which cell was not kept."""
        return ()

    @cached_property
    def members(self) -> Counted:
        """The members' scores, rounded down, in ascending order."""
        return Counted.filled(self.thresholds, self.member_counts)

    @cached_property
    def nonmembers(self) -> Counted:
        """The non-members' scores, rounded down, in ascending order."""
        return Counted.filled(self.thresholds, self.nonmember_counts)

    @cached_property
    def hides(self) -> NDArray[np.bool_]:
        """Whether a cell may hold scores above its edge: not where all are at it, as means say."""
        if self.member_means is None or self.nonmember_means is None:
            return np.ones(self.thresholds.size, np.bool_)
        return np.maximum(self.member_means, self.nonmember_means) > self.thresholds

    def at_least(self, threshold: float) -> tuple[int, int]:
        """Numbers of members and of non-members with a rounded score of at least a threshold."""
        member, nonmember = (x.at_least(threshold) for x in (self.members, self.nonmembers))
        return int(member), int(nonmember)

    def pooled(self) -> Counted:
        """The scores of both classes in ascending order."""
        return Counted(self.thresholds, self.member_counts + self.nonmember_counts)

    def distinct(self) -> FloatArray:
        """The distinct scores of both classes, ascending."""
        return self.thresholds

    def means(self) -> tuple[Counted, Counted]:
        """Members and non-members at the means of their cells: what laws are fitted to."""
        member = self.thresholds if self.member_means is None else self.member_means
        nonmember = self.thresholds if self.nonmember_means is None else self.nonmember_means
        return (
            Counted.filled(member, self.member_counts),
            Counted.filled(nonmember, self.nonmember_counts),
        )

    def __repr__(self) -> str:
        return (
            f"BinnedScores(n_members={self.n_members}, n_nonmembers={self.n_nonmembers}, "
            f"kind={self.kind!r}, thresholds={self.thresholds.size})"
        )

    def __str__(self) -> str:
        from dpviz.audit.understood import understood

        return "\n".join(understood(self))


TO_DRAW = 10**9
"""Records from which on NumPy does not draw some of them."""
Scores = AttackScores | BinnedScores
"""What functions of scores take."""


def one_by_one(scores: Scores, purpose: str) -> AttackScores:
    """The scores, if they are records one by one; else what needs them is refused."""
    if isinstance(scores, AttackScores):
        return scores
    raise ValueError(
        f"scores must be AttackScores for {purpose}, which counts cannot answer, got {scores!r}"
    )


def refuse_too_many(scores: Scores, purpose: str) -> None:
    """Refuse numbers of records that nothing can be drawn from."""
    total = scores.n_members + scores.n_nonmembers
    if total >= TO_DRAW:
        raise ValueError(f"scores must be fewer than {TO_DRAW} for {purpose}, got {total}")


def _checked_counts(name: str, given: ArrayLike, thresholds: FloatArray) -> Counts:
    counts = checks.counts(name, given, 0).astype(np.int64)
    if counts.shape != thresholds.shape:
        raise checks.fail(name, f"of the shape of thresholds, {thresholds.shape}", counts.shape)
    if not counts.any():
        raise checks.fail(name, "not all 0", 0)
    return checks.read_only(counts)


def _checked_means(name: str, given: ArrayLike, counts: Counts) -> FloatArray:
    means = checks.finite_vector(name, given)
    if means.shape != counts.shape:
        raise checks.fail(name, f"of the shape of thresholds, {counts.shape}", means.shape)
    falls = np.flatnonzero(np.diff(means[counts > 0]) < 0)
    if falls.size:
        fall = means[counts > 0][falls[0] : falls[0] + 2]
        raise checks.fail(name, "ascending over the cells that hold records", fall)
    return checks.read_only(means)
