"""One training run: the p-value by summation, coverage by summation and of simulated canaries."""

import math
from itertools import accumulate

import numpy as np
import pytest
from scipy.stats import binom

from dpviz.audit import AttackScores, lower_bound
from dpviz.audit.bounds import RankEvidence, one_run_epsilon, one_run_p_value
from tests.slow import parametrize


def by_summation(epsilon: float, m: int, r: int, v: int, delta: float) -> float:
    """``P(B >= v) + 2 m delta max_i P(v - i <= B < v) / i`` with B binomial, capped at 1."""
    if v == 0:
        return 1.0
    q = 1 / (1 + math.exp(-epsilon))
    chance = [math.comb(r, k) * q**k * (1 - q) ** (r - k) for k in range(r + 1)]
    penalty = max(missed / i for i, missed in enumerate(accumulate(chance[:v][::-1]), start=1))
    return min(1.0, math.fsum(chance[v:]) + 2 * m * delta * penalty)


def reached_by_some(epsilon: float, m: int, r: int, v: int, delta: float) -> float:
    """What a mechanism reaches that leaks only where v guesses are right, capped at 1."""
    if v == 0:
        return 1.0
    law = binom(r, 1 / (1 + math.exp(-epsilon)))
    tail = law.sf(v - 1)
    return min(1.0, tail + m * delta * tail * law.cdf(v - 1) / (v * law.pmf(v)))


@pytest.mark.parametrize(("m", "r"), [(1, 1), (3, 2), (10, 0), (10, 7), (40, 40), (500, 100)])
@pytest.mark.parametrize("delta", [0.0, 1e-5, 1e-3, 1.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 3.0])
def test_the_p_value_is_the_sum(m: int, r: int, delta: float, epsilon: float) -> None:
    for v in range(0, r + 1, max(1, r // 20)):
        found = one_run_p_value(epsilon, canaries=m, guesses=r, correct=v, delta=delta)
        expected = max(
            by_summation(epsilon, m, r, v, delta), reached_by_some(epsilon, m, r, v, delta)
        )
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("epsilon", [0.0, 1.5, 4.0])
@pytest.mark.parametrize("delta", [1e-6, 1e-4])
def test_of_many_guesses_the_penalty_is_the_largest_mean_of_all(
    delta: float, epsilon: float
) -> None:
    m, r = 5000, 4000
    law = binom(r, 1 / (1 + math.exp(-epsilon)))
    for v in (int(law.mean() + at * law.std()) for at in (-3, -1, 0, 1, 2, 3)):
        below = np.cumsum(law.pmf(np.arange(v))[::-1]) / np.arange(1, v + 1)
        summed = min(1.0, law.sf(v - 1) + 2 * m * delta * below.max())
        found = one_run_p_value(epsilon, canaries=m, guesses=r, correct=v, delta=delta)
        expected = max(summed, reached_by_some(epsilon, m, r, v, delta))
        assert found == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("delta", [0.0, 1e-4])
def test_more_right_guesses_show_more(delta: float) -> None:
    ps = [one_run_p_value(0.5, canaries=100, guesses=50, correct=v, delta=delta) for v in range(51)]
    assert np.all(np.diff(ps) <= 1e-15)
    lows = [
        one_run_epsilon(canaries=100, guesses=50, correct=v, delta=delta, confidence_level=0.95)
        for v in range(51)
    ]
    assert np.all(np.diff(lows) >= 0)
    assert lows[0] == 0 < lows[-1]


@pytest.mark.parametrize(
    ("m", "r", "v"), [(1000, 100, 75), (200, 200, 140), (60, 30, 30), (60, 60, 45)]
)
@pytest.mark.parametrize("delta", [0.0, 1e-6, 1e-4])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.999])
def test_at_the_bound_the_p_value_is_the_level(
    m: int, r: int, v: int, delta: float, level: float
) -> None:
    low = one_run_epsilon(canaries=m, guesses=r, correct=v, delta=delta, confidence_level=level)
    if low == 0:
        assert by_summation(0.0, m, r, v, delta) >= 1 - level
        return
    assert by_summation(low, m, r, v, delta) == pytest.approx(1 - level, rel=1e-8)
    for epsilon in np.linspace(0, low, 20)[:-1]:
        assert by_summation(float(epsilon), m, r, v, delta) < 1 - level


@pytest.mark.parametrize("r", [5, 20, 1000])
@pytest.mark.parametrize("level", [0.95, 0.99])
def test_all_guesses_right_in_closed_form(r: int, level: float) -> None:
    q = (1 - level) ** (1 / r)
    low = one_run_epsilon(canaries=r, guesses=r, correct=r, delta=0.0, confidence_level=level)
    assert low == pytest.approx(max(0.0, math.log(q / (1 - q))), abs=1e-8)


@pytest.mark.parametrize("r", [0, 1, 30])
def test_no_right_guess_shows_nothing(r: int) -> None:
    assert one_run_p_value(2.0, canaries=30, guesses=r, correct=0, delta=0.1) == 1
    arguments = {"canaries": 30, "guesses": r, "correct": 0}
    assert one_run_epsilon(**arguments, delta=0.0, confidence_level=0.95) == 0


def test_far_fewer_right_guesses_than_allowed_show_nothing() -> None:
    # At epsilon 5 as many as 993 of 1000 are expected.
    for delta in (0.0, 0.01):
        given = {"canaries": 1000, "guesses": 1000, "correct": 100, "delta": delta}
        assert one_run_p_value(5.0, **given) == pytest.approx(1.0, abs=1e-12)


def test_without_any_privacy_left_nothing_can_be_refuted() -> None:
    assert one_run_p_value(math.inf, canaries=9, guesses=9, correct=9, delta=0.0) == 1
    assert one_run_epsilon(canaries=9, guesses=9, correct=9, delta=1, confidence_level=0.95) == 0


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 2.5])
@pytest.mark.parametrize("r", [1, 4, 25, 40])
def test_randomized_response_is_covered_exactly(r: int, epsilon: float) -> None:
    v = np.arange(r + 1)
    chances = binom.pmf(v, r, 1 / (1 + math.exp(-epsilon)))
    for level in (0.5, 0.95):
        lows = np.array(
            [
                one_run_epsilon(
                    canaries=r, guesses=r, correct=int(k), delta=0.0, confidence_level=level
                )
                for k in v
            ]
        )
        assert np.sum(chances[lows > epsilon + 1e-9]) <= 1 - level + 1e-12


def canaries(rng: np.random.Generator, m: int, epsilon: float, *, ties: bool) -> AttackScores:
    """Each included with probability 1/2; its bit told truly with probability expit(epsilon)."""
    while True:
        included = rng.random(m) < 0.5
        if 0 < included.sum() < m:
            break
    told = included ^ (rng.random(m) >= 1 / (1 + math.exp(-epsilon)))
    score = told + (0.0 if ties else 0.1) * rng.random(m)
    return AttackScores(member=score[included], nonmember=score[~included])


@pytest.mark.parametrize("epsilon", [0.0, 1.0])
@parametrize("ties", [False, True], slow_but=[False])
def test_the_bound_of_canaries_exceeds_epsilon_at_most_as_often_as_said(
    epsilon: float, ties: bool
) -> None:
    rng, runs = np.random.default_rng(20), 200
    bounds = [
        lower_bound(
            canaries(rng, 100, epsilon, ties=ties),
            delta=0.0,
            method="one_run",
            applies_to="mechanism",
            seed=run,
        )
        for run in range(runs)
    ]
    lows = np.array([bound.low for bound in bounds])
    assert np.mean(lows > epsilon) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)
    assert (np.median(lows) > 0.3) == (epsilon > 0)
    assert "1/2" in bounds[0].sampling


@pytest.mark.parametrize("delta", [0.0, 1e-5])
def test_the_bound_pays_for_every_depth_it_might_have_chosen(delta: float) -> None:
    rng = np.random.default_rng(21)
    scores = AttackScores(member=rng.normal(2, 1, 200), nonmember=rng.normal(0, 1, 180))
    bound = lower_bound(scores, delta=delta, method="one_run")
    (evidence,) = bound.evidence
    assert isinstance(evidence, RankEvidence)
    membership = np.concatenate([np.ones(200), np.zeros(180)])
    ranked = membership[np.argsort(-np.concatenate([scores.member, scores.nonmember]))]
    assert evidence.members_in_top == ranked[: evidence.top].sum()
    assert evidence.nonmembers_in_bottom == np.sum(ranked[380 - evidence.bottom :] == 0)
    right = evidence.members_in_top + evidence.nonmembers_in_bottom
    guesses = evidence.top + evidence.bottom
    # Three ways to guess at each depth: 190 / 1.5^j rounded down, j = 0..9.
    p = by_summation(bound.low, 380, guesses, right, delta)
    assert 0.05 / 33 * (1 - 1e-6) <= p <= 0.05 / 27
    assert bound.low < one_run_epsilon(
        canaries=380, guesses=guesses, correct=right, delta=delta, confidence_level=0.95
    )


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"canaries": 0}, r"canaries must be .*, got 0"),
        ({"guesses": 11}, r"guesses must be .* from 0 to 10, got 11"),
        ({"correct": 6}, r"correct must be .* from 0 to 5, got 6"),
        ({"correct": -1}, r"correct must be .*, got -1"),
        ({"canaries": math.nan}, r"canaries must be .*, got nan"),
        ({"canaries": math.inf}, r"canaries must be .*, got inf"),
        ({"guesses": math.nan}, r"guesses must be .*, got nan"),
        ({"correct": -math.inf}, r"correct must be .*, got -inf"),
        ({"delta": math.nan}, r"delta must be .*, got nan"),
        ({"delta": 1.5}, r"delta must be .*, got 1\.5"),
        ({"delta": math.inf}, r"delta must be .*, got inf"),
        ({"delta": -0.1}, r"delta must be .*, got -0\.1"),
        ({"confidence_level": 1}, r"confidence_level must be .*, got 1"),
        ({"confidence_level": math.nan}, r"confidence_level must be .*, got nan"),
    ],
)
def test_bad_input_is_named_with_its_value(changed: dict[str, float], message: str) -> None:
    arguments: dict[str, float] = {
        "canaries": 10,
        "guesses": 5,
        "correct": 3,
        "delta": 0.0,
        "confidence_level": 0.95,
    }
    with pytest.raises(ValueError, match=message):
        one_run_epsilon(**{**arguments, **changed})  # type: ignore[arg-type]


@pytest.mark.parametrize("epsilon", [-0.1, math.nan])
def test_an_illegal_epsilon_is_named(epsilon: float) -> None:
    with pytest.raises(ValueError, match=rf"epsilon must be .*, got {epsilon}"):
        one_run_p_value(epsilon, canaries=10, guesses=5, correct=3, delta=0.0)
