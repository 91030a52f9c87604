"""Rényi divergences of guarantees, and the smallest rho such that rho-zCDP follows."""

from typing import cast

import numpy as np
from scipy.special import logsumexp

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.atoms import Atoms
from dpviz.theory.mechanisms.claims import PureDP
from dpviz.theory.profile import exp_above_tangent
from dpviz.theory.tradeoff import Floats, TradeoffFunction

LARGEST_ORDER = 1e6  # beyond it the divergence is taken to be the largest loss
FIRST_ORDERS = 65  # orders of the first grid in the search for the largest ratio
TOLERANCE = 1e-5  # relative, of rho, on the safe side
LARGEST_EXPONENT = 700.0  # e^700 is near the largest float


def renyi_divergence(f: TradeoffFunction, order: Floats) -> Floats:
    """Return an upper bound on the Rényi divergences between the two output distributions.

    It is exact, the larger of both directions, for Gaussian and Laplace noise, finitely many
    losses, Gaussian noise on Poisson samples at integer orders, and compositions of these. Between
    integers convexity gives a bound; other bounded losses get the bound of pure DP, the rest inf
    (Mironov, 2017, "Rényi differential privacy").

    Parameters
    ----------
    f : TradeoffFunction
    order : float or array, in [1, inf); 1 is the Kullback-Leibler divergence

    Examples
    --------
    >>> from dpviz.theory import SubsampledGaussian
    >>> from dpviz.theory.renyi_divergence import renyi_divergence
    >>> steps = SubsampledGaussian(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    >>> round(renyi_divergence(steps, 8.0), 4)
    0.8936
    """
    orders = checks.reals("order", order, 1, np.inf, closed="left")
    counts = f._mechanism_counts()
    with np.errstate(over="ignore"):  # beyond the largest float, inf
        total = sum(times * part._renyi_bounds(orders) for part, times in counts.items())
    return cast(Floats, checks.float_if_scalar(np.asarray(total)))


def smallest_rho(f: TradeoffFunction) -> float:
    """Return the smallest rho such that f implies rho-zCDP.

    It is rounded up by a relative 1e-5 where it is searched for, and inf if no rho is known (Bun
    and Steinke, 2016, definition 1.1 and lemma 1.7).

    Parameters
    ----------
    f : TradeoffFunction

    Examples
    --------
    >>> from dpviz.theory import PureDP
    >>> from dpviz.theory.renyi_divergence import smallest_rho
    >>> round(smallest_rho(PureDP(epsilon=1.0)), 4)  # below the usual epsilon^2 / 2
    0.4621
    """
    with np.errstate(over="ignore"):  # beyond the largest float, inf
        return float(sum(n * part._smallest_rho() for part, n in f._mechanism_counts().items()))


def divergence_bounds(f: TradeoffFunction, orders: FloatArray) -> FloatArray:
    """Return upper bounds on Rényi divergences; exact if privacy losses are finitely many."""
    atoms = f.atoms()
    if atoms is None:
        largest = max(f.epsilon(0.0), f.inverse().epsilon(0.0))
        if np.isinf(largest):
            return np.full_like(orders, np.inf)
        atoms = PureDP(epsilon=largest).atoms()
    both, flat = (atoms, atoms.swapped()), orders.ravel().tolist()
    divergences = [max(_atoms_divergence(pair, order) for pair in both) for order in flat]
    return np.reshape(divergences, orders.shape)


def _atoms_divergence(atoms: Atoms, order: float) -> float:
    """Return the Rényi divergence of Q from P, ``log E_Q[e^((order - 1) L)] / (order - 1)``."""
    is_possible = atoms.q > 0
    q, loss = atoms.q[is_possible], atoms.loss[is_possible]
    if np.isposinf(loss[0]):
        return np.inf
    grown = (order - 1) * loss
    if max(np.abs(loss).max(), grown.max()) > LARGEST_EXPONENT:
        return float(q @ loss if order == 1 else logsumexp(grown, b=q) / (order - 1))
    # Since E_Q[e^-L] is the mass of P where Q is possible, E_Q[L] is this sum of positive terms.
    kl = float(q @ exp_above_tangent(-loss) + atoms.p[~is_possible].sum())
    if order == 1:
        return kl
    return float(np.log1p(q @ exp_above_tangent(grown) + (order - 1) * kl) / (order - 1))


def largest_divergence_per_order(f: TradeoffFunction) -> float:
    """Return the supremum of Rényi divergence / order, rounded up by at most `TOLERANCE`."""
    largest = max(f.epsilon(0.0), f.inverse().epsilon(0.0))
    if np.isinf(largest * LARGEST_ORDER):
        return np.inf
    order = np.geomspace(1.0, LARGEST_ORDER, FIRST_ORDERS)
    value = np.minimum(f._renyi_bounds(order), largest)
    reached = float(np.max(value / order))
    low, high = np.stack([order[:-1], value[:-1]]), np.stack([order[1:], value[1:]])
    # Branch and bound: halve the intervals of orders in which the ratio may exceed the largest yet.
    while True:
        # Beyond the largest order, the divergence is at most the largest loss.
        enough = max(largest / LARGEST_ORDER, reached * (1 + TOLERANCE))
        is_open = _divergence_per_order_bound(low, high) > enough
        if not is_open.any():
            return enough
        low, high = low[:, is_open], high[:, is_open]
        order = np.sqrt(low[0] * high[0])
        middle = np.stack([order, np.minimum(f._renyi_bounds(order), largest)])
        reached = max(reached, float(np.max(middle[1] / order)))
        low, high = np.hstack([low, middle]), np.hstack([middle, high])


def _divergence_per_order_bound(at_low: FloatArray, at_high: FloatArray) -> FloatArray:
    """Return an upper bound on divergence / order at all orders between two given orders."""
    # As a function of the order, (order - 1) D is convex, so below the chord.
    (a, at_a), (b, at_b) = at_low, at_high
    slope = ((b - 1) * at_b - (a - 1) * at_a) / (b - a)
    start = (a - 1) * at_a - slope * a
    with np.errstate(divide="ignore", invalid="ignore"):
        # The order at which the chord divided by order (order - 1) is largest
        best = (np.sqrt(np.maximum(start * (start + slope), 0.0)) - start) / slope
        best = np.clip(best, a, b)
        below_chord = (start + slope * best) / (best * (best - 1))
    # Divergences rise with the order, so the divergence at b, divided by a, is a bound, too.
    return np.asarray(np.fmin(at_b / a, np.where(best > 1, below_chord, np.inf)))
