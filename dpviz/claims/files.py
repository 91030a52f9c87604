"""Files that hold a claim, and the parsing of JSON from outside."""

import json
import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, NoReturn

from dpviz import checks

SHOWN = 60  # characters of a rejected value that an error quotes


def parsed(name: str, given: object) -> Any:
    """Plain JSON values from a text, or a copy of values that could be one.

    Raises ValueError if it is no JSON; NaN and Infinity are none.
    """
    try:
        text = given if isinstance(given, str) else json.dumps(given, allow_nan=False)
        return json.loads(text, parse_constant=_refuse)
    except (TypeError, ValueError, RecursionError) as error:
        raise checks.fail(name, f"JSON ({error})", shortened(given)) from error


def has_fields(name: str, value: object, fields: Collection[str]) -> dict[str, Any]:
    """Return `value` if it is an object with exactly these fields."""
    if not isinstance(value, dict):
        raise checks.fail(name, f"an object with the fields {', '.join(fields)}", shortened(value))
    if value.keys() != set(fields):
        raise checks.fail(name, f"an object with the fields {', '.join(fields)}", list(value))
    return value


def shortened(value: object) -> object:
    """The value itself, or the beginning of what it looks like."""
    shown = repr(value)
    return value if len(shown) <= SHOWN else f"{shown[:SHOWN]} ..."


def _refuse(token: str) -> NoReturn:
    raise ValueError(f"{token} is no JSON")


# Files that hold a claim: JSON, YAML and text.

MOST_BYTES = 10_000_000  # of a file; statements of privacy are short


def opened(source: object) -> Any:
    """The content of a JSON, YAML or text file, or of a JSON text; anything else as it is."""
    if isinstance(source, str) and source.lstrip().startswith("{"):
        return parsed("claim", source)
    if not isinstance(source, str | os.PathLike):
        return source
    path = Path(source)
    if path.suffix not in FORMATS:
        if isinstance(source, str):
            return source
        raise checks.fail("the suffix of a claim's file", f"one of {', '.join(FORMATS)}", path)
    if not path.is_file():
        raise checks.fail("claim", "a file that exists", str(path))
    if path.stat().st_size > MOST_BYTES:
        raise checks.fail("a claim's file", f"at most {MOST_BYTES} bytes", path.stat().st_size)
    return FORMATS[path.suffix](path.read_text("utf-8"))


def _json(text: str) -> Any:
    return parsed("claim", text)


def _yaml(text: str) -> Any:
    try:
        import yaml  # optional
    except ImportError as error:
        raise ImportError("YAML files need PyYAML: pip install 'dpviz[yaml]'") from error
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(
            f"claim must be YAML without tags of objects: {checks.reason(error)}"
        ) from error


FORMATS: dict[str, Callable[[str], Any]] = {
    ".json": _json,
    ".txt": str,
    ".yaml": _yaml,
    ".yml": _yaml,
}
