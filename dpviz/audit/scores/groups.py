"""Group labels of records: checked, factorised, and indexed by label."""

import re
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.checks import FloatArray

Labels = NDArray[Any]  # text: as objects, since labels may differ much in length, or as given
Rows = NDArray[np.intp]


def checked_labels(name: str, values: ArrayLike) -> Labels:
    """One label per record as a read-only vector of text; whole numbers such as 3 become "3".

    ValueError if `values` are not one-dimensional, or one is empty, missing or anything else.
    """
    checks.reject_masked(name, values)
    # As objects: an array of text and missing values would become text.
    array = values if isinstance(values, np.ndarray) else np.asarray(values, dtype=object)
    if array.ndim != 1:
        raise checks.fail(name, "one-dimensional", array.shape)
    if array.dtype.kind in "mM":  # would become counts of nanoseconds
        raise checks.fail(name, "text or whole numbers", str(array.dtype))
    if array.dtype.kind == "U":
        found = array.copy()
    else:
        found = np.array(_texts(name, array.tolist()), dtype=object)
    if (found == "").any():
        raise checks.fail(name, "labels, none empty", "")
    return checks.read_only(found)


def one_label_each(name: str, labels: ArrayLike, values: FloatArray) -> Labels:
    """`checked_labels`; ValueError unless there is one for each value."""
    found = checked_labels(name, labels)
    if found.size != values.size:
        raise checks.fail(name, f"as many as the scores, {values.size}", found.size)
    return found


def natural_order(label: str) -> tuple[object, ...]:
    """A key that sorts "canary 2" before "canary 10"."""
    parts: list[object] = re.split(r"([0-9]+)", label)
    for i, digits in enumerate(map(str, parts[1::2])):  # int() rejects very long ones
        number = digits.lstrip("0")
        parts[2 * i + 1] = (len(number), number)
    return (*parts, label)


def factorised(labels: Labels) -> tuple[list[str], Rows]:
    """The distinct labels in order of appearance, and the place of each record's among them."""
    entries = labels.tolist()
    places = {label: place for place, label in enumerate(dict.fromkeys(entries))}
    codes = np.fromiter(map(places.__getitem__, entries), np.intp, len(entries))
    return list(places), codes


def distinct_labels(name: str, labels: ArrayLike, values: FloatArray) -> tuple[list[str], Rows]:
    """`factorised` labels, one per value; whole numbers are not converted to text one by one."""
    checks.reject_masked(name, labels)
    is_whole = isinstance(labels, np.ndarray) and labels.dtype.kind in "iu"
    if not is_whole or np.shape(labels) != values.shape:
        return factorised(one_label_each(name, labels, values))
    ascending, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(first)
    places = np.empty_like(order)
    places[order] = np.arange(order.size)
    return [str(label) for label in ascending[order].tolist()], places[codes]


@dataclass(frozen=True, eq=False)
class RowsByLabel:
    """Positions of each label's records among members or non-members, in their order."""

    labels: dict[str, int]
    order: Rows
    starts: Rows

    @classmethod
    def of(cls, labels: Labels) -> "RowsByLabel":
        """Sort the records by label, once."""
        names, codes = factorised(labels)
        order = np.argsort(codes, kind="stable")
        starts = np.searchsorted(codes[order], np.arange(len(names) + 1))
        return cls({name: code for code, name in enumerate(names)}, order, starts)

    def rows(self, label: str) -> Rows:
        """Positions of the records of one label; empty if none has it."""
        code = self.labels.get(label)
        return self.order[:0] if code is None else self.order[self.starts[code] :][: self._n(code)]

    def size(self, label: str) -> int:
        """Number of records of one label."""
        code = self.labels.get(label)
        return 0 if code is None else self._n(code)

    def _n(self, code: int) -> int:
        return int(self.starts[code + 1] - self.starts[code])


def _texts(name: str, entries: list[object]) -> list[str]:
    kinds = set(map(type, entries))
    if kinds <= {str}:
        return cast(list[str], entries)
    if kinds in ({int}, {bool}):  # few distinct ones
        texts = {entry: str(entry) for entry in set(entries)}
        return [texts[entry] for entry in entries]
    return [_text(name, entry) for entry in entries]


def _text(name: str, entry: object) -> str:
    if isinstance(entry, str):
        return str(entry)
    if isinstance(entry, bool | np.bool):
        return str(bool(entry))
    whole = isinstance(entry, float | np.floating) and float(entry).is_integer()
    if whole or isinstance(entry, int | np.integer):
        return str(int(entry))  # type: ignore[call-overload]
    raise checks.fail(name, "text or whole numbers, none missing", entry)
