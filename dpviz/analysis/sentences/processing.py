"""Sentences about post-processing, and about what only looks like it."""

from dpviz.analysis.number_format import percent, short, upper
from dpviz.analysis.parts.processing import MOST_KNOWN, ProcessingPart

RULE = (
    "Post-processing: what is computed from the output alone, whatever it is, lets nobody tell "
    "more than the output itself. The curve rises, and never falls below that of the claim. "
)
CELLS = (
    "An output with a density is first cut into 256 cells, which is a rounding too; all curves of "
    "finitely many outputs are exact."
)
ABOUT = {
    "round": RULE + "Each rounding here is a rounding of the one before. " + CELLS,
    "replace": RULE + "This channel replaces the output by a random one. " + CELLS,
    "clamp": RULE + "Outputs beyond the limits become the limits. " + CELLS,
    "clamp_noise": (
        "The noise is limited before it is added: that is another mechanism, no post-processing. "
        "Outputs that only one of the two data sets can give are proof; clamp the output instead. "
        + CELLS
    ),
    "redraw_data": (
        "The claim's probabilities are over the noise alone: both data sets are fixed, for an "
        "attacker may know every record but one. Where the others are drawn anew, too, their "
        "spread hides the record as further noise does, for those who do not know them. No claim "
        "counts on that. " + CELLS
    ),
    "side_information": (
        "The side information here is an answer by randomized response about the same record. It "
        "composes with the output: together they tell more than the claim allows of the output. "
        "Whatever is known, with chance κ of being right, the output raises it to 1 - f(κ) at "
        "most. " + CELLS
    ),
}


def lead(part: ProcessingPart) -> str:
    """What the best attack reaches after the step."""
    if part.after is None:
        return "This claim names no noise that is added to a query: choose Gaussian noise."
    at = f"at FPR {percent(part.fpr)}"
    if part.step == "clamp_noise":
        if part.amount == 0:
            return "Nothing is clamped yet: move the slider and watch the curve fall."
        return (
            f"Clamping the noise is not private: {percent(part.proof)} of the members are caught "
            "with proof, at FPR 0 %."
        )
    if part.step == "redraw_data":
        return (
            f"{at[0].upper()}{at[1:]} the best attack catches {percent(part.after)} if the other "
            f"records are drawn anew, too; {percent(part.before)} if only the noise is."
        )
    if part.step == "side_information":
        return (
            f"Side information of ε = {short(MOST_KNOWN * part.amount)} alone catches "
            f"{percent(part.known_tpr)} {at}; with the output at most {percent(upper(part.after))}."
        )
    return (
        f"{at[0].upper()}{at[1:]} the best attack catches {percent(part.after)} of the members "
        f"afterwards, {percent(part.before)} before: post-processing helps no attacker."
    )


def about(part: ProcessingPart) -> str:
    """What holds for the step."""
    return ABOUT[part.step]
