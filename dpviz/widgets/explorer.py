"""The explorer: controls and the linked views."""

from typing import Any

import ipywidgets

from dpviz import checks
from dpviz.analysis import CONTROLS, Result
from dpviz.analysis.code import python_code
from dpviz.analysis.state import from_state, state_of
from dpviz.data import read_scores
from dpviz.widgets.audit_view import AuditView
from dpviz.widgets.bounds_view import BoundsView
from dpviz.widgets.claim_menu import ClaimMenu
from dpviz.widgets.controls import NumberControl
from dpviz.widgets.experiment_view import ExperimentView
from dpviz.widgets.history_row import HistoryRow
from dpviz.widgets.mechanism_view import MechanismView
from dpviz.widgets.picture import Picture
from dpviz.widgets.profile_view import ProfileView
from dpviz.widgets.retraining_view import RetrainingView
from dpviz.widgets.slices_view import SlicesView
from dpviz.widgets.source import SourceMenu
from dpviz.widgets.store import Store
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
        live = self.store.live
        for name, control in self.controls.items():
            control.hand_over(live, owner=self, field=name, error=self.error_line)
        self.views = [view(store=self.store) for view in VIEWS]
        self.observe(self._close_views, names="comm")  # closed: nobody looks on
        rows = [*self.source.widgets, *(control.widget for control in self.controls.values())]
        self.claim_menu = ClaimMenu(self)
        self.history = HistoryRow(self, self.code)
        self._grid = columns([], narrowest=380)
        # The error line stands under the controls, where a refused value was typed.
        history = ipywidgets.HBox([self.history.widget, self.late_line])
        menus = [self.claim_menu.widget, history]
        return [columns(rows, narrowest=300), *menus, self.error_line, self._grid]

    def draw(self, result: Result) -> None:
        """The controls follow; the views draw themselves."""
        self.source.follow()
        self.claim_menu.follow(result)
        self.history.follow()
        for control in self.controls.values():
            control.follow(result.spec)
        wanted = tuple(view for view in self.views if view.is_wanted(result))
        if wanted != self._grid.children:
            self._grid.children = wanted

    @classmethod
    def from_state(cls, state: dict[str, Any] | str, scores: Any = None) -> "Explorer":
        """An explorer that shows what another one showed.

        Parameters
        ----------
        state : dict or str
            What :meth:`state` gave, or its JSON text.
        scores : optional
            Whatever :func:`dpviz.read_scores` takes. Needed when the state is of your own scores,
            and then those very scores; a packaged sample is read again by itself.

        Raises
        ------
        ValueError
            If the state is damaged or of another version, or the scores are others.
        """
        given = None if scores is None else read_scores(scores)
        spec, loaded = from_state(state, given)
        return cls(store=Store(loaded, spec))

    def state(self) -> dict[str, Any]:
        """What is shown as a small dictionary that JSON can keep, for :meth:`from_state`.

        Your own scores are not in it, only how many there are and their SHA-256; a packaged sample
        is there by its key. What single views ask for at the press of a button is not in it either.

        Raises
        ------
        ValueError
            If the claim or an overlay is of a class that is not in `dpviz.theory.MECHANISMS`.
        """
        return state_of(self.store.spec, self.store.scores)

    def code(self, *, scores: str | None = None) -> str:
        """Python that shows the same; it names the choices that are not the defaults.

        Parameters
        ----------
        scores : str, optional
            The Python expression of your scores, such as ``dpviz.read_scores("losses.csv")``. Left
            out, a packaged sample is read, and your own scores are three dots to fill in.

        Raises
        ------
        ValueError
            As :meth:`state`; and if no scores are loaded but an expression is given.
        """
        return python_code(self.store.spec, self.store.scores, source=scores)

    def undo(self) -> None:
        """Take the last change back; ValueError if there is none."""
        self.store.undo()

    def redo(self) -> None:
        """Do again what was taken back; ValueError if there is nothing."""
        self.store.redo()

    def reset(self) -> None:
        """Show what this began with; a change like any other."""
        self.store.reset()

    def pin(self) -> None:
        """Keep the claim as an overlay, which stays when the claim changes.

        Raises
        ------
        ValueError
            If it is one already, or there is no room for another.
        """
        spec = self.store.spec
        if spec.claim in spec.overlays:
            raise checks.fail("claim", "one that is not pinned yet", spec.claim)
        self.store.update(overlays=(*spec.overlays, spec.claim))

    def to_save(self) -> list[Picture]:
        """Those of all views that are shown."""
        return [picture for view in self._grid.children for picture in view.to_save()]

    def in_words(self, picture: Picture) -> list[str]:
        """What its view says."""
        view = next(view for view in self.views if picture in view.pictures)
        return view.in_words(picture)

    def _close_views(self, _change: object) -> None:
        for view in self.views:
            view.close()
        if self.store.live is not None:
            self.store.live.forget(self.claim_menu)

    def _change_from_control(self, **changes: Any) -> None:
        self.change(**changes)
        if self.error:  # refused: slider and box go back to what holds
            for control in self.controls.values():
                control.follow(self.store.spec)
