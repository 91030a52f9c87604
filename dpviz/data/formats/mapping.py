"""Mappings of names to arrays, such as a dict or what `numpy.load` returns for a .npz file."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from dpviz.audit.scores.base import Scores
from dpviz.checks import reason
from dpviz.data.conventions.registry import read_fields
from dpviz.data.formats.format import Format
from dpviz.data.sources.file import File
from dpviz.data.sources.options import ReadError, ReadOptions, quoted
from dpviz.data.sources.real_arrays import DEEPEST
from dpviz.data.tables.fields import Fields


def fields_of(values: Mapping[Any, Any], where: str, file: File | None = None) -> Fields:
    """Return the values that are not None; those of an inner mapping have names with a dot.

    A mapping from "0", "1", ... is a list: pandas writes columns to JSON so. Raises ReadError if
    two names are the same text or mappings are nested too deeply.
    """
    try:
        flat = _flattened(values)
    except ReadError as error:
        raise ReadError(f"{where}: {error}") from None
    return Fields(where=where, names=tuple(flat), load=flat.__getitem__, file=file)


def _flattened(values: Mapping[Any, Any], depth: int = 0) -> dict[str, Any]:
    if depth > DEEPEST:  # every level copies all names
        raise ReadError("nested too deeply")
    flat: dict[str, Any] = {}
    for key, value in values.items():
        inner = _as_list(value) if isinstance(value, Mapping) else value
        parts = (
            {f"{key}.{name}": each for name, each in _flattened(inner, depth + 1).items()}
            if isinstance(inner, Mapping)
            else {str(key): inner}
        )
        for name, each in parts.items():
            if name in flat:
                raise ReadError(f"keys must differ as text, got {quoted(name)} twice")
            if each is not None:
                flat[name] = each
    return flat


def _as_list(values: Mapping[Any, Any]) -> Any:
    is_list = values and all(key == str(i) for i, key in enumerate(values))
    return list(values.values()) if is_list else values


def _fields_of_npz(source: np.lib.npyio.NpzFile, where: str) -> Fields:
    def load(name: str) -> Any:
        try:
            return source[name]
        except ValueError as error:
            place = f"{where}, key {quoted(name)}"
            raise ReadError(f"{place}: {reason(error, 200)}") from error

    return Fields(where=where, names=tuple(source.files), load=load)


def _read(source: Mapping[Any, Any], options: ReadOptions) -> Scores:
    where = options.called("the mapping")
    if isinstance(source, np.lib.npyio.NpzFile):
        return read_fields(_fields_of_npz(source, where), options)
    return read_fields(fields_of(source, where), options)


MAPPING = Format(
    name="a mapping of names to arrays",
    recognise=lambda source: isinstance(source, Mapping),
    reader=_read,
)
