"""The views: which layers make which picture. Wiring and layout only."""

from typing import Any, ClassVar

import ipywidgets
import numpy as np

from dpviz.analysis import Result, Spec
from dpviz.widgets.chance import Chance
from dpviz.widgets.controls import Menu
from dpviz.widgets.figures import AxisSpec, Frame
from dpviz.widgets.figures.axes import decades_of, rate_of
from dpviz.widgets.job import Job
from dpviz.widgets.layers.attack_curve import AttackCurveLayer
from dpviz.widgets.layers.attack_risk import AttackRisk
from dpviz.widgets.layers.bands import SurelyReached, attack_band
from dpviz.widgets.layers.claim_region import ClaimRegion
from dpviz.widgets.layers.claimed_epsilon import ClaimedEpsilon
from dpviz.widgets.layers.clip_window import ClipWindow
from dpviz.widgets.layers.delta_band import DeltaBand
from dpviz.widgets.layers.fitted_laws import FittedLaws
from dpviz.widgets.layers.histogram import Histogram
from dpviz.widgets.layers.layer import Layer
from dpviz.widgets.layers.maximum_place import MaximumPlace
from dpviz.widgets.layers.null_level import NullLevel
from dpviz.widgets.layers.overlays import Overlays, on_far_edge
from dpviz.widgets.layers.quantiles import Quantiles
from dpviz.widgets.layers.ratio_curves import RatioCurvesLayer
from dpviz.widgets.layers.region_point import RegionPoint
from dpviz.widgets.layers.risk_bounds import RiskBounds
from dpviz.widgets.layers.selected_fpr import SelectedFpr
from dpviz.widgets.layers.threshold import Threshold
from dpviz.widgets.view import FigureView

FPR = AxisSpec(label="FPR: non-members accused")
FNR = AxisSpec(label="FNR: members missed")
FORMS = {"empirical": "empirical", "normal fit": "normal", "mixture fit": "mixture"}
TRANSFORMS = {"the paper's transform": "paper", "the losses themselves": "none"}
COMPONENTS = {"by BIC": "bic", "by KS tests": "ks", "1": 1, "2": 2, "3": 3, "5": 5}
CLIPS = {"the paper's": "paper", "none": None, "0.0001": 1e-4, "0.001": 1e-3, "0.01": 1e-2}


class RegionView(FigureView):
    """The claim's privacy region, the attack's curve and a point to drag."""

    title: ClassVar[str] = "Privacy region"
    sentences: ClassVar[tuple[str, ...]] = ("region", "implied")

    def frame(self) -> Frame:
        """The unit square."""
        return Frame(x=FPR, y=FNR)

    def layers(self) -> list[Layer]:
        """Region, what delta adds to it, band, overlays, curves, point."""
        overlays = Overlays(lambda overlay: overlay.region, on_far_edge, closed=True)
        return [
            ClaimRegion(),
            DeltaBand(),
            attack_band(),
            overlays,
            SurelyReached(),
            AttackCurveLayer(),
            RegionPoint(),
        ]

    def extras(self) -> list[ipywidgets.Widget]:
        """A button that undoes a drag."""
        self.back = ipywidgets.Button(
            description="put the point back on the curve",
            layout=ipywidgets.Layout(width="auto", align_self="flex-start"),
        )
        self.back.on_click(lambda _: self.change(fnr=None))
        return [self.back]

    def draw(self, result: Result) -> None:
        """The button is for a point that was moved."""
        super().draw(result)
        self.back.disabled = result.spec.fnr is None


class EpsilonStarView(FigureView):
    """The four ratio curves and the Epsilon* estimate they give."""

    title: ClassVar[str] = "Epsilon*: an estimate, this model instance"
    sentences: ClassVar[tuple[str, ...]] = ("epsilon_star", "warnings")

    def frame(self) -> Frame:
        """Log ratios over the FPR in log-odds, where both tails show."""
        return Frame(
            x=AxisSpec(
                label="threshold, as its FPR t (log-odds scale)", low=-3, high=3, scale="log-odds"
            ),
            y=AxisSpec(label="log ratio = implied ε", low=-2, high=4),
        )

    def layers(self) -> list[Layer]:
        """Clip, ratios, levels of the claim and of chance, selected FPR."""
        return [
            ClipWindow(),
            RatioCurvesLayer(),
            ClaimedEpsilon(),
            NullLevel(),
            SelectedFpr(to_x=lambda fpr: float(decades_of(np.array(fpr))), to_fpr=rate_of),
        ]

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

    title: ClassVar[str] = "The fit behind Epsilon*"
    sentences: ClassVar[tuple[str, ...]] = ("fit",)

    def frame(self) -> Frame:
        """Densities over the transformed losses."""
        return Frame(x=AxisSpec(label="transformed loss"), y=AxisSpec(label="density"))

    def layers(self) -> list[Layer]:
        """Data, laws, the place of the maximum."""
        return [FittedLaws(), MaximumPlace()]


class QuantileView(FigureView):
    """Quantiles of the data against those of the fit: what a test of fit does not see."""

    title: ClassVar[str] = "Quantiles: data against fit"
    sentences: ClassVar[tuple[str, ...]] = ("quantiles",)

    def frame(self) -> Frame:
        """Both in standard deviations of the data."""
        return Frame(
            x=AxisSpec(label="quantile of the fit (standard deviations)", low=-4, high=4),
            y=AxisSpec(label="quantile of the data", low=-4, high=4),
        )

    def layers(self) -> list[Layer]:
        """Points, the line of a right fit, the place of the maximum."""
        return [Quantiles()]


class RiskView(FigureView):
    """Advantage and PPV at the prior: what the claim permits, what the attack reached."""

    title: ClassVar[str] = "Advantage and precision (PPV) at prior p"
    sentences: ClassVar[tuple[str, ...]] = ("risk",)

    def frame(self) -> Frame:
        """Rates over the FPR, logarithmic."""
        return Frame(
            x=AxisSpec(label="FPR (log scale)", low=1e-6, high=1, scale="log"),
            y=AxisSpec(label="share", low=0, high=1.08),
        )

    def layers(self) -> list[Layer]:
        """Bounds, attack, selected FPR."""
        return [RiskBounds(), AttackRisk(), SelectedFpr()]


class ScoresView(FigureView):
    """Histograms of both classes and the threshold of the selected FPR."""

    title: ClassVar[str] = "Scores of members and non-members"
    sentences: ClassVar[tuple[str, ...]] = ("scores",)

    def frame(self) -> Frame:
        """Shares over the scores."""
        return Frame(
            x=AxisSpec(label="loss (low = member-like)"), y=AxisSpec(label="share of the class")
        )

    def layers(self) -> list[Layer]:
        """Histograms, threshold."""
        return [Histogram(), Threshold(self.store.fpr_at_threshold)]
