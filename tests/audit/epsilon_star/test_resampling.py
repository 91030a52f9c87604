"""Permutation test and bootstrap: exact enumeration, simulated nulls, a brute-force resample."""

import math
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from dpviz.audit import AttackScores, bootstrap, epsilon_star, permutation_test
from tests.audit.oracles import (
    gaussian_losses,
    largest_log_ratios,
    of_losses,
    surviving_rates,
)


def brute_value(
    member: list[float], nonmember: list[float], *, delta: float, clip: float | None
) -> float:
    """Epsilon* in exact fractions; inf also where no threshold survives."""
    pairs = surviving_rates(member, nonmember, clip)
    return max(0.0, *largest_log_ratios(pairs, delta)) if pairs else math.inf


def exact_p(
    member: list[float], nonmember: list[float], *, delta: float, clip: float | None
) -> float:
    """Share of all labellings whose value is at least the observed one."""
    pooled = member + nonmember
    observed = brute_value(member, nonmember, delta=delta, clip=clip)
    values = []
    for chosen in combinations(range(len(pooled)), len(member)):
        dealt = [pooled[i] for i in chosen]
        others = [loss for i, loss in enumerate(pooled) if i not in chosen]
        values.append(brute_value(dealt, others, delta=delta, clip=clip))
    return float(np.mean(np.array(values) >= observed - 1e-12))


TINY: list[tuple[list[float], list[float], float, float | None]] = [
    ([0.0, 1.0, 2.0, 5.0], [3.0, 4.0, 6.0, 7.0], 2.0**-5, 0.125),
    ([0.0, 1.0, 2.0, 9.0], [3.0, 0.5, 6.0, 7.0, 8.0], 2.0**-5, 0.125),
    ([0.0, 1.0, 1.0, 2.0], [1.0, 1.0, 2.0, 3.0], 0.0, 0.125),
    ([0.0, 0.0, 1.0], [1.0, 1.0, 2.0, 2.0], 0.25, None),
    ([0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], 2.0**-5, 0.125),
    ([4.0, 5.0, 6.0, 2.0], [0.0, 1.0, 3.0, 3.0, 3.0], 0.25, 0.0625),
]


@pytest.mark.slow
@pytest.mark.parametrize(("member", "nonmember", "delta", "clip"), TINY)
def test_chance_labellings_agree_with_all_of_them(
    member: list[float], nonmember: list[float], delta: float, clip: float | None
) -> None:
    n = 299
    found = permutation_test(
        of_losses(member, nonmember), delta=delta, clip=clip, permutations=n, seed=1
    )
    p = exact_p(member, nonmember, delta=delta, clip=clip)
    expected = (1 + n * p) / (1 + n)
    assert found.p_value == pytest.approx(expected, abs=4 * math.sqrt(p * (1 - p) / n) + 1e-12)


def test_every_labelling_is_dealt_equally_often() -> None:
    # Values of C(4, 2) labellings of 0, 1, 2, 3, at a clip that two of them do not survive.
    found = permutation_test(
        of_losses([0.0, 1.0], [2.0, 3.0]), delta=0.0, clip=0.125, permutations=600
    )
    assert math.isnan(found.observed)
    share = np.isnan(found.permuted).mean()
    assert share == pytest.approx(1 / 3, abs=4 * math.sqrt(2 / 9 / 600))
    assert found.p_value == pytest.approx((1 + 600 * share) / 601)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "is_tied"),
    [({}, False), ({"clip": 0.15}, True), ({"method": "normal", "clip": None}, False)],
)
def test_p_values_of_exchangeable_losses_are_super_uniform(
    form: dict[str, Any], is_tied: bool
) -> None:
    runs, p_values = 70, []
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        losses = rng.standard_t(3, 22)
        if is_tied:
            losses = np.round(losses)
        scores = AttackScores.from_losses(member=losses[:10], nonmember=losses[10:])
        found = permutation_test(scores, delta=0.01, permutations=39, seed=seed, **form)
        p_values.append(found.p_value)
    for a in (0.025, 0.05, 0.1, 0.25, 0.5):
        share = np.mean(np.array(p_values) <= a + 1e-12)
        slack = 4 * math.sqrt(a * (1 - a) / runs)
        assert share <= a + slack
        if form.get("method") == "normal":  # continuous: as often as that, but for chance
            assert share >= a - slack


FORMS: list[dict[str, Any]] = [
    {},
    {"method": "normal"},
    {"method": "normal", "clip": 0.01, "transform": "none"},
    {"method": "mixture", "components": 2},
]


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_a_leak_gives_the_smallest_p_there_is(form: dict[str, Any]) -> None:
    leak = gaussian_losses(0, member=(-2, 1, 150), nonmember=(0, 1, 150))
    found = permutation_test(leak, delta=0.01, permutations=19, **form)
    assert found.p_value == 1 / 20
    assert found.observed == epsilon_star(leak, delta=0.01, **form).value
    assert found.permuted.size == 19
    assert found.permuted.max() < found.observed
    assert np.all(np.diff(found.permuted) >= 0)
    with pytest.raises(ValueError, match="read-only"):
        found.permuted[0] = 0


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS[:2])
def test_the_test_is_blind_to_the_sign(form: dict[str, Any]) -> None:
    n = 400
    low = gaussian_losses(3, member=(-0.25, 1, 60), nonmember=(0, 1, 60))
    high = AttackScores.from_losses(member=low.member, nonmember=low.nonmember)
    arguments: dict[str, Any] = {"delta": 0.01, "permutations": n, "transform": "none", **form}
    one, other = (permutation_test(scores, **arguments) for scores in (low, high))
    assert one.observed == pytest.approx(other.observed, rel=1e-9)
    p = (one.p_value + other.p_value) / 2
    assert 0.01 < p < 0.99
    assert one.p_value == pytest.approx(other.p_value, abs=4 * math.sqrt(2 * p * (1 - p) / n))


def test_separated_classes_count_as_larger_than_any_value() -> None:
    apart = gaussian_losses(0, member=(-50, 1, 30), nonmember=(0, 1, 30))
    found = permutation_test(apart, delta=0.01, permutations=49)
    assert math.isnan(found.observed)
    assert np.isfinite(found.permuted).all()
    assert found.p_value == 1 / 50


def test_labellings_that_separate_count_as_at_least_as_large() -> None:
    # Ordinary data, whose rare separated labellings come last.
    found = permutation_test(
        of_losses([0.0, 3.0], [1.0, 2.0]), delta=0.0, clip=0.125, permutations=500
    )
    n_nan = int(np.isnan(found.permuted).sum())
    assert n_nan > 0
    assert np.isnan(found.permuted[-n_nan:]).all()
    n_larger = n_nan + int((found.permuted[:-n_nan] >= found.observed).sum())
    assert found.p_value == (1 + n_larger) / 501


def test_equal_losses_prove_nothing() -> None:
    found = permutation_test(of_losses([1.0] * 5, [1.0] * 7), delta=0.01, permutations=20)
    assert found.p_value == 1
    fitted = permutation_test(
        of_losses([1.0] * 5, [1.0] * 7), delta=0.01, permutations=20, method="normal"
    )
    assert (fitted.observed, fitted.p_value) == (0, 1)


class CancelledError(Exception):
    pass


@pytest.mark.parametrize(
    ("test", "name"), [(permutation_test, "permutations"), (bootstrap, "resamples")]
)
def test_progress_wraps_the_rounds_and_may_cancel(test: Any, name: str) -> None:
    scores = gaussian_losses(0, member=(0, 1, 20), nonmember=(0, 1, 20))
    seen: list[Any] = []

    def counted(rounds: range) -> Iterator[int]:
        seen.append(rounds)
        for i in rounds:
            seen.append(i)
            yield i

    found = test(scores, delta=0.01, progress=counted, **{name: 7})
    assert seen == [range(7), *range(7)]
    plain = test(scores, delta=0.01, **{name: 7})
    values = [vars(star).get("permuted", vars(star).get("resampled")) for star in (found, plain)]
    np.testing.assert_array_equal(values[0], values[1])

    def cancelled(rounds: range) -> Iterator[int]:
        yield from rounds[:3]
        raise CancelledError

    with pytest.raises(CancelledError):
        test(scores, delta=0.01, progress=cancelled, **{name: 7})


def test_the_same_seed_deals_the_same_labels_and_another_does_not() -> None:
    scores = gaussian_losses(0, member=(0, 1, 40), nonmember=(0, 1, 40))
    for method in ("empirical", "normal"):
        form: dict[str, Any] = {"delta": 0.01, "method": method}
        first, again, other = (
            permutation_test(scores, permutations=30, seed=seed, **form) for seed in (5, 5, 6)
        )
        np.testing.assert_array_equal(first.permuted, again.permuted)
        assert not np.array_equal(first.permuted, other.permuted)
        one, same, third = (bootstrap(scores, resamples=30, seed=s, **form) for s in (5, 5, 6))
        np.testing.assert_array_equal(one.resampled, same.resampled)
        assert not np.array_equal(one.resampled, third.resampled)


def test_a_permutation_keeps_the_sizes_and_the_order_of_records_does_not_matter() -> None:
    rng = np.random.default_rng(0)
    member, nonmember = rng.normal(0, 1, 30), rng.normal(0.5, 1, 50)
    found, shuffled = (
        permutation_test(
            AttackScores.from_losses(member=m, nonmember=k), delta=0.01, permutations=50
        )
        for m, k in ((member, nonmember), (member[::-1], rng.permutation(nonmember)))
    )
    np.testing.assert_array_equal(found.permuted, shuffled.permuted)
    # Sizes 30 and 50 of the pool: independently permuted labels have the same distribution.
    pooled = np.concatenate([member, nonmember])
    dealt = []
    for _ in range(300):
        order = rng.permutation(pooled)
        scores = AttackScores.from_losses(member=order[:30], nonmember=order[30:])
        dealt.append(epsilon_star(scores, delta=0.01).value)
    many = permutation_test(
        AttackScores.from_losses(member=member, nonmember=nonmember), delta=0.01, permutations=300
    )
    assert stats.ks_2samp(dealt, many.permuted).pvalue > 0.001


@pytest.mark.slow
def test_where_nothing_leaks_no_bootstrap_interval_holds_0() -> None:
    holding = 0
    for seed in range(60):
        null = gaussian_losses(seed, member=(0, 1, 1000), nonmember=(0, 1, 1000))
        found = bootstrap(null, delta=1e-5, clip=1e-3, resamples=99, seed=seed)
        holding += found.low <= 0 <= found.high
    assert holding == 0
    assert "0 of 60" in found.warning
    assert "not a confidence interval" in found.warning


def plain_value(member: np.ndarray, nonmember: np.ndarray, delta: float, clip: float) -> float:
    taus = np.unique(np.concatenate([member, nonmember]))
    tpr = (member[:, None] <= taus).mean(axis=0)
    fpr = (nonmember[:, None] <= taus).mean(axis=0)
    inside = np.min([tpr, 1 - tpr, fpr, 1 - fpr], axis=0) > clip + 1e-12
    tpr, fpr = tpr[inside], fpr[inside]
    fnr, tnr = 1 - tpr, 1 - fpr
    quotients = [(tpr - delta) / fpr, (tnr - delta) / fnr, (fnr - delta) / tnr, (fpr - delta) / tpr]
    return max(0.0, math.log(np.max(quotients)))


def test_resampled_values_spread_as_those_of_resampled_arrays() -> None:
    rng = np.random.default_rng(1)
    member, nonmember = rng.normal(-1, 1, 90), np.round(rng.normal(0, 1.2, 150), 1)
    found = bootstrap(
        AttackScores.from_losses(member=member, nonmember=nonmember),
        delta=0.01,
        clip=0.05,
        resamples=400,
    )
    expected = [
        plain_value(rng.choice(member, 90), rng.choice(nonmember, 150), 0.01, 0.05)
        for _ in range(400)
    ]
    assert stats.ks_2samp(found.resampled, expected).pvalue > 0.001
    assert found.observed == pytest.approx(plain_value(member, nonmember, 0.01, 0.05))
    # The ratio of two spreads of 400 values is known to 5 %.
    assert found.resampled.std() == pytest.approx(np.std(expected), rel=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
@pytest.mark.parametrize("n", [40, 99, 200])
def test_the_ends_hold_the_central_share(level: float, n: int) -> None:
    scores = gaussian_losses(0, member=(-1, 1, 50), nonmember=(0, 1, 50))
    found = bootstrap(scores, delta=0.01, resamples=n, confidence_level=level, method="normal")
    assert found.confidence_level == level
    assert found.resampled.size == n
    assert np.all(np.diff(found.resampled) >= 0)
    assert {found.low, found.high} <= set(found.resampled.tolist())
    for end, q in ((found.low, (1 - level) / 2), (found.high, (1 + level) / 2)):
        assert np.mean(found.resampled < end) <= q + 1e-9
        assert np.mean(found.resampled <= end) >= q - 1e-9


def test_a_few_empty_resamples_leave_the_lower_end() -> None:
    rng = np.random.default_rng(0)
    scores = AttackScores.from_losses(member=rng.normal(0, 1, 12), nonmember=rng.normal(2, 1, 12))
    found = bootstrap(scores, delta=1e-5, resamples=199, clip=0.05)
    n_nan = int(np.isnan(found.resampled).sum())
    assert 0 < n_nan < 100
    # 2.5 % of 199 lie below the fifth value, and nan comes last.
    assert found.low == found.resampled[4]


def test_infinite_values_are_the_upper_end() -> None:
    scores = gaussian_losses(0, member=(0, 1, 50), nonmember=(0, 1, 50))
    found = bootstrap(scores, delta=1e-5, clip=None, resamples=20)
    assert found.high == found.observed == math.inf


@pytest.mark.parametrize(
    ("test", "arguments", "message"),
    [
        (permutation_test, {"permutations": 0}, "permutations must be a whole number"),
        (permutation_test, {"permutations": 2.5}, "permutations must be a whole number"),
        (permutation_test, {"delta": 2}, "delta must be in"),
        (permutation_test, {"clip": 0.6}, "clip must be in"),
        (bootstrap, {"resamples": 0}, "resamples must be a whole number"),
        (bootstrap, {"confidence_level": 1}, r"confidence_level must be in \(0, 1\)"),
        (bootstrap, {"confidence_level": 0}, "confidence_level must be in"),
        (bootstrap, {"method": "gamma"}, "method must be one of"),
    ],
)
def test_illegal_arguments_are_named(test: Any, arguments: dict[str, Any], message: str) -> None:
    scores = of_losses([0.0, 1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match=message):
        test(scores, **{"delta": 0.1, **arguments})


def test_permuted_values_of_a_fit_are_those_of_relabelled_losses() -> None:
    losses = [0.0, 1.0, 3.0, 7.0]
    form: Any = {"delta": 0.0, "method": "normal", "clip": 0.01, "transform": "none"}
    possible = [
        epsilon_star(
            of_losses(list(members), [x for x in losses if x not in members]), **form
        ).value
        for members in combinations(losses, 2)
    ]
    found = permutation_test(of_losses(losses[:2], losses[2:]), permutations=12, **form).permuted
    assert len(set(found.tolist())) > 2
    assert np.abs(found[:, None] - np.array(possible)).min(axis=1).max() < 1e-9
