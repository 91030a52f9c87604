"""Mappings, such as a dict of arrays."""

from collections.abc import Mapping
from typing import Any

from dpviz.audit.binned_scores import BinnedScores
from dpviz.audit.scores import AttackScores
from dpviz.data.conventions import read_fields
from dpviz.data.formats.fields import Fields
from dpviz.data.formats.format import Format, ReadError, ReadOptions, plain


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


def _accepts(source: object) -> bool:
    return isinstance(source, Mapping)


def _read(source: Mapping[Any, Any], options: ReadOptions) -> AttackScores | BinnedScores:
    where = "the mapping" if options.name is None else plain(options.name)
    try:
        values = flattened(source)
    except RecursionError:
        raise ReadError(f"{where}: nested too deeply") from None
    except ReadError as error:
        raise ReadError(f"{where}: {error}") from None
    return read_fields(Fields(where=where, names=tuple(values), load=values.__getitem__), options)


MAPPING = Format(name="a mapping of names to arrays", accepts=_accepts, read=_read)
