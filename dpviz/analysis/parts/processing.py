"""What is done to a mechanism's output, and what the new output gives away."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dpviz.analysis.memo import memoised
from dpviz.analysis.parts.parts import ClaimPart
from dpviz.checks import FloatArray, read_only
from dpviz.theory import PureDP, TradeoffFunction, post_processed
from dpviz.theory.post_processing import (
    cells,
    clamped_noise,
    clamped_output,
    redrawn_data,
    with_side_information,
)

Step = Literal["round", "replace", "clamp", "clamp_noise", "redraw_data", "side_information"]
MOST_SPREAD = 4.0  # of the redrawn data at the right end, in the unit of the output
MOST_KNOWN = 5.0  # epsilon of the side information at the right end


@dataclass(frozen=True, kw_only=True, eq=False)
class ProcessingPart:
    """The curve after a step, and the numbers of it that sentences have.

    `amount` is how much is done, from 0 to 1. `known` is the curve of the side information alone;
    it has no rows for other steps. `before`, `after` and `known_tpr` are TPRs at `fpr`, `proof` is
    the TPR at FPR 0; `after` is None where the claim adds no noise that could be clamped.
    """

    step: Step
    amount: float
    fpr: float
    curve: FloatArray
    known: FloatArray
    before: float
    after: float | None
    known_tpr: float
    proof: float

    @property
    def is_post_processing(self) -> bool:
        """Whether the step sees the output alone."""
        return self.step in ("round", "replace", "clamp", "redraw_data")


class Processing:
    """Computes the part; the same arguments give the same object."""

    @memoised
    def part(self, claim: ClaimPart, fpr: float, step: Step, amount: float) -> ProcessingPart:
        """A step done to the outputs of a claim, in some amount."""
        nothing = read_only(np.empty((0, 2)))
        new = STEPS[step](claim.claim, amount)
        side = PureDP(epsilon=MOST_KNOWN * amount) if step == "side_information" else None
        return ProcessingPart(
            step=step,
            amount=amount,
            fpr=fpr,
            curve=nothing if new is None else read_only(new.draw()),
            known=nothing if side is None else read_only(side.draw()),
            before=claim.claim.tpr(fpr),
            after=None if new is None else new.tpr(fpr),
            known_tpr=0.0 if side is None else side.tpr(fpr),
            proof=0.0 if new is None else new.tpr(0.0),
        )


def _round(claim: TradeoffFunction, amount: float) -> TradeoffFunction:
    """Merge 1, 2, 4, ... neighbouring outputs: each rounding is one of the rounding before."""
    doublings = int(np.ceil(np.log2(len(cells(claim).member))))
    return post_processed(claim, merged=2 ** round(amount * doublings))


STEPS: dict[Step, Callable[[TradeoffFunction, float], TradeoffFunction | None]] = {
    "round": _round,
    "replace": lambda claim, amount: post_processed(claim, replaced=amount),
    "clamp": lambda claim, amount: clamped_output(claim, share=amount),
    "clamp_noise": lambda claim, amount: clamped_noise(claim, share=amount),
    "redraw_data": lambda claim, amount: redrawn_data(claim, spread=MOST_SPREAD * amount),
    "side_information": lambda claim, amount: with_side_information(
        claim, epsilon=MOST_KNOWN * amount
    ),
}
