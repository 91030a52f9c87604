"""The power of several designs of an audit over the number of records."""

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.parts.designs import DesignLine, DesignsPart
from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.layer import Layer
from dpviz.pictures.marks import NOTHING, Line, Points

BEFORE, BEYOND = 1.5, 8.0  # factors to the ends of the axis: names stand on the right


class PowerOfDesigns(Layer):
    """A line for each design, from where it can certify anything; what is desired, and where."""

    def add_marks(self) -> None:
        self._desired = self.add(
            "desired", Line(color=theme.SELECTION, dash="dotted", width=1.5, label="desired")
        )
        styles = list(zip(theme.RATIOS, theme.RATIO_DASHES, strict=True))
        self._lines = self.add_each("line", *(Line(color=c, dash=dash) for c, dash in styles))
        self._starts = self.add_each(
            "start", *(Points(color=c, marker="triangle-up") for c, _ in styles)
        )
        self._ends = self.add_each("end", *(Points(color=c, marker="diamond") for c, _ in styles))

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.answers.get("designs"),)

    def draw(self, result: Result) -> None:
        part: DesignsPart | None = result.answers.get("designs")
        self.hide()
        if part is None or not part.lines:
            return
        paths = [_path(line) for line in part.lines]
        totals = np.concatenate([path[:, 0] for path in paths])
        self.x.set_range(float(totals.min()) / BEFORE, float(totals.max()) * BEYOND)
        self._desired.draw(self.frame.horizontal(part.question.power))
        for i, (line, path) in enumerate(zip(part.lines, paths, strict=True)):
            self._lines[i].draw(path)
            self._starts[i].draw(NOTHING if line.fewest is None else path[:1])
            end, text = path[-1], line.name
            if line.plan.n_members is not None and line.plan.n_nonmembers is not None:
                total = line.plan.n_members + line.plan.n_nonmembers
                end, text = np.array([total, line.plan.power]), f"{line.name}: {total}"
            self._ends[i].draw(end[None], texts=[text])


def _path(line: DesignLine) -> FloatArray:
    """Numbers of records and probabilities, from the fewest records that can certify."""
    plan = line.plan
    path = np.column_stack([plan.tried_members + plan.tried_nonmembers, plan.tried_powers])
    if line.fewest is None:
        return path
    fewest = sum(line.fewest)
    return np.vstack([[fewest, 0.0], path[path[:, 0] > fewest]])
