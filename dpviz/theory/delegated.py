"""A guarantee whose curve is that of another guarantee, computed when it is first needed."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property, wraps
from operator import attrgetter
from typing import Any

from dpviz.theory.tradeoff import TradeoffFunction


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
