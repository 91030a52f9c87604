"""Bounds from one training run with random inclusion, at one (epsilon, delta) and of a curve."""

import math
from fractions import Fraction
from itertools import accumulate, product

import numpy as np
import pytest
from scipy.optimize import brentq, linprog
from scipy.sparse import lil_matrix
from scipy.stats import binom, norm

from dpviz.audit import AttackScores, lower_bound
from dpviz.audit.bounds import RankEvidence, one_run_curve_p_value, one_run_epsilon, one_run_p_value
from dpviz.audit.bounds.one_run import sharp_p_value
from dpviz.theory import (
    ApproximateDP,
    GaussianDP,
    LaplaceMechanism,
    PureDP,
    Stated,
    TradeoffFunction,
)
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
            sampling="fair_coins",
            rng=run,
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


Pairs = list[tuple[float, float]]


def largest_chance(m: int, r: int, c: int, pairs: Pairs) -> float:
    """The largest probability of c right guesses of r, over all mechanisms that keep all pairs.

    A linear program: the probabilities of each list of guesses (2: none) given each inclusion.
    """
    included = list(product((0, 1), repeat=m))
    told = [t for t in product((0, 1, 2), repeat=m) if sum(x < 2 for x in t) == r]
    size, place = len(told), {s: i * len(told) for i, s in enumerate(included)}
    kept = [(s, i, pair) for s in included for i in range(m) for pair in pairs]
    wanted = np.zeros(size * (len(included) + len(kept)))
    for s, (k, t) in product(included, enumerate(told)):
        wanted[place[s] + k] = sum(a == b for a, b in zip(s, t, strict=True)) >= c
    # Of each pair of inclusions that differ in one canary: P(t | s) - e^epsilon P(t | other) is at
    # most a number >= 0, and these numbers add up to at most delta.
    limits, most = lil_matrix((len(kept) * (size + 1), wanted.size)), []
    for at, (s, i, (epsilon, delta)) in enumerate(kept):
        other = (*s[:i], 1 - s[i], *s[i + 1 :])
        for k in range(size):
            row, excess = at * (size + 1) + k, size * (len(included) + at) + k
            limits[row, place[s] + k], limits[row, place[other] + k] = 1, -math.exp(epsilon)
            limits[row, excess], limits[(at + 1) * (size + 1) - 1, excess] = -1, 1
        most += [0.0] * size + [delta]
    sums = np.kron(np.eye(len(included), len(included) + len(kept)), np.ones(size))
    found = linprog(
        -wanted / len(included),
        A_ub=limits.tocsr(),
        b_ub=most,
        A_eq=sums,
        b_eq=np.ones(len(included)),
        bounds=(0, 1),
    )
    return -float(found.fun)


@pytest.mark.parametrize(("m", "r"), [(1, 1), (2, 2), (3, 2), (3, 3)])
@pytest.mark.parametrize("pair", [(1.0, 0.0), (0.0, 0.2), (0.5, 0.02)])
def test_of_one_pair_it_is_the_largest_chance_of_all_mechanisms(
    m: int, r: int, pair: tuple[float, float]
) -> None:
    claim = ApproximateDP(epsilon=pair[0], delta=pair[1])
    for c in range(1, r + 1):
        found = one_run_curve_p_value(claim, canaries=m, guesses=r, correct=c)
        assert found == pytest.approx(largest_chance(m, r, c, [pair]), rel=1e-4)


SOME = [(0.0, 0.3), (0.5, 0.2), (1.5, 0.05)]
OTHERS = [(0.8, 0.3), (1.4, 0.06), (1.7, 0.03)]


@pytest.mark.parametrize(
    ("m", "r", "pairs"), [(2, 1, SOME), (3, 2, SOME), (3, 3, SOME), (3, 3, OTHERS)]
)
def test_of_a_curve_no_mechanism_reaches_more(m: int, r: int, pairs: Pairs) -> None:
    claim = Stated(statements=pairs)
    found = [one_run_curve_p_value(claim, canaries=m, guesses=r, correct=c) for c in range(r + 1)]
    assert found[0] == 1
    assert found == sorted(found, reverse=True)
    for c in range(1, r + 1):
        reached = largest_chance(m, r, c, pairs)
        assert found[c] >= reached - 1e-9
    # With every guess right, the steps along the curve lose nothing.
    assert found[r] == pytest.approx(reached, rel=1e-4)


def test_a_mechanism_that_reaches_more_than_the_published_penalty_allows() -> None:
    # Two canaries under (1, 0.1): probabilities of 0, 1, 2 right guesses, evenly among them.
    none = (1 - 0.2 - 0.1 * math.e) / (1 + math.e) ** 2
    chances = np.array([none, 2 * math.e * none + 0.2, math.e**2 * none + 0.1 * math.e])
    assert chances.sum() == pytest.approx(1)
    each = chances / [1, 2, 1]
    # One canary's change makes a right guess wrong; the other guess is right or not.
    delta = sum(max(0.0, each[w] - math.e * each[w - 1]) for w in (1, 2))
    back = sum(max(0.0, each[w - 1] - math.e * each[w]) for w in (1, 2))
    assert max(delta, back) == pytest.approx(0.1)
    counts = {"canaries": 2, "guesses": 2, "correct": 1}
    reached = chances[1:].sum()
    q = math.e / (1 + math.e)
    published = (1 - (1 - q) ** 2) + 2 * 2 * 0.1 * (1 - q) ** 2
    assert published < reached - 0.005
    assert one_run_p_value(1.0, **counts, delta=0.1) >= reached - 1e-9
    found = one_run_curve_p_value(ApproximateDP(epsilon=1, delta=0.1), **counts)
    assert found == pytest.approx(reached, rel=1e-4)


@pytest.mark.parametrize(("m", "r", "c"), [(1000, 100, 75), (400, 400, 260), (60, 30, 30)])
@pytest.mark.parametrize("delta", [0.0, 1e-6, 1e-4])
def test_it_costs_less_than_the_published_penalty(m: int, r: int, c: int, delta: float) -> None:
    counts = {"canaries": m, "guesses": r, "correct": c}
    for epsilon in (0.0, 0.3, 1.0):
        found = one_run_curve_p_value(ApproximateDP(epsilon=epsilon, delta=delta), **counts)
        tail = binom.sf(c - 1, r, 1 / (1 + math.exp(-epsilon)))
        # All is told with probability delta, and nothing else beyond randomized response.
        assert found >= max(delta + (1 - delta) * tail, 1e-12) * (1 - 1e-9)
        published = max(one_run_p_value(epsilon, **counts, delta=delta), 1e-12)
        assert published > 0.8 or found <= published * (1 + 1e-4)


def test_of_a_gaussian_curve_it_is_the_number_of_jax_privacy() -> None:
    # jax-privacy 2.0.0 epsilon_one_run_fdp, Explicit(.5), significance .05: the epsilon of
    # Gaussian DP at delta 1e-5, for 600 guesses of 2000 canaries, 500 right.
    def p_value(epsilon: float) -> float:
        mu = brentq(lambda mu: GaussianDP(mu=mu).epsilon(1e-5) - epsilon, 0.1, 2)
        return one_run_curve_p_value(GaussianDP(mu=mu), canaries=2000, guesses=600, correct=500)

    expected = 2.276565708171823
    assert p_value(expected - 1e-3) < 0.05 < p_value(expected + 1e-3)


@pytest.mark.parametrize(
    ("claim", "right"),
    [
        (GaussianDP(mu=1), norm.cdf(0.5)),
        (LaplaceMechanism(epsilon=1), 1 - math.exp(-0.5) / 2),
        (PureDP(epsilon=1), 1 / (1 + math.exp(-1))),
    ],
)
def test_best_guesses_about_all_canaries_are_covered_exactly(
    claim: TradeoffFunction, right: float
) -> None:
    p = np.array(
        [one_run_curve_p_value(claim, canaries=30, guesses=30, correct=c) for c in range(31)]
    )
    chances = binom.pmf(np.arange(31), 30, right)
    for level in (0.01, 0.05, 0.1, 0.5):
        assert chances[p <= level].sum() <= level


def test_abstaining_from_all_but_the_surest_guesses_is_covered() -> None:
    # Of 40 canaries under Gaussian noise, guesses about the 4 highest and the 4 lowest outputs.
    rng, claim = np.random.default_rng(5), GaussianDP(mu=1)
    included = rng.random((20_000, 40)) < 0.5
    ranked = np.argsort(included + rng.normal(size=included.shape), axis=1)
    ranked = np.take_along_axis(included, ranked, axis=1)
    right = ranked[:, -4:].sum(axis=1) + (~ranked[:, :4]).sum(axis=1)
    p = np.array(
        [one_run_curve_p_value(claim, canaries=40, guesses=8, correct=c) for c in range(9)]
    )
    for level in np.sort(p):
        assert np.mean(p[right] <= level) <= level
    assert p[-1] < 0.6


def test_the_bound_of_leaky_canaries_is_higher_than_with_the_published_penalty() -> None:
    rng = np.random.default_rng(6)
    scores = AttackScores(member=rng.normal(2, 1, 500), nonmember=rng.normal(0, 1, 500))
    new, old = (lower_bound(scores, delta=1e-4, method=m) for m in ("one_run_curve", "one_run"))
    assert old.low + 0.3 < new.low < GaussianDP(mu=2).epsilon(1e-4)
    assert new.applies_to == old.applies_to
    (evidence,) = new.evidence
    assert isinstance(evidence, RankEvidence)
    counts = {
        "canaries": 1000,
        "guesses": evidence.top + evidence.bottom,
        "correct": evidence.members_in_top + evidence.nonmembers_in_bottom,
    }
    p = one_run_curve_p_value(ApproximateDP(epsilon=new.low, delta=1e-4), **counts)
    # Three ways to guess at each depth: 500 / 1.5^j rounded down, j = 0..11.
    assert 0.05 / 39 * (1 - 1e-3) <= p <= 0.05 / 33 * (1 + 1e-3)


def test_no_right_guess_is_certain() -> None:
    assert sharp_p_value(1.0, canaries=5, guesses=3, correct=0, delta=0.1) == 1.0


def test_a_delta_that_explains_more_than_all_guesses_makes_them_certain() -> None:
    assert sharp_p_value(1.0, canaries=50, guesses=3, correct=3, delta=0.1) == 1.0


def test_counts_too_far_out_for_floats() -> None:
    counts = {"canaries": 20_000, "guesses": 20_000, "correct": 19_000}
    assert one_run_curve_p_value(PureDP(epsilon=0.1), **counts) == 1e-12
    assert one_run_curve_p_value(ApproximateDP(epsilon=0.1, delta=1e-3), **counts) < 0.005
    assert one_run_curve_p_value(ApproximateDP(epsilon=0.1, delta=1), **counts) == 1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"claim": 1.0}, r"claim must be a trade-off function .*, got 1\.0"),
        ({"canaries": 0}, r"canaries must be .*, got 0"),
        ({"canaries": math.inf}, r"canaries must be .*, got inf"),
        ({"guesses": math.nan}, r"guesses must be .*, got nan"),
        ({"guesses": 11}, r"guesses must be .* from 0 to 10, got 11"),
        ({"correct": 6}, r"correct must be .* from 0 to 5, got 6"),
        ({"correct": 2.5}, r"correct must be .*, got 2\.5"),
    ],
)
def test_bad_input_of_a_curve_is_named_with_its_value(
    changed: dict[str, object], message: str
) -> None:
    arguments = {"claim": PureDP(epsilon=1), "canaries": 10, "guesses": 5, "correct": 3, **changed}
    with pytest.raises(ValueError, match=message):
        one_run_curve_p_value(**arguments)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("error")
def test_without_a_limit_on_epsilon_all_guesses_may_be_right() -> None:
    for epsilon in (800.0, np.inf):
        given = {"canaries": 20, "guesses": 10, "correct": 10}
        assert sharp_p_value(epsilon, **given, delta=0.0) == 1.0
        assert sharp_p_value(epsilon, **given, delta=0.01) == 1.0


@pytest.mark.parametrize(("guesses", "correct"), [(2000, 2000), (2000, 1900), (3000, 2990)])
def test_where_chances_are_too_small_for_a_float_delta_counts_as_it_should(
    guesses: int, correct: int
) -> None:
    # Step 2, with P(W >= c) / P(W = c) by exact fractions; all guesses are coins.
    tail = sum(math.comb(guesses, w) for w in range(correct, guesses + 1))
    ratio = float(Fraction(tail, math.comb(guesses, correct)))
    assert binom.sf(correct - 1, guesses, 0.5) < 1e-290
    counts = {"canaries": 5000, "guesses": guesses, "correct": correct}
    found = sharp_p_value(0.0, **counts, delta=1e-6)
    exact = 5000 * 1e-6 * ratio / correct
    assert exact * (1 - 1e-9) <= found <= exact * 1.001
