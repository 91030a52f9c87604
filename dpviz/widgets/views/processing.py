"""The view of post-processing: what is done to the output, and what it changes."""

from typing import Any, get_args

import ipywidgets
import traitlets

from dpviz import checks
from dpviz.analysis import Control, Result
from dpviz.analysis.parts.processing import Processing, Step
from dpviz.audit.scores.base import Scores
from dpviz.pictures.scenes.risk import PROCESSING
from dpviz.widgets.base.html import row
from dpviz.widgets.controls.fields import Menu, NumberControl
from dpviz.widgets.views.figure_view import FigureView, ViewParts

STEPS: dict[str, Step] = {
    "round the output": "round",
    "replace it at random": "replace",
    "clamp the output": "clamp",
    "clamp the noise (no post-processing)": "clamp_noise",
    "redraw the noise and the other records": "redraw_data",
    "add side information": "side_information",
}
AMOUNT = Control(
    label="how much",
    help="how much of the step, from 0 (nothing) to 1",
    low=0,
    high=1,
    step=0.05,
    scale="linear",
)


class ProcessingView(FigureView):
    """The trade-off curve before and after a step: post-processing only raises it.

    Attributes
    ----------
    step : {"round", "replace", "clamp", "clamp_noise", "redraw_data", "side_information"}
        A trait: what is done. Clamping the noise and side information are no post-processing.
    amount : float
        A trait, in [0, 1]: how much of it.

    Examples
    --------
    >>> from dpviz.theory import GaussianDP
    >>> from dpviz.widgets import ProcessingView
    >>> view = ProcessingView(claim=GaussianDP(mu=1.0), fpr=0.1)
    >>> view.step, view.amount = "round", 0.75  # to four cells
    >>> round(view.result.answers["processing"].after, 3)
    0.247
    >>> view.amount = 0.0
    >>> round(view.result.answers["processing"].after, 3)
    0.389
    """

    scene = PROCESSING
    moved_by = ("epsilon", "delta", "fpr")
    try_it = "make the rounding coarse; then clamp the noise instead."
    step = traitlets.Enum(get_args(Step), default_value="replace")
    amount = traitlets.Any(0.5)

    @traitlets.validate("amount")
    def _check_amount(self, proposal: Any) -> float:
        return checks.real("amount", proposal["value"], 0, 1)

    @traitlets.observe("step", "amount")
    def _refresh(self, _change: object) -> None:
        if self.pictures:
            self.store.refresh()

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        found = self._processing.part(result.claim, result.example_fpr, self.step, self.amount)
        return {"processing": found}

    def contents(self) -> list[ipywidgets.Widget]:
        self._processing = Processing()
        return super().contents()

    def arrange(self, parts: ViewParts) -> list[ipywidgets.Widget]:
        self.menu = Menu("step", "step", STEPS, self.choose)
        self.slider = NumberControl("amount", AMOUNT, self.choose)
        self.slider.hand_over(self.store.live, owner=self)
        self.error_lines["amount"] = self.slider.error
        lead, *others = parts.words.children
        controls = row([self.menu.widget, self.slider.widget])
        parts.words.children = (lead, controls, *others)
        return [parts.title, parts.error, parts.figure, parts.words]

    def choose(self, **changes: Any) -> None:
        """Set the step or the amount on behalf of the user."""
        with self.guarded(next(iter(changes))):
            for name, value in changes.items():
                setattr(self, name, value)
        self.follow_controls(self.result)

    def follow_controls(self, result: Result) -> None:
        super().follow_controls(result)
        self.menu.follow(self)
        self.slider.show(self.amount)
