"""The log ratio of a claim's two output densities, as a function of the output."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dpviz.analysis.topic import answer_topic
from dpviz.analysis.words import WORDS
from dpviz.checks import FloatArray, read_only
from dpviz.drawing import NOTHING, AnswerLayer, Area, AxisSpec, Line, Scene, rectangle, theme
from dpviz.number_format import percent_at_most, short
from dpviz.theory import PrivacyLoss, TradeoffFunction
from dpviz.theory.outputs import DiscreteOutputs, OutputLaws

ROUNDING_ERROR = 1e-12  # a smaller probability is a rounding error of 1 - P

PLACES = 401  # outputs at which the ratio of densities is drawn


@dataclass(frozen=True, kw_only=True, eq=False)
class RatioPart:
    """The log ratio of the output densities of members (Q) and non-members (P)."""

    laws: OutputLaws | None  # None if the outputs are unknown: then `curve` has no rows
    curve: FloatArray  # columns output and log(Q/P)
    epsilon: float
    beyond: float  # probability that |log(Q/P)| exceeds epsilon for a member's output


@lru_cache(maxsize=16)
def ratio_part(claim: TradeoffFunction, epsilon: float) -> RatioPart:
    """Return log(Q/P) as a curve, and the probability under Q that |log(Q/P)| exceeds epsilon."""
    laws, loss = claim.outputs(), PrivacyLoss(claim)
    # Outputs with a log ratio below -epsilon, and those with one above epsilon.
    below = 1 - float(loss.tail(-epsilon))
    beyond = float(loss.above(epsilon)) + (below if below > ROUNDING_ERROR else 0.0)
    curve = NOTHING if laws is None else _log_ratio_curve(laws)
    return RatioPart(
        laws=laws, curve=read_only(curve), epsilon=epsilon, beyond=min(1.0, max(0.0, beyond))
    )


def _log_ratio_curve(laws: OutputLaws) -> FloatArray:
    """Return the curve of log(Q/P) against the output; a discrete output is a horizontal step."""
    first, last = laws.span
    if isinstance(laws, DiscreteOutputs):
        left = np.arange(first, last)
        ends = np.column_stack([left, left + 1]).ravel()
        return np.column_stack([ends, np.repeat(laws.log_ratio(left), 2)])
    places = np.linspace(first, last, PLACES)
    with np.errstate(invalid="ignore"):
        ratios = laws.log_ratio(places)
    known = ~np.isnan(ratios)  # neither class has outputs where it is unknown
    return np.column_stack([places, ratios])[known]


def lead(part: RatioPart) -> str:
    """Say the probability that a member's output has Q/P outside [e^-epsilon, e^epsilon]."""
    if part.laws is None:
        return WORDS["no_outputs"]
    if math.isinf(part.epsilon):
        return WORDS["ratio_lead.any"]
    kind = "inside" if part.beyond <= ROUNDING_ERROR else "beyond"
    return WORDS[f"ratio_lead.{kind}"].format(
        epsilon=short(part.epsilon), beyond=percent_at_most(part.beyond)
    )


ABOUT = (
    "Under pure ε-DP every output is at most e^ε times as likely for a member as for a non-member, "
    "and at least e^-ε times as likely. If δ > 0, some outputs may lie outside this band; δ limits "
    "their distance from the band and their probability together."
)

AXIS_FACTOR = 1.15  # half the length of the axis over the largest finite log ratio
FAR_EPSILON_FACTOR = 4  # largest epsilon that is drawn, over the largest finite log ratio


class DensityRatio(AnswerLayer[RatioPart]):
    """The log ratio of the output densities; the edge of the picture stands for infinite ratios."""

    answer = "ratio"
    closed_form = True
    band = Area(color=theme.CLAIM, opacity=0.15, outline=False, label="from e^-ε to e^ε")
    equal = Line(color=theme.SELECTION, dash="dotted", width=1.5, label="equally likely")
    ratio = Line(color=theme.CLAIM, width=2.5, label="member against non-member")

    def draw_answer(self, part: RatioPart) -> None:
        if part.laws is None or not len(part.curve):
            self.hide()
            return
        x, y, laws = self.x, self.y, part.laws
        if isinstance(laws, DiscreteOutputs):
            x.set_bar_names(laws.labels, left_end=laws.first)
        else:
            x.set_range(*laws.span)
        x.set_label(laws.name)
        # The axis has room for every finite ratio, and for epsilon unless it is far out.
        heights = np.abs(part.curve[:, 1])
        most = float(heights[np.isfinite(heights)].max(initial=0.1))
        is_near = part.epsilon <= FAR_EPSILON_FACTOR * most
        high = AXIS_FACTOR * min(max(most, part.epsilon) if is_near else most, 1e300)
        y.set_range(-high, high)
        limit = min(part.epsilon, high)
        self.band.draw(rectangle(x.low, x.high, -limit, limit) if limit else NOTHING)
        self.equal.draw(self.frame.ends_of_horizontal_line(0.0))
        self.ratio.draw(np.clip(part.curve, [-np.inf, -high], [np.inf, high]))


RATIO = Scene(
    title="How informative is each output?",
    needs="ratio",
    x=AxisSpec(label="output"),
    y=AxisSpec(label="log of the ratio of densities, log Q/P"),
    layers=lambda: [DensityRatio()],
)

TOPIC = answer_topic(RATIO, lead, lambda _: ABOUT)
