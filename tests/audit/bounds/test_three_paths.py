"""Three paths: deterministic, calibrated for fair coins, and as strong as it should be."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom

from dpviz.audit import AttackScores, lower_bound
from dpviz.audit.bounds import EpsilonBound, RankEvidence


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


@pytest.mark.parametrize(
    ("records", "epsilon", "delta"),
    [(60, 0.0, 0.0), (200, 1.0, 0.0), (200, 1.0, 0.01), (60, 0.5, 0.1), (1000, 0.0, 0.01)],
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


def test_more_delta_claims_less() -> None:
    scores = laplace(74, 600, gap=2)
    lows = [bound_of(scores, delta=delta).low for delta in (0.0, 0.03, 0.2, 1.0)]
    assert np.all(np.diff(lows) < 0)
    assert lows[-1] == 0
