"""Attack scores as counts in cells: any number of records in constant memory.

A cell holds the float32 numbers with the same leading bits. Bits of positive floats increase with
the floats, those of negative ones decrease; some are flipped, so that bits order all floats. The
grid of cells does not depend on data, so counts of several files can be added. A score falls into
the cell of the largest float32 that is not above it, and cells begin at float32 numbers: so ``score
>= edge`` is the same before and after rounding. Infinite scores have two cells of their own.
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.audit.scores import base
from dpviz.audit.scores.attack_scores import AttackScores, checked_numbers
from dpviz.audit.scores.base import Counts, OrderedSample, ScoreKind, Scores
from dpviz.checks import FloatArray

BITS = 20  # leading bits that define a cell: sign, exponent, and 11 binary digits
LARGEST_ON_GRID = float(np.finfo(np.float32).max)  # about 3.4e38
SIGN = np.uint32(1 << 31)  # the bit of a float32 that says it is negative
INFINITE = np.uint32(0x007F_FFFF), np.uint32(0xFF80_0000)  # -inf, inf as `monotone_integers`


@dataclass(frozen=True, eq=False, repr=False)
class BinnedScores(Scores):
    """Numbers of members and non-members in cells of a grid of scores.

    **High scores suggest members.**

    Rates are exact at the lower edges of cells; a threshold between two edges stands for the higher
    one. Results are those of the scores rounded down to the grid; fits use the cells' means.
    `rounding_gap` in `dpviz.audit.epsilon_star` bounds how much of Epsilon* the rounding can hide.

    Parameters
    ----------
    thresholds : array, shape (k,), lower edges of the cells with records, ascending
        Each in [-1e300, 1e300], or infinite.
    member_counts, nonmember_counts : array of int, shape (k,), records up to the next edge
    kind : {"score", "loss"}, the original scale; thresholds are scores, losses with another sign
    member_means, nonmember_means : array, shape (k,), optional, mean score in each cell
        By default, and where the class has no record, the cell's threshold.
    provenance : Provenance, optional, where scores were read; nothing computes with it
    n_copies : int, records that were left out as copies of others
    sampling, remarks : as of :class:`AttackScores`

    Raises
    ------
    ValueError, if a class is empty, a cell holds no records, or an array is invalid

    Examples
    --------
    >>> from dpviz import AttackScores, BinnedScores
    >>> BinnedScores.of(AttackScores(member=[2, 3, 3], nonmember=[1, 2]))
    BinnedScores(n_members=3, n_nonmembers=2, kind='score', thresholds=3)
    """

    thresholds: FloatArray
    member_counts: Counts
    nonmember_counts: Counts
    _: KW_ONLY
    member_means: FloatArray | None = None
    nonmember_means: FloatArray | None = None
    is_binned: ClassVar[bool] = True

    def __post_init__(self) -> None:
        checks.choice("kind", self.kind, base.SCORE_KINDS)
        thresholds = checked_numbers("thresholds", self.thresholds)
        falls = np.flatnonzero(np.diff(thresholds) <= 0)
        if falls.size:
            raise checks.fail("thresholds", "ascending", thresholds[falls[0] : falls[0] + 2])
        object.__setattr__(self, "thresholds", checks.read_only(thresholds))
        for name in ("member", "nonmember"):
            counts = _checked_counts(f"{name}_counts", getattr(self, f"{name}_counts"), thresholds)
            object.__setattr__(self, f"{name}_counts", counts)
            if (means := getattr(self, f"{name}_means")) is not None:
                checked = _checked_means(f"{name}_means", means, counts)
                object.__setattr__(self, f"{name}_means", checked)
        # At the edge of a cell without records no count changes: it is no threshold.
        empty = thresholds[self.member_counts + self.nonmember_counts == 0]
        if empty.size:
            raise checks.fail("thresholds", "lower edges of non-empty cells", empty[0])

    @classmethod
    def of(cls, scores: AttackScores, *, bits: int = BITS) -> "BinnedScores":
        """Count the scores in cells of a float32 grid.

        Scores with the same first `bits` (10 to 32) as float32 numbers share a cell. Scores are
        infinite, or within +-3.4e38, the range of float32. Labels and the order of records are
        lost.
        """
        checks.must_be_a("scores", scores, AttackScores, "AttackScores")
        bits = checks.whole("bits", bits, 10, 32)
        on_grid, classes = "scores on a float32 grid", (scores.member, scores.nonmember)
        for name, values in zip(("member", "nonmember"), classes, strict=True):
            finite = values[np.isfinite(values)]
            checks.reals(f"{name} {on_grid}", finite, -LARGEST_ON_GRID, LARGEST_ON_GRID)
        cells_of = [cell_numbers(values, bits=bits) for values in classes]
        filled = np.unique(np.concatenate(cells_of))
        thresholds = lower_edges(filled, bits=bits)
        fields: dict[str, Any] = {"kind": scores.kind, "provenance": scores.provenance}
        for name, values, cell in zip(("member", "nonmember"), classes, cells_of, strict=True):
            place = np.searchsorted(filled, cell)
            counts = np.asarray(np.bincount(place, minlength=filled.size), np.int64)
            # Distances from the edge are summed, as sums of scores would lose digits.
            above = _distance_above_edge(values, thresholds[place])
            beyond = np.bincount(place, above, minlength=filled.size)
            fields[f"{name}_counts"] = counts
            fields[f"{name}_means"] = thresholds + beyond / np.maximum(counts, 1)
        return cls(thresholds, **fields)

    def merged(self, other: "BinnedScores") -> "BinnedScores":
        """Return two sets of binned scores combined on one grid.

        Raises ValueError if `kind` differs.
        """
        checks.must_be_a("other", other, BinnedScores, "BinnedScores")
        if other.kind != self.kind:
            raise checks.fail("other.kind", f"{self.kind!r}, the same as self.kind", other.kind)
        thresholds = np.union1d(self.thresholds, other.thresholds)
        places = [np.searchsorted(thresholds, each.thresholds) for each in (self, other)]
        fields: dict[str, Any] = {"kind": self.kind}
        for name in ("member", "nonmember"):
            parts = np.zeros((2, thresholds.size), np.int64)
            sums = np.zeros((2, thresholds.size))
            # Sums of distances from the edge give the means of both together.
            for i, each in enumerate((self, other)):
                parts[i, places[i]] = getattr(each, f"{name}_counts")
                of_each = getattr(each, f"{name}_means")
                if of_each is not None:
                    above = _distance_above_edge(of_each, each.thresholds)
                    sums[i, places[i]] = above * parts[i, places[i]]
            fields[f"{name}_counts"] = counts = parts.sum(axis=0)
            fields[f"{name}_means"] = thresholds + sums.sum(axis=0) / np.maximum(counts, 1)
        return BinnedScores(thresholds, **fields)

    def with_counts(self, member: Counts, nonmember: Counts) -> "BinnedScores":
        """Return the same cells with other numbers of records.

        Cells without records are left out.
        """
        some = (member > 0) | (nonmember > 0)
        means = self._changed_means(lambda x: x[some])
        counts = member[some], nonmember[some]
        return BinnedScores(self.thresholds[some], *counts, kind=self.kind, **means)

    def _changed_means(self, change: Callable[[FloatArray], FloatArray]) -> dict[str, Any]:
        means = {name: getattr(self, name) for name in ("member_means", "nonmember_means")}
        return {name: None if x is None else change(x) for name, x in means.items()}

    def reversed(self) -> "BinnedScores":
        counts = self.member_counts[::-1], self.nonmember_counts[::-1]
        means = self._changed_means(lambda x: -x[::-1])
        kind: ScoreKind = "score" if self.kind == "loss" else "loss"
        return BinnedScores(-self.thresholds[::-1], *counts, kind=kind, **means)

    @cached_property
    def members(self) -> OrderedSample:
        return OrderedSample.without_zero_counts(self.thresholds, self.member_counts)

    @cached_property
    def nonmembers(self) -> OrderedSample:
        return OrderedSample.without_zero_counts(self.thresholds, self.nonmember_counts)

    @cached_property
    def may_be_rounded(self) -> NDArray[np.bool_]:
        # A cell whose means are at its edge holds no score above it.
        if self.member_means is None or self.nonmember_means is None:
            return np.ones(self.thresholds.size, np.bool_)
        return np.maximum(self.member_means, self.nonmember_means) > self.thresholds

    def count_at_least(self, threshold: float) -> tuple[int, int]:
        member, nonmember = (x.count_at_least(threshold) for x in (self.members, self.nonmembers))
        return int(member), int(nonmember)

    def distinct_scores(self) -> FloatArray:
        return self.thresholds

    def samples_for_fits(self) -> tuple[OrderedSample, OrderedSample]:
        means = (self.member_means, self.nonmember_means)
        member, nonmember = (self.thresholds if x is None else x for x in means)
        members = OrderedSample.without_zero_counts(member, self.member_counts)
        return members, OrderedSample.without_zero_counts(nonmember, self.nonmember_counts)

    def thinned(self, most: int) -> "BinnedScores":
        return self  # counts cost the same for any number of records

    def label_permuter(self, rng: np.random.Generator) -> Callable[[], "BinnedScores"]:
        base.reject_too_many_records(self, "label permutation")
        records = self.member_counts + self.nonmember_counts

        def permuted() -> BinnedScores:
            member = rng.multivariate_hypergeometric(records, self.n_members, method="marginals")
            return self.with_counts(member, records - member)

        return permuted

    def bootstrap_sample(self, rng: np.random.Generator) -> "BinnedScores":
        classes = (self.member_counts, self.nonmember_counts)
        return self.with_counts(*(rng.multinomial(x.sum(), x / x.sum()) for x in classes))

    def shown_fields(self) -> dict[str, Any]:
        return {**super().shown_fields(), "thresholds": self.thresholds.size}


def _checked_counts(name: str, values: ArrayLike, thresholds: FloatArray) -> Counts:
    counts = checks.whole_numbers(name, values, 0).astype(np.int64)
    if counts.shape != thresholds.shape:
        raise checks.fail(name, f"of the shape of thresholds, {thresholds.shape}", counts.shape)
    if not counts.any():
        raise checks.fail(name, "counts that sum to at least 1", 0)
    return checks.read_only(counts)


def _checked_means(name: str, values: ArrayLike, counts: Counts) -> FloatArray:
    """Return the cells' mean scores; ValueError unless they ascend over cells with records."""
    means = checks.vector(name, values)
    if means.shape != counts.shape:
        raise checks.fail(name, f"of the shape of thresholds, {counts.shape}", means.shape)
    falls = np.flatnonzero(np.diff(means[counts > 0]) < 0)
    if falls.size:
        fall = means[counts > 0][falls[0] : falls[0] + 2]
        raise checks.fail(name, "ascending where the count is above 0", fall)
    return checks.read_only(means)


def _distance_above_edge(scores: FloatArray, edges: FloatArray) -> FloatArray:
    """Return how far each score is above its cell's lower edge; 0 if both are the same infinity."""
    return np.subtract(scores, edges, out=np.zeros_like(scores), where=scores != edges)


def cell_numbers(scores: NDArray[np.floating], *, bits: int = BITS) -> NDArray[np.uint32]:
    """Return each score's cell, numbered from 0 to 2**bits - 1 in ascending order of scores."""
    return monotone_integers(rounded_down_to_float32(scores)) >> np.uint32(32 - bits)


def lower_edges(cells: NDArray[np.integer], *, bits: int = BITS) -> FloatArray:
    """Return the lower edge of each of the numbered `cells`, the smallest float32 in the cell."""
    smallest: NDArray[np.uint32] = np.clip(
        cells.astype(np.uint32) << np.uint32(32 - bits), *INFINITE
    )
    flipped = np.where(smallest & SIGN, SIGN, ~np.uint32(0))
    return (smallest ^ flipped).view(np.float32).astype(np.float64)


def monotone_integers(scores32: NDArray[np.float32]) -> NDArray[np.uint32]:
    """Map floats to integers in the same order, and -0.0 and 0.0 to the same integer."""
    bits = (scores32 + np.float32(0)).view(np.uint32)  # + 0 turns -0.0 into 0.0
    flipped = (bits.view(np.int32) >> 31).view(np.uint32)  # all bits of a negative number
    flipped |= SIGN  # and the sign of all others
    bits ^= flipped
    return bits


def rounded_down_to_float32(scores: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return the largest float32 <= each score; -inf for scores below all finite float32."""
    if scores.dtype == np.float32:
        return scores.astype(np.float32, copy=False)
    with np.errstate(over="ignore"):
        rounded = scores.astype(np.float32)  # to the nearest
        above = np.flatnonzero(rounded > scores)
        rounded[above] = np.nextafter(rounded[above], np.float32(-np.inf))
    return rounded
