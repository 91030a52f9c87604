"""Counts of both classes at thresholds, and the limits of the rates at one."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.audit.scores.base import Counts, OrderedSample
from dpviz.checks import FloatArray


@dataclass(frozen=True, kw_only=True)
class RateBox:
    """Exact confidence limits of an FPR and an FNR, which all hold at `confidence_level`.

    With others, as the maker says: the boxes of all thresholds of an attack at once, or each canary
    of G at ``1 - (1 - c) / G``, so that with probability c the boxes of all canaries hold.
    """

    fpr_low: float
    fpr_high: float
    fnr_low: float
    fnr_high: float
    confidence_level: float


# Numbers of records flagged as members at thresholds, and the error rates they amount to.

Rates = tuple[FloatArray, FloatArray, FloatArray, FloatArray]  # TPR, FPR, TNR, FNR


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ThresholdCounts:
    """Non-members and members with a score of at least each threshold."""

    thresholds: FloatArray  # shape (k,), descending
    false_positives: Counts  # shape (k,) or (k, runs); nondecreasing along the first axis
    true_positives: Counts
    n_nonmembers: int
    n_members: int

    @classmethod
    def of(
        cls,
        thresholds: FloatArray,
        *,
        members: OrderedSample,
        nonmembers: OrderedSample,
        **fields: Any,
    ) -> Self:
        """Count two samples at descending thresholds; O(log n) each."""
        return cls(
            thresholds=checks.read_only(thresholds),
            false_positives=checks.read_only(nonmembers.at_least(thresholds)),
            true_positives=checks.read_only(members.at_least(thresholds)),
            n_nonmembers=nonmembers.size,
            n_members=members.size,
            **fields,
        )

    def some(self, chosen: Counts | slice) -> Self:
        """The counts at some of the thresholds, given by their places."""
        return replace(
            self,
            thresholds=self.thresholds[chosen],
            false_positives=self.false_positives[chosen],
            true_positives=self.true_positives[chosen],
        )

    @cached_property
    def false_negatives(self) -> Counts:
        """Members with ``score < threshold``; nonincreasing."""
        return self.n_members - self.true_positives

    @cached_property
    def true_negatives(self) -> Counts:
        """Non-members with ``score < threshold``; nonincreasing."""
        return self.n_nonmembers - self.false_positives

    @cached_property
    def fpr(self) -> FloatArray:
        """False positive rates, nondecreasing, in [0, 1]."""
        return self.false_positives / self.n_nonmembers

    @cached_property
    def tpr(self) -> FloatArray:
        """True positive rates, nondecreasing, in [0, 1]."""
        return self.true_positives / self.n_members

    @cached_property
    def fnr(self) -> FloatArray:
        """False negative rates, nonincreasing, in [0, 1]: members missed."""
        return self.false_negatives / self.n_members

    @cached_property
    def tnr(self) -> FloatArray:
        """True negative rates, nonincreasing, in [0, 1]: non-members not flagged."""
        return self.true_negatives / self.n_nonmembers

    @property
    def rates(self) -> Rates:
        """TPR, FPR, TNR, FNR."""
        return self.tpr, self.fpr, self.tnr, self.fnr

    def survive(self, clip: float | None) -> NDArray[np.bool_]:
        """Whether FPR and FNR are both strictly inside (clip, 1 - clip)."""
        if clip is None:
            return np.ones(self.false_positives.shape, np.bool_)
        # Rates and complements alike, not 1 - clip, whose rounding would treat ends differently.
        smallest = np.minimum(np.minimum(self.tpr, self.fpr), np.minimum(self.tnr, self.fnr))
        return np.asarray(smallest > clip)
