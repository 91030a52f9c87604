"""Guarantees derived from another guarantee: inverse, symmetrized forms, group privacy.

If *both orders* of a pair satisfy f-DP, ``max(f, inverse)`` holds. If the two orders have the
trade-offs f and inverse and either may occur (add or remove, subsampling), the convexified
``min(f, inverse)`` holds.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, wraps
from operator import attrgetter
from typing import Any, Self

import numpy as np
from scipy.special import expit

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory import profile
from dpviz.theory.atoms import Atoms
from dpviz.theory.mechanisms.claims import equivalent_statements, pair_attaining_statements
from dpviz.theory.mechanisms.discrete_pair import DiscretePair
from dpviz.theory.mechanisms.gaussian import GaussianDP
from dpviz.theory.polyline import lower_hull
from dpviz.theory.profile import times_exp
from dpviz.theory.tradeoff import Adjacency, TradeoffFunction, checked_tradeoff, with_one_adjacency


def _delegated_method(name: str) -> Callable[..., Any]:
    @wraps(getattr(TradeoffFunction, name), updated=())  # without `__isabstractmethod__`
    def method_of_curve(self: "DelegatingGuarantee", *arguments: Any, **options: Any) -> Any:
        return getattr(self.curve, name)(*arguments, **options)

    return method_of_curve


class DelegatingGuarantee(TradeoffFunction):
    """A guarantee whose methods delegate to `curve`, a guarantee with the same trade-off curve."""

    @abstractmethod
    def _make_curve(self) -> TradeoffFunction:
        """Build the guarantee `curve` at the first access."""

    @cached_property
    def curve(self) -> TradeoffFunction:
        """The guarantee with this one's trade-off curve, which computes all results of this one."""
        return self._make_curve()

    is_symmetric = property(attrgetter("curve.is_symmetric"))
    kinks = property(attrgetter("curve.kinks"))
    error = property(attrgetter("curve.error"))
    _largest_group = property(attrgetter("curve._largest_group"))
    atoms = _delegated_method("atoms")
    draw = _delegated_method("draw")

    def inverse(self) -> TradeoffFunction:
        return self if self.is_symmetric else self.curve.inverse()

    def max_symmetrized(self) -> TradeoffFunction:
        return self if self.is_symmetric else self.curve.max_symmetrized()

    def min_symmetrized(self) -> TradeoffFunction:
        return self if self.is_symmetric else self.curve.min_symmetrized()

    def _mechanism_counts(self) -> Mapping[TradeoffFunction, int]:
        return self.curve._mechanism_counts()

    _beta = _delegated_method("_beta")
    _tpr = _delegated_method("_tpr")
    _advantage = _delegated_method("_advantage")
    _delta = _delegated_method("_delta")
    _epsilon = _delegated_method("_epsilon")
    _fpr_of_loss = _delegated_method("_fpr_of_loss")
    _tpr_of_loss = _delegated_method("_tpr_of_loss")
    _loss_at = _delegated_method("_loss_at")
    _expectation = _delegated_method("_expectation")


@dataclass(frozen=True, repr=False)
class DerivedGuarantee(TradeoffFunction):
    """A guarantee that follows from `base`; it has the adjacency and numerical error of `base`."""

    base: TradeoffFunction

    @property
    def adjacency(self) -> Adjacency:  # type: ignore[override]
        return self.base.adjacency

    error = property(attrgetter("base.error"))

    def with_parameters(self, **changes: Any) -> Self:
        """Return a copy with these parameters; a change of adjacency applies to the base, too."""
        adjacency = changes.pop("adjacency", self.adjacency)
        parameters = {**self.parameters, **changes}
        base = checked_tradeoff("base", parameters.pop("base"))
        return type(self)(base=base.with_parameters(adjacency=adjacency), **parameters)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base!r})"


# The pair in the other order.

SMALLEST_EXACT_FPR = 1e-12  # for a smaller x, 1 - x as a float is too inaccurate


def inverse(f: TradeoffFunction) -> TradeoffFunction:
    """Return the guarantee of the reversed pair (Q, P)."""
    atoms = f.atoms()
    return Inverse(f) if atoms is None else DiscretePair.of(atoms.swapped(), like=f)


@dataclass(frozen=True, repr=False)
class Inverse(DerivedGuarantee):
    """The guarantee of the reversed pair (Q, P), ``inf { x : f(x) <= y }``."""

    is_symmetric = property(attrgetter("base.is_symmetric"))

    @cached_property
    def kinks(self) -> tuple[float, ...]:
        heights = (self.base.beta(x) for x in self.base.kinks)
        return tuple(sorted({y for y in heights if 0 < y < 1}))

    def inverse(self) -> TradeoffFunction:
        return self.base

    def _beta(self, alpha: FloatArray) -> FloatArray:
        return expit(self._log_odds_of_base_fpr(alpha))

    def _tpr(self, fpr: FloatArray) -> FloatArray:
        # Near FPR 0 the base's FPR is too near 1; there the TPR is bounded from above.
        safe = np.maximum(fpr, SMALLEST_EXACT_FPR)
        tpr = np.maximum(expit(-self._log_odds_of_base_fpr(safe)), safe)
        return np.where(fpr < safe, np.minimum(tpr, times_exp(self._loss_supremum(), fpr)), tpr)

    def _delta(self, epsilon: FloatArray) -> FloatArray:
        return self.base._delta_of_inverse(epsilon)

    def _delta_of_inverse(self, epsilon: FloatArray) -> FloatArray:
        return self.base._delta(epsilon)

    def _fpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        # The probability under Q that the base's loss is at most -epsilon.
        return self.base._beta(self._base_fpr_above_loss(-epsilon))

    def _tpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        return 1 - self._base_fpr_above_loss(-epsilon)

    def _base_fpr_above_loss(self, loss: FloatArray) -> FloatArray:
        """Return the probability under P that the base's loss exceeds `loss`."""
        with np.errstate(over="ignore"):
            return self.base._fpr_of_loss(np.nextafter(loss, np.inf))

    def _loss_supremum(self) -> float:
        return -self.base._loss_infimum()

    def _loss_infimum(self) -> float:
        return -self.base._loss_supremum()

    def _log_odds_of_base_fpr(self, fnr: FloatArray) -> FloatArray:
        """Return the log-odds of the smallest FPR at which the base's FNR is at most `fnr`."""
        log_odds = profile.least_log_odds_where(lambda x: self.base._beta(x) <= fnr, fnr.shape)
        is_at_0 = self.base._beta(np.zeros_like(fnr)) <= fnr
        return np.where(is_at_0, -np.inf, log_odds)


# Both orders at once.


def max_symmetrized(f: TradeoffFunction) -> TradeoffFunction:
    """Return the guarantee whose FNR is the larger of f and its inverse at each FPR."""
    atoms = f.atoms()
    if atoms is None:
        return MaxSymmetrized(f)
    orders = DiscretePair.of(atoms, like=f), DiscretePair.of(atoms.swapped(), like=f)
    # All lines below either curve, each with its mirror image.
    epsilon, delta = np.concatenate([equivalent_statements(order) for order in orders]).T
    return DiscretePair.of(pair_attaining_statements(epsilon, delta), like=f)


def min_symmetrized(f: TradeoffFunction) -> TradeoffFunction:
    """Return the guarantee whose curve is the greatest convex curve below f and its inverse."""
    atoms = f.atoms()
    if atoms is None:
        return MinSymmetrized(f)
    corners = [np.column_stack([order.fpr, order.tpr]) for order in (atoms, atoms.swapped())]
    fpr, minus_tpr = lower_hull(np.concatenate(corners) * [1, -1]).T  # accurate near FPR 0
    tpr = -minus_tpr
    # The half up to the first point at which a line of slope -1 touches.
    half = int(np.argmax(np.where(fpr + tpr <= 1 + 1e-14, tpr - fpr, -1.0))) + 1
    # The other half is the mirror image of this one.
    p, q = np.diff(fpr[:half], prepend=0.0), np.maximum(np.diff(tpr[:half], prepend=0.0), 0.0)
    rest = float(1 - p.sum() - q.sum())
    rest = rest if rest > 1e-15 else 0.0  # else rounding
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = np.log(q) - np.log(p)
    loss[(p == 0) & (q == 0)] = 0.0
    both = Atoms.of(
        np.concatenate([p, [rest], q]),
        np.concatenate([q, [rest], p]),
        np.concatenate([loss, [0.0], -loss]),
    )
    return DiscretePair.of(both, like=f)


@dataclass(frozen=True, repr=False)
class MaxSymmetrized(DerivedGuarantee):
    """The guarantee ``max(f, inverse of f)`` of pairs that satisfy the base f in both orders."""

    @cached_property
    def kinks(self) -> tuple[float, ...]:
        """The FPRs of the kinks of f and of its inverse, and of the point where FPR = FNR."""
        crossing = profile.least_log_odds_where(lambda x: self.base._beta(x) <= x, ())
        return tuple(sorted({*self.base.kinks, *self.base.inverse().kinks, float(expit(crossing))}))

    def _beta(self, alpha: FloatArray) -> FloatArray:
        return np.maximum(self.base._beta(alpha), self.base.inverse()._beta(alpha))

    def _tpr(self, fpr: FloatArray) -> FloatArray:
        return np.minimum(self.base._tpr(fpr), self.base.inverse()._tpr(fpr))


@dataclass(frozen=True, repr=False)
class MinSymmetrized(DerivedGuarantee):
    """The guarantee whose curve is the greatest convex curve below the base and its inverse."""

    def _delta(self, epsilon: FloatArray) -> FloatArray:
        return np.maximum(self.base._delta(epsilon), self.base.inverse()._delta(epsilon))

    def _epsilon(self, delta: FloatArray) -> FloatArray:
        return np.maximum(self.base._epsilon(delta), self.base.inverse()._epsilon(delta))

    def _fpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        back = self.base.inverse()
        # The order with the larger delta has the supporting line.
        is_steeper = self.base._delta(epsilon) >= back._delta(epsilon)
        return np.where(is_steeper, self.base._fpr_of_loss(epsilon), back._fpr_of_loss(epsilon))

    def _beta(self, alpha: FloatArray) -> FloatArray:
        return 1 - self._tpr(alpha)

    def _tpr(self, fpr: FloatArray) -> FloatArray:
        return profile.tpr_of_delta(self._delta, fpr)


# Group privacy: data sets that differ in several records.

MOST_CORNERS = 100_000  # of a polyline that is mapped to itself many times


@dataclass(frozen=True, init=False, repr=False)
class GroupPrivacy(DelegatingGuarantee):
    """The guarantee that `base` implies for data sets that are `size` neighbouring steps apart.

    ``f_k(a) = f(1 - f_(k-1)(a))`` (Dong, Roth and Su, theorem 2.14). For additive noise a better
    guarantee holds: that of the same noise at `size` times the sensitivity.

    Parameters
    ----------
    base : TradeoffFunction, the guarantee for one step, valid for both orders of a pair
    size : int
        The number of steps, 1 to 1000; to 100 if the base's loss has infinitely many values, to 10
        if it is subsampled, too.

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
        (base,) = with_one_adjacency("base", [checked_tradeoff("base", base)], adjacency)
        size = checks.whole("size", size, 1, 1000)
        self._set_fields(base=base, size=size, adjacency=base.adjacency)

    def _make_curve(self) -> TradeoffFunction:
        return group_privacy(self.base, size=self.size)


def group_privacy(f: TradeoffFunction, *, size: int) -> TradeoffFunction:
    """Return the guarantee for data sets that are `size` neighbouring steps apart."""
    if isinstance(f, GaussianDP):
        return GaussianDP(mu=size * f.mu, adjacency=f.adjacency)
    group = GroupCurve(f, size=size)
    if f.atoms() is None:
        if size > f._largest_group:
            rule = f"at most {f._largest_group} for this base with infinitely many losses"
            way_out = f"use the guarantee of the base's noise at {size} times its sensitivity"
            if f._largest_group < TradeoffFunction._largest_group:
                way_out = f"use the base's noise at {size} times its sensitivity, sampled at rate "
                way_out += f"min(1, {size} sampling_rate)"
            raise checks.fail("size", rule, size, way_out)
        return group
    # The smallest float stands for all kinks below it.
    x = np.array([0.0, np.nextafter(0.0, 1.0), *group.kinks, 1.0])
    tpr, beta = group.tpr(x), group.beta(x)
    largest = group._loss_supremum()
    if largest > 600:  # the TPR at the smallest FPR that is searched stands for all smaller kinks
        smallest = float(expit(profile.LOG_ODDS[0]))
        tpr[1], beta[1] = group.tpr(smallest), group.beta(smallest)
    # Masses of the pieces between kinks: differences of the TPR or, if smaller, of the FNR.
    rises = np.where(tpr[1:] < 0.5, np.diff(tpr), -np.diff(beta))
    p, q = np.append(0.0, np.diff(x)), np.append(tpr[0], np.maximum(rises, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = np.log(q) - np.log(p)
    loss[1] = max(loss[1], largest)  # of the piece below the smallest float
    return DiscretePair.with_losses(Atoms.of(p, q, loss), adjacency=f.adjacency, error=group.error)


@dataclass(frozen=True, repr=False)
class GroupCurve(DerivedGuarantee):
    """The curve of group privacy: the base's map from FPR to TPR, applied `size` times."""

    size: int

    @property
    def error(self) -> float:
        """An upper bound on the error of the FNR after `size` applications of the base's map."""
        error, before = 0.0, -1.0
        for _ in range(self.size):
            if error == before:
                break
            before = error
            error = min(1.0, self.base.error + self.base.tpr(error) - self.base.tpr(0.0))
        return error

    @cached_property
    def kinks(self) -> tuple[float, ...]:
        """The FPRs of the curve's corners; ValueError if there are more than `MOST_CORNERS`."""
        found = [np.array(self.base.kinks, dtype=np.float64)]
        smallest = expit(profile.LOG_ODDS[0])
        # With one more application, a kink is an FPR that the base maps to a kink found before.
        while len(found) < self.size and (last := found[-1][found[-1] > smallest]).size:
            if sum(map(len, found)) > MOST_CORNERS:
                rule = f"such that the curve has at most {MOST_CORNERS} corners"
                way_out = f"the largest such size is {len(found) - 1}"
                raise checks.fail("size", rule, self.size, way_out)
            found.append(np.unique(self._fpr_of_tpr(last)))
        return tuple(x for x in np.unique(np.concatenate(found)).tolist() if 0 < x < 1)

    def _fpr_of_tpr(self, tpr: FloatArray) -> FloatArray:
        log_odds = profile.least_log_odds_where(lambda x: self.base._tpr(x) >= tpr, tpr.shape)
        return np.asarray(expit(log_odds))

    is_symmetric = property(attrgetter("base.is_symmetric"))

    def _loss_supremum(self) -> float:
        return self.size * self.base.epsilon(0.0)

    def _tpr(self, fpr: FloatArray) -> FloatArray:
        for _ in range(self.size):
            fpr = self.base._tpr(fpr)
        return fpr

    def _beta(self, alpha: FloatArray) -> FloatArray:
        for _ in range(self.size - 1):
            alpha = self.base._tpr(alpha)
        return self.base._beta(alpha)
