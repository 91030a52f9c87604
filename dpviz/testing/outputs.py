"""Tables of the outputs of a mechanism; outputs of any type become numbers and texts."""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.checks import FloatArray

ABSENT = "absent"  # the text of a column that an output does not have
Texts = NDArray[np.object_]  # None where the column has a number


@dataclass(frozen=True, eq=False)
class Outputs:
    """A table with a row for each output, and a column for each number or text in an output."""

    names: tuple[str, ...]
    numbers: FloatArray
    texts: Mapping[str, Texts]  # of columns that have a text

    @classmethod
    def of(cls, outputs: Sequence[Any]) -> "Outputs":
        """Make a table of outputs, which are numbers, arrays, texts, None, or containers."""
        rows = _as_one_array(outputs)
        if rows is not None:
            names = tuple(f"output{place}" for place in _index_texts(rows.shape[1:]))
            return cls(names, rows.reshape(len(rows), -1), {})
        # Outputs of different forms: a column for each place in any of them.
        leaves = [dict(_leaf_values("output", each)) for each in outputs]
        # Length and last entry are columns, too: where an output ends may be what leaks.
        if len({len(row) for row in leaves}) > 1:
            for row in leaves:
                last = next(reversed(row.values()), ABSENT)
                row |= {"len(output)": float(len(row)), "output[-1]": last}
        names = tuple(dict.fromkeys(name for row in leaves for name in row))
        numbers = np.full((len(leaves), len(names)), np.nan)
        texts: dict[str, Texts] = {}
        for column, name in enumerate(names):
            for i, row in enumerate(leaves):
                value = row.get(name, ABSENT)
                if isinstance(value, float):
                    numbers[i, column] = value
                else:
                    texts.setdefault(name, np.full(len(leaves), None))[i] = value
        return cls(names, numbers, texts)

    def __len__(self) -> int:
        return len(self.numbers)

    def rows(self, rows: slice) -> "Outputs":
        """Return a table of the rows in the slice `rows`."""
        texts = {name: text[rows] for name, text in self.texts.items()}
        return Outputs(self.names, self.numbers[rows], texts)

    def numbers_and_texts(self, column: str) -> tuple[FloatArray, Texts]:
        """Return the numbers and the texts of a column; a missing column has the text `ABSENT`."""
        if column not in self.names:
            return np.full(len(self), np.nan), np.full(len(self), ABSENT, dtype=object)
        numbers = self.numbers[:, self.names.index(column)]
        return numbers, self.texts.get(column, np.full(len(self), None))

    def row_keys(self, names: Sequence[str]) -> list[bytes]:
        """Return a key for each row; two rows with equal keys are equal in the columns `names`."""
        columns = [self.numbers_and_texts(name) for name in names]
        numbers = np.column_stack([values for values, _ in columns]) + 0.0  # -0.0 becomes 0.0
        texts = [text for _, text in columns if text.any()]
        rows = map(repr, zip(*texts, strict=True)) if texts else [""] * len(self)
        return [row.tobytes() + text.encode() for row, text in zip(numbers, rows, strict=True)]


OutputPair = tuple[Outputs, Outputs]  # outputs on the first data set, and on the second


def constant_output_text(tables: Sequence[Outputs]) -> str:
    """Return the output as text if all rows of the tables are equal, or "" if outputs differ."""
    table = joined_tables(tables)
    if len(set(table.row_keys(table.names))) != 1:
        return ""
    columns = [table.rows(slice(1)).numbers_and_texts(name) for name in table.names]
    texts = [text[0] or str(numbers[0]) for numbers, text in columns]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def joined_tables(parts: Sequence[Outputs]) -> Outputs:
    """Join the rows of several tables; cells of missing columns have the text `ABSENT`."""
    if len({part.names for part in parts}) == 1 and not any(part.texts for part in parts):
        return Outputs(parts[0].names, np.concatenate([part.numbers for part in parts]), {})
    names = tuple(dict.fromkeys(name for part in parts for name in part.names))
    columns = {name: [part.numbers_and_texts(name) for part in parts] for name in names}
    numbers = [np.concatenate([values for values, _ in column]) for column in columns.values()]
    texts = {
        name: np.concatenate([text for _, text in column])
        for name, column in columns.items()
        if any(text.any() for _, text in column)
    }
    return Outputs(names, np.column_stack(numbers), texts)


def _as_one_array(outputs: Sequence[Any]) -> FloatArray | None:
    """Return the outputs as one array if they are numbers or arrays of one shape, else None."""
    first = outputs[0]
    if isinstance(outputs, np.ndarray) and outputs.dtype.kind in "biuf":
        return outputs.astype(np.float64)
    if isinstance(first, np.ndarray) and first.dtype.kind in "biuf":
        if all(isinstance(each, np.ndarray) and each.shape == first.shape for each in outputs):
            return np.array(outputs, np.float64)
        return None
    if all(isinstance(each, float | int | np.number) for each in outputs):
        return np.array([_as_float(each) for each in outputs])
    return None


def _index_texts(shape: tuple[int, ...]) -> list[str]:
    """Return the index of each entry of an array as text, such as "[0][1]", or "" for a number."""
    return ["".join(f"[{i}]" for i in index) for index in np.ndindex(shape)]


def _leaf_values(name: str, value: Any) -> Iterator[tuple[str, float | str]]:
    """Yield (name with indices and keys, value) for each number or text inside an output."""
    # Scalars are leaves, containers are opened, all else is described by `repr`.
    if isinstance(value, str | bytes) or value is None:
        yield name, repr(value)
    elif isinstance(value, bool | int | float | np.number | np.bool):
        yield name, _as_float(value)
    elif isinstance(value, complex):
        yield f"{name}.real", value.real
        yield f"{name}.imag", value.imag
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from _leaf_values(f"{name}[{key!r}]", each)
    elif isinstance(value, Set):
        yield name, repr(sorted(map(repr, value)))
    elif isinstance(value, Sequence):
        for i, each in enumerate(value):
            yield from _leaf_values(f"{name}[{i}]", each)
    elif hasattr(value, "__array__"):
        array = np.asarray(value)
        for place, each in zip(_index_texts(array.shape), array.ravel().tolist(), strict=True):
            yield from _leaf_values(name + place, each)
    else:
        yield name, repr(value)


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number beyond all floats
        return np.inf if value > 0 else -np.inf


class OutputSampler:
    """A sampler that draws outputs of a mechanism alternately on both data sets of a pair."""

    def __init__(
        self,
        mechanism: Callable[..., Any],
        features: Callable[[Any], Any] | None,
        *,
        is_batched: bool,
        seed: int,
    ) -> None:
        self._mechanism, self._features, self._is_batched = mechanism, features, is_batched
        try:
            self.takes_rng = "rng" in signature(mechanism).parameters
        except ValueError:  # some functions that are not written in Python
            self.takes_rng = False
        self._generator = {"rng": np.random.default_rng(seed)} if self.takes_rng else {}

    def draw(self, pair: tuple[Any, Any], size: int) -> OutputPair:
        """Draw `size` new outputs on each data set of a pair."""
        if self._is_batched:
            first, second = (self._draw_batch(data, size) for data in pair)
        else:
            # Both data sets take turns, so that a drift of the mechanism affects them alike.
            drawn = [self._mechanism(data, **self._generator) for _ in range(size) for data in pair]
            first, second = drawn[::2], drawn[1::2]
        if self._features is not None:
            first, second = ([self._features(x) for x in drawn] for drawn in (first, second))
        return Outputs.of(first), Outputs.of(second)

    def _draw_batch(self, data: Any, size: int) -> Any:
        drawn = self._mechanism(data, size=size, **self._generator)
        if len(drawn) != size:
            raise checks.fail("number of outputs of mechanism", f"size={size}", len(drawn))
        return drawn
