"""Group privacy: a guarantee for one step, followed over several steps."""

from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.piecewise_linear import PiecewiseLinear
from dpviz.theory.tradeoff import Adjacency, TradeoffFunction


@dataclass(frozen=True, repr=False)
class GroupPrivacy(TradeoffFunction):
    """What a guarantee f for one step says about data sets `size` steps apart.

    ``f_k(a) = f(1 - f_(k-1)(a))`` (Dong, Roth and Su, theorem 2.14). Mechanisms whose noise only
    has to cover a larger shift convert exactly and do not need it.

    Parameters
    ----------
    base : TradeoffFunction
        The guarantee for one step, valid for both orders of a pair.
    size : int
        Number of steps, at least 1.
    """

    base: TradeoffFunction
    size: int = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", checks.whole("size", self.size, 1))

    @property
    def adjacency(self) -> Adjacency:  # type: ignore[override]
        """That of the base."""
        return self.base.adjacency

    @property
    def kinks(self) -> tuple[float, ...]:
        """Where one of the steps meets a kink of the base."""
        own, back = set(self.base.kinks), self.base.inverse()
        found = own
        for _ in range(self.size - 1):
            found = own | {back.beta(1 - x) for x in found}
        return tuple(sorted(x for x in found if 0 < x < 1))

    @property
    def is_symmetric(self) -> bool:
        """As the base."""
        return self.base.is_symmetric

    def to_replace_one(self) -> TradeoffFunction:
        """Twice as many steps."""
        return self if self.adjacency == "replace_one" else group_privacy(self, size=2)

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
    group = GroupPrivacy(f, size=size)
    if f.atoms() is None:
        return group
    x = np.array([0.0, *group.kinks, 1.0])
    return PiecewiseLinear(np.column_stack([x, group.beta(x)]), adjacency=f.adjacency)
