"""The explorer: controls and the linked views."""

from typing import Any

import ipywidgets

from dpviz import checks
from dpviz.analysis import CONTROLS, Result
from dpviz.analysis.state.code import python_code
from dpviz.analysis.state.state import from_state, state_of
from dpviz.data import read_scores
from dpviz.pictures.scenes import RULER, SCENES
from dpviz.widgets.base.html import columns
from dpviz.widgets.base.picture import Picture
from dpviz.widgets.base.view import FigureView, View
from dpviz.widgets.controls.claim_menu import ClaimMenu
from dpviz.widgets.controls.fields import NumberControl
from dpviz.widgets.controls.history_row import HistoryRow
from dpviz.widgets.controls.source_menu import SourceMenu
from dpviz.widgets.state.store import Store
from dpviz.widgets.views import scene_views
from dpviz.widgets.views.answer import AnswerView
from dpviz.widgets.views.audit import AuditView
from dpviz.widgets.views.bounds import BoundsView
from dpviz.widgets.views.experiment import ExperimentView
from dpviz.widgets.views.mechanism import MechanismView
from dpviz.widgets.views.people import PeopleView
from dpviz.widgets.views.retraining import RetrainingView
from dpviz.widgets.views.slices import SlicesView
from dpviz.widgets.views.tradeoff import TradeoffView

VIEWS: tuple[type[View], ...] = (
    scene_views.RegionView,
    TradeoffView,
    scene_views.ProfileView,
    scene_views.ScoresView,
    PeopleView,
    scene_views.EpsilonStarView,
    scene_views.FitView,
    scene_views.QuantileView,
    scene_views.RiskView,
    AuditView,
    BoundsView,
    SlicesView,
    RetrainingView,
    MechanismView,
    ExperimentView,
)


def all_views() -> list[type[View]]:
    """Return `VIEWS`, and a view of each further scene that is registered in `SCENES`."""
    single = [view for view in VIEWS if issubclass(view, FigureView)]
    shown = [RULER]  # that of the answer, above all views
    shown += [scene for view in single for scene in (view.scene, *view.further)]
    more = {
        name: scene
        for name, scene in SCENES.items()
        if scene.needs in ("", "scores") and not any(scene is each for each in shown)
    }
    views = [type(_view_name(name), (FigureView,), {"scene": more[name]}) for name in more]
    return [*VIEWS, *views]


def _view_name(scene: str) -> str:
    return "".join(word.capitalize() for word in scene.split("_")) + "View"


class Explorer(View):
    """Controls for epsilon, delta, prior and FPR, menus of data and claims, all views on one store.

    It has the parameters, traits and `result` of every view. :func:`dpviz.explore` makes it.

    Examples
    --------
    >>> import dpviz
    >>> explorer = dpviz.explore(epsilon=1.0)
    >>> explorer.delta = 1e-3
    >>> explorer.result.sentences["profile"]
    'This guarantee gives ε = 1 at δ = 0.001.'
    >>> explorer.undo()
    >>> explorer.delta
    1e-05
    """

    def contents(self) -> list[ipywidgets.Widget]:
        """Return controls above a grid of one to three columns, as the page allows."""
        self.source = SourceMenu(self)
        self.controls = {
            name: NumberControl(name, control, self.change) for name, control in CONTROLS.items()
        }
        live = self.store.live
        for name, control in self.controls.items():
            control.hand_over(live, owner=self, field=name, error=self.error_line)
        self.views = [view(store=self.store) for view in all_views()]
        self.observe(self._close_views, names="comm")  # closed: nobody looks on
        rows = [*self.source.widgets, *(control.widget for control in self.controls.values())]
        self.claim_menu = ClaimMenu(self)
        self.history = HistoryRow(self, self.code)
        self._grid = columns([], narrowest=380)
        # The error line stands under the controls, where the rejected value was typed.
        history = ipywidgets.HBox([self.history.widget, self.late_line])
        menus = [self.claim_menu.widget, history]
        self.answer = AnswerView(store=self.store)
        return [columns(rows, narrowest=300), *menus, self.error_line, self.answer, self._grid]

    def draw(self, result: Result) -> None:
        """Update the controls and the list of views; the views draw themselves."""
        self.follow_controls(result)
        wanted = tuple(view for view in self.views if view.is_wanted(result))
        if wanted != self.shown_views:
            self._grid.children = wanted

    @property
    def shown_views(self) -> tuple[View, ...]:
        """The views that are wanted for the present result."""
        return tuple(self._grid.children)

    def follow_controls(self, result: Result) -> None:
        """Set sliders and menus to the spec and the scores."""
        self.source.follow()
        self.claim_menu.follow(result)
        self.history.follow()
        for control in self.controls.values():
            control.follow(result)

    @classmethod
    def from_state(cls, state: dict[str, Any] | str, scores: Any = None) -> "Explorer":
        """Return an explorer that shows a saved state, a dictionary of :meth:`state` or its JSON.

        A state of your own scores needs the same `scores`, as :func:`dpviz.read_scores` takes them;
        a packaged sample is read again. ValueError if the state is damaged or of another version,
        or if the scores differ.
        """
        given = None if scores is None else read_scores(scores)
        spec, loaded = from_state(state, given)
        return cls(store=Store(loaded, spec))

    def state(self) -> dict[str, Any]:
        """Return the state as a small dictionary for JSON, which :meth:`from_state` takes.

        Of your own scores it has only the number and the SHA-256, of a packaged sample the key.
        Results that single views compute on request are not part of it. ValueError if the claim or
        an overlay is of a class that is not in `dpviz.theory.MECHANISMS`.
        """
        return state_of(self.store.spec, self.store.scores)

    def code(self, *, scores: str | None = None) -> str:
        """Return Python code that shows the same; it names choices that are not the defaults.

        `scores` is the Python expression of your scores, such as
        ``dpviz.read_scores("losses.csv")``; without it, they are three dots to fill in. ValueError
        as :meth:`state`, and if an expression is given but no scores are loaded.
        """
        return python_code(self.store.spec, self.store.scores, source=scores)

    def undo(self) -> None:
        """Undo the last change; ValueError if there is none."""
        self.store.undo()

    def redo(self) -> None:
        """Repeat the change that was undone; ValueError if there is none."""
        self.store.redo()

    def reset(self) -> None:
        """Show the first state; a change like any other."""
        self.store.reset()

    def pin(self) -> None:
        """Keep the claim as an overlay; ValueError if it is one, or if there is no room for it."""
        spec = self.store.spec
        if spec.claim in spec.overlays:
            raise checks.fail("claim", "one that is not pinned yet", spec.claim)
        self.store.update(overlays=(*spec.overlays, spec.claim))

    def to_save(self) -> list[Picture]:
        """Return the pictures of all views that are shown."""
        shown = (self.answer, *self.shown_views)
        return [picture for view in shown for picture in view.to_save()]

    def in_words(self, picture: Picture) -> list[str]:
        """Return the sentences of its view."""
        view = next(v for v in (self.answer, *self.views) if picture in v.pictures)
        return view.in_words(picture)

    def _close_views(self, _change: object) -> None:
        for view in (self.answer, *self.views):
            view.close()
        if self.store.live is not None:
            self.store.live.forget(self.claim_menu)
