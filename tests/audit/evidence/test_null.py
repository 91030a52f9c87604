"""Labels dealt out at random: the law, exact p-values, known quantiles, and bands that hold."""

import math
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from dpviz.audit import AttackCurve, AttackScores, epsilon_star
from dpviz.audit.evidence.null import (
    STATISTICS,
    NullBand,
    NullDistribution,
    PermutedCurves,
    deviance,
    draw_permuted_member_counts,
    null_distribution,
    rank_cut_offs,
    x_log_x_function,
)


def normal_scores(seed: int, n: int, m: int, *, by: float = 0.0) -> AttackScores:
    rng = np.random.default_rng(seed)
    return AttackScores(member=rng.normal(by, 1, n), nonmember=rng.normal(0, 1, m))


def tied_scores(seed: int, n: int, m: int) -> AttackScores:
    rng = np.random.default_rng(seed)
    return AttackScores(member=rng.integers(0, 6, n) * 1.0, nonmember=rng.integers(0, 5, m) * 1.0)


@pytest.mark.parametrize(
    ("n", "median", "quantile"),
    [(200, 1.10, 1.95), (1000, 1.10, 1.94), (5000, 1.08, 1.94), (20_000, 1.03, 1.92)],
)
def test_the_epsilon_most_audits_print_has_its_known_quantiles(
    n: int, median: float, quantile: float
) -> None:
    # Simulated elsewhere: equal Normal laws, n records each, delta 1e-5.
    null = null_distribution(normal_scores(n, n, n), delta=1e-5, n_resamples=1000)
    low, high = null.quantile_confidence_limits("raw_epsilon", 0.5)
    assert low - 0.005 <= median <= high + 0.005
    low, high = null.quantile_confidence_limits("raw_epsilon")
    assert low - 0.005 <= quantile <= high + 0.005
    assert null.quantile("raw_epsilon") == pytest.approx(quantile, abs=0.1)


@pytest.mark.parametrize("clip", ["paper", None, 0.1, 0.3])
@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_epsilon_star_of_the_data_is_the_one_it_has_everywhere(clip: Any, delta: float) -> None:
    for seed in range(12):
        for scores in (normal_scores(seed, 40, 60), tied_scores(seed, 30, 21)):
            null = null_distribution(scores, delta=delta, clip=clip, n_resamples=1)
            expected = epsilon_star(scores, delta=delta, clip=clip).value
            assert null.observed["epsilon_star"] == pytest.approx(expected, rel=1e-12, nan_ok=True)


def test_where_both_classes_are_alike_no_epsilon_is_above_0() -> None:
    halves = AttackScores(member=[0.0, 1.0] * 9, nonmember=[0.0, 1.0] * 7)
    for clip in (None, 0.1):
        observed = null_distribution(halves, delta=0.0, clip=clip, n_resamples=1).observed
        assert (observed["epsilon_star"], observed["raw_epsilon"]) == (0, 0)


def test_the_other_statistics_of_the_data_are_as_scipy_and_the_curve_have_them() -> None:
    for seed in range(10):
        for scores in (normal_scores(seed, 50, 80, by=1), tied_scores(seed, 30, 41)):
            observed = null_distribution(scores, delta=0.0, fpr=0.15, n_resamples=1).observed
            area = stats.mannwhitneyu(scores.member, scores.nonmember).statistic
            assert observed["auc"] == pytest.approx(area / scores.n_members / scores.n_nonmembers)
            apart = stats.ks_2samp(scores.member, scores.nonmember, alternative="less").statistic
            assert observed["advantage"] == pytest.approx(apart)
            assert observed["tpr_at_fpr"] == AttackCurve.from_scores(scores).at_fpr(0.15).tpr


def test_the_raw_epsilon_leaves_out_thresholds_without_an_error() -> None:
    scores = AttackScores(member=[5.0, 4.0, 2.0, 1.5], nonmember=[3.0, 1.0, 0.5, 0.0])
    # TPR / FPR: 2/1, 4/1 at one non-member; TNR / FNR: 4/2 (no FPR), 3/2, 3/1.
    observed = null_distribution(scores, delta=0.0, n_resamples=1).observed
    assert observed["raw_epsilon"] == pytest.approx(math.log(4))
    apart = AttackScores(member=[2.0, 3.0], nonmember=[0.0, 1.0])
    assert null_distribution(apart, delta=0.0, n_resamples=1).observed[
        "raw_epsilon"
    ] == pytest.approx(math.log(2))


@pytest.mark.parametrize(("n", "m"), [(40, 60), (70, 10)])
def test_dealt_labels_follow_the_hypergeometric_law(n: int, m: int) -> None:
    depths = np.array([0, 1, 2, 12, 27, 60, n + m])
    counts = draw_permuted_member_counts(n, m, depths, 20_000, np.random.default_rng(1))
    assert np.all(counts[0] == 0)
    assert np.all(counts[-1] == n)
    for i, j in combinations(range(1, depths.size), 2):
        # Between two depths: members among so many of all records.
        step = counts[j] - counts[i]
        law = stats.hypergeom(n + m, n, depths[j] - depths[i])
        values = np.arange(*law.support()[:1], law.support()[1] + 1)
        expected = law.pmf(values) * counts.shape[1]
        often = expected > 20
        seen = np.array([(step == value).sum() for value in values[often]])
        z = (seen - expected[often]) / np.sqrt(expected[often])
        assert np.abs(z).max() < 4.5


def test_p_values_agree_with_all_labellings() -> None:
    member, nonmember = [3.0, 3.0, 1.0, 5.0], [1.0, 2.0, 3.0, 0.0, 2.0]
    scores = AttackScores(member=member, nonmember=nonmember)
    pooled, runs = member + nonmember, 2000
    values: dict[str, list[float]] = {name: [] for name in STATISTICS}
    for chosen in combinations(range(9), 4):
        dealt = AttackScores(
            member=[pooled[i] for i in chosen],
            nonmember=[x for i, x in enumerate(pooled) if i not in chosen],
        )
        one = null_distribution(dealt, delta=0.0, clip=0.1, fpr=0.2, n_resamples=1)
        for name, value in one.observed.items():
            values[name].append(value)
    null = null_distribution(scores, delta=0.0, clip=0.1, fpr=0.2, n_resamples=runs)
    for name, observed in null.observed.items():
        p = np.mean(np.nan_to_num(values[name], nan=np.inf) >= observed - 1e-12)
        error = 4 * math.sqrt(p * (1 - p) / runs) + 1 / runs
        assert null.p_value(name) == pytest.approx(p, abs=error)


def test_p_values_of_exchangeable_scores_are_super_uniform() -> None:
    runs, found = 300, []
    for seed in range(runs):
        scores = tied_scores(seed, 25, 15) if seed % 2 else normal_scores(seed, 20, 30)
        if seed % 2:  # of one law
            pooled = np.random.default_rng(seed).permutation(
                np.concatenate([scores.member, scores.nonmember])
            )
            scores = AttackScores(member=pooled[:25], nonmember=pooled[25:])
        null = null_distribution(scores, delta=0.0, n_resamples=99, rng=seed)
        found.append([null.p_value(name) for name in STATISTICS])
    for a in (0.05, 0.1, 0.3):
        shares = np.mean(np.array(found) <= a + 1e-12, axis=0)
        assert np.all(shares <= a + 3.5 * math.sqrt(a * (1 - a) / runs))
    # The area is hardly discrete: it is not far below, either.
    area = np.array(found)[:, list(STATISTICS).index("auc")]
    assert np.mean(area <= 0.3) >= 0.3 - 3.5 * math.sqrt(0.21 / runs)


def test_a_leak_stands_out_and_reversed_scores_do_not() -> None:
    leak, reverse = (
        null_distribution(normal_scores(0, 400, 400, by=by), delta=1e-5, n_resamples=200)
        for by in (1.0, -1.0)
    )
    for name in STATISTICS:
        assert leak.p_value(name) == (1 / 201 if name != "raw_epsilon" else leak.p_value(name))
        if name != "epsilon_star":  # it is blind to the sign
            assert reverse.p_value(name) > 0.5
    assert reverse.p_value("epsilon_star") == 1 / 201


def test_separated_classes_count_as_larger_than_any_value() -> None:
    null = null_distribution(normal_scores(0, 30, 30, by=50), delta=0.01, n_resamples=50)
    assert math.isnan(null.observed["epsilon_star"])
    assert null.p_value("epsilon_star") == 1 / 51


def test_equal_scores_prove_nothing() -> None:
    same = AttackScores(member=np.ones(7), nonmember=np.ones(5))
    null = null_distribution(same, delta=0.0, n_resamples=20)
    assert null.depths.tolist() == [0, 12]
    assert {null.p_value(name) for name in STATISTICS} == {1.0}
    band = null.band()
    np.testing.assert_array_equal(band.lower, [[0, 1], [1, 0]])
    np.testing.assert_array_equal(band.upper, [[0, 1], [1, 0]])


@pytest.mark.parametrize("make", [normal_scores, tied_scores])
def test_depths_depend_on_the_pooled_scores_alone(make: Any) -> None:
    scores = make(3, 1400, 900)
    pooled = np.random.default_rng(0).permutation(np.concatenate([scores.member, scores.nonmember]))
    dealt = AttackScores(member=pooled[:1400], nonmember=pooled[1400:])
    one, other = (null_distribution(each, delta=0.0, n_resamples=30) for each in (scores, dealt))
    np.testing.assert_array_equal(one.depths, other.depths)
    for name in STATISTICS:
        np.testing.assert_array_equal(one.simulated[name], other.simulated[name])
    real = [0, *(np.sum(pooled >= value) for value in np.unique(pooled))]
    assert set(one.depths) <= set(real)


def inside(band: NullBand, null: NullDistribution, counts: np.ndarray) -> np.ndarray:
    """Which fresh curves stay between the limits, at the depths where these are drawn."""
    n, m = null.n_members, null.n_nonmembers
    many, few = (np.rint((1 - side[:, 1]) * n).astype(int) for side in (band.lower, band.upper))
    depths = np.rint(band.lower[:, 0] * m).astype(int) + many
    np.testing.assert_array_equal(depths, np.rint(band.upper[:, 0] * m).astype(int) + few)
    kept = counts[np.searchsorted(null.depths, depths)]
    return ((few[:, None] <= kept) & (kept <= many[:, None])).all(axis=0)


@pytest.mark.parametrize(
    ("scores", "share"),
    [
        (normal_scores(1, 60, 60), 0.95),
        (normal_scores(2, 100, 30), 0.8),
        (tied_scores(3, 80, 120), 0.95),
        (normal_scores(4, 3000, 1500), 0.95),
    ],
)
def test_the_band_holds_its_share_of_fresh_curves(scores: AttackScores, share: float) -> None:
    runs, fresh = 2000, 4000
    null = null_distribution(scores, delta=0.0, n_resamples=runs, rng=5)
    band = null.band(share)
    n, m = scores.n_members, scores.n_nonmembers
    counts = draw_permuted_member_counts(n, m, null.depths, fresh, np.random.default_rng(6))
    held = inside(band, null, counts).mean()
    error = math.sqrt(share * (1 - share) * (1 / runs + 1 / fresh))
    assert held >= share - 3 * error
    table = x_log_x_function(n + m)
    largest = deviance(counts, null.depths[:, None], n, m, table).max(axis=0)
    at_all_depths = (largest <= null.deviances[math.ceil(share * (runs + 1)) - 1]).mean()
    assert at_all_depths == pytest.approx(band.inside, abs=3 * error)
    assert share <= band.inside <= share + 0.03  # ties of few depths
    assert held >= at_all_depths  # drawn at some of the depths
    assert held <= share + 0.05


def test_a_leak_leaves_the_band_and_its_limits_are_curves() -> None:
    scores = normal_scores(7, 2000, 2000, by=0.5)
    null = null_distribution(scores, delta=0.0, n_resamples=500)
    band = null.band()
    for side in (band.lower, band.upper):
        assert side.shape[0] <= 255
        np.testing.assert_array_equal(side[[0, -1]], [[0, 1], [1, 0]])
        assert np.all(np.diff(side[:, 0]) >= 0)
        assert np.all(np.diff(side[:, 1]) <= 0)
    assert np.all(band.lower[:, 1] <= band.upper[:, 1])
    curve = AttackCurve.from_scores(scores)
    own = np.array([np.sum(curve.false_positives + curve.true_positives == 2000)])
    assert own > 0
    counts = np.interp(null.depths, curve.false_positives + curve.true_positives, curve.tpr) * 2000
    assert not inside(band, null, counts[:, None])[0]


@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 7), (9, 2), (50, 50), (13, 400)])
@pytest.mark.parametrize("share", [0.05, 0.5, 0.95])
def test_limits_are_those_of_all_counts_that_are_likely_enough(
    n: int, m: int, share: float
) -> None:
    null = null_distribution(normal_scores(8, n, m), delta=0.0, n_resamples=100)
    limit = null.deviances[math.ceil(share * 101 - 1e-9) - 1]
    band, table = null.band(share), x_log_x_function(n + m)
    for (fpr, fnr), (_, worst) in zip(band.lower, band.upper, strict=True):
        many, few = round((1 - fnr) * n), round((1 - worst) * n)
        depth = round(fpr * m) + many
        possible = np.arange(max(0, depth - m), min(n, depth) + 1)
        likely = possible[deviance(possible, np.array(depth), n, m, table) <= limit]
        assert (few, many) == (likely.min(), likely.max())


@pytest.mark.parametrize(("x", "depth"), [(3, 10), (0, 10), (7, 7), (20, 40)])
def test_the_deviance_is_that_of_a_two_by_two_table(x: int, depth: int) -> None:
    n, m = 20, 50
    found = deviance(np.array(x), np.array(depth), n, m, x_log_x_function(n + m))
    table = np.array([[x, depth - x], [n - x, m - depth + x]], float)
    even = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / (n + m)
    assert found == pytest.approx(2 * stats.entropy(table.ravel(), even.ravel()) * (n + m))


def test_up_to_1000_records_every_threshold_is_looked_at() -> None:
    np.testing.assert_array_equal(rank_cut_offs(400, 600, (0.01,)), np.arange(1001))
    null = null_distribution(normal_scores(0, 12, 8), delta=0.0, n_resamples=1)
    np.testing.assert_array_equal(null.depths, np.arange(21))
    assert rank_cut_offs(4000, 6000, (0.01,)).size < 1200


@pytest.mark.parametrize(("n", "m"), [(20_000, 80_000), (80_000, 20_000)])
@pytest.mark.parametrize("cut", [0.1, 0.6])
def test_sixty_depths_are_looked_at_within_four_deviations_of_where_a_rate_passes_a_cut(
    n: int, m: int, cut: float
) -> None:
    total = n + m
    # A class of k among `total` records has a hypergeometric number among the first ones.
    of_rate = max(math.sqrt(cut * (1 - cut) * (total - k) / (k * total)) for k in (n, m))
    low, high = total * (cut - 4 * of_rate), total * (cut + 4 * of_rate)
    depths = rank_cut_offs(n, m, (cut,))
    near = depths[(depths >= low - 1) & (depths <= high)]
    assert near[0] <= low
    assert np.diff(near, append=high).max() <= (high - low) / 59 + 1


def test_no_step_between_depths_is_longer_than_a_300th_of_all_records() -> None:
    assert np.diff(rank_cut_offs(500_000, 500_000, ())).max() <= 10**6 / 300


@pytest.mark.parametrize(("n", "runs"), [(1000, 300), (10_000, 60)])
def test_what_depths_left_out_cost_is_as_said(n: int, runs: int) -> None:
    rng = np.random.default_rng(9)
    every, some = np.arange(2 * n + 1), rank_cut_offs(n, n, (0.01, 1e-3, 1 - 1e-3))
    assert some.size < 1200
    counts = draw_permuted_member_counts(n, n, every, runs, rng)
    values = []
    for depths in (every, some):
        dealt = PermutedCurves(
            true_positives=counts[depths],
            false_positives=depths[:, None] - counts[depths],
            n_members=n,
            n_nonmembers=n,
            delta=1e-5,
            clip=1e-3,
            fpr_at=0.01,
            thresholds=-depths,
        )
        values.append({name: statistic(dealt) for name, statistic in STATISTICS.items()})
    for name in STATISTICS:
        all_of_them, thinned = values[0][name], values[1][name]
        lost = float(np.mean(all_of_them - thinned)) / np.quantile(all_of_them, 0.95)
        assert abs(lost) <= (0.025 if name == "advantage" else 0.001)


def test_a_quantile_has_a_limit_if_some_run_is_surely_beyond_it() -> None:
    null = null_distribution(normal_scores(0, 20, 20), delta=0.0, n_resamples=100)
    # No run of 100 is below it with probability 0.9635^100 = 0.0243, or 0.964^100 = 0.0256.
    assert null.quantile_confidence_limits("auc", 0.0365)[0] == null.simulated["auc"][0]
    assert null.quantile_confidence_limits("auc", 0.036)[0] == -math.inf
    assert null.quantile_confidence_limits("auc", 0.9635)[1] == null.simulated["auc"][-1]
    assert null.quantile_confidence_limits("auc", 0.964)[1] == math.inf


@pytest.mark.slow
def test_quantiles_are_order_statistics_and_their_limits_cover() -> None:
    scores = normal_scores(0, 60, 60)
    exact = null_distribution(scores, delta=0.0, n_resamples=40_000).simulated["auc"]
    truth, covered, tries = float(exact[int(0.9 * exact.size)]), 0, 200
    for seed in range(tries):
        null = null_distribution(scores, delta=0.0, n_resamples=100, rng=seed + 1)
        low, high = null.quantile_confidence_limits("auc", 0.9)
        covered += low <= truth <= high
        assert low <= null.quantile("auc", 0.9) <= high
    assert covered / tries >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / tries)
    values = null.simulated["auc"]
    assert null.quantile("auc", 0.9) == values[89]
    assert null.quantile("auc", 0.901) == values[90]
    assert null.quantile("auc", 0.001) == values[0]
    assert null.quantile_confidence_limits("auc", 0.999) == (values[98], math.inf)
    assert null.quantile_confidence_limits("auc", 0.001)[0] == -math.inf
    with pytest.raises(ValueError, match="read-only"):
        values[0] = 0


def test_progress_wraps_the_chunks_and_the_seed_decides() -> None:
    seen: list[int] = []

    def counted(chunks: range) -> Iterator[int]:
        for begin in chunks:
            seen.append(begin)
            yield begin

    scores = normal_scores(0, 20, 20)
    one, same, other = (
        null_distribution(scores, delta=0.0, n_resamples=2100, rng=seed, progress=counted)
        for seed in (1, 1, 2)
    )
    assert seen[:3] == [0, 1000, 2000]
    assert one.simulated["auc"].size == 2100
    np.testing.assert_array_equal(one.simulated["auc"], same.simulated["auc"])
    assert not np.array_equal(one.simulated["auc"], other.simulated["auc"])


def test_permutations_of_classes_of_equal_sizes_are_made_once() -> None:
    one, other, unequal = (
        null_distribution(normal_scores(seed, 30, m), delta=0.0, n_resamples=50)
        for seed, m in ((1, 20), (2, 20), (1, 21))
    )
    assert one.simulated["auc"] is other.simulated["auc"]
    assert one.observed != other.observed
    assert unequal.simulated["auc"] is not one.simulated["auc"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"delta": 1.5}, r"delta must be in \[0, 1\]"),
        ({"clip": 0.5}, "clip must be in"),
        ({"fpr": -0.1}, "fpr must be in"),
        ({"fpr": 1.5}, "fpr must be in"),
        ({"n_resamples": 0}, "n_resamples must be a whole number"),
        ({"rng": -1}, "rng must be a whole number"),
    ],
)
def test_illegal_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        null_distribution(normal_scores(0, 9, 9), **{"delta": 0.1, **arguments})


def test_illegal_questions_are_named() -> None:
    null = null_distribution(normal_scores(0, 9, 9), delta=0.0, n_resamples=18)
    for call, message in (
        (lambda: null.quantile("epsilon"), "name must be one of 'epsilon_star'"),
        (lambda: null.quantile("auc", 1.0), r"share must be in \(0, 1\)"),
        (lambda: null.quantile_confidence_limits("auc", 0.0), r"share must be in \(0, 1\)"),
        (lambda: null.p_value("power"), "name must be one of"),
        (lambda: null.band(1.0), r"share must be in \(0, 1\)"),
        (lambda: null.band(0.95), "share must be at most 0.9474, got 0.95; increase n_resamples"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    assert null.band(18 / 19).inside == 1


def test_a_quantile_is_a_value_that_was_simulated() -> None:
    null = null_distribution(normal_scores(1, 30, 30), delta=1e-5, n_resamples=40)
    ascending = np.sort(null.simulated["auc"])
    # 38 of 40 runs are 95 %, 1 of 40 is 2.5 %.
    assert null.quantile("auc", 0.95) == ascending[37]
    assert null.quantile("auc", 0.025) == ascending[0]


def test_depths_reach_from_nobody_flagged_to_everybody() -> None:
    depths = rank_cut_offs(6000, 4000, (0.01,))
    assert 100 < depths.size < 10_001
    assert (depths[0], depths[-1]) == (0, 10_000)
