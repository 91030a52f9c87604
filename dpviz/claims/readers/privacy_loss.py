"""Objects that compute a privacy profile: dp-accounting's PLDs, OpenDP's privacy profiles."""

from typing import Any

import numpy as np

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.claims.claim import Claim
from dpviz.claims.profile import GRID, stated
from dpviz.claims.reader import Reader

# Methods from epsilon to delta, and what has them.
METHODS = {
    "get_delta_for_epsilon": "a privacy-loss distribution",
    "delta": "a privacy profile",
}
SAME = 1e-9  # relative: two sums of the same hundred thousand numbers


def _method(source: Any) -> str:
    has_inverse = hasattr(source, "epsilon") or hasattr(source, "get_epsilon_for_delta")
    found = [name for name in METHODS if callable(getattr(source, name, None))]
    return found[0] if found and has_inverse else ""


def _read(source: Any) -> Claim:
    name = _method(source)
    delta = getattr(source, name)
    known = _of_distribution(source) if name == "get_delta_for_epsilon" else None

    def profile(epsilon: FloatArray) -> FloatArray:
        if known is not None:
            return known[np.searchsorted(GRID, epsilon)]
        return checks.numeric(f"delta of {METHODS[name]}", [delta(e) for e in epsilon.tolist()])

    return Claim(
        guarantee=stated(profile, name=METHODS[name]),
        source=f"{METHODS[name]}, {type(source).__name__}.{name}",
        states_adjacency=False,
    )


def _of_distribution(source: Any) -> FloatArray:
    """The deltas of a distribution at all epsilons of `GRID`.

    Its own method takes as long for one epsilon as for all: it walks over hundreds of thousands of
    losses in Python. Where they can be seen as arrays, and give its own number, they are summed
    here.
    """
    try:
        found = np.maximum(_sums(source._pmf_remove), _sums(source._pmf_add))
        at_zero = float(source.get_delta_for_epsilon(0.0))
        if abs(found[0] - at_zero) <= SAME * at_zero:
            return np.asarray(found)
    except (AttributeError, TypeError):  # of another kind, or of another version
        pass
    return np.asarray(source.get_delta_for_epsilon(GRID.tolist()), dtype=np.float64)


def _sums(masses: Any) -> FloatArray:
    """Sum of ``(1 - e^(epsilon - loss)) p(loss)`` over the losses above each epsilon of `GRID`."""
    loss = (masses._lower_loss + np.arange(len(masses._probs))) * masses._discretization
    first = np.searchsorted(loss, 0.0)
    loss, mass = loss[first:], np.asarray(masses._probs, dtype=np.float64)[first:]
    # From the largest loss down: the small ones of the tail are added among themselves.
    of_first, of_second = (
        np.append(np.cumsum(each[::-1])[::-1], 0.0) for each in (mass, mass * np.exp(-loss))
    )
    at = np.searchsorted(loss, GRID)
    beyond = of_first[at] - np.exp(GRID) * of_second[at]
    return np.asarray(np.clip(beyond + masses._infinity_mass, 0.0, 1.0))


PRIVACY_LOSS = Reader(
    name="a privacy-loss distribution or profile",
    accepts=lambda source: bool(_method(source)),
    read=_read,
)
