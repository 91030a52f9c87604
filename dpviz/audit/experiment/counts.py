"""Counts of a membership experiment and the rates they estimate."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.audit.roc.intervals import clopper_pearson
from dpviz.checks import FloatArray


@dataclass(frozen=True, kw_only=True)
class MeasuredRate:
    """An estimated rate: hits per trial."""

    hits: int
    trials: int
    among: str  # what the trials are, such as "members"

    @property
    def value(self) -> float:
        """Hits per trial; nan, with a `reason`, if there is no trial."""
        return self.hits / self.trials if self.trials else float("nan")

    @property
    def reason(self) -> str:
        """Why the value is nan; empty if it is a number."""
        return "" if self.trials else f"no {self.among} so far"

    def interval(self, *, confidence_level: float) -> tuple[float, float]:
        """Clopper-Pearson limits, for a number of rounds fixed in advance; (0, 1) for no trial."""
        trials = max(self.trials, 1)
        low, high = clopper_pearson(self.hits, trials, confidence_level=confidence_level)
        return (float(low), float(high)) if self.trials else (0.0, 1.0)


@dataclass(frozen=True, kw_only=True)
class ExperimentCounts:
    """Counts of guesses by membership; counts of several plays can be added.

    Parameters
    ----------
    true_positives, false_positives, true_negatives, false_negatives : int, at least 0

    Raises
    ------
    ValueError
        If a count is not a whole number of at least 0.

    Examples
    --------
    >>> from dpviz import audit
    >>> counts = audit.ExperimentCounts(true_positives=30, false_negatives=70, true_negatives=100)
    >>> counts.tpr.value, counts.fpr.value, counts.ppv.value
    (0.3, 0.0, 1.0)
    """

    true_positives: int = 0
    false_positives: int = 0
    true_negatives: int = 0
    false_negatives: int = 0

    def __post_init__(self) -> None:
        for field in fields(self):
            count = checks.whole(field.name, getattr(self, field.name), 0)
            object.__setattr__(self, field.name, count)

    @classmethod
    def of_tally(cls, tally: NDArray[np.int64]) -> "ExperimentCounts":
        """The counts in one row of `Experiment.tallies`."""
        names = (field.name for field in fields(cls))
        return cls(**dict(zip(names, tally.tolist(), strict=True)))

    def __add__(self, other: Any) -> "ExperimentCounts":
        if not isinstance(other, ExperimentCounts):
            return NotImplemented
        names = (field.name for field in fields(self))
        return ExperimentCounts(**{n: getattr(self, n) + getattr(other, n) for n in names})

    @property
    def tally(self) -> NDArray[np.int64]:
        """The counts as a row of `Experiment.tallies`."""
        return np.array([getattr(self, field.name) for field in fields(self)], dtype=np.int64)

    @property
    def members(self) -> int:
        """Rounds whose record was a member."""
        return self.true_positives + self.false_negatives

    @property
    def nonmembers(self) -> int:
        """Rounds whose record was a non-member."""
        return self.false_positives + self.true_negatives

    @property
    def flagged(self) -> int:
        """Rounds in which the attack flagged the record as a member."""
        return self.true_positives + self.false_positives

    @property
    def rounds(self) -> int:
        """All rounds."""
        return self.members + self.nonmembers

    @property
    def tpr(self) -> MeasuredRate:
        """True positive rate: fraction of the members that were flagged."""
        return MeasuredRate(hits=self.true_positives, trials=self.members, among="members")

    @property
    def fnr(self) -> MeasuredRate:
        """False negative rate: fraction of the members that were missed."""
        return MeasuredRate(hits=self.false_negatives, trials=self.members, among="members")

    @property
    def fpr(self) -> MeasuredRate:
        """False positive rate: fraction of the non-members that were flagged."""
        return MeasuredRate(hits=self.false_positives, trials=self.nonmembers, among="non-members")

    @property
    def ppv(self) -> MeasuredRate:
        """Positive predictive value: fraction of the flagged records that were members."""
        return MeasuredRate(hits=self.true_positives, trials=self.flagged, among="flagged records")

    @property
    def advantage(self) -> float:
        """TPR - FPR; nan if there are no members or no non-members."""
        return self.tpr.value - self.fpr.value

    def advantage_interval(self, *, confidence_level: float) -> tuple[float, float]:
        """Confidence limits of TPR - FPR: both rates at half the error probability (Bonferroni)."""
        level = checks.real("confidence_level", confidence_level, 0, 1, closed="neither")
        tpr = self.tpr.interval(confidence_level=(1 + level) / 2)
        fpr = self.fpr.interval(confidence_level=(1 + level) / 2)
        return tpr[0] - fpr[1], tpr[1] - fpr[0]


def error_rates(tallies: NDArray[np.int64]) -> FloatArray:
    """FPR and FNR of each row of `Experiment.tallies`, shape (k, 2); nan where 0/0."""
    tp, fp, tn, fn = tallies.T
    with np.errstate(invalid="ignore"):
        return np.column_stack([fp / (fp + tn), fn / (tp + fn)])
