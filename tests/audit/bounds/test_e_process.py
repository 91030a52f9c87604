"""The e-process: its capital pair by pair, its fairness by enumeration, optional stopping."""

import math
from itertools import product

import numpy as np
import pytest

from dpviz.audit import AttackScores
from dpviz.audit.bounds import e_process as module
from dpviz.audit.bounds.e_process import (
    BlockThresholds,
    e_process,
    pairs_and_guess_counts_after_blocks,
    wealth_after_blocks,
    wealth_gains_by_outcome,
)
from dpviz.audit.bounds.result import BoundRequest, MethodResult, WealthEvidence
from tests.slow import parametrize

Sample = tuple[np.ndarray, np.ndarray]


def bound_of(
    member: np.ndarray, nonmember: np.ndarray, *, delta: float = 0.0, level: float = 0.95
) -> MethodResult:
    scores = AttackScores(member=member, nonmember=nonmember)
    return e_process(scores, BoundRequest(delta=delta, confidence_level=level))


def laplace(rng: np.random.Generator, n: int, epsilon: float = 1.0) -> Sample:
    return rng.laplace(1, 1 / epsilon, n), rng.laplace(0, 1 / epsilon, n)


def gaussian(rng: np.random.Generator, n: int, mu: float) -> Sample:
    return rng.normal(mu, 1, n), rng.normal(0, 1, n)


def leaky(rng: np.random.Generator, n: int, epsilon: float, delta: float) -> Sample:
    """The least favourable law: revealed members, told "member", told "non-member", revealed."""
    q = 1 / (1 + math.exp(-epsilon))

    def drawn(chance: float, revealed: int) -> np.ndarray:
        told = np.where(rng.random(n) < chance, 2, 1)
        classes = np.where(rng.random(n) < delta, revealed, told)
        return np.asarray(classes + 0.5 * rng.random(n))

    return drawn(q, 3), drawn(1 - q, 0)


def pair_by_pair(
    member: list[float], nonmember: list[float], epsilon: float, delta: float
) -> list[float]:
    """The average capital after every pair: 24 depths, 3 kinds, 6 stakes, each played alone."""
    pairs = min(len(member), len(nonmember))
    average, total, odds = [0.0] * (pairs + 1), 0.0, math.exp(epsilon)
    for i, j, (kind, share) in product(range(24), range(6), enumerate([0.6, 0.2, 0.2])):
        weight = share / (1 + i) / (1 + j)
        total += weight
        a = 0.9 / 3**j / (odds + delta)
        capital, end = 1.0, 8
        top: set[float] = set()
        bottom: set[float] = set()
        for t in range(pairs + 1):
            average[t] += weight * capital
            if t == pairs:
                break
            if t == end:
                past = sorted(member[:t] + nonmember[:t])
                end = int(1.5 * end)
                depth = int(0.5 / 1.5**i * len(past))
                bets = depth >= 2
                low, high = (past[depth - 1], past[-depth]) if bets else (0.0, 0.0)
            if t < 8 or not bets:
                continue
            for score, is_member in ((member[t], True), (nonmember[t], False)):
                top, bottom = score >= high, score <= low and score < high
                says_member, says_not = top and kind != 2, bottom and kind != 1
                right = says_member if is_member else says_not
                wrong = says_not if is_member else says_member
                capital *= 1 + a * (right - odds * wrong - delta)
    return [value / total for value in average]


@pytest.mark.parametrize("delta", [0.0, 0.02])
@pytest.mark.parametrize("decimals", [0, 8], ids=["ties", "no ties"])
def test_the_capital_is_the_one_pair_by_pair(decimals: int, delta: float) -> None:
    rng = np.random.default_rng(1)
    x, y = (np.round(values, decimals) for values in gaussian(rng, 50, 1.5))
    y = np.concatenate([y, [9.0] * 5])  # without a partner
    pairs, counts = pairs_and_guess_counts_after_blocks(AttackScores(member=x, nonmember=y))
    assert pairs == [8, 12, 18, 27, 40, 50]
    for epsilon in (0.0, 0.7, 3.0):
        slow = pair_by_pair(x.tolist(), y.tolist(), epsilon, delta)
        found = wealth_after_blocks(counts, np.array([epsilon]), delta)[:, 0]
        np.testing.assert_allclose(found, [slow[t] for t in pairs], rtol=1e-10)


@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_the_bound_is_the_last_epsilon_rejected_and_its_evidence_the_first_look(
    delta: float,
) -> None:
    x, y = gaussian(np.random.default_rng(2), 60, 3.0)
    x[40:], y[40:] = y[40:], x[40:].copy()  # what was won by then is lost again
    found = bound_of(x, y, delta=delta)
    assert found.low > 0.5
    (evidence,) = found.evidence
    assert isinstance(evidence, WealthEvidence)
    looks = [8, 12, 18, 27, 40, 60]
    at_bound = pair_by_pair(x.tolist(), y.tolist(), found.low, delta)
    first = next(t for t in looks if at_bound[t] >= 20)
    assert at_bound[60] < 20
    assert (evidence.pairs, evidence.wealth) == (first, pytest.approx(at_bound[first]))
    next_epsilon = found.low + 0.01 if found.low < 0.995 else found.low * math.exp(0.01)
    after = pair_by_pair(x.tolist(), y.tolist(), next_epsilon, delta)
    assert max(after[t] for t in looks) < 20
    for epsilon in np.linspace(0, found.low, 7):
        before = pair_by_pair(x.tolist(), y.tolist(), float(epsilon), delta)
        assert max(before[t] for t in looks) >= 20


@pytest.mark.parametrize("epsilon", [0.0, 0.4, 2.0])
@pytest.mark.parametrize("delta", [0.0, 0.05, 0.5])
def test_no_bet_on_a_pair_of_the_least_favourable_law_gains(epsilon: float, delta: float) -> None:
    q = 1 / (1 + math.exp(-epsilon))
    # Revealed member, told "member", told "non-member", revealed non-member.
    of_member = [delta, (1 - delta) * q, (1 - delta) * (1 - q), 0.0]
    of_nonmember = of_member[::-1]
    factors = 1 + wealth_gains_by_outcome(np.array([epsilon]), delta)[..., 0]
    smaller = 1 + wealth_gains_by_outcome(np.array([0.8 * epsilon]), delta)[..., 0]

    def mean(first: int, last: int, of: np.ndarray) -> np.ndarray:
        """The `first` best classes called "member", the `last` worst "non-member"."""
        right, wrong, none = of
        total = np.zeros(6)
        for x, y in product(range(4), repeat=2):
            on_x = right if x < first else wrong if x >= 4 - last else none
            on_y = wrong if y < first else right if y >= 4 - last else none
            total += of_member[x] * of_nonmember[y] * on_x * on_y
        return total

    for first, last in product(range(5), repeat=2):
        if first + last <= 4:
            assert np.all(mean(first, last, factors) <= 1 + 1e-12)
    # The constraint is tight for the guess that follows what was told.
    np.testing.assert_allclose(mean(2, 2, factors), 1, rtol=1e-12)
    if epsilon > 0:
        assert np.all(mean(2, 2, smaller) > 1)


@parametrize("epsilon", [0.0, 1.0], slow_but=[1.0])
def test_the_mean_capital_over_all_sequences_is_at_most_the_stake(
    epsilon: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FIRST_PAIRS", 2)
    q = 1 / (1 + math.exp(-epsilon))
    total = np.zeros(3)
    for told in product((0.0, 1.0), repeat=10):
        x, y = np.array(told[:5]), np.array(told[5:])
        right = x.sum() + (1 - y).sum()
        pairs, counts = pairs_and_guess_counts_after_blocks(AttackScores(member=x, nonmember=y))
        assert pairs == [2, 3, 4, 5]
        capital = wealth_after_blocks(counts, np.array([epsilon]), 0.0)[1:, 0]
        total += q**right * (1 - q) ** (10 - right) * capital
    assert np.all(total <= 1 + 1e-12)
    assert np.all(total > 0.9)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.0, 1.0])
@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_the_largest_of_many_looks_is_false_at_most_as_often_as_said(
    epsilon: float, delta: float
) -> None:
    rng, runs = np.random.default_rng(3), 300
    reached = np.zeros(runs)
    for run in range(runs):
        x, y = leaky(rng, 250, epsilon, delta)
        for n in (15, 25, 60, 150, 250):
            _, counts = pairs_and_guess_counts_after_blocks(
                AttackScores(member=x[:n], nonmember=y[:n])
            )
            reached[run] = max(
                reached[run], wealth_after_blocks(counts, np.array([epsilon]), delta).max()
            )
        if run < 60:  # a bound is false only where the wealth has grown to 20
            low = max(bound_of(x[:n], y[:n], delta=delta).low for n in (60, 250))
            assert low <= epsilon or reached[run] >= 20
    for level in (0.05, 0.5):
        limit = level + 2 * math.sqrt(level * (1 - level) / runs)
        assert np.mean(reached >= 1 / level) <= limit


def test_without_a_difference_nothing_is_found_whichever_way_round() -> None:
    rng = np.random.default_rng(4)
    lows = [bound_of(*gaussian(rng, 200, 0.0)).low for _ in range(100)]
    assert np.mean(np.array(lows) > 0) <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 100)
    assert bound_of(*gaussian(rng, 1000, -2.0)) == MethodResult(low=0.0)


# Medians of an earlier e-process with random order, in the house's notes.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("sample", "n", "delta", "runs", "least", "truth"),
    [
        (laplace, 500, 0.0, 60, 0.59, 1.0),
        (lambda rng, n: laplace(rng, n, 0.5), 500, 0.0, 40, 0.14, 0.5),
        (lambda rng, n: gaussian(rng, n, 2.0), 500, 1e-5, 60, 2.7, 10.0),
        (laplace, 5000, 0.0, 15, 0.84, 1.0),
        (lambda rng, n: gaussian(rng, n, 2.0), 5000, 1e-5, 11, 3.9, 10.0),
    ],
)
def test_as_much_is_found_as_by_earlier_bets(sample, n, delta, runs, least, truth) -> None:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(5)
    lows = [bound_of(*sample(rng, n), delta=delta).low for _ in range(runs)]
    assert least <= np.median(lows) <= truth
    assert np.mean(np.array(lows) > truth) <= 0.1


def test_perfect_separation_gives_nearly_what_all_guesses_right_can_show() -> None:
    rng = np.random.default_rng(6)
    for n in (100, 3000):
        low = bound_of(rng.random(n) + 5, rng.random(n)).low
        q = 0.05 ** (1 / (2 * n))  # 2n guesses right with probability 0.05
        most = math.log(q / (1 - q))
        assert 0.7 * most < low < most


@pytest.mark.parametrize("delta", [0.0, 1e-300, 1e-5])
def test_a_tiny_delta_changes_nothing_much(delta: float) -> None:
    x, y = gaussian(np.random.default_rng(7), 300, 2.0)
    assert bound_of(x, y, delta=delta).low == pytest.approx(bound_of(x, y).low, abs=0.03)
    assert bound_of(x, y, delta=0.2).low < bound_of(x, y).low


def test_with_delta_one_or_hardly_any_record_nothing_is_found() -> None:
    x, y = gaussian(np.random.default_rng(8), 300, 4.0)
    assert bound_of(x, y, delta=1.0) == MethodResult(low=0.0)
    for n in (1, 2, 8):
        assert bound_of(x[:n], y, level=0.5) == MethodResult(low=0.0)


@pytest.mark.parametrize("value", [0.0, 1e300, -1e300])
def test_one_score_for_all_shows_nothing(value: float) -> None:
    assert bound_of(np.full(200, value), np.full(300, value), level=0.5) == MethodResult(low=0.0)


def test_ties_are_no_loss() -> None:
    rng = np.random.default_rng(9)
    lows = [
        bound_of(np.floor(x), np.floor(y)).low
        for x, y in (leaky(rng, 500, 1, 0) for _ in range(30))
    ]
    assert 0.6 < np.median(lows) < 0.95


def test_more_confidence_never_gives_more_and_nothing_is_random() -> None:
    x, y = laplace(np.random.default_rng(10), 400)
    levels = (0.01, 0.5, 0.9, 0.95, 0.99, 0.9999)
    found = [bound_of(x, y, level=level) for level in levels]
    assert np.all(np.diff([each.low for each in found]) <= 0)
    assert found[0].low > found[-1].low
    assert [bound_of(x, y, level=level) for level in levels] == found
    assert found[0].seed_spread == 0


def test_what_each_record_shows_adds_up_to_what_all_do() -> None:
    rng = np.random.default_rng(15)
    past, member, nonmember = rng.normal(0, 3, (3, 60)).round()  # many at the thresholds
    cuts = BlockThresholds.of(past)
    of_each = cuts.right_wrong_omitted(member, are_members=True).sum(axis=0)
    of_each += cuts.right_wrong_omitted(nonmember, are_members=False).sum(axis=0)
    np.testing.assert_array_equal(
        of_each * cuts.bets[:, None], cuts.count_right_wrong_omitted(member, nonmember)
    )


def test_records_to_come_change_no_earlier_look() -> None:
    x, y = laplace(np.random.default_rng(11), 500)
    pairs, counts = pairs_and_guess_counts_after_blocks(AttackScores(member=x, nonmember=y))
    capital = wealth_after_blocks(counts, np.array([0.0, 0.5, 2.0]), 1e-3)
    for n in (8, 9, 40, 135, 200, 499):
        seen, before = pairs_and_guess_counts_after_blocks(AttackScores(member=x[:n], nonmember=y))
        shared = sum(end <= n for end in pairs)
        assert seen == pairs[:shared] + [n] * (n not in pairs)
        earlier = wealth_after_blocks(before, np.array([0.0, 0.5, 2.0]), 1e-3)
        np.testing.assert_array_equal(earlier[:shared], capital[:shared])


def test_sorted_records_are_refused() -> None:
    x, y = laplace(np.random.default_rng(12), 60)
    rounded = np.sort(np.round(x))
    for values in (np.sort(x), np.sort(x)[::-1], rounded, rounded[::-1]):
        with pytest.raises(
            ValueError, match=r"^member must be in .*order of arrival, got sorted scores$"
        ):
            bound_of(values, y)
        with pytest.raises(ValueError, match=r"^nonmember must .* got sorted scores$"):
            bound_of(y, values)
    with pytest.raises(ValueError, match="sorted losses"):
        e_process(
            AttackScores.from_losses(member=np.sort(x), nonmember=y),
            BoundRequest(delta=0.0, confidence_level=0.95),
        )
    with pytest.raises(ValueError, match="sorted scores"):
        e_process(
            AttackScores.of_sorted(np.sort(x), np.sort(y), kind="score"),
            BoundRequest(delta=0.0, confidence_level=0.95),
        )


@pytest.mark.parametrize(
    "values", [np.arange(12.0), np.zeros(400), np.repeat([0.0, 1.0], [399, 1]), np.array([3.0])]
)
def test_an_order_that_chance_may_give_is_not_refused(values: np.ndarray) -> None:
    assert bound_of(values, np.zeros(500)).low == 0


def test_sorted_is_what_a_random_order_gives_once_in_a_billion() -> None:
    y = np.random.default_rng(13).normal(size=40)
    # Two of the orders of 16 and 18 equal scores are sorted: 2 / C(34, 16) = 0.9e-9.
    with pytest.raises(ValueError, match="got sorted scores"):
        bound_of(np.repeat([0.0, 1.0], [16, 18]), y)
    assert bound_of(np.repeat([0.0, 1.0], [15, 18]), y).low >= 0  # 1.9e-9
