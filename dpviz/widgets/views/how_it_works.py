"""Views of how privacy works: density ratio, noise, maps at zoom levels, post-processing."""

from dataclasses import replace
from typing import Any, cast, get_args

import ipywidgets
import traitlets

from dpviz import checks
from dpviz.analysis import Result
from dpviz.analysis.claims.text_fields import number_or_text
from dpviz.analysis.spec import Control
from dpviz.analysis.topics.density_ratio import RATIO, ratio_part
from dpviz.analysis.topics.noise import NOISE, noise_part
from dpviz.analysis.topics.processing import PROCESSING, Step, processed_output_part
from dpviz.analysis.topics.registry import TABLES
from dpviz.analysis.topics.zoom_levels import ZOOM_LEVELS
from dpviz.audit.scores.base import Scores
from dpviz.theory.calibration import NORMS, Norm
from dpviz.theory.zoom_levels import ZoomLevels
from dpviz.widgets.base.html import button, html_table, row
from dpviz.widgets.controls.fields import Menu, NumberBox, NumberControl, TextBox
from dpviz.widgets.views.figure_view import FigureView

LEVEL_BOXES = {  # label and hint, by field of `ZoomLevels`
    "records": ("records", "number of records"),
    "low": ("clip from", "smaller values are raised to this value"),
    "high": ("to", "larger values are lowered to this value"),
    "scale": ("noise", "scale or standard deviation of the noise on each average"),
    "per_person": ("per person", "records of one person: 1 is event-level, more is user-level"),
}
NOISE_NORMS: dict[str, Norm] = {
    "L1 norm: Laplace noise, ε-DP": "l1",
    "L2 norm: Gaussian noise, μ-GDP": "l2",
}
NOISE_NORMS |= {"L∞: the largest change": "linf"}
STEPS: dict[str, Step] = {
    "round the output": "round",
    "replace it at random": "replace",
    "clamp the output": "clamp",
    "clamp the noise (no post-processing)": "clamp_noise",
    "redraw the noise and the other records": "redraw_data",
    "add side information": "side_information",
}
STEP_HINT = "strength of the step, from 0 (none) to 1 (full)"
AMOUNT_CONTROL = Control(label="how much", help=STEP_HINT, low=0, high=1, step=0.05, scale="linear")


class RatioView(FigureView):
    """The ratio of the output densities with and without a member.

    The view also shows the bounds of pure epsilon-DP on this ratio.

    Examples
    --------
    >>> from dpviz.theory import GaussianDP
    >>> from dpviz.widgets import RatioView
    >>> view = RatioView(claim=GaussianDP(mu=1.0), delta=1e-5)
    >>> round(view.result.answers["ratio"].epsilon, 3)
    4.377
    """

    scene = RATIO
    moved_by = ("epsilon", "delta")
    try_it = "make δ larger: the band narrows, and more outputs leave it."

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        return {"ratio": ratio_part(result.claim.claim, result.claim.epsilon)}


class NoiseView(FigureView):
    """The noise that a query needs for the claim to hold.

    The query has L2 sensitivity 1. The noise is for the epsilon and the delta of the claim.

    Examples
    --------
    >>> from dpviz.widgets import NoiseView
    >>> view = NoiseView(epsilon=1.0, delta=1e-5)
    >>> part = view.result.answers["noise"]
    >>> round(part.gaussian, 3), part.crossing
    (3.731, 7)
    """

    scene = NOISE
    moved_by = ("epsilon", "delta")
    try_it = "move δ to 0.01: less Gaussian noise is enough."

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        return {"noise": noise_part(result.claim.epsilon, result.claim.delta)}


class ZoomLevelsView(FigureView):
    """The epsilon of maps of average incomes at several zoom levels.

    The view shows epsilon for each level and for all levels together.

    Attributes
    ----------
    levels : ZoomLevels, the released maps, not part of the store; `choose` changes them
    norm : {"l1", "l2", "linf"}, of the sensitivity of all averages; `choose` changes it

    Examples
    --------
    >>> from dpviz.widgets import ZoomLevelsView
    >>> view = ZoomLevelsView()
    >>> view.choose(records=1_000_000)
    >>> round(view.levels.epsilon, 4)
    0.5102
    """

    scene = ZOOM_LEVELS
    try_it = "under Options, divide the number of records by 10, and read the ε of the finest map."
    levels = ZoomLevels()
    norm: Norm = "l1"

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        return {"zoom_levels": self.levels, "zoom_norm": self.norm}

    def option_widgets(self) -> list[ipywidgets.Widget]:
        self.boxes = [NumberBox(name, *how, self.choose) for name, how in LEVEL_BOXES.items()]
        for box in self.boxes:
            box.widget.add_class("dpviz-short")
        hint = "regions of each map, such as 1, 50, 2500"
        self.regions = TextBox("regions", hint, self._set_region_counts_from_text)
        self.noise = Menu("norm", "norm", NOISE_NORMS, self.choose)
        self.use = button("Use as claim", self._use_mechanism_as_claim, align_self="flex-start")
        numbers = row(box.widget for box in self.boxes)
        return [numbers, row([self.regions.widget, self.noise.widget]), self.use, self.numbers]

    def checked_choices(self, **choices: Any) -> dict[str, Any]:
        """Return the checked `norm` and `levels` as a dict.

        Raises ValueError if a value is illegal.
        """
        norm = cast(Norm, checks.choice("norm", choices.pop("norm", self.norm), NORMS))
        return {"levels": replace(self.levels, **choices), "norm": norm}

    def update_controls(self, result: Result) -> None:
        for box in self.boxes:
            box.update_from(self.levels)
        self.regions.show_text(", ".join(map(str, self.levels.regions)))
        self.noise.update_from(self)
        # No noise is calibrated to a sensitivity in L∞ alone.
        self.use.disabled = self.norm == "linf"
        self.table.value = html_table(*TABLES["zoom_levels"](self.with_answers_of_view(result)))

    def _set_region_counts_from_text(self, text: str) -> None:
        self.choose(regions=[number_or_text(each.strip()) for each in text.split(",")])

    def _use_mechanism_as_claim(self) -> None:
        if self.norm != "linf":
            self.change(claim=self.levels.mechanism(self.norm))


class ProcessingView(FigureView):
    """The trade-off curve before and after a step of processing.

    A post-processing step never lowers the curve.

    Attributes
    ----------
    step : {"round", "replace", "clamp", "clamp_noise", "redraw_data", "side_information"}
        A trait: the step. Clamping the noise and side information are no post-processing.
    amount : float, a trait, in [0, 1]: the strength of the step

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
    def _validated_amount(self, proposal: Any) -> float:
        return checks.real("amount", proposal["value"], 0, 1)

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        settings = result.claim, result.fpr, self.step, self.amount
        return {"processing": processed_output_part(*settings)}

    def make_visible_controls(self) -> list[ipywidgets.Widget]:
        self.observe(lambda _: self.store.refresh(), names=["step", "amount"])
        self.menu = Menu("step", "step", STEPS, self.choose)
        self.slider = NumberControl("amount", AMOUNT_CONTROL, self.choose)
        self.slider.let_browser_move(self.store.live, owner=self)
        self.error_lines["amount"] = self.slider.error
        return [row([self.menu.widget, self.slider.widget])]

    def update_controls(self, result: Result) -> None:
        self.menu.update_from(self)
        self.slider.show_value(self.amount)
