"""The area under the attack's ROC curve: the chance to rank a member above a non-member."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import expit, logit, ndtri, rel_entr

from dpviz import checks
from dpviz.audit.ascending import Ascending, Counts
from dpviz.audit.binned_scores import Scores
from dpviz.checks import FloatArray

AucMethod = Literal["delong", "bootstrap", "chernoff"]
AUC_METHODS = ("delong", "bootstrap", "chernoff")
APPROXIMATE = {
    "delong": "approximate: right for large samples (DeLong et al., 1988, on the logit scale)",
    "bootstrap": "approximate: right for large samples (percentiles of resampled records)",
}


@dataclass(frozen=True, kw_only=True)
class AucInterval:
    """The area under the ROC curve of a sample, and limits of the true one.

    Parameters
    ----------
    value : float
        In [0, 1]; ties count half.
    low, high : float
        Limits of the true area, in [0, 1].
    confidence_level : float
    standard_error : float
        Estimated from the sample; 0 where its records show no spread, nan where one class has a
        single record. For "chernoff", which needs none, that of DeLong.
    method : {"delong", "bootstrap", "chernoff"}
        What the limits come from: "chernoff" also where the method asked for could say nothing.
    note : str
        Whether the limits are approximate, and why another method than the one asked for was used.
    """

    value: float
    low: float
    high: float
    confidence_level: float
    standard_error: float
    method: AucMethod
    note: str

    @property
    def is_approximate(self) -> bool:
        """Whether the limits hold for large samples only."""
        return self.method in APPROXIMATE


def auc(scores: Scores) -> float:
    """The share of pairs in which the member has the higher score, ties counted half; in [0, 1]."""
    return _area(scores, _beaten(scores.members, scores.nonmembers))


def largest_standard_error(area: float, *, n_members: int, n_nonmembers: int) -> float:
    """What the standard error of an area cannot exceed, whatever the laws (Birnbaum, 1956)."""
    return float(np.sqrt(area * (1 - area) / min(n_members, n_nonmembers)))


def auc_interval(
    scores: Scores,
    *,
    confidence_level: float = 0.95,
    method: AucMethod = "delong",
    resamples: int = 1000,
    seed: int = 0,
) -> AucInterval:
    """The area under the ROC curve with limits of the true one.

    "delong": the standard error comes from the variances of the records' shares of right pairs, in
    both classes; the limits are symmetric on the logit scale. "bootstrap": percentiles over
    resamples of both classes, each of which takes a pass over all scores. Both are approximate.
    "chernoff" holds at every sample size: the area is a mean over all ways to make ``k =
    min(n_members, n_nonmembers)`` disjoint, hence independent, pairs, so ``P(area >= x) <=
    exp(-k KL(x, true area))`` for x above the true area, and likewise below (Hoeffding, 1963); its
    limits are about twice as far apart.

    Where the records show no spread, as when every member is above every non-member, both
    approximations would claim certainty; the limits are then those of "chernoff", and `note` says
    so. For separated samples that is ``low = ((1 - confidence_level) / 2) ** (1 / k)``, because k
    independent pairs were all ranked right.

    Parameters
    ----------
    scores : AttackScores or BinnedScores
    confidence_level : float
        In (0, 1).
    method : {"delong", "bootstrap", "chernoff"}
    resamples : int
        At least ``2 / (1 - confidence_level)``, so that a limit is not beyond all of them.
    seed : int
        Of the resamples.

    Raises
    ------
    ValueError
        If an argument leaves its range.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson, Biometrics 44 (1988) 837; Hoeffding, JASA 58 (1963) 13.
    """
    checks.choice("method", method, AUC_METHODS)
    confidence = checks.real("confidence_level", confidence_level, 0, 1, closed="neither")
    level = 1 - confidence
    by_members = _beaten(scores.members, scores.nonmembers)
    by_nonmembers = _beaten(scores.nonmembers, scores.members)
    value = _area(scores, by_members)
    error = _standard_error(scores, by_members, by_nonmembers)
    used, note = method, APPROXIMATE.get(method, "holds at every sample size")
    smallest = min(scores.n_members, scores.n_nonmembers)
    if method != "chernoff" and not error > 0:
        used, note = "chernoff", _no_spread(value, smallest)
    if used == "bootstrap":
        resamples = checks.whole("resamples", resamples, int(np.ceil(2 / level - 1e-9)))
        drawn = _resampled(scores, resamples, np.random.default_rng(checks.whole("seed", seed, 0)))
        low, high = np.quantile(drawn, [level / 2, 1 - level / 2]).tolist()
        error = float(np.std(drawn, ddof=1))
    elif used == "delong":
        reach = -ndtri(level / 2) * error / (value * (1 - value))
        low, high = expit(logit(value) + np.array([-reach, reach])).tolist()
    else:
        low = _chernoff_lower(value, smallest, level / 2)
        high = 1 - _chernoff_lower(1 - value, smallest, level / 2)
    return AucInterval(
        value=value,
        low=low,
        high=high,
        confidence_level=confidence,
        standard_error=error,
        method=used,
        note=note,
    )


def _beaten(sample: Ascending, others: Ascending) -> Counts:
    """Twice the number of others below each value of a sample, those tied with it once."""
    return others.below(sample.values) + others.upto(sample.values)


def _area(scores: Scores, by_members: Counts) -> float:
    pairs = scores.n_members * scores.n_nonmembers
    return int(scores.members.total(by_members)) / (2 * pairs)


def _standard_error(scores: Scores, by_members: Counts, by_nonmembers: Counts) -> float:
    """DeLong's, from the placements of both classes; nan where one has a single record."""
    n, m = scores.n_members, scores.n_nonmembers
    if min(n, m) == 1:
        return float("nan")
    of_members = _variance(by_members, scores.members)
    of_nonmembers = _variance(by_nonmembers, scores.nonmembers)
    return float(np.sqrt(of_members / n / m**2 + of_nonmembers / m / n**2) / 2)


def _variance(values: Counts, sample: Ascending) -> float:
    """Of records with these values (ddof = 1)."""
    around = values - sample.total(values) / sample.size
    around *= around
    return float(sample.total(around) / (sample.size - 1))


def _no_spread(value: float, smallest: int) -> str:
    """Why neither approximation says anything about these records."""
    if smallest == 1:
        why = "a class has a single record, whose spread cannot be estimated"
    elif value in (0.0, 1.0):
        why = (
            "the classes are separated in this sample: there is no spread among these records, "
            "which says nothing about others"
        )
    else:
        why = "there is no spread among these records, which says nothing about others"
    return f"{why}; the limits are those that hold at every sample size (Hoeffding, 1963)"


def _chernoff_lower(value: float, pairs: int, level: float) -> float:
    """The smallest true area at which one as large as `value` has a chance bound of `level`."""

    def log_chance(area: float) -> float:
        return -pairs * float(rel_entr(value, area) + rel_entr(1 - value, 1 - area))

    low, high, wanted = 0.0, value, float(np.log(level))
    while high - low > 1e-15:
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if log_chance(middle) < wanted else (low, middle)
    return low


def _resampled(scores: Scores, resamples: int, rng: np.random.Generator) -> FloatArray:
    """Areas of samples drawn with replacement from both classes."""
    distinct = scores.distinct()
    places = [_drawer(sample, distinct, rng) for sample in (scores.members, scores.nonmembers)]
    areas = np.empty(resamples)
    for i in range(resamples):
        members, nonmembers = (draw() for draw in places)
        below = np.cumsum(nonmembers) - nonmembers / 2
        areas[i] = members @ below
    return areas / (scores.n_members * scores.n_nonmembers)


def _drawer(
    sample: Ascending, distinct: FloatArray, rng: np.random.Generator
) -> Callable[[], FloatArray]:
    """What draws a sample again and counts it at every distinct score."""
    place = np.searchsorted(distinct, sample.values)

    def draw() -> FloatArray:
        found = np.bincount(place, sample.drawn(rng), minlength=distinct.size)
        return found.astype(np.float64, copy=False)

    return draw
