"""One class's scores in ascending order, asked for counts: records one by one, or values counted.

Functions of scores ask these, so that they need not know which of both they have.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.checks import FloatArray

Counts = NDArray[np.int64]
LARGEST_COUNT = int(np.iinfo(np.int64).max)


class Ascending(ABC):
    """A sample in ascending order; ranks are counted from 0."""

    values: FloatArray
    """Ascending; of single records these repeat."""
    size: int
    """Records."""

    @property
    @abstractmethod
    def counts(self) -> Counts:
        """Records of each of `values`."""

    @abstractmethod
    def below(self, places: ArrayLike) -> Counts:
        """How many are less than each place; O(log n) each."""

    @abstractmethod
    def upto(self, places: ArrayLike) -> Counts:
        """How many are at most each place."""

    @abstractmethod
    def at(self, ranks: ArrayLike) -> FloatArray:
        """The records at some ranks."""

    @abstractmethod
    def total(self, values: NDArray[Any]) -> Any:
        """The sum over records of something of each of `values`; whole numbers stay whole."""

    @abstractmethod
    def mapped(self, rising: Callable[[FloatArray], FloatArray]) -> "Ascending":
        """The sample after a function that does not fall."""

    @abstractmethod
    def negated(self) -> "Ascending":
        """The sample with the other sign, which turns the order."""

    @abstractmethod
    def without(self, ranks: Counts) -> "Ascending":
        """What is left without the records at these (distinct) ranks."""

    @abstractmethod
    def drawn(self, rng: np.random.Generator) -> Counts:
        """Records of each of `values` where as many are drawn again, with replacement."""

    @property
    def smallest(self) -> float:
        """The first record."""
        return float(self.values[0])

    @property
    def largest(self) -> float:
        """The last record."""
        return float(self.values[-1])

    @cached_property
    def moments(self) -> tuple[float, float]:
        """Mean and standard deviation (ddof = 0)."""
        shares = self.counts / self.size
        mean = float(shares @ self.values)
        return mean, float(np.sqrt(shares @ (self.values - mean) ** 2))

    def at_least(self, places: ArrayLike) -> Counts:
        """How many are no less than each place."""
        return self.size - self.below(places)


class Sorted(Ascending):
    """Records one by one, sorted."""

    def __init__(self, ascending: FloatArray) -> None:
        self.values = ascending
        self.size = ascending.size

    @property
    def counts(self) -> Counts:
        """One each."""
        return np.broadcast_to(np.int64(1), self.size)

    def below(self, places: ArrayLike) -> Counts:
        """By binary search, as all of these."""
        return np.asarray(np.searchsorted(self.values, places, side="left"))

    def upto(self, places: ArrayLike) -> Counts:
        """How many are at most each place."""
        return np.asarray(np.searchsorted(self.values, places, side="right"))

    def at(self, ranks: ArrayLike) -> FloatArray:
        """A look into the array."""
        return np.asarray(self.values[np.asarray(ranks)])

    def total(self, values: NDArray[Any]) -> Any:
        """One each."""
        return values.sum().item()

    def mapped(self, rising: Callable[[FloatArray], FloatArray]) -> "Sorted":
        """Each record."""
        return Sorted(checks.read_only(rising(self.values)))

    def negated(self) -> "Sorted":
        """The array turned round."""
        return Sorted(-self.values[::-1])

    def without(self, ranks: Counts) -> "Sorted":
        """The others, still ascending."""
        left = np.ones(self.size, np.bool)
        left[ranks] = False
        return Sorted(self.values[left])

    def drawn(self, rng: np.random.Generator) -> Counts:
        """How often each was drawn."""
        return np.bincount(rng.integers(self.size, size=self.size), minlength=self.size)

    @cached_property
    def moments(self) -> tuple[float, float]:
        """Mean and standard deviation (ddof = 0)."""
        return float(self.values.mean()), float(self.values.std())


class Counted(Ascending):
    """Values with numbers of records, each at least 1."""

    def __init__(self, values: FloatArray, counts: Counts) -> None:
        self.values = values
        self._upto = np.concatenate([[0], np.cumsum(counts)])
        self.size = int(self._upto[-1])

    @classmethod
    def filled(cls, values: FloatArray, counts: Counts) -> "Counted":
        """Without the values that have no records."""
        some = counts > 0
        return cls(values[some], counts[some])

    @property
    def counts(self) -> Counts:
        """As they were given."""
        return np.diff(self._upto)

    def below(self, places: ArrayLike) -> Counts:
        """By binary search among the values."""
        return np.asarray(self._upto[np.searchsorted(self.values, places, side="left")])

    def upto(self, places: ArrayLike) -> Counts:
        """How many are at most each place."""
        return np.asarray(self._upto[np.searchsorted(self.values, places, side="right")])

    def at(self, ranks: ArrayLike) -> FloatArray:
        """By binary search among the counts."""
        return np.asarray(self.values[np.searchsorted(self._upto, ranks, side="right") - 1])

    def total(self, values: NDArray[Any]) -> Any:
        """As often as there are records; whole numbers exactly, however many."""
        if values.dtype.kind in "iu" and self.size * int(np.abs(values).max()) > LARGEST_COUNT:
            return np.dot(self.counts.astype(object), values.astype(object))
        return (self.counts @ values).item()

    def mapped(self, rising: Callable[[FloatArray], FloatArray]) -> "Counted":
        """Each value."""
        return Counted(rising(self.values), self.counts)

    def negated(self) -> "Counted":
        """Values and counts turned round."""
        return Counted(-self.values[::-1], self.counts[::-1])

    def without(self, ranks: Counts) -> "Counted":
        """With smaller counts."""
        place = np.searchsorted(self._upto, ranks, side="right") - 1
        left = self.counts - np.bincount(place, minlength=self.values.size)
        return Counted.filled(self.values, left)

    def drawn(self, rng: np.random.Generator) -> Counts:
        """A multinomial draw."""
        return rng.multinomial(self.size, self.counts / self.size)
