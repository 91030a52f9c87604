"""How likely a sum of independent guesses is somewhere at least as large as what is needed."""

from functools import lru_cache

import numpy as np
from scipy.special import bdtr, expit, gammaln, xlogy

from dpviz.audit.ascending import Counts
from dpviz.checks import FloatArray

REACH = 9.0
"""Standard deviations of a sum that are followed; beyond, there is less than 1e-17."""
LEAK_STEPS = 16
"""Into so many steps the number of leaks is rounded up."""
LARGEST = 60.0
STEP = 0.05
TOLERANCE = 1e-6


class Paths:
    """Right guesses at growing depths, each guess right with the same probability; some surely.

    Parameters
    ----------
    guesses, needed : ndarray of int, shape (k,)
        Guesses up to each depth, ascending, and the right ones from which a path counts.
    records : int
        That may leak, and then are guessed right, first of all.
    leak : float
        Probability of each leak.
    """

    def __init__(self, guesses: Counts, needed: Counts, *, records: int, leak: float) -> None:
        self._guesses, self._needed = guesses, needed
        self._leaks = _rounded_up(records, leak)

    def chance(self, epsilon: float) -> float:
        """Of reaching what is needed at some depth; what is dropped counts as reaching it."""
        known = sum(weight * self._with_leaks(leaks, epsilon) for leaks, weight in self._leaks)
        return known + 1 - sum(weight for _, weight in self._leaks)

    def epsilon_at(self, level: float, start: float) -> float:
        """The largest epsilon at which the chance is at most `level`; 0 where none is.

        Looked for from `start` on.
        """
        from scipy.optimize import brentq

        def excess(epsilon: float) -> float:
            return float(np.log(max(self.chance(epsilon), 1e-300) / level))

        low = high = start
        step = STEP
        while excess(low) > 0:
            if low == 0:
                return 0.0
            high, low, step = low, max(low - step, 0.0), 2 * step
        while low == high or excess(high) <= 0:
            if high > LARGEST:
                return high
            low, high, step = high, high + step, 2 * step
        root = brentq(excess, low, high, xtol=TOLERANCE, rtol=TOLERANCE)
        return max(0.0, float(root) * (1 - 2 * TOLERANCE) - 2 * TOLERANCE)  # below it for sure

    def _with_leaks(self, leaks: int, epsilon: float) -> float:
        sure = np.minimum(self._guesses, leaks)
        free, needed = self._guesses - sure, self._needed - sure
        state, lowest, reached, before = np.ones(1), 0, 0.0, 0
        for until, enough in zip(free.tolist(), needed.tolist(), strict=True):
            first, step = _binomial(until - before, epsilon)
            state, lowest, before = _convolved(state, step), lowest + first, until
            stay = max(enough - lowest, 0)
            reached += float(state[stay:].sum())
            state = state[:stay]
            if state.size == 0:
                return 1.0
        return reached


@lru_cache(maxsize=128)
def _binomial(trials: int, epsilon: float) -> tuple[int, FloatArray]:
    """The first of the counts that matter and their probabilities; paths with leaks share them."""
    q, wrong = float(expit(epsilon)), float(expit(-epsilon))
    spread = REACH * np.sqrt(trials * q * wrong) + REACH
    first = max(int(trials * q - spread), 0)
    k = np.arange(first, min(int(trials * q + spread) + 1, trials) + 1)
    logs = gammaln(trials + 1) - gammaln(k + 1) - gammaln(trials - k + 1)
    return first, np.asarray(np.exp(logs + xlogy(k, q) + xlogy(trials - k, wrong)))


def _convolved(state: FloatArray, step: FloatArray) -> FloatArray:
    if min(state.size, step.size) < 64:
        return np.convolve(state, step)
    size = state.size + step.size - 1
    fast = 1 << (size - 1).bit_length()
    product = np.fft.rfft(state, fast) * np.fft.rfft(step, fast)
    return np.asarray(np.maximum(np.fft.irfft(product, fast)[:size], 0))


def _rounded_up(records: int, leak: float) -> list[tuple[int, float]]:
    """Numbers of leaks and their probabilities, rounded up to quantiles."""
    if leak == 0:
        return [(0, 1.0)]
    counts = sorted({_quantile(records, leak, 1 - 0.5**i) for i in range(1, LEAK_STEPS + 1)})
    upto = bdtr(counts, records, leak)
    return list(zip(counts, np.diff(upto, prepend=0.0).tolist(), strict=True))


def _quantile(records: int, leak: float, probability: float) -> int:
    few, enough = -1, records
    while enough - few > 1:
        middle = (few + enough) // 2
        few, enough = (
            (few, middle) if bdtr(middle, records, leak) >= probability else (middle, enough)
        )
    return enough
