"""The views of pictures that a result alone makes. Wiring and layout only."""

from types import SimpleNamespace
from typing import Any, ClassVar

import ipywidgets

from dpviz.analysis import Result, Spec
from dpviz.pictures import scenes
from dpviz.pictures.scene import Scene
from dpviz.widgets.chance import Chance
from dpviz.widgets.controls import Menu, OptionalBox
from dpviz.widgets.job import Job
from dpviz.widgets.view import FigureView

FORMS = {"empirical": "empirical", "normal fit": "normal", "mixture fit": "mixture"}
TRANSFORMS = {"the paper's transform": "paper", "the losses themselves": "none"}
COMPONENTS = {"by BIC": "bic", "by KS tests": "ks", "1": 1, "2": 2, "3": 3, "5": 5}
FNR_HINT = "where the point stands; empty: on the curve, at the selected FPR"
CLIPS = {"the paper's": "paper", "none": None, "0.0001": 1e-4, "0.001": 1e-3, "0.01": 1e-2}


class RegionView(FigureView):
    """The claim's privacy region, the attack's curve and a point to drag."""

    late: ClassVar[str] = "late.scores"

    def scene(self) -> Scene:
        """Its axes and layers."""
        return scenes.REGION

    def extras(self) -> list[ipywidgets.Widget]:
        """The FNR of the point as a number, and a button that undoes a drag."""
        self.fnr_box = OptionalBox("fnr", "FNR of the point", FNR_HINT, self._choose)
        self.back = ipywidgets.Button(
            description="put the point back on the curve",
            layout=ipywidgets.Layout(width="auto", align_self="flex-start"),
        )
        self.back.on_click(lambda _: self.change(fnr=None))
        return [self.fnr_box.widget, self.back]

    def draw(self, result: Result) -> None:
        """The button is for a point that was moved."""
        super().draw(result)
        self.back.disabled = result.spec.fnr is None
        self._follow_box(result.spec.fnr)

    def _choose(self, fnr: Any) -> None:
        self.change(fnr=fnr)
        self._follow_box(self.result.spec.fnr)  # what was refused goes back to what holds

    def _follow_box(self, fnr: float | None) -> None:
        shown = None if fnr is None else float(f"{fnr:.12g}")  # a hand gives 1 - 0.1719
        self.fnr_box.follow(SimpleNamespace(fnr=shown))


class EpsilonStarView(FigureView):
    """The four ratio curves and the Epsilon* estimate they give."""

    def scene(self) -> Scene:
        """Its axes and layers."""
        return scenes.EPSILON_STAR

    def extras(self) -> list[ipywidgets.Widget]:
        """The form of the estimate, its clip, its fit, and what chance does to it."""
        self.menus = [
            Menu("method", "form", FORMS, self._choose),
            Menu("clip", "clip", CLIPS, self._choose),
            Menu("transform", "fit to", TRANSFORMS, self._choose),
            Menu("components", "components", COMPONENTS, self._choose),
        ]
        self.chance = Chance(lambda: self.store.scores)
        self.fitting = Job(self.chance.say)
        row = ipywidgets.Layout(flex_flow="row wrap")
        return [
            ipywidgets.HBox([menu.widget for menu in self.menus], layout=row),
            self.chance.widget,
            self.chance.job.widget,
            self.fitting.widget,
            self.chance.text,
        ]

    def draw(self, result: Result) -> None:
        """The menus follow too."""
        super().draw(result)
        self._follow_menus(result.spec)
        self.chance.follow(result)

    def _follow_menus(self, spec: Spec) -> None:
        """Show what the spec says; choices that do not matter to its form are hidden."""
        idle = {"empirical": ("transform", "components"), "normal": ("components",), "mixture": ()}
        for menu in self.menus:
            menu.follow(spec)
            menu.widget.layout.display = "none" if menu.name in idle[spec.method] else None

    def _choose(self, **changes: Any) -> None:
        """Mixtures take a moment to fit: beside the picture, which stays until they are there."""
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
            stopped=lambda: self._follow_menus(self.store.spec),
        )


class FitView(FigureView):
    """The laws fitted to the transformed losses, beside the losses."""

    def scene(self) -> Scene:
        """Its axes and layers."""
        return scenes.FIT


class QuantileView(FigureView):
    """Quantiles of the data against those of the fit: what a test of fit does not see."""

    def scene(self) -> Scene:
        """Its axes and layers."""
        return scenes.QUANTILES


class RiskView(FigureView):
    """Advantage and PPV at the prior: what the claim permits, what the attack reached."""

    late: ClassVar[str] = "late.scores"

    def scene(self) -> Scene:
        """Its axes and layers."""
        return scenes.RISK


class ScoresView(FigureView):
    """Histograms of both classes and the threshold of the selected FPR."""

    def scene(self) -> Scene:
        """Its axes and layers."""
        return scenes.SCORES

    def change(self, **changes: Any) -> None:
        """A hand on the threshold selects the FPR that it realises."""
        if "threshold" in changes:
            changes["fpr"] = self.store.fpr_at_threshold(changes.pop("threshold"))
        super().change(**changes)
