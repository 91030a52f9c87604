"""Guarantees that bound Rényi divergences: their curves, and how they compose."""

from abc import abstractmethod
from collections.abc import Mapping
from functools import cached_property

import numpy as np
from scipy.special import expit

from dpviz.checks import FloatArray
from dpviz.theory.atoms import Atoms, FiniteLoss
from dpviz.theory.renyi import Tangents, on_diagonal, tangents

NOTHING_HIDDEN = Atoms.of(np.array([0.0, 1.0]), np.array([1.0, 0.0]))


def intersection(epsilon: FloatArray, delta: FloatArray) -> Atoms:
    """The pair with the largest TPR that all statements allow, each for both orders of a pair.

    A statement is the line ``tpr = delta + e^epsilon fpr``, and its mirror image; the curve is the
    smallest of them, so up to the diagonal FPR = FNR its slopes are among the ``e^epsilon``.

    Parameters
    ----------
    epsilon, delta : array, in [0, inf] and [0, 1]; an infinite epsilon states nothing
    """
    states = np.isfinite(epsilon) & (delta < 1)
    if not states.any():
        return NOTHING_HIDDEN
    # The smallest TPR at the diagonal; lines less steep than that one matter only beyond it.
    meets = np.where(states, (1 - delta) * expit(-epsilon), -1.0)
    last = int(np.lexsort((epsilon, -meets))[0])
    used = states & ((epsilon > epsilon[last]) & (delta < delta[last]))
    order = np.lexsort((delta, -epsilon))
    order = np.append(order[used[order]], last)
    e, d = _lowest(epsilon[order], delta[order])
    share = -1 / np.expm1(-(e[:-1] - e[1:]))  # of the step in delta that a line has risen by
    corner_tpr = np.append(d[:-1] + np.diff(d) * share, d[-1] + (1 - d[-1]) * expit(e[-1]))
    corner_fpr = np.append(np.diff(d) * np.exp(-e[:-1]) * share, (1 - d[-1]) * expit(-e[-1]))
    p = np.maximum(np.diff(corner_fpr, prepend=0.0), 0.0)
    q = np.where(p > 1e-290, p * np.exp(np.minimum(e, 709.0)), np.diff(corner_tpr, prepend=d[0]))
    open_p, open_q = np.append(0.0, p), np.append(d[0], np.maximum(q, 0.0))
    loss = np.append(np.inf, e)
    return Atoms.of(
        np.concatenate([open_p, open_q]),
        np.concatenate([open_q, open_p]),
        np.concatenate([loss, -loss]),
    )


def strictest(f: FiniteLoss) -> FloatArray:
    """The statements that decide about a symmetric guarantee somewhere, as rows epsilon, delta.

    The largest epsilon comes first; `intersection` of them is the guarantee again.
    """
    loss = f.atoms().loss
    epsilon = loss[np.isfinite(loss) & (loss >= 0)]
    return np.column_stack([epsilon, f.delta(epsilon)])


def _lowest(epsilon: FloatArray, delta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The lines, steepest first, that are the smallest one somewhere: the rest is never seen."""
    kept: list[tuple[float, float]] = []
    for line in zip(epsilon.tolist(), delta.tolist(), strict=True):
        while kept and (kept[-1][1] >= line[1] or _hidden(kept, line)):
            kept.pop()
        if not kept or line[0] < kept[-1][0]:
            kept.append(line)
    e, d = np.array(kept).T
    return e, d


def _hidden(kept: list[tuple[float, float]], line: tuple[float, float]) -> bool:
    """Whether the last line is nowhere below both the one before it and the next one."""
    if len(kept) < 2:
        return False
    (e0, d0), (e1, d1), (e2, d2) = kept[-2], kept[-1], line
    # Where it meets the next one, times e^e1, is not right of where it meets the one before.
    ahead = (d2 - d1) / -np.expm1(e2 - e1)
    return bool(ahead <= (d1 - d0) * np.exp(e1 - e0) / -np.expm1(e1 - e0))


def most_missed(atoms: Atoms) -> float:
    """How far above the curve one can lie that touches each of its lines.

    Such a curve is convex, so at a corner it lies below the chord between the neighbouring ones.
    """
    x, y = atoms.fpr, atoms.tpr
    with np.errstate(invalid="ignore", divide="ignore"):
        part = np.where(x[2:] > x[:-2], (x[1:-1] - x[:-2]) / (x[2:] - x[:-2]), 1.0)
    chord = y[:-2] + part * (y[2:] - y[:-2])
    return float(np.max(y[1:-1] - chord, initial=float(y[1]) if x[1] == 0 else 0.0))


# Guarantees that bound Rényi divergences: their curves, and how they compose.

MOST = 1390.0  # shift of log-odds on the diagonal beyond which floats know nothing but 0 and 1


class RenyiBound(FiniteLoss):
    """A guarantee about Rényi divergences of some orders, in both orders of a pair.

    The curve is the envelope of tangents to the exact region, from below, with its `error`.
    """

    is_symmetric = True

    @abstractmethod
    def _worst(self, a: FloatArray, c: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The order whose bound two Bernoullis exceed the most, and the bound there."""

    @abstractmethod
    def _diagonal_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Orders that decide where FPR = FNR, and their bounds."""

    @abstractmethod
    def bounds(self, orders: FloatArray) -> FloatArray:
        """The bound that is stated at each order; inf where there is none."""

    def _renyi(self, orders: FloatArray) -> FloatArray:
        return self.bounds(orders)  # as stated, not that of the pair that has the curve

    @cached_property
    def tangents(self) -> Tangents | None:
        """The statements that carry the curve; None if it is one of the two extreme ones."""
        orders, bounds = self._diagonal_bounds()
        diagonal = on_diagonal(orders, bounds) if bounds.min() > 0 else 0.0
        return tangents(self._worst, diagonal) if 0 < diagonal < MOST else None

    @property
    def error(self) -> float:
        """What is missed between tangents, and beyond the steepest."""
        if self.tangents is None:
            return 0.0
        atoms = self.atoms()  # no curve is above 1 - FPR
        return min(self.tangents.error, float(np.max(atoms.tpr - atoms.fpr)))

    def _atoms(self) -> Atoms:
        if self.tangents is not None:
            return intersection(self.tangents.epsilon, self.tangents.delta)
        _, bounds = self._diagonal_bounds()
        return Atoms.of(np.ones(1), np.ones(1)) if bounds.min() == 0 else NOTHING_HIDDEN


def added(counts: Mapping[RenyiBound, int], orders: FloatArray) -> FloatArray:
    """Bounds of mechanisms together, each used so many times: those of an order add up."""
    return np.asarray(sum(times * f.bounds(orders) for f, times in counts.items()))
