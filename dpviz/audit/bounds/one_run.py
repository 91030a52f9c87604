"""Bounds from one training run whose canaries were included at random.

**Statement.** Each of m canaries is in the training set with probability 1/2, independently of all
others. Whatever the others, outputs with and without one canary satisfy a claim, in both orders.
From the output, an attack guesses the inclusion of r canaries, which it may choose by the output;
r is fixed beforehand. Then c or more guesses are right with at most the probability of
`sharp_p_value` at one (epsilon, delta), and of `one_run_curve_p_value` for a claim's whole curve.

**Proof.** Let W be the number of right guesses, ``p_w = P(W = w)``, ``u_w = w p_w`` and
``v_w = (r - w + 1) p_{w-1}``; F the largest TPR at a given FPR under the claim, which is concave.

1. *The claim limits u by v.* Let J be a set of counts. Fix the inclusion of all canaries but the
   i-th, and one value of its own. On the outputs that guess this value with W in J, under the other
   value the guess is wrong and W less by 1. So P(i right, W in J) is at most F of P(i wrong, W + 1
   in J). By Jensen's inequality, over all inclusions and canaries: ``u(J) <= m F(v(J) / m)``.
2. *At one (epsilon, delta)* it says ``u(J) <= e^epsilon v(J) + m delta``. Let b be the binomial
   probabilities of r trials with ``q = e^epsilon / (1 + e^epsilon)``, B such a count and
   ``tau = P(B >= c)``. Stein's equation ``1[w >= c] - tau = w h_w - e^epsilon (r - w) h_{w+1}`` has
   the solution ``h_w = tau P(B < w) / (w b_w)`` up to c and ``(1 - tau) P(B >= w) / (w b_w)`` from
   there on, because ``w b_w = e^epsilon (r - w + 1) b_{w-1}``. As b is log-concave, h grows up to c
   and then falls. The equation's mean over W is ``P(W >= c) - tau``, the sum of
   ``h_w (u_w - e^epsilon v_w)``; with J the counts where this is positive,
   ``P(W >= c) <= tau + h_c m delta``, where ``h_c = tau (1 - tau) / (c b_c)``.

   Step 2 cannot be improved: it is reached by guesses about r canaries drawn at random, all guesses
   with w right ones equally likely, if ``u_w = e^epsilon v_w``, but for w = c, where m delta is
   added.
3. *Of the whole curve* each epsilon with its delta gives such a limit; the least is taken.
4. *Many places of the curve at once*, for another limit (Mahloujifar et al.). Let g be the inverse
   of F and ``P(W >= c) = t``. Counts above c may be moved down to c: step 1 still holds for
   ``J = {j, ..., r}``, j <= c. Let R and H be the means of W and of r - W over W >= j: at j = c
   they are ``c t`` and ``(r - c) t``. One step down, ``H' >= max(H, m g(R / m))`` and
   ``R' - R = a (H' - H)`` with ``a = (j - 1) / (r - j + 1)``. As a falls on the way, R and H are
   least where the first holds with equality. At j = 0 they must add up to r: if the least ones
   exceed it, t is impossible, and so is any larger one.

`one_run_p_value` is the limit of Steinke, Nasr and Jagielski (2023) for v right guesses of r, fixed
before looking at membership. At delta = 0 the number of right guesses is stochastically at most
binomial with q. Delta adds a penalty, a larger one than that of step 2. Near 1 the sum can be less
than what some mechanisms reach; then the sharp p-value is taken.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from scipy.special import betainc, betaincc, betaincinv, expit, gammaln, log_expit, logit

from dpviz import checks
from dpviz.audit.bounds import result
from dpviz.audit.bounds.rank import guess_sets, members_above_cuts
from dpviz.audit.bounds.result import BoundMethod, BoundRequest, MethodResult
from dpviz.audit.scores.base import Scores
from dpviz.checks import FloatArray
from dpviz.theory.tradeoff import TradeoffFunction, checked_tradeoff

UNDERFLOW = 1e-290  # probabilities below it are too near the smallest float
EPSILON_STEP = 1e-9  # step of the search in epsilon: these p-values take no time
BELOW_THE_MEAN = 12.0  # standard deviations down to which Theorem 5.2's maximum is searched
LARGEST_EPSILON = 40.0  # epsilon up to which a claim's curve is tried
N_EPSILONS = 200  # epsilons that are tried, and again around the best of them
ROUNDS = 3  # times that the tried epsilons are narrowed down to the best
PROBABILITIES_PER_STEP = 32  # values of P(W >= c) tried at once in step 4
SMALLEST_P_VALUE = 1e-12  # probability that is returned
MOST_RIGHT = 5000  # right guesses above which step 4 is left out
PValue = Callable[..., float]  # called as `one_run_p_value` is


def bound_from_guesses(scores: Scores, request: BoundRequest, *, p_value: PValue) -> MethodResult:
    """Return the largest of the bounds from several sets of guesses; the bounds hold all at once.
    `p_value` must not fall with epsilon or delta, and at delta 0 it must be the binomial tail.
    """
    delta = request.delta
    tried = guess_sets(scores.n_members, scores.n_nonmembers, delta=0.0, level=1.0, log_odds=0.0)
    members = members_above_cuts(scores, tried.cuts, np.random.default_rng(request.seed))[:, 0]
    right = tried.count_right(members)
    each = (1 - request.confidence_level) / right.size
    # At delta = 0 the bound is an exact binomial limit; delta > 0 can only lower the bound.
    at_most = tried.refuted_epsilons(right, np.full(right.size, each))
    best = MethodResult(low=0.0, seed=request.seed, seed_spread=None)
    for i in np.argsort(-at_most, kind="stable"):
        low = float(at_most[i])
        # All further guesses have smaller limits at delta = 0, so none exceeds the best.
        if low <= best.low:
            break
        if delta > 0:
            counts = {
                "canaries": scores.n_members + scores.n_nonmembers,
                "guesses": int(tried.top[i] + tried.bottom[i]),
                "correct": int(right[i]),
            }
            if p_value(best.low, **counts, delta=delta) >= each:
                continue  # these guesses do not refute the best epsilon so far
            low = _refuted_epsilon(p_value, counts, delta, each)
        if low > best.low:
            best = replace(best, low=low, evidence=(tried.rank_evidence(i, members),))
    return best


def one_run_epsilon(
    *, canaries: int, guesses: int, correct: int, delta: float, confidence_level: float
) -> float:
    """Return a lower confidence limit of epsilon from guesses in one training run.

    The limit is the epsilon whose p-value is 1 - `confidence_level`. Every smaller epsilon is
    refuted, too. The limit is 0 if even epsilon 0 has a larger p-value.

    Parameters
    ----------
    canaries, guesses, correct : int
    delta : float, as of `one_run_p_value`
    confidence_level : float, in [0.5, 1)

    Examples
    --------
    >>> from dpviz.audit.bounds import one_run_epsilon
    >>> counts = {"canaries": 1000, "guesses": 100, "correct": 95}
    >>> round(one_run_epsilon(**counts, delta=1e-5, confidence_level=0.95), 3)
    2.165
    """
    level = 1 - checks.confidence_level(confidence_level)
    counts = {"canaries": canaries, "guesses": guesses, "correct": correct}
    return _refuted_epsilon(one_run_p_value, counts, delta, level)


def _refuted_epsilon(p_value: PValue, counts: dict[str, int], delta: float, level: float) -> float:
    """Return the largest epsilon that the `counts` refute at `level`; 0 if they refute none."""
    if p_value(0.0, **counts, delta=delta) >= level:
        return 0.0
    made, correct = counts["guesses"], counts["correct"]
    # The exact binomial limit of delta = 0 is an upper end: delta only adds to the p-value.
    near = float(np.clip(logit(betaincinv(correct, made - correct + 1, level)), 0, LARGEST_EPSILON))
    of_counts = partial(p_value, **counts, delta=delta)
    search = partial(result.largest_refuted_epsilon, near=near, records=made, step=EPSILON_STEP)
    return search(of_counts, level)


def one_run_p_value(
    epsilon: float, *, canaries: int, guesses: int, correct: int, delta: float
) -> float:
    """Return an upper bound on P(>= `correct` guesses are right) under (epsilon, delta)-DP.

    Source: Theorem 5.2 of Steinke, Nasr and Jagielski, "Privacy auditing with one (1) training run"
    (2023).

    Parameters
    ----------
    epsilon : float, in [0, inf]
    canaries, guesses, correct : int, ``0 <= correct <= guesses <= canaries``, at least one canary
    delta : float, in [0, 1]

    Examples
    --------
    >>> from dpviz.audit.bounds import one_run_p_value
    >>> round(one_run_p_value(0, canaries=10, guesses=10, correct=10, delta=0) * 1024, 9)
    1.0
    """
    epsilon = checks.real("epsilon", epsilon, 0)
    m, r, v = _checked_counts(canaries, guesses, correct)
    delta = checks.real("delta", delta, 0, 1)
    if v == 0:
        return 1.0
    q = float(expit(epsilon))
    reached = float(betainc(v, r - v + 1, q))
    if delta == 0:
        return reached
    # The penalty: the largest mean probability of the counts v - 1, ..., v - i over all i.
    lowest = r * q - BELOW_THE_MEAN * np.sqrt(r * q * (1 - q)) - BELOW_THE_MEAN
    fewer = np.arange(int(np.clip(lowest, 0, v - 1)), v)
    below = np.where(fewer > 0, betaincc(np.maximum(fewer, 1), r - fewer + 1, q), 0.0)
    penalty = float(np.max((1 - reached - below) / (v - fewer)))
    sharp = sharp_p_value(epsilon, canaries=m, guesses=r, correct=v, delta=delta)
    return min(1.0, max(sharp, reached + 2 * m * delta * penalty))


def _checked_counts(canaries: int, guesses: int, correct: int) -> tuple[int, int, int]:
    m = checks.whole("canaries", canaries, 1)
    r = checks.whole("guesses", guesses, 0, m)
    return m, r, checks.whole("correct", correct, 0, r)


def sharp_p_value(
    epsilon: float, *, canaries: int, guesses: int, correct: int, delta: float
) -> float:
    """Return the largest P(>= `correct` guesses are right) that (epsilon, delta)-DP allows."""
    if correct == 0:
        return 1.0
    limits = sharp_p_values(np.array([epsilon]), np.array([delta]), canaries, guesses, correct)
    return float(limits[0])


def sharp_p_values(epsilons: FloatArray, deltas: FloatArray, m: int, r: int, c: int) -> FloatArray:
    """Return the `sharp_p_value` at each (epsilon, delta): m canaries, c of r guesses right."""
    epsilons = np.minimum(epsilons, result.LARGEST_EXPONENT)
    tail = betainc(c, r - c + 1, expit(epsilons))
    ways = gammaln(r + 1) - gammaln(c + 1) - gammaln(r - c + 1)
    at_c = ways + c * log_expit(epsilons) + (r - c) * log_expit(-epsilons)  # log b_c
    with np.errstate(over="ignore"):
        # tau / b_c: below the sum of a geometric series, where tau is too small for a float.
        series = 1 / np.maximum(1 - np.exp(epsilons) * (r - c) / (c + 1), UNDERFLOW)
        ratio = np.exp(np.minimum(np.log(np.maximum(tail, UNDERFLOW)) - at_c, -np.log(UNDERFLOW)))
    ratio = np.where(tail > UNDERFLOW, ratio, series)
    not_tail = betaincc(c, r - c + 1, expit(epsilons))
    # Step 2 of the proof: the binomial tail, plus h_c m delta.
    return np.asarray(np.minimum(tail + m * deltas * not_tail * ratio / c, 1.0))


def one_run_curve_p_value(
    claim: TradeoffFunction, *, canaries: int, guesses: int, correct: int
) -> float:
    """Return an upper bound on P(>= `correct` guesses are right) under the claim's whole curve.

    Source: Mahloujifar, Melis and Chaudhuri, "Auditing f-differential privacy in one run" (2025).

    Parameters
    ----------
    claim : TradeoffFunction, about a canary in and out of the training set, in either order
    canaries, guesses, correct : int, as of `one_run_p_value`
        The number of guesses must be fixed beforehand; the canaries guessed may be chosen later.

    Examples
    --------
    >>> from dpviz.audit.bounds import one_run_curve_p_value
    >>> from dpviz.theory import GaussianDP
    >>> counts = {"canaries": 1000, "guesses": 100, "correct": 95}
    >>> round(one_run_curve_p_value(GaussianDP(mu=0.75), **counts), 3)
    0.033
    """
    f = checked_tradeoff("claim", claim).min_symmetrized()
    m, r, c = _checked_counts(canaries, guesses, correct)
    if c == 0:
        return 1.0
    # Step 3: from a grid to the neighbourhood of its best epsilon.
    epsilons, least = np.concatenate([[0.0], np.geomspace(1e-3, LARGEST_EPSILON, N_EPSILONS)]), 1.0
    for _ in range(ROUNDS):
        limits = sharp_p_values(epsilons, f.delta(epsilons), m, r, c)
        best = int(np.argmin(limits))
        least = min(least, float(limits[best]))
        before, after = max(best - 1, 0), min(best + 1, epsilons.size - 1)
        epsilons = np.linspace(epsilons[before], epsilons[after], N_EPSILONS)
    return max(SMALLEST_P_VALUE, least if c > MOST_RIGHT else _improved_p_value(f, m, r, c, least))


def _improved_p_value(f: TradeoffFunction, m: int, r: int, c: int, known_bound: float) -> float:
    """Return an upper bound, <= `known_bound`, on P(>= c of r guesses on m canaries are right)."""
    low, high = SMALLEST_P_VALUE, known_bound
    for _ in range(ROUNDS + 1):
        if high <= low:
            break
        tried = np.geomspace(low, high, PROBABILITIES_PER_STEP)
        # At j = c, the means R and H of step 4, for all tried probabilities at once.
        right, wrong = c * tried, (r - c) * tried
        for j in range(c, 0, -1):
            # g(y) = f(1 - y), with 1 - y rounded up: never too large.
            fnr = f.beta(np.minimum(np.nextafter(1 - np.minimum(right / m, 1.0), 2.0), 1.0))
            needed = np.maximum(wrong, m * fnr)
            right = right + (j - 1) / (r - j + 1) * (needed - wrong)
            wrong = needed
            # Where the smallest tried probability is impossible, so are the others.
            if right[0] + wrong[0] > r:
                break
        impossible = right + wrong > r * (1 + 1e-9)
        # The next bracket: the last probability that is possible, and the first that is not.
        first = int(np.argmax(impossible)) if impossible.any() else PROBABILITIES_PER_STEP - 1
        low, high = float(tried[max(first - 1, 0)]), float(tried[first])
    return high


METHOD, CURVE_METHOD = (
    BoundMethod(label=label, rule=rule, samplings=("fair_coins",))
    for label, rule in (
        ("one-run audit", partial(bound_from_guesses, p_value=one_run_p_value)),
        ("one-run audit, whole curve", partial(bound_from_guesses, p_value=sharp_p_value)),
    )
)
