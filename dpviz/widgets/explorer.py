"""The explorer: a strip of controls, tabs that are questions, and the linked views in them."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import ipywidgets
import traitlets

from dpviz import checks
from dpviz.analysis import CONTROLS, Result
from dpviz.audit import paper_delta
from dpviz.widgets.base.html import Row, button, close_with_parts, stack
from dpviz.widgets.base.picture import Picture
from dpviz.widgets.base.view import View
from dpviz.widgets.controls.buttons import HistoryRow, RecordButton, ReversedNote
from dpviz.widgets.controls.claim_menu import ClaimMenu
from dpviz.widgets.controls.fields import Menu, NumberControl
from dpviz.widgets.controls.save_menu import SaveMenu
from dpviz.widgets.controls.source_menu import SourceMenu
from dpviz.widgets.controls.strip import NamingMenu, Strip, TabBar
from dpviz.widgets.panel import PageLayout, Panel
from dpviz.widgets.present import Presenter
from dpviz.widgets.received import LOCK
from dpviz.widgets.state.store import SpecError
from dpviz.widgets.state_saving import StateSavingMixin
from dpviz.widgets.tabs import checked_tab
from dpviz.widgets.views.answer import AnswerView
from dpviz.widgets.views.evidence import LEVELS, NEIGHBOURS, RECORDS

PRESETS = {"0.1 %": 0.001, "1 %": 0.01, "10 %": 0.1, "strongest evidence": None}


class Explorer(StateSavingMixin):
    """A strip of controls, and the linked views of one store in tabs.

    It has the parameters, traits and `result` of every view. :func:`dpviz.explore` makes it.

    Parameters
    ----------
    layout : {"tabs", "all"} or sequence of str
        Tabs that are questions; all views on one long page; or the views with these names.
    tab : str, optional
        The tab that is shown first: a name in `dpviz.widgets.tabs.TABS`.

    Attributes
    ----------
    tab : str
        A trait: the name of the tab that is shown; "" where there are none.
    question : str
        A trait: the name of a question that what is shown answers. With one, the strip has a
        button that records :meth:`answer`; "" by default.

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

    def __init__(self, *, layout: PageLayout = "tabs", tab: str | None = None, **view: Any) -> None:
        self._layout, self._first_tab = layout, tab
        self._merged_from: Result | None = None
        super().__init__(**view)
        if tab is not None:
            self.tab = tab

    def contents(self) -> list[ipywidgets.Widget]:
        """Return the strip, the tabs and an empty panel, which `draw` fills."""
        self.source, self.claim_menu = SourceMenu(self), ClaimMenu(self)
        self.controls = {
            name: NumberControl(name, control, self.change, has_slider=name != "delta")
            for name, control in CONTROLS.items()
            if control.common
        }
        for name, control in self.controls.items():
            control.hand_over(self.store.live, owner=self, field=name)
        self.own_widgets += [control.slider for control in self.controls.values()]
        self.error_lines |= {name: control.error for name, control in self.controls.items()}
        self.menus = [
            Menu("confidence_level", "confidence", LEVELS, self.change),
            Menu("applies_to", "these records are", RECORDS, self.change),
            Menu("neighbours", "compared under", NEIGHBOURS, self.change),
            naming := NamingMenu(self.change),
        ]
        self.history = HistoryRow(self, self.code)
        self.reversed_note = ReversedNote(self)
        self.files = SaveMenu(self)
        self.save_menu = stack([self.files.widget, self.history.code])
        self.record: RecordButton | None = None
        self.paper_delta = button(
            "δ = 1/(n log n)", self._choose_delta, tooltip="for the number n of members"
        )
        self.presets = self._presets()
        shown = {name: control.widget for name, control in self.controls.items()}
        self.presenter = Presenter(self)
        self.strip = Strip(
            controls=[self.source.menu, self.claim_menu.kind, shown["epsilon"], shown["delta"]],
            steps=[self.late_line, self.history.undo, self.history.redo],
            more=[
                *(shown["prior"], shown["fpr"], Row([*self.presets.values()]), self.paper_delta),
                *(menu.widget for menu in self.menus),
                *self.claim_menu.choices,
                self.history.reset,
                naming.hypotheses,
            ],
            save_menu=self.save_menu,
            present=button("▶ Present", self.present, tooltip="large pictures (key P)"),
            below=[self.source.files, self.claim_menu.widget],
        )
        self.tab_bar = TabBar()
        self.tab_bar.observe(lambda change: self._choose_tab(change["new"]), names="selected")
        self.panel = Panel(self.store, self._layout, self._arrived)
        self.observe(self._close_views, names="comm")  # closed: nobody looks on
        self.answer_view = AnswerView(store=self.store)
        tabs = [self.tab_bar] if self._has_tabs else []
        return [
            self.strip.widget,
            self.reversed_note.widget,
            self.error_line,
            self.answer_view,
            *tabs,
            self.panel.widget,
            self.presenter.stage,
        ]

    def _presets(self) -> dict[str, ipywidgets.Button]:
        """Return a button for each rate that people quote, and for the strongest evidence."""
        return {
            label: button(label, partial(self.change, fpr=rate), tooltip=f"select the FPR: {label}")
            for label, rate in PRESETS.items()
        }

    def _choose_delta(self) -> None:
        """Select the delta of the Epsilon* paper for as many training records as members."""
        if (scores := self.store.scores) is not None:
            with self.guarded("delta"):
                self.store.update(delta=paper_delta(scores.n_members))

    def draw(self, result: Result) -> None:
        """Update the controls and the tabs; the views draw themselves."""
        self.follow_controls(result)
        if self._has_tabs and self.tab not in self._tabs:
            first = self._first_tab  # a figure that is first drawn on a hidden tab has no size
            self.tab = first if first in self._tabs else next(iter(self._tabs))  # shows it
        else:
            self._show_tab()

    @property
    def result(self) -> Result:
        """The result that the views show, with the answers of all that were built."""
        shown = self.store.result
        if shown is not self._merged_from:
            self._merged_from = self._merged = shown
        for view in self.panel.built:
            self._merged = view.with_own(self._merged)  # the same object where nothing is new
        return self._merged

    @property
    def views(self) -> list[View]:
        """All views, in the order of the registry; those not shown before are built now."""
        return self.panel.views()

    @traitlets.observe("font_scale")
    def _scale_views(self, _change: object) -> None:
        self.panel.font_scale = self.font_scale
        for view in (self.answer_view, *self.panel.built):
            view.font_scale = self.font_scale

    @property
    def shown_views(self) -> tuple[View, ...]:
        """The views that are on the page now."""
        return self.panel.shown

    def follow_controls(self, result: Result) -> None:
        """Set sliders and menus to the spec and the scores."""
        self.source.follow()
        for of_scores in (self.paper_delta, self.presets["strongest evidence"]):
            of_scores.disabled = self.store.scores is None
        self.reversed_note.follow()
        self.claim_menu.follow(result)
        self.history.follow()
        if self.record is not None:
            self.record.follow()
        for control in self.controls.values():
            control.follow(result)
        for menu in self.menus:
            menu.follow(result.spec)

    @property
    def last_recorded(self) -> str:
        """The line that the button "Record answer" gave last; "" for none."""
        return self.record.line if self.record is not None else ""

    def undo(self) -> None:
        """Undo the last change; ValueError if there is none."""
        self.store.undo()

    def redo(self) -> None:
        """Repeat the change that was undone; ValueError if there is none."""
        self.store.redo()

    def reset(self) -> None:
        """Show the first state; a change like any other."""
        self.store.reset()

    def present(self, names: Sequence[str] | None = None) -> None:
        """Show one picture at a time on the whole window, as the key P does.

        Parameters
        ----------
        names : sequence of str, optional
            Slides of `dpviz.widgets.present.SLIDES` or pictures of
            `dpviz.analysis.topics.registry.SCENES`; by default the slides that can be shown:
            guessing, what the claim allows, ε that moves, and with scores the attack and the
            answer.

        Raises
        ------
        ValueError
            If a name is unknown, or if its picture has nothing to show.
        """
        self.presenter.open(names)

    def pin(self) -> None:
        """Keep the claim as an overlay; ValueError if it is one, or if there is no room for it."""
        spec = self.store.spec
        if spec.claim in spec.overlays:
            raise checks.fail("claim", "one that is not pinned yet", spec.claim)
        self.store.update(overlays=(*spec.overlays, spec.claim))

    def pin_point(self) -> None:
        """Keep the region's point beside the one that moves; another one before it is let go."""
        point = self.store.result.point
        self.store.update(pinned_point=(point.fpr, point.fnr))

    def to_save(self) -> list[Picture]:
        """Return the pictures of the answer and of all views that can be shown, hidden tabs too."""
        shown = (self.answer_view, *self.panel.wanted())
        return [picture for view in shown for picture in view.to_save()]

    def on_screen(self) -> list[Picture]:
        """Return the pictures that are to be seen now."""
        shown = (self.answer_view, *self.shown_views)
        return [picture for view in shown for picture in view.on_screen()]

    def in_words(self, picture: Picture) -> list[str]:
        """Return the sentences of its view."""
        views = (self.answer_view, *self.panel.built)
        view = next(view for view in views if picture in view.pictures)
        return view.in_words(picture)

    @traitlets.observe("question")
    def _offer_recording(self, _change: object) -> None:
        if self.record is None:
            self.record = RecordButton(self, self.answer)
            self.strip.add(self.record.menu, self.record.text)

    @traitlets.validate("tab")
    def _check_tab(self, proposal: Any) -> str:
        name = proposal["value"]
        try:
            if not self._has_tabs:
                raise checks.fail("tab", "left alone where the layout has no tabs", name)
            return checked_tab(name, has_scores=self.store.scores is not None)
        except ValueError as error:
            raise SpecError(str(error)) from error

    @traitlets.observe("tab")
    def _show_tab(self, change: object = None) -> None:
        with LOCK:
            tab = self._tabs[self.tab] if self._has_tabs else None
            has_reader_chosen = change is not None and self.tab_bar.selected == self.tab
            self.panel.show(tab, at_once=not has_reader_chosen)
            with self.tab_bar.hold_sync():
                self.tab_bar.tabs = [(name, tab.title) for name, tab in self._tabs.items()]
                self.tab_bar.selected = self.tab
            self.history.follow()  # the code names the tab

    def _arrived(self) -> None:
        self.tab_bar.shown = self.tab

    def _choose_tab(self, name: str) -> None:
        with self.guarded():
            self.tab = name

    def _close_views(self, _change: object) -> None:
        self.answer_view.close()
        close_with_parts([self.tab_bar])  # one page has no tabs: then it is no child of ours
        self.panel.close()
        if self.store.live is not None:
            self.store.live.forget(self.claim_menu)
