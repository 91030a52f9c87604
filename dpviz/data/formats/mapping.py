"""Mappings, such as a dict of arrays."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from dpviz.audit.binned_scores import Scores
from dpviz.data.conventions import read_fields
from dpviz.data.formats.fields import Fields
from dpviz.data.formats.format import Format, ReadError, ReadOptions, plain, quoted


def flattened(values: Mapping[Any, Any]) -> dict[str, Any]:
    """Values that are not None; those of a mapping inside under names with a dot.

    A mapping from "0", "1", ... is a list: so pandas writes a column to JSON.

    Raises
    ------
    ReadError
        If two names become one.
    """
    flat: dict[str, Any] = {}
    for key, value in values.items():
        inner = _as_list(value) if isinstance(value, Mapping) else value
        parts = (
            {f"{key}.{name}": each for name, each in flattened(inner).items()}
            if isinstance(inner, Mapping)
            else {str(key): inner}
        )
        for name, each in parts.items():
            if name in flat:
                raise ReadError(f"keys must differ as text, got {name!r} twice")
            if each is not None:
                flat[name] = each
    return flat


def _as_list(values: Mapping[Any, Any]) -> Any:
    is_list = values and all(key == str(i) for i, key in enumerate(values))
    return list(values.values()) if is_list else values


def _of_npz(source: np.lib.npyio.NpzFile, where: str) -> Fields:
    """What `numpy.load` gave: only the arrays that are asked for are loaded."""

    def load(name: str) -> Any:
        try:
            return source[name]
        except ValueError as error:
            raise ReadError(f"{where}, key {quoted(name)}: {error}") from None

    return Fields(where=where, names=tuple(source.files), load=load)


def _accepts(source: object) -> bool:
    return isinstance(source, Mapping)


def _read(source: Mapping[Any, Any], options: ReadOptions) -> Scores:
    where = "the mapping" if options.name is None else plain(options.name)
    if isinstance(source, np.lib.npyio.NpzFile):
        return read_fields(_of_npz(source, where), options)
    try:
        values = flattened(source)
    except RecursionError:
        raise ReadError(f"{where}: nested too deeply") from None
    except ReadError as error:
        raise ReadError(f"{where}: {error}") from None
    return read_fields(Fields(where=where, names=tuple(values), load=values.__getitem__), options)


MAPPING = Format(name="a mapping of names to arrays", accepts=_accepts, read=_read)
