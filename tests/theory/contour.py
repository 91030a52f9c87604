"""Composed privacy profiles by an integral over a line in the complex plane: no grid of losses.

With ``M(s) = E_Q[e^(s L)]`` the profile is ``E_Q[(1 - e^(epsilon - L))+] = 1 / (2 pi i) times the
integral of M(s)^steps e^(-s epsilon) / (s (s + 1)) ds`` over any line Re s = c > 0 (Bromwich's
inversion). M is an integral over the outputs of one step. Both are trapezoidal sums, which converge
faster than any power of their step for functions as smooth as these.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import brentq
from scipy.special import logsumexp


@dataclass(frozen=True, eq=False)
class Steps:
    """`steps` of a pair with these log densities at outputs `dx` apart."""

    log_p: np.ndarray
    log_q: np.ndarray
    dx: float
    steps: int

    @classmethod
    def poisson(
        cls, noise: float, rate: float, steps: int, *, shifts: tuple[float, float]
    ) -> "Steps":
        """Gaussian noise; for a sampled record the mean is one shift under P, one under Q."""
        x = np.arange(-30 * (1 + noise), 30 * (1 + noise), noise / 20)

        def log_density(shift: float) -> np.ndarray:
            still, moved = (-((x - mean) ** 2) / (2 * noise**2) for mean in (0.0, shift))
            both = np.logaddexp(np.log1p(-rate) + still, np.log(rate) + moved)
            return both - np.log(noise * np.sqrt(2 * np.pi))

        return cls(log_density(shifts[0]), log_density(shifts[1]), noise / 20, steps)

    @cached_property
    def loss(self) -> np.ndarray:
        """Of every output."""
        return self.log_q - self.log_p

    def saddle(self, c: float) -> tuple[float, float, float]:
        """Log of M(c)^steps; mean and standard deviation of the composed loss, tilted by c."""
        log_weights = self.log_q + c * self.loss
        log_m = float(logsumexp(log_weights)) + np.log(self.dx)
        weights = np.exp(log_weights - log_m) * self.dx
        mean = float(weights @ self.loss)
        variance = float(weights @ (self.loss - mean) ** 2)
        return self.steps * log_m, self.steps * mean, float(np.sqrt(self.steps * variance))

    def epsilon(self, delta: float) -> float:
        """The root of the profile, by the line through its saddle point."""

        def log_tail(c: float) -> float:  # Chernoff's bound at the mean
            log_m, mean, _ = self.saddle(c)
            return log_m - c * mean - np.log(delta)

        high = 1.0
        while log_tail(high) > 0:
            high *= 2
        c = brentq(log_tail, 1e-6, high)
        log_m, mean, spread = self.saddle(c)
        s = c + 1j * np.arange(0, 12 / spread, 0.02 / spread)
        weights = np.exp(self.log_q + c * self.loss - log_m / self.steps) * self.dx
        seen = weights > 1e-18
        m = np.exp(np.outer(s - c, self.loss[seen])) @ weights[seen]
        terms = m**self.steps * np.exp(-(s - c) * mean) / (s * (s + 1))
        terms[0] /= 2  # the other half of the line is its conjugate

        def log_ratio(epsilon: float) -> float:
            """Log of the profile over delta, both divided by M(c)^steps e^(-c epsilon)."""
            value = float((terms @ np.exp(-(s - c) * (epsilon - mean))).real)
            log_profile = np.log(max(value, 1e-300) * 0.02 / spread / np.pi)
            return float(log_profile + log_m - c * epsilon - np.log(delta))

        reach = np.log1p(10 * c * (c + 1) * spread) / c  # of the saddle point's own estimate
        return float(brentq(log_ratio, mean - reach, mean + reach))
