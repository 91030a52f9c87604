"""Views of the claim and of the scores, each with one scene and its controls."""

from collections.abc import Callable
from functools import partial
from typing import Any

import ipywidgets
import traitlets

from dpviz.analysis import Result
from dpviz.analysis.topics import epsilon_star
from dpviz.analysis.topics.fit import FIT, QUANTILES
from dpviz.analysis.topics.profile import PROFILE
from dpviz.analysis.topics.region import REGION
from dpviz.analysis.topics.registry import TABLES, detail_names, lead_name
from dpviz.analysis.topics.risk import RISK
from dpviz.analysis.topics.scores import SCORES
from dpviz.analysis.topics.tradeoff import BOTH_ENDS, ROC, TAIL, TRADEOFF
from dpviz.analysis.topics.ways_of_stating import WAYS_OF_STATING, statements_part
from dpviz.audit import bootstrap, permutation_test
from dpviz.audit.scores.base import Scores
from dpviz.drawing.layer import part_at_path
from dpviz.widgets.base.html import Html, button, html_table, row, stack
from dpviz.widgets.base.job import BackgroundJob
from dpviz.widgets.base.picture import Picture
from dpviz.widgets.controls.fields import Menu, NumberBox
from dpviz.widgets.views.figure_view import FigureView, stacked_pictures

FORM_MENU = {"empirical": "empirical", "normal fit": "normal", "mixture fit": "mixture"}
TRANSFORMS = {"the paper's transform": "paper", "the losses themselves": "none"}
COMPONENTS = {"by BIC": "bic", "by KS tests": "ks", "1": 1, "2": 2, "3": 3, "5": 5}
FNR_HINT = "share of members that the attack misses; if empty, the point is on the curve"
TPR_HINT = "share of members that the attack flags, 1 - FNR"
CLIP_MENU = {"the paper's": "paper", "none": None, "0.0001": 1e-4, "0.001": 1e-3, "0.01": 1e-2}
# Menus that have no effect on an estimate of this form, and are hidden.
UNUSED_MENUS = {"empirical": ("transform", "components"), "normal": ("components",), "mixture": ()}
RESAMPLINGS: dict[str, tuple[Callable[..., Any], Callable[..., str]]] = {
    "permutation p-value": (permutation_test, epsilon_star.permutation_test_sentence),
    "bootstrap spread": (bootstrap, epsilon_star.bootstrap_text),
}
SAME_RECORDS = {"same if known to be": None, "the same, in the same order": True}
SAME_RECORDS |= {"other records": False}
REMOVE = "Remove {}"
STAR = "sample.epsilon_star"  # path of this part of a result
AXES_MENU = {
    "both errors": "linear",
    "ROC": "roc",
    "ROC, log-log": "log-log",
    "both ends enlarged": "log-odds",
}


class RegionView(FigureView):
    """The claim's privacy region, the attack's curve, and a point that the user can drag.

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
        "move ε and δ to 0: the region shrinks to the diagonal of random guessing. "
        "Move ε to 3: there is room for an attack."
    )
    late = "late.scores"

    def option_widgets(self) -> list[ipywidgets.Widget]:
        box = partial(NumberBox, change=self.change, none_text="on the curve")
        self.fnr_box = box("fnr", "FNR of the point", FNR_HINT)
        self.tpr_box = box("tpr", "TPR of the point", TPR_HINT)
        reset = partial(self.change, fnr=None)
        self.back = button("Reset the point", reset, align_self="flex-start")
        self.pin = button("Pin this point", lambda: self.change(pinned_point=self._selected_point))
        self.unpin = button("Remove the pinned point", lambda: self.change(pinned_point=None))
        return [self.fnr_box.widget, self.tpr_box.widget, row([self.back, self.pin, self.unpin])]

    @property
    def _selected_point(self) -> tuple[float, float]:
        point = self.result.point
        return point.fpr, point.fnr

    def update_controls(self, result: Result) -> None:
        self.back.disabled = result.spec.fnr is None
        self.pin.disabled = result.spec.pinned_point == self._selected_point
        self.unpin.disabled = result.spec.pinned_point is None
        for box in (self.fnr_box, self.tpr_box):
            rate = getattr(result.spec, box.name)
            # A drag gives rates such as 1 - 0.1719, which have rounding errors.
            box.show_value(None if rate is None else float(f"{rate:.12g}"))
            box.widget.description = result.naming.renamed(f"{box.name.upper()} of the point")


class ProfileView(FigureView):
    """The privacy profile (delta as a function of epsilon) of the claim and its overlays.

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
    """The four curves of log ratios of error rates, and Epsilon*, their largest value.

    Examples
    --------
    >>> from dpviz.widgets import EpsilonStarView
    >>> view = EpsilonStarView(scores=([0.1, 0.4, 0.2], [0.3, 0.9, 0.8]), delta=0.1)
    >>> view.result.sample.epsilon_star.star.method
    'empirical'
    """

    scene = epsilon_star.EPSILON_STAR
    moved_by = ("epsilon", "delta", "fpr")
    try_it = "move δ and watch the largest ratio fall."
    late = "late.scores"
    _resampled: Result | None = None  # the result whose Epsilon* the outcome is about

    def make_controls(self) -> list[Any]:
        return [
            Menu("method", "form", FORM_MENU, self._change_estimate),
            Menu("clip", "clip", CLIP_MENU, self._change_estimate),
            Menu("transform", "fit to", TRANSFORMS, self._change_estimate),
            Menu("components", "components", COMPONENTS, self._change_estimate),
        ]

    def option_widgets(self) -> list[ipywidgets.Widget]:
        self.outcome = Html()
        self.resampling = BackgroundJob(self.outcome.show_sentence)
        self.fitting = BackgroundJob(self.outcome.show_sentence)
        self.resampling_buttons = [
            button(label, partial(self._resample, label, *how))
            for label, how in RESAMPLINGS.items()
        ]
        jobs = [self.resampling.widget, self.fitting.widget]
        return [*super().option_widgets(), row(self.resampling_buttons), *jobs, self.outcome]

    def update_controls(self, result: Result) -> None:
        super().update_controls(result)
        for menu in self.controls:
            menu.widget.is_hidden = menu.name in UNUSED_MENUS[result.spec.method]
        # Another Epsilon* than before: an outcome, or work that goes on, is about the earlier one.
        if part_at_path(self._resampled, STAR) is not part_at_path(result, STAR):
            if self.resampling.is_running:
                self.resampling.cancel()
            self.outcome.show_sentence("")
        self._resampled = result
        for each in self.resampling_buttons:
            each.disabled = result.sample is None

    def _change_estimate(self, **changes: Any) -> None:
        """Change fields of the spec that Epsilon* depends on; fit mixtures in the background."""
        spec = self.store.spec
        with self.showing_errors():
            spec = self.store.checked_spec(**changes)
        if spec.method != "mixture" or self.store.scores is None:
            self.change(**changes)
            return
        self.fitting.run(
            "fitting mixtures ...",
            lambda _: self.store.cache_result(spec),
            lambda _: self.change(**changes),
            on_stop=lambda: self.update_controls(self.result),
        )

    def _resample(self, label: str, method: Callable[..., Any], write: Callable[..., str]) -> None:
        scores, result = self.store.scores, self._resampled
        if scores is None or result is None or result.sample is None:
            return
        star, names = result.sample.epsilon_star.star, ("method", "transform", "components")
        options = {name: getattr(result.spec, name) for name in names}
        options |= {"delta": star.suprema.delta, "clip": star.suprema.clip}
        work = partial(method, scores, **options)
        self.resampling.run(
            f"{label}: at work ...",
            lambda progress: work(progress=progress),
            lambda answer: self.outcome.show_sentence(write(answer, star)),
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
    """Quantiles of the data against quantiles of the fitted distribution (a Q-Q plot).

    Examples
    --------
    >>> from dpviz.widgets import QuantileView
    >>> view = QuantileView(scores=([0.1, 0.4, 0.2], [0.3, 0.9, 0.8]))
    >>> view.result.sample.fit.member_quantiles.shape
    (4, 2)
    """

    scene = QUANTILES


class RiskView(FigureView):
    """The advantage and the PPV of an attack at the prior.

    The view shows the bounds that the claim implies, and the values of the attack.

    Examples
    --------
    >>> from dpviz.widgets import RiskView
    >>> round(RiskView(epsilon=1.0, delta=0.0, fpr=0.01).result.risk_point.ppv, 3)
    0.731
    """

    scene = RISK
    moved_by = ("epsilon", "delta", "prior", "fpr")
    try_it = "move the prior to 1 % and see how often the attack is then right."
    late = "late.scores"


class ScoresView(FigureView):
    """Histograms of the scores of members and non-members, and the threshold at the selected FPR.

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
    table_name = "counts"
    table_title = "Counts at the threshold"

    def change(self, **changes: Any) -> None:
        """Change fields of the spec, or the threshold of the attack.

        `threshold=t` sets `fpr` to the attack's FPR at the threshold t.
        """
        if "threshold" in changes:
            changes["fpr"] = self.store.fpr_at_threshold(changes.pop("threshold"))
        super().change(**changes)


class TradeoffView(FigureView):
    """The trade-off curves of the claim and the attack, with confidence and chance bands.

    Attributes
    ----------
    axes : {"linear", "roc", "log-log", "log-odds"}
        A trait: FNR against FPR on linear axes; TPR against FPR on linear or on logarithmic axes;
        or FNR against FPR on log-odds axes, which enlarge both ends (on an explorer's board).

    Examples
    --------
    >>> from dpviz.widgets import TradeoffView
    >>> view = TradeoffView(epsilon=1.0)
    >>> view.axes = "log-log"
    >>> view.pictures_on_page[0].scene.y.scale
    'log'
    """

    scene = TRADEOFF
    moved_by = ("epsilon", "delta", "fpr")
    try_it = "move ε until the claim's curve reaches the attack's."
    late = "late.scores"
    further_scenes = (ROC, TAIL, BOTH_ENDS)
    table_title = "Attacks in numbers"
    axes = traitlets.Enum(list(AXES_MENU.values()), default_value="linear")

    @property
    def pictures_on_page(self) -> list[Picture]:
        return [self.pictures[list(AXES_MENU.values()).index(self.axes)]]

    def sentence_widgets(self) -> dict[str, Html]:
        leads = dict.fromkeys(lead_name(scene) for scene in (self.scene, *self.further_scenes))
        hidden = {name: Html(is_hidden=True) for name in leads}
        return hidden | {name: Html() for name in detail_names(self.scene)}

    def make_controls(self) -> list[Any]:
        return [Menu("same_records", "records", SAME_RECORDS, self.change)]

    def widgets_after_text(self) -> list[ipywidgets.Widget]:
        return [self.numbers]

    def option_widgets(self) -> list[ipywidgets.Widget]:
        self.menu = Menu("axes", "axes", AXES_MENU, lambda axes: self.set_trait("axes", axes))
        self.removals = row([])
        self.compared = stack([*super().option_widgets(), self.removals], is_hidden=True)
        return [self.menu.widget, self.compared]

    def widgets_in_order(self) -> list[ipywidgets.Widget]:
        self.pictures += map(self.new_picture, self.further_scenes)
        self.place = stacked_pictures(*self.pictures_on_page)
        return [self.head, self.error_line, self.place, self.words]

    def draw(self, result: Result) -> None:
        super().draw(result)
        lead = lead_name(self.pictures_on_page[0].scene)
        for scene in (self.scene, *self.further_scenes):
            self.texts[lead_name(scene)].is_hidden = lead_name(scene) != lead
        names, shown = [*result.spec.compare], [each.description for each in self.removals.children]
        if [REMOVE.format(name) for name in names] != shown:
            for each in self.removals.children:
                each.close()
            removed = {name: partial(self._remove_attack, name) for name in names}
            self.removals.children = [button(REMOVE.format(n), act) for n, act in removed.items()]
        for each in (self.numbers, self.compared):
            each.is_hidden = not names
        self.table.value = html_table(*TABLES["attacks"](result)) if names else ""

    def _remove_attack(self, name: str) -> None:
        self.change(compare=self.store.spec.compare.without(name))

    @traitlets.observe("axes")
    def _redraw_on_chosen_axes(self, _change: object) -> None:
        if self.pictures:
            self.draw(self.result)
            # bqplot cannot size a figure that is hidden: the other one is not on the page.
            self.place.children = [picture.widget for picture in self.pictures_on_page]
            self.menu.update_from(self)


class WaysOfStatingView(FigureView):
    """The TPR that each form of a guarantee allows at an FPR.

    The forms are μ-GDP, ρ-zCDP, RDP and (ε, δ)-DP. The guarantee is the claim as given, for its own
    adjacency.

    Examples
    --------
    >>> from dpviz.theory import GaussianMechanism
    >>> from dpviz.widgets import WaysOfStatingView
    >>> view = WaysOfStatingView(claim=GaussianMechanism(noise_multiplier=1.0), fpr=0.01)
    >>> [round(allowed, 3) for allowed in view.result.answers["ways_of_stating"].allowed if allowed]
    [0.092, 0.092, 0.125, 0.125, 0.796, 0.991]
    """

    scene = WAYS_OF_STATING
    moved_by = ("epsilon", "delta", "fpr")
    try_it = "choose Gaussian noise as the claim, and compare its ρ with its (ε, δ)."
    table_name = "ways_of_stating"

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        part = statements_part(result.spec.claim, result.claim.delta, result.fpr)
        return {"ways_of_stating": part}
