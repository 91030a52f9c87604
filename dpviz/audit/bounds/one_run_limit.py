"""The sharp limit of right guesses in one training run at one (epsilon, delta).

**Statement.** Each of m canaries is in the training set with probability 1/2, independently of all
others. Whatever the others, outputs with and without one canary satisfy a claim, in both orders.
From the output, an attack guesses the inclusion of r canaries, which it may choose by the output;
r is fixed beforehand. Then c or more guesses are right with at most the probability returned here.

**Proof.** Let W be the number of right guesses, ``p_w = P(W = w)``, ``u_w = w p_w`` and
``v_w = (r - w + 1) p_{w-1}``; F the largest TPR at a given FPR under the claim, which is concave.

1. *The claim limits u by v.* Let J be a set of counts. Fix the inclusion of all canaries but the
   i-th, and one value of that. On the outputs that guess this value with W in J, under the other
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
with w right ones equally likely, if ``u_w = e^epsilon v_w``, but for w = c, where m delta is added.
"""

import numpy as np
from scipy.special import betainc, betaincc, expit, gammaln, log_expit

from dpviz.checks import FloatArray

LARGEST = 700.0  # epsilon, from which on e^epsilon overflows and all guesses may be right
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
    epsilons = np.minimum(epsilons, LARGEST)
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
