"""Power of one-run audits: against bounds of fresh records, a true claim, a reversed attack."""

import math

import numpy as np
import pytest

from dpviz.audit import AttackScores, lower_bound, plan
from dpviz.audit.bounds.power import OneRunPower, RocPolyline
from dpviz.theory import GaussianDP, PureDP, TradeoffFunction

FRESH = 150


def power_of(attack: TradeoffFunction | AttackScores, epsilon: float, delta: float) -> OneRunPower:
    curve = RocPolyline.of(attack)
    return OneRunPower(curve=curve, epsilon=epsilon, delta=delta, confidence_level=0.95, seed=0)


@pytest.mark.parametrize(("n", "epsilon", "delta"), [(80, 0.5, 0.0), (200, 1.0, 1e-4)])
def test_bounds_of_fresh_records_reach_epsilon_as_often(
    n: int, epsilon: float, delta: float
) -> None:
    power, error = power_of(GaussianDP(mu=1.0), epsilon, delta)(n, n, 1000)
    assert 0.3 < power < 0.95
    reached = 0
    for seed in range(FRESH):
        rng = np.random.default_rng([seed, n])
        scores = AttackScores(member=rng.normal(1, 1, n), nonmember=rng.normal(0, 1, n))
        reached += lower_bound(scores, delta=delta, method="one_run_curve").low >= epsilon
    spread = math.hypot(error, math.sqrt(power * (1 - power) / FRESH))
    assert reached / FRESH == pytest.approx(power, abs=3 * spread)


def test_a_claim_that_is_just_kept_is_refuted_at_the_level_and_by_a_reversed_attack_never() -> None:
    share, _ = power_of(PureDP(epsilon=1.0), 1.0, 0.0)(200, 200, 4000)
    assert 0 < share <= 0.05
    rng = np.random.default_rng(5)
    backwards = AttackScores(member=rng.normal(-1, 1, 500), nonmember=rng.normal(0, 1, 500))
    assert power_of(backwards, 0.1, 0.0)(300, 300, 1000)[0] == 0


def test_a_perfect_attack_reaches_what_its_bound_is() -> None:
    perfect = AttackScores(member=np.arange(50) + 50.0, nonmember=np.arange(50) * 1.0)
    low = lower_bound(perfect, delta=1e-3, method="one_run_curve").low
    assert power_of(GaussianDP(mu=30.0), low * 0.999, 1e-3)(50, 50, 100)[0] == 1
    assert power_of(GaussianDP(mu=30.0), low * 1.001, 1e-3)(50, 50, 100) == (0, 0)


def test_delta_counts_for_every_canary_of_one_training() -> None:
    # m delta of leaks: with many canaries they could explain the right guesses.
    attack = {"epsilon": 2.0, "delta": 1e-4, "runs": 200}
    found = plan(GaussianDP(mu=1.0), method="one_run_curve", largest=100_000, **attack)
    assert found.n_members is None
    assert found.tried_powers[-1] < found.tried_powers.max()
    separate = plan(GaussianDP(mu=1.0), method="rank", **attack)
    assert separate.n_members is not None
    with pytest.raises(ValueError, match="ratio must be 1 for method 'one_run_curve'"):
        plan(GaussianDP(mu=1.0), method="one_run_curve", ratio=2.0, **attack)
