"""The rank bound that does not know delta: one statement for all deltas, and rare leaks."""

from math import inf, log

import numpy as np
import pytest

import dpviz.audit.bounds.certified_profile as module
from dpviz.audit import AttackScores, certified_profile
from dpviz.audit.bounds.boundary_crossing import leak_pairs
from dpviz.audit.bounds.certified_profile import profile_rank_test
from dpviz.audit.bounds.rank import bound_from_statistic, members_above_cuts, p_value_curve
from tests.audit.bounds.test_rank import orders_with_chances, simple_test
from tests.slow import parametrize

DELTAS = (0.0, 1e-3, 1e-2)


def two_classes(gap: float, n: int, m: int, seed: int = 0) -> AttackScores:
    rng = np.random.default_rng(seed)
    return AttackScores(member=rng.normal(gap, 1, n), nonmember=rng.normal(0, 1, m))


def epsilon_of_leaky_response(epsilon: float, leak: float, delta: float) -> float:
    """Of leaky randomized response, from the kinks of its curve."""
    if delta < leak:
        return inf
    q = 1 / (1 + np.exp(-epsilon))
    kinks = [((1 - leak) * (1 - q), leak + (1 - leak) * q), (1 - leak, 1.0)]
    return max([0.0, *(log((tpr - delta) / fpr) for fpr, tpr in kinks if tpr > delta)])


@parametrize(
    ("n", "m", "epsilon", "leak"),
    [(6, 6, 0.5, 0.05), (5, 8, 0.8, 0.0), (8, 4, 0.3, 0.1)],
    slow_but=[(6, 6, 0.5, 0.05)],
)
def test_the_limits_are_false_at_any_delta_as_rarely_as_said(
    n: int, m: int, epsilon: float, leak: float
) -> None:
    # All rankings, with their exact chances under the least favourable law of (epsilon, leak).
    level = 0.2
    members, chances = orders_with_chances(n, m, epsilon, leak)
    test = profile_rank_test(n, m, level)
    statistics = np.array(
        [np.max(test.refuted_epsilons(row[test.guesses.cuts])) for row in members]
    )
    values = np.unique(statistics[statistics > 0])
    false = np.zeros(len(members), bool)
    for delta in (0.0, 0.05, 0.1, 0.2):
        truth = epsilon_of_leaky_response(epsilon, leak, delta)
        if truth < inf:
            leaks = leak_pairs(n, m, delta, level, 20)
            p_values = [p_value_curve(test, float(each), leaks)(truth) for each in values]
            assert (np.diff(p_values) <= 1e-9).all()
            exact = [chances[statistics >= each].sum() for each in values]
            assert (np.array(p_values) >= np.array(exact) - 1e-9).all()
            if delta == leak:
                np.testing.assert_allclose(p_values, exact, atol=1e-3)
            refuting = values[np.array(p_values) <= level]
            false |= statistics >= np.min(refuting, initial=inf)
    assert 0 < chances[false].sum() <= level


@pytest.mark.parametrize(("n", "m"), [(30, 20), (4, 7)])
def test_the_statistic_is_as_described(n: int, m: int) -> None:
    test = profile_rank_test(n, m, 0.2)
    tried, levels = test.guesses, test.levels
    half = (n + m) // 2
    cuts = [half]
    while cuts[-1] / 1.12 >= 4:
        cuts.append(int(cuts[-1] / 1.12))
    guessed = [pair for k in cuts for pair in ((k, k), (k, 0), (0, k))]
    found = dict(zip(zip(tried.top, tried.bottom, strict=True), levels, strict=True))
    assert sorted(found) == sorted(guessed)
    assert not tried.leaks.any()
    for (top, bottom), level in found.items():
        both = 0.2 if top == half else 0.1 * ((top + bottom) / (n + m)) ** 0.3
        assert level == pytest.approx(both if top == bottom else 0.01)


def test_the_bound_of_a_perfect_attack_on_unequal_classes_is_finite() -> None:
    # Probabilities of the upper class are 1 up to rounding there.
    test = profile_rank_test(8, 4, 0.2)
    perfect = float(np.max(test.refuted_epsilons(np.minimum(test.guesses.cuts, 8))))
    found = [bound_from_statistic(test, perfect, leak_pairs(8, 4, d, 0.2, 20)) for d in (0.0, 0.1)]
    assert inf > found[0] > found[1] >= 0


def test_the_deltas_at_hand_are_none_and_powers_of_ten() -> None:
    found = certified_profile(AttackScores(member=[1], nonmember=[2])).deltas
    assert found.tolist() == [0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2]


def test_the_limits_never_rise_with_delta() -> None:
    scores = two_classes(2, 30, 20)
    profile = certified_profile(scores, deltas=DELTAS)
    assert (np.diff(profile.epsilons) <= 0).all()
    assert profile.epsilons[-1] > 0
    # Each limit alone, whatever other deltas are asked.
    alone = certified_profile(scores, deltas=[DELTAS[1]])
    assert alone.epsilons[0] == pytest.approx(profile.epsilons[1], rel=0.003)
    # Between two deltas the limit is that of the larger one; beyond the last nothing is said.
    assert profile.epsilon(1e-4) == profile.epsilons[1]
    assert profile.epsilon(0.5) == 0
    assert profile.delta(0.0) == DELTAS[-1]
    assert profile.delta(100) == 0
    assert profile.confidence_level == 0.95
    assert profile.delta(profile.epsilons[-1]) == DELTAS[-2]
    with pytest.raises(ValueError, match=r"delta must be in \[0, 1\], got 1\.5"):
        profile.epsilon(1.5)


def test_a_reversed_or_an_empty_attack_certifies_nothing() -> None:
    turned = two_classes(2, 100, 100).reversed()
    assert not certified_profile(turned, deltas=[0, 0.1]).epsilons.any()
    few = AttackScores(member=[0.0], nonmember=[1.0])
    assert not certified_profile(few, deltas=[0], confidence_level=0.5).epsilons.any()
    found = [
        certified_profile(two_classes(0, 40, 60, seed), deltas=[0]).epsilons[0] > 0
        for seed in range(100)
    ]
    assert sum(found) <= 5 + 2 * 2.2


@pytest.mark.parametrize(("n", "leaking"), [(100, 10), (500, 14)])
def test_leaks_of_few_records_show_more_than_by_the_usual_statistic(n: int, leaking: int) -> None:
    # A few members are first, the others alternate with the non-members.
    member = np.append(np.linspace(0, 1, n - leaking) + 1e-4, 2 + np.arange(leaking))
    scores = AttackScores(member=member, nonmember=np.linspace(0, 1, n))
    test, no_ties = simple_test(n, n, delta=0.0, level=0.05), np.random.default_rng(0)
    members = members_above_cuts(scores, test.guesses.cuts, no_ties)[:, 0]
    usual = bound_from_statistic(test, float(np.max(test.refuted_epsilons(members))), [(0, 0, 1.0)])
    assert certified_profile(scores, deltas=[0]).epsilons[0] > 1.4 * usual + 0.03


def test_the_seed_ranks_ties_and_nothing_else() -> None:
    scores = two_classes(2, 50, 50)
    free = [certified_profile(scores, deltas=[0], rng=seed).epsilons[0] for seed in (0, 1)]
    assert free[0] == free[1] > 0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"deltas": []}, r"deltas must be a list with at least one number, got \[\]"),
        ({"deltas": [0.1, 2]}, r"deltas must be in \[0, 1\], got 2"),
        ({"confidence_level": 1}, r"confidence_level must be in \[0.5, 1\), got 1"),
        ({"applies_to": "all"}, "applies_to must be one of"),
    ],
)
def test_bad_arguments_are_named(given: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        certified_profile(two_classes(1, 9, 9), **given)  # type: ignore[arg-type]


def test_too_many_records_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = AttackScores(member=range(6000), nonmember=range(6000))
    with pytest.raises(ValueError, match="scores must be of at most 10000 records, got 12000"):
        certified_profile(scores)
    monkeypatch.setattr(module, "MOST_RECORDS", 18)
    certified_profile(two_classes(1, 9, 9), deltas=[0])
    with pytest.raises(ValueError, match="scores must be of at most 18 records, got 19"):
        certified_profile(two_classes(1, 10, 9))
