"""What is at most reached: by hand, exactly by enumeration, and in simulations."""

import json
from collections.abc import Callable
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.stats import beta, multinomial, norm

from dpviz import AttackScores, BinnedScores, audit
from dpviz.audit import at_most
from dpviz.audit.upper_limits import limits, separate
from dpviz.audit.upper_limits.inversion import upper_difference, upper_rate
from dpviz.audit.upper_limits.orders import DifferenceOrder, Order, RateOrder
from dpviz.audit.upper_limits.thresholds import ReachedCounts, reached_counts
from tests.audit.upper_limits.oracle import largest, largest_of, share_of_limits_below

LEVEL = 0.05
Pair = tuple[np.ndarray, np.ndarray]  # scores, higher = more member-like


def of(scores: Pair) -> AttackScores:
    return AttackScores(member=scores[0], nonmember=scores[1])


def counts_of(x: list[int], y: list[int]) -> ReachedCounts:
    """Counts of tied scores, from the highest one: numbers of members and of non-members."""
    sums = {"x": np.cumsum([0, *x]), "y": np.cumsum([0, *y])}
    return ReachedCounts(**sums, n_members=sum(x), n_nonmembers=sum(y))


# Members and non-members over three scores, from the highest one, and the sizes of the classes.
LAWS = {
    "useless": ([0.3, 0.4, 0.3], [0.3, 0.4, 0.3]),
    "at both ends": ([0.6, 0.1, 0.3], [0.3, 0.1, 0.6]),
    "a leak": ([0.2, 0.4, 0.4], [0.0, 0.5, 0.5]),
    "reversed": ([0.2, 0.2, 0.6], [0.6, 0.2, 0.2]),
    "perfect": ([0.5, 0.5, 0.0], [0.0, 0.0, 1.0]),
}


def true_rates(law: tuple[list[float], list[float]]) -> Pair:
    return tuple(np.concatenate([[0], np.cumsum(each)]) for each in law)  # type: ignore[return-value]


@pytest.mark.parametrize(("n", "m"), [(3, 3), (2, 5)])
def test_limits_fail_at_most_as_often_as_they_say(n: int, m: int) -> None:
    """Exactly, over all samples of three scores."""

    @cache
    def limit(order: Order, value: float) -> float:
        outcomes = order.upto(value)
        if isinstance(order, RateOrder):
            return upper_rate(outcomes, order.fpr, level=LEVEL)
        given = {"measured": 0.0, "near": value, "level": LEVEL}
        return upper_difference(outcomes, order.slope, **given)

    sizes = {"n_members": n, "n_nonmembers": m, "level": LEVEL}
    swapped = {"n_members": m, "n_nonmembers": n, "level": LEVEL}
    difference, rate = DifferenceOrder(**sizes, slope=1.0), RateOrder(**sizes, fpr=0.3)
    profile = DifferenceOrder(**sizes, slope=np.e), DifferenceOrder(**swapped, slope=np.e)
    for law in LAWS.values():
        tpr, fpr = true_rates(law)
        best, allowed = float((tpr - fpr).max()), float(tpr[fpr <= 0.3 + 1e-12].max())
        delta = max(float((tpr - np.e * fpr).max()), float(((1 - fpr) - np.e * (1 - tpr)).max()))
        failed = np.zeros(3)
        for x, y in product(samples(n), samples(m)):
            chance = multinomial.pmf(x, n, law[0]) * multinomial.pmf(y, m, law[1])
            counts = counts_of(x, y)
            both = zip(profile, (counts, counts.exchanged()), strict=True)
            found = (
                limit(difference, largest(difference, counts)) < best,
                max(limit(order, largest(order, each)) for order, each in both) < delta,
                limit(rate, largest(rate, counts)) < allowed,
            )
            failed += chance * np.array(found)
        assert failed.max() <= LEVEL


def samples(size: int) -> list[list[int]]:
    """All counts of three scores."""
    return [[a, b, size - a - b] for a in range(size + 1) for b in range(size + 1 - a)]


def response(rng: np.random.Generator, n: int, m: int) -> Pair:
    """Randomized response at epsilon 1: one threshold, where every limit errs most."""
    right = np.e / (1 + np.e)
    return (rng.random(n) < right) * 1.0, (rng.random(m) > right) * 1.0


def normal(rng: np.random.Generator, n: int, m: int) -> Pair:
    return rng.normal(1, 1, n), rng.normal(0, 1, m)


@pytest.mark.parametrize(
    ("draw", "true"), [(response, np.tanh(0.5)), (normal, 2 * norm.cdf(0.5) - 1)]
)
@pytest.mark.parametrize(("n", "m"), [(60, 40), (15, 200)])
def test_advantage_is_missed_at_most_as_often_as_said(
    draw: Callable[..., Pair], true: float, n: int, m: int
) -> None:
    rng, runs = np.random.default_rng(0), 2000
    order = DifferenceOrder(n_members=n, n_nonmembers=m, level=LEVEL, slope=1.0)
    values = [largest_of(order, *draw(rng, n, m)) for _ in range(runs)]
    assert share_of_limits_below(true, values, limit_of_advantage(order)) <= 0.05 + 3 * 0.0049


def limit_of_advantage(order: DifferenceOrder) -> Callable[[float], float]:
    def limit(value: float) -> float:
        given = {"measured": 0.0, "near": value, "level": order.level}
        return upper_difference(order.upto(value), order.slope, **given)

    return limit


def test_null_attack_at_1500_records_shows_5_percent_with_even_chance() -> None:
    rng = np.random.default_rng(1)
    order = DifferenceOrder(n_members=1500, n_nonmembers=1500, level=LEVEL, slope=1.0)
    values = [largest_of(order, *rng.normal(size=(2, 1500))) for _ in range(400)]
    assert limit_of_advantage(order)(float(np.median(values))) <= 0.05


def test_reversed_attack_reaches_little() -> None:
    rng = np.random.default_rng(2)
    member, nonmember = normal(rng, 500, 500)
    found = at_most(AttackScores(member=nonmember, nonmember=member))
    assert found.advantage.measured < 0.01
    assert found.advantage.high < 0.05
    assert found.tpr.high < 0.05
    assert found.auc.high < 0.35


def test_one_threshold_by_hand() -> None:
    """Without false positives in play, limits are those of Clopper and Pearson."""
    scores = AttackScores(member=[1.0] * 3 + [0.0] * 27, nonmember=[0.0] * 40)
    found = at_most(scores, fpr=0.0, delta=0.3)
    upper = beta.ppf(0.95, 4, 27)
    assert found.tpr.high == pytest.approx(upper, abs=1e-5)
    assert found.ppv.high == 1.0
    assert found.finite_from == pytest.approx(upper, abs=1e-9)
    assert found.epsilon.high < np.inf
    assert at_most(scores, delta=upper - 1e-6).epsilon.high == np.inf


def test_numbers_belong_together() -> None:
    found = at_most(of(normal(np.random.default_rng(3), 300, 200)), epsilons=[2.0, 0.0, 1.0])
    assert found.accuracy.high == (1 + found.advantage.high) / 2
    assert found.epsilons.tolist() == [0.0, 1.0, 2.0]
    assert np.all(np.diff(found.deltas) < 0)
    assert found.deltas[0] == pytest.approx(found.advantage.high, rel=0.02)
    assert found.ppv.high == found.tpr.high / (found.tpr.high + 0.01)
    assert np.all(found.deltas >= found.measured_deltas)
    for each in (found.advantage, found.accuracy, found.tpr, found.ppv, found.auc):
        assert each.measured <= each.high <= 1


def test_accuracy_at_a_prior_is_that_of_exchanged_classes() -> None:
    member, nonmember = normal(np.random.default_rng(4), 150, 90)
    one = at_most(AttackScores(member=member, nonmember=nonmember), prior=0.8)
    other = at_most(AttackScores(member=-nonmember, nonmember=-member), prior=1 - 0.8)
    assert one.accuracy.high == pytest.approx(other.accuracy.high, abs=2e-3)
    assert one.accuracy.measured == pytest.approx(other.accuracy.measured)
    assert one.accuracy.high >= 0.8


def test_delta_and_epsilon_say_the_same() -> None:
    scores = of(normal(np.random.default_rng(5), 2000, 2000))
    found = at_most(scores, delta=0.05)
    again = at_most(scores, epsilons=[found.epsilon.high])
    assert again.deltas[0] == pytest.approx(0.05, rel=0.1)


@pytest.mark.parametrize("n", [30, 400])
def test_bounds_from_below_never_exceed_limits_from_above(n: int) -> None:
    rng = np.random.default_rng(6)
    for i in range(10):
        scores = of(normal(rng, n, n) if i % 2 else tuple(rng.normal(size=(2, n))))
        low = audit.advantage(scores, confidence_level=0.9).low  # at 95 % alone
        assert low <= limits.largest_difference(reached_counts(scores), 1.0, level=LEVEL)


def test_level_of_limits() -> None:
    scores = of(normal(np.random.default_rng(7), 80, 80))
    low, high = (at_most(scores, confidence_level=c) for c in (0.8, 0.99))
    for name in ("advantage", "accuracy", "tpr", "ppv", "auc", "epsilon"):
        assert getattr(low, name).high <= getattr(high, name).high
    assert np.all(low.deltas < high.deltas)


def test_cells_widen_limits_little() -> None:
    scores = of(normal(np.random.default_rng(8), 500, 500))
    fine, binned = at_most(scores), at_most(BinnedScores.of(scores))
    for name in ("advantage", "accuracy", "tpr", "auc"):
        one, other = getattr(fine, name), getattr(binned, name)
        assert one.high - 1e-3 <= other.high <= one.high + 0.02
    assert binned.advantage.measured <= fine.advantage.measured


def test_limits_of_very_many_records_are_wider(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = of(normal(np.random.default_rng(9), 300, 300))
    exact = at_most(scores, delta=0.3)
    monkeypatch.setattr(limits, "MOST_EXACT", 100)
    wider = at_most(scores, delta=0.3)
    for name in ("advantage", "accuracy", "tpr", "epsilon"):
        assert getattr(exact, name).high < getattr(wider, name).high
        assert getattr(exact, name).method != getattr(wider, name).method
    monkeypatch.setattr(separate, "EXACT_NEAR_ENDS", 50)
    monkeypatch.setattr(separate, "INTERVALS", 60)
    fewer = at_most(scores, delta=0.3)
    for name in ("advantage", "tpr", "epsilon"):
        assert getattr(wider, name).high <= getattr(fewer, name).high


def test_one_record_of_a_class() -> None:
    found = at_most(([1.0], [0.0, 2.0, 3.0]))
    assert found.advantage.high > 0.95
    assert found.epsilon.high == np.inf
    assert found.finite_from > 0.5


def test_result_is_data() -> None:
    found = at_most(([1, 4, 5, 8], [2, 3, 6, 7]))
    written = json.loads(json.dumps(found.to_dict()))
    assert written["advantage"]["confidence_level"] == 0.95
    assert written["silent_about"] == found.silent_about
    assert len(found.to_frame()) == len(found.epsilons)
    assert found == at_most(([1, 4, 5, 8], [2, 3, 6, 7]))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"confidence_level": 0.05}, "confidence_level must be in"),
        ({"prior": 1.0}, "prior must be in"),
        ({"fpr": 1.5}, "fpr must be in"),
        ({"epsilons": [-1.0]}, "epsilons must be in"),
        ({"delta": np.nan}, "delta must"),
    ],
)
def test_arguments_out_of_range(given: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        at_most(([1, 2], [3, 4]), **given)
