"""Bounds from one training run whose canaries were included at random (Steinke et al., 2023).

Each of m canaries is in the training set with probability 1/2, independently. Of r guesses, fixed
before looking at membership, v are right. Under an (epsilon, delta) guarantee for adding or
removing one canary, at delta = 0 the number of right guesses is stochastically at most binomial
with ``q = e^epsilon / (1 + e^epsilon)``; delta adds a penalty. Near 1 the sum can be less than what
some mechanisms reach: the sharp limit of `dpviz.audit.bounds.one_run`. Then this is taken.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.special import betainc, betaincc, betaincinv, expit, gammaln, log_expit, logit

from dpviz import checks
from dpviz.audit.bounds.rank import guesses, members_in_first
from dpviz.audit.bounds.result import BoundMethod, MethodResult, Request
from dpviz.audit.scores.base import Scores
from dpviz.checks import FloatArray
from dpviz.theory.tradeoff import TradeoffFunction, checked_tradeoff

LARGEST_EXPONENT = 700.0  # epsilon, from which on e^epsilon overflows and all guesses may be right
UNDERFLOW = 1e-290  # probabilities below it are too near the smallest float


def sharp_limit(
    epsilon: float, *, canaries: int, guesses: int, correct: int, delta: float
) -> float:
    """The largest probability of `correct` or more right guesses under one (epsilon, delta)."""
    if correct == 0:
        return 1.0
    found = sharp_limits(np.array([epsilon]), np.array([delta]), canaries, guesses, correct)
    return float(found[0])


def sharp_limits(epsilons: FloatArray, deltas: FloatArray, m: int, r: int, c: int) -> FloatArray:
    """Step 2 at each pair of epsilon and delta, for c of r guesses about m canaries, c >= 1."""
    epsilons = np.minimum(epsilons, LARGEST_EXPONENT)
    tail = betainc(c, r - c + 1, expit(epsilons))
    ways = gammaln(r + 1) - gammaln(c + 1) - gammaln(r - c + 1)
    at_c = ways + c * log_expit(epsilons) + (r - c) * log_expit(-epsilons)  # log b_c
    with np.errstate(over="ignore"):
        # tau / b_c: below the sum of a geometric series, where tau is too small for a float.
        series = 1 / np.maximum(1 - np.exp(epsilons) * (r - c) / (c + 1), UNDERFLOW)
        ratio = np.exp(np.minimum(np.log(np.maximum(tail, UNDERFLOW)) - at_c, -np.log(UNDERFLOW)))
    ratio = np.where(tail > UNDERFLOW, ratio, series)
    not_tail = betaincc(c, r - c + 1, expit(epsilons))
    return np.asarray(np.minimum(tail + m * deltas * not_tail * ratio / c, 1.0))


# Bounds from one training run whose canaries were included at random (Steinke et al., 2023).
#
# Each of m canaries is in the training set with probability 1/2, independently. Of r guesses,
# fixed
# before looking at membership, v are right. Under an (epsilon, delta) guarantee for adding or
# removing one canary, at delta = 0 the number of right guesses is stochastically at most binomial
# with ``q = e^epsilon / (1 + e^epsilon)``; delta adds a penalty. Near 1 the sum can be less than
# what
# some mechanisms reach: the sharp limit of `dpviz.audit.bounds.one_run`. Then this is
# taken.

PValue = Callable[..., float]  # of epsilon, and canaries, guesses, correct and delta by name
STEP = 0.01  # first step of the search in epsilon
LARGEST = 36.0  # epsilon beyond which 1 + e^-epsilon is 1 in floating point
SAMPLING = (
    "every record a canary that was included with probability 1/2, independently of all others; "
    "epsilon is that of adding or removing one"
)
REACH = 12.0  # standard deviations below the mean to which counts are followed


def one_run_p_value(
    epsilon: float, *, canaries: int, guesses: int, correct: int, delta: float
) -> float:
    """Upper limit of the probability of so many correct guesses under (epsilon, delta).

    Parameters
    ----------
    epsilon : float, in [0, inf]
    canaries, guesses, correct : int
        At least one canary, ``0 <= guesses <= canaries`` and ``0 <= correct <= guesses``.
    delta : float, in [0, 1]

    Returns
    -------
    float, in [0, 1]

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    Steinke, Nasr and Jagielski, "Privacy auditing with one (1) training run" (2023), Theorem 5.2.

    Examples
    --------
    >>> from dpviz.audit.bounds import one_run_p_value
    >>> round(one_run_p_value(0, canaries=10, guesses=10, correct=10, delta=0) * 1024, 9)
    1.0
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
    # The penalty: the largest mean probability of the counts v - 1, ..., v - i over all i.
    lowest = int(np.clip(r * q - REACH * np.sqrt(r * q * (1 - q)) - REACH, 0, v - 1))
    fewer = np.arange(lowest, v)
    below = np.where(fewer > 0, betaincc(np.maximum(fewer, 1), r - fewer + 1, q), 0.0)
    penalty = float(np.max((1 - reached - below) / (v - fewer)))
    sharp = sharp_limit(epsilon, canaries=m, guesses=r, correct=v, delta=delta)
    return min(1.0, max(sharp, reached + 2 * m * delta * penalty))


def one_run_epsilon(
    *, canaries: int, guesses: int, correct: int, delta: float, confidence_level: float
) -> float:
    """Lower confidence limit of epsilon: where the p-value is ``1 - confidence_level``.

    0 if the p-value of epsilon 0 is no less. A small p-value rises with epsilon, so every smaller
    epsilon is refuted, too.

    Parameters
    ----------
    canaries, guesses, correct : int
    delta : float, as of `one_run_p_value`
    confidence_level : float, in (0, 1)

    Returns
    -------
    float, at least 0

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> from dpviz.audit.bounds import one_run_epsilon
    >>> counts = {"canaries": 1000, "guesses": 100, "correct": 95}
    >>> round(one_run_epsilon(**counts, delta=1e-5, confidence_level=0.95), 3)
    2.165
    """
    level = 1 - checks.real("confidence_level", confidence_level, 0, 1, closed="neither")
    counts = {"canaries": canaries, "guesses": guesses, "correct": correct}
    return _refuted(one_run_p_value, counts, delta, level)


def _refuted(p_value: PValue, counts: dict[str, int], delta: float, level: float) -> float:
    """The largest epsilon whose p-value is at most a level, or 0."""
    from scipy.optimize import brentq  # slow to import, and needed only here

    guesses, correct = counts["guesses"], counts["correct"]

    def excess(epsilon: float) -> float:
        return p_value(epsilon, **counts, delta=delta) - level

    if excess(0.0) >= 0:
        return 0.0
    # The exact binomial limit of delta = 0 is an upper end: delta only adds to the p-value.
    high = float(np.clip(logit(betaincinv(correct, guesses - correct + 1, level)), 0, LARGEST))
    if excess(high) <= 0:
        return high
    low, step = high, STEP
    while excess(low) >= 0:
        low, step = max(low - step, 0.0), 2 * step
    return float(brentq(excess, low, high, xtol=1e-12))


def one_run_bound(scores: Scores, request: Request) -> MethodResult:
    """The best of a fixed list of guesses about canaries, by the theorem of the module."""
    return best_of_guesses(scores, request, one_run_p_value)


def best_of_guesses(scores: Scores, request: Request, p_value: PValue) -> MethodResult:
    """The best of a fixed list of guesses about canaries, the level divided among them.

    "Member" for the k highest scores, "non-member" for the k lowest, or either alone, for rank
    cut-offs k that do not depend on membership. The p-value is binomial at delta = 0, never falls
    with epsilon, and delta only adds to it.
    """
    delta = request.delta
    tried = guesses(scores.n_members, scores.n_nonmembers, delta=0.0, level=1.0, odds=0.0)
    members = members_in_first(scores, tried.cuts, np.random.default_rng(request.seed))[:, 0]
    right = tried.right(members)
    each = (1 - request.confidence_level) / right.size
    # At delta = 0 the bound is an exact binomial limit; delta can only lower it.
    at_most = tried.refuted(right, np.full(right.size, each))
    found = MethodResult(low=0.0, seed=request.seed, seed_spread=None)
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
            if p_value(found.low, **counts, delta=delta) >= each:
                continue  # these guesses do not refute the best epsilon so far
            low = _refuted(p_value, counts, delta, each)
        if low > found.low:
            found = replace(found, low=low, evidence=(tried.evidence(i, members),))
    return found


METHOD = BoundMethod(
    label="one-run audit",
    rule=one_run_bound,
    sampling=SAMPLING,
    fair_coins=True,
    applies_to="mechanism",
)

# Tests of a claim's whole curve in one training run with random inclusion.
#
# **Statement.** Each of m canaries is in the training set with probability 1/2, independently of
# all
# others. Whatever the others, outputs with and without one canary satisfy a claim, in both
# orders.
# From the output, an attack guesses the inclusion of r canaries, which it may choose by the
# output;
# r is fixed beforehand. Then c or more guesses are right with at most the probability returned
# here.
#
# **Proof.** Steps 1 and 2, with W and F, are those of `dpviz.audit.bounds.one_run`.
#
# 3. *Of the whole curve* each epsilon with its delta gives such a limit; the least is taken.
# 4. *Many places of the curve at once*, for another limit (Mahloujifar et al.). Let g be the
# inverse
#    of F and ``P(W >= c) = t``. Counts above c may be moved down to c: step 1 still holds for
#    ``J = {j, ..., r}``, j <= c. Let R and H be the means of W and of r - W over W >= j: at j = c
#    they are ``c t`` and ``(r - c) t``. One step down, ``H' >= max(H, m g(R / m))`` and
#    ``R' - R = a (H' - H)`` with ``a = (j - 1) / (r - j + 1)``. As a falls on the way, R and H
# are
#    least where the first holds with equality. At j = 0 they must add up to r: if the least ones
#    exceed it, t is impossible, and so is any larger one.

LARGEST_LOOKED_AT = 40.0  # epsilon at which a curve is looked at
POINTS = 200  # epsilons that are tried, and again around the best of them
ROUNDS = 3  # of that
TRIED = 32  # probabilities tried at once in step 4
SMALLEST = 1e-12  # probability that is returned
MOST_STEPS = 5000  # right guesses above which step 4 is left out


def one_run_curve_p_value(
    claim: TradeoffFunction, *, canaries: int, guesses: int, correct: int
) -> float:
    """Upper limit of the probability of so many correct guesses under a claim.

    Parameters
    ----------
    claim : TradeoffFunction
        About a canary in and out of the training set, in either order.
    canaries, guesses, correct : int
        At least one canary, ``0 <= guesses <= canaries`` and ``0 <= correct <= guesses``. The
        number of guesses, not which, must be fixed beforehand.

    Returns
    -------
    float, in (0, 1]

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    Mahloujifar, Melis and Chaudhuri, "Auditing f-differential privacy in one run" (2025).

    Examples
    --------
    >>> from dpviz.audit.bounds import one_run_curve_p_value
    >>> from dpviz.theory import GaussianDP
    >>> counts = {"canaries": 1000, "guesses": 100, "correct": 95}
    >>> round(one_run_curve_p_value(GaussianDP(mu=0.75), **counts), 3)
    0.033
    """
    f = checked_tradeoff("claim", claim).min_symmetrized()
    m = checks.whole("canaries", canaries, 1)
    r = checks.whole("guesses", guesses, 0, m)
    c = checks.whole("correct", correct, 0, r)
    if c == 0:
        return 1.0
    # Step 3: from a grid to the neighbourhood of its best epsilon.
    epsilons, least = np.concatenate([[0.0], np.geomspace(1e-3, LARGEST_LOOKED_AT, POINTS)]), 1.0
    for _ in range(ROUNDS):
        limits = sharp_limits(epsilons, f.delta(epsilons), m, r, c)
        best = int(np.argmin(limits))
        least = min(least, float(limits[best]))
        before, after = max(best - 1, 0), min(best + 1, epsilons.size - 1)
        epsilons = np.linspace(epsilons[before], epsilons[after], POINTS)
    return max(SMALLEST, least if c > MOST_STEPS else _by_steps(f, m, r, c, least))


def _by_steps(f: TradeoffFunction, m: int, r: int, c: int, most: float) -> float:
    """Step 4: the smallest probability up to `most` that is found to be impossible, or `most`."""
    low, high = SMALLEST, most
    for _ in range(ROUNDS + 1):
        if high <= low:
            break
        tried = np.geomspace(low, high, TRIED)
        right, wrong = c * tried, (r - c) * tried
        for j in range(c, 0, -1):
            # g(y) = f(1 - y), with 1 - y rounded up: never too large.
            fnr = f.beta(np.minimum(np.nextafter(1 - np.minimum(right / m, 1.0), 2.0), 1.0))
            needed = np.maximum(wrong, m * fnr)
            right = right + (j - 1) / (r - j + 1) * (needed - wrong)
            wrong = needed
            if right[0] + wrong[0] > r:
                break
        impossible = right + wrong > r * (1 + 1e-9)
        first = int(np.argmax(impossible)) if impossible.any() else TRIED - 1
        low, high = float(tried[max(first - 1, 0)]), float(tried[first])
    return high


def one_run_curve_bound(scores: Scores, request: Request) -> MethodResult:
    """The best of the guesses of `one_run_bound`, each by the sharp limit."""
    return best_of_guesses(scores, request, sharp_limit)


CURVE_METHOD = BoundMethod(
    label="one-run audit, whole curve",
    rule=one_run_curve_bound,
    sampling=SAMPLING,
    fair_coins=True,
    applies_to="mechanism",
)
