"""Probabilities of a lead of the members where (epsilon, delta) is used up.

The lead is the largest difference, over k from 0, of members and non-members among the first k
records of the ranking that `dpviz.audit.bounds.class_sizes` describes.

*Reflection.* The order of a members and b non-members is a path of a steps up and b steps down, all
as likely. Those that reach a height ``h > max(0, a - b)``, reflected from there on, are all that
end at ``2 h - a + b``. So their share is

    ``binomial(a + b, b + h) / binomial(a + b, a) = a! b! / ((a - h)! (b + h)!)``.

Given the class sizes, both classes have paths, independent of each other: that of the upper class
begins at the height of the members that show themselves. The non-members that show themselves, in
the end, only step down.
"""

import numpy as np
from scipy.special import gammaln

from dpviz.audit.bounds.class_sizes import class_sizes
from dpviz.audit.bounds.leaky_law import rounding
from dpviz.audit.scores.ordered_sample import Counts
from dpviz.checks import FloatArray


def chance_of_lead(
    lead: int, *, n_members: int, n_nonmembers: int, epsilon: float, delta: float, level: float
) -> float:
    """The probability of at least so large a lead; an upper bound.

    `level` says which probabilities are of interest.
    """
    n, m = n_members, n_nonmembers
    first, _, (a, b, c, d), chances = class_sizes(n, m, epsilon=epsilon, delta=delta, level=level)
    stays = (1 - _reached(lead - first, a, b)) * (1 - _reached(lead - first - a + b, c, d))
    # What is left out counts as so large a lead.
    return float(np.clip(1 - chances @ stays + rounding(n + m), 0, 1))


def _reached(height: Counts, a: Counts, b: Counts) -> FloatArray:
    """How often a path of `a` steps up and `b` steps down reaches a height."""
    h = np.maximum(height, 0)
    logs = gammaln(a + 1) + gammaln(b + 1) - gammaln(a - h + 1) - gammaln(b + h + 1)
    # Logarithms of factorials of a million have errors of 1e-9.
    found = np.exp(np.minimum(logs, 0)) * (1 + 20 * rounding(int((a + b).max())))
    return np.where(height <= np.maximum(0, a - b), 1.0, np.minimum(found, 1))
