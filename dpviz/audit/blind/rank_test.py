"""A permutation test of ranks, and the p-value of two halves that were scored by one another.

If members and non-members are exchangeable, so are the labels of one half's records, given their
scores by a classifier of the other half. So each half has a valid p-value. Both depend on one
another, as each half trains the classifier of the other: where nothing tells the classes apart,
their AUCs rise and fall together, and their mean has up to twice the variance of two independent
halves. Twice the smaller one of two p-values is a p-value for any dependence.
"""

import numpy as np

from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.checks import FloatArray

MOST_CELLS = 256  # distinct ranks, which costs a share of 1 / 256^2 of the precision


def permutation_p_value(scores: AttackScores, *, n_resamples: int, seed: list[int]) -> float:
    """Return the one-sided p-value of the rank sum of the members against permuted labels.

    ``(1 + exceeded) / (1 + n_resamples)``, where `exceeded` counts permutations whose rank sum is
    at least the measured one: valid at every sample size, with any ties. Ranks share `MOST_CELLS`
    values: to merge neighbours without looking at labels keeps the p-value valid. Source: Phipson
    and Smyth, Statistical Applications in Genetics and Molecular Biology 9 (2010) 39.
    """
    values = np.concatenate([scores.member, scores.nonmember])
    cells = np.floor(ranks_with_ties(values) * (MOST_CELLS / values.size))
    if values.size <= MOST_CELLS:
        cells = values
    _, cell, counts = np.unique(cells, return_inverse=True, return_counts=True)
    # Twice the mean rank of a cell is a whole number, so that sums are exact.
    ranks = 2 * np.cumsum(counts) - counts
    rng, n = np.random.default_rng(seed), scores.n_members
    # A permutation of the labels draws the members' cells without replacement.
    drawn = rng.multivariate_hypergeometric(counts, n, size=n_resamples, method="marginals")
    exceeded = int(np.count_nonzero(drawn @ ranks >= int(ranks[cell[:n]].sum())))
    return (1 + exceeded) / (1 + n_resamples)


def combined_p_value(one: float, other: float) -> float:
    """Return twice the smaller one of two p-values, a p-value for any dependence of the two.

    By Bonferroni's inequality; Dunn, JASA 56 (1961) 52.
    """
    return min(1.0, 2 * one, 2 * other)


def ranks_with_ties(values: FloatArray) -> FloatArray:
    """Return ranks from 0; tied values share their mean rank."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(count) - (count + 1) / 2)[place])
