"""Three paths: deterministic, calibrated for fair coins, and as strong as it should be."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom

from dpviz.audit import AttackScores, lower_bound
from dpviz.audit.bounds import EpsilonBound, RankEvidence
from dpviz.audit.bounds import three_paths as module
from dpviz.audit.bounds.three_paths import SHARES, GuessWalk, _convolved
from tests.slow import parametrize


def bound_of(scores: AttackScores, *, delta: float = 0.0, seed: int = 0) -> EpsilonBound:
    return lower_bound(scores, delta=delta, method="three_paths", seed=seed)


def fair_coins(rng: np.random.Generator, records: int) -> np.ndarray:
    """Membership by coins; again where one class is empty, which is no audit."""
    while True:
        member = rng.random(records) < 0.5
        if 0 < member.sum() < records:
            return np.asarray(member)


def randomized_response(
    rng: np.random.Generator, records: int, *, epsilon: float, delta: float
) -> AttackScores:
    """Each tells its membership for sure with probability delta, else truly with that of e^eps."""
    member = fair_coins(rng, records)
    told = np.where(member ^ (rng.random(records) >= 1 / (1 + math.exp(-epsilon))), 2.0, 1.0)
    told = np.where(rng.random(records) < delta, np.where(member, 3.0, 0.0), told)
    score = told + rng.random(records) / 2
    return AttackScores(member=score[member], nonmember=score[~member])


def laplace(seed: int, records: int, *, gap: float = 1.0) -> AttackScores:
    rng = np.random.default_rng(seed)
    member = fair_coins(rng, records)
    score = rng.laplace(size=records) + gap * member
    return AttackScores(member=score[member], nonmember=score[~member])


@parametrize(
    ("records", "epsilon", "delta"),
    [(60, 0.0, 0.0), (200, 1.0, 0.0), (200, 1.0, 0.01), (60, 0.5, 0.1), (1000, 0.0, 0.01)],
    slow_but=[(200, 1.0, 0.0)],
)
def test_the_bound_exceeds_epsilon_at_most_as_often_as_said(
    records: int, epsilon: float, delta: float
) -> None:
    runs = 250 if delta == 0 else 80
    rng = np.random.default_rng(70)
    lows = np.array(
        [
            bound_of(
                randomized_response(rng, records, epsilon=epsilon, delta=delta), delta=delta
            ).low
            for _ in range(runs)
        ]
    )
    assert np.mean(lows > epsilon) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)


@pytest.mark.slow
def test_randomized_response_is_nearly_found() -> None:
    rng = np.random.default_rng(71)
    lows = [
        bound_of(randomized_response(rng, 1000, epsilon=1.0, delta=d), delta=d).low
        for d in (0.0, 0.01)
        for _ in range(20)
    ]
    assert np.median(lows[:20]) >= 0.75
    assert 0.7 <= np.median(lows[20:]) < 1


def test_the_median_bound_of_a_laplace_leak_keeps_its_power() -> None:
    lows = [bound_of(laplace(seed, 1000)).low for seed in range(60)]
    assert 0.75 <= np.median(lows) < 0.95


@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_a_leak_at_one_end_is_found_there(delta: float) -> None:
    for turn in (1, -1):
        rng = np.random.default_rng(72)
        leaking = rng.normal(size=500) + 6 * (rng.random(500) < 0.1)
        other = rng.normal(size=500)
        classes = (leaking, other) if turn == 1 else (-other, -leaking)
        bound = bound_of(AttackScores(member=classes[0], nonmember=classes[1]), delta=delta)
        (evidence,) = bound.evidence
        assert isinstance(evidence, RankEvidence)
        assert (evidence.bottom, evidence.top)[turn == -1] == 0
        assert bound.low > 1


def test_nothing_is_found_in_equal_laws_and_in_reversed_scores() -> None:
    lows = np.array([bound_of(laplace(seed, 200, gap=0)).low for seed in range(200)])
    assert np.mean(lows > 0) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / lows.size)
    for seed in range(5):
        bound = bound_of(laplace(seed, 250, gap=-2))
        assert (bound.low, bound.evidence) == (0, ())


def test_the_seed_ranks_ties_and_nothing_else() -> None:
    distinct = laplace(73, 300, gap=1.5)
    bounds = [bound_of(distinct, seed=seed) for seed in range(3)]
    assert bounds[0] == bounds[1] == bounds[2]
    assert bounds[0].seed_spread == 0.0
    assert bounds[0].low > 0.5
    tied = AttackScores(member=distinct.member.round(), nonmember=distinct.nonmember.round())
    found = {bound_of(tied, seed=seed).low for seed in range(5)}
    assert len(found) > 1
    assert bound_of(tied, seed=1) == bound_of(tied, seed=1)


def test_any_tie_between_the_classes_leaves_the_spread_unsaid() -> None:
    # Even where most seeds rank it alike; ties within a class change nothing.
    member, nonmember = np.arange(40.0) + 20.5, np.arange(40.0)
    member[0] = nonmember[35]
    for seed in range(6):
        scores = AttackScores(member=member, nonmember=nonmember)
        assert bound_of(scores, seed=seed).seed_spread is None
    member[0] = member[1]
    assert bound_of(AttackScores(member=member, nonmember=nonmember)).seed_spread == 0.0


@pytest.mark.parametrize("delta", [0.0, 0.01, 1.0])
def test_one_record_shows_nothing(delta: float) -> None:
    for member, nonmember in (([1.0], [0.0]), ([1.0], [1.0]), ([2.0, 3.0], [0.0])):
        scores = AttackScores(member=np.array(member), nonmember=np.array(nonmember))
        assert bound_of(scores, delta=delta).low == 0


@pytest.mark.parametrize("n", [6, 40])
def test_separated_classes_in_closed_form(n: int) -> None:
    scores = AttackScores(member=np.linspace(10, 11, n), nonmember=np.linspace(0, 1, n))
    # No depth but the whole shows as much: all of 2 n guesses right, at 0.6 of the level.
    q = 0.03 ** (1 / (2 * n))
    assert bound_of(scores).low == pytest.approx(math.log(q / (1 - q)), abs=2e-5)
    (evidence,) = bound_of(scores).evidence
    assert evidence == RankEvidence(top=n, members_in_top=n, bottom=n, nonmembers_in_bottom=n)


@pytest.mark.parametrize("delta", [0.01, 0.1])
def test_separated_classes_may_have_leaked(delta: float) -> None:
    scores = AttackScores(member=np.linspace(10, 11, 40), nonmember=np.linspace(0, 1, 40))
    leaks = np.arange(81)

    def excess(epsilon: float) -> float:  # of the chance that all who do not leak are right
        chance = (1 + math.exp(-epsilon)) ** -(80.0 - leaks)
        return float(np.sum(binom.pmf(leaks, 80, delta) * chance)) - 0.03

    exact = float(brentq(excess, 0, 10))
    assert exact - 0.25 <= bound_of(scores, delta=delta).low <= exact
    assert exact < bound_of(scores).low


def test_the_level_is_shared_and_at_one_end_half_of_the_records_may_leak(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert sum(SHARES) == pytest.approx(1)
    leaks = []

    def walk(*given: np.ndarray, records: int, leak: float) -> GuessWalk:
        leaks.append(leak)
        return GuessWalk(*given, records=records, leak=leak)

    monkeypatch.setattr(module, "GuessWalk", walk)
    rng = np.random.default_rng(72)
    leaking, other = rng.normal(size=500) + 6 * (rng.random(500) < 0.1), rng.normal(size=500)
    for member, nonmember in ((leaking, other), (-other, -leaking)):
        leaks.clear()
        bound_of(AttackScores(member=member, nonmember=nonmember), delta=0.01)
        assert leaks == [0.01, 0.005]  # of both ends, and of the one that shows more


def test_more_delta_claims_less() -> None:
    scores = laplace(74, 600, gap=2)
    lows = [bound_of(scores, delta=delta).low for delta in (0.0, 0.03, 0.2, 1.0)]
    assert np.all(np.diff(lows) < 0)
    assert lows[-1] == 0


def by_enumeration(
    guesses: list[int], needed: list[int], epsilon: float, leaks: dict[int, float]
) -> float:
    """Over all outcomes of all guesses; the leaking ones come first and are right."""
    q = 1 / (1 + math.exp(-epsilon))
    total = 0.0
    for sure, weight in leaks.items():
        free = max(guesses[-1] - sure, 0)
        for outcome in product((0, 1), repeat=free):
            right = [1] * (guesses[-1] - free) + list(outcome)
            if any(sum(right[:k]) >= v for k, v in zip(guesses, needed, strict=True)):
                total += weight * q ** sum(outcome) * (1 - q) ** (free - sum(outcome))
    return total


def rounded_up(records: int, leak: float) -> tuple[dict[int, float], float]:
    """Leaks rounded up to quantiles at 1 - 2^-i, i <= 16, and the chance of more than those."""
    quantiles = [int(binom.ppf(1 - 0.5**i, records, leak)) for i in range(1, 17)]
    weights = dict.fromkeys(quantiles, 0.0)
    for j in range(quantiles[-1] + 1):
        weights[min(x for x in quantiles if x >= j)] += float(binom.pmf(j, records, leak))
    return weights, float(binom.sf(quantiles[-1], records, leak))


CASES = [
    ([1], [1]),
    ([3, 5, 9], [3, 5, 7]),
    ([2, 4, 8, 12], [3, 4, 8, 9]),
    ([4, 6, 10], [5, 7, 9]),
    ([4, 8], [5, 9]),
    ([2, 6, 11], [0, 6, 9]),
    ([5, 5, 7], [5, 4, 7]),
]


@pytest.mark.parametrize(("guesses", "needed"), CASES)
@pytest.mark.parametrize("epsilon", [0.0, 0.7, 3.0])
def test_the_chance_is_that_of_all_outcomes(
    guesses: list[int], needed: list[int], epsilon: float
) -> None:
    walk = GuessWalk(np.array(guesses), np.array(needed), records=20, leak=0.0)
    expected = by_enumeration(guesses, needed, epsilon, {0: 1.0})
    assert walk.chance(epsilon) == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(("guesses", "needed"), CASES)
@pytest.mark.parametrize(("records", "leak"), [(12, 0.05), (20, 0.3), (3, 0.9), (1, 1.0)])
def test_leaks_are_never_counted_too_low(
    guesses: list[int], needed: list[int], records: int, leak: float
) -> None:
    walk = GuessWalk(np.array(guesses), np.array(needed), records=records, leak=leak)
    found = walk.chance(0.4)
    exact = {j: float(binom.pmf(j, records, leak)) for j in range(records + 1)}
    assert found >= by_enumeration(guesses, needed, 0.4, exact) - 1e-12
    up, beyond = rounded_up(records, leak)
    assert found == pytest.approx(by_enumeration(guesses, needed, 0.4, up) + beyond, rel=1e-9)


@pytest.mark.parametrize("trials", [40, 1000, 100_000])
@pytest.mark.parametrize("epsilon", [0.0, 1.0, 6.0])
@pytest.mark.parametrize("tail", [0.3, 1e-3, 2e-5, 1e-9])
def test_one_depth_is_a_binomial_tail(trials: int, epsilon: float, tail: float) -> None:
    q = 1 / (1 + math.exp(-epsilon))
    needed = int(binom.isf(tail, trials, q)) + 1
    walk = GuessWalk(np.array([trials]), np.array([needed]), records=trials, leak=0.0)
    expected = binom.sf(needed - 1, trials, q)
    assert walk.chance(epsilon) == pytest.approx(expected, rel=1e-6, abs=1e-15)


@pytest.mark.parametrize("tail", [0.02, 1e-4, 1e-6])
def test_many_depths_are_followed_without_noise(tail: float) -> None:
    # So long that convolutions are by Fourier transforms; here they are sums, in full.
    guesses, q = np.array([200, 700, 2000, 5000]), 1 / (1 + math.exp(-0.5))
    needed = np.asarray(binom.isf(tail, guesses, q), np.int64) + 1
    state, reached, before = np.ones(1), 0.0, 0
    for until, enough in zip(guesses.tolist(), needed.tolist(), strict=True):
        state = np.convolve(state, binom.pmf(np.arange(until - before + 1), until - before, q))
        reached, state, before = reached + state[enough:].sum(), state[:enough], until
    found = GuessWalk(guesses, needed, records=5000, leak=0.0).chance(0.5)
    assert found == pytest.approx(reached, rel=1e-7)
    assert tail < found < 4 * tail


@pytest.mark.parametrize("leak", [0.0, 0.01])
def test_the_chance_is_as_simulated(leak: float) -> None:
    rng, runs, records, epsilon = np.random.default_rng(60), 20_000, 900, 0.8
    guesses, q = np.array([30, 90, 300, 800]), 1 / (1 + math.exp(-0.8))
    needed = np.asarray(binom.isf(0.03, guesses, q), np.int64) + 1
    sure = np.minimum(guesses[:, None], rng.binomial(records, leak, runs))
    steps = np.diff(guesses[:, None] - sure, axis=0, prepend=0)
    right = sure + np.cumsum(rng.binomial(steps, q), axis=0)
    simulated = np.mean((right >= needed[:, None]).any(axis=0))
    found = GuessWalk(guesses, needed, records=records, leak=leak).chance(epsilon)
    error = math.sqrt(simulated * (1 - simulated) / runs)
    assert found >= simulated - 4 * error
    # Rounding leaks up to quantiles costs something.
    assert found <= simulated * (1 if leak == 0 else 1.2) + 4 * error


@pytest.mark.parametrize("leak", [0.0, 0.003])
@pytest.mark.parametrize("level", [0.03, 1e-3])
@pytest.mark.parametrize("start", [1e-9, 0.5, 1.1, 2.5, 9.0])
def test_below_its_epsilon_the_level_is_kept_and_above_it_is_not(
    leak: float, level: float, start: float
) -> None:
    walk = GuessWalk(np.array([50, 200, 400]), np.array([45, 160, 315]), records=400, leak=leak)
    found = walk.epsilon_at(level, start)
    assert found > 0.3
    assert walk.chance(found) <= level
    assert walk.chance(found + 2e-5) > level
    assert found == pytest.approx(walk.epsilon_at(level, 1.0), abs=2e-5)


def test_no_epsilon_keeps_a_level_that_chance_exceeds() -> None:
    for leak in (0.0, 0.5, 1.0):
        walk = GuessWalk(np.array([10, 20]), np.array([6, 11]), records=20, leak=leak)
        assert walk.epsilon_at(0.01, 0.7) == 0
    # With a chance of 2^-16 of more leaks than are looked at, and that is too much.
    walk = GuessWalk(np.array([400]), np.array([380]), records=400, leak=0.01)
    assert walk.epsilon_at(1e-7, 1.0) == 0


@pytest.mark.parametrize("k", [5, 300])
def test_all_right_in_closed_form(k: int) -> None:
    walk = GuessWalk(np.array([k]), np.array([k]), records=k, leak=0.0)
    q = 0.02 ** (1 / k)
    expected = max(0.0, math.log(q / (1 - q)))
    assert walk.epsilon_at(0.02, 1.0) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("delta", [0.01, 0.05])
def test_at_the_top_only_members_leak(delta: float) -> None:
    # 60 members, 120 non-members, 60 members: the last ones hide what the bottom shows.
    score = np.arange(240.0)
    member = (score < 60) | (score >= 180)
    bound = bound_of(AttackScores(member=score[member], nonmember=score[~member]), delta=delta)
    (evidence,) = bound.evidence
    assert isinstance(evidence, RankEvidence)
    assert (evidence.bottom, evidence.members_in_top) == (0, evidence.top)
    leaks = np.arange(241)

    def excess(epsilon: float) -> float:  # of the chance that all who do not leak are right
        chance = (1 + math.exp(-epsilon)) ** -np.maximum(evidence.top - leaks, 0.0)
        return float(np.sum(binom.pmf(leaks, 240, delta / 2) * chance)) - 0.01

    exact = float(brentq(excess, 0, 10))
    assert exact - 0.3 <= bound.low <= exact


def test_only_classes_that_fair_coins_may_give_are_taken() -> None:
    scores = AttackScores(member=np.arange(400.0), nonmember=np.arange(10.0))
    with pytest.raises(ValueError, match="three_paths"):
        bound_of(scores)


@pytest.mark.parametrize(("a", "b"), [(64, 65), (64, 66), (65, 65), (100, 300)])
def test_long_sums_are_those_of_convolutions(a: int, b: int) -> None:
    rng = np.random.default_rng(76)
    state, step = rng.random(a), rng.random(b)
    np.testing.assert_allclose(_convolved(state, step), np.convolve(state, step), rtol=1e-12)
