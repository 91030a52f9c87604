"""The views of one scene each. Wiring and controls only."""

from typing import Any, ClassVar

import ipywidgets

from dpviz.analysis import Result
from dpviz.pictures.scenes.errors import REGION
from dpviz.pictures.scenes.guarantee import PROFILE
from dpviz.pictures.scenes.risk import RISK
from dpviz.pictures.scenes.scores import EPSILON_STAR, FIT, QUANTILES, SCORES
from dpviz.widgets.base.html import Html, button, fold, html_table, row
from dpviz.widgets.base.job import Job
from dpviz.widgets.controls.fields import Menu, OptionalBox
from dpviz.widgets.controls.resampling_buttons import ResamplingButtons
from dpviz.widgets.views.figure_view import FigureView, ViewParts

FORMS = {"empirical": "empirical", "normal fit": "normal", "mixture fit": "mixture"}
TRANSFORMS = {"the paper's transform": "paper", "the losses themselves": "none"}
COMPONENTS = {"by BIC": "bic", "by KS tests": "ks", "1": 1, "2": 2, "3": 3, "5": 5}
FNR_HINT = "where the point stands; empty: on the curve, at the selected FPR"
TPR_HINT = "the same place as a rate of members that are caught"
CLIPS = {"the paper's": "paper", "none": None, "0.0001": 1e-4, "0.001": 1e-3, "0.01": 1e-2}
# Menus without an effect, by the form of the estimate: hidden.
IDLE = {"empirical": ("transform", "components"), "normal": ("components",), "mixture": ()}


class RegionView(FigureView):
    """The claim's privacy region, the attack's curve and a point to drag.

    Examples
    --------
    >>> from dpviz.widgets import RegionView
    >>> view = RegionView(epsilon=1.0, fpr=0.1)
    >>> round(view.result.point.fnr, 3)
    0.728
    """

    scene = REGION
    moved_by = ("epsilon", "delta", "fpr")
    try_it = (
        "move ε to 0: the region closes on the diagonal, where all is guessing. "
        "Move it to 3: there is room for an attack."
    )
    late: ClassVar[str] = "late.scores"

    def make_controls(self) -> list[ipywidgets.Widget]:
        self.fnr_box = OptionalBox(
            "fnr", "FNR of the point", FNR_HINT, self.change, empty="on the curve"
        )
        self.tpr_box = OptionalBox(
            "tpr", "TPR of the point", TPR_HINT, self.change, empty="on the curve"
        )
        self.back = button(
            "Reset the point", lambda: self.change(fnr=None), align_self="flex-start"
        )
        self.pin = button("Pin this point", lambda: self.change(pinned_point=self._point))
        self.unpin = button("Remove the pinned point", lambda: self.change(pinned_point=None))
        buttons = row([self.back, self.pin, self.unpin])
        return [self.fnr_box.widget, self.tpr_box.widget, buttons]

    @property
    def _point(self) -> tuple[float, float]:
        point = self.result.point
        return point.fpr, point.fnr

    def follow_controls(self, result: Result) -> None:
        self.back.disabled = result.spec.fnr is None
        self.pin.disabled = result.spec.pinned_point == self._point
        self.unpin.disabled = result.spec.pinned_point is None
        for box in (self.fnr_box, self.tpr_box):
            rate = getattr(result.spec, box.name)
            box.show(None if rate is None else float(f"{rate:.12g}"))  # a drag gives 1 - 0.1719
            box.widget.description = result.naming.renamed(f"{box.name.upper()} of the point")


class ProfileView(FigureView):
    """The delta that goes with each epsilon, for the claim and its overlays.

    Examples
    --------
    >>> from dpviz.widgets import ProfileView
    >>> ProfileView(epsilon=1.0, delta=1e-5).result.sentences["profile"]
    'This guarantee gives ε = 1 at δ = 1e-5.'
    """

    scene = PROFILE
    moved_by = ("epsilon", "delta")
    try_it = "move δ to 0.01 and read the smaller ε that goes with it."


class EpsilonStarView(FigureView):
    """The four ratio curves and the Epsilon* estimate they give.

    Examples
    --------
    >>> from dpviz.widgets import EpsilonStarView
    >>> view = EpsilonStarView(scores=([0.1, 0.4, 0.2], [0.3, 0.9, 0.8]), delta=0.1)
    >>> view.result.sample.epsilon_star.star.method
    'empirical'
    """

    scene = EPSILON_STAR
    moved_by = ("epsilon", "delta", "fpr")
    try_it = "move δ and watch the largest ratio fall."

    def make_controls(self) -> list[ipywidgets.Widget]:
        self.controls = [
            Menu("method", "form", FORMS, self._choose),
            Menu("clip", "clip", CLIPS, self._choose),
            Menu("transform", "fit to", TRANSFORMS, self._choose),
            Menu("components", "components", COMPONENTS, self._choose),
        ]
        self.resampling = ResamplingButtons(lambda: self.store.scores)
        self.fitting = Job(self.resampling.say)
        return [
            row(menu.widget for menu in self.controls),
            self.resampling.widget,
            self.resampling.job.widget,
            self.fitting.widget,
            self.resampling.text,
        ]

    def follow_controls(self, result: Result) -> None:
        super().follow_controls(result)
        for menu in self.controls:
            is_idle = menu.name in IDLE[result.spec.method]
            menu.widget.is_hidden = is_idle
        self.resampling.follow(result)

    def _choose(self, **changes: Any) -> None:
        """Change the estimate; mixtures are fitted in the background, as that takes a moment."""
        spec = self.store.spec
        with self.guarded():
            spec = self.store.checked(**changes)
        if spec.method != "mixture" or self.store.scores is None:
            self.change(**changes)
            return
        self.fitting.run(
            "fitting mixtures ...",
            lambda _: self.store.prepare(spec),
            lambda _: self.change(**changes),
            stopped=lambda: self.follow_controls(self.result),
        )


class FitView(FigureView):
    """The distributions fitted to the transformed losses, beside the losses.

    Examples
    --------
    >>> from dpviz.widgets import FitView
    >>> FitView(scores=([0.1, 0.4, 0.2], [0.3, 0.9, 0.8])).result.sample.fit.method
    'normal'
    """

    scene = FIT


class QuantileView(FigureView):
    """Quantiles of the data against those of the fit: a test of fit may miss what they show.

    Examples
    --------
    >>> from dpviz.widgets import QuantileView
    >>> view = QuantileView(scores=([0.1, 0.4, 0.2], [0.3, 0.9, 0.8]))
    >>> view.result.sample.fit.member_quantiles.shape
    (4, 2)
    """

    scene = QUANTILES


class RiskView(FigureView):
    """Advantage and PPV at the prior: what the claim allows, and what the attack reached.

    Examples
    --------
    >>> from dpviz.widgets import RiskView
    >>> round(RiskView(epsilon=1.0, delta=0.0, fpr=0.01).result.risk_point.ppv, 3)
    0.731
    """

    scene = RISK
    moved_by = ("epsilon", "delta", "prior", "fpr")
    try_it = "move the prior to 1 % and see how often the attack is then right."
    late: ClassVar[str] = "late.scores"


class ScoresView(FigureView):
    """Histograms of both classes and the threshold of the selected FPR.

    Examples
    --------
    >>> from dpviz.widgets import ScoresView
    >>> view = ScoresView(scores=([0.1, 0.4, 0.2], [0.3, 0.9, 0.8]))
    >>> view.change(threshold=0.35)  # as the dragged threshold does
    >>> round(view.fpr, 3)
    0.333
    """

    scene = SCORES
    moved_by = ("fpr",)
    try_it = "drag the threshold and count who is caught and who is wrongly accused."

    def arrange(self, parts: ViewParts) -> list[ipywidgets.Widget]:
        self.counts = Html()
        parts.words.children += (fold("Counts at the threshold", [self.counts]),)
        return super().arrange(parts)

    def draw(self, result: Result) -> None:
        super().draw(result)
        self.counts.value = html_table(*result.tables["counts"]) if result.sample else ""

    def change(self, **changes: Any) -> None:
        """Request a change of the spec; a threshold selects the FPR that it realises."""
        if "threshold" in changes:
            changes["fpr"] = self.store.fpr_at_threshold(changes.pop("threshold"))
        super().change(**changes)
