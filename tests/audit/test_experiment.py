"""The membership experiment: the law of its rounds, its counts, what they estimate."""

import dataclasses
import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import binom, chisquare

from dpviz.audit.experiment import (
    Experiment,
    ExperimentCounts,
    MeasuredRate,
    error_rates,
    play_list,
)
from dpviz.theory import (
    ApproximateDP,
    DiscretePair,
    GaussianDP,
    LaplaceMechanism,
    ListExperiment,
    PureDP,
    TradeoffFunction,
    risk,
)

NEVER = 1e-6
"""Each chi2 test fails by chance once in a million seeds; seeds are fixed."""
CASES = [
    (ApproximateDP(epsilon=1.0, delta=1e-2), 0.5, 0.1),
    (ApproximateDP(epsilon=1.0, delta=1e-5), 0.01, 0.3),
    (GaussianDP(mu=1.0), 0.97, 0.05),
    (LaplaceMechanism(epsilon=2.0), 0.1, 0.02),
    (ListExperiment(support=(0.9, 0.2, 0.5)), 0.05, 0.2),
    (DiscretePair([0.5, 0.3, 0.2], [0.1, 0.3, 0.6]), 0.3, 0.6),
    (ApproximateDP(epsilon=0.0, delta=0.3), 0.2, 0.0),
    (PureDP(epsilon=1.0), 1e-3, 1.0),
    (PureDP(epsilon=math.inf), 0.5, 0.0),
]
every = pytest.mark.parametrize(("f", "prior", "fpr"), CASES, ids=lambda v: repr(v)[:40])


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def table(counts: ExperimentCounts) -> np.ndarray:
    """TP, FP, TN, FN."""
    return np.array(dataclasses.astuple(counts))


def law(f: TradeoffFunction, prior: float, fpr: float) -> np.ndarray:
    """Chances of TP, FP, TN, FN in one round."""
    tpr = f.tpr(fpr)
    return np.array([prior * tpr, (1 - prior) * fpr, (1 - prior) * (1 - fpr), prior * (1 - tpr)])


def agrees(observed: np.ndarray, chances: np.ndarray) -> bool:
    assert observed[chances == 0].sum() == 0
    possible = chances > 0
    if possible.sum() == 1:
        return True
    expected = chances[possible] * observed.sum()
    return bool(chisquare(observed[possible], expected).pvalue > NEVER)


@every
def test_played_rounds_follow_the_law(f: TradeoffFunction, prior: float, fpr: float) -> None:
    rounds = Experiment(f, prior, fpr).play(rng(1), 200_000)
    assert rounds.counts.rounds == rounds.members.size == 200_000
    assert agrees(table(rounds.counts), law(f, prior, fpr))


@every
def test_counts_follow_the_law_of_the_rounds(f: TradeoffFunction, prior: float, fpr: float) -> None:
    experiment = Experiment(f, prior, fpr)
    assert agrees(table(experiment.counts(rng(2), 200_000)), law(f, prior, fpr))
    # Many short plays: the sums hide no wrong spread or dependence between the counts.
    tallies = experiment.tallies(rng(3), np.full(50_000, 2))
    kinds, seen = np.unique(tallies, axis=0, return_counts=True)
    cells = np.array([[i, j] for i in range(4) for j in range(i, 4)])
    chances, one = {}, law(f, prior, fpr)
    for i, j in cells:
        outcome = np.eye(4, dtype=int)[i] + np.eye(4, dtype=int)[j]
        chances[tuple(outcome)] = one[i] * one[j] * (1 if i == j else 2)
    observed = dict(zip(map(tuple, kinds.tolist()), seen, strict=True))
    assert set(observed) <= set(chances)
    keys = [k for k in chances if chances[k] * 50_000 > 5 or observed.get(k, 0) > 30]
    rest = 50_000 - sum(observed.get(k, 0) for k in keys)
    counted = np.array([*(observed.get(k, 0) for k in keys), rest])
    wanted = np.array([chances[k] for k in keys])
    assert agrees(counted, np.append(wanted, max(1 - wanted.sum(), 1e-12 if rest else 0.0)))


def test_guesses_do_not_depend_on_other_rounds() -> None:
    rounds = Experiment(GaussianDP(mu=1.0), 0.4, 0.2).play(rng(4), 100_000)
    kind = 2 * rounds.members + rounds.guesses
    pairs = np.bincount(4 * kind[:-1:2] + kind[1::2], minlength=16)
    one = np.bincount(kind, minlength=4) / kind.size
    assert chisquare(pairs, np.outer(one, one).ravel() * pairs.sum()).pvalue > NEVER


def test_the_attack_is_the_likelihood_ratio_test_of_real_outputs() -> None:
    """Outputs are drawn here, N(0, 1) or N(mu, 1), and judged by a threshold."""
    mu, prior, fpr, n = 1.5, 0.1, 0.05, 400_000
    draw = rng(5)
    members = draw.random(n) < prior
    flagged = draw.normal(mu * members) >= -ndtri(fpr)
    observed = np.array(
        [
            (members & flagged).sum(),
            (~members & flagged).sum(),
            (~members & ~flagged).sum(),
            (members & ~flagged).sum(),
        ]
    )
    assert agrees(observed, law(GaussianDP(mu=mu), prior, fpr))
    assert Experiment(GaussianDP(mu=mu), prior, fpr).tpr == pytest.approx(ndtr(mu + ndtri(fpr)))


def test_counts_add_up() -> None:
    experiment = Experiment(GaussianDP(mu=1.0), 0.1, 0.2)
    draw = rng(6)
    parts = [experiment.counts(draw, n) for n in (0, 1, 17, 1000)]
    parts.append(experiment.play(draw, 30).counts)
    total = sum(parts, start=ExperimentCounts())
    assert total.rounds == 1048
    np.testing.assert_array_equal(table(total), np.sum([table(p) for p in parts], axis=0))
    assert ExperimentCounts() + total == total
    with pytest.raises(TypeError):
        total + 1  # type: ignore[operator]


def test_rates_are_ratios_of_counts() -> None:
    counts = ExperimentCounts(
        true_positives=3, false_positives=5, true_negatives=95, false_negatives=7
    )
    assert (counts.members, counts.nonmembers, counts.flagged, counts.rounds) == (10, 100, 8, 110)
    assert (counts.tpr.value, counts.fnr.value, counts.fpr.value) == (0.3, 0.7, 0.05)
    assert counts.ppv == MeasuredRate(hits=3, trials=8, among="flagged records")
    assert counts.advantage == pytest.approx(0.25)
    assert counts.ppv.reason == ""
    tpr, fpr = (r.interval(confidence_level=0.975) for r in (counts.tpr, counts.fpr))
    limits = counts.advantage_interval(confidence_level=0.95)
    np.testing.assert_allclose(limits, [tpr[0] - fpr[1], tpr[1] - fpr[0]], rtol=1e-12)
    np.testing.assert_array_equal(error_rates(np.array([table(counts)])), [[0.05, 0.7]])


def test_nothing_over_nothing_is_nan_with_a_reason() -> None:
    counts = ExperimentCounts(true_negatives=4)
    assert counts.fpr.value == 0
    for rate, among in ((counts.tpr, "members"), (counts.ppv, "flagged records")):
        assert math.isnan(rate.value)
        assert rate.reason == f"no {among} so far"
        assert rate.interval(confidence_level=0.95) == (0.0, 1.0)
    assert math.isnan(counts.advantage)
    low, high = counts.advantage_interval(confidence_level=0.95)
    assert -1 < low < 0
    assert high == 1
    np.testing.assert_array_equal(error_rates(np.array([table(counts)])), [[0, np.nan]])


def test_intervals_hold_the_rates_as_often_as_stated() -> None:
    f, prior, fpr, level = GaussianDP(mu=1.0), 0.3, 0.1, 0.9
    experiment = Experiment(f, prior, fpr)
    truth = {"tpr": f.tpr(fpr), "fpr": fpr, "ppv": risk.ppv(f, fpr=fpr, prior=prior)}
    runs = 2000
    misses = dict.fromkeys([*truth, "advantage"], 0)
    for tally in experiment.tallies(rng(7), np.full(runs, 150)):
        counts = ExperimentCounts.of_tally(tally)
        for name, value in truth.items():
            low, high = getattr(counts, name).interval(confidence_level=level)
            misses[name] += not low <= value <= high
        low, high = counts.advantage_interval(confidence_level=level)
        misses["advantage"] += not low <= f.advantage(fpr) <= high
    allowed = binom.ppf(1 - NEVER, runs, 1 - level)
    assert all(0 < missed <= allowed for missed in misses.values()), misses


@every
def test_no_ppv_beyond_the_bound_but_by_chance(
    f: TradeoffFunction, prior: float, fpr: float
) -> None:
    bound = risk.ppv(f, fpr=fpr, prior=prior)
    tallies = Experiment(f, prior, fpr).tallies(rng(8), np.full(300, 3000))
    flagged = tallies[:, :2].sum(axis=1)
    runs = [(tp, n) for tp, n in zip(tallies[:, 0], flagged, strict=True) if n]
    lows = [
        MeasuredRate(hits=int(tp), trials=int(n), among="x").interval(confidence_level=0.95)[0]
        for tp, n in runs
    ]
    beyond = sum(low > bound + 1e-12 for low in lows)
    assert beyond <= binom.ppf(1 - NEVER, max(len(runs), 1), 0.025)
    if len(runs):  # all runs in one recount settle on it
        share = tallies[:, 0].sum() / flagged.sum()
        assert abs(share - bound) <= 5 * math.sqrt(bound * (1 - bound) / flagged.sum()) + 1e-12


def test_the_cloud_settles_on_the_curve() -> None:
    f = LaplaceMechanism(epsilon=1.0)
    experiment = Experiment(f, 0.2, 0.25)
    spread = []
    for rounds in (100, 10_000, 1_000_000):
        points = experiment.rates(rng(9), 400, rounds)
        assert points.shape == (400, 2)
        np.testing.assert_allclose(points.mean(axis=0), [0.25, f.beta(0.25)], atol=10 / rounds**0.5)
        spread.append(points.std(axis=0))
    members = 1_000_000 * np.array([0.8, 0.2])
    rates = np.array([0.25, f.beta(0.25)])
    np.testing.assert_allclose(spread[-1], np.sqrt(rates * (1 - rates) / members), rtol=0.2)
    assert np.isnan(experiment.rates(rng(), 1, 0)).all()


def test_counts_of_many_rounds_take_no_memory() -> None:
    counts = Experiment(GaussianDP(mu=1.0), 0.01, 0.01).counts(rng(), 10**15)
    assert counts.rounds == 10**15


def test_the_same_seed_plays_the_same() -> None:
    experiment = Experiment(GaussianDP(mu=1.0), 0.2, 0.1)
    again = [experiment.counts(rng(11), 500) for _ in range(2)]
    assert again[0] == again[1] != experiment.counts(rng(12), 500)


SUPPORTS = [(0.5, 0.5, 0.5), (0.9, 0.2), (1.0, 0.3), (0.0, 0.6, 1.0), (1.0,)]


@pytest.mark.parametrize("support", SUPPORTS)
def test_answers_of_a_list_follow_their_law(support: tuple[float, ...]) -> None:
    answers = play_list(rng(13), support, 100_000, prior=0.2)
    others = np.ones(1)
    for chance in support:
        others = np.convolve(others, [1 - chance, chance])
    one = np.concatenate([0.2 * np.append(0, others), 0.8 * np.append(others, 0)])
    assert answers.rounds == 100_000
    assert agrees(np.concatenate([answers.supporters, answers.opponents]), one)


@pytest.mark.parametrize("support", SUPPORTS)
def test_telling_answers_are_those_of_one_side_only(support: tuple[float, ...]) -> None:
    answers = play_list(rng(14), support, 20_000)
    one_sided = (answers.supporters == 0) != (answers.opponents == 0)
    assert answers.telling == tuple(np.flatnonzero(one_sided).tolist())
    told = (answers.supporters + answers.opponents)[one_sided].sum()
    assert answers.n_revealed == told > 0
    twice = answers + answers
    assert (twice.rounds, twice.n_revealed) == (40_000, 2 * told)


def test_extreme_answers_give_away_as_often_as_the_curve_says() -> None:
    support = (0.9, 0.2, 0.5)
    answers = play_list(rng(15), support, 200_000)
    assert answers.telling == (0, 4)
    certain = ListExperiment(support=support).tpr(0.0)
    n = answers.supporters.sum()
    assert abs(answers.supporters[4] / n - certain) < 5 * math.sqrt(certain / n)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Experiment(0.5, 0.5, 0.5), "f must be a trade-off function"),  # type: ignore[arg-type]
        (lambda: Experiment(PureDP(epsilon=1.0), 1.0, 0.5), "prior must be in .*got 1.0"),
        (lambda: Experiment(PureDP(epsilon=1.0), 0.5, -0.1), "fpr must be in .*got -0.1"),
        (lambda: Experiment(1.0, 0.5, 0.1), "f must be a trade-off function"),  # type: ignore[arg-type]
        (lambda: CASE.play(rng(), -1), "rounds must be a whole number of at least 0, got -1"),
        (lambda: CASE.counts(rng(), 1.5), "rounds must be a whole number of at least 0, got 1.5"),
        (lambda: CASE.tallies(rng(), [1, -2]), "rounds must be whole numbers .*got -2.0"),
        (lambda: CASE.rates(rng(), 0, 5), "repeats must be a whole number of at least 1, got 0"),
        (lambda: CASE.play(7, 1), "rng must be a numpy.random.Generator, got 7"),  # type: ignore[arg-type]
        (lambda: play_list(rng(), (), 1), "support must be a non-empty vector"),
        (lambda: play_list(rng(), (1.5,), 1), "support must be in .*got 1.5"),
        (lambda: play_list(rng(), (0.5,), 1, prior=0), "prior must be in .*got 0.0"),
        (lambda: ExperimentCounts(true_positives=-1), "true_positives must be a whole number"),
    ],
)
def test_errors_name_argument_condition_and_value(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


CASE = Experiment(PureDP(epsilon=1.0), 0.5, 0.1)


def test_limits_after_one_round() -> None:
    # One hit in one round: P(hit | p) >= 2.5 % from p = 2.5 % on.
    rate = MeasuredRate(hits=1, trials=1, among="members")
    assert rate.interval(confidence_level=0.95) == pytest.approx((0.025, 1.0))


@pytest.mark.parametrize(("field", "value"), [("fpr", 1.5), ("prior", 1.5)])
def test_a_rate_beyond_one_is_refused(field: str, value: float) -> None:
    given = {"fpr": 0.5, "prior": 0.5} | {field: value}
    with pytest.raises(ValueError, match=rf"^{field} must be in .* got 1\.5"):
        Experiment(PureDP(epsilon=1.0), **given)
