"""The p-value of a half, beside all permutations and SciPy; and that of both halves."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from dpviz import AttackScores
from dpviz.audit.blind.rank_test import MOST_CELLS, combined_p_value, permutation_p_value
from dpviz.checks import FloatArray


def exact_p_value(member: FloatArray, nonmember: FloatArray) -> float:
    """Over all permutations of the labels."""
    ranks = stats.rankdata(np.concatenate([member, nonmember]))
    n = member.size
    sums = [sum(ranks[list(some)]) for some in combinations(range(ranks.size), n)]
    return float(np.mean([each >= sum(ranks[:n]) for each in sums]))


@pytest.mark.parametrize(("n", "m"), [(4, 4), (3, 7), (8, 4)])
@pytest.mark.parametrize("values", [2, 3, 1000])
def test_the_p_value_is_that_of_all_permutations(n: int, m: int, values: int) -> None:
    rng = np.random.default_rng([n, m, values])
    member, nonmember = (rng.integers(0, values, size).astype(np.float64) for size in (n, m))
    exact = exact_p_value(member, nonmember)
    scores = AttackScores(member=member, nonmember=nonmember)
    found = permutation_p_value(scores, n_resamples=9999, seed=[1])
    assert abs(found - exact) <= 4 * np.sqrt(exact * (1 - exact) / 9999) + 1e-4


def test_more_records_than_cells_change_little() -> None:
    """SciPy's p-values by the normal distribution, which is exact enough for so many records."""
    rng = np.random.default_rng(0)
    for n, m, shift in ((1000, 500, 0.08), (500, 1500, 0.1)):
        member, nonmember = rng.normal(shift, 1, n), rng.normal(0, 1, m)
        assert n + m > MOST_CELLS
        exact = stats.mannwhitneyu(member, nonmember, alternative="greater").pvalue
        scores = AttackScores(member=member, nonmember=nonmember)
        found = permutation_p_value(scores, n_resamples=1999, seed=[2])
        assert abs(found - exact) <= 4 * np.sqrt(exact * (1 - exact) / 1999) + 0.002


def test_reversed_scores_have_a_large_p_value() -> None:
    scores = AttackScores(member=np.arange(20.0), nonmember=np.arange(10.0, 30.0))
    assert permutation_p_value(scores, n_resamples=99, seed=[0]) == 1.0
    assert permutation_p_value(scores.reversed(), n_resamples=99, seed=[0]) == 0.01


def test_constant_scores_have_the_p_value_1() -> None:
    for size in (20, 200):
        scores = AttackScores(member=np.zeros(size), nonmember=np.zeros(size))
        assert permutation_p_value(scores, n_resamples=9, seed=[0]) == 1.0


def test_no_level_is_exceeded_if_labels_are_permuted() -> None:
    """All labellings of six tied records: a p-value of at most p has at most the probability p."""
    values = np.array([0.0, 0, 1, 1, 2, 2])
    found = []
    for run, some in enumerate(combinations(range(6), 3)):
        others = [i for i in range(6) if i not in some]
        scores = AttackScores(member=values[list(some)], nonmember=values[others])
        found += [permutation_p_value(scores, n_resamples=19, seed=[run, s]) for s in range(60)]
    for level in (0.05, 0.1, 0.2, 0.5):
        assert np.mean(np.array(found) <= level) <= level + 3 * np.sqrt(level / len(found))


def test_the_p_value_of_two_halves_holds_for_any_dependence() -> None:
    rng = np.random.default_rng(3)
    p = rng.random(20_000)
    for other in (p, 1 - p, rng.random(20_000), np.where(p < 0.05, 1 - p, p - 0.05)):
        both = np.array([combined_p_value(*pair) for pair in zip(p, other, strict=True)])
        assert np.mean(both <= 0.05) <= 0.05 + 0.005
    assert combined_p_value(0.7, 0.9) == 1.0
    assert combined_p_value(0.3, 0.01) == combined_p_value(0.01, 0.3) == 0.02
