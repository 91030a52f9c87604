"""The rank bound: its statistic, its size, what its tests allow, its power, and its seed."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom

from dpviz.audit import AttackScores, lower_bound
from dpviz.audit.bounds import EpsilonBound, RankEvidence, rank
from dpviz.audit.bounds.exact_rank import DenseTest
from dpviz.audit.bounds.rank import (
    TARGETS,
    Crossing,
    RankTest,
    allowed_counts,
    members_in_first,
    rank_bound,
)
from dpviz.audit.bounds.result import MethodResult, Request
from tests.slow import parametrize


def bound_of(scores: AttackScores, *, delta: float = 0.0, seed: int = 0) -> EpsilonBound:
    return lower_bound(scores, delta=delta, method="rank", seed=seed)


def laplace(seed: int, n: int, m: int, *, gap: float = 1.0) -> AttackScores:
    rng = np.random.default_rng(seed)
    return AttackScores(member=rng.laplace(gap, 1, n), nonmember=rng.laplace(0, 1, m))


def leaky_response(
    rng: np.random.Generator, n: int, m: int, *, epsilon: float, delta: float
) -> AttackScores:
    """Record by record: told truly with odds e^epsilon, for sure with probability delta."""
    truth = 1 / (1 + math.exp(-epsilon))
    member = np.where(rng.random(n) < truth, 2, 1)
    member[rng.random(n) < delta] = 3
    nonmember = np.where(rng.random(m) < truth, 1, 2)
    nonmember[rng.random(m) < delta] = 0
    return AttackScores(member=member + rng.random(n) / 2, nonmember=nonmember + rng.random(m) / 2)


@pytest.mark.parametrize(("n", "m"), [(30, 30), (12, 50), (50, 9)])
@pytest.mark.parametrize("delta", [0.0, 0.05])
@pytest.mark.parametrize("of", [RankTest, DenseTest])
def test_the_statistic_never_falls_when_a_member_moves_up(
    n: int, m: int, delta: float, of: type[RankTest]
) -> None:
    test, rng = of(n, m, delta=delta, level=0.05), np.random.default_rng(31)
    rises = 0
    for _ in range(8):
        labels = rng.permutation(np.repeat([1, 0], [n, m]))
        before = -math.inf
        for _ in range(60):
            up = np.flatnonzero((labels[:-1] == 0) & (labels[1:] == 1))
            if up.size == 0:
                break
            i = int(rng.choice(up))
            labels[[i, i + 1]] = labels[[i + 1, i]]
            members = np.concatenate([[0], np.cumsum(labels)])[test.guesses.cuts]
            found = float(np.max(test.refuted(members)))
            assert found >= before
            rises += found > before
            before = found
    assert rises > 10


@parametrize(
    ("n", "m", "epsilon", "delta", "confidence"),
    [
        (30, 30, 0.0, 0.0, 0.8),
        (40, 40, 1.0, 0.0, 0.8),
        (40, 25, 1.0, 0.01, 0.8),
        (20, 20, 0.0, 0.01, 0.95),
    ],
    slow_but=[(40, 40, 1.0, 0.0, 0.8)],
)
def test_the_size_at_the_least_favourable_law(
    n: int, m: int, epsilon: float, delta: float, confidence: float
) -> None:
    runs, rng = 200, np.random.default_rng(32)
    false = 0
    for run in range(runs):
        scores = leaky_response(rng, n, m, epsilon=epsilon, delta=delta)
        found = lower_bound(
            scores, delta=delta, confidence_level=confidence, method="rank", seed=run
        )
        false += found.low > epsilon
    level = 1 - confidence
    assert false / runs <= level + 3 * math.sqrt(level * (1 - level) / runs)
    assert false > 0  # at this law little is given away


@pytest.mark.parametrize("level", [0.005, 0.05, 0.3, 0.5])
@pytest.mark.parametrize("tries", [1, 3, 5])
def test_so_many_tests_of_a_uniform_p_value_refute_at_the_level(level: float, tries: int) -> None:
    size = math.ceil(300 / level)

    def chance(allowed: int) -> float:
        def some(p: float) -> float:
            return float(1 - (1 - binom.cdf(allowed, size, p)) ** tries)

        middle, width = allowed / size, 8 * math.sqrt(allowed) / size
        lower, upper = max(middle - width, 0.0), min(middle + width, 1.0)
        assert some(lower) > 1 - 1e-9
        assert some(upper) < 1e-9
        return lower + float(quad(some, lower, upper, epsabs=1e-10, limit=200)[0])

    allowed = allowed_counts(size, tries, level)
    assert chance(allowed) <= level
    assert chance(allowed + 1 + math.ceil(0.003 * allowed)) > level
    if tries == 1:  # the integral of a binomial distribution function
        assert chance(allowed) == pytest.approx((allowed + 1) / (size + 1), rel=1e-6)


def test_the_tests_that_are_made_are_those_that_are_allowed_for() -> None:
    test = RankTest(20, 20, delta=0.0, level=0.05)
    assert test.allowed == allowed_counts(6000, 3, 0.05)
    assert len(TARGETS) == 3
    assert all(a > b for a, b in zip((1.0, *TARGETS), TARGETS, strict=False))


@pytest.mark.parametrize("center", [6.0, 2.4])
def test_a_place_that_was_guessed_too_high_refutes_nothing(
    monkeypatch: pytest.MonkeyPatch, center: float
) -> None:
    guess = Crossing(center=center, slope=4.0, middle=center, unit=1.0, errors=np.eye(2) / 100)
    monkeypatch.setattr(rank, "located", lambda *_, **__: guess)
    for seed in range(5):
        bound = bound_of(laplace(seed, 200, 200), seed=seed)
        assert (bound.low, bound.evidence, bound.seed_spread) == (0, (), 0)


@pytest.mark.slow
def test_the_median_bound_of_a_laplace_leak_keeps_its_power() -> None:
    lows = [bound_of(laplace(seed, 500, 500), seed=seed).low for seed in range(40)]
    assert 0.77 <= np.median(lows) < 1


@pytest.mark.slow
def test_the_median_bound_of_normal_scores_keeps_its_power() -> None:
    lows = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        scores = AttackScores(member=rng.normal(2, 1, 1000), nonmember=rng.normal(0, 1, 1000))
        lows.append(bound_of(scores, delta=1e-5).low)
    assert np.median(lows) >= 3.5


@pytest.mark.slow
def test_a_leak_at_one_end_is_found_there() -> None:
    lows = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        member = rng.normal(size=500) + 6 * (rng.random(500) < 0.05)
        bound = bound_of(AttackScores(member=member, nonmember=rng.normal(size=500)), seed=seed)
        (evidence,) = bound.evidence
        assert isinstance(evidence, RankEvidence)
        assert evidence.bottom == 0
        lows.append(bound.low)
    assert np.median(lows) >= 0.95


def test_many_records_are_never_lost_on_a_steep_curve() -> None:
    # Shallow depths make a slow tail of the p-value, deep ones a sudden rise.
    for seed in (3, 29, 30, 33):  # lost with one window
        rng = np.random.default_rng(seed)
        member = rng.normal(size=100_000) + 9 * (rng.random(100_000) < 4e-4)
        scores = AttackScores(member=member, nonmember=rng.normal(size=100_000))
        assert bound_of(scores, delta=1e-5, seed=seed).low > 1


def test_nothing_is_found_in_equal_laws_and_in_reversed_scores() -> None:
    lows = np.array([bound_of(laplace(seed, 100, 100, gap=0), seed=seed).low for seed in range(40)])
    assert np.median(lows) == 0
    assert np.mean(lows > 0) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / lows.size)
    for seed in range(3):
        bound = bound_of(laplace(seed, 150, 100, gap=-2))
        assert (bound.low, bound.evidence, bound.seed_spread) == (0, (), 0)
    test = RankTest(30, 20, delta=0.0, level=0.05)
    reversed_ranks = np.maximum(test.guesses.cuts - 20, 0)
    assert test.bound(reversed_ranks, np.random.default_rng(0)) == (0, None)


def test_ties_are_ranked_at_random_not_by_membership() -> None:
    for values in (np.ones(50), np.repeat([1.0, 0.0], 25)):
        scores = AttackScores(member=values, nonmember=values)
        bounds = [bound_of(scores, seed=seed) for seed in range(40)]
        nothing = [bound for bound in bounds if bound.low == 0]
        assert len(nothing) >= 0.85 * 40
        assert all(bound.seed_spread == 0 for bound in nothing)


@pytest.mark.slow
@pytest.mark.parametrize("decimals", [None, 0])
def test_the_spread_over_seeds_is_as_said(decimals: int | None) -> None:
    scores = laplace(44, 300, 300, gap=1.2)
    if decimals is not None:
        classes = (scores.member.round(decimals), scores.nonmember.round(decimals))
        scores = AttackScores(member=classes[0], nonmember=classes[1])
    bounds = [bound_of(scores, seed=seed) for seed in range(25)]
    measured = np.std([bound.low for bound in bounds], ddof=1)
    said = np.median([bound.seed_spread for bound in bounds if bound.seed_spread is not None])
    assert measured / 2 <= said <= 2 * measured
    assert all(bound.seed_spread is not None and bound.seed_spread > 0 for bound in bounds)


@pytest.mark.parametrize("of_simulations", [None, 0.0, 0.3])
def test_the_spread_of_ties_is_that_of_the_statistic_over_rankings(
    monkeypatch: pytest.MonkeyPatch, of_simulations: float | None
) -> None:
    found = MethodResult(low=0.2, seed_spread=of_simulations)
    monkeypatch.setattr(rank, "simulated", lambda *_: found)
    rng = np.random.default_rng(45)
    member, nonmember = rng.normal([[0.7], [0.0]], 1, (2, 300)).round()
    scores = AttackScores(member=member, nonmember=nonmember)
    bound = rank_bound(scores, Request(delta=0.0, confidence_level=0.95, seed=1))
    test = RankTest(300, 300, delta=0.0, level=0.05)
    rankings = members_in_first(scores, test.guesses.cuts, rng, times=1000)
    largest = [float(np.max(test.refuted(each))) for each in rankings.T]
    assert 0 < np.mean(largest) < 0.9
    expected = math.hypot(of_simulations or 0, np.std(np.maximum(largest, 0)))
    # By 20 rankings a standard deviation is known to a sixth.
    assert bound.seed_spread == pytest.approx(expected, rel=0.5)
    assert (bound.seed_spread or 0) > (of_simulations or 0)


def test_the_same_seed_gives_the_same_bound() -> None:
    scores = laplace(40, 120, 120, gap=1.3)
    one, same, other = (bound_of(scores, seed=seed) for seed in (1, 1, 2))
    assert one == same
    assert 0 < abs(one.low - other.low) <= 0.1


def test_only_the_order_of_the_scores_matters() -> None:
    scores = laplace(41, 80, 60)
    expected = bound_of(scores)
    assert expected.low > 0
    for turn in (np.exp, lambda x: 5 * x - 1e6, np.flip):
        found = bound_of(AttackScores(member=turn(scores.member), nonmember=turn(scores.nonmember)))
        assert found == expected
    losses = AttackScores.from_losses(member=-scores.member, nonmember=-scores.nonmember)
    assert bound_of(losses).low == expected.low


@pytest.mark.parametrize(("n", "m"), [(80, 700), (700, 80)])
def test_classes_of_unequal_size(n: int, m: int) -> None:
    lows = [bound_of(laplace(seed, n, m), seed=seed).low for seed in range(5)]
    assert 0.3 <= np.median(lows) <= 1
    assert bound_of(laplace(0, n, m, gap=0)).low <= 0.1


@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 3), (3, 1), (1, 60), (2, 2)])
def test_very_few_records_show_next_to_nothing(n: int, m: int) -> None:
    scores = AttackScores(member=np.linspace(10, 11, n), nonmember=np.linspace(0, 1, m))
    bound = bound_of(scores)
    # A lone member is first of 61 with a chance of 1 / 61; else no order at all is unusual.
    assert bound.low == 0 or (n, m) == (1, 60)
    assert bound.low <= math.log(60 * 0.05 / 0.95)


@pytest.mark.parametrize(("n", "m"), [(3, 3), (10, 10), (40, 40)])
def test_separated_classes_are_no_more_unusual_than_they_are(n: int, m: int) -> None:
    bound = bound_of(AttackScores(member=np.linspace(10, 11, n), nonmember=np.linspace(0, 1, m)))
    # P(separated) of randomized response, by the number of records told to be members.
    grid = np.linspace(0, 12, 1201)
    q, chance = 1 / (1 + np.exp(-grid)), np.zeros_like(grid)
    for a, b in product(range(n + 1), range(m + 1)):
        # a members and b non-members in the upper class; separated only by luck within classes.
        if b > 0 and n - a > 0:
            continue
        luck = 1 / math.comb(a + b, a) / math.comb(n - a + m - b, n - a)
        chance += luck * binom.pmf(a, n, q) * binom.pmf(b, m, 1 - q)
    refuted = grid[chance <= 0.05]
    limit = 0.0 if refuted.size == 0 else float(refuted.max())
    # Events that hold the separated order are likelier than it is: never above, up to simulation.
    assert bound.low <= limit + 0.05 * max(1, limit)
    assert bound.low >= 0.6 * limit - 0.5


@pytest.mark.parametrize("seed", range(2))
def test_the_evidence_is_counted_in_the_ranking(seed: int) -> None:
    scores = laplace(seed, 150, 130)
    bound = bound_of(scores)
    (evidence,) = bound.evidence
    assert isinstance(evidence, RankEvidence)
    ranked = np.argsort(-np.concatenate([scores.member, scores.nonmember])) < 150
    assert evidence.members_in_top == ranked[: evidence.top].sum()
    assert evidence.nonmembers_in_bottom == np.sum(~ranked[280 - evidence.bottom :])
    assert evidence.top in (0, evidence.bottom) or evidence.bottom == 0
    # Guesses that are right more often than this epsilon allows on average.
    right = evidence.members_in_top + evidence.nonmembers_in_bottom
    assert right / (evidence.top + evidence.bottom) > 1 / (1 + math.exp(-bound.low)) - 0.05


def test_more_delta_explains_more() -> None:
    scores = laplace(42, 300, 300, gap=2)
    lows = [bound_of(scores, delta=delta).low for delta in (0.0, 0.1, 0.3, 1.0)]
    assert np.all(np.diff(lows) < 0)
    assert lows[-1] == 0


@pytest.mark.parametrize("directions", ["attack", "both"])
def test_a_confidence_beyond_what_is_simulated_is_refused(directions: str) -> None:
    limit, got = ("0.9999", 0.99991) if directions == "attack" else ("0.9998", 0.99981)
    message = f"confidence_level must be at most {limit} for method 'rank'"
    with pytest.raises(ValueError, match=rf"{message}.*, got {got}"):
        lower_bound(
            laplace(0, 20, 20),
            delta=0.0,
            confidence_level=got,
            method="rank",
            directions="both" if directions == "both" else "attack",
        )


def test_each_count_refutes_alone_at_a_tenth_of_the_level_or_less() -> None:
    test = RankTest(30, 20, delta=0.01, level=0.2)
    ends = (test.guesses.top > 0) & (test.guesses.bottom > 0)
    np.testing.assert_allclose(test.levels, np.where(ends, 0.02, 0.007))
    # So often more records leak than are set aside.
    leaks = int(test.guesses.leaks[0])
    assert binom.sf(leaks, 50, 0.01) <= 0.02 < binom.sf(leaks - 1, 50, 0.01)
    # Of one record at either end, too.
    of_two = RankTest(1, 1, delta=0.0, level=0.2).levels
    np.testing.assert_allclose(of_two, [0.02, 0.007, 0.007])


@pytest.mark.parametrize(("n", "m"), [(3, 2), (700_000, 400_000), (3, 10**6)])
def test_a_perfect_attack_ranks_all_members_first(n: int, m: int) -> None:
    scores = rank.separated(n, m)
    assert (scores.n_members, scores.n_nonmembers) == (n, m)
    cuts = np.array([1, n, n + 1])
    found = members_in_first(scores, cuts, np.random.default_rng(0))[:, 0]
    assert found.tolist() == [1, n, n]


@pytest.mark.parametrize(("n", "m"), [(12, 5), (5, 12)])
def test_no_ranking_has_a_larger_statistic_than_all_members_first(n: int, m: int) -> None:
    test, labels = RankTest(n, m, delta=0.0, level=0.05), np.repeat([1, 0], [n, m])
    members = np.concatenate([[0], np.cumsum(labels)])[test.guesses.cuts]
    assert test.largest() == np.max(test.refuted(members))


def test_a_test_refutes_with_so_many_simulations_as_are_allowed_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    guess = Crossing(center=1.2, slope=4.0, middle=1.0, unit=1.0, errors=np.eye(2) / 100)
    monkeypatch.setattr(rank, "located", lambda *_, **__: guess)
    monkeypatch.setattr(rank, "CHUNK", 1000)
    test, members = RankTest(30, 30, delta=0.0, level=0.05), np.arange(61)
    members = np.minimum(members // 2 + members // 4, 30)[test.guesses.cuts]
    needed = test.needed(float(np.max(test.refuted(members))))[:, None]
    epsilon, rng = guess.at(test.tested[0]), np.random.default_rng(5)
    counts = [test.law.draw(np.full(1000, epsilon), rng) for _ in range(test.size // 1000)]
    as_large = sum((test.guesses.right(each) >= needed).any(axis=0).sum() for each in counts)
    assert 0 < as_large < test.size == 6000
    for allowed, refutes in ((as_large, True), (as_large - 1, False)):
        test.allowed = int(allowed)
        low, _ = test.bound(members, np.random.default_rng(5))
        assert (low == epsilon) == refutes


def test_the_spread_said_is_that_of_places_and_fits() -> None:
    test, rng = RankTest(30, 30, delta=0.0, level=0.05), np.random.default_rng(6)
    curve = Crossing(center=1.0, slope=5.0, middle=0.7, unit=0.2, errors=np.diag([4e-4, 1e-4]))
    test.allowed += 5  # all three tests have a say
    runs = 200_000
    refuted = rng.binomial(test.size, test.tested, (runs, 3)) <= test.allowed
    first, some = np.argmax(refuted, axis=1), refuted.any(axis=1)
    places = np.array([curve.at(each) for each in test.tested])[first[some]]
    fits = rng.normal(0, curve.standard_error(0.05), some.sum())
    assert len(set(places)) == 3
    assert test.simulation_spread(curve) == pytest.approx(np.std(places + fits), rel=0.02)
