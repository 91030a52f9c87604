"""What is drawn of a guarantee, whether it is the claim or an overlay beside it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpviz.analysis.log_log import claim_tail
from dpviz.checks import FloatArray, read_only
from dpviz.theory import TradeoffFunction

LOWEST_DELTA = 1e-12
LEVELS = np.geomspace(1.0, LOWEST_DELTA, 121)


@dataclass(frozen=True, kw_only=True, eq=False)
class GuaranteePart:
    """A guarantee under replace-one adjacency, as curves; nothing of it depends on delta.

    Parameters
    ----------
    given, claim : TradeoffFunction
        As in the spec, and converted.
    curve, region : ndarray, shape (k, 2)
        Columns FPR and FNR.
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


def guarantee_part(given: TradeoffFunction) -> GuaranteePart:
    """Convert and draw."""
    claim = given.to_replace_one()
    return GuaranteePart(
        given=given,
        claim=claim,
        curve=read_only(claim.draw()),
        region=read_only(claim.region()),
    )
