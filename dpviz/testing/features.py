"""Features of outputs: functions with few integer values and, if possible, a description."""

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from dpviz.checks import FloatArray
from dpviz.number_format import exact
from dpviz.testing.outputs import Outputs

Codes = NDArray[np.uint8]
Relation = Literal["at_least", "below", "equal"]
QUANTILES = 32  # bins between quantiles, of a number that has many values
MOST_VALUES = 32  # of a number or a text that have a bin of their own
FREQUENT_SHARE = 0.02  # share of outputs from which on a value has a bin of its own
EDGE_DIGITS = 4  # of bin ends between values, so that they can be read
MOST_FEATURES = 64  # those that separate the two data sets best
MOST_SHOWN_COLUMNS = 4  # columns of a linear combination that can be read
MOST_SHOWN_CELLS = 16  # numbers and texts of a whole output that can be read
RIDGE = 1e-9  # added to the variances of the linear discriminant, as a fraction of them
LOWEST_SET_BIT_OF_ZERO = 1100.0  # a multiple of every power of 2


class Feature(ABC):
    """A function of an output, with integer values below `size`, that a classifier uses."""

    size: int

    @abstractmethod
    def codes(self, outputs: Outputs) -> Codes:
        """Return the value of the feature for each output."""

    @abstractmethod
    def text(self, relation: Relation, code: int) -> str:
        """Describe the outputs whose value has this relation to `code`; "" if there is no text."""


class NumberBin(Feature):
    """A feature: the bin of the number in a column; bin 0 is for NaN and for texts."""

    def __init__(self, name: str, outputs: Outputs) -> None:
        self.name = name
        values = self.values(outputs)
        self.edges = bin_edges(values[~np.isnan(values)])
        self.size = 2 + self.edges.size

    def values(self, outputs: Outputs) -> FloatArray:
        """Return for each output the number to be binned, or NaN for an output without number."""
        return outputs.numbers_and_texts(self.name)[0]

    @override
    def codes(self, outputs: Outputs) -> Codes:
        values = self.values(outputs)
        found = 1 + np.searchsorted(self.edges, values, side="right")
        return np.where(np.isnan(values), 0, found).astype(np.uint8)

    @override
    def text(self, relation: Relation, code: int) -> str:
        if code < 2:  # these bins have no lower edge
            return f"{self.name} is NaN" if (relation, code) == ("equal", 0) else ""
        edge = self.edges[code - 2]
        if relation == "equal":
            is_value = edge == np.inf or self._has_one_float(code - 1)
            return f"{self.name} = {exact(edge)}" if is_value else ""
        # The bin below is named by its float if it holds a single one.
        if self._has_one_float(code - 2):
            sign = "≤" if relation == "below" else ">"
            return f"{self.name} {sign} {exact(self.edges[code - 3])}"
        return f"{self.name} {'<' if relation == 'below' else '≥'} {exact(edge)}"

    def _has_one_float(self, edge: int) -> bool:
        """Return whether the bin that ends at `edges[edge]` contains a single float."""
        begin = self.edges[max(edge - 1, 0) : edge + 1]
        return len(begin) == 2 and bool(np.nextafter(begin[0], np.inf) == begin[1])


class LowestSetBit(NumberBin):
    """A feature: the exponent of the largest power of 2 that divides a float (Mironov, 2012)."""

    @override
    def values(self, outputs: Outputs) -> FloatArray:
        numbers = super().values(outputs)
        is_finite = np.isfinite(numbers)
        mantissa, exponent = np.frexp(np.where(is_finite, numbers, 0.0))
        # A float is a whole number of 53 bits times a power of 2; x & -x is its lowest bit.
        whole = np.abs(mantissa * 2.0**53).astype(np.int64)
        last = np.log2(np.maximum(whole & -whole, 1)) + exponent - 53
        return np.where(is_finite, np.where(whole == 0, LOWEST_SET_BIT_OF_ZERO, last), np.nan)

    @override
    def text(self, relation: Relation, code: int) -> str:
        if code < 2 or relation == "equal":
            return ""
        article = "no" if relation == "below" else "a"
        return f"{self.name} is {article} multiple of 2^{math.ceil(self.edges[code - 2])}"


class DiscriminantBin(NumberBin):
    """A feature: the bin of Fisher's linear discriminant, a combination of the number columns."""

    def __init__(self, names: Sequence[str], outputs: Outputs, is_second: NDArray[np.bool]) -> None:
        self.columns = names
        x = self._number_matrix(outputs)
        known = np.isfinite(x).all(axis=1)
        x, y = x[known], is_second[known]
        low, high = np.quantile(x, [0.01, 0.99], axis=0)
        x = np.clip(x, low, high)
        with np.errstate(over="ignore"):
            scale = x.std(axis=0)
        # A column without a finite spread above 0 has no weight.
        scale = np.where((scale > 0) & np.isfinite(scale), scale, np.inf)
        first, second = x[~y] / scale, x[y] / scale
        # The covariance within the data sets, solved for the difference of their means.
        inside = np.concatenate([first - first.mean(axis=0), second - second.mean(axis=0)])
        spread = inside.T @ inside / len(inside) + RIDGE * np.eye(len(names))
        weights = np.linalg.solve(spread, second.mean(axis=0) - first.mean(axis=0)) / scale
        largest = np.abs(weights).max()
        self.weights = np.round(weights / largest, 6) if largest > 0 else weights
        super().__init__(self._formula_text(), outputs)

    @override
    def values(self, outputs: Outputs) -> FloatArray:
        with np.errstate(invalid="ignore"):
            return np.asarray(self._number_matrix(outputs) @ self.weights)

    def _number_matrix(self, outputs: Outputs) -> FloatArray:
        return np.column_stack([outputs.numbers_and_texts(name)[0] for name in self.columns])

    def _formula_text(self) -> str:
        if len(self.columns) > MOST_SHOWN_COLUMNS:
            return f"a linear combination of {len(self.columns)} numbers"
        terms = zip(self.weights.tolist(), self.columns, strict=True)
        written = "".join(f" {'-' if w < 0 else '+'} {exact(abs(w))}·{x}" for w, x in terms if w)
        return written.removeprefix(" + ").strip()


class FrequentValue(Feature):
    """A feature with a code for each frequent value; code 0 stands for all other values."""

    def __init__(
        self,
        outputs: Outputs,
        is_second: NDArray[np.bool],
        values_of: Callable[[Outputs], Sequence[Hashable]],
        text_of_row: Callable[[int], str],
    ) -> None:
        self._values_of = values_of
        values = values_of(outputs)
        counted = Counter(values)
        of_second = Counter(value for value, y in zip(values, is_second, strict=True) if y)
        frequent = [value for value, n in counted.most_common(MOST_VALUES) if n > 1]
        # In the order of their shares on the second data set, so that few splits suffice.
        frequent.sort(key=lambda value: (of_second[value] + 1) / (counted[value] + 2))
        self.frequent = {value: code for code, value in enumerate(frequent, 1)}
        self.size = 1 + len(frequent)
        rows = {value: row for row, value in enumerate(values)}
        self.texts = {code: text_of_row(rows[value]) for value, code in self.frequent.items()}

    @classmethod
    def of_column(cls, name: str, outputs: Outputs, is_second: NDArray[np.bool]) -> "FrequentValue":
        """Return a feature with a code for each frequent text in a column."""
        texts = outputs.numbers_and_texts(name)[1]

        def text_of_row(row: int) -> str:
            return f"{name} is {'a number' if texts[row] is None else texts[row]}"

        return cls(outputs, is_second, lambda x: list(x.numbers_and_texts(name)[1]), text_of_row)

    @classmethod
    def of_outputs(cls, outputs: Outputs, is_second: NDArray[np.bool]) -> "FrequentValue":
        """Return a feature with a code for each frequent output."""
        names = outputs.names

        def text_of_row(row: int) -> str:
            if len(names) > MOST_SHOWN_CELLS:
                return ""
            columns = [outputs.numbers_and_texts(name) for name in names]
            cells = [text[row] or exact(numbers[row]) for numbers, text in columns]
            return f"output = ({', '.join(cells)})"

        return cls(outputs, is_second, lambda table: table.row_keys(names), text_of_row)

    @override
    def codes(self, outputs: Outputs) -> Codes:
        return np.array([self.frequent.get(x, 0) for x in self._values_of(outputs)], np.uint8)

    @override
    def text(self, relation: Relation, code: int) -> str:
        return self.texts.get(code, "") if relation == "equal" else ""


def features_of(outputs: Outputs, is_second: NDArray[np.bool], *, low_bits: bool) -> list[Feature]:
    """Return features of outputs; `is_second` marks the outputs from the second data set."""
    found: list[Feature] = []
    numeric = []
    for name in outputs.names:
        numbers, texts = outputs.numbers_and_texts(name)
        finite = numbers[np.isfinite(numbers)]
        if (texts == None).any():  # noqa: E711 - an array of objects
            found.append(NumberBin(name, outputs))
            if low_bits and (finite != np.round(finite)).any():
                found.append(LowestSetBit(name, outputs))
            if finite.size > 1:
                numeric.append(name)
        if texts.any():
            found.append(FrequentValue.of_column(name, outputs, is_second))
    # Of too many columns, those are kept that separate the data sets best.
    if len(found) > MOST_FEATURES:
        found.sort(key=lambda feature: -_total_variation(feature.codes(outputs), is_second))
        found = found[:MOST_FEATURES]
    # Of several columns together: equal whole outputs, and a linear combination.
    if len(outputs.names) > 1:
        found.append(FrequentValue.of_outputs(outputs, is_second))
        finite_in = [np.isfinite(outputs.numbers_and_texts(name)[0]) for name in numeric]
        known = np.logical_and.reduce([np.ones(len(outputs), bool), *finite_in])
        if len(numeric) > 1 and min(known[is_second].sum(), known[~is_second].sum()) > 1:
            found.append(DiscriminantBin(numeric, outputs, is_second))
    return found


def bin_edges(values: FloatArray) -> FloatArray:
    """Return the lower edges of bins: quantiles, each frequent value, and the float after it."""
    distinct, counts = np.unique(values, return_counts=True)
    if distinct.size <= MOST_VALUES:
        own, between = distinct, np.array([])
    else:
        own = distinct[counts >= max(FREQUENT_SHARE * values.size, 2)]
        between = np.quantile(values, np.arange(1, QUANTILES) / QUANTILES, method="higher")
        between = np.array([float(f"{value:.{EDGE_DIGITS}g}") for value in between])
    # A frequent value has a bin of its own, which ends at the next float.
    with np.errstate(over="ignore"):
        return np.unique(np.concatenate([own, np.nextafter(own, np.inf), between]))


def _total_variation(codes: Codes, is_second: NDArray[np.bool]) -> float:
    """Return the total variation distance between a feature's values on the two data sets."""
    size = int(codes.max()) + 1
    first, second = (np.bincount(codes[y], minlength=size) for y in (~is_second, is_second))
    return float(np.abs(first / first.sum() - second / second.sum()).sum() / 2)
