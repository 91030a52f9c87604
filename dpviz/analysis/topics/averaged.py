"""Both sides of Theorem 2: averaged rates, and each model's Epsilon*."""

import math

import numpy as np

from dpviz.analysis.result import Result
from dpviz.analysis.topic import Table, Topic, of_answer
from dpviz.audit.models.aggregate import BothSides
from dpviz.drawing import theme
from dpviz.drawing.axes import AxisSpec, decades_of
from dpviz.drawing.frame import thinned
from dpviz.drawing.layer import Layer
from dpviz.drawing.layers import FPR_LOG_ODDS
from dpviz.drawing.marks import Line, Points
from dpviz.drawing.scene import Scene
from dpviz.number_format import short

CAPTION = "Conditions of Theorem 2."
HEAD = ("condition", "met", "why")
INFINITE = " Lines and points at the upper edge are infinite: some rate there is 0."
MET = {True: "yes", False: "no", None: "not known"}


def lead(found: BothSides) -> str:
    """The two sides, and which is never the larger."""
    return (
        f"Rates averaged over {_models(found)} give ε-bar = {short(found.left)}: by Theorem 2 at "
        f"most {short(found.right)}, the log of the models' mean e^ε* (estimates)."
    )


def summary(found: BothSides) -> str:
    """What each side says of the training method, and where the rates are from."""
    grid = ", ".join(short(t) for t in found.averaged.grid)
    return (
        "With exact rates ε-bar, equation 19 of the Epsilon* paper, is at most the ε of the "
        "training method. The log of the mean of e^ε* bounds that ε in neither direction. Each "
        f"model is measured at FPR {grid}, without a clip."
    ) + (INFINITE if math.isinf(found.right) else "")


def table(found: BothSides) -> list[tuple[str, ...]]:
    """One row for each condition, under `HEAD`."""
    return [(each.name, MET[each.met], each.text) for each in found.conditions]


def _models(found: BothSides) -> str:
    n = len(found.models)
    return f"{n} model{'' if n == 1 else 's'}"


# Both sides of Theorem 2 over a grid of FPRs.

ROOM = 1.15  # length of the axis over the largest finite value
EDGE = 0.4  # decades of odds beyond the ends of the grid


class AveragedRates(Layer):
    """The largest log ratio at each FPR, of each model and of the averaged rates; both sides.

    What is infinite stands at the upper edge.
    """

    def add_marks(self) -> None:
        self._models = self.add(
            "models", Points(color=theme.NONMEMBER, size=30, outline=1, label="each model")
        )
        self._averaged = self.add(
            "averaged",
            Points(color=theme.ATTACK, marker="diamond", label="rates averaged over models"),
        )
        self._left = self.add("left", Line(color=theme.ATTACK, label="ε-bar, their largest"))
        self._right = self.add(
            "right", Line(color=theme.LIMIT, dash="dashed", label="log of the mean of e^ε*")
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.answers.get("both_sides"),)

    def draw(self, result: Result) -> None:
        found: BothSides | None = result.answers.get("both_sides")
        if found is None:
            self.hide()
            return
        decades = decades_of(found.averaged.grid)
        largest = [np.maximum(each.log_ratios.max(axis=1), 0) for each in found.models]
        averaged = np.maximum(found.averaged.log_ratios.max(axis=1), 0)
        values = np.concatenate([*largest, averaged, [found.left, found.right]])
        high = ROOM * float(values[np.isfinite(values)].max(initial=0.1))
        self.x.set_range(float(decades[0]) - EDGE, float(decades[-1]) + EDGE)
        self.y.set_range(0.0, high)
        places = np.vstack([np.column_stack([decades, np.minimum(e, high)]) for e in largest])
        self._models.draw(thinned(places))
        self._averaged.draw(thinned(np.column_stack([decades, np.minimum(averaged, high)])))
        self._left.draw(self.frame.horizontal(min(found.left, high)))
        self._right.draw(self.frame.horizontal(min(found.right, high)))


BOTH_SIDES = Scene(
    title="Do averaged rates show less than each model?",
    topic="both_sides",
    needs="both_sides",
    x=FPR_LOG_ODDS,
    y=AxisSpec(label="implied ε (largest log ratio)", high=4),
    right=26,  # half of a last tick of 99.99 %
    layers=lambda: [AveragedRates()],
)


TOPIC = Topic(
    sentences={
        "both_sides_lead": of_answer("both_sides", lambda p, _: lead(p), lead=True),
        "both_sides": of_answer("both_sides", lambda p, _: summary(p)),
    },
    tables={
        "both_sides": of_answer("both_sides", lambda p, _: Table(CAPTION, HEAD, table(p))),
    },
    scenes={
        "both_sides": BOTH_SIDES,
    },
)
