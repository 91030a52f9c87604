"""Kolmogorov-Smirnov tests of mixtures against the number of their components (Figure 6).

From Appendix B of the Epsilon* paper, which asks whether a p-value exceeds 0.05 for any of 20
mixtures. That is many tests in the favourable direction; what they say together stands here too.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.audit.binned_scores import Scores
from dpviz.audit.fits import MOST_COMPONENTS
from dpviz.audit.goodness_of_fit import goodness_of_fit
from dpviz.checks import FloatArray


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class KsByComponents:
    """P-values of Kolmogorov-Smirnov tests of mixtures with 1, 2, ... components.

    All tests share one set of held-out losses. A large p-value is no sign of a right fit where few
    losses were held out; with the best of many it is even less.

    Parameters
    ----------
    p_values, two_sample_p_values : ndarray, shape (k, 2)
        Against the law's CDF, and the paper's: against as many draws from it. One row for each
        number of components from 1 on, columns members and non-members.
    n_held_out : tuple of int
        Of members and of non-members.
    """

    p_values: FloatArray
    two_sample_p_values: FloatArray
    n_held_out: tuple[int, int]

    @property
    def components(self) -> NDArray[np.int64]:
        """Numbers of components, 1, 2, ..."""
        return np.arange(1, len(self.p_values) + 1)

    @property
    def largest(self) -> FloatArray:
        """What the paper looks at, for each class: the largest two-sample p-value.

        It is above 0.05 as soon as one of the tests misses what is wrong.
        """
        return np.asarray(self.two_sample_p_values.max(axis=0))

    @property
    def all_right(self) -> FloatArray:
        """For each class, a p-value of "every one of these laws is right".

        The smallest one-sample p-value times their number (Bonferroni), at most 1.
        """
        return np.asarray(np.minimum(1.0, len(self.p_values) * self.p_values.min(axis=0)))


def ks_by_components(
    scores: Scores, *, most: int = MOST_COMPONENTS, held_out: int = 1000, seed: int = 0
) -> KsByComponents:
    """Test mixtures of 1 to `most` Normal laws on losses they were not fitted to (Figure 6).

    Parameters
    ----------
    scores : AttackScores or BinnedScores
        At least 4 losses per class, not all equal.
    most : int
        From 1 to 20.
    held_out : int
        As in `goodness_of_fit`.
    seed : int

    Raises
    ------
    ValueError
        If an argument leaves its range.
    ImportError
        If scikit-learn is not installed.
    """
    most = checks.whole("most", most, 1, MOST_COMPONENTS)
    one, two, held = np.empty((most, 2)), np.empty((most, 2)), (0, 0)
    for k in range(most):
        fit = goodness_of_fit(
            scores, method="mixture", components=k + 1, held_out=held_out, seed=seed
        )
        if fit.member is None or fit.nonmember is None:
            sizes = (scores.n_members, scores.n_nonmembers)
            raise checks.fail("scores", "of at least 4 records per class, not all equal", sizes)
        one[k] = fit.member.p_value, fit.nonmember.p_value
        two[k] = fit.member.two_sample_p_value, fit.nonmember.two_sample_p_value
        held = fit.member.n_held_out, fit.nonmember.n_held_out
    return KsByComponents(
        p_values=checks.read_only(one),
        two_sample_p_values=checks.read_only(two),
        n_held_out=held,
    )
