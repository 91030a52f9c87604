"""The ratio of both output densities of a claim, output by output."""

from dataclasses import dataclass

import numpy as np

from dpviz.checks import FloatArray, read_only
from dpviz.theory import PrivacyLoss, TradeoffFunction
from dpviz.theory.outputs.bars import Bars
from dpviz.theory.outputs.laws import OutputLaws

ROUNDING = 1e-12  # a smaller probability is what 1 - P leaves
PLACES = 401  # outputs at which the ratio of densities is drawn


@dataclass(frozen=True, kw_only=True, eq=False)
class RatioPart:
    """log Q/P over the outputs, columns output and log ratio; None names no outputs.

    `beyond` is the probability that a member's output has a ratio outside e^-epsilon to e^epsilon.
    """

    laws: OutputLaws | None
    curve: FloatArray
    epsilon: float
    beyond: float


def ratio_part(claim: TradeoffFunction, epsilon: float) -> RatioPart:
    """The ratio for a claim (under replace-one adjacency), with an epsilon marked."""
    laws, loss = claim.outputs(), PrivacyLoss(claim)
    below = 1 - float(loss.tail(-epsilon))
    beyond = float(loss.above(epsilon)) + (below if below > ROUNDING else 0.0)
    curve = np.empty((0, 2)) if laws is None else _curve(laws)
    return RatioPart(
        laws=laws, curve=read_only(curve), epsilon=epsilon, beyond=min(1.0, max(0.0, beyond))
    )


def _curve(laws: OutputLaws) -> FloatArray:
    first, last = laws.span
    if isinstance(laws, Bars):
        left = np.arange(first, last)
        ends = np.column_stack([left, left + 1]).ravel()
        return np.column_stack([ends, np.repeat(laws.log_ratio(left), 2)])
    places = np.linspace(first, last, PLACES)
    with np.errstate(invalid="ignore"):
        ratios = laws.log_ratio(places)
    known = ~np.isnan(ratios)  # neither class has outputs where it is unknown
    return np.column_stack([places, ratios])[known]
