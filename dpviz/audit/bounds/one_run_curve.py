"""Tests of a claim's whole curve in one training run with random inclusion.

**Statement.** Each of m canaries is in the training set with probability 1/2, independently of all
others. Whatever the others, outputs with and without one canary satisfy a claim, in both orders.
From the output, an attack guesses the inclusion of r canaries, which it may choose by the output;
r is fixed beforehand. Then c or more guesses are right with at most the probability returned here.

**Proof.** Steps 1 and 2, with W and F, are those of `dpviz.audit.bounds.one_run_limit`.

3. *Of the whole curve* each epsilon with its delta gives such a limit; the least is taken.
4. *Many places of the curve at once*, for another limit (Mahloujifar et al.). Let g be the inverse
   of F and ``P(W >= c) = t``. Counts above c may be moved down to c: step 1 still holds for
   ``J = {j, ..., r}``, j <= c. Let R and H be the means of W and of r - W over W >= j: at j = c
   they are ``c t`` and ``(r - c) t``. One step down, ``H' >= max(H, m g(R / m))`` and
   ``R' - R = a (H' - H)`` with ``a = (j - 1) / (r - j + 1)``. As a falls on the way, R and H are
   least where the first holds with equality. At j = 0 they must add up to r: if the least ones
   exceed it, t is impossible, and so is any larger one.
"""

import numpy as np

from dpviz import checks
from dpviz.audit.bounds.method import BoundMethod, MethodResult, Request
from dpviz.audit.bounds.one_run import SAMPLING, best_of_guesses
from dpviz.audit.bounds.one_run_limit import sharp_limit, sharp_limits
from dpviz.audit.scores.base import Scores
from dpviz.theory.tradeoff import TradeoffFunction, checked_tradeoff

LARGEST = 40.0  # epsilon at which a curve is looked at
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
    epsilons, least = np.concatenate([[0.0], np.geomspace(1e-3, LARGEST, POINTS)]), 1.0
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


METHOD = BoundMethod(
    label="one-run audit, whole curve",
    rule=one_run_curve_bound,
    sampling=SAMPLING,
    fair_coins=True,
    applies_to="mechanism",
)
