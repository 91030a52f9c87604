"""Distributions of outputs against scipy.stats, trade-off curves, losses and their own samples."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from dpviz.theory import (
    MECHANISMS,
    DiscreteLaplaceMechanism,
    DiscretePair,
    GaussianDP,
    ListExperiment,
    PrivacyLoss,
    RandomizedResponse,
    Subsampled,
    TradeoffFunction,
)
from dpviz.theory.outputs import MOST_BARS, DiscreteOutputs, NoisyQuery, OutputLaws, output_laws
from tests.theory.mechanisms import collected
from tests.theory.mechanisms.discrete_pair import PROOF_BELOW_EVERY_FLOAT, TWO_SIDED

NOISY = {f: pair for own in collected("NOISY", {}).values() for f, pair in own.items()}
COUNTED = [f for own in collected("COUNTED", ()).values() for f in own]
EVERY = [*NOISY, *COUNTED]
FPRS = [0.0, 1e-300, 1e-12, 1e-5, 0.01, 0.1, 0.2, 0.25, 0.4, 0.5, 0.7, 0.875, 0.99, 1 - 1e-9, 1.0]


def laws_of(f: TradeoffFunction) -> OutputLaws:
    laws = output_laws(f)
    assert laws is not None
    return laws


def bars_of(f: TradeoffFunction) -> DiscreteOutputs:
    laws = laws_of(f)
    assert isinstance(laws, DiscreteOutputs)
    return laws


def test_every_mechanism_with_outputs_is_tested() -> None:
    own = {kind for kind in MECHANISMS.values() if kind.outputs is not TradeoffFunction.outputs}
    assert {type(f) for f in EVERY} == own


@pytest.mark.parametrize("f", EVERY, ids=repr)
def test_the_best_test_is_on_the_curve(f: TradeoffFunction) -> None:
    laws = laws_of(f)
    for fpr in [*FPRS, *f.kinks]:
        decision = laws.test(fpr)
        assert decision.fpr == fpr
        assert decision.fnr == pytest.approx(f.beta(fpr), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("f", EVERY, ids=repr)
@pytest.mark.parametrize("rule", ["best", "threshold"])
def test_a_test_has_the_rates_of_its_intervals(f: TradeoffFunction, rule: Any) -> None:
    laws = laws_of(f)
    for fpr in FPRS:
        decision = laws.test(fpr, rule)
        ends = np.array(decision.intervals)
        assert np.all(np.diff(ends.ravel()[:-1]) > 0)
        rates = [
            (laws.survival(ends[:, 0], member=m) - laws.survival(ends[:, 1], member=m)).sum()
            for m in (False, True)
        ]
        assert rates[0] == pytest.approx(fpr, rel=1e-9, abs=2e-12)
        assert rates[1] == pytest.approx(1 - decision.fnr, abs=1e-11)


@pytest.mark.parametrize("f", EVERY, ids=repr)
def test_no_threshold_beats_the_best_test(f: TradeoffFunction) -> None:
    laws = laws_of(f)
    gaps = [laws.test(x, "threshold").fnr - laws.test(x).fnr for x in FPRS]
    assert min(gaps) >= -1e-12
    assert (max(gaps) < 1e-9) == laws.is_monotone
    one_does = [laws.test(x).threshold is not None for x in FPRS]
    assert all(one_does) == laws.is_monotone


@pytest.mark.parametrize("f", NOISY, ids=repr)
def test_half_lines_of_noise_are_those_of_scipy(f: TradeoffFunction) -> None:
    laws, (p, q) = laws_of(f), NOISY[f]
    assert isinstance(laws, NoisyQuery)
    for t in np.linspace(-6, 9, 31):
        decision = laws.at_least(t)
        assert decision.threshold == t
        assert decision.fpr == pytest.approx(p.sf(t), rel=1e-12)
        assert decision.fnr == pytest.approx(q.cdf(t), rel=1e-12, abs=1e-300)
    assert laws.at_least(math.inf).fpr == laws.at_least(-math.inf).fnr == 0
    for rate in (1e-12, 0.2, 0.5, 0.9):
        assert laws.test(rate).threshold == pytest.approx(p.isf(rate), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("f", NOISY, ids=repr)
def test_the_drawn_densities_integrate_to_1(f: TradeoffFunction) -> None:
    laws = laws_of(f)
    for member, law in zip((False, True), NOISY[f], strict=True):
        x, y = laws.outline(*laws.span, member=member).T
        assert len(x) <= 500
        inside = law.cdf(x[-1]) - law.cdf(x[0])
        assert inside > 0.995
        assert integrate.trapezoid(y, x) == pytest.approx(inside, abs=1e-3)
        smooth = np.abs(law.pdf(x + 1e-9) - law.pdf(x - 1e-9)) < 1e-6
        np.testing.assert_allclose(y[smooth], law.pdf(x[smooth]), rtol=1e-12)


@pytest.mark.parametrize("f", COUNTED, ids=repr)
def test_bars_sum_to_1_and_are_drawn_as_they_are(f: TradeoffFunction) -> None:
    laws = bars_of(f)
    assert len(laws.labels) == len(laws.p) <= MOST_BARS
    for member, masses in ((False, laws.p), (True, laws.q)):
        assert masses.sum() == pytest.approx(1, abs=1e-12)
        x, y = laws.outline(*laws.span, member=member).T
        assert len(x) == 2 * len(masses)
        assert np.sum((x[1::2] - x[::2]) * y[::2]) == pytest.approx(1, abs=1e-12)
        assert laws.cdf(np.array(0.3), member=member) + laws.survival(
            np.array(0.3), member=member
        ) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("f", EVERY, ids=repr)
@pytest.mark.parametrize("member", [False, True])
def test_samples_follow_the_law(f: TradeoffFunction, member: bool) -> None:
    laws = laws_of(f)
    outputs = laws.sample(np.random.default_rng(7), 20_000, member=member)
    if f in NOISY:
        test = stats.kstest(outputs, lambda x: laws.cdf(x, member=member))
        assert test.pvalue > 1e-4
        return
    assert isinstance(laws, DiscreteOutputs)
    masses = laws.q if member else laws.p
    counts = np.bincount(outputs.astype(int) - laws.first, minlength=len(masses))
    assert counts[masses == 0].sum() == 0
    seen = masses * len(outputs) > 5
    expected = np.append(masses[seen], masses[~seen].sum() + 1e-12) * len(outputs)
    found = np.append(counts[seen], counts[~seen].sum())
    assert stats.chisquare(found, expected * found.sum() / expected.sum()).pvalue > 1e-4


@pytest.mark.parametrize("f", EVERY, ids=repr)
def test_log_ratios_are_the_privacy_loss(f: TradeoffFunction) -> None:
    laws, loss = laws_of(f), PrivacyLoss(f)
    if isinstance(laws, DiscreteOutputs):
        middles = laws.first + 0.5 + np.arange(len(laws.p))
        losses = laws.log_ratio(middles)
        for at in (-2.0, -1.0, -0.5, 0.1, 0.7, 1.5, 1000.0):
            for member, masses in ((False, laws.p), (True, laws.q)):
                expected = loss.tail(at, member=member)
                assert masses[losses >= at].sum() == pytest.approx(expected, rel=1e-9, abs=1e-12)
        return
    x = np.linspace(-3, 5, 201)
    with np.errstate(divide="ignore", invalid="ignore"):
        p, q = NOISY[f]
        expected = q.logpdf(x) - p.logpdf(x)
    seen = ~np.isnan(expected) & (np.abs(np.abs(x) - 0.5) > 1e-9)
    np.testing.assert_allclose(laws.log_ratio(x)[seen], expected[seen], atol=1e-12)


def test_a_two_sided_ratio_takes_two_thresholds() -> None:
    laws = bars_of(TWO_SIDED)
    assert not laws.is_monotone
    decision = laws.test(0.3)  # the ratios are 2, 0.4, 0.5 and 1.75
    assert decision.threshold is None
    assert decision.intervals == ((0.0, 1.0), (3.5, math.inf))
    assert decision.fnr == pytest.approx(1 - 0.4 - 0.35 / 2)
    alone = laws.test(0.3, "threshold")
    assert alone.intervals == ((2.0, math.inf),)
    assert alone.fnr == pytest.approx(0.6)
    middle = bars_of(DiscretePair([0.4, 0.2, 0.4], [0.2, 0.6, 0.2])).test(0.1)
    assert middle.intervals == ((1.5, 2.0),)
    assert middle.threshold is None


def test_a_bar_is_an_output_with_a_coin() -> None:
    laws = bars_of(ListExperiment(support=[0.5, 0.5]))  # P = 1/4, 1/2, 1/4, 0
    assert laws.labels == ("0", "1", "2", "3")
    assert laws.test(0.0).intervals == ((3.0, math.inf),)
    assert laws.test(0.0).fnr == 0.75
    assert laws.test(0.5).intervals == ((1.5, math.inf),)  # 2 and 3, half the time at 1
    assert laws.at_least(1.5).fpr == 0.5
    assert laws.at_least(-5).fpr == laws.at_least(9).fnr == 1


def test_what_costs_no_fpr_is_accused_although_sums_round() -> None:
    laws = bars_of(DiscretePair([0.7, 0.0, 0.1, 0.2], [0.1, 0.5, 0.2, 0.2]))  # 0.2 + 0.1 > 0.3
    assert laws.test(0.3, "threshold").intervals == ((1.0, math.inf),)
    assert laws.test(0.3, "threshold").fnr == pytest.approx(0.1)


def test_proof_is_free_although_its_mass_is_the_smallest_float() -> None:
    laws = bars_of(PROOF_BELOW_EVERY_FLOAT)
    assert laws.p[0] > 0
    assert laws.loss[0] == math.inf
    assert laws.test(0.0).fnr == pytest.approx(0.8)


def test_a_threshold_of_nothing_has_no_sign() -> None:
    assert str(laws_of(GaussianDP(mu=1.0)).test(0.5).threshold) == "0.0"


def test_noise_too_small_to_square_is_drawn_without_warning() -> None:
    laws = laws_of(GaussianDP(mu=1e200))
    with np.errstate(all="raise", under="ignore"):
        assert np.isfinite(laws.outline(*laws.span, member=True)).all()


def test_what_names_no_outputs_or_too_many_has_none() -> None:
    assert output_laws(Subsampled(base=GaussianDP(mu=1), sampling_rate=0.1)) is None
    assert output_laws(ListExperiment(support=[0.5] * MOST_BARS)) is None
    assert output_laws(DiscretePair(*np.full((2, MOST_BARS + 1), 1 / (MOST_BARS + 1)))) is None
    assert output_laws(DiscreteLaplaceMechanism(scale=1, sensitivity=10**6)) is None
    assert output_laws(DiscreteLaplaceMechanism(scale=math.inf)) is None


def test_bad_arguments_are_named() -> None:
    laws = laws_of(GaussianDP(mu=1))
    with pytest.raises(ValueError, match=r"fpr must be in \[0, 1\], got 2"):
        laws.test(2)
    with pytest.raises(ValueError, match="rule must be one of 'best', 'threshold', got 'worst'"):
        laws.test(0.5, "worst")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="threshold must be a number, got 'x'"):
        laws.at_least("x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="f must be a trade-off function"):
        output_laws(0.5)  # type: ignore[arg-type]


# The bars of randomized response: names, and masses that add up.


@pytest.mark.parametrize(
    ("categories", "labels"),
    [
        (2, ("“out”", "“in”")),
        (3, ("“out”", "1 other", "“in”")),
        (10, ("“out”", "8 others", "“in”")),
    ],
)
def test_all_other_answers_are_one_bar(categories: int, labels: tuple[str, ...]) -> None:
    bars = RandomizedResponse(epsilon=1.0, categories=categories).outputs()
    assert bars.labels == labels
    keeps = np.e / (np.e + categories - 1)  # the true answer; each other one e times as rarely
    assert bars.q[-1] == pytest.approx(keeps)
    assert bars.q[0] == pytest.approx(keeps / np.e)
    assert bars.q.sum() == pytest.approx(1)
