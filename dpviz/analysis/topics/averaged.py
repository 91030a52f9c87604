"""The epsilon of averaged error rates, and its upper limit by Theorem 2 of the Epsilon* paper."""

import math

import numpy as np

from dpviz.analysis.topic import Table, answer_topic
from dpviz.analysis.words import counted
from dpviz.audit.models.aggregate import BothSides
from dpviz.drawing import LOG_ODDS_AXIS, AnswerLayer, AxisSpec, Scene, theme, thinned
from dpviz.drawing.axes import log10_odds_of
from dpviz.drawing.marks import Line, Points
from dpviz.number_format import short


def lead(part: BothSides) -> str:
    """Say the epsilon of error rates averaged over models, and the upper limit of Theorem 2."""
    return (
        f"Rates averaged over {counted(len(part.models), 'model')} give ε-bar = "
        f"{short(part.left)}: by Theorem 2, ε-bar is at most {short(part.right)}, the log of the "
        "models' mean e^ε* (estimates)."
    )


def summary(part: BothSides) -> str:
    """Say what the averaged epsilon and its limit mean, and at which FPRs models are measured."""
    grid = ", ".join(short(t) for t in part.averaged.grid)
    infinite = " Lines and points at the upper edge are infinite: some rate there is 0."
    return (
        "With exact rates, ε-bar (equation 19 of the Epsilon* paper) is at most the ε of the "
        "training method. The log of the mean of e^ε* bounds this ε in neither direction. Each "
        f"model is measured at FPR {grid}, without a clip."
    ) + infinite * math.isinf(part.right)


MET = {True: "yes", False: "no", None: "not known"}
CAPTION = "Conditions of Theorem 2 in the Epsilon* paper."
HEAD = ("condition", "met", "why")


def table(part: BothSides) -> Table:
    """Return the table of the conditions of Theorem 2 (Epsilon* paper): which are met, and why."""
    return Table(CAPTION, HEAD, [(each.name, MET[each.met], each.text) for each in part.conditions])


AXIS_FACTOR = 1.15  # length of the axis over the largest finite value
AXIS_MARGIN = 0.4  # decades of odds beyond the ends of the grid


class LargestLogRatios(AnswerLayer[BothSides]):
    """The largest log ratio of error rates at each FPR, for every model and for the mean rates."""

    answer = "both_sides"
    models = Points(color=theme.NONMEMBER, size=30, outline=1, label="each model")
    averaged = Points(color=theme.ATTACK, marker="diamond", label="rates averaged over models")
    left = Line(color=theme.ATTACK, label="ε-bar, their largest")
    right = Line(color=theme.LIMIT, dash="dashed", label="log of the mean of e^ε*")

    def draw_answer(self, part: BothSides) -> None:
        decades = log10_odds_of(part.averaged.grid)
        # At each FPR the larger log ratio of the two directions, at least 0.
        largest = [np.maximum(each.log_ratios.max(axis=1), 0) for each in part.models]
        averaged = np.maximum(part.averaged.log_ratios.max(axis=1), 0)
        values = np.concatenate([*largest, averaged, [part.left, part.right]])
        high = AXIS_FACTOR * float(values[np.isfinite(values)].max(initial=0.1))
        self.x.set_range(float(decades[0]) - AXIS_MARGIN, float(decades[-1]) + AXIS_MARGIN)
        self.y.set_range(0.0, high)
        places = [np.column_stack([decades, np.minimum(e, high)]) for e in (*largest, averaged)]
        self.models.draw(thinned(np.vstack(places[:-1])))
        self.averaged.draw(thinned(places[-1]))
        self.left.draw(self.frame.ends_of_horizontal_line(min(part.left, high)))
        self.right.draw(self.frame.ends_of_horizontal_line(min(part.right, high)))


BOTH_SIDES = Scene(
    title="Which ε do mean rates imply?",
    needs="both_sides",
    x=LOG_ODDS_AXIS,
    y=AxisSpec(label="implied ε (largest log ratio)", high=4),
    right=26,  # half the width of the last tick, "99.99 %"
    layers=lambda: [LargestLogRatios()],
)

TOPIC = answer_topic(BOTH_SIDES, lead, summary, table)
