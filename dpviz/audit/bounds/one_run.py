"""Bounds from one training run whose canaries were included at random (Steinke et al., 2023).

Each of m canaries is in the training set with probability 1/2, independently. Of r guesses, fixed
before membership is looked at, v are right. Under an (epsilon, delta) guarantee for adding or
removing one canary, at delta = 0 the number of right guesses is stochastically at most binomial
with ``q = e^epsilon / (1 + e^epsilon)``; delta adds a penalty.
"""

import numpy as np
from scipy.special import bdtr, bdtrc, expit

from dpviz import checks
from dpviz.audit.bounds.bound import Found
from dpviz.audit.bounds.guesses import guesses
from dpviz.audit.bounds.ranks import members_in_first
from dpviz.audit.scores import AttackScores

STEP = 0.05
LARGEST = 60.0


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
    reached = float(bdtrc(v - 1, r, q))
    below = np.concatenate([[0.0], bdtr(np.arange(v), r, q)])  # P(fewer than 0), ..., P(< v)
    missed = np.arange(1, v + 1)
    penalty = float(np.max((below[v] - below[v - missed]) / missed))
    return min(1.0, reached + 2 * m * delta * penalty)


def one_run_epsilon(
    *, canaries: int, guesses: int, correct: int, delta: float, confidence_level: float
) -> float:
    """The smallest epsilon whose p-value reaches ``1 - confidence_level``; inf where none does.

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
    low = 0.0
    while excess(low + STEP) < 0:
        low += STEP
        if low > LARGEST:
            return float("inf")
    return float(brentq(excess, low, low + STEP, xtol=1e-12))


def one_run_bound(
    scores: AttackScores, *, delta: float, confidence_level: float, seed: int
) -> Found:
    """The best of a fixed list of guesses about canaries, the level shared among them.

    "Member" for the k highest scores, "non-member" for the k lowest, or either alone, for depths
    that do not depend on membership.
    """
    tried = guesses(scores.n_members, scores.n_nonmembers, delta=0.0, level=1.0)
    members = members_in_first(scores, tried.cuts, np.random.default_rng(seed))[:, 0]
    right = tried.right(members)
    each = 1 - (1 - confidence_level) / right.size
    best, found = 0.0, Found(low=0.0, seed_spread=None)
    for i in range(right.size):
        counts = {
            "canaries": scores.n_members + scores.n_nonmembers,
            "guesses": int(tried.top[i] + tried.bottom[i]),
            "correct": int(right[i]),
        }
        if one_run_p_value(best, **counts, delta=delta) >= 1 - each:
            continue  # not rejected where the best so far was
        low = one_run_epsilon(**counts, delta=delta, confidence_level=each)
        if low > best:
            best = low
            found = Found(low=low, evidence=(tried.evidence(i, members),), seed_spread=None)
    return found
