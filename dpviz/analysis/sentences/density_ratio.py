"""Sentences about the ratio of both output densities."""

import math

from dpviz.analysis.number_format import percent, short, upper
from dpviz.analysis.parts.density_ratio import RatioPart
from dpviz.analysis.sentences.mechanism import NO_OUTPUTS

ABOUT = (
    "Pure ε-DP says of every output that it is at most e^ε times as likely for a member as for a "
    "non-member, and at least e^-ε times. Where δ > 0, some outputs may leave this band, and δ "
    "limits by how much and how often together."
)


def lead(part: RatioPart) -> str:
    """How often the ratio leaves the band."""
    if part.laws is None:
        return NO_OUTPUTS
    if math.isinf(part.epsilon):
        return "With ε = ∞ the band has no edge: every ratio is allowed."
    epsilon = f"ε = {short(part.epsilon)}"
    if part.beyond <= 1e-12:  # rounding
        return f"No output has a ratio outside the band from e^-ε to e^ε, with {epsilon}."
    return (
        f"A member's output has a ratio outside the band from e^-ε to e^ε, with {epsilon}, with "
        f"probability at most {percent(upper(part.beyond))}."
    )
