"""Readers of text, numbers, dpviz's own JSON and the deployments registry."""

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from typing import Any

from dpviz import checks
from dpviz.claims.claim import Claim, Reader
from dpviz.claims.files import parsed, shortened
from dpviz.claims.guarantee_state import FIELDS, guarantee_of
from dpviz.theory import MECHANISMS, ApproximateDP, PureDP, TradeoffFunction, ZeroConcentratedDP

FORMS = "EPSILON,DELTA or NAME:PARAMETER=NUMBER,..."
ADJACENCY = "adjacency"
WORDS = (ADJACENCY, "sampling")  # parameters that are no numbers


def parameters_of(make: Callable[..., TradeoffFunction]) -> dict[str, object]:
    """Names and types of the numbers that make a guarantee."""
    found = signature(make).parameters.items()
    return {name: given.annotation for name, given in found if name not in WORDS}


def named() -> dict[str, Callable[..., TradeoffFunction]]:
    """The registered guarantees that numbers alone make, by their keys."""
    return {
        key: make
        for key, make in MECHANISMS.items()
        if all(kind in (float, int) for kind in parameters_of(make).values())
    }


def _read_text(text: str) -> Claim:
    """``EPSILON,DELTA``, or a key of `named` with its parameters.

    Such as ``subsampled_gaussian:noise_multiplier=1,sampling_rate=0.01,steps=100``; among them may
    stand ``adjacency=add_remove``.
    """
    name, colon, rest = text.partition(":")
    if not colon:
        return Claim(
            guarantee=_epsilon_delta(text),
            source='text "EPSILON,DELTA"',
            states_adjacency=False,
        )
    make = named()[checks.choice("name of the claim", name, named())]
    known = tuple(signature(make).parameters)
    given: dict[str, float | str] = {}
    for part in rest.split(","):
        key, equals, value = part.partition("=")
        if not equals or key in given:
            raise checks.fail("claim", f"{FORMS}, each once", text)
        checks.choice(f"parameter of {name}", key, known)
        given[key] = value if key in WORDS else _number(key, value)
    try:
        guarantee = make(**given)
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

SCHEMA = "dpviz/"


def _source(document: Any) -> str:
    """What a document is called; empty for those that dpviz did not write."""
    if not isinstance(document, Mapping):
        return ""
    if document.keys() == set(FIELDS):
        return "a guarantee written as JSON"
    if "dpviz" in document and "spec" in document:
        return "the state of an explorer"
    schema = document.get("schema")
    is_own = isinstance(schema, str) and schema.startswith(SCHEMA)
    return f"a report, {schema}" if is_own else ""


def _read_written(document: Mapping[str, Any]) -> Claim:
    source, state = _source(document), parsed("claim", document)
    if "type" not in state:
        spec = state.get("spec")
        if not isinstance(spec, dict) or "claim" not in spec:
            raise checks.fail(source, "a document with spec.claim", shortened(state))
        state = spec["claim"]
    if state is None:
        raise ValueError(f"{source} must state a claim, got none: it was written without one")
    return Claim(guarantee=guarantee_of(state, "claim"), source=source, states_adjacency=True)


WRITTEN = Reader(
    name="JSON written by dpviz", accepts=lambda source: bool(_source(source)), read=_read_written
)

# A pair (epsilon, delta), or the numbers of a guarantee by name.

ADJACENCY_KEY = "adjacency"

# Guarantees that the names of their numbers tell apart; the first that takes them is meant.
BY_NAMES = (
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
        return bool(source.keys() & _all_names())
    return isinstance(source, tuple | list) and len(source) == 2


def _read_numbers(source: Any) -> Claim:
    if not isinstance(source, Mapping):
        epsilon, delta = source
        return Claim(
            guarantee=ApproximateDP(epsilon=epsilon, delta=delta),
            source="a pair (epsilon, delta)",
            states_adjacency=False,
        )
    names = source.keys() - {ADJACENCY_KEY}
    for key in BY_NAMES:
        if _names(key, needed=True) <= names <= _names(key):
            return Claim(
                guarantee=MECHANISMS[key](**source),
                source=f"a dict of {', '.join(map(str, source))}",
                states_adjacency=ADJACENCY_KEY in source,
            )
    forms = "; ".join(", ".join(sorted(_names(key, needed=True))) for key in BY_NAMES)
    raise checks.fail("the names of the claim's numbers", f"one of: {forms}", list(source))


def _names(key: str, *, needed: bool = False) -> set[str]:
    """Names of the parameters of a guarantee: all, or those without a default."""
    found = signature(MECHANISMS[key]).parameters.values()
    names = {p.name for p in found if p.default is Parameter.empty or not needed}
    return names - {ADJACENCY_KEY}


def _all_names() -> set[str]:
    return {ADJACENCY_KEY}.union(*(_names(key) for key in BY_NAMES))


NUMBERS = Reader(name="(epsilon, delta)", accepts=_has_numbers, read=_read_numbers)

# The OpenDP deployments registry: one YAML file a deployment (schema of July 2026).

VARIANTS = ("Pure DP", "Approximate DP", "Zero-concentrated DP")


def _is_deployment(source: Any) -> bool:
    return isinstance(source, Mapping) and bool(source.keys() & {"deployment", "url_slug"})


def _read_deployment(source: Mapping[str, Any]) -> Claim:
    deployment = _section(source, "deployment")
    name = str(_section(deployment, "basic", "deployment.").get("name", "?"))
    loss = _section(deployment, "privacy_loss", "deployment.")
    variant = _optional(deployment, "dp_variant", "deployment.").get("variant_name")
    stated = _optional(loss, "privacy_parameters", "deployment.privacy_loss.")
    given = {key: stated[key] for key in ("epsilon", "delta", "rho") if stated.get(key) is not None}
    if not given:
        where = "deployment.privacy_loss.privacy_parameters"
        got = [key for key, value in stated.items() if value is not None] or "no numbers"
        raise ValueError(f"{where} of {name!r} must have epsilon or rho, got {got}")
    notes = [f"{name!r}; unit of privacy: {str(loss.get('privacy_unit', 'not stated')).strip()}"]
    guarantee = guarantee_of_variant(variant, given, notes)
    return Claim(
        guarantee=guarantee,
        source=f"the deployments registry, {source.get('url_slug', 'no url_slug')}",
        states_adjacency=False,
        notes=tuple(notes),
    )


def _section(parent: Mapping[str, Any], name: str, where: str = "") -> Mapping[str, Any]:
    if name not in parent:
        there = ", ".join(map(str, parent)) or "nothing"
        rule = "must be a section of the registry's file"
        raise ValueError(f"{where}{name} {rule}, got only {there}")
    found = parent[name]
    if not isinstance(found, Mapping):
        raise checks.fail(f"{where}{name}", "a section of the registry's file", found)
    return found


def _optional(parent: Mapping[str, Any], name: str, where: str) -> Mapping[str, Any]:
    return _section(parent, name, where) if parent.get(name) else {}


def guarantee_of_variant(
    variant: object, given: dict[str, Any], notes: list[str]
) -> TradeoffFunction:
    """The guarantee of stated numbers; what else they say is added to `notes`.

    Raises ValueError if a number is missing, or the variant is not known.
    """
    if variant not in VARIANTS:
        where = "deployment.dp_variant.variant_name"
        raise checks.fail(where, f"one of {', '.join(VARIANTS)}", variant)
    if variant == "Zero-concentrated DP":
        if "rho" not in given:
            raise checks.fail("privacy_parameters of zCDP", "with rho", sorted(given))
        if "epsilon" in given:
            notes.append(f"it also states epsilon {given['epsilon']}, delta {given.get('delta')}")
        return ZeroConcentratedDP(rho=given["rho"])
    if "epsilon" not in given:
        raise checks.fail(f"privacy_parameters of {variant}", "with epsilon", sorted(given))
    if variant == "Pure DP" and "delta" in given:
        notes.append("it says pure DP and states a delta: read with the delta")
    if variant == "Pure DP" and not given.get("delta"):
        return PureDP(epsilon=given["epsilon"])
    if "delta" not in given:
        raise checks.fail("privacy_parameters of approximate DP", "with delta", sorted(given))
    return ApproximateDP(epsilon=given["epsilon"], delta=given["delta"])


DEPLOYMENT = Reader(
    name="a YAML file of the deployments registry", accepts=_is_deployment, read=_read_deployment
)
