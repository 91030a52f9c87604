"""An upper limit of the area under the ROC curve that holds at every sample size.

**Statement.** Let Z be the area under the ROC curve of a sample with n members and m non-members, A
the true one, k the smaller of n and m, and B a binomial number of k trials with probability A. Then
for ``t > z``

    ``P(Z <= z) <= E(t - B / k)^+ / (t - z)``.

So an A for which the least value of the right side over t is at most the level is refuted by z.

**Proof.** Z is a mean over all ways to form k disjoint pairs of a member and a non-member
(Hoeffding, JASA 58 (1963) 13). For one of them it is a mean of k independent numbers in [0, 1],
each 1 if the member has the higher score, 1/2 if both tie, with mean A. For a convex function f,
f(Z) is at most the mean of f over all ways, so E f(Z) is at most E f of that mean, and this is at
most E f(B / k), as a number in [0, 1] may be replaced by a trial with the same mean. Now
``f(Z) = (t - Z)^+`` is at least t - z where Z <= z. The limit of Hoeffding
(`dpviz.audit.auc_interval`, "chernoff") uses exponential functions, which are mixtures of the
functions here, so it is no smaller. The bound is least at multiples t of 1 / k, as it is a ratio
of linear functions between them, and falls with A, as E f(B / k) does.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincc

from dpviz.audit.scores.base import Scores, sample_auc
from dpviz.checks import FloatArray
from dpviz.theory.profile import bisection

MOST_NUMBERS = 2000  # of t that are tried; each gives a bound
HALVINGS = 40


def upper_area(area: float, pairs: int, level: float) -> float:
    """Return the upper limit of the true area, given that of a sample and the smaller class."""

    def is_refuted(true_area: FloatArray) -> NDArray[np.bool_]:
        return np.asarray(_largest_chance(area, pairs, float(true_area)) <= level)

    if area >= 1 or not is_refuted(np.array(1.0)):
        return 1.0
    low, high = np.array(area), np.array(1.0)
    return float(bisection(is_refuted, low, high, halvings=HALVINGS)[1])


def area_with_cells(scores: Scores) -> float:
    """Return the area of a sample, with ties inside cells of rounded scores counted as right."""
    area = sample_auc(scores)
    if not scores.is_rounded:
        return area
    n, m = scores.n_members, scores.n_nonmembers
    places = scores.distinct_scores()[scores.may_be_rounded]
    members = scores.members.count_at_most(places) - scores.members.count_below(places)
    others = scores.nonmembers.count_at_most(places) - scores.nonmembers.count_below(places)
    return min(1.0, area + float((members / n) @ (others / m)) / 2)


def _largest_chance(area: float, pairs: int, true_area: float) -> float:
    """Bound P(area of a sample <= `area`) for a true area."""
    first = int(np.floor(area * pairs)) + 1
    last = max(first, int(np.ceil(true_area * pairs)))
    t = np.unique(np.linspace(first, last, MOST_NUMBERS).astype(np.int64))
    if true_area >= 1:
        excess = np.maximum(t - pairs, 0.0)
    else:
        # E (t - B)^+ = t P(B <= t) - E(B; B <= t), each a tail of a beta distribution.
        upto = np.where(t < pairs, betaincc(t + 1, np.maximum(pairs - t, 1), true_area), 1.0)
        below = np.where(t < pairs, betaincc(t, np.maximum(pairs - t, 1), true_area), 1.0)
        excess = t * upto - pairs * true_area * below
    return float(np.min(excess / (t - area * pairs)))
