"""The explorer: controls and the linked views."""

from typing import Any

import ipywidgets

from dpviz.analysis import CONTROLS, Result
from dpviz.widgets.bounds_view import BoundsView
from dpviz.widgets.controls import NumberControl
from dpviz.widgets.source import SourceMenu
from dpviz.widgets.view import View
from dpviz.widgets.views import (
    EpsilonStarView,
    FitView,
    QuantileView,
    RegionView,
    RiskView,
    ScoresView,
    TradeoffView,
)

VIEWS = (
    RegionView,
    TradeoffView,
    ScoresView,
    EpsilonStarView,
    FitView,
    QuantileView,
    RiskView,
    BoundsView,
)


class Explorer(View):
    """Controls for epsilon, delta, prior and FPR, a menu of data, and all views on one store.

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
        rows = [*self.source.widgets, *(control.widget for control in self.controls.values())]
        bar, grid = _columns(rows, narrowest=300), _columns(self.views, narrowest=380)
        # The error line stands under the controls, where a refused value was typed.
        return [bar, self._error, grid]

    def draw(self, result: Result) -> None:
        """The controls follow; the views draw themselves."""
        self.source.follow()
        for control in self.controls.values():
            control.follow(result.spec)

    def _change_from_control(self, **changes: Any) -> None:
        self.change(**changes)
        if self.error:  # refused: slider and box go back to what holds
            for control in self.controls.values():
                control.follow(self.store.spec)


def _columns(widgets: list[ipywidgets.Widget], *, narrowest: int) -> ipywidgets.GridBox:
    """As many equal columns as the page has room for, none narrower than `narrowest` pixels."""
    columns = f"repeat(auto-fit, minmax(min({narrowest}px, 100%), 1fr))"
    layout = ipywidgets.Layout(
        width="100%", grid_template_columns=columns, grid_gap="8px 18px", min_width="0"
    )
    return ipywidgets.GridBox(widgets, layout=layout)
