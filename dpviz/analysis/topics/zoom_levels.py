"""Averages at several zoom levels: their sensitivity, and what they give away."""

import numpy as np

from dpviz.analysis.result import Result
from dpviz.analysis.topic import Table, Topic, of_answer
from dpviz.drawing import theme
from dpviz.drawing.axes import AxisSpec
from dpviz.drawing.layer import Layer
from dpviz.drawing.marks import Line, Points
from dpviz.drawing.scene import Scene
from dpviz.number_format import short, upper
from dpviz.theory.calibration import Norm
from dpviz.theory.zoom_levels import ZoomLevels

CAPTION = "Each zoom level alone: one person moves the average of one region most."

# What a sensitivity over the noise is called: the number of a guarantee, if it is one.
SYMBOLS: dict[Norm, str] = {"l1": "ε", "l2": "μ", "linf": "change / noise"}
NORMS: dict[Norm, str] = {"l1": "L1", "l2": "L2", "linf": "L∞"}


def lead(levels: ZoomLevels, norm: Norm) -> str:
    """What the coarsest and the finest level give away, and all of them."""
    symbol, (coarsest, finest) = SYMBOLS[norm], (levels.regions[0], levels.regions[-1])
    first, last = (short(upper(float(each))) for each in levels.epsilons[[0, -1]])
    together = short(upper(levels.sensitivity(norm) / levels.scale))
    own, are_several = levels.per_person, len(levels.regions) > 1
    begin, end = "With equal noise", "all maps together"
    if own > 1:
        begin, end = f"For {own} records a person", "all together"
    if norm == "linf":
        more = f", {last} with {finest}" if are_several else ""
        return (
            f"{begin}, the largest change of one average is {first} of the noise with "
            f"{_regions(coarsest)}{more}; together {together}."
        )
    more = f" and {symbol} = {last} with {finest}" if are_several else ""
    return (
        f"{begin}, averages have {symbol} = {first} with {_regions(coarsest)}{more}; {end} "
        f"have {symbol} = {together}."
    )


def summary(levels: ZoomLevels) -> str:
    """The sensitivities of all averages together, and what they assume."""
    l1, l2, linf = (short(upper(levels.sensitivity(norm))) for norm in NORMS)
    own, scale = levels.per_person, short(levels.scale)
    whom = (
        "This protects one record (event-level); for a person with k records (user-level) every "
        "number is k times as large."
        if own == 1
        else f"This protects a person with {own} records (user-level), all in one region of each "
        f"map: every number is {own} times that of one record (event-level)."
    )
    return (
        f"All averages together have sensitivity {l1} in L1, {l2} in L2 and {linf} in L∞, the "
        f"largest change of one number. Laplace noise of scale {scale} gives ε = L1 sensitivity / "
        f"scale; Gaussian noise of standard deviation {scale} gives μ-Gaussian DP with μ = L2 "
        "sensitivity / deviation. Values are clipped to "
        f"{short(levels.low)} to {short(levels.high)}. A record gets another value and stays in "
        f"its regions; it moves one average of each map. {whom}"
    )


def head(norm: Norm) -> tuple[str, ...]:
    """The names of the columns."""
    return ("regions", "records in each, at least", "sensitivity (L1, L2, L∞)", SYMBOLS[norm])


def table(levels: ZoomLevels) -> list[tuple[str, ...]]:
    """One row for each level, under `head`."""
    rows = zip(levels.regions, levels.smallest, levels.changes, levels.epsilons, strict=True)
    return [
        (str(n), str(m), short(upper(float(change))), short(upper(float(epsilon))))
        for n, m, change, epsilon in rows
    ]


def _regions(n: int) -> str:
    return f"{n} region{'' if n == 1 else 's'}"


# What averages at several zoom levels give away, each alone and all together.


class EpsilonOfLevels(Layer):
    """A point for each level, and a line for all together."""

    def add_marks(self) -> None:
        self._all = self.add("all", Line(color=theme.CLAIM, label="all maps together"))
        self._each = self.add("each", Points(color=theme.LEVEL, size=90, label="each map alone"))

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.answers["zoom_levels"], result.answers["zoom_norm"])

    def draw(self, result: Result) -> None:
        levels: ZoomLevels = result.answers["zoom_levels"]
        norm: Norm = result.answers["zoom_norm"]
        regions, epsilons = np.array(levels.regions, float), levels.epsilons
        together = levels.sensitivity(norm) / levels.scale
        self.y.set_label(f"{SYMBOLS[norm]} (log scale)")
        self.x.set_range(0.5, 2 * float(regions[-1]))
        ends = np.log10([epsilons[0], together])
        low, high = np.floor(ends[0] - 0.2), np.ceil(ends[1] + 0.2)
        self.y.set_range(float(10.0**low), float(10.0**high))
        self._all.draw(self.frame.horizontal(together))
        self._each.draw(np.column_stack([regions, epsilons]))


ZOOM_LEVELS = Scene(
    title="Does a finer map of averages leak more?",
    topic="zoom_levels",
    needs="zoom_levels",
    x=AxisSpec(label="regions of the map (log scale)", low=1, high=1000, scale="log"),
    y=AxisSpec(label="ε (log scale)", low=0.001, high=10, scale="log"),
    left=74,
    layers=lambda: [EpsilonOfLevels()],
)


TOPIC = Topic(
    sentences={
        "zoom_levels_lead": of_answer(
            "zoom_levels", lambda p, r: lead(p, r.answers["zoom_norm"]), lead=True
        ),
        "zoom_levels": of_answer("zoom_levels", lambda p, _: summary(p)),
    },
    tables={
        "zoom_levels": of_answer(
            "zoom_levels",
            lambda p, r: Table(CAPTION, head(r.answers["zoom_norm"]), table(p)),
        ),
    },
    scenes={
        "zoom_levels": ZOOM_LEVELS,
    },
)
