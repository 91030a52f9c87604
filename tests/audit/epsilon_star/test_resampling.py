"""Resampled and simulated Epsilon*: exact enumeration, simulated nulls, independent numbers."""

import inspect
import math
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr, ndtri

import dpviz
from dpviz.audit import AttackScores, bootstrap, epsilon_star, permutation_test
from dpviz.audit.epsilon_star.fits import ks_by_components
from dpviz.audit.epsilon_star.resampling import gamma_simulation, ratio_noise
from tests.audit.oracles import gaussian_losses, largest_log_ratios, of_losses, surviving_rates


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
        of_losses(member, nonmember), delta=delta, clip=clip, n_resamples=n, rng=1
    )
    p = exact_p(member, nonmember, delta=delta, clip=clip)
    expected = (1 + n * p) / (1 + n)
    assert found.p_value == pytest.approx(expected, abs=4 * math.sqrt(p * (1 - p) / n) + 1e-12)


def test_every_labelling_is_dealt_equally_often() -> None:
    # Values of C(4, 2) labellings of 0, 1, 2, 3, at a clip that two of them do not survive.
    found = permutation_test(
        of_losses([0.0, 1.0], [2.0, 3.0]), delta=0.0, clip=0.125, n_resamples=600
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
        found = permutation_test(scores, delta=0.01, n_resamples=39, rng=seed, **form)
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
    found = permutation_test(leak, delta=0.01, n_resamples=19, **form)
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
    arguments: dict[str, Any] = {"delta": 0.01, "n_resamples": n, "transform": "none", **form}
    one, other = (permutation_test(scores, **arguments) for scores in (low, high))
    assert one.observed == pytest.approx(other.observed, rel=1e-9)
    p = (one.p_value + other.p_value) / 2
    assert 0.01 < p < 0.99
    assert one.p_value == pytest.approx(other.p_value, abs=4 * math.sqrt(2 * p * (1 - p) / n))


def test_separated_classes_count_as_larger_than_any_value() -> None:
    apart = gaussian_losses(0, member=(-50, 1, 30), nonmember=(0, 1, 30))
    found = permutation_test(apart, delta=0.01, n_resamples=49)
    assert math.isnan(found.observed)
    assert np.isfinite(found.permuted).all()
    assert found.p_value == 1 / 50


def test_labellings_that_separate_count_as_at_least_as_large() -> None:
    # Ordinary data, whose rare separated labellings come last.
    found = permutation_test(
        of_losses([0.0, 3.0], [1.0, 2.0]), delta=0.0, clip=0.125, n_resamples=500
    )
    n_nan = int(np.isnan(found.permuted).sum())
    assert n_nan > 0
    assert np.isnan(found.permuted[-n_nan:]).all()
    n_larger = n_nan + int((found.permuted[:-n_nan] >= found.observed).sum())
    assert found.p_value == (1 + n_larger) / 501


def test_equal_losses_prove_nothing() -> None:
    found = permutation_test(of_losses([1.0] * 5, [1.0] * 7), delta=0.01, n_resamples=20)
    assert found.p_value == 1
    fitted = permutation_test(
        of_losses([1.0] * 5, [1.0] * 7), delta=0.01, n_resamples=20, method="normal"
    )
    assert (fitted.observed, fitted.p_value) == (0, 1)


class CancelledError(Exception):
    pass


@pytest.mark.parametrize(
    ("test", "name"), [(permutation_test, "n_resamples"), (bootstrap, "n_resamples")]
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
            permutation_test(scores, n_resamples=30, rng=seed, **form) for seed in (5, 5, 6)
        )
        np.testing.assert_array_equal(first.permuted, again.permuted)
        assert not np.array_equal(first.permuted, other.permuted)
        one, same, third = (bootstrap(scores, n_resamples=30, rng=s, **form) for s in (5, 5, 6))
        np.testing.assert_array_equal(one.resampled, same.resampled)
        assert not np.array_equal(one.resampled, third.resampled)


def test_a_permutation_keeps_the_sizes_and_the_order_of_records_does_not_matter() -> None:
    rng = np.random.default_rng(0)
    member, nonmember = rng.normal(0, 1, 30), rng.normal(0.5, 1, 50)
    found, shuffled = (
        permutation_test(
            AttackScores.from_losses(member=m, nonmember=k), delta=0.01, n_resamples=50
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
        AttackScores.from_losses(member=member, nonmember=nonmember), delta=0.01, n_resamples=300
    )
    assert stats.ks_2samp(dealt, many.permuted).pvalue > 0.001


@pytest.mark.slow
def test_where_nothing_leaks_no_bootstrap_interval_holds_0() -> None:
    holding = 0
    for seed in range(60):
        null = gaussian_losses(seed, member=(0, 1, 1000), nonmember=(0, 1, 1000))
        found = bootstrap(null, delta=1e-5, clip=1e-3, n_resamples=99, rng=seed)
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
        n_resamples=400,
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
    found = bootstrap(scores, delta=0.01, n_resamples=n, confidence_level=level, method="normal")
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
    found = bootstrap(scores, delta=1e-5, n_resamples=199, clip=0.05)
    n_nan = int(np.isnan(found.resampled).sum())
    assert 0 < n_nan < 100
    # 2.5 % of 199 lie below the fifth value, and nan comes last.
    assert found.low == found.resampled[4]


def test_infinite_values_are_the_upper_end() -> None:
    scores = gaussian_losses(0, member=(0, 1, 50), nonmember=(0, 1, 50))
    found = bootstrap(scores, delta=1e-5, clip=None, n_resamples=20)
    assert found.high == found.observed == math.inf


@pytest.mark.parametrize(
    ("test", "arguments", "message"),
    [
        (permutation_test, {"n_resamples": 0}, "n_resamples must be a whole number"),
        (permutation_test, {"n_resamples": 2.5}, "n_resamples must be a whole number"),
        (permutation_test, {"delta": 2}, "delta must be in"),
        (permutation_test, {"clip": 0.6}, "clip must be in"),
        (bootstrap, {"n_resamples": 0}, "n_resamples must be a whole number"),
        (bootstrap, {"confidence_level": 1}, r"confidence_level must be in \[0.5, 1\)"),
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
    found = permutation_test(of_losses(losses[:2], losses[2:]), n_resamples=12, **form).permuted
    assert len(set(found.tolist())) > 2
    assert np.abs(found[:, None] - np.array(possible)).min(axis=1).max() < 1e-9


# Mean and standard deviation of 10 runs of another implementation with other seeds, delta
# 1 / (n ln n); the truth from 40-digit arithmetic. Keys: method, n, shift.
AT_ONE_CLIP = {
    ("empirical", 1000, 0): (1.003, 0.337, 0.0),
    ("empirical", 10_000, 0): (0.503, 0.163, 0.0),
    ("normal", 1000, 0): (0.302, 0.196, 0.0),
    ("normal", 10_000, 0): (0.103, 0.070, 0.0),
    ("empirical", 1000, 2): (4.022, 0.277, 4.2373),
    ("empirical", 10_000, 2): (4.266, 0.106, 4.2393),
    ("normal", 1000, 2): (4.646, 0.150, 4.2373),
    ("normal", 10_000, 2): (4.673, 0.053, 4.2393),
}
AT_THE_PAPERS_CLIPS = {
    ("empirical", 10_000, 2): (4.266, 0.106, 4.2393),
    ("normal", 1000, 0): (0.304, 0.198, 0.0),
    ("normal", 10_000, 0): (0.109, 0.082, 0.0),
    ("normal", 1000, 2): (5.816, 0.202, 5.2441),
    ("normal", 10_000, 2): (7.421, 0.095, 6.5754),
}
WITHOUT_A_CLIP = {
    ("normal", 1000, 2): (12.047, 1.243, 9.2330),
    ("normal", 10_000, 2): (15.665, 0.554, 11.8326),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("clip", "known"),
    [(0.001, AT_ONE_CLIP), ("paper", AT_THE_PAPERS_CLIPS), (None, WITHOUT_A_CLIP)],
)
def test_means_and_truths_are_those_of_another_implementation(clip: Any, known: Any) -> None:
    found = gamma_simulation(shifts=(0, 2), sizes=(1000, 10_000), clip=clip)
    for (method, n, shift), (mean, sd, truth) in known.items():
        one = found.of(method=method, n=n, shift=shift)
        assert one.values.shape == (10,)
        error = math.hypot(sd, one.sd) / math.sqrt(10)
        assert abs(one.mean - mean) < 3 * error
        assert one.truth == pytest.approx(truth, abs=1e-4)


def test_the_truth_is_the_largest_ratio_of_the_laws_on_a_fine_grid() -> None:
    delta, clip = 1e-3, 0.01
    one = gamma_simulation(
        shifts=[1.5], sizes=[50], n_resamples=1, delta=delta, clip=clip
    ).estimates[0]
    member, nonmember = stats.gamma(2, scale=5), stats.gamma(3.5, scale=5)
    tau = np.linspace(0.01, 80, 400_001)
    fpr, tpr, fnr, tnr = nonmember.cdf(tau), member.cdf(tau), member.sf(tau), nonmember.sf(tau)
    inside = np.all([np.array([fpr, tpr, fnr, tnr]) >= clip], axis=(0, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = [
            np.log((a - delta) / b) for a, b in ((tpr, fpr), (tnr, fnr), (fnr, tnr), (fpr, tpr))
        ]
    largest = [log[inside].max() for log in logs]
    np.testing.assert_allclose(one.exact.log_ratios[:2], largest[:2], atol=2e-4)
    assert one.truth == pytest.approx(max(largest), abs=2e-4)


@pytest.mark.slow
def test_at_one_clip_the_counts_are_better_where_something_leaks_and_worse_where_not() -> None:
    found = gamma_simulation(sizes=[10_000], shifts=(0, 2, 3))
    for shift, better in ((0, "normal"), (2, "empirical"), (3, "empirical")):
        errors = {
            one.method: abs(one.mean - one.truth) for one in found.estimates if one.shift == shift
        }
        assert min(errors, key=lambda method: errors[method]) == better
    fit = found.of(method="normal", n=10_000, shift=2)
    assert fit.mean - fit.truth > 10 * fit.sd / math.sqrt(10)


def test_the_normal_fit_puts_the_leak_in_the_other_tail() -> None:
    found = gamma_simulation(sizes=[10_000], shifts=(1, 2, 3), methods=["normal"], clip=None)
    for one in found.estimates:
        assert np.argmax(one.exact.log_ratios) == 0
        assert (np.argmax(one.log_ratios, axis=1) == 1).all()
        assert (one.log_ratios[:, 0] < one.exact.log_ratios[0] / 2).all()


def test_counts_without_a_clip_are_infinite_and_say_so() -> None:
    found = gamma_simulation(
        sizes=[1000], shifts=[0], methods=["empirical"], clip=None, n_resamples=3
    )
    one = found.estimates[0]
    assert one.mean == np.inf
    assert np.isnan(one.sd)
    assert ": inf, truth 0.00" in repr(one)


def test_a_setting_has_its_own_samples_whatever_else_is_asked() -> None:
    many = gamma_simulation(
        sizes=(200, 300), shifts=(0, 1), n_resamples=4, methods=("normal", "empirical")
    )
    alone = gamma_simulation(sizes=[300], shifts=[1], n_resamples=2).of(
        method="empirical", n=300, shift=1
    )
    same = many.of(method="empirical", n=300, shift=1)
    np.testing.assert_array_equal(same.values[:2], alone.values)
    np.testing.assert_array_equal(same.values, np.maximum(0, same.log_ratios.max(axis=1)))
    assert same.sd == pytest.approx(np.sqrt(((same.values - same.mean) ** 2).sum() / 3))
    assert len(set(same.values.tolist())) > 1
    other = gamma_simulation(sizes=[300], shifts=[1], n_resamples=2, rng=1)
    assert not np.array_equal(other.of(method="empirical", n=300, shift=1).values, alone.values)
    assert not same.values.flags.writeable


def test_repeated_settings_are_simulated_once_and_in_order() -> None:
    found = gamma_simulation(
        sizes=(300, 100, 300), shifts=(1, 0, 1), n_resamples=2, methods=("normal", "normal")
    )
    keys = [(one.n, one.shift, one.values.size) for one in found.estimates]
    assert keys == [(100, 0, 2), (100, 1, 2), (300, 0, 2), (300, 1, 2)]


def test_delta_is_one_over_n_log_n_unless_given() -> None:
    assert gamma_simulation(sizes=[100], shifts=[0], n_resamples=1).estimates[0].exact.delta == (
        pytest.approx(1 / (100 * math.log(100)))
    )
    given = gamma_simulation(sizes=[100], shifts=[0], n_resamples=1, delta=0.25)
    assert given.estimates[0].exact.delta == 0.25


def test_progress_wraps_one_round_per_sample_and_may_stop() -> None:
    seen: list[int] = []

    def stopping(rounds: range) -> Iterator[int]:
        assert len(rounds) == 2 * 3 * 4
        for k in rounds:
            if k == 5:
                raise KeyboardInterrupt
            seen.append(k)
            yield k

    with pytest.raises(KeyboardInterrupt):
        gamma_simulation(sizes=(50, 60), shifts=(0, 1, 2), n_resamples=4, progress=stopping)
    assert seen == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"shifts": [-1]}, r"shifts must be in \[0, inf\], got -1"),
        ({"shifts": []}, "shifts must not be empty"),
        ({"shifts": [np.inf]}, "shifts must be finite"),
        ({"sizes": [2]}, "sizes must be a whole number of at least 3"),
        ({"sizes": []}, "sizes must not be empty"),
        ({"n_resamples": 0}, "n_resamples must be a whole number of at least 1"),
        ({"delta": 2.0}, r"delta must be in \[0, 1\], got 2.0"),
        ({"clip": 0.5}, r"clip must be in \[0, 0.5\)"),
        ({"methods": ["gauss"]}, "methods must be one of"),
        ({"rng": -1}, "rng must be a whole number"),
    ],
)
def test_arguments_out_of_range_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        gamma_simulation(**{"sizes": [50], "shifts": [0], "n_resamples": 1, **wrong})


def test_what_was_not_simulated_is_not_answered() -> None:
    found = gamma_simulation(sizes=[50], shifts=[0], n_resamples=1)
    with pytest.raises(ValueError, match="must be a case that the package has simulated"):
        found.of(method="empirical", n=51, shift=0)


@pytest.mark.parametrize("delta", [0.0, 1e-5, 1e-3])
def test_true_ratios_end_where_rates_below_a_billionth_are_left_out(delta: float) -> None:
    noise = ratio_noise(delta=delta, n=10)
    capped = math.log((ndtr(ndtri(1e-9) + 3) - delta) / 1e-9) if delta < 1e-3 else 13.0882
    assert noise.exact.log_ratios[:2] == pytest.approx([capped] * 2, abs=1e-4)
    for curve in noise.true:
        assert curve[:, 1].max() == pytest.approx(capped, abs=0.02)
    # The caps that are known: 14.1227 and 14.1154.
    known = {0.0: 14.1227, 1e-5: 14.1154, 1e-3: 13.0882}
    assert noise.exact.value == pytest.approx(known[delta], abs=1e-4)


def test_true_ratios_are_those_of_laws_three_apart() -> None:
    first, second = ratio_noise(n=10).true
    # With delta 0 the ratio and the middle give both rates back.
    fpr = 2 * first[:, 0] / (1 + np.exp(first[:, 1]))
    tpr = fpr * np.exp(first[:, 1])
    is_small = tpr < 0.5
    np.testing.assert_allclose(ndtri(tpr[is_small]) - ndtri(fpr[is_small]), 3, atol=1e-6)
    # Both ratios mirror each other, about the middle 1/2.
    np.testing.assert_allclose(second[::-1] * [-1, 1] + [1, 0], first, atol=1e-9)


@pytest.mark.parametrize("n", [1, 2, 7, 120])
def test_counted_ratios_are_at_thresholds_and_hold_the_maxima(n: int) -> None:
    noise = ratio_noise(n=n, rng=3, separation=1.0)
    rng = np.random.default_rng(3)
    member, nonmember = rng.normal(size=n), rng.normal(1.0, size=n)
    places: tuple[set[tuple[float, float]], ...] = (set(), set())
    for tau in np.concatenate([member, nonmember]):
        tp, fp = int((member <= tau).sum()), int((nonmember <= tau).sum())
        if min(tp, fp, n - tp, n - fp) > 0:
            places[0].add((round((tp + fp) / n / 2, 9), round(math.log(tp / fp), 9)))
            places[1].add((round((tp + fp) / n / 2, 9), round(math.log((n - fp) / (n - tp)), 9)))
    for curve, allowed in zip(noise.counted, places, strict=True):
        drawn = {(round(x, 9), round(y, 9)) for x, y in curve.tolist()}
        assert drawn <= allowed
        assert len(drawn) >= 0.7 * min(len(allowed), 200)
        if allowed:
            assert curve[:, 1].max() == pytest.approx(max(y for _, y in allowed))


@pytest.mark.parametrize("options", [{}, {"n": 100_000}, {"separation": 40.0}, {"delta": 1.0}])
def test_what_is_drawn_of_the_noise_is_little_finite_and_ascending(options: Any) -> None:
    noise = ratio_noise(**options)
    for curve in (*noise.true, *noise.counted):
        assert len(curve) <= 512
        assert np.isfinite(curve).all()
        assert (np.diff(curve[:, 0]) >= 0).all()


def test_noise_is_largest_at_the_ends() -> None:
    found = [ratio_noise(rng=seed).counted[0] for seed in range(40)]
    at_the_end = np.std([curve[:, 1].max() for curve in found])
    at_the_middle = np.std([np.interp(0.5, *curve.T) for curve in found])
    assert at_the_end > 5 * at_the_middle


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n": 0}, "n must be"),
        ({"delta": -0.1}, "delta must be"),
        ({"separation": np.inf}, "separation must be"),
        ({"smallest_rate": 0.0}, r"smallest_rate must be in \(0, 0.5\)"),
        ({"rng": 0.5}, "rng must be"),
    ],
)
def test_noise_out_of_range_is_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ratio_noise(**wrong)


def test_more_mixtures_can_only_raise_what_the_paper_looks_at() -> None:
    pytest.importorskip("sklearn")
    scores = dpviz.read_sample("overfitted")
    one, many = (ks_by_components(scores, most=most, held_out=100) for most in (1, 4))
    assert many.n_held_out == (100, 100)
    assert many.components.tolist() == [1, 2, 3, 4]
    np.testing.assert_array_equal(many.p_values[:1], one.p_values)
    np.testing.assert_array_equal(many.two_sample_p_values[:1], one.two_sample_p_values)
    assert (many.largest_p_values >= one.largest_p_values).all()
    assert many.largest_p_values.tolist() == [
        max(column) for column in many.two_sample_p_values.T.tolist()
    ]
    expected = [min(1.0, 4 * min(column)) for column in many.p_values.T.tolist()]
    assert many.joint_p_values.tolist() == pytest.approx(expected)


def test_never_more_than_half_a_class_is_held_out() -> None:
    pytest.importorskip("sklearn")
    assert ks_by_components(dpviz.read_sample("overfitted"), most=1).n_held_out == (150, 748)


@pytest.mark.slow
def test_a_right_law_is_seldom_called_wrong_and_a_wrong_one_always() -> None:
    pytest.importorskip("sklearn")
    found = []
    for seed in range(30):
        scores = gaussian_losses(seed, member=(-1, 2, 1500), nonmember=(0, 1, 1500))
        found += ks_by_components(scores, most=1, held_out=100, rng=seed).joint_p_values.tolist()
    for a in (0.05, 0.2, 0.5):
        assert np.mean(np.array(found) <= a) <= a + 4 * math.sqrt(a * (1 - a) / len(found))
    rng = np.random.default_rng(5)
    wrong, right = rng.gamma(1, 5, 3000), rng.normal(5, 5, 3000)
    for member, nonmember, chances in ((wrong, right, [0, 1]), (right, wrong, [1, 0])):
        scores = AttackScores.from_losses(member=member, nonmember=nonmember)
        assert ((ks_by_components(scores, most=1).joint_p_values > 0.001) == chances).all()


@pytest.mark.parametrize("losses", [[1.0, 2.0, 3.0], [1.0] * 10])
def test_losses_that_no_law_can_be_fitted_to_are_refused(losses: list[float]) -> None:
    scores = AttackScores.from_losses(member=losses, nonmember=losses)
    with pytest.raises(ValueError, match="scores must be at least 4 per class"):
        ks_by_components(scores, most=1)


def test_ks_out_of_range_is_refused() -> None:
    scores = dpviz.read_sample("null")
    with pytest.raises(ValueError, match="most must be a whole number from 1 to 20, got 21"):
        ks_by_components(scores, most=21)
    with pytest.raises(ValueError, match="held_out must be"):
        ks_by_components(scores, most=1, held_out=1)


def test_without_arguments_the_settings_are_those_of_the_docstring() -> None:
    given = inspect.signature(gamma_simulation).parameters
    settings = {name: given[name].default for name in ("shifts", "sizes", "n_resamples")}
    assert settings == {"shifts": (0, 1, 2, 3), "sizes": (1000, 10_000, 100_000), "n_resamples": 10}


def test_the_best_thresholds_with_few_errors_are_drawn() -> None:
    noise = ratio_noise(n=1000, rng=3, separation=1.0)
    rng = np.random.default_rng(3)
    member, nonmember = (np.sort(rng.normal(mean, size=1000)) for mean in (0.0, 1.0))
    drawn = set(noise.counted[0][:, 0].round(9).tolist())
    for few in range(1, 6):
        caught = np.searchsorted(member, nonmember[few])  # before one non-member more is flagged
        flagged = np.searchsorted(nonmember, member[-few - 1])  # as soon as few members are missed
        assert {round((caught + few) / 2000, 9), round((1000 - few + flagged) / 2000, 9)} <= drawn
