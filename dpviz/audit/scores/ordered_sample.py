"""Order statistics of members' or non-members' scores, one by one or as values with counts."""

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


class OrderedSample(ABC):
    """A sample in ascending order; ranks are counted from 0."""

    values: FloatArray  # ascending; of single records they may repeat
    size: int  # number of records

    @property
    @abstractmethod
    def counts(self) -> Counts:
        """Number of records of each of `values`."""

    @abstractmethod
    def below(self, places: ArrayLike) -> Counts:
        """Number of records less than each place; O(log n) each."""

    @abstractmethod
    def upto(self, places: ArrayLike) -> Counts:
        """Number of records of at most each place."""

    @abstractmethod
    def at(self, ranks: ArrayLike) -> FloatArray:
        """The order statistics at some ranks."""

    @abstractmethod
    def total(self, values: NDArray[Any]) -> Any:
        """Sum over all records of a quantity given for each of `values`; exact for integers."""

    @abstractmethod
    def mapped(self, rising: Callable[[FloatArray], FloatArray]) -> "OrderedSample":
        """The sample after a nondecreasing function."""

    @abstractmethod
    def negated(self) -> "OrderedSample":
        """The sample with the other sign, in ascending order again."""

    @abstractmethod
    def without(self, ranks: Counts) -> "OrderedSample":
        """The sample without the records at these (distinct) ranks."""

    @abstractmethod
    def drawn(self, rng: np.random.Generator) -> Counts:
        """Records of each of `values` in a bootstrap sample of the same size."""

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
        """Number of records of at least each place."""
        return self.size - self.below(places)


class SortedSample(OrderedSample):
    """Records one by one, in ascending order."""

    def __init__(self, ascending: FloatArray) -> None:
        self.values = ascending
        self.size = ascending.size

    @property
    def counts(self) -> Counts:
        return np.broadcast_to(np.int64(1), self.size)

    def below(self, places: ArrayLike) -> Counts:
        return np.asarray(np.searchsorted(self.values, places, side="left"), np.int64)

    def upto(self, places: ArrayLike) -> Counts:
        return np.asarray(np.searchsorted(self.values, places, side="right"), np.int64)

    def at(self, ranks: ArrayLike) -> FloatArray:
        return np.asarray(self.values[np.asarray(ranks)])

    def total(self, values: NDArray[Any]) -> Any:
        return values.sum().item()

    def mapped(self, rising: Callable[[FloatArray], FloatArray]) -> "SortedSample":
        return SortedSample(checks.read_only(rising(self.values)))

    def negated(self) -> "SortedSample":
        return SortedSample(-self.values[::-1])

    def without(self, ranks: Counts) -> "SortedSample":
        left = np.ones(self.size, np.bool)
        left[ranks] = False
        return SortedSample(self.values[left])

    def drawn(self, rng: np.random.Generator) -> Counts:
        ranks = rng.integers(self.size, size=self.size).astype(np.intp, copy=False)
        return np.asarray(np.bincount(ranks, minlength=self.size), np.int64)

    @cached_property
    def moments(self) -> tuple[float, float]:
        return float(self.values.mean()), float(self.values.std())


class CountedSample(OrderedSample):
    """Distinct values with the number of records of each, at least 1."""

    def __init__(self, values: FloatArray, counts: Counts) -> None:
        self.values = values
        self._upto = np.concatenate([[0], np.cumsum(counts)])
        self.size = int(self._upto[-1])

    @classmethod
    def filled(cls, values: FloatArray, counts: Counts) -> "CountedSample":
        """The sample of these values, those without records left out."""
        some = counts > 0
        return cls(values[some], counts[some])

    @property
    def counts(self) -> Counts:
        return np.diff(self._upto)

    def below(self, places: ArrayLike) -> Counts:
        return np.asarray(self._upto[np.searchsorted(self.values, places, side="left")])

    def upto(self, places: ArrayLike) -> Counts:
        return np.asarray(self._upto[np.searchsorted(self.values, places, side="right")])

    def at(self, ranks: ArrayLike) -> FloatArray:
        return np.asarray(self.values[np.searchsorted(self._upto, ranks, side="right") - 1])

    def total(self, values: NDArray[Any]) -> Any:
        # Whole numbers exactly, however many.
        if values.dtype.kind in "iu" and self.size * int(np.abs(values).max()) > LARGEST_COUNT:
            return np.dot(self.counts.astype(object), values.astype(object))
        return (self.counts @ values).item()

    def mapped(self, rising: Callable[[FloatArray], FloatArray]) -> "CountedSample":
        return CountedSample(rising(self.values), self.counts)

    def negated(self) -> "CountedSample":
        return CountedSample(-self.values[::-1], self.counts[::-1])

    def without(self, ranks: Counts) -> "CountedSample":
        place = np.searchsorted(self._upto, ranks, side="right") - 1
        left = self.counts - np.bincount(place, minlength=self.values.size)
        return CountedSample.filled(self.values, left)

    def drawn(self, rng: np.random.Generator) -> Counts:
        return rng.multinomial(self.size, self.counts / self.size)
