"""Bounds from one training run whose canaries were included at random (Steinke et al., 2023).

Each of m canaries is in the training set with probability 1/2, independently. Of r guesses, fixed
before membership is looked at, v are right. Under an (epsilon, delta) guarantee for adding or
removing one canary, at delta = 0 the number of right guesses is stochastically at most binomial
with ``q = e^epsilon / (1 + e^epsilon)``; delta adds a penalty.
"""

import numpy as np
from scipy.special import betainc, betaincc, betaincinv, expit, logit

from dpviz import checks
from dpviz.audit.binned_scores import Scores
from dpviz.audit.bounds.bound import Found
from dpviz.audit.bounds.guesses import guesses
from dpviz.audit.bounds.ranks import members_in_first

STEP = 0.01
LARGEST = 36.0
"""Where e^-epsilon is rounded away beside 1."""
REACH = 12.0
"""Standard deviations below which counts do not occur."""


def one_run_p_value(
    epsilon: float, *, canaries: int, guesses: int, correct: int, delta: float
) -> float:
    """How likely so many right guesses are at most, under (epsilon, delta).

    Parameters
    ----------
    epsilon : float
        In [0, inf].
    canaries, guesses, correct : int
        m >= 1, ``0 <= guesses <= canaries`` and ``0 <= correct <= guesses``.
    delta : float
        In [0, 1].

    References
    ----------
    Steinke, Nasr and Jagielski, "Privacy auditing with one (1) training run" (2023), Theorem 5.2.
    """
    epsilon = checks.real("epsilon", epsilon, 0)
    m = checks.whole("canaries", canaries, 1)
    r = checks.whole("guesses", guesses, 0, m)
    v = checks.whole("correct", correct, 0, r)
    delta = checks.real("delta", delta, 0, 1)
    if v == 0:
        return 1.0
    q = float(expit(epsilon))
    reached = float(betainc(v, r - v + 1, q))
    if delta == 0:
        return reached
    # The mean chance of the counts v - 1, ..., v - i: largest before counts that do not occur.
    lowest = int(np.clip(r * q - REACH * np.sqrt(r * q * (1 - q)) - REACH, 0, v - 1))
    fewer = np.arange(lowest, v)
    below = np.where(fewer > 0, betaincc(np.maximum(fewer, 1), r - fewer + 1, q), 0.0)
    penalty = float(np.max((1 - reached - below) / (v - fewer)))
    return min(1.0, reached + 2 * m * delta * penalty)


def one_run_epsilon(
    *, canaries: int, guesses: int, correct: int, delta: float, confidence_level: float
) -> float:
    """The epsilon whose p-value is ``1 - confidence_level``; 0 where that of 0 is no less.

    Where the p-value is small, it rises with epsilon: every smaller epsilon is refuted.

    Parameters and errors as in `one_run_p_value`; `confidence_level` in (0, 1).
    """
    from scipy.optimize import brentq

    level = 1 - checks.real("confidence_level", confidence_level, 0, 1, closed="neither")

    def excess(epsilon: float) -> float:
        p = one_run_p_value(
            epsilon, canaries=canaries, guesses=guesses, correct=correct, delta=delta
        )
        return p - level

    if excess(0.0) >= 0:
        return 0.0
    # Without delta it is an exact binomial limit; delta only adds to the p-value.
    high = float(np.clip(logit(betaincinv(correct, guesses - correct + 1, level)), 0, LARGEST))
    if excess(high) <= 0:
        return high
    low, step = high, STEP
    while excess(low) >= 0:
        low, step = max(low - step, 0.0), 2 * step
    return float(brentq(excess, low, high, xtol=1e-12))


def one_run_bound(scores: Scores, *, delta: float, confidence_level: float, seed: int) -> Found:
    """The best of a fixed list of guesses about canaries, the level shared among them.

    "Member" for the k highest scores, "non-member" for the k lowest, or either alone, for depths
    that do not depend on membership.
    """
    tried = guesses(scores.n_members, scores.n_nonmembers, delta=0.0, level=1.0, odds=0.0)
    members = members_in_first(scores, tried.cuts, np.random.default_rng(seed))[:, 0]
    right = tried.right(members)
    each = (1 - confidence_level) / right.size
    # Without delta the p-value is a binomial tail, and the bound an exact limit: at delta no more.
    at_most = tried.refuted(right, np.full(right.size, each))
    found = Found(low=0.0, seed_spread=None)
    for i in np.argsort(-at_most, kind="stable"):
        low = float(at_most[i])
        if low <= found.low:
            break
        if delta > 0:
            counts = {
                "canaries": scores.n_members + scores.n_nonmembers,
                "guesses": int(tried.top[i] + tried.bottom[i]),
                "correct": int(right[i]),
            }
            if one_run_p_value(found.low, **counts, delta=delta) >= each:
                continue  # not refuted where the best so far was
            low = one_run_epsilon(**counts, delta=delta, confidence_level=1 - each)
        if low > found.low:
            found = Found(low=low, evidence=(tried.evidence(i, members),), seed_spread=None)
    return found
