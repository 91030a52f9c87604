"""Two pictures of a checked auditor: how often its bound is false, and how large it is."""

from pathlib import Path
from typing import Any, Literal

import numpy as np
from typing_extensions import override

from dpviz import checks
from dpviz.analysis.svg import SvgPicture, page
from dpviz.analysis.words import counted
from dpviz.checks import FloatArray
from dpviz.drawing import (
    EPSILON_AXIS,
    NOTHING,
    ROW_AXIS,
    AxisSpec,
    Layer,
    Line,
    Points,
    Scene,
    theme,
)
from dpviz.drawing.marks import Segments
from dpviz.drawing.svg import SvgFrame
from dpviz.number_format import percent
from dpviz.replace_file import replace_file

LEAST_END = 0.1  # of the axis of shares
ROOM = 1.08  # of an axis, beyond the largest value
NAMES = 150  # pixels left of the y axis, for the names of cases
HALF_TICK = 0.3  # of the mark at the exact epsilon; rows are 1 apart
PictureName = Literal["false", "power"]


def _column(xs: list[float], ys: list[float]) -> FloatArray:
    return np.column_stack([xs, ys]) if xs else NOTHING


class FalseShares(Layer):
    """Shares of false bounds, with limits, beside the share that the level allows."""

    level = Line(color=theme.CLAIM, dash="dashed", width=1.5, label="allowed")
    limits = Segments(color=theme.MEMBER, width=1.5)
    kept = Points(color=theme.MEMBER, size=40, label="share of runs, with 95 % limits")
    exceeded = Points(color=theme.ATTACK, size=60, marker="diamond", label="exceeds the level")

    @override
    def draw(self, result: Any) -> None:
        places = self.y.set_row_names([case.name for case in result.outcomes])
        rows = [
            (case, place)
            for case, place in zip(result.outcomes, places, strict=True)
            if case.n_judged
        ]
        highest = max((case.false_high for case, _ in rows), default=0.0)
        self.x.set_range(0.0, min(1.0, max(LEAST_END, ROOM * highest)))
        self.level.set_label(f"allowed: {percent(round(result.level, 12))}")
        self.level.draw(self.frame.ends_of_vertical_line(result.level))
        ends = [[[case.false_low, place], [case.false_high, place]] for case, place in rows]
        self.limits.draw(np.array(ends) if ends else np.empty((0, 2, 2)))
        for mark, exceeds in ((self.kept, False), (self.exceeded, True)):
            chosen = [row for row in rows if (row[0].name in result.exceeding) == exceeds]
            mark.draw(_column([case.share for case, _ in chosen], [place for _, place in chosen]))


class Medians(Layer):
    """Medians of the auditor's bound and of the default, beside the exact epsilon."""

    exact = Segments(color=theme.CLAIM, width=2.5)
    default = Points(color=theme.NONMEMBER, size=60, outline=1.5, label="dpviz' default")
    auditor = Points(color=theme.ATTACK, size=50, marker="diamond", label="median of the auditor")

    @override
    def draw(self, result: Any) -> None:
        places = self.y.set_row_names([case.name for case in result.outcomes])
        rows = list(zip(result.outcomes, places, strict=True))
        values = [x for case, _ in rows for x in (case.epsilon, case.median, case.median_default)]
        largest = max((x for x in values if np.isfinite(x)), default=0.0)
        self.x.set_range(0.0, ROOM * max(1.0, largest))
        exact = [
            [[case.epsilon, place - HALF_TICK], [case.epsilon, place + HALF_TICK]]
            for case, place in rows
        ]
        self.exact.draw(np.array(exact))
        for mark, name in ((self.default, "median_default"), (self.auditor, "median")):
            drawn = [(getattr(case, name), place) for case, place in rows]
            finite = [(min(x, self.x.high), place) for x, place in drawn if not np.isnan(x)]
            mark.draw(_column([x for x, _ in finite], [place for _, place in finite]))


SCENES: dict[PictureName, Scene] = {
    "false": Scene(
        title="How often the bound was false",
        x=AxisSpec(label="runs in which the bound exceeded ε", is_rate=True),
        y=ROW_AXIS,
        layers=lambda: [FalseShares()],
        left=NAMES,
    ),
    "power": Scene(
        title="How large the bound was (bars: the exact ε)",
        x=EPSILON_AXIS,
        y=ROW_AXIS,
        layers=lambda: [Medians()],
        left=NAMES,
    ),
}


class AuditorPictures:
    """The pictures of an `AuditorCheck`."""

    outcomes: Any
    headline: Any

    def svg(self, *names: PictureName) -> str:
        """Return an SVG document with the pictures "false" and "power", or with those named."""
        for name in names:
            checks.choice("name", name, SCENES)
        return page([self._picture(name) for name in names or SCENES])

    def save_svg(self, path: str | Path) -> None:
        """Write both pictures to an SVG file; an existing file is replaced."""
        replace_file(path, self.svg().encode())

    def _picture(self, name: PictureName) -> SvgPicture:
        scene = SCENES[name]
        frame = SvgFrame(scene, f"auditor-{name}")
        layers = scene.layers()
        frame.add_layers(layers)
        for layer in layers:
            layer.draw(self)
        said = [self.headline] if name == "false" else [self._compared()]
        return SvgPicture(frame, scene.title, said)

    def _compared(self) -> str:
        runs = [case.n_compared for case in self.outcomes if case.n_compared]
        if not runs:
            return "The bounds of dpviz were not computed."
        return (
            f"Medians are estimates; those of the default are of {counted(max(runs), 'run')} each."
        )
