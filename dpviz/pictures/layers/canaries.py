"""Retrained models in the region: each canary's point, and the box of its true rates."""

from dataclasses import replace

import numpy as np

from dpviz.analysis import Result
from dpviz.audit.models.retraining import RetrainingAudit
from dpviz.pictures import theme
from dpviz.pictures.frame import rectangle
from dpviz.pictures.layer import Layer
from dpviz.pictures.marks import NOTHING, Area, Points

MOST_BOXES = 12  # marks made beforehand; more would hide each other
MOST_POINTS = 512  # of one mark, as of lines


class Canaries(Layer):
    """Points of all canaries, boxes of those with the largest bounds, the name of the worst."""

    def add_marks(self) -> None:
        label = "limits of a canary's rates"
        box = Area(color=theme.ATTACK, opacity=0.12, width=1)
        self._boxes = self.add_each("box", replace(box, label=label), *[box] * (MOST_BOXES - 1))
        self._points = self.add(
            "points", Points(color=theme.ATTACK, size=40, label="a canary (measured)")
        )
        self._worst = self.add("worst", Points(color=theme.ATTACK, marker="diamond"))

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.answers.get("retraining"),)

    def draw(self, result: Result) -> None:
        audit: RetrainingAudit | None = result.answers.get("retraining")
        rows = audit.rows if audit is not None else ()
        boxes = [row.box for row in rows if row.box is not None][:MOST_BOXES]
        for area in self._boxes[len(boxes) :]:
            area.hide()
        for area, box in zip(self._boxes, boxes, strict=False):
            area.draw(rectangle(box.fpr_low, box.fpr_high, box.fnr_low, box.fnr_high))
        points = np.array([[row.point.fpr, row.point.fnr] for row in rows[:MOST_POINTS]])
        self._points.draw(points if rows else NOTHING)
        worst = audit.worst if audit is not None else None
        if worst is None:
            self._worst.hide()
        else:
            at = np.array([[worst.point.fpr, worst.point.fnr]])
            self._worst.draw(at, texts=[worst.canary[:24]])
