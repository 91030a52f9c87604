"""Objects that compute a privacy profile: dp-accounting's PLDs, OpenDP's privacy profiles."""

from typing import Any

import numpy as np

from dpviz.checks import FloatArray
from dpviz.claims.claim import Claim
from dpviz.claims.profile import GRID, stated
from dpviz.claims.reader import Reader

# Methods from epsilon to delta, and what has them.
METHODS = {
    "get_delta_for_epsilon": "a privacy-loss distribution",
    "delta": "a privacy profile",
}


def _method(source: Any) -> str:
    has_inverse = hasattr(source, "epsilon") or hasattr(source, "get_epsilon_for_delta")
    found = [name for name in METHODS if callable(getattr(source, name, None))]
    return found[0] if found and has_inverse else ""


def _read(source: Any) -> Claim:
    name = _method(source)
    delta = getattr(source, name)

    # A distribution takes as long for one epsilon as for all.
    known = delta(GRID.tolist()) if name == "get_delta_for_epsilon" else None

    def profile(epsilon: FloatArray) -> FloatArray:
        if known is not None:
            return np.asarray(known, dtype=np.float64)[np.searchsorted(GRID, epsilon)]
        return np.array([float(delta(each)) for each in epsilon.tolist()])

    return Claim(
        guarantee=stated(profile, name=METHODS[name]),
        source=f"{METHODS[name]}, {type(source).__name__}.{name}",
        states_adjacency=False,
    )


PRIVACY_LOSS = Reader(
    name="a privacy-loss distribution or profile",
    accepts=lambda source: bool(_method(source)),
    read=_read,
)
