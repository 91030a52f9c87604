"""A bound without simulation, for records that were included by fair coins.

**Statement.** Every record is a member with probability 1/2, independently of all others; at
delta > 0 the scores of different records are independent, too. If (epsilon, delta) holds for each,
the returned bound exceeds epsilon with probability at most ``1 - confidence_level``.

**Proof.** Given all scores, membership is again decided by independent coins, and the odds of any
record are at most e^epsilon to 1: a guess about it is right with probability at most
``q = e^epsilon / (1 + e^epsilon)``, whatever is known of the others. In the ranking, guess "member"
of the first records and "non-member" of the last. Three paths of right guesses, over rank cut-offs
k: of the first k and the last k records together, of the first alone, of the last alone. At all
cut-offs at once, each path is stochastically at most a sum of independent guesses that are right
with probability q. At delta > 0, records leak their membership with probability delta each, and the
guesses about them are right; the path is at most what it is when the leaking records come first.

For each path the largest epsilon that a single cut-off would refute is the statistic, as in
`dpviz.audit.bounds.rank`. The probability that the sum of independent guesses reaches as far at
some cut-off is computed by following its distribution from cut-off to cut-off (`GuessWalk`); it
rises with epsilon, and the path refutes the epsilon at which it equals the path's share of the
level. Within a path nothing is lost, between paths the level is shared. In one training run with
fair coins this holds at delta = 0 too (Steinke, Nasr and Jagielski, 2023), although scores of one
model depend on each other.
"""

from dataclasses import replace
from functools import lru_cache

import numpy as np
from scipy.special import bdtr, expit, gammaln, xlogy

from dpviz.audit.bounds.rank import guess_sets, leak_count_limit, members_above_cuts
from dpviz.audit.bounds.result import BoundMethod, BoundRequest, MethodResult
from dpviz.audit.scores.base import Counts, Scores
from dpviz.checks import FloatArray

SHARES = (0.6, 0.2, 0.2)  # of the level: both ends, the top, the bottom
LOCAL_SHARE = 0.3  # of a path's level, at which each cut-off refutes; results hardly depend on it
REACH = 9.0  # standard deviations of a sum that are kept; less than 1e-17 lies beyond
LEAK_STEPS = 16  # quantiles to which the number of leaks is rounded up
LARGEST = 60.0  # epsilon at which the search ends
STEP = 0.05  # first step of the search in epsilon
TOLERANCE = 1e-6  # of the epsilon that is found


def three_paths(scores: Scores, request: BoundRequest) -> MethodResult:
    """The largest epsilon that one of the paths refutes. The seed only ranks ties."""
    level, total = 1 - request.confidence_level, scores.n_members + scores.n_nonmembers
    tried = guess_sets(
        scores.n_members,
        scores.n_nonmembers,
        delta=request.delta,
        level=level * LOCAL_SHARE,
        log_odds=0.0,
    )
    members = members_above_cuts(scores, tried.cuts, np.random.default_rng(request.seed))[:, 0]
    right = tried.count_right(members)
    of_both, of_top = (tried.top > 0) & (tried.bottom > 0), tried.bottom == 0
    found = MethodResult(low=0.0)
    for share, path in zip(SHARES, (of_both, of_top, tried.top == 0), strict=True):
        levels = np.full(right.size, level * share * LOCAL_SHARE)
        refuted = np.where(path, tried.refuted_epsilons(right, levels), -np.inf)
        best = int(np.argmax(refuted))
        if refuted[best] <= found.low:
            continue
        needed = tried.fewest_right_to_refute(float(refuted[best]), levels)
        # At the top only members leak, at the bottom only non-members: half of the records.
        leak = request.delta if path is of_both else request.delta / 2
        walk = GuessWalk((tried.top + tried.bottom)[path], needed[path], records=total, leak=leak)
        if walk.chance(found.low) > level * share:
            continue  # this path does not refute the best epsilon so far
        low = walk.epsilon_at(level * share, float(refuted[best]))
        if low > found.low:
            found = MethodResult(low=low, evidence=(tried.rank_evidence(best, members),))
    tied = np.isin(scores.members.values, scores.nonmembers.values).any()
    return replace(found, seed=request.seed, seed_spread=None) if tied else found


class GuessWalk:
    """Random walk of right guesses over growing rank cut-offs, and the boundary it may cross.

    `guesses` are the guesses up to each cut-off, ascending, and `needed` the right ones that reach
    the boundary. Each of `records` leaks its membership with probability `leak`; guesses about
    those that do come first and are right.
    """

    def __init__(self, guesses: Counts, needed: Counts, *, records: int, leak: float) -> None:
        self._guesses, self._needed = guesses, needed
        self._leaks = _rounded_up(records, leak)

    def chance(self, epsilon: float) -> float:
        """Probability of reaching the boundary at some cut-off.

        Truncated mass is counted as reaching it, which is conservative.
        """
        known = sum(weight * self._with_leaks(leaks, epsilon) for leaks, weight in self._leaks)
        return known + 1 - sum(weight for _, weight in self._leaks)

    def epsilon_at(self, level: float, start: float) -> float:
        """The largest epsilon with a chance of at most `level`, searched from `start`; or 0."""
        from scipy.optimize import brentq  # slow to import, and needed only here

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
        return max(0.0, float(root) * (1 - 2 * TOLERANCE) - 2 * TOLERANCE)  # surely below the root

    def _with_leaks(self, leaks: int, epsilon: float) -> float:
        sure = np.minimum(self._guesses, leaks)
        free, needed = self._guesses - sure, self._needed - sure
        # `state` is the distribution of right guesses, from `lowest` on, without having reached.
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
    """The first count within `REACH` and the probabilities from there on."""
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
    """Numbers of leaks rounded up to quantiles, with their probabilities."""
    if leak == 0:
        return [(0, 1.0)]
    counts = sorted({leak_count_limit(records, leak, 0.5**i) for i in range(1, LEAK_STEPS + 1)})
    upto = bdtr(counts, records, leak)
    return list(zip(counts, np.diff(upto, prepend=0.0).tolist(), strict=True))


METHOD = BoundMethod(
    label="three paths (random membership)",
    rule=three_paths,
    samplings=("fair_coins",),
    further="at delta > 0 the scores of different records independent, too",
)
