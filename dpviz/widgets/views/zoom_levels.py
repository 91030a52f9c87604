"""The view of averages at several zoom levels, all with the same noise."""

from dataclasses import replace
from typing import Any, ClassVar, cast

import ipywidgets

from dpviz import checks
from dpviz.analysis import Result
from dpviz.analysis.claims.text_fields import number_or_text
from dpviz.analysis.sentences.registry import TABLES
from dpviz.audit.scores.base import Scores
from dpviz.pictures.scenes.mechanism import ZOOM_LEVELS
from dpviz.theory.calibration import NORMS, Norm
from dpviz.theory.zoom_levels import ZoomLevels
from dpviz.widgets.base.html import Html, button, fold, html_table, row
from dpviz.widgets.controls.fields import Menu, OptionalBox, TextBox
from dpviz.widgets.views.figure_view import FigureView

NUMBERS = {
    "records": ("records", "number of records"),
    "low": ("clip from", "smaller values are raised to this"),
    "high": ("to", "larger values are cut to this"),
    "scale": ("noise", "scale or standard deviation of the noise on each average"),
    "per_person": ("per person", "records of one person: 1 is event-level, more is user-level"),
}
NOISE: dict[str, Norm] = {
    "L1: Laplace noise, ε": "l1",
    "L2: Gaussian noise, μ": "l2",
    "L∞: the largest change": "linf",
}


class ZoomLevelsView(FigureView):
    """Incomes averaged in regions at several zoom levels: what each map leaks, and all of them.

    Attributes
    ----------
    levels : ZoomLevels
        What is released, without a store; `choose` changes it.
    norm : {"l1", "l2", "linf"}
        The norm of all averages together; `choose` changes it.

    Examples
    --------
    >>> from dpviz.widgets import ZoomLevelsView
    >>> view = ZoomLevelsView()
    >>> view.choose(records=1_000_000)
    >>> round(view.levels.epsilon, 4)
    0.5102
    """

    scene = ZOOM_LEVELS
    try_it: ClassVar[str] = (
        "under Options divide the number of records by 10, and read the ε of the finest map."
    )
    levels = ZoomLevels()
    norm: Norm = "l1"

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        return {"zoom_levels": self.levels, "zoom_norm": self.norm}

    def make_controls(self) -> list[ipywidgets.Widget]:
        self.boxes = [
            OptionalBox(name, label, hint, self.choose) for name, (label, hint) in NUMBERS.items()
        ]
        for box in self.boxes:
            box.widget.add_class("dpviz-short")
        self.regions = TextBox(
            "regions", "regions of each map, such as 1, 50, 2500", self._type_regions
        )
        self.noise = Menu("norm", "norm", NOISE, self.choose)
        self.use = button("Use as claim", self._use, align_self="flex-start")
        self.table = Html()
        return [
            row(box.widget for box in self.boxes),
            row([self.regions.widget, self.noise.widget]),
            self.use,
            fold("Numbers", [self.table]),
        ]

    def choose(self, **changes: Any) -> None:
        """Change what is released, fields of `ZoomLevels`, or the `norm`."""
        with self.guarded():
            norm = cast(Norm, checks.choice("norm", changes.pop("norm", self.norm), NORMS))
            self.levels = replace(self.levels, **changes)
            self.norm = norm
            self.store.refresh()
        self.follow_controls(self.result)

    def follow_controls(self, result: Result) -> None:
        for box in self.boxes:
            box.follow(self.levels)
        self.regions.show(", ".join(map(str, self.levels.regions)))
        self.noise.follow(self)
        self.use.disabled = self.norm == "linf"  # no noise hides that alone
        self.table.value = html_table(*TABLES["zoom_levels"](self.with_own(result)))

    def _type_regions(self, text: str) -> None:
        self.choose(regions=[number_or_text(each.strip()) for each in text.split(",")])

    def _use(self) -> None:
        """Make all maps together the claim."""
        if self.norm != "linf":
            self.change(claim=self.levels.mechanism(self.norm))
