"""Laws of losses against mpmath in both tails, and as scipy.stats knows them."""

import math
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpviz.audit.epsilon_star import epsilon_star_of_normals
from dpviz.audit.epsilon_star.laws import Law, Mixture, Normal, ScipyLaw
from dpviz.audit.epsilon_star.suprema import LawPair

SMALL = [1e-300, 1e-100, 1e-20, 1e-5, 0.01, 0.3, 0.5]
THREE = Mixture([0.5, 0.2, 0.3], [0.0, -1.0, 30.0], [1.0, 2.5, 0.1])
LAWS: dict[str, Law] = {
    "normal": Normal(mean=3.0, sd=0.2),
    "mixture": THREE,
    "far apart": Mixture([0.999, 0.001], [0.0, 1e4], [1.0, 1e-3]),
    "gamma": ScipyLaw(stats.gamma(2, scale=5)),
    "logistic": ScipyLaw(stats.logistic(-1, 2)),
}


@st.composite
def mixtures(draw: st.DrawFn) -> Mixture:
    shares = np.array(draw(st.lists(st.integers(1, 9), min_size=1, max_size=3)), float)
    means = [draw(st.floats(-5, 5)) for _ in shares]
    sds = [draw(st.floats(0.2, 4)) for _ in shares]
    return Mixture(shares / shares.sum(), means, sds)


def exact_logs(law: Mixture, x: float) -> tuple[float, float, float]:
    """Log CDF, log survival function and log density to 40 digits."""
    with mp.workdps(40):
        parts = [
            (mp.mpf(w), (mp.mpf(x) - mp.mpf(m)) / mp.mpf(s), mp.mpf(s))
            for w, m, s in zip(
                law.weights.tolist(), law.means.tolist(), law.sds.tolist(), strict=True
            )
        ]
        below = mp.fsum(w * mp.erfc(-z / mp.sqrt(2)) / 2 for w, z, _ in parts)
        above = mp.fsum(w * mp.erfc(z / mp.sqrt(2)) / 2 for w, z, _ in parts)
        density = mp.fsum(w * mp.npdf(z) / s for w, z, s in parts)
        return float(mp.log(below)), float(mp.log(above)), float(mp.log(density))


@given(law=mixtures(), x=st.floats(-300, 300))
def test_tails_and_density_of_a_mixture_are_those_of_mpmath(law: Mixture, x: float) -> None:
    at = np.array(x)
    found = law.log_cdf(at), law.log_sf(at), law.log_pdf(at)
    np.testing.assert_allclose(found, exact_logs(law, x), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("z", [-1e4, -45.0, -1.0, 0.0, 2.0, 45.0, 1e4])
def test_tails_and_density_of_a_normal_law_are_those_of_mpmath(z: float) -> None:
    law, x = Normal(mean=-2.0, sd=8.0), np.array(-2.0 + 8.0 * z)
    expected = exact_logs(Mixture([1.0], [-2.0], [8.0]), float(x))
    found = law.log_cdf(x), law.log_sf(x), law.log_pdf(x)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-300)


@given(law=mixtures(), p=st.sampled_from(SMALL))
def test_quantiles_of_a_mixture_leave_p_in_the_tail(law: Mixture, p: float) -> None:
    low, high = float(law.quantile(np.array(p))), float(law.upper_quantile(np.array(p)))
    assert exact_logs(law, low)[0] == pytest.approx(math.log(p), abs=1e-9)
    assert exact_logs(law, high)[1] == pytest.approx(math.log(p), abs=1e-9)


@pytest.mark.parametrize("p", SMALL)
def test_quantiles_of_a_normal_law_leave_p_in_the_tail(p: float) -> None:
    law = Normal(mean=5.0, sd=0.25)
    same = Mixture([1.0], [5.0], [0.25])
    low, high = float(law.quantile(np.array(p))), float(law.upper_quantile(np.array(p)))
    assert exact_logs(same, low)[0] == pytest.approx(math.log(p), abs=1e-9)
    assert exact_logs(same, high)[1] == pytest.approx(math.log(p), abs=1e-9)


@pytest.mark.parametrize("name", LAWS)
def test_arrays_of_any_shape_give_the_values_of_their_entries(name: str) -> None:
    law = LAWS[name]
    x = np.array([[-30.0, -1.0, 0.2], [3.0, 4.0, 60.0]])
    p = np.array([[1e-9, 0.01], [0.5, 0.2], [1e-5, 0.49]])
    for method, at in (
        (law.log_cdf, x),
        (law.log_sf, x),
        (law.log_pdf, x),
        (law.quantile, p),
        (law.upper_quantile, p),
    ):
        found = method(at)
        assert found.shape == at.shape
        one_by_one = [float(method(np.array(value))) for value in at.ravel()]
        np.testing.assert_allclose(found.ravel(), one_by_one, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", LAWS)
def test_the_grid_is_finite_and_reaches_far_into_both_tails(name: str) -> None:
    law, far = LAWS[name], math.log(1e-290)
    assert np.isfinite(law.loss_grid).all()
    assert 100 <= law.loss_grid.size <= 1000
    low, high = np.array(law.loss_grid.min()), np.array(law.loss_grid.max())
    assert float(law.log_cdf(low)) < far
    assert float(law.log_sf(high)) < far


@given(law=mixtures(), x=st.floats(-100, 100))
def test_duplicated_components_change_nothing(law: Mixture, x: float) -> None:
    twice = Mixture(
        np.tile(law.weights, 2) / 2, np.tile(law.means, 2), np.repeat([law.sds], 2, axis=0).ravel()
    )
    at = np.array(x)
    for method in ("log_cdf", "log_sf", "log_pdf"):
        expected = float(getattr(law, method)(at))
        assert float(getattr(twice, method)(at)) == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_one_component_is_a_normal_law() -> None:
    one, normal = Mixture([1.0], [2.0], [3.0]), Normal(mean=2.0, sd=3.0)
    assert one.components == (normal,)
    x, p = np.linspace(-200, 200, 41), np.array([1e-300, 1e-5, 0.3])
    np.testing.assert_allclose(one.log_cdf(x), normal.log_cdf(x), rtol=1e-13)
    np.testing.assert_allclose(one.log_pdf(x), normal.log_pdf(x), rtol=1e-13)
    np.testing.assert_allclose(one.quantile(p), normal.quantile(p), rtol=1e-9)
    np.testing.assert_array_equal(one.loss_grid, normal.loss_grid)


BAD_MIXTURES: list[tuple[Any, Any, Any, str]] = [
    ([0.5, 0.4], [0, 1], [1, 1], "weights must be probabilities that sum to 1"),
    ([0.0, 1.0], [0, 1], [1, 1], r"weights must be in \(0, 1\]"),
    ([1.5, -0.5], [0, 1], [1, 1], "weights must be in"),
    ([0.5, 0.5], [0], [1, 1], r"means must be of the shape of weights, \(2,\)"),
    ([0.5, 0.5], [0, 1], [1], r"sds must be of the shape of weights, \(2,\)"),
    ([0.5, 0.5], [0, math.nan], [1, 1], "means must be finite"),
    ([0.5, 0.5], [0, 1], [1, 0], r"sds must be in \(0, inf\)"),
    ([0.5, 0.5], [0, 1], [1, math.inf], "sds must be in"),
    ([], [], [], "weights must be"),
    ([[1.0]], [[0.0]], [[1.0]], "weights must be a non-empty vector"),
]


@pytest.mark.parametrize(("weights", "means", "sds", "message"), BAD_MIXTURES)
def test_illegal_mixtures_are_named(weights: Any, means: Any, sds: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Mixture(weights, means, sds)


def test_a_mixture_keeps_what_it_was_given() -> None:
    weights = np.array([0.25, 0.75])
    law = Mixture(weights, [0, 1], [1, 2])
    weights[0] = 0.9
    assert law.weights.tolist() == [0.25, 0.75]
    with pytest.raises(ValueError, match="read-only"):
        law.sds[0] = 5


def test_a_frozen_law_is_the_distribution_of_scipy() -> None:
    law, distribution = LAWS["gamma"], stats.gamma(2, scale=5)
    x = np.array([1e-9, 0.5, 10.0, 3000.0])
    # Gamma(2): the CDF is 1 - (1 + u) exp(-u), the survival function (1 + u) exp(-u).
    u = x / 5
    np.testing.assert_allclose(law.log_sf(x), np.log1p(u) - u, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(law.log_pdf(x), np.log(u) - u - np.log(5), rtol=1e-12)
    np.testing.assert_allclose(law.log_cdf(x[1:3]), distribution.logcdf(x[1:3]), rtol=1e-12)
    assert float(law.log_cdf(x[:1])[0]) == pytest.approx(2 * math.log(2e-10) - math.log(2))
    assert law.support == (0.0, math.inf)
    assert law.loss_grid.min() == 0
    assert float(law.log_cdf(np.array(-1.0))) == -math.inf


@pytest.mark.parametrize(
    "thing", [None, 3, "gamma", stats.poisson(3), stats.multivariate_normal([0, 0])]
)
def test_only_continuous_distributions_are_taken(thing: Any) -> None:
    with pytest.raises(TypeError, match="must be a frozen continuous distribution"):
        ScipyLaw(thing)


def test_a_pair_gives_rates_evenly_spread_in_log_odds() -> None:
    pair = LawPair(Normal(mean=1, sd=2), Normal(mean=-1, sd=1))
    fpr, fnr, tpr, tnr = pair.curve_rates
    np.testing.assert_allclose(np.log10(fpr / tnr), np.linspace(-9, 9, 500), atol=1e-9)
    threshold = np.where(fpr < 0.5, stats.norm.ppf(fpr, 1, 2), stats.norm.isf(tnr, 1, 2))
    np.testing.assert_allclose(fnr, stats.norm.sf(threshold, -1, 1), rtol=1e-9)
    np.testing.assert_allclose(tpr, stats.norm.cdf(threshold, -1, 1), rtol=1e-9)
    assert pair.curve_rates is pair.curve_rates


@pytest.mark.parametrize(
    ("shift", "ratio", "delta"), [(-4.2, 1.06, 1e-5), (1.3, 0.98, 1e-9), (6.0, 1.06, 1e-9)]
)
def test_normals_of_nearly_the_same_width(shift: float, ratio: float, delta: float) -> None:
    """Their ratio is largest far out, where Newton's steps from elsewhere go astray."""
    found = epsilon_star_of_normals(
        nonmember=(0.0, 1.0), member=(shift, ratio), delta=delta, clip=None
    )
    at = np.linspace(-45, 45, 200_001)
    sides = [
        [log_of(at, mean, sd) for mean, sd in ((shift, ratio), (0.0, 1.0))]
        for log_of in (stats.norm.logcdf, stats.norm.logsf)
    ]
    best = 0.0
    for top, bottom in (sides[0], sides[0][::-1], sides[1], sides[1][::-1]):
        above = top > math.log(delta)
        best = max(
            best, float(np.max(top[above] + np.log1p(-delta * np.exp(-top[above])) - bottom[above]))
        )
    assert found.value == pytest.approx(best, rel=1e-5)
