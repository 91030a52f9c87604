"""Parsing and checks of JSON from outside."""

import json
from collections.abc import Collection
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
