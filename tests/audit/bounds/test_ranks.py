"""Members among the first records: by sorting, and by enumeration where scores are tied."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import chisquare

from dpviz.audit import AttackScores
from dpviz.audit.bounds.ranks import members_in_first


def scores_of(member: Sequence[float], nonmember: Sequence[float]) -> AttackScores:
    return AttackScores(member=np.array(member, float), nonmember=np.array(nonmember, float))


def exact_law(
    member: list[float], nonmember: list[float], cuts: list[int]
) -> dict[tuple[int, ...], float]:
    """Of the counts at all cuts, every order of each group of ties equally likely."""
    groups = []
    for value in sorted({*member, *nonmember}, reverse=True):
        members, others = member.count(value), nonmember.count(value)
        places = combinations(range(members + others), members)
        groups.append([[i in chosen for i in range(members + others)] for chosen in places])
    found: Counter[tuple[int, ...]] = Counter()
    for orders in product(*groups):
        labels = [label for order in orders for label in order]
        found[tuple(sum(labels[:cut]) for cut in cuts)] += 1
    total = sum(found.values())
    return {counts: times / total for counts, times in found.items()}


@pytest.mark.parametrize(("n", "m"), [(1, 1), (7, 30), (40, 25)])
def test_distinct_scores_are_counted_as_sorted(n: int, m: int) -> None:
    rng = np.random.default_rng(50)
    scores = AttackScores(member=rng.normal(0.5, 1, n), nonmember=rng.normal(0, 1, m))
    ranked = np.argsort(-np.concatenate([scores.member, scores.nonmember])) < n
    cuts = np.arange(n + m + 1)
    found = members_in_first(scores, cuts, rng, times=3)
    assert found.shape == (n + m + 1, 3)
    for column in found.T:
        np.testing.assert_array_equal(column, [ranked[:cut].sum() for cut in cuts])


@pytest.mark.parametrize(
    ("member", "nonmember", "cuts"),
    [
        ([3, 2, 2, 2], [2, 2, 1, 0], [0, 1, 2, 3, 4, 5, 8]),
        ([1, 1, 1], [1, 1, 1], [0, 1, 2, 4, 6]),
        ([2, 2, 1, 1], [2, 1, 1], [1, 2, 4, 5, 6]),
        ([0, 0], [5, 0, -5], [2, 3, 4]),
    ],
)
def test_ties_have_the_law_of_random_orders(
    member: list[float], nonmember: list[float], cuts: list[int]
) -> None:
    law = exact_law(member, nonmember, cuts)
    assert len(law) > 2
    runs = 6000
    scores = scores_of(member, nonmember)
    drawn = members_in_first(scores, np.array(cuts), np.random.default_rng(51), times=runs)
    found = Counter(map(tuple, drawn.T.tolist()))
    assert set(found) <= set(law)
    expected = {counts: chance * runs for counts, chance in law.items()}
    common = [counts for counts, times in expected.items() if times >= 10]
    rest = runs - sum(expected[counts] for counts in common)
    observed = [found[counts] for counts in common]
    wanted = [expected[counts] for counts in common]
    if rest > 1e-9:
        observed, wanted = [*observed, runs - sum(observed)], [*wanted, rest]
    assert chisquare(observed, wanted).pvalue > 1e-4


def test_none_and_all_records_hold_no_and_all_members() -> None:
    for member, nonmember in (([1.0] * 9, [1.0] * 4), ([2.0, 1.0], [1.5])):
        scores = scores_of(member, nonmember)
        ends = np.array([0, len(member) + len(nonmember)])
        found = members_in_first(scores, ends, np.random.default_rng(0), times=20)
        np.testing.assert_array_equal(found, np.repeat([[0], [len(member)]], 20, axis=1))


def test_each_count_is_reached_step_by_step_in_one_ranking() -> None:
    rng = np.random.default_rng(52)
    scores = scores_of(rng.integers(0, 4, 60).tolist(), rng.integers(0, 3, 50).tolist())
    found = members_in_first(scores, np.arange(111), rng, times=50)
    steps = np.diff(found, axis=0)
    assert set(np.unique(steps).tolist()) == {0, 1}
    assert np.all(steps.sum(axis=0) == 60)
    assert len({tuple(column) for column in found.T.tolist()}) == 50


def test_the_input_order_of_ties_does_not_matter() -> None:
    # By the order of the input, the members would be first or last.
    for values in ([1.0] * 30, [-0.0, 0.0] * 15):
        scores = scores_of(values, values)
        found = members_in_first(scores, np.array([30]), np.random.default_rng(53), times=4000)
        error = np.sqrt(30 * 0.25 * 30 / 59 / 4000)
        assert abs(found.mean() - 15) <= 4.5 * error
