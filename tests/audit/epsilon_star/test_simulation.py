"""The simulations of the Epsilon* paper's Appendix B, against numbers found another way."""

import inspect
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr, ndtri

import dpviz
from dpviz import AttackScores
from dpviz.audit.epsilon_star.fits import ks_by_components
from dpviz.audit.epsilon_star.resampling import gamma_simulation, ratio_noise
from tests.audit.oracles import gaussian_losses

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
    one = gamma_simulation(shifts=[1.5], sizes=[50], runs=1, delta=delta, clip=clip).estimates[0]
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
    found = gamma_simulation(sizes=[1000], shifts=[0], methods=["empirical"], clip=None, runs=3)
    one = found.estimates[0]
    assert one.mean == np.inf
    assert np.isnan(one.sd)
    assert ": inf, truth 0.00" in repr(one)


def test_a_setting_has_its_own_samples_whatever_else_is_asked() -> None:
    many = gamma_simulation(
        sizes=(200, 300), shifts=(0, 1), runs=4, methods=("normal", "empirical")
    )
    alone = gamma_simulation(sizes=[300], shifts=[1], runs=2).of(method="empirical", n=300, shift=1)
    same = many.of(method="empirical", n=300, shift=1)
    np.testing.assert_array_equal(same.values[:2], alone.values)
    np.testing.assert_array_equal(same.values, np.maximum(0, same.log_ratios.max(axis=1)))
    assert same.sd == pytest.approx(np.sqrt(((same.values - same.mean) ** 2).sum() / 3))
    assert len(set(same.values.tolist())) > 1
    other = gamma_simulation(sizes=[300], shifts=[1], runs=2, seed=1)
    assert not np.array_equal(other.of(method="empirical", n=300, shift=1).values, alone.values)
    assert not same.values.flags.writeable


def test_repeated_settings_are_simulated_once_and_in_order() -> None:
    found = gamma_simulation(
        sizes=(300, 100, 300), shifts=(1, 0, 1), runs=2, methods=("normal", "normal")
    )
    keys = [(one.n, one.shift, one.values.size) for one in found.estimates]
    assert keys == [(100, 0, 2), (100, 1, 2), (300, 0, 2), (300, 1, 2)]


def test_delta_is_one_over_n_log_n_unless_given() -> None:
    assert gamma_simulation(sizes=[100], shifts=[0], runs=1).estimates[0].exact.delta == (
        pytest.approx(1 / (100 * math.log(100)))
    )
    given = gamma_simulation(sizes=[100], shifts=[0], runs=1, delta=0.25)
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
        gamma_simulation(sizes=(50, 60), shifts=(0, 1, 2), runs=4, progress=stopping)
    assert seen == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"shifts": [-1]}, r"shifts must be in \[0, inf\], got -1"),
        ({"shifts": []}, "shifts must not be empty"),
        ({"shifts": [np.inf]}, "shifts must be finite"),
        ({"sizes": [2]}, "sizes must be a whole number of at least 3"),
        ({"sizes": []}, "sizes must not be empty"),
        ({"runs": 0}, "runs must be a whole number of at least 1"),
        ({"delta": 2.0}, r"delta must be in \[0, 1\], got 2.0"),
        ({"clip": 0.5}, r"clip must be in \[0, 0.5\)"),
        ({"methods": ["gauss"]}, "methods must be one of"),
        ({"seed": -1}, "seed must be a whole number"),
    ],
)
def test_arguments_out_of_range_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        gamma_simulation(**{"sizes": [50], "shifts": [0], "runs": 1, **wrong})


def test_what_was_not_simulated_is_not_answered() -> None:
    found = gamma_simulation(sizes=[50], shifts=[0], runs=1)
    with pytest.raises(ValueError, match="must be among those simulated"):
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
    noise = ratio_noise(n=n, seed=3, separation=1.0)
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
    found = [ratio_noise(seed=seed).counted[0] for seed in range(40)]
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
        ({"seed": 0.5}, "seed must be"),
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
    assert (many.largest >= one.largest).all()
    assert many.largest.tolist() == [max(column) for column in many.two_sample_p_values.T.tolist()]
    expected = [min(1.0, 4 * min(column)) for column in many.p_values.T.tolist()]
    assert many.all_right.tolist() == pytest.approx(expected)


def test_never_more_than_half_a_class_is_held_out() -> None:
    pytest.importorskip("sklearn")
    assert ks_by_components(dpviz.read_sample("overfitted"), most=1).n_held_out == (150, 748)


@pytest.mark.slow
def test_a_right_law_is_seldom_called_wrong_and_a_wrong_one_always() -> None:
    pytest.importorskip("sklearn")
    found = []
    for seed in range(30):
        scores = gaussian_losses(seed, member=(-1, 2, 1500), nonmember=(0, 1, 1500))
        found += ks_by_components(scores, most=1, held_out=100, seed=seed).all_right.tolist()
    for a in (0.05, 0.2, 0.5):
        assert np.mean(np.array(found) <= a) <= a + 4 * math.sqrt(a * (1 - a) / len(found))
    rng = np.random.default_rng(5)
    wrong, right = rng.gamma(1, 5, 3000), rng.normal(5, 5, 3000)
    for member, nonmember, chances in ((wrong, right, [0, 1]), (right, wrong, [1, 0])):
        scores = AttackScores.from_losses(member=member, nonmember=nonmember)
        assert ((ks_by_components(scores, most=1).all_right > 0.001) == chances).all()


@pytest.mark.parametrize("losses", [[1.0, 2.0, 3.0], [1.0] * 10])
def test_losses_that_no_law_can_be_fitted_to_are_refused(losses: list[float]) -> None:
    scores = AttackScores.from_losses(member=losses, nonmember=losses)
    with pytest.raises(ValueError, match="scores must be of at least 4 records per class"):
        ks_by_components(scores, most=1)


def test_ks_out_of_range_is_refused() -> None:
    scores = dpviz.read_sample("null")
    with pytest.raises(ValueError, match="most must be a whole number from 1 to 20, got 21"):
        ks_by_components(scores, most=21)
    with pytest.raises(ValueError, match="held_out must be"):
        ks_by_components(scores, most=1, held_out=1)


def test_without_arguments_the_settings_are_those_of_the_docstring() -> None:
    given = inspect.signature(gamma_simulation).parameters
    settings = {name: given[name].default for name in ("shifts", "sizes", "runs")}
    assert settings == {"shifts": (0, 1, 2, 3), "sizes": (1000, 10_000, 100_000), "runs": 10}


def test_the_best_thresholds_with_few_errors_are_drawn() -> None:
    noise = ratio_noise(n=1000, seed=3, separation=1.0)
    rng = np.random.default_rng(3)
    member, nonmember = (np.sort(rng.normal(mean, size=1000)) for mean in (0.0, 1.0))
    drawn = set(noise.counted[0][:, 0].round(9).tolist())
    for few in range(1, 6):
        caught = np.searchsorted(member, nonmember[few])  # before one non-member more is flagged
        flagged = np.searchsorted(nonmember, member[-few - 1])  # as soon as few members are missed
        assert {round((caught + few) / 2000, 9), round((1000 - few + flagged) / 2000, 9)} <= drawn
