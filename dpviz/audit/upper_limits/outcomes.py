"""The probability of a set of outcomes (x, y): numbers of true and of false positives.

At one threshold x and y are independent: x is binomial with n members and the TPR p, y with m
non-members and the FPR q. A set here contains with (x, y) every outcome that looks less like an
attack: fewer true positives, or more false positives. It is given by the largest x for each y. Its
probability falls with p and rises with q, by stochastic order of binomial distributions.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy.special import gammaln

from dpviz import checks
from dpviz.audit.scores.base import Counts
from dpviz.checks import FloatArray

LOG_OMITTED = 11.0  # log of the least probability of interest over what a window may leave out
ROUNDING = 1e-9  # of a probability that is a sum of exponentials of logarithms of factorials
PAIRS_AT_ONCE = 64  # pairs of rates whose windows are in memory together
SMALLEST_RATE = 1e-300  # in place of 0, whose logarithm is infinite
Window = tuple[Counts, FloatArray]  # first numbers, shape (k,), and probabilities, shape (k, width)


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcomes:
    """All (x, y) with x <= ``most[y]``, where `most` does not fall with y; -1: none with this y."""

    n_members: int
    n_nonmembers: int
    most: Counts  # shape (n_nonmembers + 1,)
    level: float  # the least probability of interest

    @cached_property
    def _log_omitted(self) -> float:
        return LOG_OMITTED - float(np.log(self.level))

    def chance_at_most(self, tpr: FloatArray, fpr: FloatArray) -> FloatArray:
        """Return upper bounds, close ones, of the set's probability for each pair of rates.

        Sums run over windows around the means. By Bernstein's inequality at most
        ``exp(-t)`` is omitted at either end, where t is `LOG_OMITTED` above the log of 1 / `level`;
        what is omitted counts as inside the set.
        """
        found = np.empty(tpr.size)
        for start in range(0, tpr.size, PAIRS_AT_ONCE):
            part = slice(start, start + PAIRS_AT_ONCE)
            first_x, chance_x = self._window(self.n_members, tpr[part])
            first_y, chance_y = self._window(self.n_nonmembers, fpr[part])
            # Column i of `below` is the probability of a number below the first one plus i.
            below = np.zeros((len(chance_x), chance_x.shape[1] + 1))
            np.cumsum(chance_x, axis=1, out=below[:, 1:])
            most = self.most[first_y[:, None] + np.arange(chance_y.shape[1])]
            columns = np.clip(most - first_x[:, None] + 1, 0, chance_x.shape[1])
            found[part] = (chance_y * np.take_along_axis(below, columns, axis=1)).sum(axis=1)
        found += 3 * np.exp(-self._log_omitted) + ROUNDING
        return np.minimum(found, 1.0)

    def _window(self, size: int, rates: FloatArray) -> Window:
        """Return the binomial probabilities of the numbers around each mean."""
        t = self._log_omitted
        reach = t / 3 + np.sqrt(t * t / 9 + 2 * t * size * rates * (1 - rates))
        width = min(int(2 * reach.max()) + 3, size + 1)
        first = np.clip(np.floor(size * rates - reach), 0, size + 1 - width).astype(np.int64)
        numbers = first[:, None] + np.arange(width)
        log_chance = _log_binomials(size)[numbers]
        log_chance += numbers * np.log(np.maximum(rates, SMALLEST_RATE))[:, None]
        log_chance += (size - numbers) * np.log(np.maximum(1 - rates, SMALLEST_RATE))[:, None]
        return first, np.exp(log_chance, out=log_chance)


@lru_cache(maxsize=8)
def _log_binomials(size: int) -> FloatArray:
    """Return the logarithms of the binomial coefficients "`size` choose k" for all k."""
    numbers = np.arange(size + 1)
    choose = gammaln(size + 1) - gammaln(numbers + 1) - gammaln(size - numbers + 1)
    return checks.read_only(choose)
