"""What published deployments allow at one FPR, as horizontal bars, and the claim across them."""

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.number_format import percent, upper
from dpviz.analysis.parts.answer import allows_everything
from dpviz.analysis.parts.deployments import DeploymentsPart
from dpviz.pictures import theme
from dpviz.pictures.layer import Layer
from dpviz.pictures.layers.bars import outline_of
from dpviz.pictures.marks import NOTHING, Area, Line, Points

WIDEST = 0.14  # length of a number on the axis, in a narrow picture
ABOVE = 0.35  # rows from the upper end of the axis to the name of the claim's line


class PublishedGuarantees(Layer):
    """One bar for each deployment, filled for the two that are compared; a line for the claim."""

    def add_marks(self) -> None:
        self._others = self.add("others", Area(color=theme.LEVEL, opacity=0.15))
        self._pair = self.add("pair", Area(color=theme.CLAIM, opacity=0.5))
        self._ends = self.add("ends", Points(color=theme.LEVEL, marker="diamond", size=8))
        self._numbers = self.add("numbers", Points(color=theme.LEVEL, size=1))
        self._claim = self.add("claim", Line(color=theme.CLAIM, width=2.5))
        self._name = self.add("name", Points(color=theme.CLAIM, size=5))

    def parts(self, result: Result) -> tuple[object, ...]:
        part = _part(result)
        return (part.rows, part.pair, part.claim, part.fpr, result.naming)

    def draw(self, result: Result) -> None:
        part = _part(result)
        places = self.y.set_names([row.deployment.label for row in part.rows])
        at_fpr = f"members caught at FPR {percent(part.fpr)} at most (TPR)"
        self.x.set_label(result.naming.renamed(at_fpr))
        bars = [(row.tpr, place) for row, place in zip(part.rows, places, strict=True)]
        chosen = {row.deployment.label for row in part.pair}
        is_chosen = [row.deployment.label in chosen for row in part.rows]
        self._pair.draw(outline_of([b for b, c in zip(bars, is_chosen, strict=True) if c]))
        self._others.draw(outline_of([b for b, c in zip(bars, is_chosen, strict=True) if not c]))
        self._ends.draw(np.array(bars))
        is_claimed = not allows_everything(part.claim)
        # A number that the claim's line would cross stands beyond the line.
        beside = [
            (part.own if is_claimed and tpr < part.own < tpr + WIDEST else tpr, place)
            for tpr, place in bars
        ]
        self._numbers.draw(np.array(beside), texts=[percent(upper(tpr)) for tpr, _ in bars])
        if not is_claimed:
            self._claim.draw(NOTHING)
            self._name.draw(NOTHING)
            return
        self._claim.draw(self.frame.vertical(part.own))
        at = np.array([[part.own, self.y.high - ABOVE]])
        self._name.draw(at, texts=[f"the claim: {percent(upper(part.own))}"])


def _part(result: Result) -> DeploymentsPart:
    part: DeploymentsPart = result.answers["deployments"]
    return part
