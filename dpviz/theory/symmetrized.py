"""The other order of a pair, and the two ways to make a guarantee symmetric.

They answer different questions. ``max(f, inverse)`` is what an f-DP guarantee *for both orders*
implies. The convexified ``min(f, inverse)`` is the guarantee when the two orders of a neighbouring
pair have the trade-offs f and inverse and either may occur (add or remove, subsampling).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy.special import expit

from dpviz.checks import FloatArray
from dpviz.theory import profile
from dpviz.theory.atoms import Atoms
from dpviz.theory.mechanisms.discrete_pair import DiscretePair
from dpviz.theory.piecewise_linear import lower_hull
from dpviz.theory.tradeoff import Adjacency, TradeoffFunction, checked_tradeoff
from dpviz.theory.vertices import times_exp

NEAR_ONE = 1e-12  # complements of FPRs below this are not told apart well enough


def inverse(f: TradeoffFunction) -> TradeoffFunction:
    """The guarantee of the pair in the other order; exact for finitely many losses."""
    atoms = f.atoms()
    return Inverse(f) if atoms is None else DiscretePair.of(atoms.swapped(), like=f)


def max_symmetrized(f: TradeoffFunction) -> TradeoffFunction:
    """``max(f, inverse)``; exact for finitely many losses."""
    atoms = f.atoms()
    if atoms is None:
        return MaxSymmetrized(f)
    orders = DiscretePair.of(atoms, like=f), DiscretePair.of(atoms.swapped(), like=f)
    fpr = np.union1d(*(order.atoms().fpr for order in orders))
    tprs = np.stack([order.tpr(fpr) for order in orders])
    gap = tprs[0] - tprs[1]
    crosses = np.flatnonzero(gap[:-1] * gap[1:] < 0)
    part = gap[crosses] / (gap[crosses] - gap[crosses + 1])
    met = (1 - part) * fpr[crosses] + part * fpr[crosses + 1]
    fpr = np.union1d(fpr, met)
    tpr = np.min([order.tpr(fpr) for order in orders], axis=0)
    # Up to the diagonal FPR = FNR; the rest mirrors it.
    beyond = int(np.argmax(fpr + tpr >= 1))
    if fpr[beyond] + tpr[beyond] > 1 and beyond > 0:
        low, high = fpr[beyond - 1] + tpr[beyond - 1], fpr[beyond] + tpr[beyond]
        part = (1 - low) / (high - low)
        fpr[beyond] = (1 - part) * fpr[beyond - 1] + part * fpr[beyond]
        tpr[beyond] = (1 - part) * tpr[beyond - 1] + part * tpr[beyond]
    return _mirrored(fpr[: beyond + 1], tpr[: beyond + 1], like=f)


def min_symmetrized(f: TradeoffFunction) -> TradeoffFunction:
    """Convexified ``min(f, inverse)``; exact for finitely many losses."""
    atoms = f.atoms()
    if atoms is None:
        return MinSymmetrized(f)
    back = atoms.swapped()
    points = np.concatenate([_corners(atoms), _corners(back)])
    # The hull from above, in (FPR, TPR), where the tail at FPR 0 keeps its digits.
    fpr, minus_tpr = lower_hull(points * [1, -1]).T
    tpr = -minus_tpr
    # Where slope -1 touches first, which is not beyond the diagonal FPR = FNR.
    half = int(np.argmax(np.where(fpr + tpr <= 1 + 1e-14, tpr - fpr, -1.0))) + 1
    return _mirrored(fpr[:half], tpr[:half], like=f)


def _corners(atoms: Atoms) -> FloatArray:
    return np.column_stack([atoms.fpr, atoms.tpr])


def _mirrored(fpr: FloatArray, tpr: FloatArray, *, like: TradeoffFunction) -> DiscretePair:
    """The symmetric curve whose steep half has these corners; slope -1 in between."""
    p, q = np.diff(fpr, prepend=0.0), np.diff(tpr, prepend=0.0)
    q = np.maximum(q, 0.0)
    rest = float(1 - p.sum() - q.sum())
    rest = rest if rest > 1e-15 else 0.0  # else rounding
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = np.log(q) - np.log(p)
    loss[(p == 0) & (q == 0)] = 0.0
    atoms = Atoms.of(
        np.concatenate([p, [rest], q]),
        np.concatenate([q, [rest], p]),
        np.concatenate([loss, [0.0], -loss]),
    )
    return DiscretePair.of(atoms, like=like)


@dataclass(frozen=True, repr=False)
class Derived(TradeoffFunction):
    """A guarantee made from another one, `base`, whose adjacency and error it has."""

    base: TradeoffFunction

    @property
    def adjacency(self) -> Adjacency:  # type: ignore[override]
        return self.base.adjacency

    @property
    def error(self) -> float:
        return self.base.error

    def with_parameters(self, **changes: Any) -> Self:
        """The base follows a change of adjacency."""
        adjacency = changes.pop("adjacency", self.adjacency)
        given = {**self.parameters, **changes}
        base = checked_tradeoff("base", given.pop("base"))
        return type(self)(base=base.with_parameters(adjacency=adjacency), **given)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base!r})"


@dataclass(frozen=True, repr=False)
class Inverse(Derived):
    """``inf { x : f(x) <= y }``: the guarantee of the pair in the other order."""

    @property
    def is_symmetric(self) -> bool:
        return self.base.is_symmetric

    @cached_property
    def kinks(self) -> tuple[float, ...]:
        """FNRs of the base at its kinks."""
        heights = (self.base.beta(x) for x in self.base.kinks)
        return tuple(sorted({y for y in heights if 0 < y < 1}))

    def inverse(self) -> TradeoffFunction:
        return self.base

    def _beta(self, alpha: FloatArray) -> FloatArray:
        return expit(self._log_odds(alpha))

    def _tpr(self, fpr: FloatArray) -> FloatArray:
        # Near FPR 0 the base's FPR is near 1, where floats are 2^-53 apart: bounds from above.
        seen = np.maximum(fpr, NEAR_ONE)
        tpr = np.maximum(expit(-self._log_odds(seen)), seen)
        return np.where(fpr < seen, np.minimum(tpr, times_exp(self._largest_loss(), fpr)), tpr)

    def _delta(self, epsilon: FloatArray) -> FloatArray:
        return self.base._delta_back(epsilon)

    def _delta_back(self, epsilon: FloatArray) -> FloatArray:
        return self.base._delta(epsilon)

    def _fpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        # The loss is that of the base with the other sign: Q(L <= -epsilon), atoms included.
        return self.base._beta(self._fpr_above(-epsilon))

    def _tpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        return 1 - self._fpr_above(-epsilon)

    def _fpr_above(self, loss: FloatArray) -> FloatArray:
        """Mass under P of the base's losses above this one."""
        with np.errstate(over="ignore"):
            return self.base._fpr_of_loss(np.nextafter(loss, np.inf))

    def _largest_loss(self) -> float:
        return -self.base._smallest_loss()

    def _smallest_loss(self) -> float:
        return -self.base._largest_loss()

    def _log_odds(self, fnr: FloatArray) -> FloatArray:
        """Of the smallest FPR at which the base misses at most `fnr`."""
        found = profile.log_odds_where(lambda x: self.base._beta(x) <= fnr, fnr.shape)
        at_once = self.base._beta(np.zeros_like(fnr)) <= fnr
        return np.where(at_once, -np.inf, found)


@dataclass(frozen=True, repr=False)
class MaxSymmetrized(Derived):
    """``max(f, inverse)``: what holds when the base's guarantee holds for both orders."""

    @cached_property
    def kinks(self) -> tuple[float, ...]:
        """Those of both orders, and where the two cross: on the diagonal FPR = FNR."""
        met = profile.log_odds_where(lambda x: self.base._beta(x) <= x, ())
        return tuple(sorted({*self.base.kinks, *self.base.inverse().kinks, float(expit(met))}))

    def _beta(self, alpha: FloatArray) -> FloatArray:
        return np.maximum(self.base._beta(alpha), self.base.inverse()._beta(alpha))

    def _tpr(self, fpr: FloatArray) -> FloatArray:
        return np.minimum(self.base._tpr(fpr), self.base.inverse()._tpr(fpr))


@dataclass(frozen=True, repr=False)
class MinSymmetrized(Derived):
    """Greatest convex function below ``min(f, inverse)``: what holds when either order may occur.

    Its profile is the larger of the two, so the curve is evaluated from the profile: from below.
    """

    def _delta(self, epsilon: FloatArray) -> FloatArray:
        return np.maximum(self.base._delta(epsilon), self.base.inverse()._delta(epsilon))

    def _epsilon(self, delta: FloatArray) -> FloatArray:
        return np.maximum(self.base._epsilon(delta), self.base.inverse()._epsilon(delta))

    def _fpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        back = self.base.inverse()
        steeper = self.base._delta(epsilon) >= back._delta(epsilon)
        return np.where(steeper, self.base._fpr_of_loss(epsilon), back._fpr_of_loss(epsilon))

    def _beta(self, alpha: FloatArray) -> FloatArray:
        return 1 - self._tpr(alpha)

    def _tpr(self, fpr: FloatArray) -> FloatArray:
        return profile.tpr_of_delta(self._delta, fpr)
