"""The explorer: the answer, a column of controls, and tabs with the linked views."""

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Self

import ipywidgets
import traitlets

from dpviz import checks
from dpviz.analysis import Result
from dpviz.analysis.attacks import Attacks
from dpviz.analysis.spec import CONTROLS
from dpviz.analysis.state.code import python_code
from dpviz.analysis.state.json_state import from_state, read_state, state_of
from dpviz.analysis.state.recording import answer_as_line
from dpviz.audit.epsilon_star import paper_delta
from dpviz.data import read_scores
from dpviz.naming import NAMINGS
from dpviz.widgets.base import html
from dpviz.widgets.base.html import Html, Row, button, close_nested, div, row, stack
from dpviz.widgets.base.picture import Picture
from dpviz.widgets.base.view import View
from dpviz.widgets.browser_input import WIDGET_LOCK
from dpviz.widgets.controls import column
from dpviz.widgets.controls.fields import Menu
from dpviz.widgets.controls.menus import ClaimMenu, DataSetMenu
from dpviz.widgets.present import Presenter
from dpviz.widgets.state.store import SpecError, Store
from dpviz.widgets.tabs import PageLayout, Tab, TabBar, ViewPanel, checked_tab_name, tabs_for
from dpviz.widgets.views.answer import AnswerView
from dpviz.widgets.views.evidence import CONFIDENCE_LEVELS, NEIGHBOURS, SAMPLINGS

NUMBERS_IN_SIGHT = ("epsilon", "delta", "prior", "fpr")  # all other sliders are behind "More"
NAMING_MENU = {naming.title: key for key, naming in NAMINGS.items()}
FPR_PRESETS = {"0.1 %": 0.001, "1 %": 0.01, "10 %": 0.1, "strongest evidence": None}


class Explorer(View):
    """The answer, a column of controls, and the linked views of one store in tabs.

    It has the parameters, traits and `result` of every view. :func:`dpviz.explore` makes it.

    Parameters
    ----------
    layout : {"tabs", "all"} or sequence of str
        A tab for each question; all views on one long page; or the views with these names.
    tab : str, optional, the tab that is shown first: a name in `dpviz.widgets.tabs.TABS`

    Attributes
    ----------
    tab : str, a trait: the name of the tab that is shown; "" where there are none
    question : str, a trait: the name of a question; if it is set, a button records :meth:`answer`

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
    >>> explorer.tab = "how"
    >>> [type(view).__name__ for view in explorer.shown_views]
    ['MechanismView']
    """

    shows_audit = True
    tab = traitlets.Unicode(help="name of the tab that is shown")
    question = traitlets.Unicode(help="name of the question that the recorded state answers")

    def __init__(
        self,
        scores: Any = None,
        *,
        layout: PageLayout = "tabs",
        tab: str | None = None,
        **view: Any,
    ) -> None:
        self._layout, self._first_tab = layout, tab
        self._merged_from: Result | None = None
        super().__init__(scores, **view)
        if tab is not None:
            self.tab = tab

    @classmethod
    def from_state(
        cls,
        state: dict[str, Any] | str,
        scores: Any = None,
        compare: Mapping[str, Any] = MappingProxyType({}),
    ) -> Self:
        """Return an explorer with a saved state.

        The state is a dict from :meth:`state`, or the JSON text of such a dict. A state of your own
        scores needs the same `scores`, as :func:`dpviz.read_scores` takes them, and the scores of
        other attacks in `compare`, by name; packaged samples are read again. ValueError if the
        state is damaged or of another version, or if the scores differ.
        """
        given = None if scores is None else read_scores(scores)
        read = read_state(state)
        page = {name: read[name] for name in ("layout", "tab") if name in read}
        read = {name: value for name, value in read.items() if name not in page}
        spec, loaded = from_state(read, given, Attacks(compare))
        try:
            return cls(store=Store(loaded, spec), **page)
        except ValueError as error:
            raise ValueError(f"state.{error}") from error

    def state(self) -> dict[str, Any]:
        """Return the state as a small dictionary for JSON, which :meth:`from_state` takes.

        It has no scores, but their SHA-256 and numbers of records, or the key of a sample.
        Results that views compute on request are not in it. ValueError if the claim or an overlay
        is of a class that is not in `dpviz.theory.MECHANISMS`.
        """
        shown = {"layout": self.panel.layout, "tab": self.tab or None}
        return state_of(self.store.spec, self.store.scores) | shown

    def code(self, *, scores: str | None = None) -> str:
        """Return Python code that shows the same page.

        The code leaves out defaults. `scores` is a Python expression for your scores, such as
        ``dpviz.read_scores("losses.csv")``; without it, the code has three dots to fill in.
        ValueError as in :meth:`state`, and if an expression is given but no scores are loaded.
        """
        page: dict[str, Any] = {}
        layout = self.panel.layout
        if not self._has_tabs:
            page["layout"] = layout if isinstance(layout, str) else tuple(layout)
        elif self.tab != next(iter(self._tabs)):
            page["tab"] = self.tab
        return python_code(self.store.spec, self.store.scores, source=scores, **page)

    def answer(self) -> str:
        """Return the state of the explorer as one line of text.

        The line can be handed in as the answer to `question`. A checksum in the line shows if a
        part is missing or was edited. Instead of scores, the line has their SHA-256 and numbers of
        records, or a sample's key. ValueError as in :meth:`state`.
        """
        return answer_as_line(self.store.spec, self.store.scores, question=self.question)

    def make_children(self) -> list[ipywidgets.Widget]:
        """Return the answer, the tabs, the controls, and an empty panel, which `draw` fills."""
        self.source = DataSetMenu(self)
        self.claim_menu = ClaimMenu(self, self._mark_pictures_outdated, self.pin)
        # A slider for each common number; the browser moves it while the kernel is busy.
        common = [name for name, control in CONTROLS.items() if control.common]
        self.controls = {each.name: each for each in self.number_controls(common)}
        self.own_widgets += [control.slider for control in self.controls.values()]
        # Controls that are rarely used: they open with "More" and "Save".
        self.menus = [
            Menu("confidence_level", "confidence", CONFIDENCE_LEVELS, self.change),
            Menu("sampling", "these records are", SAMPLINGS, self.change),
            Menu("neighbours", "neighbours", NEIGHBOURS, self.change),
            Menu("naming", "names of errors", NAMING_MENU, self.change),
        ]
        self.hypotheses = Html(layout=ipywidgets.Layout(width="100%"))
        self.history = column.UndoAndCodeButtons(self, self.code)
        self.reversed_note = column.ReversedScoresNote(self)
        self.files = column.SaveMenu(self, self.code, self.state)
        self.save_menu = stack([self.files.widget, self.history.code_widget])
        self.record: column.RecordAnswerButton | None = None
        hint = "set δ for n members"
        self.paper_delta = button("δ = 1/(n log n)", self._set_delta_from_members, tooltip=hint)
        acts = {label: partial(self.change, fpr=rate) for label, rate in FPR_PRESETS.items()}
        self.presets = {
            label: button(label, act, tooltip=f"select the FPR: {label}")
            for label, act in acts.items()
        }
        self.readout = column.SelectedFprTable(self)
        self.presenter, self.tab_bar = Presenter(self), TabBar()
        self.tab_bar.observe(lambda change: self._choose_tab(change["new"]), names="selected")
        show = partial(self.tab_bar.set_trait, "shown")
        self.panel = ViewPanel(self.store, self._layout, lambda: show(self.tab))
        self.observe(self._close_views, names="comm")  # closed
        self.answer_view = AnswerView(store=self.store)
        # The numbers of every audit stay in sight, all others open with "More".
        shown = {name: control.widget for name, control in self.controls.items()}
        in_sight = [
            *(self.source.menu, self.source.files, self.claim_menu.kind, self.claim_menu.widget),
            *map(shown.pop, NUMBERS_IN_SIGHT),
            Row([*self.presets.values()], _dom_classes=["dpviz-presets"]),
            self.readout.widget,
        ]
        further = [*shown.values(), self.paper_delta, *(menu.widget for menu in self.menus)]
        further += [*self.claim_menu.choices, self.panel.menu, self.history.reset]
        more = html.disclosure_line("More", "dpviz-more")
        self.more_controls = row([*further, self.hypotheses], css_class="dpviz-popover")
        self.column = stack([*in_sight, more, self.more_controls], css_class="dpviz-controls")
        present = button("Present", self.present, tooltip="large pictures (key P)")
        present.add_class("dpviz-present")
        self.save_menu.add_class("dpviz-popover")
        own = [self.late_line, self.history.undo, self.history.redo]
        own += [html.disclosure_line("Save", "dpviz-save"), present, self.save_menu]
        self.buttons = row(own, css_class="dpviz-buttons")
        # The page from top to bottom; the style sheet lays it out.
        tabs = [self.tab_bar] if self._has_tabs else []
        bar = row([*tabs, self.buttons], css_class="dpviz-bar")
        self._notes = stack([self.reversed_note.widget, self.error_line], css_class="dpviz-notes")
        parts = [self.answer_view, bar, self._notes, self.column, self.panel.widget]
        return [stack(parts, css_class="dpviz-frame"), self.presenter.window]

    def _set_delta_from_members(self) -> None:
        """Set delta to 1/(n log n), as the Epsilon* paper does, with n the number of members."""
        if (scores := self.store.scores) is not None:
            with self.showing_errors("delta"):
                self.store.update(delta=paper_delta(scores.n_members))

    def draw(self, result: Result) -> None:
        """Update the controls and the tabs for a result.

        The views draw themselves.
        """
        self.update_controls(result)
        if self._has_tabs and self.tab not in self._tabs:
            # Set only now: a figure that is first drawn on a hidden tab has no size.
            first = self._first_tab
            self.tab = first if first in self._tabs else next(iter(self._tabs))
        else:
            self._show_tab()

    @property
    def result(self) -> Result:
        """The store's result, with the answers of all views that were built so far."""
        shown = self.store.result
        if shown is not self._merged_from:
            self._merged_from = self._merged = shown
        for view in self.panel.built_views:
            self._merged = view.with_answers_of_view(self._merged)
        return self._merged

    @property
    def views(self) -> list[View]:
        """All views of the explorer, in the order of the registry.

        Missing views are built now.
        """
        return self.panel.views()

    @traitlets.observe("font_scale")
    def _scale_views(self, _change: object) -> None:
        self.panel.font_scale = self.font_scale
        for view in (self.answer_view, *self.panel.built_views):
            view.font_scale = self.font_scale

    @property
    def shown_views(self) -> tuple[View, ...]:
        """The views that are on the page now."""
        return self.panel.shown_views

    def update_controls(self, result: Result) -> None:
        """Set sliders and menus to the spec of a result and to the loaded scores."""
        self.source.update()
        for needs_scores in (self.paper_delta, self.presets["strongest evidence"]):
            needs_scores.disabled = self.store.scores is None
        self.reversed_note.update()
        self.claim_menu.update_from(result)
        self.readout.update_from(result)
        self.history.update()
        if self.record is not None:
            self.record.update()
        for menu in self.menus:
            menu.update_from(result.spec)
        self.hypotheses.value = div("dpviz-note", result.naming.hypotheses)

    @property
    def last_recorded(self) -> str:
        """The line that the button "Record answer" recorded last.

        The line is empty if nothing was recorded.
        """
        return self.record.line if self.record is not None else ""

    def undo(self) -> None:
        """Undo the last change or the last drag.

        Raises ValueError if there is nothing to undo.
        """
        self.store.undo()

    def redo(self) -> None:
        """Repeat the change that was undone last.

        Raises ValueError if no change was undone.
        """
        self.store.redo()

    def reset(self) -> None:
        """Go back to the first state of the explorer.

        This change can be undone.
        """
        self.store.reset()

    def present(self, names: Sequence[str] | None = None) -> None:
        """Show one picture at a time on the whole window, as the key P does.

        `names` are slides of `dpviz.widgets.present.SLIDES` or pictures of
        `dpviz.analysis.topics.registry.SCENES`; by default the slides that can be shown: guessing,
        what the claim allows, a growing ε, and with scores the attack and the answer. ValueError
        if a name is unknown, or if its picture has nothing to show.
        """
        self.presenter.open(names)

    def pin(self) -> None:
        """Pin the present claim for comparison with other claims.

        Raises ValueError if this claim is pinned already, or if six claims are.
        """
        spec = self.store.spec
        if spec.claim in spec.overlays:
            raise checks.fail("claim", "different from all pinned claims", spec.claim)
        self.store.update(overlays=(*spec.overlays, spec.claim))

    def pin_point(self) -> None:
        """Pin the selected point of the privacy region, in place of the point pinned before."""
        point = self.store.result.point
        self.store.update(pinned_point=(point.fpr, point.fnr))

    def pictures_to_save(self) -> list[Picture]:
        """Return the pictures of the answer and of every view that has something to show."""
        shown = (self.answer_view, *self.panel.views_with_content())
        return [picture for view in shown for picture in view.pictures_to_save()]

    def pictures_in_sight(self) -> list[Picture]:
        """Return the pictures that a reader sees now."""
        shown = (self.answer_view, *self.shown_views)
        return [picture for view in shown for picture in view.pictures_in_sight()]

    def sentences_of(self, picture: Picture) -> list[str]:
        """Return the sentences that are shown with a picture of one of the views."""
        views = (self.answer_view, *self.panel.built_views)
        view = next(view for view in views if picture in view.pictures)
        return view.sentences_of(picture)

    @traitlets.observe("question")
    def _add_record_button(self, _change: object) -> None:
        if self.record is None:
            self.record = column.RecordAnswerButton(self, self.answer)
            self.buttons.children = [*self.buttons.children, self.record.menu]
            self._notes.children = [*self._notes.children, self.record.text]

    @property
    def _has_tabs(self) -> bool:
        return self._layout == "tabs"

    @property
    def _tabs(self) -> dict[str, Tab]:
        return tabs_for(has_scores=self.store.scores is not None)

    @traitlets.validate("tab")
    def _validated_tab_name(self, proposal: Any) -> str:
        name = proposal["value"]
        try:
            if not self._has_tabs:
                raise checks.fail("tab", 'left out for a layout other than "tabs"', name)
            return checked_tab_name(name, has_scores=self.store.scores is not None)
        except ValueError as error:
            raise SpecError(str(error)) from error

    @traitlets.observe("tab")
    def _show_tab(self, change: object = None) -> None:
        with WIDGET_LOCK:
            tab = self._tabs[self.tab] if self._has_tabs else None
            # A tab chosen in the browser may fill a moment later; Python gets views at once.
            has_reader_chosen = change is not None and self.tab_bar.selected == self.tab
            self.panel.show_tab(tab, at_once=not has_reader_chosen)
            with self.tab_bar.hold_sync():
                self.tab_bar.tabs = [(name, tab.title) for name, tab in self._tabs.items()]
                self.tab_bar.selected = self.tab
            self.history.update()  # the code that is shown names the tab

    def _mark_pictures_outdated(self, is_outdated: bool) -> None:
        """Mark the pictures as outdated while a slow claim is computed, or remove the mark."""
        self.tab_bar.is_waiting = is_outdated
        (self.add_class if is_outdated else self.remove_class)("dpviz-waiting")

    def _choose_tab(self, name: str) -> None:
        with self.showing_errors():
            self.tab = name

    def _close_views(self, _change: object) -> None:
        self.answer_view.close()
        close_nested([self.tab_bar])  # a page without tabs has no bar among its children
        self.panel.close()
        if self.store.live is not None:
            self.store.live.remove_elements_of(self.claim_menu)
