"""A guarantee whose curve is another guarantee's, worked out when it is first needed."""

from abc import abstractmethod
from functools import cached_property

from dpviz.checks import FloatArray
from dpviz.theory.atoms import Atoms
from dpviz.theory.tradeoff import LossFunction, TradeoffFunction


class Delegated(TradeoffFunction):
    """Answers every question through `curve`."""

    @abstractmethod
    def _make_curve(self) -> TradeoffFunction:
        """The guarantee that has the curve; asked once."""

    @cached_property
    def curve(self) -> TradeoffFunction:
        """The guarantee that has the curve."""
        return self._make_curve()

    @property
    def is_symmetric(self) -> bool:
        """As `curve`."""
        return self.curve.is_symmetric

    @property
    def kinks(self) -> tuple[float, ...]:
        """Those of `curve`."""
        return self.curve.kinks

    @property
    def error(self) -> float:
        """That of `curve`."""
        return self.curve.error

    def atoms(self) -> Atoms | None:
        """Those of `curve`."""
        return self.curve.atoms()

    def draw(self, n: int = 512) -> FloatArray:
        """That of `curve`."""
        return self.curve.draw(n)

    def inverse(self) -> TradeoffFunction:
        """That of `curve`."""
        return self if self.is_symmetric else self.curve.inverse()

    def max_symmetrized(self) -> TradeoffFunction:
        """That of `curve`."""
        return self if self.is_symmetric else self.curve.max_symmetrized()

    def min_symmetrized(self) -> TradeoffFunction:
        """That of `curve`."""
        return self if self.is_symmetric else self.curve.min_symmetrized()

    def _beta(self, alpha: FloatArray) -> FloatArray:
        return self.curve._beta(alpha)

    def _tpr(self, fpr: FloatArray) -> FloatArray:
        return self.curve._tpr(fpr)

    def _advantage(self, fpr: FloatArray) -> FloatArray:
        return self.curve._advantage(fpr)

    def _delta(self, epsilon: FloatArray) -> FloatArray:
        return self.curve._delta(epsilon)

    def _epsilon(self, delta: FloatArray) -> FloatArray:
        return self.curve._epsilon(delta)

    def _fpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        return self.curve._fpr_of_loss(epsilon)

    def _tpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        return self.curve._tpr_of_loss(epsilon)

    def _expectation(
        self, function: LossFunction, *, member: bool, breaks: tuple[float, ...]
    ) -> float | None:
        return self.curve._expectation(function, member=member, breaks=breaks)

    def _loss_at(self, fpr: FloatArray) -> FloatArray:
        return self.curve._loss_at(fpr)
