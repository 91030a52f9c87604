"""Sensitivity and epsilon (or mu) of averages by region, for maps at several zoom levels."""

import numpy as np

from dpviz.analysis.result import Result
from dpviz.analysis.topic import Table, answer_topic
from dpviz.analysis.words import counted
from dpviz.drawing import AxisSpec, Layer, Line, Points, Scene, theme
from dpviz.number_format import short, upper
from dpviz.theory.calibration import Norm
from dpviz.theory.zoom_levels import ZoomLevels

# The name of sensitivity divided by noise, by norm: in L1 epsilon, in L2 mu.
SYMBOLS: dict[Norm, str] = {"l1": "ε", "l2": "μ", "linf": "change / noise"}


def lead(levels: ZoomLevels, result: Result) -> str:
    """Say the epsilon (or mu) of averages on the coarsest map, the finest map, and all maps."""
    norm: Norm = result.answers["zoom_norm"]
    symbol, (coarsest, finest) = SYMBOLS[norm], (levels.regions[0], levels.regions[-1])
    first, last = (short(upper(float(each))) for each in levels.epsilons[[0, -1]])
    together = _rounded_up_to_four_digits(levels.sensitivity(norm) / levels.scale)
    own, are_several = levels.per_person, len(levels.regions) > 1
    begin, end = "With equal noise", "all maps together"
    if own > 1:
        begin, end = f"For {own} records a person", "all together"
    # In L∞ the ratio of change and noise is no parameter of a guarantee.
    if norm == "linf":
        more = f", {last} with {finest}" if are_several else ""
        return (
            f"{begin}, the largest change of one average is {first} times the noise with "
            f"{counted(coarsest, 'region')}{more}; together {together}."
        )
    more = f" and {symbol} = {last} with {finest}" if are_several else ""
    return (
        f"{begin}, averages have {symbol} = {first} with {counted(coarsest, 'region')}{more}; "
        f"{end} have {symbol} = {together}."
    )


def summary(levels: ZoomLevels) -> str:
    """Say the sensitivity of all zoom levels together in each norm, and the assumptions."""
    l1, l2, linf = (_rounded_up_to_four_digits(levels.sensitivity(norm)) for norm in SYMBOLS)
    own, scale = levels.per_person, short(levels.scale)
    whom = (
        "These numbers are for one record (event-level). For a person with k records (user-level), "
        "every number is k times as large."
        if own == 1
        else f"These numbers are for a person with {own} records (user-level), all in one region "
        f"of each map. Every number is {own} times that of one record (event-level)."
    )
    return (
        f"All averages together have sensitivity {l1} in L1, {l2} in L2 and {linf} in L∞, the "
        f"largest change of one number. Laplace noise of scale {scale} gives ε = L1 sensitivity / "
        f"scale; Gaussian noise of standard deviation {scale} gives μ-Gaussian DP with μ = L2 "
        f"sensitivity / deviation. Values are clipped to {short(levels.low)} to "
        f"{short(levels.high)}. One record gets another value and stays in its regions, so it "
        f"moves one average of each map. {whom}"
    )


def _rounded_up_to_four_digits(value: float) -> str:
    """Return a number as text, rounded up to four digits."""
    return short(upper(value, digits=4), digits=4)


CAPTION = (
    "Each row assumes that only its zoom level is published. There, a person is in one region."
)


def table(zoom: ZoomLevels, result: Result) -> Table:
    """Return the table of zoom levels, with their sensitivities and epsilons (or mu)."""
    symbol = SYMBOLS[result.answers["zoom_norm"]]
    columns = zip(zoom.regions, zoom.least_sizes, zoom.sensitivities, zoom.epsilons, strict=True)
    rows = [
        (str(n), str(m), *(short(upper(float(number))) for number in numbers))
        for n, m, *numbers in columns
    ]
    head = ("regions", "records in each, at least", "sensitivity (L1, L2, L∞)", symbol)
    return Table(CAPTION, head, rows)


class EpsilonOfLevels(Layer):
    """Epsilon (or mu) of each zoom level as points, and of all levels together as a line."""

    of = ("answers.zoom_levels", "answers.zoom_norm")
    all = Line(color=theme.CLAIM, label="all maps together")
    each = Points(color=theme.LEVEL, size=90, label="each map alone")

    def draw(self, result: Result) -> None:
        levels: ZoomLevels = result.answers["zoom_levels"]
        norm: Norm = result.answers["zoom_norm"]
        regions, epsilons = np.array(levels.regions, float), levels.epsilons
        together = levels.sensitivity(norm) / levels.scale
        self.y.set_label(f"{SYMBOLS[norm]} (log scale)")
        self.x.set_range(0.5, 2 * float(regions[-1]))
        # The axis has whole decades, with room for a point at either end.
        ends = np.log10([epsilons[0], together])
        low, high = np.floor(ends[0] - 0.2), np.ceil(ends[1] + 0.2)
        self.y.set_range(float(10.0**low), float(10.0**high))
        self.all.draw(self.frame.ends_of_horizontal_line(together))
        self.each.draw(np.column_stack([regions, epsilons]))


ZOOM_LEVELS = Scene(
    title="Does a finer map of averages leak more?",
    needs="zoom_levels",
    x=AxisSpec(label="regions of the map (log scale)", low=1, high=1000, scale="log"),
    y=AxisSpec(label="ε (log scale)", low=0.001, high=10, scale="log"),
    left=74,
    layers=lambda: [EpsilonOfLevels()],
)

TOPIC = answer_topic(ZOOM_LEVELS, lead, summary, table)
