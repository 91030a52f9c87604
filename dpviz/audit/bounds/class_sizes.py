"""Numbers of records in the classes of the least favourable ranking, and their probabilities.

The ranking is that of `dpviz.audit.bounds.leaky_law`: members that show themselves, the upper
class, the lower class, non-members that show themselves. Given these numbers, any order within the
upper and the lower class is as likely as any other. A number of an attack that does not fall when a
member changes places with a non-member above it, rises with members of the upper class and falls
with non-members of it. So their numbers may be rounded, up and down: that only raises the
probability of a large number.
"""

import numpy as np
from scipy.special import bdtr, expit

from dpviz.audit.bounds.leaky_law import leak_pairs
from dpviz.audit.scores.ordered_sample import Counts
from dpviz.checks import FloatArray

VALUES = 160  # sizes of a class that are told apart; fewer where numbers of leaks are, too
FEWEST_VALUES = 40
LEAK_VALUES = 5  # numbers of leaks of a class that are told apart


def class_sizes(
    n_members: int, n_nonmembers: int, *, epsilon: float, delta: float, level: float
) -> tuple[Counts, Counts, list[Counts], FloatArray]:
    """Numbers of members and of non-members that show themselves, of the others, and probabilities.

    The others are members and non-members of the upper class, then of the lower one. What lacks to
    a sum of 1 is small, by `level`, and must count as a number as large.
    """
    n, m = n_members, n_nonmembers
    reach = float(np.sqrt(2 * np.log(1e3 / level)))
    of_leaks = leak_pairs(n, m, delta, level, LEAK_VALUES)
    values = int(max(FEWEST_VALUES, VALUES / np.sqrt(len(of_leaks))))
    sizes: list[Counts] = []
    weights: list[FloatArray] = []
    for first, last, chance in of_leaks:
        members, chances = _rounded(n - first, float(expit(epsilon)), values, reach, up=True)
        nonmembers, others = _rounded(m - last, float(expit(-epsilon)), values, reach, up=False)
        a, b = np.repeat(members, others.size), np.tile(nonmembers, chances.size)
        of_pair = [np.full(a.size, first), np.full(a.size, last), a, b]
        sizes.append(np.stack([*of_pair, n - first - a, m - last - b]))
        weights.append(chance * np.outer(chances, others).ravel())
    tops, bottoms, *classes = np.concatenate(sizes, axis=1)
    return tops, bottoms, classes, np.concatenate(weights)


def _rounded(
    trials: int, chance: float, values: int, reach: float, *, up: bool
) -> tuple[Counts, FloatArray]:
    """Values of a binomial count, rounded up or down, and their probabilities.

    So many within `reach` standard deviations, and one on either side up to twice as far; what is
    beyond lacks to 1.
    """
    spread = reach * np.sqrt(trials * chance * (1 - chance)) + reach
    first, last = trials * chance - spread, trials * chance + spread + 1
    inside = np.linspace(max(int(first), 0) - 1, min(int(last), trials), values + 1)
    outside = np.clip([int(first - spread) - 1, int(last + spread)], -1, trials)
    edges = np.unique(np.append(inside, outside).round().astype(int))
    weights = np.diff(np.where(edges >= 0, bdtr(np.maximum(edges, 0), trials, chance), 0.0))
    return (edges[1:] if up else edges[:-1] + 1), weights
