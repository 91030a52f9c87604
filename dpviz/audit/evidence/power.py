"""The power of the test of a claim against an attack, and the records that a power needs."""

from functools import partial

from dpviz.audit.bounds.plan import (
    NOTE_FOR_CURVE,
    NOTE_FOR_SCORES,
    RUNS_FACTOR_AT_PLAN,
    RUNS_PER_SIZE,
    Estimate,
    Plan,
    Power,
    RankTestPower,
    RocPolyline,
    class_sizes_to_search,
    fewest_with_power,
)
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.evidence.whole_curve import curve_test_power
from dpviz.audit.scores.base import Scores
from dpviz.theory import ApproximateDP, GaussianDP, LaplaceMechanism, TradeoffFunction
from dpviz.theory.calibration import gaussian_noise

WHOLE_CURVE = "curve"  # the test of a claim of another form than (epsilon, delta)
LARGEST_PLAN = 1_000_000  # records of the larger class


def noise_with_epsilon(epsilon: float, delta: float) -> TradeoffFunction:
    """Return Gaussian noise whose epsilon at `delta` is `epsilon`; Laplace noise if delta is 0."""
    if delta == 0:
        return LaplaceMechanism(epsilon=epsilon)
    return GaussianDP(mu=1 / gaussian_noise(epsilon=epsilon, delta=delta, sensitivity=1.0))


def claim_test_power(
    claim: TradeoffFunction,
    attack: TradeoffFunction,
    *,
    n_members: int,
    n_nonmembers: int,
    confidence_level: float,
) -> Estimate:
    """Return the probability that `claim_test` contradicts `claim`, and its standard error.

    `attack` is the attack's true curve. The probability is simulated: an estimate.
    """
    power = _power_of_size(claim, attack, confidence_level)
    return power(n_members, n_nonmembers, RUNS_FACTOR_AT_PLAN * RUNS_PER_SIZE)


def plan_of_claim_test(
    claim: TradeoffFunction,
    attack: TradeoffFunction | Scores,
    *,
    delta: float,
    power: float,
    confidence_level: float,
    ratio: float = 1.0,
    progress: Progress = iter,
) -> Plan:
    """Return the numbers of records with which `claim_test` contradicts `claim` with some `power`.

    `attack` is as of `plan`. The epsilon of the plan is the one that the claim allows at `delta`.
    """
    return fewest_with_power(
        _power_of_size(claim, attack, confidence_level),
        class_sizes_to_search(LARGEST_PLAN, ratio),
        power,
        runs=RUNS_PER_SIZE,
        progress=progress,
        epsilon=claim.epsilon(delta),
        delta=delta,
        confidence_level=confidence_level,
        method=WHOLE_CURVE,
        note=NOTE_FOR_SCORES if isinstance(attack, Scores) else NOTE_FOR_CURVE,
    )


def _power_of_size(
    claim: TradeoffFunction, attack: TradeoffFunction | Scores, confidence_level: float
) -> Power:
    """Return a function from the numbers of members, of non-members and of runs to the power."""
    curve = RocPolyline.of(attack)
    if isinstance(claim, ApproximateDP):
        goal = {"epsilon": claim.claimed_epsilon, "delta": claim.claimed_delta}
        return RankTestPower(curve=curve, **goal, confidence_level=confidence_level)
    test = partial(curve_test_power, claim, curve.fpr, 1 - curve.tpr)
    return lambda n, m, runs: test(
        n_members=n, n_nonmembers=m, confidence_level=confidence_level, runs=runs
    )
