"""prv_accountant: an interval for delta at each epsilon, which becomes a band."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.claims.claim import Claim
from dpviz.claims.profile import stated
from dpviz.claims.reader import Reader
from dpviz.theory import Stated
from dpviz.theory.statements import intersection, most_missed


def _accepts(source: Any) -> bool:
    return callable(getattr(source, "compute_delta", None)) and hasattr(source, "prvs")


def _read(source: Any) -> Claim:
    steps = [checks.whole("steps of the accountant", n, 0) for n in source.max_self_compositions]
    if not any(steps):
        raise ValueError(f"the accountant must have steps, got max_self_compositions {steps}")
    ends_at = _ends(source, steps)
    known: dict[float, FloatArray] = {}

    def limits(epsilon: FloatArray) -> FloatArray:
        for each in epsilon.tolist():
            if each not in known:
                ends = checks.numeric("the interval of delta", ends_at(each))
                if not ends[0] <= ends[1]:
                    raise checks.fail("the interval of delta", "(low, high)", ends.tolist())
                known[each] = np.clip(ends, 0.0, 1.0)
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


def _ends(source: Any, steps: list[int]) -> Callable[[float], tuple[float, float]]:
    """The function from epsilon to both ends of delta, in the tool's own way.

    Its `compute_delta` composes anew at each epsilon; where the parts are there, it is done once.
    """
    needed = ("compute_composition", "eps_error", "delta_error")
    if not all(hasattr(source, name) for name in needed):

        def asked(epsilon: float) -> tuple[float, float]:
            low, _, high = source.compute_delta(epsilon, steps)
            return low, high

        return asked
    estimate = source.compute_composition(steps).compute_delta_estimate
    aside, above = source.eps_error, source.delta_error

    def moved(epsilon: float) -> tuple[float, float]:
        return estimate(epsilon + aside) - above, estimate(epsilon - aside) + above

    return moved


PRV = Reader(name="a prv_accountant accountant", accepts=_accepts, read=_read)
