"""Probabilities of sets of outcomes by sums over all of them, with SciPy's binomials.

A limit depends on the sample by the largest T alone, and rises with it: so in many samples few
limits need to be computed.
"""

from bisect import bisect_left
from collections.abc import Callable

import numpy as np
from scipy.stats import binom

from dpviz.audit import AttackScores
from dpviz.audit.upper_limits.orders import Order
from dpviz.audit.upper_limits.thresholds import ReachedCounts, reached_counts


def all_values(order: Order) -> np.ndarray:
    """T for each x (rows) and y (columns)."""
    x, y = np.indices((order.n_members + 1, order.n_nonmembers + 1))
    return order.values(x.ravel(), y.ravel()).reshape(x.shape)


def chance_upto(order: Order, value: float, tpr: np.ndarray, fpr: np.ndarray) -> np.ndarray:
    """P(T <= value) for each pair of rates."""
    inside = (all_values(order) <= value).astype(float)
    of_x = binom.pmf(np.arange(order.n_members + 1)[:, None], order.n_members, tpr)
    of_y = binom.pmf(np.arange(order.n_nonmembers + 1)[:, None], order.n_nonmembers, fpr)
    return np.einsum("xk,xy,yk->k", of_x, inside, of_y)


def worst_chance(order: Order, value: float, *, intercept: float, slope: float) -> float:
    """The largest P(T <= value) on a fine grid of pairs with TPR = intercept + slope FPR."""
    fpr = np.sin(np.linspace(0, np.arcsin(np.sqrt(min(1, (1 - intercept) / slope))), 501)) ** 2
    tpr = np.clip(intercept + slope * fpr, 0, 1)
    return float(chance_upto(order, value, tpr, fpr).max())


def largest(order: Order, counts: ReachedCounts) -> float:
    return float(order.values(counts.x, counts.y).max())


def largest_of(order: Order, member: np.ndarray, nonmember: np.ndarray) -> float:
    return largest(order, reached_counts(AttackScores(member=member, nonmember=nonmember)))


def share_of_limits_below(
    true: float, values: list[float], limit: Callable[[float], float]
) -> float:
    """The share of samples, given by their largest T, whose limit is below the true number."""
    distinct, numbers = np.unique(values, return_counts=True)
    first = bisect_left(distinct.tolist(), True, key=lambda value: limit(value) >= true)
    return float(numbers[:first].sum() / len(values))
