"""A permutation test of ranks, and the p-value of two halves that were scored by one another.

If members and non-members are exchangeable, so are the labels of one half's records, given their
scores by a classifier of the other half. So each half has a valid p-value. Both depend on one
another, as each half trains the classifier of the other: where nothing tells the classes apart,
their AUCs rise and fall together, and an average has nearly twice the variance of two independent
halves. Twice the mean of two p-values is a p-value for any dependence.
"""

import numpy as np

from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.checks import FloatArray


def permutation_p_value(scores: AttackScores, *, n_resamples: int, seed: list[int]) -> float:
    """Return the one-sided p-value of the rank sum of the members against permuted labels.

    ``(1 + exceeded) / (1 + n_resamples)``, where `exceeded` counts permutations whose rank sum is
    at least the measured one: valid at every sample size, with any ties. Source: Phipson and Smyth,
    Statistical Applications in Genetics and Molecular Biology 9 (2010) 39.
    """
    # Twice the ranks are whole numbers, so that sums are exact.
    ranks = 2 * ranks_with_ties(np.concatenate([scores.member, scores.nonmember]))
    ranks = np.rint(ranks).astype(np.int64)
    n, total = scores.n_members, int(ranks.sum())
    measured = int(ranks[:n].sum())
    # The smaller class is drawn; the rank sum of the other one is the rest.
    drawn = min(n, scores.n_nonmembers)
    rng, exceeded = np.random.default_rng(seed), 0
    for _ in range(n_resamples):
        some = int(ranks[rng.choice(ranks.size, drawn, replace=False, shuffle=False)].sum())
        exceeded += (some if drawn == n else total - some) >= measured
    return (1 + exceeded) / (1 + n_resamples)


def combined_p_value(one: float, other: float) -> float:
    """Return twice the mean of two p-values, a p-value for any dependence of the two.

    Source: Rüschendorf, Advances in Applied Probability 14 (1982) 623; Vovk and Wang, Biometrika
    107 (2020) 791.
    """
    return min(1.0, one + other)


def ranks_with_ties(values: FloatArray) -> FloatArray:
    """Return ranks from 0; tied values share their mean rank."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(count) - (count + 1) / 2)[place])
