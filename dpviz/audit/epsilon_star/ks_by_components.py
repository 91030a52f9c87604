"""Kolmogorov-Smirnov tests of mixtures against the number of their components (Figure 6).

Appendix B of the Epsilon* paper accepts if a p-value exceeds 0.05 for any of 20 mixtures, the most
favourable of many tests; their joint p-value is computed here, too.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.audit.epsilon_star.fits import MOST_COMPONENTS
from dpviz.audit.epsilon_star.goodness_of_fit import goodness_of_fit
from dpviz.audit.scores.base import Scores
from dpviz.checks import FloatArray


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class KsByComponents:
    """P-values of Kolmogorov-Smirnov tests of mixtures with 1, 2, ... components.

    All tests share one set of held-out losses. With few of them a large p-value does not indicate a
    right fit, and the largest of many even less.

    Parameters
    ----------
    p_values, two_sample_p_values : ndarray, shape (k, 2)
        Against the fitted CDF, respectively as many draws from it (the paper's). One row for each
        number of components from 1 on, columns members and non-members.
    n_held_out : tuple of int, of members and of non-members

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz import audit
    >>> p = np.array([[0.01, 0.2], [0.3, 0.6]])
    >>> audit.KsByComponents(p_values=p, two_sample_p_values=p, n_held_out=(100, 100)).all_right
    array([0.02, 0.4 ])
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
        """The paper's criterion for each class: the largest two-sample p-value.

        It exceeds 0.05 as soon as one of the tests misses a difference.
        """
        return np.asarray(self.two_sample_p_values.max(axis=0))

    @property
    def all_right(self) -> FloatArray:
        """For each class, the joint p-value of all fits: Bonferroni's over the one-sample tests."""
        return np.asarray(np.minimum(1.0, len(self.p_values) * self.p_values.min(axis=0)))


def ks_by_components(
    scores: Scores, *, most: int = MOST_COMPONENTS, held_out: int = 1000, seed: int = 0
) -> KsByComponents:
    """P-values of mixtures of 1 to `most` Normal distributions on held-out losses (Figure 6).

    Parameters
    ----------
    scores : AttackScores or BinnedScores, at least 4 losses per class, not all equal
    most : int from 1 to 20
    held_out : int, as of `goodness_of_fit`
    seed : int

    Returns
    -------
    KsByComponents

    Raises
    ------
    ValueError
        If an argument leaves its range.
    ImportError
        If scikit-learn is not installed.

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> audit.ks_by_components(read_sample("gamma"), most=2, held_out=100).p_values.shape
    (2, 2)
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
