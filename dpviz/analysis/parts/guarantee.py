"""The curves of a guarantee, the claim or an overlay."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpviz.analysis.parts.log_log import claim_tail
from dpviz.analysis.parts.neighbours import as_compared
from dpviz.checks import FloatArray, read_only
from dpviz.theory import TradeoffFunction
from dpviz.theory.tradeoff import Adjacency

LOWEST_DELTA = 1e-12  # where the profile's logarithmic axis ends
LEVELS = np.geomspace(1.0, LOWEST_DELTA, 121)  # ten a decade


@dataclass(frozen=True, kw_only=True, eq=False)
class GuaranteePart:
    """A guarantee as `given` and as it is compared (`claim`), as curves.

    `curve` and `region` have columns FPR and FNR. Nothing here depends on delta.
    """

    given: TradeoffFunction
    claim: TradeoffFunction
    curve: FloatArray
    region: FloatArray

    @cached_property
    def profile(self) -> FloatArray:
        """Columns epsilon (ascending) and delta, evenly spread in log delta, shape (k, 2).

        From epsilon 0 down to the delta that is left at every epsilon, or to 1e-12.
        """
        ends = np.clip([self.claim.delta(0.0), self.claim.tpr(0.0)], LOWEST_DELTA, 1.0)
        inside = LEVELS[(ends[1] < LEVELS) & (ends[0] > LEVELS)]
        levels = np.union1d(ends, inside)[::-1]
        epsilon = self.claim.epsilon(levels)
        known = np.isfinite(epsilon)
        return read_only(np.column_stack([epsilon[known], levels[known]]))

    @cached_property
    def tail(self) -> FloatArray:
        """Columns FPR and TPR, evenly spread in log FPR, shape (k, 2)."""
        return claim_tail(self.claim)


def guarantee_part(given: TradeoffFunction, neighbours: Adjacency) -> GuaranteePart:
    """Return the curves of a guarantee for data sets that are such neighbours."""
    claim = as_compared(given, neighbours)
    return GuaranteePart(
        given=given, claim=claim, curve=read_only(claim.draw()), region=read_only(claim.region())
    )
