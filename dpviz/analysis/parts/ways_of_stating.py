"""One guarantee in every way of stating it, and what each allows at the FPR of examples."""

from dataclasses import dataclass
from functools import cached_property

from dpviz.analysis.memo import memoised
from dpviz.theory import Statement, TradeoffFunction, ways_of_stating


@dataclass(frozen=True, kw_only=True, eq=False)
class WaysPart:
    """The guarantee `given`, and what states it; the first statement is the guarantee itself."""

    given: TradeoffFunction
    statements: tuple[Statement, ...]
    fpr: float

    @cached_property
    def allowed(self) -> tuple[float | None, ...]:
        """The largest TPR that each allows at `fpr`; None where it states nothing."""
        return tuple(each.tpr(self.fpr) for each in self.statements)

    @property
    def itself(self) -> float:
        """The largest TPR that the guarantee itself allows."""
        return self.allowed[0] or 0.0


class Ways:
    """Computes the part; the same arguments give the same object."""

    @memoised
    def part(self, given: TradeoffFunction, delta: float, fpr: float) -> WaysPart:
        """What states a guarantee, with epsilons at delta, and what it allows at an FPR."""
        return WaysPart(given=given, statements=self._statements(given, delta), fpr=fpr)

    @memoised
    def _statements(self, given: TradeoffFunction, delta: float) -> tuple[Statement, ...]:
        return ways_of_stating(given, delta=delta)
