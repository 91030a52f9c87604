"""Trade-off functions, which give the smallest FNR of any test at each FPR.

Convention (Dong, Roth and Su, "Gaussian Differential Privacy", 2022): H0 = "not a member" (outputs
follow P), H1 = "member" (outputs follow Q), alpha = FPR = type I error, beta = FNR = type II error,
and ``beta(alpha) = inf { FNR of any test with FPR <= alpha }``. A higher curve is a stronger
guarantee. The privacy loss is ``L = log dQ/dP``.

Some methods of the base class return objects of subclasses, whose modules they import when called:
the comment "closed algebra" marks these lines.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar, cast

import numpy as np

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory import profile
from dpviz.theory.polyline import curve_vertices, distinct_vertices

if TYPE_CHECKING:
    from dpviz.theory.atoms import Atoms
    from dpviz.theory.dominance import Dominance
    from dpviz.theory.outputs import OutputLaws

Adjacency = Literal["replace_one", "add_remove"]
ADJACENCIES = ("replace_one", "add_remove")
Floats = TypeVar("Floats", float, FloatArray)  # floats in, floats out; arrays in, arrays out
Breaks = tuple[float, ...]  # losses at which a function is not smooth
LossFunction = Callable[[FloatArray], FloatArray]  # of an array of privacy losses
# Values of parameters that no text states.
USUAL = {"error": 0.0, "sampling": "poisson", "averaging": "sum"}
SMALLEST_RATE = 1e-290  # rates below it are too near the smallest float to compute with
SLACK = 4 * float(np.finfo(np.float64).eps)  # tolerance of `admits` and of regions


def evaluate(
    method: LossFunction, name: str, value: Floats, low: float = -np.inf, high: float = np.inf
) -> Floats:
    """Return ``method(value)``; raise ValueError if `value` is outside [low, high]."""
    return cast(Floats, checks.float_if_scalar(method(checks.reals(name, value, low, high)) + 0.0))


@cache  # needed in every comparison of two claims
def _constructor_parameters(guarantee_class: type) -> tuple[str, ...]:
    return tuple(name for name in signature(guarantee_class).parameters if name != "adjacency")


def checked_adjacency(adjacency: str) -> Adjacency:
    """Return `adjacency`; raise ValueError unless it is one of `ADJACENCIES`."""
    return cast(Adjacency, checks.choice("adjacency", adjacency, ADJACENCIES))


class TradeoffFunction(ABC):
    """A privacy guarantee, represented by its trade-off function.

    Guarantees are immutable and hashable. A subclass is a frozen dataclass that implements `_beta`,
    `_tpr` (``1 - beta`` would lose small rates to cancellation), `kinks` where the curve has
    corners, and `is_symmetric` if it is False. All else follows numerically: delta and epsilon to
    about 12 digits if FPRs above 1e-290 decide (below, epsilon is inf, the safe side),
    `fpr_of_loss` to about 11. Losses on straight pieces of the curve are told apart if they differ
    by 1e-10. `FinitelyManyLosses` is exact. Methods that begin with an underscore get float64
    arrays in the valid range.

    Attributes
    ----------
    adjacency : {"replace_one", "add_remove"}, which pairs of data sets the guarantee is about
    claimed_epsilon, claimed_delta, stated_error : float, parameters that are named like methods

    Raises
    ------
    ValueError, if a parameter leaves its range; so do all subclasses and their methods

    Examples
    --------
    >>> from dpviz.theory import PureDP, TradeoffFunction
    >>> isinstance(PureDP(epsilon=1.0), TradeoffFunction)
    True
    """

    adjacency: Adjacency
    _group_factor: ClassVar[tuple[str, float] | None] = None  # parameter, factor for two records
    _largest_group: ClassVar[int] = 100  # repetitions of `_tpr` in a search of group privacy

    @abstractmethod
    def _beta(self, alpha: FloatArray) -> FloatArray:
        """Return `beta` at an array of FPRs in [0, 1]."""

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments of the constructor that rebuild this guarantee.

        `adjacency` is left out, and so are arguments with their default value in `USUAL`.
        """
        names = _constructor_parameters(type(self))
        given = {name: getattr(self, f"claimed_{name}", getattr(self, name)) for name in names}
        return {name: value for name, value in given.items() if USUAL.get(name) != value}

    @property
    def is_symmetric(self) -> bool:
        """Whether the pairs (P, Q) and (Q, P) have the same trade-off curve."""
        return True

    @property
    def kinks(self) -> tuple[float, ...]:
        """The FPRs in (0, 1) where the curve has a corner."""
        return ()

    @property
    def error(self) -> float:
        """The most by which the exact FNR can exceed the FNR of this curve.

        This holds at every FPR.
        """
        return 0.0

    def atoms(self) -> "Atoms | None":
        """Return the values of the privacy loss with their masses.

        The result is None if there are infinitely many values.
        """
        return None

    def outputs(self) -> "OutputLaws | None":
        """Return a pair of output distributions with exactly this curve.

        The result is None if no mechanism is known.
        """
        return None

    def beta(self, alpha: Floats) -> Floats:
        """Return the smallest FNR that any test with FPR `alpha` in [0, 1] can have."""
        return evaluate(self._beta, "alpha", alpha, 0, 1)

    def tpr(self, fpr: Floats) -> Floats:
        """Return the largest TPR, 1 - beta, of any test with this FPR."""
        return evaluate(self._tpr, "fpr", fpr, 0, 1)

    def advantage(self, fpr: Floats) -> Floats:
        """Return the largest TPR - FPR that any test with FPR `fpr` can have."""
        return evaluate(self._advantage, "fpr", fpr, 0, 1)

    def delta(self, epsilon: Floats) -> Floats:
        """Return the privacy profile delta(epsilon) of the pair (P, Q).

        The profile is ``sup_x 1 - beta(x) - e^epsilon x``. This is ``sup_R Q(R) - e^epsilon P(R)``,
        for any real epsilon; for (Q, P) see `inverse`.
        """
        return evaluate(self._delta, "epsilon", epsilon)

    def epsilon(self, delta: Floats) -> Floats:
        """Return the least epsilon >= 0 at which the privacy profile is at most delta.

        The result is inf if there is no such epsilon.
        """
        return evaluate(self._epsilon_rounded_up, "delta", delta, 0, 1)

    def fpr_of_loss(self, epsilon: Floats) -> Floats:
        """Return P(L >= epsilon), the FPR of the likelihood-ratio test "member if L >= epsilon".

        At this FPR a line of slope -e^epsilon supports the curve: ``delta = tpr - e^epsilon fpr``.
        """
        return evaluate(self._fpr_of_loss, "epsilon", epsilon)

    def admits(self, *, fpr: float, fnr: float) -> bool:
        """Return whether the guarantee allows an attack with these error rates.

        The opposite answers, with the rates 1 - FPR and 1 - FNR, must be allowed, too.
        """
        fpr = checks.real("fpr", fpr, 0, 1)
        fnr = checks.real("fnr", fnr, 0, 1)
        too_good = self.beta(fpr) - fnr
        too_bad = self.beta(1 - fpr) - (1 - fnr)
        return max(too_good, too_bad) <= SLACK

    def draw(self, n: int = 512) -> FloatArray:
        """Return at most `n` points (FPR, FNR) of the curve, including its kinks."""
        return curve_vertices(self._beta, kinks=self.kinks, n=checks.whole("n", n, 2))

    def region(self, n: int = 512) -> FloatArray:
        """Return the corners (FPR, FNR) of the region of allowed rates, counter-clockwise."""
        lower = self.draw(checks.whole("n", n, 4) // 2)
        return distinct_vertices(np.concatenate([lower, 1 - lower]))

    def inverse(self) -> "TradeoffFunction":
        """Return the guarantee of the reversed pair (Q, P).

        The curve is ``inf { x : beta(x) <= y }``.
        """
        from dpviz.theory.derived import inverse  # closed algebra

        return self if self.is_symmetric else inverse(self)

    def max_symmetrized(self) -> "TradeoffFunction":
        """Return ``max(f, inverse)``, the guarantee if both (P, Q) and (Q, P) satisfy f."""
        from dpviz.theory.derived import max_symmetrized  # closed algebra

        return self if self.is_symmetric else max_symmetrized(self)

    def min_symmetrized(self) -> "TradeoffFunction":
        """Return one guarantee for both (P, Q) and (Q, P).

        The curve is the greatest convex curve below this curve and its inverse.
        """
        from dpviz.theory.derived import min_symmetrized  # closed algebra

        return self if self.is_symmetric else min_symmetrized(self)

    def convexified(self) -> "TradeoffFunction":
        """Return the guarantee of the greatest convex function below the curve."""
        return self

    def dominates(self, other: "TradeoffFunction") -> "Dominance":
        """Compare this guarantee with another: which is stronger, and at which FPRs."""
        from dpviz.theory.dominance import compare  # closed algebra

        return compare(self, other)

    def to_replace_one(self) -> "TradeoffFunction":
        """Return the guarantee under replace-one adjacency.

        To replace a record is to remove one and add one. So if f holds for both orders under
        add/remove, ``f(1 - f(x))`` holds (group privacy, Dong, Roth and Su, theorem 2.14).
        """
        return self if self.adjacency == "replace_one" else self._replace_one_guarantee()

    def _replace_one_guarantee(self) -> "TradeoffFunction":
        """Return the replace-one guarantee that this add/remove guarantee implies."""
        from dpviz.theory.derived import group_privacy  # closed algebra

        if self._group_factor is not None:
            name, factor = self._group_factor
            grown = {name: self.parameters[name] * factor}
            return self.with_parameters(adjacency="replace_one", **grown)
        either_order = self.min_symmetrized().with_parameters(adjacency="replace_one")
        return group_privacy(either_order, size=2)

    def _mechanism_counts(self) -> Mapping["TradeoffFunction", int]:
        """Return the mechanisms whose composition is this guarantee, with their counts."""
        return {self: 1}

    def _renyi_bounds(self, orders: FloatArray) -> FloatArray:
        """Return bounds on the Rényi divergences of (P, Q) and (Q, P) at each order."""
        from dpviz.theory.renyi_divergence import divergence_bounds  # closed algebra

        return divergence_bounds(self, orders)

    def _smallest_rho(self) -> float:
        """Return the supremum of Rényi divergence / order, the rho of zCDP; inf if unknown."""
        from dpviz.theory.renyi_divergence import largest_divergence_per_order  # closed algebra

        return largest_divergence_per_order(self)

    def _set_fields(self, **fields: Any) -> None:
        """Set the attributes `fields` of this frozen dataclass, and check the adjacency."""
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        checked_adjacency(self.adjacency)

    def with_parameters(self, **changes: Any) -> Self:
        """Return a copy with some `parameters`, or the `adjacency`, changed."""
        return type(self)(**{**self.parameters, "adjacency": self.adjacency, **changes})

    def _tpr(self, fpr: FloatArray) -> FloatArray:
        return 1 - self._beta(fpr)

    def _advantage(self, fpr: FloatArray) -> FloatArray:
        return np.maximum(self._tpr(fpr) - fpr, 0.0)

    def _delta(self, epsilon: FloatArray) -> FloatArray:
        return profile.delta_of_tpr(self._tpr, epsilon, kinks=self.kinks)

    def _epsilon(self, delta: FloatArray) -> FloatArray:
        # A subclass's own `_delta` is more accurate than the profile of `_tpr`.
        if type(self)._delta is TradeoffFunction._delta:
            epsilon = profile.epsilon_of_tpr(self._tpr, delta, kinks=self.kinks)
        else:
            epsilon = profile.epsilon_of_delta(self._delta, delta)
        return np.where(delta == 0, self._loss_supremum(), epsilon)

    def _epsilon_rounded_up(self, delta: FloatArray) -> FloatArray:
        """Return `_epsilon(delta)`, raised until its `_delta` is at most `delta * (1 + SLACK)`."""
        epsilon = self._epsilon(delta)
        step, most = np.maximum(epsilon, 1e-9) * np.finfo(np.float64).eps, delta * (1 + SLACK)
        while True:
            # At delta 0, `epsilon` is the largest loss.
            is_finite = (delta > 0) & np.isfinite(epsilon)
            is_too_small = is_finite & (self._delta(np.where(is_finite, epsilon, 0.0)) > most)
            if not is_too_small.any():
                return epsilon
            with np.errstate(over="ignore"):
                epsilon, step = np.where(is_too_small, epsilon + step, epsilon), 2 * step

    def _loss_supremum(self) -> float:
        """Return the largest privacy loss, the log of minus the slope of the curve at FPR 0."""
        if type(self)._epsilon is not TradeoffFunction._epsilon:  # known in closed form
            return self.epsilon(0.0)
        return profile.largest_loss(self._tpr, self._beta)

    def _loss_infimum(self) -> float:
        """Return the limit of the privacy loss as the FPR goes to 1, or -inf if it is unknown."""
        return -self._loss_supremum() if self.is_symmetric else -np.inf

    def _delta_of_inverse(self, epsilon: FloatArray) -> FloatArray:
        """Return delta at each epsilon for the reversed pair (Q, P)."""
        if self.is_symmetric:
            return self._delta(epsilon)
        back = self.inverse()
        return profile.delta_of_tpr(back._tpr, epsilon, kinks=back.kinks)

    def _fpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        return profile.fpr_of_loss(self._tpr, self._beta, epsilon, kinks=self.kinks)

    def _tpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        """Return Q(L >= epsilon), the TPR of the likelihood-ratio test "member if L >= epsilon"."""
        fpr = self._fpr_of_loss(epsilon)
        tpr = self._tpr(fpr)
        if self.is_symmetric:  # L under Q is -L under P: accurate where the FPR underflows
            with np.errstate(over="ignore"):
                mirrored = 1 - self._fpr_of_loss(np.nextafter(-epsilon, np.inf))
            tpr = np.where(fpr < SMALLEST_RATE, np.maximum(tpr, mirrored), tpr)
        return tpr

    def _loss_at(self, fpr: FloatArray) -> FloatArray:
        """Return the loss at each FPR in (0, 1): log of minus the curve's slope to the right."""
        return profile.loss_at(self._tpr, self._beta, fpr, kinks=self.kinks)

    def _expectation(self, function: LossFunction, *, member: bool, breaks: Breaks) -> float | None:
        """Return `PrivacyLoss.expectation` by a formula; None if this class has no formula."""
        return None

    def __repr__(self) -> str:
        arguments = [f"{name}={value!r}" for name, value in self.parameters.items()]
        own = signature(type(self)).parameters.get("adjacency")
        is_usual = own is None or own.default in ("replace_one", Parameter.empty)
        if self.adjacency != "replace_one" or not is_usual:
            arguments.append(f"adjacency={self.adjacency!r}")
        return f"{type(self).__name__}({', '.join(arguments)})"


def checked_tradeoff(name: str, value: object) -> TradeoffFunction:
    """Return `value`; raise ValueError unless it is a trade-off function."""
    if not isinstance(value, TradeoffFunction):
        raise checks.fail(name, "a trade-off function such as dpviz.theory.PureDP", value)
    return value


def with_one_adjacency(
    name: str, functions: Sequence[TradeoffFunction], adjacency: str | None = None
) -> tuple[TradeoffFunction, ...]:
    """Return the functions, all with `adjacency` if given; else raise if adjacencies differ."""
    if isinstance(functions, TradeoffFunction) or not isinstance(functions, Iterable):
        raise checks.fail(name, "a sequence of trade-off functions", functions)
    checked = tuple(checked_tradeoff(name, f) for f in functions)
    if not checked:
        raise checks.fail(name, "at least one trade-off function", checked)
    # A given adjacency replaces that of each function.
    if adjacency is not None:
        checked_adjacency(adjacency)
        checked = tuple(
            f if f.adjacency == adjacency else f.with_parameters(adjacency=adjacency)
            for f in checked
        )
    adjacencies = sorted({f.adjacency for f in checked})
    if len(adjacencies) > 1:
        raise checks.fail(name, "guarantees for one adjacency", adjacencies)
    return checked
