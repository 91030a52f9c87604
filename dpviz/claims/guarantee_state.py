"""Conversion of guarantees to JSON objects and back."""

from collections.abc import Callable
from math import inf, isinf
from typing import Any

from dpviz import checks
from dpviz.documents import checked_dict, cut_for_error
from dpviz.theory import MECHANISMS, TradeoffFunction

STATE_VERSION = 1  # of an explorer's saved state, which contains a claim
REPORT_SCHEMA = "dpviz/audit/1"
STATE_FIELDS = ("type", "parameters", "adjacency")
INFINITY = "inf"  # JSON has no infinity
TEXT_PARAMETERS = ("sampling", "averaging")


def mechanism_key(guarantee: TradeoffFunction, name: str = "guarantee") -> str:
    """Return the key of a guarantee's class in `MECHANISMS`."""
    for key, kind in MECHANISMS.items():
        if type(guarantee) is kind:
            return key
    raise checks.fail(name, "of a class in dpviz.theory.MECHANISMS", type(guarantee).__name__)


def guarantee_to_dict(guarantee: TradeoffFunction, name: str = "guarantee") -> dict[str, Any]:
    """Return a guarantee as a dict that can be written as JSON."""
    return {
        "type": mechanism_key(guarantee, name),
        "parameters": {key: _to_json(value, name) for key, value in guarantee.parameters.items()},
        "adjacency": str(guarantee.adjacency),
    }


def guarantee_from_dict(state: object, name: str = "state") -> TradeoffFunction:
    """Return the guarantee that a dict from `guarantee_to_dict` describes."""
    written = checked_dict(name, state, STATE_FIELDS)
    key = checks.choice(f"{name}.type", written["type"], MECHANISMS)
    make: Callable[..., TradeoffFunction] = MECHANISMS[key]
    parameters = written["parameters"]
    if not isinstance(parameters, dict):
        raise checks.fail(f"{name}.parameters", "a JSON object", cut_for_error(parameters))
    arguments = {
        key: value if key in TEXT_PARAMETERS else _from_json(value, f"{name}.{key}")
        for key, value in parameters.items()
    }
    try:
        guarantee = make(**arguments, adjacency=written["adjacency"])
    except TypeError as error:
        rule = f"the parameters of {key!r} ({error})"
        raise checks.fail(f"{name}.parameters", rule, arguments) from error
    except ValueError as error:
        raise ValueError(f"{name}.{error}") from error
    # What was read must be written in the same way again: then nothing was ignored.
    again = guarantee_to_dict(guarantee)
    if again != state:  # a default was left out, or two adjacencies disagree
        raise checks.fail(name, f"{again!r}, the form that dpviz writes", state)
    return guarantee


def _to_json(value: Any, name: str) -> Any:
    if isinstance(value, TradeoffFunction):
        return guarantee_to_dict(value, name)
    if isinstance(value, tuple):
        return [_to_json(entry, name) for entry in value]
    return value if isinstance(value, str) or not isinf(value) else INFINITY


def _from_json(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return guarantee_from_dict(value, name)
    if isinstance(value, list):
        return tuple(_from_json(entry, f"{name}[{i}]") for i, entry in enumerate(value))
    if value == INFINITY:
        return inf
    if isinstance(value, bool) or not isinstance(value, int | float):
        rule = f'a number, "{INFINITY}", a list or a guarantee'
        raise checks.fail(name, rule, cut_for_error(value))
    return value
