"""What one attack cannot reach on records like these: limits from above, without a correction.

Limits from below (`dpviz.audit.lower_bound`) say what an attack has shown; these say what it cannot
do. The search over thresholds costs them nothing: `dpviz.audit.upper_limits.thresholds` has the
proof. Each limit holds with the given confidence; all of them together do not.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.audit.bounds.lower_bound import warnings_about
from dpviz.audit.bounds.result import INDEPENDENT
from dpviz.audit.scores.attack_scores import ScoresLike, without_copies
from dpviz.audit.scores.base import sample_auc
from dpviz.audit.upper_limits import limits
from dpviz.audit.upper_limits.area import area_with_cells, upper_area
from dpviz.audit.upper_limits.thresholds import reached_counts
from dpviz.checks import FloatArray
from dpviz.value_object import ValueObject

LARGEST_EPSILON = 10.0  # at which a privacy profile is limited
EPSILONS = (0.5, 1.0, 2.0, 4.0)
SILENT_ABOUT = "says nothing about other attacks, nor about the mechanism"
BY_INVERSION = "an exact limit for two binomial rates (Buehler, 1957)"
SEPARATELY = "exact limits of both rates (Clopper and Pearson, 1934), wider for so many records"
BY_PAIRS = "holds at every sample size (convex order of disjoint pairs)"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class UpperLimit(ValueObject):
    """An upper confidence limit of an attack's accuracy or another such number.

    Parameters
    ----------
    high : float
        Below the true number with probability at most 1 - `confidence_level`.
    measured : float
        The number on this sample: an **estimate**, biased upwards by the search for a threshold.
    confidence_level : float
    method : str

    Examples
    --------
    >>> from dpviz import audit
    >>> found = audit.at_most(([1, 4, 5, 8], [2, 3, 6, 7])).advantage
    >>> found.measured, round(found.high, 2)
    (0.25, 0.78)
    """

    high: float
    measured: float
    confidence_level: float
    method: str


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AtMost(ValueObject):
    """What one attack cannot reach: upper limits, each with probability `confidence_level`.

    All thresholds of this attack are meant, at their true rates. A limit of one number holds with
    its confidence; several together hold with less. Nothing follows for other attacks, nor for the
    mechanism: a better attack may reach more.

    Parameters
    ----------
    advantage : UpperLimit, of the largest TPR - FPR
    accuracy : UpperLimit, of the largest ``prior TPR + (1 - prior) TNR``; 1/2: balanced
    prior : float, the share of members among the records that are attacked
    tpr : UpperLimit, of the largest TPR of thresholds whose true FPR is at most `fpr`
    fpr : float
    ppv : UpperLimit, of P(member | flagged) at a threshold whose true FPR is `fpr`, given `prior`
    auc : UpperLimit, of the area under the true ROC curve
    epsilons : ndarray, shape (k,), ascending
    deltas : ndarray, shape (k,)
        Limits of the privacy profile: of TPR - e^epsilon FPR and of TNR - e^epsilon FNR. Each one
        holds with the confidence level, for an epsilon that was chosen before the data.
    measured_deltas : ndarray, shape (k,), the same on this sample: **estimates**
    epsilon : UpperLimit, of the least epsilon that all thresholds satisfy at `delta`; may be inf
    delta : float
    finite_from : float, the delta beyond which an epsilon has a finite limit
    confidence_level : float
    n_members, n_nonmembers : int
    sampling : str, how the records must have been drawn
    silent_about : str, what does not follow
    warnings : tuple of str

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> found = audit.at_most(read_sample("overfitted"))
    >>> round(found.advantage.measured, 3), round(found.advantage.high, 3)
    (0.338, 0.361)
    >>> found.silent_about
    'says nothing about other attacks, nor about the mechanism'
    """

    one_row_each = ("epsilons", "deltas", "measured_deltas")
    advantage: UpperLimit
    accuracy: UpperLimit
    prior: float
    tpr: UpperLimit
    fpr: float
    ppv: UpperLimit
    auc: UpperLimit
    epsilons: FloatArray
    deltas: FloatArray
    measured_deltas: FloatArray
    epsilon: UpperLimit
    delta: float
    finite_from: float
    confidence_level: float
    n_members: int
    n_nonmembers: int
    sampling: str = INDEPENDENT
    silent_about: str = SILENT_ABOUT
    warnings: tuple[str, ...] = ()


def at_most(
    scores: ScoresLike,
    *,
    confidence_level: float = 0.95,
    prior: float = 0.5,
    fpr: float = 0.01,
    epsilons: Iterable[float] = EPSILONS,
    delta: float = 1e-5,
) -> AtMost:
    """Return upper confidence limits of what this attack reaches at its true best threshold.

    Members and non-members are independent draws of two distributions. Limits of the advantage, the
    accuracy, the privacy profile and epsilon are Buehler's exact limits for two binomial rates,
    larger than the least ones by about a hundredth of their distance from the sample's number;
    beyond 2 10^5 records of a class they are wider. If nothing leaks, about 1400 members and as
    many non-members show an advantage of at most 5 % in half of all samples
    (`dpviz.audit.upper_limits.plan_at_most`).

    Parameters
    ----------
    scores : AttackScores or BinnedScores; higher = more member-like
        Where scores were rounded down to cells, thresholds inside the cells are included.
    confidence_level : float in [0.5, 1), of each limit
    prior : float in (0, 1), of the accuracy and of the PPV
    fpr : float in [0, 1], of the TPR and of the PPV
    epsilons : iterable of float, at least 0 and at most 10, of the privacy profile
    delta : float in [0, 1], of the limit of epsilon, which is infinite up to `finite_from`

    Raises
    ------
    ValueError, if an argument is out of range

    References
    ----------
    Buehler, JASA 52 (1957) 482; Lloyd and Kabaila, Australian and New Zealand Journal of Statistics
    45 (2003) 61 (limits from an order); Zou and Donner, Statistics in Medicine 27 (2008) 1693.

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz import audit
    >>> noise = np.random.default_rng(0).normal(size=(2, 1500))
    >>> found = audit.at_most(tuple(noise), delta=0.01)
    >>> round(found.advantage.high, 3), round(found.epsilon.high, 2)
    (0.028, 0.93)
    """
    scores = without_copies(scores)
    confidence = checks.confidence_level(confidence_level)
    level = 1 - confidence
    prior = checks.real("prior", prior, 0, 1, closed="neither")
    fpr, delta = checks.real("fpr", fpr, 0, 1), checks.real("delta", delta, 0, 1)
    ascending = np.unique([checks.real("epsilons", each, 0, LARGEST_EPSILON) for each in epsilons])
    counts = reached_counts(scores)
    sample = counts.of_sample()
    method = BY_INVERSION if limits.is_exact(counts) else SEPARATELY

    def limit(high: float, measured: float, method: str = method) -> UpperLimit:
        numbers = {"high": max(high, measured), "measured": measured}
        return UpperLimit(**numbers, confidence_level=confidence, method=method)

    # The accuracy is 1 - prior + prior (TPR - slope FPR).
    slope = (1 - prior) / prior
    measured, measured_too = (limits.measured_difference(sample, c) for c in (1.0, slope))
    advantage = limits.largest_difference(counts, 1.0, level=level)
    other = advantage if slope == 1 else limits.largest_difference(counts, slope, level=level)
    # The PPV at a given FPR rises with the TPR.
    measured_tpr = float(sample.x[sample.y <= fpr * sample.n_nonmembers].max()) / sample.n_members
    tpr = max(limits.largest_tpr(counts, fpr, level=level), measured_tpr)
    profile = [limits.largest_profile(counts, each, level=level) for each in ascending.tolist()]
    measured_profile = [limits.measured_profile(sample, each) for each in ascending.tolist()]
    of_epsilon = limits.largest_epsilon(counts, delta, level=level)
    area = upper_area(area_with_cells(scores), min(scores.n_members, scores.n_nonmembers), level)
    return AtMost(
        advantage=limit(advantage, measured),
        accuracy=limit(1 - prior + prior * other, 1 - prior + prior * measured_too),
        prior=prior,
        tpr=limit(tpr, measured_tpr),
        fpr=fpr,
        ppv=limit(_ppv(tpr, fpr, prior), _ppv(measured_tpr, fpr, prior)),
        auc=limit(area, sample_auc(scores), BY_PAIRS),
        epsilons=checks.read_only(ascending),
        deltas=checks.read_only(np.maximum(profile, measured_profile)),
        measured_deltas=checks.read_only(np.array(measured_profile)),
        epsilon=limit(of_epsilon, limits.measured_epsilon(sample, delta)),
        delta=delta,
        finite_from=limits.delta_of_finite_epsilon(counts, level=level),
        confidence_level=confidence,
        n_members=scores.n_members,
        n_nonmembers=scores.n_nonmembers,
        warnings=warnings_about(scores, None),
    )


def _ppv(tpr: float, fpr: float, prior: float) -> float:
    """Return P(member | flagged) at these rates; 1 if no non-member is flagged."""
    right, wrong = prior * tpr, (1 - prior) * fpr
    return right / (right + wrong) if wrong > 0 else 1.0
