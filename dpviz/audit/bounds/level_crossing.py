"""Estimate, from simulations, of the epsilon at which a rising probability passes a level.

It only says where to test: no error of the fit makes a bound false (`dpviz.audit.bounds.rank`, "The
p-values").
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from dpviz.checks import FloatArray

Event = Callable[[FloatArray], NDArray[np.bool]]  # epsilons to outcomes, one simulation each
WINDOWS = 40  # windows tried at most
FEWEST = 20  # simulations of either outcome that a fit needs
STEPS = 25  # iterations of a fit at most
FINEST = 1e-4  # width of the narrowest window in epsilon


@dataclass(frozen=True, kw_only=True)
class Crossing:
    """A fitted ``probability = Phi((epsilon - center) * slope)``.

    `errors` is the covariance of intercept and slope as functions of ``(epsilon - middle) / unit``.
    """

    center: float
    slope: float
    middle: float
    unit: float
    errors: FloatArray

    def at(self, probability: float) -> float:
        """The epsilon at which the fit has this probability."""
        return self.center + float(ndtri(probability)) / self.slope

    def standard_error(self, probability: float) -> float:
        """Standard error of `at`, from the number of simulations."""
        place = np.array([1.0, (self.at(probability) - self.middle) / self.unit])
        return float(np.sqrt(place @ self.errors @ place)) / self.slope


def located(
    event: Event,
    rng: np.random.Generator,
    *,
    low: float,
    high: float,
    level: float,
    runs: int,
) -> Crossing:
    """Fit the probability of the event around where it passes `level`.

    The first fit is in a window where both outcomes happen. Then, with three times the simulations,
    windows go from a quarter of the level to four times it by the last fit, until a fit agrees with
    its window: where the probability is far from a probit curve, first fits may describe another
    part of it.
    The first window is from `low` to `high`, the first fit from `runs` simulations.
    """
    refined, missed = False, set()
    for _ in range(WINDOWS):
        epsilons = rng.uniform(low, high, 3 * runs if refined else runs)
        happened = event(epsilons)
        few, many, width = happened.sum() < FEWEST, (~happened).sum() < FEWEST, high - low
        if few or many:
            missed.add(bool(few))
            border = high if few else low
            if len(missed) == 2:  # the step is at a border
                low, high = border - width / 4, border + width / 4
            else:
                low, high = (border, border + 2 * width) if few else (border - 2 * width, border)
            continue
        fit = _fit(epsilons, happened)
        below, above = fit.at(level / 4), fit.at(min(4 * level, (1 + level) / 2))
        covered = low <= fit.at(level / 2) and fit.at(level) <= high
        if refined and covered and max(above - below, FINEST) > width / 3:
            return fit
        above = max(above, below + FINEST)
        low, high, refined, missed = below, above, True, set()
    return _fit(epsilons, happened)


def _fit(epsilons: FloatArray, happened: NDArray[np.bool]) -> Crossing:
    """Probit regression by iterated weighted least squares."""
    middle, unit = float(epsilons.mean()), float(epsilons.std())
    design = np.stack([np.ones_like(epsilons), (epsilons - middle) / unit], axis=1)
    fit = np.array([ndtri((happened.sum() + 1) / (happened.size + 2)), 0.5])
    for _ in range(STEPS):
        # Simulations beyond 5 carry no information, and the density would underflow.
        z = np.clip(design @ fit, -5, 5)
        p, density = ndtr(z), np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
        weighted = design * (density**2 / (p * (1 - p)))[:, None]
        errors = np.linalg.inv(weighted.T @ design)
        step = errors @ (weighted.T @ ((happened - p) / density))
        fit = fit + step
        if np.abs(step).max() < 1e-6:
            break
    slope = max(float(fit[1]), 1e-3) / unit
    return Crossing(
        center=middle - float(fit[0]) / slope,
        slope=slope,
        middle=middle,
        unit=unit,
        errors=np.asarray(errors),
    )
