"""The outcome of `check_auditor`: how often bounds were false, and how large they were."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from dpviz.analysis.words import counted
from dpviz.audit.roc.intervals import clopper_pearson
from dpviz.checks import FloatArray
from dpviz.number_format import percent, short
from dpviz.testing.auditors.pictures import AuditorPictures
from dpviz.value_object import ValueObject

LIMITS = 0.95  # confidence level of the limits of a share
CHANCE = 0.01  # that a valid auditor is said to be false too often, over all cases


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CaseOutcome(ValueObject):
    """What an auditor answered on scores whose epsilon is known.

    Parameters
    ----------
    name : str
    epsilon, delta : float, the exact epsilon at `delta`
    n_runs : int, calls; less than requested if three of them were timed out
    n_judged : int, calls that returned a number: negative and infinite ones count, NaN does not
    n_false : int, those that returned more than `epsilon`
    false_low, false_high : float
        95 % Clopper-Pearson limits of the probability of a false bound; nan without a number.
    median : float, of the bounds; a negative one counts as 0
    n_compared : int, runs for which dpviz' default bound was computed, too
    median_compared, median_default : float, medians of both on these runs: estimates of power
    n_raised, n_nan, n_negative, n_infinite, n_timed_out : int, calls
    n_global_state : int, calls that used the global random state of Python or NumPy
    message : str, of the first call that raised
    bounds, defaults : array, one for each run; nan where there is none

    Examples
    --------
    >>> from dpviz.testing import check_auditor
    >>> checked = check_auditor(lambda scores, **_: 1.0, cases=["null", "Gaussian"], n_runs=20)
    >>> [case.n_false for case in checked.outcomes]
    [20, 0]
    """

    name: str
    epsilon: float
    delta: float
    n_runs: int
    n_judged: int
    n_false: int
    false_low: float
    false_high: float
    median: float
    n_compared: int
    median_compared: float
    median_default: float
    n_raised: int = 0
    n_nan: int = 0
    n_negative: int = 0
    n_infinite: int = 0
    n_timed_out: int = 0
    n_global_state: int = 0
    message: str = ""
    bounds: FloatArray = field(repr=False)
    defaults: FloatArray = field(repr=False)

    @property
    def share(self) -> float:
        """The estimated share of false bounds; nan if no bound was a number."""
        return self.n_false / self.n_judged if self.n_judged else np.nan

    @property
    def remark(self) -> str:
        """One line on calls that returned no bound, such as errors; "" if all returned one."""
        counts = (
            (self.n_raised, f"raised an error ({self.message})"),
            (self.n_nan, "returned NaN"),
            (self.n_timed_out, "took longer than the time limit"),
            (self.n_negative, "returned a negative number"),
            (self.n_infinite, "returned infinity"),
            (self.n_global_state, "used the global random state, which was restored"),
        )
        return ", ".join(f"{count} of {self.n_runs} {what}" for count, what in counts if count)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AuditorCheck(AuditorPictures, ValueObject):
    """How often an auditor's lower bounds exceed the exact epsilon, and how large they are.

    Parameters
    ----------
    outcomes : tuple of CaseOutcome; `to_frame` has a row for each
    confidence_level : float, which the auditor was to keep
    takes : {"scores", "counts", "guesses"}
    seed : int
    time_limit : float, seconds for each call

    Examples
    --------
    >>> from dpviz.testing import check_auditor
    >>> checked = check_auditor(lambda scores, **_: 0.5, cases=["null"], n_runs=30, n_compared=0)
    >>> checked.exceeding, checked.outcomes[0].share
    (('null',), 1.0)
    """

    one_row_each = ("outcomes",)
    outcomes: tuple[CaseOutcome, ...]
    confidence_level: float
    takes: str
    seed: int
    time_limit: float

    @property
    def level(self) -> float:
        """The probability of a false bound that the confidence level allows."""
        return 1 - self.confidence_level

    @cached_property
    def exceeding(self) -> tuple[str, ...]:
        """The cases in which bounds are shown to be false more often than the level allows.

        The exact lower limit of the share exceeds the level; with at most 1 % probability an
        auditor that keeps its level in all cases has one here.
        """
        limits = {
            case.name: limits_over_cases(case.n_false, case.n_judged, len(self.outcomes))
            for case in self.outcomes
        }
        return tuple(name for name, (low, _) in limits.items() if low > self.level)

    @property
    def headline(self) -> str:
        """The finding in one sentence."""
        judged = [case for case in self.outcomes if case.n_judged]
        if not judged:
            return "The auditor returned no number."
        too_many = f"more than {percent(round(self.level, 12))} of the bounds are false"
        if self.exceeding:
            return (
                f"In {len(self.exceeding)} of {len(judged)} cases, {too_many} (tests at "
                f"{percent(CHANCE)} over all cases)."
            )
        worst = max(judged, key=lambda case: (case.share, -case.n_judged))
        return (
            f"In none of {len(judged)} cases is it shown that {too_many}; the "
            f"largest share is {worst.n_false} of {worst.n_judged} ({worst.name}). Other "
            "distributions were not tried."
        )

    def __str__(self) -> str:
        """Return the headline and a line for each case."""
        return "\n".join([self.headline, *map(self._line, self.outcomes)])

    def _line(self, case: CaseOutcome) -> str:
        parts = []
        if case.n_judged:
            limits = f"{percent(case.false_low)} to {percent(case.false_high)}"
            parts.append(f"false in {case.n_false} of {case.n_judged} ({limits})")
            ends = f"median {short(case.median)}, ε = {short(case.epsilon)}"
            if case.n_compared:
                auditor, default = short(case.median_compared), short(case.median_default)
                ends += f"; in {counted(case.n_compared, 'run')} {auditor}, the default {default}"
            parts.append(ends)
        return f"{case.name}: {'; '.join([*parts, *filter(None, [case.remark])])}"


def limits_of_share(
    n_false: int, n_judged: int, confidence_level: float = LIMITS
) -> tuple[float, float]:
    """Return the Clopper-Pearson limits of the probability of a false bound; nan without runs."""
    if not n_judged:
        return np.nan, np.nan
    low, high = clopper_pearson(n_false, n_judged, confidence_level=confidence_level)
    return float(low), float(high)


def limits_over_cases(n_false: int, n_judged: int, n_cases: int) -> tuple[float, float]:
    """Return limits such that, with 99 % confidence, no lower one is too large in any case.

    Nor is any upper one too small, with the same confidence (Bonferroni).
    """
    return limits_of_share(n_false, n_judged, 1 - 2 * CHANCE / n_cases)
