"""Sentences about the ratio of both output densities."""

import math

from dpviz.analysis.number_format import percent, short, upper
from dpviz.analysis.parts.density_ratio import ROUNDING, RatioPart
from dpviz.analysis.sentences.templates import WORDS

ABOUT = (
    "Pure ε-DP says of every output that it is at most e^ε times as likely for a member as for a "
    "non-member, and at least e^-ε times. Where δ > 0, some outputs may leave this band, and δ "
    "limits by how much and how often together."
)


def lead(part: RatioPart) -> str:
    """How often the ratio leaves the band."""
    if part.laws is None:
        return WORDS["no_outputs"]
    if math.isinf(part.epsilon):
        return WORDS["ratio_lead.any"]
    kind = "inside" if part.beyond <= ROUNDING else "beyond"
    return WORDS[f"ratio_lead.{kind}"].format(
        epsilon=short(part.epsilon), beyond=percent(upper(part.beyond))
    )
