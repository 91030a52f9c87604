"""Lower bounds on a training method's epsilon, from models with canaries and without canaries."""

from dataclasses import replace

import numpy as np

from dpviz.analysis.result import Result
from dpviz.analysis.topic import Table, answer_topic
from dpviz.analysis.topics.bounds import bound_text
from dpviz.analysis.topics.region import ClaimRegion
from dpviz.audit.models.retraining import CanaryAudit, RetrainingAudit
from dpviz.drawing import NOTHING, PLANE, AnswerLayer, Area, Points, rectangle, theme
from dpviz.number_format import lower, percent, short, upper


def lead(part: RetrainingAudit) -> str:
    """Say which canary has the largest lower bound."""
    level = f"{percent(part.confidence_level)} confidence"
    if part.worst is None:
        return f"No canary certifies an ε above 0 ({level}). This does not show that ε is small."
    low = bound_text(part.worst.bound)
    return f"Largest bound: the training method has ε ≥ {low} by {part.worst.canary} ({level})."


def summary(part: RetrainingAudit, result: Result) -> str:
    """Say which epsilon is certified for the training method, and which is claimed."""
    part, n, worst = part.against(result.spec.claim), len(part.rows), part.worst
    together = f" for all {n} canaries together, Bonferroni" if n > 1 else ""
    level = f"at δ = {short(part.delta)} ({percent(part.confidence_level)} confidence{together})"
    if worst is None:
        models = max(row.n_in + row.n_out for row in part.rows)
        return (
            f"No canary certifies an ε of the training method above 0 {level}, from {models} "
            f"models per canary. This does not show that ε is small. {_tightness_sentence(part)} "
            f"{ASSUMED}"
        )
    return (
        f"The largest bound is that of {worst.canary}, from {worst.n_in} models trained with it "
        f"and {worst.n_out} without it. The ε of the training method is at least "
        f"{bound_text(worst.bound)} {level}. {_tightness_sentence(part)} {ASSUMED}"
    )


ASSUMED = (
    "Assumed: models are trained independently, and the attack (such as LiRA) was not fitted to "
    "the models that it scores."
)


def _tightness_sentence(part: RetrainingAudit) -> str:
    """Say which share of the claimed epsilon is certified (tightness), or why it is undefined."""
    claimed = f"At this δ the claim has ε = {short(part.claimed_epsilon)}"
    if part.tightness is None:
        return f"{claimed}: no tightness, {part.note}."
    if part.tightness > 1:
        return f"{claimed}, which is contradicted at this confidence."
    return (
        f"{claimed}: {percent(lower(part.tightness))} of the claimed ε is certified (tightness). "
        "The claim, the attack or the number of models may account for the rest."
    )


CAPTION = (
    "The bounds of all canaries hold jointly. An FPR or FNR without interval is an estimate: its "
    "threshold was chosen on the same models, so the attack looks better than it is."
)
HEAD = ("canary", "models with it", "without it", "FPR", "FNR", "ε at least", "tightness")


def table(part: RetrainingAudit, result: Result) -> Table:
    """Return the table of canaries, with numbers of models, error rates and lower bounds."""
    part = part.against(result.spec.claim)
    return Table(CAPTION, HEAD, [_table_row(row, part) for row in part.rows])


def _table_row(row: CanaryAudit, part: RetrainingAudit) -> tuple[str, ...]:
    box, point = row.box, row.point
    fpr, fnr = short(point.fpr), short(point.fnr)
    if box is not None:
        fpr += f" ({short(lower(box.fpr_low))} to {short(upper(box.fpr_high))})"
        fnr += f" ({short(lower(box.fnr_low))} to {short(upper(box.fnr_high))})"
    is_defined = part.tightness is not None
    tightness = short(lower(row.bound.low / part.claimed_epsilon)) if is_defined else ""
    return (row.canary, str(row.n_in), str(row.n_out), fpr, fnr, bound_text(row.bound), tightness)


MOST_BOXES = 12  # more boxes would hide each other
MOST_POINTS = 512  # the limit of vertices of a line
LONGEST_NAME = 24  # characters of a canary's name


class CanaryPoints(AnswerLayer[RetrainingAudit]):
    """Points (FPR, FNR) of canaries; those with the largest lower bounds have confidence boxes."""

    answer = "retraining"

    def add_marks(self) -> None:
        box = Area(color=theme.ATTACK, opacity=0.12, width=1, label="limits of a canary's rates")
        self._boxes = self.add_each("box", box, *[replace(box, label="")] * (MOST_BOXES - 1))
        points = Points(color=theme.ATTACK, size=40, label="a canary (measured)")
        self._points = self.add("points", points)
        self._worst = self.add("worst", Points(color=theme.ATTACK, marker="diamond"))

    def draw_answer(self, part: RetrainingAudit) -> None:
        rows, worst = part.rows, part.worst
        # Rows are sorted by decreasing lower bound.
        boxes = [row.box for row in rows if row.box is not None][:MOST_BOXES]
        for area in self._boxes[len(boxes) :]:
            area.hide()
        for area, box in zip(self._boxes, boxes, strict=False):
            area.draw(rectangle(box.fpr_low, box.fpr_high, box.fnr_low, box.fnr_high))
        points = np.array([[row.point.fpr, row.point.fnr] for row in rows[:MOST_POINTS]])
        self._points.draw(points if rows else NOTHING)
        if worst is None:
            self._worst.hide()
        else:
            at = np.array([[worst.point.fpr, worst.point.fnr]])
            self._worst.draw(at, texts=[worst.canary[:LONGEST_NAME]])


RETRAINING = replace(
    PLANE,
    title="What do retrained models show?",
    needs="retraining",
    layers=lambda: [ClaimRegion(as_claimed=True), CanaryPoints()],
)

TOPIC = answer_topic(RETRAINING, lead, summary, table, user_text=True)
