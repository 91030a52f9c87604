"""Trade-off functions: the smallest false negative rate at every false positive rate.

Convention (Dong, Roth and Su, "Gaussian Differential Privacy", 2022): H0 = "not a member" (outputs
follow P), H1 = "member" (outputs follow Q), alpha = FPR = type I error, beta = FNR = type II error,
and ``beta(alpha) = inf { FNR of any test with FPR <= alpha }``. A higher curve is a stronger
guarantee. The privacy loss is ``L = log dQ/dP``.

Trade-off functions are a closed algebra: five methods of the base class build functions that are
its subclasses, so they import them when they are called ("closed algebra" marks these lines).
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
from dpviz.theory.polyline import distinct_vertices, spread_vertices

if TYPE_CHECKING:
    from dpviz.theory.atoms import Atoms
    from dpviz.theory.dominance import Dominance
    from dpviz.theory.outputs import OutputLaws

Adjacency = Literal["replace_one", "add_remove"]
ADJACENCIES = ("replace_one", "add_remove")
Floats = TypeVar("Floats", float, FloatArray)  # floats in, floats out; arrays in, arrays out
Breaks = tuple[float, ...]  # losses at which a function is not smooth
LossFunction = Callable[[FloatArray], FloatArray]  # of an array of privacy losses
SMALLEST_RATE = 1e-290  # rates below it are too near the smallest float to compute with
SLACK = 4 * float(np.finfo(np.float64).eps)  # of `admits` and of regions: 4 units in the last place


def evaluate(
    method: LossFunction, name: str, value: Floats, low: float = -np.inf, high: float = np.inf
) -> Floats:
    """Check that `value` is in [low, high], then apply `method`; floats give floats."""
    # No number is -0.0.
    return cast(Floats, checks.float_if_scalar(method(checks.reals(name, value, low, high)) + 0.0))


@cache  # needed in every comparison of two claims
def _argument_names(kind: type) -> tuple[str, ...]:
    return tuple(name for name in signature(kind).parameters if name != "adjacency")


def checked_adjacency(adjacency: str) -> Adjacency:
    """Return `adjacency`; ValueError unless it is one of `ADJACENCIES`."""
    return cast(Adjacency, checks.choice("adjacency", adjacency, ADJACENCIES))


class TradeoffFunction(ABC):
    """A privacy guarantee as a trade-off function; immutable and hashable.

    A mechanism is a frozen dataclass that implements `_beta` and `_tpr`, whose default ``1 -
    beta`` loses small rates to cancellation, `kinks` where the curve has corners, and
    `is_symmetric` if it is not. All else then follows numerically: delta and epsilon to about 12
    digits where FPRs above 1e-290 decide (below, epsilon is inf, the safe side), `fpr_of_loss` to
    about 11; losses with mass (straight pieces of the curve, between `kinks`) are told apart from
    others that differ by 1e-10. Finite losses derive from `FiniteLoss`, which is exact. Methods
    that begin with an underscore get float64 arrays that are already checked.

    Attributes
    ----------
    adjacency : {"replace_one", "add_remove"}, which pairs of data sets the guarantee is about
    claimed_epsilon, claimed_delta, stated_error : float, parameters whose names methods have

    Raises
    ------
    ValueError
        If a parameter leaves its range; so do every guarantee and its methods.

    Examples
    --------
    >>> from dpviz.theory import PureDP, TradeoffFunction
    >>> isinstance(PureDP(epsilon=1.0), TradeoffFunction)
    True
    """

    adjacency: Adjacency
    _grown: ClassVar[tuple[str, float] | None] = None  # what two steps multiply, and by how much

    @abstractmethod
    def _beta(self, alpha: FloatArray) -> FloatArray:
        """`beta` at an array of FPRs that are known to be in [0, 1]."""

    @property
    def parameters(self) -> dict[str, Any]:
        """The keyword arguments (other than `adjacency`) that build this guarantee again."""
        names = _argument_names(type(self))
        return {name: getattr(self, f"claimed_{name}", getattr(self, name)) for name in names}

    @property
    def is_symmetric(self) -> bool:
        """Whether the curve is its own inverse: both orders of the pair are equally private."""
        return True

    @property
    def kinks(self) -> tuple[float, ...]:
        """FPRs in (0, 1) where the curve has a corner; drawings keep these vertices."""
        return ()

    @property
    def error(self) -> float:
        """Largest amount, in FNR, by which this curve is below the exact one; 0 if closed-form."""
        return 0.0

    def atoms(self) -> "Atoms | None":
        """The values of the privacy loss with their masses; None if there are infinitely many."""
        return None

    def outputs(self) -> "OutputLaws | None":
        """The output distributions with exactly this trade-off; None if no mechanism is named."""
        return None

    def beta(self, alpha: Floats) -> Floats:
        """Smallest FNR any test with FPR `alpha` in [0, 1] can have."""
        return evaluate(self._beta, "alpha", alpha, 0, 1)

    def tpr(self, fpr: Floats) -> Floats:
        """Largest TPR any test with FPR `fpr` can have: ``1 - beta(fpr)``, without cancellation."""
        return evaluate(self._tpr, "fpr", fpr, 0, 1)

    def advantage(self, fpr: Floats) -> Floats:
        """Largest TPR - FPR any test with FPR `fpr` can have; in [0, 1]."""
        return evaluate(self._advantage, "fpr", fpr, 0, 1)

    def delta(self, epsilon: Floats) -> Floats:
        """One-sided privacy profile ``sup_x 1 - beta(x) - e^epsilon x``, for any real epsilon.

        It is ``sup_R Q(R) - e^epsilon P(R)``; the other order of the pair is ``inverse().delta``.
        """
        return evaluate(self._delta, "epsilon", epsilon)

    def epsilon(self, delta: Floats) -> Floats:
        """Smallest epsilon >= 0 with ``self.delta(epsilon) <= delta``; inf if there is none."""
        return evaluate(self._epsilon, "delta", delta, 0, 1)

    def fpr_of_loss(self, epsilon: Floats) -> Floats:
        """FPR of the likelihood-ratio test "member if L >= epsilon": P(L >= epsilon) under H0.

        The curve's supporting line of slope -e^epsilon touches it there, so
        ``delta(epsilon) = tpr(x) - e^epsilon x`` at ``x = fpr_of_loss(epsilon)``.
        """
        return evaluate(self._fpr_of_loss, "epsilon", epsilon)

    def admits(self, *, fpr: float, fnr: float) -> bool:
        """Whether the guarantee allows an attack with these rates, and its answers flipped."""
        fpr = checks.real("fpr", fpr, 0, 1)
        fnr = checks.real("fnr", fnr, 0, 1)
        too_good = self.beta(fpr) - fnr
        # The attack with all answers flipped has the complements as its rates.
        too_bad = self.beta(1 - fpr) - (1 - fnr)
        return max(too_good, too_bad) <= SLACK

    def draw(self, n: int = 512) -> FloatArray:
        """At most `n` (>= 2) vertices of the curve, with its kinks; shape (k, 2), FPR and FNR."""
        return spread_vertices(self._beta, kinks=self.kinks, n=checks.whole("n", n, 2))

    def region(self, n: int = 512) -> FloatArray:
        """Corners of all (FPR, FNR) the guarantee allows, counter-clockwise; shape (k, 2)."""
        lower = self.draw(checks.whole("n", n, 4) // 2)
        return distinct_vertices(np.concatenate([lower, 1 - lower]))

    def inverse(self) -> "TradeoffFunction":
        """The guarantee of the pair in the other order, T(Q, P): ``inf { x : beta(x) <= y }``."""
        from dpviz.theory.derived import inverse  # closed algebra

        return self if self.is_symmetric else inverse(self)

    def max_symmetrized(self) -> "TradeoffFunction":
        """``max(f, inverse)``: what follows when this guarantee holds for both orders of a pair."""
        from dpviz.theory.derived import max_symmetrized  # closed algebra

        return self if self.is_symmetric else max_symmetrized(self)

    def min_symmetrized(self) -> "TradeoffFunction":
        """Convexified ``min(f, inverse)``: what holds when either order of this pair may occur."""
        from dpviz.theory.derived import min_symmetrized  # closed algebra

        return self if self.is_symmetric else min_symmetrized(self)

    def convexified(self) -> "TradeoffFunction":
        """The greatest convex function below the curve (biconjugate); itself if it is convex."""
        return self

    def dominates(self, other: "TradeoffFunction") -> "Dominance":
        """Compare with another guarantee at every FPR: which is stronger, and where."""
        from dpviz.theory.dominance import compare  # closed algebra

        return compare(self, other)

    def to_replace_one(self) -> "TradeoffFunction":
        """The guarantee under replace-one adjacency (itself if it already is one).

        Under add/remove, replacing one record is two steps, one in each order: ``f(1 - f(.))`` with
        a guarantee f for both orders (group privacy, Dong, Roth and Su, theorem 2.14).
        """
        return self if self.adjacency == "replace_one" else self._replace_one_guarantee()

    def _replace_one_guarantee(self) -> "TradeoffFunction":
        """The guarantee for replacing a record that follows from this one for add/remove."""
        from dpviz.theory.derived import group_privacy  # closed algebra

        if self._grown is not None:
            name, factor = self._grown
            grown = {name: self.parameters[name] * factor}
            return self.with_parameters(adjacency="replace_one", **grown)
        either_order = self.min_symmetrized().with_parameters(adjacency="replace_one")
        return group_privacy(either_order, size=2)

    def _factors(self) -> Mapping["TradeoffFunction", int]:
        """The pairs that compose to this guarantee, and how often each of them occurs."""
        return {self: 1}

    def _renyi_bounds(self, orders: FloatArray) -> FloatArray:
        """Bounds on the Rényi divergences of this pair, either way round; inf if none is known."""
        from dpviz.theory.renyi_divergence import loss_divergences  # closed algebra

        return loss_divergences(self, orders)

    def _smallest_rho(self) -> float:
        """Supremum of the Rényi divergence divided by its order; inf if none is known."""
        from dpviz.theory.renyi_divergence import largest_ratio  # closed algebra

        return largest_ratio(self)

    def _assign(self, **fields: Any) -> None:
        """Set attributes of the frozen dataclass in its constructor; check its adjacency."""
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        checked_adjacency(self.adjacency)

    def with_parameters(self, **changes: Any) -> Self:
        """The same kind of guarantee with some of its `parameters` (or `adjacency`) changed."""
        return type(self)(**{**self.parameters, "adjacency": self.adjacency, **changes})

    def _tpr(self, fpr: FloatArray) -> FloatArray:
        return 1 - self._beta(fpr)

    def _advantage(self, fpr: FloatArray) -> FloatArray:
        return np.maximum(self._tpr(fpr) - fpr, 0.0)

    def _delta(self, epsilon: FloatArray) -> FloatArray:
        return profile.delta_of_tpr(self._tpr, epsilon, kinks=self.kinks)

    def _epsilon(self, delta: FloatArray) -> FloatArray:
        # A profile of its own is the more exact source of epsilon.
        if type(self)._delta is TradeoffFunction._delta:
            epsilon = profile.epsilon_of_tpr(self._tpr, delta, kinks=self.kinks)
        else:
            epsilon = profile.epsilon_of_delta(self._delta, delta)
        return np.where(delta == 0, self._largest_loss(), epsilon)

    def _largest_loss(self) -> float:
        """The largest loss, from the curve: a profile underflows before it is really 0."""
        if type(self)._epsilon is not TradeoffFunction._epsilon:  # known in closed form
            return self.epsilon(0.0)
        return profile.largest_loss(self._tpr, self._beta)

    def _smallest_loss(self) -> float:
        """Limit of the loss as the FPR goes to 1; -inf if that is not known."""
        return -self._largest_loss() if self.is_symmetric else -np.inf

    def _delta_back(self, epsilon: FloatArray) -> FloatArray:
        """`_delta` of the pair in the other order, (Q, P)."""
        if self.is_symmetric:
            return self._delta(epsilon)
        back = self.inverse()
        return profile.delta_of_tpr(back._tpr, epsilon, kinks=back.kinks)

    def _fpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        return profile.fpr_of_loss(self._tpr, self._beta, epsilon, kinks=self.kinks)

    def _tpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        """TPR of the likelihood-ratio test "member if L >= epsilon": Q(L >= epsilon)."""
        fpr = self._fpr_of_loss(epsilon)
        tpr = self._tpr(fpr)
        if self.is_symmetric:  # L under Q is -L under P, for losses too rare for a float under P
            with np.errstate(over="ignore"):
                mirrored = 1 - self._fpr_of_loss(np.nextafter(-epsilon, np.inf))
            tpr = np.where(fpr < SMALLEST_RATE, np.maximum(tpr, mirrored), tpr)
        return tpr

    def _loss_at(self, fpr: FloatArray) -> FloatArray:
        """Log of minus the slope of the curve right of `fpr` in (0, 1): the loss on that edge."""
        return profile.loss_at(self._tpr, self._beta, fpr, kinks=self.kinks)

    def _expectation(self, function: LossFunction, *, member: bool, breaks: Breaks) -> float | None:
        """E[function(L)] if a subclass has its own method for it, otherwise None."""
        return None

    def __repr__(self) -> str:
        arguments = [f"{name}={value!r}" for name, value in self.parameters.items()]
        own = signature(type(self)).parameters.get("adjacency")
        is_usual = own is None or own.default in ("replace_one", Parameter.empty)
        if self.adjacency != "replace_one" or not is_usual:
            arguments.append(f"adjacency={self.adjacency!r}")
        return f"{type(self).__name__}({', '.join(arguments)})"


def checked_tradeoff(name: str, value: object) -> TradeoffFunction:
    """Return `value`; ValueError unless it is a trade-off function."""
    if not isinstance(value, TradeoffFunction):
        raise checks.fail(name, "a trade-off function such as dpviz.theory.PureDP", value)
    return value


def of_one_adjacency(
    name: str, functions: Sequence[TradeoffFunction], adjacency: str | None = None
) -> tuple[TradeoffFunction, ...]:
    """Return the functions, with `adjacency` if given; ValueError if adjacencies differ."""
    if isinstance(functions, TradeoffFunction) or not isinstance(functions, Iterable):
        raise checks.fail(name, "a sequence of trade-off functions", functions)
    checked = tuple(checked_tradeoff(name, f) for f in functions)
    if not checked:
        raise checks.fail(name, "at least one trade-off function", checked)
    if adjacency is not None:
        checked_adjacency(adjacency)
        checked = tuple(
            f if f.adjacency == adjacency else f.with_parameters(adjacency=adjacency)
            for f in checked
        )
    adjacencies = sorted({f.adjacency for f in checked})
    if len(adjacencies) > 1:
        raise checks.fail(name, "of one adjacency", adjacencies)
    return checked
