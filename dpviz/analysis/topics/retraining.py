"""Retrained models: each canary's rates in the region, and how tight the claim is."""

from dataclasses import replace

import numpy as np

from dpviz.analysis.result import Result
from dpviz.analysis.topic import Table, Topic, of_answer
from dpviz.analysis.topics.bounds import at_least
from dpviz.analysis.topics.claim import ClaimRegion
from dpviz.audit.models.retraining import CanaryAudit, RetrainingAudit
from dpviz.drawing import theme
from dpviz.drawing.frame import rectangle
from dpviz.drawing.layer import Layer
from dpviz.drawing.layers import FNR, FPR
from dpviz.drawing.marks import NOTHING, Area, Points
from dpviz.drawing.scene import Scene
from dpviz.number_format import lower, percent, short, upper


def lead(found: RetrainingAudit) -> str:
    """The canary with the largest bound."""
    level = f"{percent(found.confidence_level)} confidence"
    if found.worst is None:
        return f"No canary shows an ε above 0 ({level}); that does not show that ε is small."
    low = at_least(found.worst.bound)
    return f"Largest bound: {found.worst.canary}, ε of the training method ≥ {low} ({level})."


# Sentences about retrained models: the worst canary, how tight the claim is, a table.

CAPTION = (
    "Each canary's bound holds together with all others'. A point without limits was chosen on "
    "these models: an estimate, raised by the search."
)
HEAD = ("canary", "models with it", "without it", "FPR", "FNR", "ε at least", "tightness")


def summary(found: RetrainingAudit) -> str:
    """What is certified of the mechanism beside what is claimed."""
    level = (
        f"at δ = {short(found.delta)} ({percent(found.confidence_level)} confidence"
        f"{_together(found)})"
    )
    worst = found.worst
    if worst is None:
        models = max(row.n_in + row.n_out for row in found.rows)
        return (
            f"No canary shows an ε of the training method above 0 {level}, from {models} models "
            f"for each; that does not show that ε is small. {_claimed(found)}"
        )
    return (
        f"Largest bound: {worst.canary}, {worst.n_in} models with it and {worst.n_out} without. "
        f"The ε of the training method is at least {at_least(worst.bound)} {level}. "
        f"{_claimed(found)}"
    )


def table(found: RetrainingAudit) -> list[tuple[str, ...]]:
    """One row for each canary, under `HEAD`."""
    return [_row(row, found) for row in found.rows]


def _together(found: RetrainingAudit) -> str:
    n = len(found.rows)
    return f" for all {n} canaries together, Bonferroni" if n > 1 else ""


def _claimed(found: RetrainingAudit) -> str:
    claimed = f"The claim has ε = {short(found.claimed_epsilon)} there"
    if found.tightness is None:
        return f"{claimed}: no tightness, {found.note}."
    if found.tightness > 1:
        return f"{claimed}, which is contradicted at this confidence."
    return (
        f"{claimed}: {percent(lower(found.tightness))} of it is certified (tightness); claim, "
        "attack or the number of models may account for the rest."
    )


def _row(row: CanaryAudit, found: RetrainingAudit) -> tuple[str, ...]:
    box, point = row.box, row.point
    fpr, fnr = short(point.fpr), short(point.fnr)
    if box is not None:
        fpr += f" ({short(lower(box.fpr_low))} to {short(upper(box.fpr_high))})"
        fnr += f" ({short(lower(box.fnr_low))} to {short(upper(box.fnr_high))})"
    is_defined = found.tightness is not None
    tightness = short(lower(row.bound.low / found.claimed_epsilon)) if is_defined else ""
    return (row.canary, str(row.n_in), str(row.n_out), fpr, fnr, at_least(row.bound), tightness)


# Retrained models in the region: each canary's point, and the box of its true rates.

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


RETRAINING = Scene(
    title="What do retrained models show?",
    shape="square",
    topic="retraining",
    needs="retraining",
    x=FPR,
    y=FNR,
    layers=lambda: [ClaimRegion(as_claimed=True), Canaries()],
)


TOPIC = Topic(
    sentences={
        "retraining_lead": of_answer("retraining", lambda p, _: lead(p), lead=True, quotes=True),
        "retraining": of_answer(
            "retraining", lambda p, r: summary(p.against(r.spec.claim)), quotes=True
        ),
    },
    tables={
        "retraining": of_answer(
            "retraining",
            lambda p, r: Table(CAPTION, HEAD, table(p.against(r.spec.claim))),
            quotes=True,
        ),
    },
    scenes={
        "retraining": RETRAINING,
    },
)
