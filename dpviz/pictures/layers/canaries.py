"""Retrained models in the region: each canary's point, and the box its true rates lie in."""

from collections.abc import Callable

import numpy as np

from dpviz.analysis import Result
from dpviz.audit.retraining import RateBox, RetrainingAudit
from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.frame import NOTHING, Frame
from dpviz.pictures.layer import Change

MOST_BOXES = 12
MOST_POINTS = 512


class Canaries:
    """Points of all canaries, boxes of those with the largest bounds.

    Parameters
    ----------
    shown : callable
        Gives the audit once it was made.
    """

    closed_form = False

    def __init__(self, shown: Callable[[], RetrainingAudit | None]) -> None:
        self._shown = shown

    def build(self, frame: Frame, change: Change) -> None:
        """Boxes under points; the worst canary's name."""
        labels = ["exact limits of a canary's rates, all at once"] + [""] * (MOST_BOXES - 1)
        self._boxes = [
            frame.area(color=theme.ATTACK, opacity=0.12, width=1, label=label) for label in labels
        ]
        self._points = frame.points(color=theme.ATTACK, size=40, label="a canary's measured rates")
        self._worst = frame.points(color=theme.ATTACK, marker="diamond", raise_text=8)

    def parts(self, result: Result) -> tuple[object, ...]:
        """The audit."""
        return (self._shown(),)

    def draw(self, result: Result) -> None:
        """Show what there is."""
        audit = self._shown()
        rows = audit.rows if audit is not None else ()
        boxes = [row.box for row in rows if row.box is not None][:MOST_BOXES]
        for i, area in enumerate(self._boxes):
            area.draw(_outline(boxes[i]) if i < len(boxes) else NOTHING)
        points = np.array([[row.point.fpr, row.point.fnr] for row in rows[:MOST_POINTS]])
        self._points.draw(points if rows else NOTHING)
        worst = audit.worst if audit is not None else None
        if worst is None:
            self._worst.draw(NOTHING)
        else:
            is_right = worst.point.fpr > 0.5
            at = np.array([[worst.point.fpr, worst.point.fnr]])
            self._worst.draw(at, texts=[worst.canary[:24]], to_the_left=is_right)


def _outline(box: RateBox) -> FloatArray:
    return np.array(
        [
            [box.fpr_low, box.fnr_low],
            [box.fpr_high, box.fnr_low],
            [box.fpr_high, box.fnr_high],
            [box.fpr_low, box.fnr_high],
        ]
    )
