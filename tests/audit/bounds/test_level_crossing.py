"""Where a probability passes a level: on curves that are known."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtr, ndtri

from dpviz.audit.bounds.rank import Crossing, located

FloatArray = NDArray[np.float64]


def of_curve(
    curve: Callable[[FloatArray], FloatArray],
    seed: int,
    *,
    low: float,
    high: float,
    level: float = 0.05,
    runs: int = 1000,
) -> tuple[Crossing, int]:
    """The fit, and how many runs it took."""
    rng, taken = np.random.default_rng(seed), [0]

    def event(epsilons: FloatArray) -> NDArray[np.bool]:
        taken[0] += epsilons.size
        return np.asarray(rng.random(epsilons.size) < curve(epsilons))

    return located(event, rng, low=low, high=high, level=level, runs=runs), taken[0]


def probit(epsilons: FloatArray) -> FloatArray:
    return np.asarray(ndtr((epsilons - 1.3) / 0.2))


def logistic(epsilons: FloatArray) -> FloatArray:
    return np.asarray(expit((epsilons - 1.3) / 0.1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("curve", "inverse"),
    [
        (probit, lambda p: 1.3 + 0.2 * ndtri(p)),
        (logistic, lambda p: 1.3 + 0.1 * logit(p)),
    ],
)
@pytest.mark.parametrize("level", [0.01, 0.05, 0.3])
def test_the_level_is_found_with_the_error_that_is_said(
    curve: Callable[[FloatArray], FloatArray], inverse: Callable[[float], float], level: float
) -> None:
    runs = int(50 / level)
    fits = [
        of_curve(curve, seed, low=1.0, high=1.4, level=level, runs=runs)[0] for seed in range(100)
    ]
    places = np.array([fit.at(level) for fit in fits])
    errors = np.array([fit.standard_error(level) for fit in fits])
    assert np.all(np.abs(places - inverse(level)) <= 4 * errors)
    # 100 seeds know a standard deviation to 7 %.
    assert 0.7 <= np.std(places) / np.mean(errors) <= 1.3
    assert np.mean(errors) < 0.03
    for share in (0.5, 0.8):
        around = np.array([fit.at(share * level) for fit in fits])
        assert abs(np.median(around) - inverse(share * level)) <= 0.02


@pytest.mark.parametrize(
    ("low", "high"), [(1.1, 1.2), (-3.0, -2.9), (5.0, 5.2), (1.3, 1.3001), (-400.0, 400.0)]
)
def test_the_first_window_may_be_anywhere(low: float, high: float) -> None:
    truth = 1.3 + 0.2 * ndtri(0.05)
    for seed in range(5):
        fit, taken = of_curve(probit, seed, low=low, high=high)
        assert abs(fit.at(0.05) - truth) <= 0.06
        assert taken <= 40_000


@pytest.mark.parametrize("chance", [0.0, 1.0, 0.5])
def test_a_curve_that_never_crosses_ends_without_complaint(chance: float) -> None:
    fit, taken = of_curve(lambda x: np.full(x.size, chance), 1, low=0.0, high=1.0)
    assert np.isfinite([fit.at(0.05), fit.standard_error(0.05)]).all()
    assert taken <= 120_000


@pytest.mark.parametrize("where", [0.2, 0.999, 1.0, 7.3])
def test_a_step_is_found_as_closely_as_its_windows_are(where: float) -> None:
    fit, _ = of_curve(lambda x: (x > where).astype(float), 2, low=0.0, high=1.0)
    assert abs(fit.at(0.05) - where) <= 0.05 * max(1.0, where)
    assert np.isfinite(fit.standard_error(0.05))


def test_a_fit_is_read_along_its_curve() -> None:
    fit = Crossing(center=2.0, slope=4.0, middle=2.5, unit=0.5, errors=np.diag([0.04, 0.09]))
    assert fit.at(0.5) == 2.0
    assert fit.at(ndtr(-1.2)) == pytest.approx(2.0 - 1.2 / 4)
    # z = a + b (x - 2.5) / 0.5 has variance 0.04 + 0.09 * 1 at x = 2; x moves by a 4th of it.
    assert fit.standard_error(0.5) == pytest.approx(np.sqrt(0.13) / 4)


@pytest.mark.parametrize("center", [1.0, 1.02])
def test_a_slow_tail_below_a_sudden_rise_is_found(center: float) -> None:
    # Shallow depths of many records make the one, deep ones the other.
    def curve(epsilons: FloatArray) -> FloatArray:
        slow = ndtr((epsilons - 1.3) / 0.2)  # 0.05 at 0.971
        return np.asarray(1 - (1 - slow) * (1 - ndtr((epsilons - center) / 0.004)))

    truth = 1.3 + 0.2 * ndtri(0.05)
    for seed in range(10):
        fit, _ = of_curve(curve, seed, low=0.5, high=1.5)
        assert curve(np.array([fit.at(0.5 * 0.05)]))[0] < 0.04
        assert abs(fit.at(0.05) - truth) <= 0.08
