"""Readers of text, of numbers, and of the JSON that dpviz writes."""

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from typing import Any

from dpviz import checks
from dpviz.claims.claim import Claim, Reader
from dpviz.claims.guarantee_state import (
    FIELDS,
    REPORT_SCHEMA,
    STATE_VERSION,
    guarantee_of,
    parsed,
    shortened,
)
from dpviz.theory import MECHANISMS, ApproximateDP, TradeoffFunction

# Text, such as "1,1e-5" or "subsampled_gaussian:noise_multiplier=1,sampling_rate=0.01,steps=100".

FORMS = "EPSILON,DELTA or NAME:PARAMETER=NUMBER,..."
ADJACENCY = "adjacency"
TEXT_PARAMETERS = (ADJACENCY, "sampling")  # the others are numbers


def parameters_of(kind: Callable[..., TradeoffFunction]) -> dict[str, object]:
    """Names and types of a guarantee's numeric parameters."""
    parameters = signature(kind).parameters.values()
    return {p.name: p.annotation for p in parameters if p.name not in TEXT_PARAMETERS}


def built_from_numbers() -> dict[str, Callable[..., TradeoffFunction]]:
    """The registered guarantees whose parameters are all numbers, by their keys."""
    return {
        key: kind
        for key, kind in MECHANISMS.items()
        if all(of in (float, int) for of in parameters_of(kind).values())
    }


def _read_text(text: str) -> Claim:
    name, colon, rest = text.partition(":")
    if not colon:
        return Claim(
            guarantee=_epsilon_delta(text), source='text "EPSILON,DELTA"', states_adjacency=False
        )
    kinds = built_from_numbers()
    kind = kinds[checks.choice("name of the claim", name, kinds)]
    known = tuple(signature(kind).parameters)
    given: dict[str, float | str] = {}
    for part in rest.split(","):
        key, equals, value = part.partition("=")
        if not equals or key in given:
            raise checks.fail("claim", f"{FORMS}, each once", text)
        checks.choice(f"parameter of {name}", key, known)
        given[key] = value if key in TEXT_PARAMETERS else _number(key, value)
    try:
        guarantee = kind(**given)
    except TypeError as error:
        raise checks.fail("claim", f"complete ({', '.join(known)})", text) from error
    return Claim(
        guarantee=guarantee,
        source='text "NAME:PARAMETER=NUMBER,..."',
        states_adjacency=ADJACENCY in given,
    )


def _epsilon_delta(text: str) -> ApproximateDP:
    epsilon, comma, delta = text.partition(",")
    if not comma:
        raise checks.fail("claim", FORMS, text)
    return ApproximateDP(epsilon=_number("epsilon", epsilon), delta=_number("delta", delta))


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise checks.fail(f"{name} of the claim", "a number", text) from None


TEXT = Reader(
    name=f'text "{FORMS}"', accepts=lambda source: isinstance(source, str), read=_read_text
)

# JSON that dpviz wrote: a guarantee, the state of an explorer, the report of an audit.


def _kind_of_document(document: Any) -> str:
    """What messages call a JSON document; empty if dpviz did not write it."""
    if not isinstance(document, Mapping):
        return ""
    if document.keys() == set(FIELDS):
        return "a guarantee written as JSON"
    if "dpviz" in document and "spec" in document:
        return "the state of an explorer"
    schema = document.get("schema")
    is_own = isinstance(schema, str) and schema.startswith("dpviz/")
    return f"a report, {schema}" if is_own else ""


def _read_written(document: Mapping[str, Any]) -> Claim:
    source, state = _kind_of_document(document), parsed("claim", document)
    if "type" not in state:
        if "dpviz" in state:
            checks.version("claim.dpviz", state["dpviz"], STATE_VERSION)
        else:
            checks.version("claim.schema", state["schema"], REPORT_SCHEMA)
        spec = state.get("spec")
        if not isinstance(spec, dict) or "claim" not in spec:
            raise checks.fail(source, "a document with spec.claim", shortened(state))
        state = spec["claim"]
    if state is None:
        raise ValueError(f"{source} must state a claim, got none: it was written without one")
    return Claim(guarantee=guarantee_of(state, "claim"), source=source, states_adjacency=True)


WRITTEN = Reader(
    name="JSON written by dpviz",
    accepts=lambda source: bool(_kind_of_document(source)),
    read=_read_written,
)

# A pair (epsilon, delta), or the numbers of a guarantee by name.

# Guarantees that the names of their numbers tell apart; the first that fits is meant.
RECOGNISED = (
    "pure",
    "approximate",
    "gaussian_dp",
    "zero_concentrated",
    "renyi",
    "stated",
    "gaussian",
    "subsampled_gaussian",
)


def _has_numbers(source: Any) -> bool:
    if isinstance(source, Mapping):
        return bool(source.keys() & {ADJACENCY}.union(*map(_parameter_names, RECOGNISED)))
    return isinstance(source, tuple | list) and len(source) == 2


def _read_numbers(source: Any) -> Claim:
    if not isinstance(source, Mapping):
        epsilon, delta = source
        return Claim(
            guarantee=ApproximateDP(epsilon=epsilon, delta=delta),
            source="a pair (epsilon, delta)",
            states_adjacency=False,
        )
    names = source.keys() - {ADJACENCY}
    for key in RECOGNISED:
        if _parameter_names(key, needed=True) <= names <= _parameter_names(key):
            return Claim(
                guarantee=MECHANISMS[key](**source),
                source=f"a dict of {', '.join(map(str, source))}",
                states_adjacency=ADJACENCY in source,
            )
    forms = "; ".join(", ".join(sorted(_parameter_names(key, needed=True))) for key in RECOGNISED)
    raise checks.fail("the names of the claim's numbers", f"one of: {forms}", list(source))


def _parameter_names(key: str, *, needed: bool = False) -> set[str]:
    """Names of the parameters of a registered guarantee: all, or those without a default."""
    parameters = signature(MECHANISMS[key]).parameters.values()
    names = {p.name for p in parameters if p.default is Parameter.empty or not needed}
    return names - {ADJACENCY}


NUMBERS = Reader(name="(epsilon, delta)", accepts=_has_numbers, read=_read_numbers)
