"""The view of groups of records: a lower bound for each, the worst paid for."""

from typing import Any, ClassVar

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.bounds_sentences import LABELS, at_least
from dpviz.analysis.slices_sentences import CAPTION, HEAD, largest_group, summary, table
from dpviz.audit.binned_scores import Scores
from dpviz.audit.resampling import Progress
from dpviz.audit.slices import Slices, slices
from dpviz.pictures import theme
from dpviz.pictures.axes import AxisSpec
from dpviz.pictures.layers.bars import Bar, BarChart, Bars, Kind
from dpviz.pictures.layers.bounds import ClaimAcrossBars
from dpviz.pictures.scene import Scene
from dpviz.widgets.asked_view import AskedView, sentence
from dpviz.widgets.controls import Menu
from dpviz.widgets.view import html_table

MOST_BARS = 12
"""Groups with the largest bounds; the table has all."""
LONGEST_NAME = 26
ROOM = 2.0
METHODS = {LABELS[method]: method for method in ("rank", "local_levels")}
"""The default, and one that is quick with any number of groups."""
KINDS = (Kind(color=theme.ATTACK, opacity=0.5, label="lower bound of the group, all at once"),)


class SlicesView(AskedView):
    """Lower bounds of groups of records; shown where the scores have groups."""

    asking: ClassVar[str] = "compare groups"
    at_work: ClassVar[str] = "a bound for each group ..."
    needs: ClassVar[str] = (
        "Scores without groups: read them with read_scores(..., group=<column>), or give "
        "AttackScores its member_groups and nonmember_groups."
    )

    bound_method: str = "rank"
    """Of `METHODS`."""

    def scene(self) -> Scene:
        """Epsilon from 0, groups in rows. Bars, then the claim across them."""
        return Scene(
            title="Groups of records",
            x=AxisSpec(label="ε", high=4),
            y=AxisSpec(label=""),
            left=200,
            layers=lambda: [
                Bars(KINDS, self._chart, lambda result: (self.answer, result.claim.delta)),
                ClaimAcrossBars(lambda _: (self.answer,)),
            ],
        )

    def choices(self) -> list[ipywidgets.Widget]:
        """The method of all bounds."""
        self.menu = Menu("bound_method", "method", METHODS, self._choose)
        return [self.menu.widget]

    def can_ask(self) -> bool:
        """Whether the scores have groups."""
        return self.store.scores is not None and bool(self.store.scores.groups)

    def is_wanted(self, result: Result) -> bool:
        """Where there are groups."""
        return self.can_ask()

    def question(self, result: Result) -> dict[str, Any]:
        """What is asked of every group."""
        spec = result.spec
        return {
            "delta": result.claim.delta,
            "confidence_level": spec.confidence_level,
            "applies_to": spec.applies_to,
            "method": self.bound_method,
        }

    def work(self, subject: Scores, question: dict[str, Any], progress: Progress) -> Slices:
        """One bound after the other; what the sentence says of the largest group, too."""
        found = slices(subject, **question, progress=progress)
        if found.worst is None and found.n_tested:
            _ = largest_group(found).ceiling  # kept: it takes a moment
        return found

    def said(self, result: Result) -> str:
        """The worst group."""
        return sentence(summary(self.answer))

    def tabled(self) -> str:
        """One row for each group."""
        return html_table(CAPTION, HEAD, table(self.answer))

    def _choose(self, bound_method: str) -> None:
        self.bound_method = bound_method
        self.draw(self.result)

    def _chart(self, result: Result) -> BarChart:
        rows = self.answer.rows[:MOST_BARS] if self.answer else ()
        bars = [
            Bar(
                name=_cut(row.group),
                epsilon=None if row.bound is None else row.bound.low,
                text="" if row.bound is None else at_least(row.bound),
            )
            for row in rows
        ]
        return BarChart(rows=bars, delta=result.claim.delta, room=ROOM)


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
