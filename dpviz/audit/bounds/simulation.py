"""Bounds by simulated p-values, where exact p-values would take too long.

A curve of p-values over epsilon is fitted to some first simulations. It only chooses the epsilons
to test: no error of the fit makes a bound false. Fresh simulations test these in descending order,
and the first epsilon that is refuted is the bound. The bound is false only if one of these tests
refutes an epsilon whose p-value is not below that of the true epsilon. Tests refute only up to
`most_extreme_runs_to_refute`, which keeps the probability of this below the level.
"""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, expit, ndtr, ndtri

from dpviz.audit.scores.base import Counts
from dpviz.checks import FloatArray

SMALLEST_LEVEL = 1e-4  # smallest 1 - confidence_level with simulated p-values
RUNS_OF_FIRST_FIT = 50.0  # simulations of the first fit, times the level: 1000 at 0.05
RUNS_OF_TEST = 300.0  # simulations of each test, times the level: 6000 at 0.05
TESTED_P_VALUE_FRACTIONS = (0.94, 0.82, 0.5)  # of the largest p-value that refutes
CHUNK = 20_000  # simulations per batch
WINDOWS = 40  # windows tried at most
FEWEST = 20  # simulations of either outcome that a fit needs
STEPS = 25  # iterations of a fit at most
NARROWEST_WINDOW = 1e-4  # width of the narrowest window in epsilon
Event = Callable[[FloatArray], NDArray[np.bool]]  # epsilons to outcomes, one simulation each


def simulated_bound(
    event: Event, rng: np.random.Generator, *, low: float, high: float, level: float
) -> tuple[float, float]:
    """Return the largest epsilon that simulations refute (or 0), and its sd over random seeds.
    `event` tells for each epsilon whether a simulated statistic is at least that of the data.
    """

    def simulate(epsilons: FloatArray) -> NDArray[np.bool]:
        # Batches limit the memory of simulated rankings.
        parts = np.array_split(epsilons, -(-epsilons.size // CHUNK))
        return np.concatenate([event(part) for part in parts])

    runs = int(np.ceil(RUNS_OF_FIRST_FIT / level))
    curve = fit_probit_near_level(simulate, rng, low=low, high=high, level=level, runs=runs)
    # Fresh simulations: those of the fit must not decide.
    size, allowed, tested = runs_limit_and_tested_p_values(level)
    for epsilon in map(curve.epsilon_at, tested):
        if epsilon <= 0:
            break
        if simulate(np.full(size, epsilon)).sum() <= allowed:
            return epsilon, bound_sd_over_seeds(curve, level)
    return 0.0, 0.0


def runs_limit_and_tested_p_values(level: float) -> tuple[int, int, FloatArray]:
    """Return the runs per test, the limit of extreme runs, and the p-values of tested epsilons."""
    size = int(np.ceil(RUNS_OF_TEST / level))
    allowed = most_extreme_runs_to_refute(size, len(TESTED_P_VALUE_FRACTIONS), level)
    return size, allowed, np.array(TESTED_P_VALUE_FRACTIONS) * allowed / size


@cache
def most_extreme_runs_to_refute(runs: int, tests: int, level: float) -> int:
    """Return k: a test refutes epsilon if at most k of its `runs` are as extreme as the data."""
    # The probability falls in p, so its value at the lower end bounds it in each small interval.
    p = np.concatenate([np.linspace(0, 3 * level, 3001), np.linspace(3 * level, 1, 3001)])
    p = np.clip(p, 0, 1)

    def error_chance(allowed_count: int) -> float:
        some = 1 - (1 - bdtr(allowed_count, runs, p[:-1])) ** tests
        return float(np.sum(np.diff(p) * some))

    # This chance rises with the allowed number: bisection for the last that keeps the level.
    return bisect_left(range(runs), True, key=lambda allowed: error_chance(allowed) > level) - 1


def bound_sd_over_seeds(curve: "ProbitFit", level: float) -> float:
    """Return the standard deviation of the simulated bound over random seeds, for the same data."""
    size, allowed, tested = runs_limit_and_tested_p_values(level)
    refuted = bdtr(allowed, size, tested)
    # The probability that each test is the first to refute.
    chance = refuted * np.cumprod(np.concatenate([[1.0], 1 - refuted[:-1]]))
    places = np.array([curve.epsilon_at(p) for p in tested])
    mean = np.average(places, weights=chance)
    # Variances add: that of the epsilon refuted first, and that of the fit.
    of_place = np.average((places - mean) ** 2, weights=chance)
    return float(np.sqrt(of_place + curve.standard_error(level) ** 2))


@dataclass(frozen=True, kw_only=True, eq=False)
class LeastFavourableRankings:
    """A simulator of random rankings in the worst case that (epsilon, delta) allows."""

    n_members: int
    n_nonmembers: int
    delta: float
    cuts: Counts

    def draw(self, epsilons: FloatArray, rng: np.random.Generator) -> Counts:
        """Simulate a ranking per epsilon; count members above each cut, shape (cuts, epsilons)."""
        n, m, size = self.n_members, self.n_nonmembers, epsilons.size
        first, last = rng.binomial(n, self.delta, size), rng.binomial(m, self.delta, size)
        upper = rng.binomial(n - first, expit(epsilons))
        upper_nonmembers = rng.binomial(m - last, expit(-epsilons))
        classes = [(upper, upper_nonmembers), (n - first - upper, m - last - upper_nonmembers)]
        # Members that leak are at the top of the ranking.
        in_first, begin = np.minimum(self.cuts[:, None], first), first
        for members, nonmembers in classes:
            end = begin + members + nonmembers
            # The order within a class is random: members between two cuts are hypergeometric.
            left = members
            taken = drawn = np.zeros(size, np.int64)
            for i, cut in enumerate(self.cuts):
                until = np.clip(cut, begin, end) - begin
                if (until > taken).any():
                    step = rng.hypergeometric(left, end - begin - taken - left, until - taken)
                    drawn, left, taken = drawn + step, left - step, until
                in_first[i] += drawn
            begin = end
        return np.asarray(in_first)


@dataclass(frozen=True, kw_only=True)
class ProbitFit:
    """A fitted probit curve: ``P(event) = Phi((epsilon - center) * slope)``."""

    center: float
    slope: float
    middle: float
    unit: float
    errors: FloatArray  # covariance of intercept and slope over (epsilon - middle) / unit

    def epsilon_at(self, probability: float) -> float:
        """Return the epsilon at which the fitted curve has the given probability."""
        return self.center + float(ndtri(probability)) / self.slope

    def standard_error(self, probability: float) -> float:
        """Return the standard error of ``epsilon_at(probability)``, due to simulation."""
        place = np.array([1.0, (self.epsilon_at(probability) - self.middle) / self.unit])
        return float(np.sqrt(place @ self.errors @ place)) / self.slope


def fit_probit_near_level(
    event: Event, rng: np.random.Generator, *, low: float, high: float, level: float, runs: int
) -> ProbitFit:
    """Fit a probit curve to P(event), simulated in [low, high], then where P is near `level`."""
    refined, missed = False, set()
    for _ in range(WINDOWS):
        epsilons = rng.uniform(low, high, 3 * runs if refined else runs)
        happened = event(epsilons)
        few, many, width = happened.sum() < FEWEST, (~happened).sum() < FEWEST, high - low
        if few or many:
            missed.add(bool(few))
            border = high if few else low
            if len(missed) == 2:  # the probability jumps at this border
                low, high = border - width / 4, border + width / 4
            else:
                low, high = (border, border + 2 * width) if few else (border - 2 * width, border)
            continue
        # Then, with more simulations, go from a quarter of the level to four times it by the last
        # fit, until a fit agrees with its window: where the probability is far from a probit
        # curve, first fits may describe another part of it.
        fit = _fit_probit(epsilons, happened)
        below, above = fit.epsilon_at(level / 4), fit.epsilon_at(min(4 * level, (1 + level) / 2))
        covered = low <= fit.epsilon_at(level / 2) and fit.epsilon_at(level) <= high
        if refined and covered and max(above - below, NARROWEST_WINDOW) > width / 3:
            return fit
        above = max(above, below + NARROWEST_WINDOW)
        low, high, refined, missed = below, above, True, set()
    return _fit_probit(epsilons, happened)


def _fit_probit(epsilons: FloatArray, happened: NDArray[np.bool]) -> ProbitFit:
    """Fit a probit curve to simulated outcomes, by iterated weighted least squares."""
    middle, unit = float(epsilons.mean()), float(epsilons.std())
    # Standardised epsilons, so that both coefficients are of the same size.
    design = np.stack([np.ones_like(epsilons), (epsilons - middle) / unit], axis=1)
    fit = np.array([ndtri((happened.sum() + 1) / (happened.size + 2)), 0.5])
    for _ in range(STEPS):
        # Simulations beyond 5 carry no information, and the density would underflow.
        z = np.clip(design @ fit, -5, 5)
        p, density = ndtr(z), np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
        # Fisher scoring: the inverse of the expected information is the covariance of both.
        weighted = design * (density**2 / (p * (1 - p)))[:, None]
        errors = np.linalg.inv(weighted.T @ design)
        step = errors @ (weighted.T @ ((happened - p) / density))
        fit = fit + step
        if np.abs(step).max() < 1e-6:
            break
    # In units of epsilon; the slope stays positive where the simulations show none.
    slope = max(float(fit[1]), 1e-3) / unit
    center, errors = middle - float(fit[0]) / slope, np.asarray(errors)
    return ProbitFit(center=center, slope=slope, middle=middle, unit=unit, errors=errors)
