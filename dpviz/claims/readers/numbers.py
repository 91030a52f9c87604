"""A pair (epsilon, delta), or the numbers of a guarantee by name."""

from collections.abc import Mapping
from inspect import Parameter, signature
from typing import Any

from dpviz import checks
from dpviz.claims.claim import Claim
from dpviz.claims.reader import Reader
from dpviz.theory import MECHANISMS, ApproximateDP

ADJACENCY = "adjacency"
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


def _accepts(source: Any) -> bool:
    if isinstance(source, Mapping):
        return bool(source.keys() & _all_names())
    return isinstance(source, tuple | list) and len(source) == 2


def _read(source: Any) -> Claim:
    if not isinstance(source, Mapping):
        epsilon, delta = source
        return Claim(
            guarantee=ApproximateDP(epsilon=epsilon, delta=delta),
            source="a pair (epsilon, delta)",
            states_adjacency=False,
        )
    names = source.keys() - {ADJACENCY}
    for key in BY_NAMES:
        if _names(key, needed=True) <= names <= _names(key):
            return Claim(
                guarantee=MECHANISMS[key](**source),
                source=f"a dict of {', '.join(map(str, source))}",
                states_adjacency=ADJACENCY in source,
            )
    forms = "; ".join(", ".join(sorted(_names(key, needed=True))) for key in BY_NAMES)
    raise checks.fail("the names of the claim's numbers", f"one of: {forms}", list(source))


def _names(key: str, *, needed: bool = False) -> set[str]:
    """Names of the parameters of a guarantee: all, or those without a default."""
    found = signature(MECHANISMS[key]).parameters.values()
    names = {p.name for p in found if p.default is Parameter.empty or not needed}
    return names - {ADJACENCY}


def _all_names() -> set[str]:
    return {ADJACENCY}.union(*(_names(key) for key in BY_NAMES))


NUMBERS = Reader(name="(epsilon, delta)", accepts=_accepts, read=_read)
