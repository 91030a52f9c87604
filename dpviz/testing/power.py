"""How small an epsilon a test of a mechanism would have found: an estimate by simulation.

Noise of scale 1 is added to a number that the second data set moves by `shift`. The classifier is
taken to be perfect: outputs are told apart by where they lie. Then a test is a series of counts in
cells, and many tests are simulated together.
"""

from functools import cache

import numpy as np
from scipy.special import ndtr

from dpviz.checks import FloatArray
from dpviz.testing.bets import WorstPair
from dpviz.testing.betting import LARGEST_LOG, blocks
from dpviz.testing.learning import SMALLEST_CELLS, Counts, expected
from dpviz.theory import GaussianDP, TradeoffFunction

RUNS = 30  # simulated tests at each shift
FOUND = 0.8  # share of them that contradict the claim
SHIFTS = 0.02 * 2.0 ** np.arange(0, 11, 0.125)
RAREST = 1e-12  # probability of a cell
PLACES = np.linspace(-40, 120, 32_001)  # where distribution functions are tabulated


@cache
def detectable_epsilon(claim: TradeoffFunction, *, draws: int, delta: float, level: float) -> float:
    """Epsilon at `delta` of noise that `draws` draws contradict with 80 % probability.

    The noise is of Laplace if `delta` is 0, else Gaussian. Infinite if so few draws find nothing.
    """
    worst, is_laplace = WorstPair.of(claim), delta == 0
    for shift in SHIFTS.tolist():
        test = SimulatedTest(worst, shift, draws, is_laplace=is_laplace)
        # Without enough capital in expectation there is no need to simulate.
        if draws * test.growth() >= -np.log(level) and test.found(level) >= FOUND:
            return shift if is_laplace else GaussianDP(mu=shift).epsilon(delta)
    return np.inf


class SimulatedTest:
    """Tests of noise whose data sets differ by `shift`."""

    def __init__(self, worst: WorstPair, shift: float, draws: int, *, is_laplace: bool) -> None:
        self.worst, self.draws = worst, draws
        first, second = (
            _laplace(PLACES - by) if is_laplace else ndtr(PLACES - by) for by in (0.0, shift)
        )
        tails = 0.5 ** np.arange(1, _halvings(draws, min(SMALLEST_CELLS)) + 1)
        at = np.interp(np.unique([tails, 1 - tails]), (first + second) / 2, PLACES)
        self.p, self.q = (
            np.maximum(np.diff(np.interp(at, PLACES, values), prepend=0, append=1), RAREST)
            for values in (first, second)
        )

    def growth(self) -> float:
        """Expected growth of the log capital per draw, once all probabilities are known."""
        b, a = self.worst.bets(self.p, self.q)
        return float(self.p @ b + self.q @ a)

    def found(self, level: float) -> float:
        """Share of simulated tests that contradict the claim."""
        rng = np.random.default_rng(0)
        ends = sorted(
            {0, *(at for block in blocks(self.draws) for at in (block[1], block[1] // 2))}
        )
        sizes = np.diff(ends)[:, None]
        upto = []  # counts in the cells by then, shape (ends, runs, cells)
        for p in (self.p, self.q):
            drawn = rng.multinomial(sizes, p / p.sum(), (sizes.size, RUNS)).cumsum(axis=0)
            upto.append(np.concatenate([np.zeros_like(drawn[:1]), drawn]))
        logs = np.zeros((len(SMALLEST_CELLS), RUNS))
        reached = np.zeros(RUNS, bool)
        for begin, end in blocks(self.draws):
            if not begin:
                continue
            half, now, then = (ends.index(at) for at in (begin // 2, begin, end))
            for way, smallest in enumerate(SMALLEST_CELLS):
                cells = _halvings(2 * (begin - begin // 2), smallest)
                past = [_merged(counts[now] - counts[half], cells) for counts in upto]
                b, a = self.worst.bets(*expected(*past))
                first, second = (_merged(counts[then] - counts[now], cells) for counts in upto)
                logs[way] += (first * b + second * a).sum(axis=1)
            reached |= np.exp(np.minimum(logs, LARGEST_LOG)).mean(axis=0) >= 1 / level
        return float(reached.mean())


def _laplace(x: FloatArray) -> FloatArray:
    tail = np.exp(-np.abs(x)) / 2
    return np.where(x < 0, tail, 1 - tail)


def _halvings(size: int, smallest: int) -> int:
    """How often a sample can be halved until `smallest` are left."""
    return max((size // smallest).bit_length() - 1, 1)


def _merged(counts: Counts, halvings: int) -> Counts:
    """Counts in the cells of so many halvings, from finer ones; shape (runs, 2 halvings)."""
    beyond = counts.shape[1] // 2 - halvings
    inner = counts[:, beyond : counts.shape[1] - beyond].copy()
    inner[:, 0] += counts[:, :beyond].sum(axis=1)
    inner[:, -1] += counts[:, counts.shape[1] - beyond :].sum(axis=1)
    return inner
