"""The test of a whole curve: the law it simulates, its size, its power, and what moves it."""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import beta, binom, chi2_contingency, chisquare, hypergeom, norm

from dpviz.audit import AttackScores
from dpviz.audit.evidence.plan import power_of_claim_test
from dpviz.audit.evidence.whole_curve import (
    curve_test,
    least_favourable_counts_and_row_pairs,
    members_above,
    nonmember_ranks_at_both_ends,
    polyline_below,
)
from dpviz.theory import (
    ApproximateDP,
    Composed,
    DiscretePair,
    GaussianDP,
    LaplaceMechanism,
    OneWaySubsampled,
    PiecewiseLinear,
    PublicMixture,
    PureDP,
    RandomizedResponse,
    Subsampled,
    TotalVariation,
    TradeoffFunction,
)
from tests.slow import parametrize

Draw = Callable[[np.random.Generator, tuple[int, ...], tuple[int, ...]], tuple[np.ndarray, ...]]


def gaussian(mu: float) -> Draw:
    return lambda rng, n, m: (rng.normal(mu, 1, n), rng.normal(0, 1, m))


def laplace(epsilon: float) -> Draw:
    return lambda rng, n, m: (rng.laplace(epsilon, 1, n), rng.laplace(0, 1, m))


def two_answers(epsilon: float) -> Draw:
    """Randomized response: scores 1 and 0, all else is ties."""
    truth = 1 / (1 + math.exp(-epsilon))
    return lambda rng, n, m: (1.0 * (rng.random(n) < truth), 1.0 * (rng.random(m) > truth))


def leaky_response(epsilon: float, delta: float) -> Draw:
    """Told truly with odds e^epsilon, shown with probability delta; random within a class."""

    def draw(
        rng: np.random.Generator, n: tuple[int, ...], m: tuple[int, ...]
    ) -> tuple[np.ndarray, ...]:
        truth = 1 / (1 + math.exp(-epsilon))
        member = np.where(rng.random(n) < truth, 2, 1)
        member[rng.random(n) < delta] = 3
        nonmember = np.where(rng.random(m) < truth, 1, 2)
        nonmember[rng.random(m) < delta] = 0
        return member + rng.random(n) / 2, nonmember + rng.random(m) / 2

    return draw


def scores_of(draw: Draw, seed: int, n: int, m: int) -> AttackScores:
    member, nonmember = draw(np.random.default_rng(seed), (n,), (m,))
    return AttackScores(member=member, nonmember=nonmember)


def p_of(
    scores: AttackScores, f: TradeoffFunction, *, seed: int = 0, confidence_level: float = 0.5
) -> float:
    """With few simulations: at 0.5 they are 400."""
    return curve_test(scores, f, confidence_level=confidence_level, rng=seed).p_value


LEAST_FAVOURABLE = [
    (GaussianDP(mu=0), gaussian(0), 30, 30),
    (GaussianDP(mu=1), gaussian(1), 40, 25),
    (LaplaceMechanism(epsilon=1), laplace(1), 30, 40),
    (RandomizedResponse(epsilon=1), two_answers(1), 40, 25),
    (PureDP(epsilon=2), leaky_response(2, 0), 20, 60),
    (ApproximateDP(epsilon=1, delta=0.05), leaky_response(1, 0.05), 35, 35),
]
"""Claims beside laws of scores that reach their curves, drawn record by record."""
NAMES = [repr(f) for f, *_ in LEAST_FAVOURABLE]
CURVES = [f for f, *_ in LEAST_FAVOURABLE] + [
    GaussianDP(mu=4),
    TotalVariation(delta=0.2),
    ApproximateDP(epsilon=0.5, delta=1),
    ApproximateDP(epsilon=6, delta=1e-5),
    Composed([RandomizedResponse(epsilon=0.3)] * 5),
    Subsampled(base=GaussianDP(mu=1), sampling_rate=0.1),
    OneWaySubsampled(base=GaussianDP(mu=2), sampling_rate=0.3),
    OneWaySubsampled(base=GaussianDP(mu=2), sampling_rate=0.3).inverse(),
    OneWaySubsampled(base=GaussianDP(mu=2), sampling_rate=0.3).min_symmetrized(),
    PublicMixture([GaussianDP(mu=1), GaussianDP(mu=3)], weights=[0.5, 0.5]),
    DiscretePair([0.5, 0.3, 0.2, 0.0], [0.1, 0.3, 0.5, 0.1]),
]


@pytest.mark.parametrize("f", CURVES, ids=repr)
def test_the_grid_has_ranks_above_and_mirrors_below_them(f: TradeoffFunction) -> None:
    for m in (1, 2, 3, 7, 100, 101, 5000):
        above, mirror = nonmember_ranks_at_both_ends(f, m)
        assert above[0] == 1
        assert np.all(np.diff(above) > 0)
        assert np.all(np.diff(mirror) <= 0)
        assert np.all((above <= mirror) & (mirror <= m))
    if f.is_symmetric:  # as many members are missed there as others accused above
        np.testing.assert_allclose(f.beta(mirror / 5001), above / 5001, atol=f.tpr(1 / 5001))


def test_the_grid_of_no_leakage_is_as_far_from_both_ends() -> None:
    for m in range(1, 200):
        above, mirror = nonmember_ranks_at_both_ends(GaussianDP(mu=0), m)
        np.testing.assert_array_equal(mirror, m + 1 - above)
        assert above[-1] == (m + 1) // 2


@pytest.mark.parametrize(("f", "draw", "n", "m"), LEAST_FAVOURABLE, ids=NAMES)
def test_simulated_counts_have_the_law_of_records(
    f: TradeoffFunction, draw: Draw, n: int, m: int
) -> None:
    runs, rng = 3000, np.random.default_rng(50)
    law, _ = least_favourable_counts_and_row_pairs(f, n, m)
    chosen = law.ranks
    counts = law.draw(runs, rng)
    member, nonmember = draw(rng, (runs, n), (runs, m))
    if isinstance(f, RandomizedResponse):  # ties at random
        member, nonmember = (x + rng.random(x.shape) / 2 for x in (member, nonmember))
    at = -np.sort(-nonmember, axis=1)[:, chosen - 1]
    records = np.stack([np.sum(member > at[:, [i]], axis=1) for i in range(chosen.size)])
    assert counts.shape == records.shape == (chosen.size, runs)
    # Each count and each number of members between two ranks: the joint law, pair by pair.
    pairs = [(i, j) for i, j in combinations(range(chosen.size), 2)]
    both = [np.concatenate([x, [x[j] - x[i] for i, j in pairs]]) for x in (counts, records)]
    for found, expected in zip(*both, strict=True):
        squares = [(x - expected.mean()) ** 2 for x in (found, expected)]
        for a, b in ((found, expected), squares):
            error = math.sqrt((np.var(a) + np.var(b)) / runs)
            assert abs(np.mean(a) - np.mean(b)) <= 4.5 * error + 1e-12
    for i in range(chosen.size):
        tables = Counter(counts[i].tolist()), Counter(records[i].tolist())
        common = [x for x in tables[0] | tables[1] if tables[0][x] + tables[1][x] >= 20]
        if len(common) > 1:
            table = [[found[x] for x in common] for found in tables]
            assert chi2_contingency(table).pvalue > 1e-5


@pytest.mark.parametrize("f", CURVES, ids=repr)
def test_what_is_simulated_lies_nowhere_above_the_curve_and_hardly_below(
    f: TradeoffFunction,
) -> None:
    rng, m = np.random.default_rng(51), 10_000
    fpr, fnr = polyline_below(f, log_odds_limit=math.log(m) + 9)
    assert fpr[0] == 0
    assert (fpr[-1], fnr[-1]) == (1, 0)
    assert np.all(np.diff(fpr) >= 0)
    log_odds = rng.uniform(-1, 1, 2000) * (math.log(m) + 12)
    x = 1 / (1 + np.exp(log_odds))
    exact, found = f.beta(x), np.interp(x, fpr, fnr)
    assert np.all(found <= exact + 1e-13)
    # In standard deviations of the count of 10^4 members, of which one may stand at any place.
    spread = np.sqrt(exact * (1 - exact) * m + 1) / m
    is_reached = np.abs(log_odds) < math.log(m) + 5
    assert np.max(((exact - found) / spread)[is_reached]) < 0.03
    if f.atoms() is not None and len(f.kinks) < 10:  # corners far apart
        np.testing.assert_allclose(found, exact, rtol=0, atol=1e-12)


@parametrize(("f", "draw", "n", "m"), LEAST_FAVOURABLE, slow_but=LEAST_FAVOURABLE[1:2], ids=NAMES)
def test_the_size_at_the_least_favourable_law_is_the_level(
    f: TradeoffFunction, draw: Draw, n: int, m: int
) -> None:
    runs = 150
    p_values = np.array([p_of(scores_of(draw, s, n, m), f, seed=s) for s in range(runs)])
    for level in (0.02, 0.1, 0.3, 0.6):
        error = math.sqrt(level * (1 - level) / runs)
        assert abs(np.mean(p_values <= level) - level) <= 4 * error


@pytest.mark.slow
@pytest.mark.parametrize("level", [0.02, 0.1, 0.3])
def test_scores_well_inside_a_claim_are_rejected_less_often(level: float) -> None:
    claims = [(GaussianDP(mu=1), laplace(1)), (PureDP(epsilon=1), laplace(0.8))]
    for f, draw in claims:
        p_values = [p_of(scores_of(draw, s, 30, 30), f, seed=s) for s in range(40)]
        assert np.mean(np.array(p_values) <= level) <= level


@pytest.mark.parametrize("f", [GaussianDP(mu=0), GaussianDP(mu=1), PureDP(epsilon=0.5)], ids=repr)
def test_reversed_scores_are_never_rejected(f: TradeoffFunction) -> None:
    for seed in range(5):
        scores = scores_of(gaussian(-2), seed, 200, 150)
        assert p_of(scores, f, seed=seed) > 0.9


def test_a_leak_far_beyond_the_claim_is_rejected_with_the_smallest_p_value() -> None:
    for seed in range(8):
        found = curve_test(scores_of(gaussian(2), seed, 500, 500), GaussianDP(mu=1), rng=seed)
        assert found.rejected
        assert found.p_value == 1 / 4001
        assert found.n_resamples == 4000
        assert found.evidence.tpr > found.evidence.permitted_tpr + 0.1


def power_of_the_best_preset_threshold(mu: float, claimed: float, n: int) -> float:
    """Of exact upper limits of both rates at 0.975, by summing over all counts."""
    errors = np.arange(n + 1)
    upper = np.append(beta.ppf(0.975, errors[:-1] + 1, n - errors[:-1]), 1.0)
    below = norm.cdf(norm.isf(upper) - claimed)  # what the FNR has to stay under
    most = np.searchsorted(upper, below, side="left") - 1
    powers = [
        np.sum(binom.pmf(errors, n, norm.sf(t)) * binom.cdf(most, n, norm.cdf(t - mu)))
        for t in np.linspace(-2, 3.5, 56)
    ]
    return float(max(powers))


@pytest.mark.slow
def test_looking_everywhere_finds_more_than_the_best_preset_threshold() -> None:
    preset = power_of_the_best_preset_threshold(1.2, 1.0, 500)
    assert 0.3 < preset < 0.6
    found = [
        curve_test(scores_of(gaussian(1.2), seed, 500, 500), GaussianDP(mu=1), rng=seed).rejected
        for seed in range(30)
    ]
    assert np.mean(found) > preset + 2 * math.sqrt(0.25 / 30)


@pytest.mark.slow
def test_both_tails_together_find_what_is_at_both_ends() -> None:
    claim = LaplaceMechanism(epsilon=0.65)
    found = [
        curve_test(scores_of(laplace(1), seed, 500, 500), claim, rng=seed).rejected
        for seed in range(20)
    ]
    assert np.mean(found) >= 0.8


def test_a_leak_of_few_members_is_found_at_its_end() -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        member = rng.normal(size=500) + 8 * (rng.random(500) < 0.06)
        scores = AttackScores(member=member, nonmember=rng.normal(size=500))
        found = curve_test(scores, GaussianDP(mu=0.3), rng=seed)
        assert found.rejected
        assert found.evidence.false_positives <= 2


def test_members_beyond_all_non_members_are_explained_by_delta() -> None:
    rng = np.random.default_rng(52)
    member = np.concatenate([rng.uniform(2, 3, 40), rng.uniform(0, 1, 160)])
    scores = AttackScores(member=member, nonmember=rng.uniform(0, 1, 200))
    assert curve_test(scores, TotalVariation(delta=0.1)).p_value < 0.01
    assert curve_test(scores, TotalVariation(delta=0.2)).p_value > 0.1
    assert curve_test(scores, ApproximateDP(epsilon=0.5, delta=0.2)).p_value > 0.3
    assert curve_test(scores, PureDP(epsilon=1)).p_value < 0.01


@pytest.mark.parametrize("f", [GaussianDP(mu=0.5), PureDP(epsilon=0.4)], ids=repr)
def test_the_p_value_never_rises_when_a_member_moves_up(f: TradeoffFunction) -> None:
    rng = np.random.default_rng(53)
    labels = rng.permutation(np.repeat([True, False], 25))
    falls, before = 0, 1.0
    for _ in range(100):
        up = np.flatnonzero(~labels[:-1] & labels[1:])
        i = int(rng.choice(up))
        labels[[i, i + 1]] = labels[[i + 1, i]]
        places = -np.arange(50.0)
        p = p_of(AttackScores(member=places[labels], nonmember=places[~labels]), f, seed=7)
        assert p <= before
        falls += p < before
        before = p
    assert falls > 10


def test_only_the_order_of_the_scores_matters() -> None:
    scores = scores_of(gaussian(1.3), 54, 80, 60)
    expected = curve_test(scores, GaussianDP(mu=1))
    assert 0.001 < expected.p_value < 0.9
    for turn in (np.exp, lambda x: 5 * x - 1e6, np.flip):
        turned = AttackScores(member=turn(scores.member), nonmember=turn(scores.nonmember))
        assert curve_test(turned, GaussianDP(mu=1)) == expected
    losses = AttackScores.from_losses(member=-scores.member, nonmember=-scores.nonmember)
    assert curve_test(losses, GaussianDP(mu=1)) == expected


def test_the_same_seed_gives_the_same_p_value() -> None:
    scores = scores_of(gaussian(1), 55, 80, 60)
    one, same, other = (p_of(scores, GaussianDP(mu=1), seed=seed) for seed in (1, 1, 2))
    assert one == same
    assert 0 < abs(one - other) <= 5 * math.sqrt(2 * 0.25 / 400)


def test_ties_are_ranked_at_random_not_by_membership() -> None:
    # From the top: 2 members and 3 non-members tied, a member, then 1 and 2 tied.
    member, nonmember = np.array([5.0, 1, 5, 3]), np.array([1.0, 5, 5, 1, 5, 0])
    scores = AttackScores(member=member, nonmember=nonmember)
    rng, runs, chosen = np.random.default_rng(56), 2000, np.arange(1, 7)
    found = Counter(tuple(members_above(scores, chosen, rng).tolist()) for _ in range(runs))
    law: Counter[tuple[int, ...]] = Counter()
    for top in combinations(range(5), 2):  # places of the two tied members
        for low in range(3):
            labels = [i in top for i in range(5)] + [True] + [i == low for i in range(3)] + [False]
            above = np.cumsum(labels)[~np.array(labels)]
            law[tuple(above.tolist())] += 1
    assert set(found) == set(law)
    chances = np.array(list(law.values())) / sum(law.values())
    assert chisquare([found[x] for x in law], runs * chances).pvalue > 1e-4


def test_scores_that_say_nothing_show_nothing() -> None:
    for values in (np.ones(50), np.repeat([1.0, 0.0], 25)):
        scores = AttackScores(member=values, nonmember=values)
        p_values = [p_of(scores, GaussianDP(mu=0), seed=seed) for seed in range(60)]
        assert np.mean(np.array(p_values) <= 0.1) <= 0.1 + 3 * math.sqrt(0.09 / 60)
        assert np.mean(p_values) > 0.3


@pytest.mark.parametrize("f", [GaussianDP(mu=2), ApproximateDP(epsilon=1, delta=0.5)])
def test_no_scores_have_a_smaller_p_value_than_separated_ones(f: TradeoffFunction) -> None:
    some, separated = (AttackScores([x, 21, 22], range(20)) for x in (9.5, 20))
    found = curve_test(some, f, confidence_level=0.5)
    assert found.p_value > found.smallest_p_value == p_of(separated, f)


@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 60), (60, 1), (3, 2), (4, 5)])
def test_separated_classes_are_as_unusual_as_they_are(n: int, m: int) -> None:
    scores = AttackScores(member=np.arange(n) + 100.0, nonmember=np.arange(m) * 1.0)
    chance = float(hypergeom.pmf(n, n + m, n, n))  # of this order where nothing leaks
    found = p_of(scores, GaussianDP(mu=0), confidence_level=0.95)
    assert found == pytest.approx(chance, abs=4 * math.sqrt(chance / 4000) + 1 / 4000)


def test_the_evidence_is_counted_in_the_ranking() -> None:
    for seed in range(4):
        scores = scores_of(laplace(1.5), seed, 150, 130)
        evidence = curve_test(scores, LaplaceMechanism(epsilon=0.7), rng=seed).evidence
        assert (evidence.n_members, evidence.n_nonmembers) == (150, 130)
        at = np.sort(scores.nonmember)[::-1][evidence.false_positives]
        assert evidence.true_positives == np.sum(scores.member > at)
        assert evidence.fpr == evidence.false_positives / 130
        assert evidence.tpr == evidence.true_positives / 150
        permitted = math.exp(0.7) * evidence.fpr  # until half of the members are accused
        if permitted > 0.5:
            permitted = 1 - math.exp(-0.7) / (4 * evidence.fpr)
        if evidence.fpr <= 0.5:
            assert evidence.permitted_tpr == pytest.approx(permitted)
        assert evidence.tpr > evidence.permitted_tpr


@pytest.mark.parametrize(("n", "m"), [(60, 900), (900, 60)])
def test_classes_of_unequal_size(n: int, m: int) -> None:
    assert p_of(scores_of(gaussian(2), 57, n, m), GaussianDP(mu=0.8)) < 0.01
    assert p_of(scores_of(gaussian(0.5), 58, n, m), GaussianDP(mu=0.8)) > 0.2


def test_many_records_take_no_more_simulation() -> None:
    scores = scores_of(gaussian(1.02), 59, 400_000, 300_000)
    assert curve_test(scores, GaussianDP(mu=1.0)).rejected
    assert not curve_test(scores, GaussianDP(mu=1.03)).rejected


def test_a_p_value_of_exactly_the_level_rejects() -> None:
    scores = AttackScores(member=range(5, 25), nonmember=range(20))
    found = curve_test(scores, GaussianDP(mu=0.5), confidence_level=0.75)
    assert replace(found, p_value=0.25).rejected
    assert not replace(found, p_value=0.2501).rejected


def test_simulations_grow_with_confidence() -> None:
    scores = scores_of(gaussian(0), 60, 30, 30)
    assert curve_test(scores, GaussianDP(mu=0), confidence_level=0.99).n_resamples == 20_000
    found = curve_test(
        scores_of(gaussian(9), 60, 30, 30), GaussianDP(mu=0), confidence_level=127 / 128
    )
    assert (found.n_resamples, found.p_value) == (25_600, 1 / 25_601)  # in more than one batch
    one_each = AttackScores(member=[1.0], nonmember=[0.0])
    assert curve_test(one_each, GaussianDP(mu=0), confidence_level=0.999).n_resamples == 200_000
    message = r"confidence_level must be at most 0\.999, got 0\.9995"
    with pytest.raises(ValueError, match=message):
        curve_test(scores, GaussianDP(mu=0), confidence_level=0.9995)


def test_what_is_not_a_guarantee_is_refused() -> None:
    scores = scores_of(gaussian(0), 61, 20, 20)
    with pytest.raises(ValueError, match="f must be a trade-off function"):
        curve_test(scores, 1.0)  # type: ignore[arg-type]
    dented = PiecewiseLinear([(0, 1), (0.3, 0.2), (0.5, 0.2), (0.6, 0.0), (1, 0)])
    with pytest.raises(ValueError, match="convexified"):
        curve_test(scores, dented)
    assert 0 < p_of(scores, dented.convexified()) <= 1
    for level in (0.0, 1.0, math.nan):
        with pytest.raises(ValueError, match=r"confidence_level must be in \[0.5, 1\)"):
            curve_test(scores, GaussianDP(mu=1), confidence_level=level)
    with pytest.raises(ValueError, match="rng must be"):
        curve_test(scores, GaussianDP(mu=1), rng=-1)


@pytest.mark.parametrize(("top", "bottom"), [(7, 5), (5, 7)])
def test_where_both_ends_count_together_the_stronger_one_is_shown(top: int, bottom: int) -> None:
    rng = np.random.default_rng(1)
    member = np.concatenate([rng.uniform(0, 1, 200 - top), rng.uniform(2, 3, top)])
    nonmember = np.concatenate([rng.uniform(0, 1, 200 - bottom), rng.uniform(-2, -1, bottom)])
    found = curve_test(
        AttackScores(member=member, nonmember=nonmember), LaplaceMechanism(epsilon=0.3)
    )
    assert (found.evidence.false_positives < 20) == (top > bottom)
    assert (found.evidence.true_positives > 180) == (bottom > top)


@pytest.mark.slow
def test_the_power_is_the_share_of_tests_that_reject() -> None:
    runs, n, m, rng = 100, 60, 90, np.random.default_rng(1)

    def power_and_error(attack: TradeoffFunction) -> tuple[float, float]:
        return power_of_claim_test(GaussianDP(mu=1.0), attack, 0.95)(n, m, 4000)

    power, error = power_and_error(GaussianDP(mu=1.5))
    rejected = sum(
        curve_test(
            AttackScores(member=rng.normal(1.5, 1, n), nonmember=rng.normal(0, 1, m)),
            GaussianDP(mu=1.0),
            rng=seed,
        ).rejected
        for seed in range(runs)
    )
    assert 0.6 < power < 0.95
    assert abs(rejected / runs - power) < 3 * math.hypot(error, math.sqrt(power * 0.4 / runs))
    # A true claim is contradicted at the level; a perfect attack on 60 records is always detected.
    assert power_and_error(GaussianDP(mu=1.0))[0] < 0.06
    assert power_and_error(ApproximateDP(epsilon=0.0, delta=1.0))[0] == 1.0
