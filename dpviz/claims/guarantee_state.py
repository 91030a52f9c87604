"""A guarantee as plain JSON, and back: its key in the registry, its parameters, its adjacency."""

from collections.abc import Callable
from math import inf, isinf
from typing import Any

from dpviz import checks
from dpviz.claims.files import has_fields, shortened
from dpviz.theory import MECHANISMS, TradeoffFunction

FIELDS = ("type", "parameters", "adjacency")
INFINITE = "inf"  # JSON has no infinity
WORDS = ("sampling",)  # parameters that are no numbers


def registered_key(guarantee: TradeoffFunction, name: str = "guarantee") -> str:
    """Key of a guarantee in `dpviz.theory.MECHANISMS`.

    Raises ValueError if it is of another class: text cannot build that again.
    """
    for key, kind in MECHANISMS.items():
        if type(guarantee) is kind:
            return key
    raise checks.fail(name, "of a class in dpviz.theory.MECHANISMS", type(guarantee).__name__)


def guarantee_state(guarantee: TradeoffFunction, name: str = "guarantee") -> dict[str, Any]:
    """The guarantee as values that JSON knows.

    Raises ValueError if it, or one it is made of, is of a class that is not registered.
    """
    return {
        "type": registered_key(guarantee, name),
        "parameters": {key: _plain(value, name) for key, value in guarantee.parameters.items()},
        "adjacency": str(guarantee.adjacency),
    }


def guarantee_of(state: object, name: str = "state") -> TradeoffFunction:
    """The guarantee that `guarantee_state` wrote down.

    Raises ValueError if the state is not exactly what `guarantee_state` writes; `name` is what
    messages call it.
    """
    written = has_fields(name, state, FIELDS)
    make: Callable[..., TradeoffFunction] = MECHANISMS[
        checks.choice(f"{name}.type", written["type"], MECHANISMS)
    ]
    parameters = written["parameters"]
    if not isinstance(parameters, dict):
        raise checks.fail(f"{name}.parameters", "an object", shortened(parameters))
    given = {
        key: value if key in WORDS else _value(value, f"{name}.{key}")
        for key, value in parameters.items()
    }
    try:
        guarantee = make(**given, adjacency=written["adjacency"])
    except TypeError as error:
        raise checks.fail(f"{name}.parameters", f"those of a guarantee: {error}", given) from error
    except ValueError as error:
        raise ValueError(f"{name}.{error}") from error
    again = guarantee_state(guarantee)
    if again != state:  # a default was left out, or two adjacencies disagree
        raise checks.fail(name, f"written as {again!r}", state)
    return guarantee


def _plain(value: Any, name: str) -> Any:
    if isinstance(value, TradeoffFunction):
        return guarantee_state(value, name)
    if isinstance(value, tuple):
        return [_plain(entry, name) for entry in value]
    return value if isinstance(value, str) or not isinf(value) else INFINITE


def _value(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return guarantee_of(value, name)
    if isinstance(value, list):
        return tuple(_value(entry, f"{name}[{i}]") for i, entry in enumerate(value))
    if value == INFINITE:
        return inf
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise checks.fail(name, f'a number, "{INFINITE}", a list or a guarantee', shortened(value))
    return value
