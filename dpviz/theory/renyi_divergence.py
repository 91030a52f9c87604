"""Rényi divergences of guarantees, and the smallest rho of zero-concentrated DP they imply."""

import numpy as np
from scipy.special import logsumexp

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.atoms import Atoms
from dpviz.theory.mechanisms.claims import PureDP
from dpviz.theory.tradeoff import Floats, TradeoffFunction

LARGEST_ORDER = 1e6  # beyond it the divergence is taken to be the largest loss
FIRST_ORDERS = 65  # between which the largest ratio to the order is looked for
TOLERANCE = 1e-5  # relative, of rho, on the safe side


def renyi_divergence(f: TradeoffFunction, order: Floats) -> Floats:
    """Bound on the Rényi divergence of a mechanism's two output distributions, either way round.

    The divergence itself for Gaussian and Laplace noise, for losses of finitely many values, for
    Poisson samples with Gaussian noise at whole orders, and for compositions of these. Between
    whole orders a bound by convexity; for other bounded losses that of pure DP; else inf.

    Parameters
    ----------
    f : TradeoffFunction
    order : float or array, in [1, inf); 1 is the divergence of Kullback and Leibler

    Returns
    -------
    float or array

    Raises
    ------
    ValueError
        If an order leaves its range.

    References
    ----------
    Mironov, Rényi differential privacy, CSF 2017.

    Examples
    --------
    >>> from dpviz.theory import SubsampledGaussian, renyi_divergence
    >>> steps = SubsampledGaussian(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    >>> round(renyi_divergence(steps, 8.0), 4)
    0.8936
    """
    orders = checks.reals("order", order, 1, np.inf, closed="left")
    total = sum(times * factor._renyi(orders) for factor, times in f._factors().items())
    result: Floats = checks.like_input(np.asarray(total))
    return result


def smallest_rho(f: TradeoffFunction) -> float:
    """Smallest rho such that f implies rho-zCDP; of a composition the sum of its parts' ones.

    Parameters
    ----------
    f : TradeoffFunction

    Returns
    -------
    float
        Rounded up by a relative 1e-5 where it is searched for; inf if no rho is known.

    References
    ----------
    Bun and Steinke, Concentrated differential privacy, TCC 2016, definition 1.1 and lemma 1.7.

    Examples
    --------
    >>> from dpviz.theory import GaussianMechanism, PureDP, smallest_rho
    >>> smallest_rho(GaussianMechanism(noise_multiplier=2.0))
    0.125
    >>> round(smallest_rho(PureDP(epsilon=1.0)), 4)  # below the usual epsilon^2 / 2
    0.4621
    """
    return float(sum(times * factor._rho() for factor, times in f._factors().items()))


def of_losses(f: TradeoffFunction, orders: FloatArray) -> FloatArray:
    """The default of guarantees: from finitely many losses, else from the largest one."""
    atoms = f.atoms()
    if atoms is None:
        largest = max(f.epsilon(0.0), f.inverse().epsilon(0.0))
        if np.isinf(largest):
            return np.full_like(orders, np.inf)
        atoms = PureDP(epsilon=largest).atoms()
    divergences = [
        max(_of_atoms(pair, order) for pair in (atoms, atoms.swapped()))
        for order in orders.ravel().tolist()
    ]
    return np.reshape(divergences, orders.shape)


def _of_atoms(atoms: Atoms, order: float) -> float:
    """``log E_Q[e^((order - 1) L)] / (order - 1)``."""
    seen = atoms.q > 0
    q, loss = atoms.q[seen], atoms.loss[seen]
    if np.isposinf(loss[0]):
        return np.inf
    if order == 1:
        return float(q @ loss)
    grown = (order - 1) * loss
    if np.abs(grown).max() < 0.1:  # the logarithm of nearly 1
        return float(np.log1p(q @ np.expm1(grown)) / (order - 1))
    return float(logsumexp(grown, b=q) / (order - 1))


def steepest(f: TradeoffFunction) -> float:
    """Upper bound on the largest ratio of divergence and order, near enough to it."""
    largest = max(f.epsilon(0.0), f.inverse().epsilon(0.0))
    if np.isinf(largest):
        return np.inf
    order = np.geomspace(1.0, LARGEST_ORDER, FIRST_ORDERS)
    value = f._renyi(order)
    start, end, above = order[:-1], order[1:], value[1:]
    reached, rest = float(np.max(value / order)), largest / LARGEST_ORDER
    # Divergences rise with the order, so no ratio in an interval exceeds that of its two ends.
    while True:
        rest = max(rest, reached * (1 + TOLERANCE))
        open_ = above / start > rest
        if not open_.any():
            return float(rest)
        start, end, above = start[open_], end[open_], above[open_]
        middle = np.sqrt(start * end)
        between = f._renyi(middle)
        reached = max(reached, float(np.max(between / middle)))
        start, end = np.concatenate([start, middle]), np.concatenate([middle, end])
        above = np.concatenate([between, above])
