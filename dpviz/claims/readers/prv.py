"""prv_accountant: an interval for delta at each epsilon, which becomes a band."""

from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.checks import FloatArray
from dpviz.claims.claim import Claim
from dpviz.claims.profile import stated
from dpviz.claims.reader import Reader
from dpviz.theory import Stated
from dpviz.theory.statements import intersection, most_missed


def _accepts(source: Any) -> bool:
    return callable(getattr(source, "compute_delta", None)) and hasattr(source, "prvs")


def _read(source: Any) -> Claim:
    steps = list(source.max_self_compositions)
    known: dict[float, tuple[float, float]] = {}

    def limits(epsilon: FloatArray) -> FloatArray:
        for each in epsilon.tolist():
            if each not in known:
                low, _, high = source.compute_delta(each, steps)
                known[each] = max(0.0, float(low)), min(1.0, float(high))
        return np.array([known[each] for each in epsilon.tolist()])

    safe = stated(lambda epsilon: limits(epsilon)[:, 1], name="the upper end", rounds=1)
    epsilon = np.array([row[0] for row in safe.statements])
    delta = limits(epsilon)[:, 0]
    missed = most_missed(intersection(epsilon, delta))
    upper = Stated(np.column_stack([epsilon, delta]), error=min(1.0, missed))
    # The band is as wide as the two curves are apart, where they are furthest. Between its
    # statements the upper one lies below the highest curve that is possible.
    x = np.union1d(safe.knots[:, 0], upper.knots[:, 0])
    width = float(np.max(upper.beta(x) - safe.beta(x), initial=0.0))
    claim = Claim(
        guarantee=safe.with_parameters(error=min(1.0, width + upper.error)),
        source=f"prv_accountant's interval after {steps} steps",
        states_adjacency=False,
        upper=upper,
    )
    return replace(claim, notes=(f"the two ends are at most {width:.1g} apart",))


PRV = Reader(name="a prv_accountant accountant", accepts=_accepts, read=_read)
