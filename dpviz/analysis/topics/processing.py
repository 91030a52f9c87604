"""Changes to a mechanism or its output, of which only some are post-processing."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np

from dpviz.analysis.result import ClaimPart
from dpviz.analysis.topic import answer_topic
from dpviz.analysis.topics.claim import ClaimCurve, SelectedFpr
from dpviz.analysis.words import capitalised
from dpviz.checks import FloatArray, read_only
from dpviz.drawing import NOTHING, PLANE, AnswerLayer, ClaimLayer, Line, theme
from dpviz.number_format import percent, percent_at_most, short
from dpviz.theory import PureDP, TradeoffFunction
from dpviz.theory import post_processing as steps
from dpviz.theory.post_processing import post_processed

Step = Literal["round", "replace", "clamp", "clamp_noise", "redraw_data", "side_information"]

MOST_SPREAD = 4.0  # spread of the redrawn data (in units of the output) if the amount is 1
MAX_SIDE_EPSILON = 5.0  # epsilon of the side information if the amount is 1


@dataclass(frozen=True, kw_only=True, eq=False)
class ProcessedOutputPart:
    """The trade-off curve after a processing step of strength `amount` (from 0 to 1)."""

    step: Step
    amount: float
    fpr: float
    curve: FloatArray
    known: FloatArray  # the trade-off curve of side information alone; empty for other steps
    before: float  # the largest TPR at `fpr` before the step
    after: float | None  # the one after it; None if the claim names no noise, which the step needs
    known_tpr: float  # the one of side information alone
    proof: float  # the one after the step at FPR 0


@lru_cache(maxsize=16)
def processed_output_part(
    claim: ClaimPart, fpr: float, step: Step, amount: float
) -> ProcessedOutputPart:
    """Return the trade-off curve after a step of strength `amount`, and TPRs before and after."""
    new = STEPS[step](claim.claim, amount)
    side = PureDP(epsilon=MAX_SIDE_EPSILON * amount) if step == "side_information" else None
    return ProcessedOutputPart(
        step=step,
        amount=amount,
        fpr=fpr,
        curve=NOTHING if new is None else read_only(new.draw()),
        known=NOTHING if side is None else read_only(side.draw()),
        before=claim.claim.tpr(fpr),
        after=None if new is None else new.tpr(fpr),
        known_tpr=0.0 if side is None else side.tpr(fpr),
        proof=0.0 if new is None else new.tpr(0.0),
    )


def _claim_with_merged_outputs(claim: TradeoffFunction, amount: float) -> TradeoffFunction:
    """Return the claim after neighbouring outputs are merged (all outputs if `amount` is 1)."""
    doublings = int(np.ceil(np.log2(len(steps.discretised_outputs(claim).member))))
    return post_processed(claim, merged=2 ** round(amount * doublings))


STEPS: dict[Step, Callable[[TradeoffFunction, float], TradeoffFunction | None]] = {
    "round": _claim_with_merged_outputs,
    "replace": lambda claim, amount: post_processed(claim, replaced=amount),
    "clamp": lambda claim, amount: steps.outputs_clamped_to_inner_cells(claim, share=amount),
    "clamp_noise": lambda claim, amount: steps.outputs_with_clamped_noise(claim, share=amount),
    "redraw_data": lambda claim, amount: steps.outputs_of_redrawn_data(
        claim, spread=MOST_SPREAD * amount
    ),
    "side_information": lambda claim, amount: steps.outputs_with_side_information(
        claim, epsilon=MAX_SIDE_EPSILON * amount
    ),
}


def lead(part: ProcessedOutputPart) -> str:
    """Say which TPR the best attack reaches before the step and after the step."""
    if part.after is None:
        return "This claim is not about noise added to a query. Choose Gaussian noise as the claim."
    at, before = f"at FPR {percent(part.fpr)}", percent(part.before)
    if part.step == "clamp_noise" and part.amount == 0:
        return "Nothing is clamped yet. Move the slider: the curve falls."
    if part.step == "clamp_noise":
        return (
            "Clamping the noise is not private: at FPR 0 % an attack catches "
            f"{percent(part.proof)} of the members, with certainty."
        )
    if part.step == "redraw_data":
        return (
            f"{capitalised(at)} the best attack catches {percent(part.after)} of the members if "
            f"the other records are drawn anew, and {before} if only the noise is drawn."
        )
    if part.step == "side_information":
        return (
            f"Side information of ε = {short(MAX_SIDE_EPSILON * part.amount)} alone catches "
            f"{percent(part.known_tpr)} of the members {at}; together with the output, it catches "
            f"at most {percent_at_most(part.after)}."
        )
    return (
        f"{capitalised(at)} the best attack catches {percent(part.after)} of the members after "
        f"this step and {before} before it: post-processing helps no attacker."
    )


RULE = (
    "Post-processing uses the output alone, so an attacker learns nothing beyond the output "
    "itself. The curve never falls below the curve of the claim. "
)

CELLS = (
    "A continuous output is first rounded to one of 256 intervals. A mechanism with finitely many "
    "outputs needs no rounding: its curve is exact."
)

ABOUT = {
    "round": RULE + "Each rounding merges the outputs of the rounding before it. " + CELLS,
    "replace": RULE + "This channel replaces the output by a random one. " + CELLS,
    "clamp": RULE + "Outputs beyond the limits become the limits. " + CELLS,
    "clamp_noise": (
        "The noise is clamped before it is added. This is another mechanism, not post-processing. "
        "Some outputs come from only one of the two data sets and prove which. Clamp the output "
        "instead. " + CELLS
    ),
    "redraw_data": (
        "The claim's probabilities come from the noise alone. Both data sets are fixed, because an "
        "attacker may know every record but one. If the other records are drawn anew, their spread "
        "hides the record like further noise, but only from an attacker who does not know them. No "
        "claim relies on this. " + CELLS
    ),
    "side_information": (
        "The side information is a randomized response about the same record. It composes with the "
        "output: together they reveal more than the claim allows for the output alone. If a guess "
        "from the side information is right with probability κ, the output raises this probability "
        "to at most 1 - f(κ). " + CELLS
    ),
}


class ProcessedCurve(ClaimLayer, AnswerLayer[ProcessedOutputPart]):
    """The trade-off curve after the step; the color shows whether the claim still holds."""

    answer = "processing"
    known = Line(color=theme.MEMBER, dash="dotted", width=2, label="known from elsewhere")
    promised = Line(color=theme.LEVEL, dash="dashed", width=2.5, label="afterwards")
    broken = Line(color=theme.ATTACK, dash="dash_dotted", width=2.5, label="afterwards")

    def draw_answer(self, part: ProcessedOutputPart) -> None:
        self.known.draw(part.known)
        # Of these steps the claim's guarantee covers the result.
        is_promised = part.step in ("round", "replace", "clamp", "redraw_data")
        self.promised.draw(part.curve if is_promised else NOTHING)
        self.broken.draw(NOTHING if is_promised else part.curve)


PROCESSING = replace(
    PLANE,
    title="What if the output is processed further?",
    needs="processing",
    layers=lambda: [ClaimCurve(), ProcessedCurve(), SelectedFpr()],
)

TOPIC = answer_topic(PROCESSING, lead, lambda part: ABOUT[part.step], about_claim=True)
