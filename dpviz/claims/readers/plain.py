"""Readers of text, of numbers, and of the JSON that dpviz writes."""

import re
from collections.abc import Callable, Collection, Mapping
from inspect import Parameter, signature
from numbers import Real
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.claims import guarantee_state
from dpviz.claims.claim import ADJACENCY_WORDS, Claim, ClaimReader, adjacency_of_word, lookup_key
from dpviz.documents import cut_for_error, parse_json
from dpviz.theory import MECHANISMS, RenyiDP, TradeoffFunction
from dpviz.theory.tradeoff import Adjacency

# Words of the field for the names of guarantees and of their parameters.

GUARANTEE_WORDS = {
    **{"dp": "approximate", "pure_dp": "pure", "approximate_dp": "approximate"},
    **{"gdp": "gaussian_dp", "zcdp": "zero_concentrated", "rdp": "renyi"},
    **dict.fromkeys(("dpsgd", "dp_sgd"), "subsampled_gaussian"),
}
PARAMETER_WORDS = {
    **{"eps": "epsilon", "alpha": "order", "count": "steps"},
    **dict.fromkeys(("sigma", "noise"), "noise_multiplier"),
    **dict.fromkeys(("sample_rate", "sampling_probability"), "sampling_rate"),
}
ADJACENCY = "adjacency"
TEXT_PARAMETERS = (ADJACENCY, "sampling", "averaging")  # the others are numbers


def _renyi_of_one_order(
    *, order: float, epsilon: float, adjacency: Adjacency = "replace_one"
) -> RenyiDP:
    return RenyiDP(orders=(order,), epsilons=(epsilon,), adjacency=adjacency)


def parameter_types(guarantee_class: Callable[..., TradeoffFunction]) -> dict[str, object]:
    """Return the types of a guarantee's parameters by name, except those in `TEXT_PARAMETERS`."""
    parameters = signature(guarantee_class, eval_str=True).parameters.values()
    return {p.name: p.annotation for p in parameters if p.name not in TEXT_PARAMETERS}


def numeric_mechanisms() -> dict[str, Callable[..., TradeoffFunction]]:
    """Return a dict from keys of `MECHANISMS` to the constructors that take only numbers."""
    made: dict[str, Callable[..., TradeoffFunction]] = MECHANISMS | {"renyi": _renyi_of_one_order}
    return {
        key: make
        for key, make in made.items()
        if all(of in (float, int) for of in parameter_types(make).values())
    }


def _with_standard_names(given: Mapping[Any, Any], known: Collection[str]) -> dict[str, Any]:
    """Return `given` with each synonym of a parameter, such as "eps", in its standard form."""
    named: dict[str, Any] = {}
    for key, value in given.items():
        # A word of the field stands for a parameter unless it is one itself.
        word = lookup_key(str(key))
        word = PARAMETER_WORDS.get(word, word)
        name = str(word if word in known and key not in known else key)
        if name in named:
            raise checks.fail(f"{name} of the claim", "stated once", list(given))
        named[name] = value
    if ADJACENCY in named:
        named[ADJACENCY] = adjacency_of_word(named[ADJACENCY])
    return named


# Text, such as "1,1e-5", "gdp:mu=1" or "dpsgd:sigma=1,sample_rate=0.01,steps=100".

TEXT_FORMS = "EPSILON,DELTA or NAME:PARAMETER=NUMBER,..."
AMBIGUOUS = re.compile(r"(\d+),(\d+)")  # epsilon and delta, or one number with a decimal comma


def _claim_of_text(text: str) -> Claim:
    if both := AMBIGUOUS.fullmatch(text.strip()):
        whole, part = both.groups()
        way_out = f"write {whole}.{part} if the comma is a decimal point"
        way_out += "" if int(part) else f", or {whole}.0,{part} if delta is 0"
        raise checks.fail("claim", "unambiguous", text, way_out)
    # A name before a colon says which guarantee the numbers are of; else epsilon and delta.
    before, colon, after = text.partition(":")
    name, rest = (before.strip(), after) if colon else ("", text)
    make = _constructor_of(name) if name else None
    numbers, given = _numbers_and_parameters(rest, text)
    # Numbers without a name are the first parameters, in their order.
    positional = tuple(parameter_types(make)) if make else EPSILON_DELTA
    is_repeated = given.keys() & {*positional[: len(numbers)]}
    if len(numbers) > len(positional) or is_repeated:
        raise checks.fail("claim", f"{TEXT_FORMS} with each parameter once", text)
    given |= dict(zip(positional, numbers, strict=False))
    if make is None:
        return _claim_of_numbers(given, 'text "EPSILON,DELTA"' if numbers else "text of numbers")
    known = tuple(signature(make).parameters)
    named = _with_standard_names(given, known)
    for each in named.keys() - {*known}:
        rule = f"one of {', '.join(map(repr, known))}"
        raise checks.fail(f"parameter of {name}", rule, each, checks.did_you_mean(each, known))
    try:
        guarantee = make(**named)
    except TypeError as error:
        rule = f"complete ({name} takes {', '.join(known)})"
        raise checks.fail("claim", rule, text) from error
    source = 'text "NAME:PARAMETER=NUMBER,..."'
    return Claim(guarantee=guarantee, source=source, states_adjacency=ADJACENCY in named)


def _constructor_of(name: str) -> Callable[..., TradeoffFunction]:
    """Return the constructor of the guarantee `name`, a key of `MECHANISMS` or a synonym."""
    kinds, word = numeric_mechanisms(), lookup_key(name)
    key = GUARANTEE_WORDS.get(word, word)
    if key not in kinds:
        rule = f"one of {', '.join(map(repr, kinds))}"
        similar = checks.did_you_mean(word, [*kinds, *GUARANTEE_WORDS])
        raise checks.fail("name of the claim", rule, name, similar)
    return kinds[key]


def _numbers_and_parameters(rest: str, text: str) -> tuple[list[float], dict[str, float | str]]:
    """Return the unnamed numbers and the named parameters in the text `rest`."""
    numbers: list[float] = []
    given: dict[str, float | str] = {}
    for part in rest.split(","):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        # An adjacency may stand alone, without its parameter's name.
        if not equals and lookup_key(key) in ADJACENCY_WORDS:
            key, equals, value = ADJACENCY, "=", key
        if key in given:
            raise checks.fail("claim", f"{TEXT_FORMS} with each parameter once", text)
        if not equals:
            numbers.append(_as_float("claim", key, text))
        elif key in TEXT_PARAMETERS:
            given[key] = lookup_key(value)
        else:
            given[key] = _as_float(f"{key} of the claim", value, text)
    return numbers, given


def _as_float(name: str, number: str, text: str) -> float:
    try:
        return float(number)
    except ValueError:
        rule = TEXT_FORMS if name == "claim" else "a number"
        raise checks.fail(name, rule, text) from None


TEXT_READER = ClaimReader(
    name=f'text "{TEXT_FORMS}"', accepts=lambda source: isinstance(source, str), read=_claim_of_text
)

# JSON that dpviz wrote: a guarantee, the saved state of an explorer, the report of an audit.


def _own_json_description(document: Any) -> str:
    """Return a description of a JSON document that dpviz wrote; "" for any other document."""
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
    source, state = _own_json_description(document), parse_json("claim", document)
    # A state and a report hold the guarantee of their claim.
    if "type" not in state:
        if "dpviz" in state:
            checks.check_version("claim.dpviz", state["dpviz"], guarantee_state.STATE_VERSION)
        else:
            checks.check_version("claim.schema", state["schema"], guarantee_state.REPORT_SCHEMA)
        spec = state.get("spec")
        if not isinstance(spec, dict) or "claim" not in spec:
            raise checks.fail(source, "a document with the field spec.claim", cut_for_error(state))
        state = spec["claim"]
    if state is None:
        raise ValueError(f"{source} must state a claim, got a document without a claim")
    guarantee = guarantee_state.guarantee_from_dict(state, "claim")
    return Claim(guarantee=guarantee, source=source, states_adjacency=True)


OWN_JSON_READER = ClaimReader(
    name="JSON written by dpviz",
    accepts=lambda source: bool(_own_json_description(source)),
    read=_read_dpviz_json,
)

# Epsilon, a pair (epsilon, delta), or the numbers of a guarantee by name.

EPSILON_DELTA = ("epsilon", "delta")
# Keys of the guarantees that a dict of parameters may state; the first that fits is taken.
RECOGNISED = (
    *("pure", "approximate", "gaussian_dp", "zero_concentrated", "renyi", "stated", "gaussian"),
    "subsampled_gaussian",
)


def _is_numeric(source: Any) -> bool:
    is_number = isinstance(source, Real) and not isinstance(source, bool | np.bool)
    is_pair = isinstance(source, tuple | list) and len(source) == 2
    return is_number or is_pair or isinstance(source, Mapping)


def _read_numbers(source: Any) -> Claim:
    if isinstance(source, Mapping):
        return _claim_of_numbers(source, f"a dict of {', '.join(map(str, source))}")
    if isinstance(source, Real):
        return _claim_of_numbers({"epsilon": source}, "a number, epsilon of pure DP")
    pair = dict(zip(EPSILON_DELTA, source, strict=True))
    return _claim_of_numbers(pair, "a pair (epsilon, delta)")


def _claim_of_numbers(given: Mapping[Any, Any], source: str) -> Claim:
    known = {ADJACENCY}.union(*map(_parameter_names, RECOGNISED))
    named = _with_standard_names(given, known)
    names = named.keys() - {ADJACENCY}
    if names == {*EPSILON_DELTA}:
        _reject_swapped(**{name: named[name] for name in EPSILON_DELTA})
    for key in RECOGNISED:
        if {*_parameter_names(key, required=True)} <= names <= {*_parameter_names(key)}:
            stated = MECHANISMS[key](**named)
            return Claim(guarantee=stated, source=source, states_adjacency=ADJACENCY in named)
    # Nothing fits: the error lists the forms, and the name that was perhaps meant.
    forms = "; ".join(", ".join(_parameter_names(key)) for key in RECOGNISED)
    similar = (checks.did_you_mean(str(name), known) for name in names - known)
    rule, way_out = f"one of: {forms}", next(filter(None, similar), "")
    raise checks.fail("the names of the claim's numbers", rule, list(given), way_out)


def _reject_swapped(*, epsilon: Any, delta: Any) -> None:
    """Raise ValueError if delta is 1, or if epsilon and delta seem swapped: delta > 1 > epsilon."""
    pair = (checks.real("epsilon", epsilon, 0), checks.real("delta", delta))
    if pair[1] == 1 or (pair[1] > 1 and pair[0] < 1):
        way_out = f"give {pair[::-1]} if epsilon is {pair[1]}" if pair[0] < 1 else ""
        raise checks.fail("delta", "below 1", pair[1], way_out)


def _parameter_names(mechanism_key: str, *, required: bool = False) -> list[str]:
    """Return the names of all parameters of a guarantee, or only of the `required` parameters."""
    parameters = signature(MECHANISMS[mechanism_key]).parameters.values()
    chosen = [p.name for p in parameters if p.default is Parameter.empty or not required]
    return [name for name in chosen if name != ADJACENCY]


NUMBERS_READER = ClaimReader(name="(epsilon, delta)", accepts=_is_numeric, read=_read_numbers)
