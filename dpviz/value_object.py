"""The base class of results, which compare by value and convert to dicts and tables."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from html import escape
from typing import Any, ClassVar, TypeVar

import numpy as np

T = TypeVar("T")

MOST_LETTERS = 480  # of a repr: six lines of a terminal that is 80 columns wide
MOST_OF_FIELD = 160  # letters of the value of one field
MOST_OF_ITEM = 100  # letters of an item of a sequence or mapping
MOST_ITEMS = 3  # of an array, sequence or mapping, from which on only its ends are shown


class ValueObject:
    """The base class of result classes.

    Result classes are frozen dataclasses with ``eq=False, repr=False``.

    Examples
    --------
    >>> import dpviz
    >>> interval = dpviz.audit.auc_interval(([0.1, 0.2, 0.3], [0.2, 0.8, 0.9]))
    >>> interval.to_dict()["value"] == interval.value
    True
    """

    one_row_each: ClassVar[tuple[str, ...]] = ()  # fields with an entry for each row of `to_frame`

    def shown_fields(self) -> dict[str, Any]:
        """Return the public fields by name, which `repr` and `to_dict` show."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.repr}  # type: ignore[arg-type]

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a dict that JSON can represent.

        The entry "type" is the name of the class. A bound or an interval has its `confidence_level`
        beside it. Arrays become lists, results inside this one become dicts, and a guarantee
        becomes its `repr`, which is Python. Numbers that JSON lacks become the texts "inf", "-inf"
        and "nan".
        """
        found: dict[str, Any] = plain_data(self)
        return found

    def to_frame(self) -> Any:
        """Return the result as a pandas DataFrame.

        There is one row, or one row for each entry of the fields `one_row_each`. A field of a
        result inside this one is a column such as "bound.low". ImportError without pandas.
        """
        try:
            from pandas import DataFrame  # slow to import, and not needed for more
        except ImportError as error:
            raise ImportError("to_frame needs pandas: pip install pandas") from error
        shared = plain_data(self, for_json=False)
        columns = {name: shared.pop(name) for name in self.one_row_each} or {"": [{}]}
        rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
        return DataFrame([dict(_flattened({**row, **shared}, self.one_row_each)) for row in rows])

    def __eq__(self, other: object) -> bool:
        return _have_equal_fields(self, other) if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash((type(self), *filter(None, (_hash_key(v) for _, v in _compared_fields(self)))))

    def __repr__(self) -> str:
        shown = [f"{name}={short_repr(value)}" for name, value in self.shown_fields().items()]
        return shortened(f"{type(self).__name__}({', '.join(shown)})", MOST_LETTERS)

    def _repr_html_(self) -> str:
        """Return an HTML table of the fields for notebooks, shortened as in `repr`."""
        rows = "".join(
            f'<tr><th style="text-align:left">{escape(name)}</th>'
            f'<td style="text-align:left">{escape(short_repr(value))}</td></tr>'
            for name, value in self.shown_fields().items()
        )
        return f"<table><caption>{escape(type(self).__name__)}</caption>{rows}</table>"


class FrozenMapping(Mapping[str, T]):
    """An immutable and hashable mapping from texts to values."""

    def __init__(self, items: Mapping[str, T]) -> None:
        self._items = dict(items)

    def __getitem__(self, name: str) -> T:
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(tuple(self._items.items()))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and [*self.items()] == [*other.items()]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.as_dict()})"

    def as_dict(self) -> dict[str, Any]:
        """Return the entries as a dict."""
        return dict(self)


def table_html(caption: str, head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return texts as an HTML table with escaped cells; `head` has the titles of the columns."""
    named = (f'<th scope="col">{escape(text)}</th>' if text else "<td></td>" for text in head)
    cells = ("".join(f"<td>{escape(text)}</td>" for text in row) for row in rows)
    heads, body = "".join(named), "".join(f"<tr>{each}</tr>" for each in cells)
    return (
        f"<table><caption>{escape(caption)}</caption>"
        f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
    )


def short_repr(value: Any) -> str:
    """Return the `repr` of a value; long arrays and sequences show only their size and ends."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray) and value.ndim != 1:
        return f"array of shape {value.shape}"
    is_long = isinstance(value, tuple | list | Mapping) and len(value) > MOST_ITEMS
    if not is_long and not isinstance(value, np.ndarray):
        return shortened(" ".join(repr(value).split()), MOST_OF_FIELD)
    # Long containers by their ends.
    is_mapping = isinstance(value, Mapping)
    items = [*value.items()] if is_mapping else value
    ends = [*items[: MOST_ITEMS - 1], *items[-1:]] if len(items) > MOST_ITEMS else items
    texts = [f"{x[0]!r}: {short_repr(x[1])}" if is_mapping else short_repr(x) for x in ends]
    shown = [shortened(text, MOST_OF_ITEM) for text in texts]
    if len(items) > MOST_ITEMS:
        shown[-1:] = ["...", f"{shown[-1]}; {len(items)} in all"]
    begin, end = "{}" if is_mapping else "()" if isinstance(value, tuple) else "[]"
    return f"{begin}{', '.join(shown)}{end}"


def shortened(text: str, most: int) -> str:
    """Return a text of at most `most` letters; "..." replaces the middle of a longer text."""
    return text if len(text) <= most else f"{text[: most - 4]}...{text[-1]}"


def are_equal(one: Any, other: Any) -> bool:
    """Return whether two values are equal; arrays compare by entry, and NaN equals NaN."""
    if one is other:
        return True
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        both = isinstance(one, np.ndarray) and isinstance(other, np.ndarray)
        has_nan = both and one.dtype.kind == other.dtype.kind == "f"
        return both and bool(np.array_equal(one, other, equal_nan=has_nan))
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    # Containers are compared entry by entry, since entries may be arrays.
    if type(one) is type(other):
        if isinstance(one, dict):
            return one.keys() == other.keys() and all(are_equal(one[k], other[k]) for k in one)
        if isinstance(one, tuple | list):
            return len(one) == len(other) and all(map(are_equal, one, other))
        if is_dataclass(one) and type(one).__eq__ is object.__eq__:  # an internal part
            return _have_equal_fields(one, other)
    return bool(one == other)


def plain_data(value: Any, *, for_json: bool = True) -> Any:
    """Return a value as dicts, lists, texts and numbers; with `for_json`, JSON can write them."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and for_json and not math.isfinite(value):
        return repr(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, ValueObject):
        kind = {"type": type(value).__name__} if for_json else {}
        return kind | plain_data(value.shown_fields(), for_json=for_json)
    if isinstance(value, Mapping):
        return {str(key): plain_data(item, for_json=for_json) for key, item in value.items()}
    if isinstance(value, np.ndarray | tuple | list):
        return [plain_data(item, for_json=for_json) for item in value]
    return repr(value)


def _compared_fields(value: Any) -> Iterator[tuple[str, Any]]:
    return ((each.name, getattr(value, each.name)) for each in fields(value) if each.compare)


def _have_equal_fields(one: object, other: object) -> bool:
    return all(are_equal(value, getattr(other, name)) for name, value in _compared_fields(one))


def _hash_key(value: object) -> object:
    """Return the hashable part of a field: a text, a number, the shape of an array, or None."""
    if isinstance(value, np.ndarray):
        return value.shape
    return value if isinstance(value, str | int | float) and value == value else None


def _flattened(nested: Mapping[str, Any], unnamed: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Yield (path, value) for each entry of nested dicts, with a path such as "bound.low"."""
    for name, value in nested.items():
        if not isinstance(value, dict):
            yield name, value
        for inner, each in _flattened(value, ()) if isinstance(value, dict) else ():
            yield (inner if name in ("", *unnamed) else f"{name}.{inner}"), each
