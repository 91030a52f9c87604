"""The ratio of both output densities of a claim, output by output."""

import math
from dataclasses import dataclass

import numpy as np

from dpviz.analysis.result import Result
from dpviz.analysis.topic import Topic, of_answer
from dpviz.analysis.words import WORDS
from dpviz.checks import FloatArray, read_only
from dpviz.drawing import theme
from dpviz.drawing.axes import AxisSpec
from dpviz.drawing.frame import rectangle
from dpviz.drawing.layer import Layer
from dpviz.drawing.marks import NOTHING, Area, Line
from dpviz.drawing.scene import Scene
from dpviz.number_format import percent, short, upper
from dpviz.theory import PrivacyLoss, TradeoffFunction
from dpviz.theory.outputs import Bars, OutputLaws

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


# Sentences about the ratio of both output densities.

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


# The ratio of both output densities, and the band in which pure epsilon-DP keeps it.

ROOM = 1.15  # half the axis over the largest finite log ratio
FAR = 4  # an epsilon farther out than so many times that is not drawn


class DensityRatio(Layer):
    """log Q/P over the output; infinite ratios stand at the edge."""

    closed_form = True

    def add_marks(self) -> None:
        self._band = self.add(
            "band",
            Area(color=theme.CLAIM, opacity=0.15, outline=False, label="from e^-ε to e^ε"),
        )
        self._equal = self.add(
            "equal", Line(color=theme.SELECTION, dash="dotted", width=1.5, label="equally likely")
        )
        self._ratio = self.add(
            "ratio", Line(color=theme.CLAIM, width=2.5, label="member against non-member")
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.answers["ratio"],)

    def draw(self, result: Result) -> None:
        part: RatioPart = result.answers["ratio"]
        if part.laws is None or not len(part.curve):
            self.hide()
            return
        x, y, laws = self.x, self.y, part.laws
        if isinstance(laws, Bars):
            x.set_bars(laws.labels, first=laws.first)
        else:
            x.set_range(*laws.span)
        x.set_label(laws.name)
        heights = np.abs(part.curve[:, 1])
        most = float(heights[np.isfinite(heights)].max(initial=0.1))
        is_near = part.epsilon <= FAR * most
        high = ROOM * (max(most, part.epsilon) if is_near else most)
        y.set_range(-high, high)
        limit = min(part.epsilon, high)
        self._band.draw(rectangle(x.low, x.high, -limit, limit) if limit else NOTHING)
        self._equal.draw(self.frame.horizontal(0.0))
        self._ratio.draw(np.clip(part.curve, [-np.inf, -high], [np.inf, high]))


RATIO = Scene(
    title="How much does each output tell?",
    topic="ratio",
    needs="ratio",
    x=AxisSpec(label="output"),
    y=AxisSpec(label="log of the ratio of densities, log Q/P"),
    layers=lambda: [DensityRatio()],
)


TOPIC = Topic(
    sentences={
        "ratio_lead": of_answer("ratio", lambda p, _: lead(p), lead=True),
        "ratio": of_answer("ratio", lambda *_: ABOUT),
    },
    scenes={
        "ratio": RATIO,
    },
)
