"""The command's text: ``1.0,1e-5``, or a guarantee by name, ``gaussian_dp:mu=1.2``."""

from collections.abc import Callable
from inspect import signature

from dpviz import checks
from dpviz.claims.claim import Claim
from dpviz.claims.reader import Reader
from dpviz.theory import MECHANISMS, ApproximateDP, TradeoffFunction

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


def _read(text: str) -> Claim:
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


TEXT = Reader(name=f'text "{FORMS}"', accepts=lambda source: isinstance(source, str), read=_read)
