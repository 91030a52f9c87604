"""Guarantees that follow from another guarantee: by delegation, and for groups of records."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, wraps
from operator import attrgetter
from typing import Any

import numpy as np
from scipy.special import expit

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory import profile
from dpviz.theory.atoms import Atoms
from dpviz.theory.mechanisms.discrete_pair import DiscretePair
from dpviz.theory.mechanisms.gaussian import GaussianDP
from dpviz.theory.symmetrized import Derived
from dpviz.theory.tradeoff import Adjacency, TradeoffFunction, checked_tradeoff, of_one_adjacency


def _of_curve(name: str) -> Callable[..., Any]:
    """A method that calls the one of this name of `Delegated.curve`."""

    @wraps(getattr(TradeoffFunction, name), updated=())  # not the mark of an abstract method
    def call(self: "Delegated", *arguments: Any, **options: Any) -> Any:
        return getattr(self.curve, name)(*arguments, **options)

    return call


class Delegated(TradeoffFunction):
    """A guarantee that computes everything through `curve`."""

    @abstractmethod
    def _make_curve(self) -> TradeoffFunction:
        """The guarantee that has the curve; called once."""

    @cached_property
    def curve(self) -> TradeoffFunction:
        """The guarantee that has the curve."""
        return self._make_curve()

    is_symmetric = property(attrgetter("curve.is_symmetric"))
    kinks = property(attrgetter("curve.kinks"))
    error = property(attrgetter("curve.error"))
    atoms = _of_curve("atoms")
    draw = _of_curve("draw")

    def inverse(self) -> TradeoffFunction:
        return self if self.is_symmetric else self.curve.inverse()

    def max_symmetrized(self) -> TradeoffFunction:
        return self if self.is_symmetric else self.curve.max_symmetrized()

    def min_symmetrized(self) -> TradeoffFunction:
        return self if self.is_symmetric else self.curve.min_symmetrized()

    def _factors(self) -> Mapping[TradeoffFunction, int]:
        return self.curve._factors()

    _beta = _of_curve("_beta")
    _tpr = _of_curve("_tpr")
    _advantage = _of_curve("_advantage")
    _delta = _of_curve("_delta")
    _epsilon = _of_curve("_epsilon")
    _fpr_of_loss = _of_curve("_fpr_of_loss")
    _tpr_of_loss = _of_curve("_tpr_of_loss")
    _loss_at = _of_curve("_loss_at")
    _expectation = _of_curve("_expectation")


# Group privacy: a guarantee for one step, followed over several steps.


@dataclass(frozen=True, init=False, repr=False)
class GroupPrivacy(Delegated):
    """What a guarantee f for one step says about data sets `size` steps apart.

    ``f_k(a) = f(1 - f_(k-1)(a))`` (Dong, Roth and Su, theorem 2.14). Mechanisms whose noise only
    has to cover a larger shift convert exactly and do not need it.

    Parameters
    ----------
    base : TradeoffFunction, the guarantee for one step, valid for both orders of a pair
    size : int, number of steps, 1 to 1000

    Examples
    --------
    >>> from dpviz.theory import GaussianDP, GroupPrivacy
    >>> round(GroupPrivacy(GaussianDP(mu=1.0), size=3).tpr(0.05), 4)  # as mu = 3
    0.9123
    """

    base: TradeoffFunction
    size: int
    adjacency: Adjacency

    def __init__(
        self, base: TradeoffFunction, size: int = 2, *, adjacency: Adjacency | None = None
    ) -> None:
        (given,) = of_one_adjacency("base", [checked_tradeoff("base", base)], adjacency)
        object.__setattr__(self, "base", given)
        object.__setattr__(self, "size", checks.whole("size", size, 1, 1000))
        object.__setattr__(self, "adjacency", given.adjacency)

    def _make_curve(self) -> TradeoffFunction:
        return group_privacy(self.base, size=self.size)


@dataclass(frozen=True, repr=False)
class Steps(Derived):
    """A guarantee followed over `size` steps, numerically."""

    size: int

    @property
    def error(self) -> float:
        """An error of the base, and what it does to the FPR of the next step."""
        error = 0.0
        for _ in range(self.size):
            step = self.base.error + self.base.tpr(error) - self.base.tpr(0.0)
            error = min(1.0, step)  # a height is at most 1
        return error

    @cached_property
    def kinks(self) -> tuple[float, ...]:
        """Where one of the steps meets a kink of the base."""
        own = found = np.array(self.base.kinks, dtype=np.float64)
        for _ in range(self.size - 1):
            found = np.union1d(own, self._where_reached(found))
        return tuple(x for x in found.tolist() if 0 < x < 1)

    def _where_reached(self, tpr: FloatArray) -> FloatArray:
        enough = profile.log_odds_where(lambda x: self.base._tpr(x) >= tpr, tpr.shape)
        return np.asarray(expit(enough))

    @property
    def is_symmetric(self) -> bool:
        return self.base.is_symmetric

    def _largest_loss(self) -> float:
        return self.size * self.base.epsilon(0.0)

    def _tpr(self, fpr: FloatArray) -> FloatArray:
        for _ in range(self.size):
            fpr = self.base._tpr(fpr)
        return fpr

    def _beta(self, alpha: FloatArray) -> FloatArray:
        for _ in range(self.size - 1):
            alpha = self.base._tpr(alpha)
        return self.base._beta(alpha)


def group_privacy(f: TradeoffFunction, *, size: int) -> TradeoffFunction:
    """The guarantee over `size` steps; with finitely many losses again one with finitely many."""
    if isinstance(f, GaussianDP):
        return GaussianDP(mu=size * f.mu, adjacency=f.adjacency)
    group = Steps(f, size=size)
    if f.atoms() is None:
        return group
    # The smallest float stands for kinks below it: what happens there must not be left out.
    x = np.array([0.0, np.nextafter(0.0, 1.0), *group.kinks, 1.0])
    tpr, beta = group.tpr(x), group.beta(x)
    largest = group._largest_loss()
    if largest > 600:  # what is reached below the FPRs that kinks are sought at counts as at once
        smallest = float(expit(profile.LOG_ODDS[0]))
        tpr[1], beta[1] = group.tpr(smallest), group.beta(smallest)
    rises = np.where(tpr[1:] < 0.5, np.diff(tpr), -np.diff(beta))
    p, q = np.append(0.0, np.diff(x)), np.append(tpr[0], np.maximum(rises, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = np.log(q) - np.log(p)
    loss[1] = max(loss[1], largest)  # of what lies below the smallest float
    pair = DiscretePair(p, q, adjacency=f.adjacency, error=group.error)
    return DiscretePair.of(Atoms.of(p, q, loss), like=pair)
