"""The ratio curves against raw counts and against the Epsilon* they carry."""

import math
from inspect import signature

import numpy as np
import pytest
from scipy.stats import norm

from dpviz import Analysis, Spec
from dpviz.audit import AttackScores, epsilon_star
from dpviz.audit.epsilon_star import ratio_curves
from dpviz.audit.epsilon_star.fits import TransformedLosses, fit_laws
from dpviz.audit.epsilon_star.laws import Normal
from tests.audit.oracles import exact_rates, gaussian_losses, log_quotient

SAMPLES = {
    "leak": gaussian_losses(1, member=(0, 1, 20_000), nonmember=(1, 1, 20_000)),
    "reversed": gaussian_losses(2, member=(1, 1, 20_000), nonmember=(0, 1, 20_000)),
    "many members": gaussian_losses(3, member=(0, 1, 50_000), nonmember=(1, 1, 2_000)),
    "many members, reversed": gaussian_losses(4, member=(1, 1, 50_000), nonmember=(0, 1, 2_000)),
    "few members": gaussian_losses(5, member=(0, 1, 2_000), nonmember=(1, 1, 50_000)),
    "no leak": gaussian_losses(6, member=(0, 1, 20_000), nonmember=(0, 1, 20_000)),
    "tied": AttackScores.from_losses(
        member=np.round(np.random.default_rng(7).normal(0, 1, 20_000), 1),
        nonmember=np.round(np.random.default_rng(8).normal(1, 1, 20_000), 1),
    ),
}
every_sample = pytest.mark.parametrize("name", SAMPLES)


def counted_logs(scores: AttackScores, delta: float) -> tuple[np.ndarray, np.ndarray]:
    """FPR and log m1..m4 at every distinct loss, by counting with numpy."""
    member, nonmember = np.sort(-scores.member), np.sort(-scores.nonmember)
    tau = np.unique(np.concatenate([member, nonmember]))
    tp = np.r_[0, np.searchsorted(member, tau, side="right")]
    fp = np.r_[0, np.searchsorted(nonmember, tau, side="right")]
    n, m = member.size, nonmember.size
    logs = []
    for top, bottom in [
        (tp / n, fp / m),
        ((m - fp) / m, (n - tp) / n),
        ((n - tp) / n, (m - fp) / m),
        (fp / m, tp / n),
    ]:
        with np.errstate(divide="ignore", invalid="ignore"):
            logs.append(np.where(top > delta, np.log(top - delta) - np.log(bottom), -np.inf))
    return fp / m, np.array(logs)


@every_sample
@pytest.mark.parametrize("delta", [0.0, 1e-5])
def test_every_vertex_is_a_counted_ratio(name: str, delta: float) -> None:
    found = ratio_curves(SAMPLES[name], delta=delta)
    fpr, logs = counted_logs(SAMPLES[name], delta)
    for drawn, counted in zip(found.curves, logs, strict=True):
        assert 2 <= len(drawn) <= 512
        assert np.isfinite(drawn).all()
        assert np.all(np.diff(drawn[:, 0]) >= 0)
        for x, y in drawn:
            first, last = np.searchsorted(fpr, [x, np.nextafter(x, 2)])
            assert first < last, "an FPR that no threshold has"
            assert np.abs(counted[first:last] - y).min() <= 1e-12


def test_small_samples_are_drawn_whole() -> None:
    member, nonmember = [0.0, 1.0, 1.0, 4.0], [1.0, 2.0, 4.0]
    scores = AttackScores.from_losses(member=member, nonmember=nonmember)
    found = ratio_curves(scores, delta=0.0, clip=None)
    expected: list[list[list[float]]] = [[], [], [], []]
    for _, t, eta in exact_rates(member, nonmember):
        quotients = [(1 - eta, t), (1 - t, eta), (eta, 1 - t), (t, 1 - eta)]
        for rows, (top, bottom) in zip(expected, quotients, strict=True):
            value = log_quotient(top, bottom)
            if math.isfinite(value):
                rows.append([float(t), value])
    for drawn, rows in zip(found.curves, expected, strict=True):
        np.testing.assert_allclose(drawn, rows, rtol=1e-14, atol=1e-15)
    assert found.window == (0.0, 1.0)


@every_sample
def test_the_curves_of_a_result_reach_its_epsilon_star(name: str) -> None:
    sample = Analysis(SAMPLES[name]).result(Spec()).sample
    assert sample is not None
    part = sample.epsilon_star
    maxima = part.star.suprema.maxima
    for drawn, maximum in zip(part.curves.curves, maxima, strict=True):
        at_peak = drawn[drawn[:, 0] == maximum.fpr, 1]
        assert at_peak.size
        assert np.abs(at_peak - maximum.log_ratio).min() <= 1e-12


@every_sample
@pytest.mark.parametrize("clip", [0.001, 0.1])
def test_window_is_the_range_of_surviving_fprs(name: str, clip: float) -> None:
    scores = SAMPLES[name]
    member, nonmember = np.sort(-scores.member), np.sort(-scores.nonmember)
    tau = np.concatenate([member, nonmember])
    fpr = np.searchsorted(nonmember, tau, side="right") / nonmember.size
    fnr = (member.size - np.searchsorted(member, tau, side="right")) / member.size
    inside = fpr[(fpr > clip) & (fpr < 1 - clip) & (fnr > clip) & (fnr < 1 - clip)]
    window = ratio_curves(scores, delta=1e-5, clip=clip).window
    assert window == (inside.min(), inside.max())


@pytest.mark.parametrize("name", ["leak", "reversed", "no leak"])
@pytest.mark.parametrize("delta", [0.0, 1e-5, 0.01])
def test_fitted_curves_are_those_of_two_normals(name: str, delta: float) -> None:
    scores = SAMPLES[name]
    pair = fit_laws(TransformedLosses.of(scores)).pair
    assert pair is not None
    p, q = pair.nonmember, pair.member
    assert isinstance(p, Normal)
    assert isinstance(q, Normal)
    found = ratio_curves(scores, delta=delta, method="normal", clip=0.01)
    for i, drawn in enumerate(found.curves):
        assert len(drawn) <= 512
        assert np.isfinite(drawn).all()
        half = drawn[drawn[:, 0] <= 0.5]
        x = norm.ppf(half[:, 0], p.mean, p.sd)
        tpr = norm.cdf(x, q.mean, q.sd)
        fnr = norm.sf(x, q.mean, q.sd)
        t = half[:, 0]
        top, bottom = [(tpr, t), (1 - t, fnr), (fnr, 1 - t), (t, tpr)][i]
        np.testing.assert_allclose(half[:, 1], np.log((top - delta) / bottom), rtol=0, atol=1e-7)
    best = epsilon_star(scores, delta=delta, method="normal", clip=0.01).value
    low, high = found.window
    peaks = [c[(c[:, 0] >= low) & (c[:, 0] <= high), 1].max() for c in found.curves]
    assert max(0, *peaks) <= best + 1e-9
    assert max(0, *peaks) == pytest.approx(best, abs=0.06)  # the grid has 55 vertices a decade


def test_without_a_fit_the_counts_are_drawn() -> None:
    flat = AttackScores.from_losses(member=[1.0, 1.0], nonmember=[1.0, 2.0])
    found = ratio_curves(flat, delta=1e-5, method="normal")
    assert found.fitted is None
    for curve, counted in zip(found.curves, ratio_curves(flat, delta=1e-5).curves, strict=True):
        np.testing.assert_array_equal(curve, counted)


def test_counted_and_fitted_curves_come_together() -> None:
    scores = SAMPLES["leak"]
    both = ratio_curves(scores, delta=1e-3, method="normal", clip=0.01)
    alone = ratio_curves(scores, delta=1e-3, clip=0.01)
    assert alone.fitted is None
    for counted, same in zip(both.counted, alone.counted, strict=True):
        np.testing.assert_array_equal(counted, same)


def test_without_a_place_that_survives_the_clip_there_is_no_window() -> None:
    """N(0, 1) against N(10, 1): wherever one rate is above 0.1, another one is below."""
    scores = gaussian_losses(1, member=(0, 1, 500), nonmember=(10, 1, 500))
    for method in ("empirical", "normal"):
        found = ratio_curves(scores, delta=0.0, method=method, clip=0.1)
        assert np.isnan(found.window).all()


def test_what_is_not_given_is_as_of_epsilon_star() -> None:
    given = [signature(each).parameters for each in (ratio_curves, epsilon_star)]
    names = ["method", "clip", "transform", "components", "rng"]
    one, other = ({name: each[name].default for name in names} for each in given)
    assert one == other
