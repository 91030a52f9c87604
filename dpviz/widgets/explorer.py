"""The explorer: controls and the linked views."""

from typing import Any

import ipywidgets

from dpviz.analysis import CONTROLS, Result
from dpviz.widgets.audit_view import AuditView
from dpviz.widgets.bounds_view import BoundsView
from dpviz.widgets.claim_menu import ClaimMenu
from dpviz.widgets.controls import NumberControl
from dpviz.widgets.experiment_view import ExperimentView
from dpviz.widgets.mechanism_view import MechanismView
from dpviz.widgets.profile_view import ProfileView
from dpviz.widgets.retraining_view import RetrainingView
from dpviz.widgets.slices_view import SlicesView
from dpviz.widgets.source import SourceMenu
from dpviz.widgets.tradeoff_view import TradeoffView
from dpviz.widgets.view import View, columns
from dpviz.widgets.views import (
    EpsilonStarView,
    FitView,
    QuantileView,
    RegionView,
    RiskView,
    ScoresView,
)

VIEWS = (
    RegionView,
    TradeoffView,
    ProfileView,
    ScoresView,
    EpsilonStarView,
    FitView,
    QuantileView,
    RiskView,
    AuditView,
    BoundsView,
    SlicesView,
    RetrainingView,
    MechanismView,
    ExperimentView,
)


class Explorer(View):
    """Controls for epsilon, delta, prior and FPR, menus of data and claims, all views on one store.

    Same parameters, traits and `result` as every view.
    """

    def contents(self) -> list[ipywidgets.Widget]:
        """Controls above a grid that goes from three columns to one as the page narrows."""
        self.source = SourceMenu(self)
        self.controls = {
            name: NumberControl(name, control, self._change_from_control)
            for name, control in CONTROLS.items()
        }
        self.views = [view(store=self.store) for view in VIEWS]
        self.observe(self._close_views, names="comm")  # closed: nobody looks on
        rows = [*self.source.widgets, *(control.widget for control in self.controls.values())]
        self.claim_menu = ClaimMenu(self)
        self._grid = columns([], narrowest=380)
        # The error line stands under the controls, where a refused value was typed.
        return [columns(rows, narrowest=300), self.claim_menu.widget, self._error, self._grid]

    def draw(self, result: Result) -> None:
        """The controls follow; the views draw themselves."""
        self.source.follow()
        self.claim_menu.follow(result)
        for control in self.controls.values():
            control.follow(result.spec)
        wanted = tuple(view for view in self.views if view.is_wanted(result))
        if wanted != self._grid.children:
            self._grid.children = wanted

    def _close_views(self, _change: object) -> None:
        for view in self.views:
            view.close()

    def _change_from_control(self, **changes: Any) -> None:
        self.change(**changes)
        if self.error:  # refused: slider and box go back to what holds
            for control in self.controls.values():
                control.follow(self.store.spec)
