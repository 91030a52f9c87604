"""Readers of text, of numbers, and of the JSON that dpviz writes."""

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from typing import Any

from dpviz import checks
from dpviz.claims import guarantee_state
from dpviz.claims.claim import Claim, ClaimReader
from dpviz.theory import MECHANISMS, ApproximateDP, TradeoffFunction

# Text, such as "1,1e-5" or "subsampled_gaussian:noise_multiplier=1,sampling_rate=0.01,steps=100".

TEXT_FORMS = "EPSILON,DELTA or NAME:PARAMETER=NUMBER,..."
ADJACENCY = "adjacency"
TEXT_PARAMETERS = (ADJACENCY, "sampling")  # the others are numbers


def parameter_types(guarantee_class: Callable[..., TradeoffFunction]) -> dict[str, object]:
    """Return the names and types of a class's parameters, those in `TEXT_PARAMETERS` left out."""
    parameters = signature(guarantee_class, eval_str=True).parameters.values()
    return {p.name: p.annotation for p in parameters if p.name not in TEXT_PARAMETERS}


def numeric_mechanisms() -> dict[str, Callable[..., TradeoffFunction]]:
    """Return the entries of `MECHANISMS` whose parameters outside `TEXT_PARAMETERS` are numbers."""
    return {
        key: kind
        for key, kind in MECHANISMS.items()
        if all(of in (float, int) for of in parameter_types(kind).values())
    }


def _claim_of_text(text: str) -> Claim:
    name, colon, rest = text.partition(":")
    if not colon:
        epsilon, comma, delta = text.partition(",")
        if not comma:
            raise checks.fail("claim", TEXT_FORMS, text)
        pair = ApproximateDP(epsilon=_as_float("epsilon", epsilon), delta=_as_float("delta", delta))
        return Claim(guarantee=pair, source='text "EPSILON,DELTA"', states_adjacency=False)
    kinds = numeric_mechanisms()
    kind = kinds[checks.choice("name of the claim", name, kinds)]
    known = tuple(signature(kind).parameters)
    given: dict[str, float | str] = {}
    for part in rest.split(","):
        key, equals, value = part.partition("=")
        if not equals or key in given:
            raise checks.fail("claim", f"{TEXT_FORMS}, each once", text)
        checks.choice(f"parameter of {name}", key, known)
        given[key] = value if key in TEXT_PARAMETERS else _as_float(key, value)
    try:
        guarantee = kind(**given)
    except TypeError as error:
        raise checks.fail("claim", f"complete ({', '.join(known)})", text) from error
    source = 'text "NAME:PARAMETER=NUMBER,..."'
    return Claim(guarantee=guarantee, source=source, states_adjacency=ADJACENCY in given)


def _as_float(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise checks.fail(f"{name} of the claim", "a number", text) from None


TEXT_READER = ClaimReader(
    name=f'text "{TEXT_FORMS}"', accepts=lambda source: isinstance(source, str), read=_claim_of_text
)

# JSON that dpviz wrote: a guarantee, the saved state of an explorer, the report of an audit.


def _own_json_description(document: Any) -> str:
    """Return how messages call a JSON document that dpviz wrote; "" for any other document."""
    if not isinstance(document, Mapping):
        return ""
    if document.keys() == set(guarantee_state.STATE_FIELDS):
        return "a guarantee written as JSON"
    if "dpviz" in document and "spec" in document:
        return "the state of an explorer"
    schema = document.get("schema")
    is_own = isinstance(schema, str) and schema.startswith("dpviz/")
    return f"a report, {schema}" if is_own else ""


def _read_dpviz_json(document: Mapping[str, Any]) -> Claim:
    source, state = _own_json_description(document), guarantee_state.parse_json("claim", document)
    if "type" not in state:
        if "dpviz" in state:
            checks.check_version("claim.dpviz", state["dpviz"], guarantee_state.STATE_VERSION)
        else:
            checks.check_version("claim.schema", state["schema"], guarantee_state.REPORT_SCHEMA)
        spec = state.get("spec")
        if not isinstance(spec, dict) or "claim" not in spec:
            shown = guarantee_state.cut_for_error(state)
            raise checks.fail(source, "a document with spec.claim", shown)
        state = spec["claim"]
    if state is None:
        raise ValueError(f"{source} must state a claim, got none: it was written without one")
    guarantee = guarantee_state.guarantee_from_dict(state, "claim")
    return Claim(guarantee=guarantee, source=source, states_adjacency=True)


OWN_JSON_READER = ClaimReader(
    name="JSON written by dpviz",
    accepts=lambda source: bool(_own_json_description(source)),
    read=_read_dpviz_json,
)

# A pair (epsilon, delta), or the numbers of a guarantee by name.

# Keys of the guarantees that a dict of parameters may state; the first that fits is taken.
RECOGNISED = (
    *("pure", "approximate", "gaussian_dp", "zero_concentrated", "renyi", "stated", "gaussian"),
    "subsampled_gaussian",
)


def _is_pair_or_named_numbers(source: Any) -> bool:
    if isinstance(source, Mapping):
        return bool(source.keys() & {ADJACENCY}.union(*map(_parameter_names, RECOGNISED)))
    return isinstance(source, tuple | list) and len(source) == 2


def _read_pair_or_named_numbers(source: Any) -> Claim:
    if not isinstance(source, Mapping):
        epsilon, delta = source
        pair = ApproximateDP(epsilon=epsilon, delta=delta)
        return Claim(guarantee=pair, source="a pair (epsilon, delta)", states_adjacency=False)
    names = source.keys() - {ADJACENCY}
    for key in RECOGNISED:
        if _parameter_names(key, required=True) <= names <= _parameter_names(key):
            stated, origin = MECHANISMS[key](**source), f"a dict of {', '.join(map(str, source))}"
            return Claim(guarantee=stated, source=origin, states_adjacency=ADJACENCY in source)
    forms = "; ".join(", ".join(sorted(_parameter_names(key, required=True))) for key in RECOGNISED)
    raise checks.fail("the names of the claim's numbers", f"one of: {forms}", list(source))


def _parameter_names(mechanism_key: str, *, required: bool = False) -> set[str]:
    """Return a guarantee's parameter names; if `required`, only of those that have no default."""
    parameters = signature(MECHANISMS[mechanism_key]).parameters.values()
    names = {p.name for p in parameters if p.default is Parameter.empty or not required}
    return names - {ADJACENCY}


NUMBERS_READER = ClaimReader(
    name="(epsilon, delta)", accepts=_is_pair_or_named_numbers, read=_read_pair_or_named_numbers
)
