"""The views of an explorer: built when they are first shown, at rest while they are hidden."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from typing import Literal

import ipywidgets

from dpviz import checks
from dpviz.analysis import Spec
from dpviz.widgets.base.html import Html, button, sentence, stack, style
from dpviz.widgets.base.job import event_loop
from dpviz.widgets.base.still_view import StillView, places_css, still_views
from dpviz.widgets.base.view import View
from dpviz.widgets.controls.fields import Field, dropdown
from dpviz.widgets.received import LOCK
from dpviz.widgets.state.store import Store
from dpviz.widgets.tabs import Tab
from dpviz.widgets.views.registry import all_views

PageLayout = Literal["tabs", "all"] | Sequence[str]
USUAL = 3  # columns for further views of a tab whose first ones take whole rows
NONE = "choose ..."
WITHOUT_SCORES = "These pictures need scores: choose some under Data."
PAUSE = 0.1  # seconds in which the browser shows the still views
LONGEST = 5.0  # seconds that they stand for views that are built and that nothing draws


class Panel(Field):
    """The views of a store by their names, and the grid that shows those of one tab.

    `layout` is that of the explorer; without tabs, all its views are shown. `arrived` is called
    when what is to be shown is there.
    """

    def __init__(self, store: Store, layout: object, arrived: Callable[[], None]) -> None:
        self._store, self._kinds = store, all_views()
        self.layout = _checked_layout(layout, self._kinds)
        self.font_scale = 1.0  # of views that are built from now on
        self._built: dict[str, View] = {}
        self._arrived = arrived
        self._has_to_build = False  # what is in sight and not there yet
        self._turn = 0  # a timer of an earlier turn does nothing
        self._still_content: tuple[Spec, int] | None = None  # what the still views show, if any do
        self._columns = USUAL
        self._tab: Tab | None = None
        self._opened: set[str] = set()  # titles of tabs whose further pictures are shown
        self._added: list[str] = []
        self._in_sight: list[str] = []  # names of the views that are shown
        self.hint: Html | None = None
        self._grid = ipywidgets.GridBox(_dom_classes=["dpviz-grid"])
        self._still = Html(_dom_classes=["dpviz-still-views"])  # and the places of all views
        self.more = button("More pictures", self._open, align_self="flex-start")
        self.menu = dropdown("Add a picture", [NONE], max_width="24em")
        self.on_choice(self.menu, self._add)
        for further in (self.more, self.menu):
            further.add_class("dpviz-add")
        self.widget = stack([self._still, self._grid, self.more, self.menu])
        self._css_class = f"dpviz-panel-{self.widget.model_id[:8]}"
        for name in ("dpviz-panel", self._css_class):
            self.widget.add_class(name)
        if self.layout == "all":  # a long page has room for what each view folds away
            self.widget.add_class("dpviz-unfolded")

    @property
    def built(self) -> list[View]:
        """The views that were shown or requested before."""
        return list(self._built.values())

    def view(self, name: str) -> View:
        """Return the view of a name; one that was not shown before is built now."""
        checks.choice("view", name, self._kinds)
        if name not in self._built:
            self._built[name] = self._kinds[name](store=self._store)
            self._built[name].font_scale = self.font_scale
            self._built[name].rest()
        return self._built[name]

    def views(self) -> list[View]:
        """Return all views in the order of the registry; the rest of them is built now."""
        return [self.view(name) for name in self._kinds]

    def wanted(self, names: Iterable[str] | None = None) -> tuple[View, ...]:
        """Return those of the named views, or of the layout's, that have something to show."""
        return tuple(map(self.view, self._wanted(self._layout_names if names is None else names)))

    @property
    def shown(self) -> tuple[View, ...]:
        """The views in sight, in their order; those of which only a text is there are built now."""
        with LOCK:
            self._build_new()
            return tuple(self._built[name] for name in self._in_sight)

    def show(self, tab: Tab | None, *, at_once: bool = True) -> None:
        """Show the views of a tab, or of the layout; all others rest.

        Unless `at_once`, and where there is an event loop, new views are built a moment later.
        Until they are drawn the tab stands still: all of it is one text, which a browser shows much
        sooner than it makes the widgets.
        """
        before, self._tab = (self._tab, self._in_sight), tab
        main = self._wanted(self._layout_names if tab is None else tab.views)
        self._in_sight = list(dict.fromkeys([*main, *self._further()]))
        if self._still.value and before == (tab, self._in_sight):  # only the result is another
            if self._still_content is not None and self._still_content != self._content:
                self._build_new()
                self._place()
            self._offer_more()
            return
        self._has_to_build = True
        self._columns = sum(not self._kinds[name].is_wide for name in main) or USUAL
        beside = self._grid.add_class if self._has_words_beside else self._grid.remove_class
        beside("dpviz-beside")  # words beside each picture
        if any(map(self._is_new, main)) and not at_once and event_loop() is not None:
            self._place(
                still_views(
                    map(self._still_view, self._in_sight),
                    self._css_class,
                    css_class="dpviz-beside" if self._has_words_beside else "",
                    font_scale=self.font_scale,
                )
            )
            self._still_content = self._content
            self._rest_or_resume()
            self._after(PAUSE, self._build_new)
            self._after(PAUSE + LONGEST, self._place)
        else:
            self._build_new()
            self._place()

    def _build_new(self) -> None:
        """Build what is new in sight, unless it is there."""
        if not self._has_to_build:
            return
        self._has_to_build = False
        live = self._store.live
        try:
            with nullcontext() if live is None else live.hold_sync():
                views = [self.view(name) for name in self._in_sight]
                self._rest_or_resume()
        except Exception:  # the tab shows what there is; the error goes on
            self._in_sight = [name for name in self._in_sight if name in self._built]
            self._place()
            self._arrived()
            raise
        # A view that was shown stays among the children, each in its first place: ipywidgets
        # would build what follows a removed child again, and bqplot cannot size a hidden one.
        if any(map(self._is_new, self._in_sight)):
            placed = self._grid.children
            self._grid.children = (*placed, *(view for view in views if view not in placed))
        self._offer_more()
        self._explain_if_empty()
        self._arrived()

    def _after(self, seconds: float, then: Callable[[], None]) -> None:
        """Do something later in this turn: unless other still views, or none, are there by then."""
        turn, loop = self._turn, event_loop()

        def on_time() -> None:
            with LOCK:
                if turn == self._turn:
                    then()

        if loop is not None:
            loop.call_later(seconds, on_time)

    def _is_new(self, name: str) -> bool:
        return name not in self._built or self._built[name] not in self._grid.children

    @property
    def _content(self) -> tuple[Spec, int]:
        """What the views are of: the spec, and which scores."""
        return self._store.spec, id(self._store.scores)

    def _rest_or_resume(self) -> None:
        for name, view in self._built.items():
            if name in self._in_sight:
                view.resume()
            else:
                view.rest()

    def _place(self, still: str = "") -> None:
        """Show views in their places, with or without still ones."""
        self._turn += 1
        self._still_content = None
        in_grid = [name for name, view in self._built.items() if view in self._grid.children]
        places = places_css(
            self._css_class,
            shown=[self._kinds[name] for name in self._in_sight],
            left=[self._kinds[name] for name in in_grid if name not in self._in_sight],
            columns=self._columns,
        )
        self._still.value = style(places) + still

    def _still_view(self, name: str) -> StillView:
        kind, view = self._kinds[name], self._built.get(name)
        if view is None:
            scenes, result = kind.at_first(self._store.result)
        else:
            scenes, result = [each.scene for each in view.on_screen()], view.result
        return StillView(kind=kind, scenes=scenes, result=result, is_new=self._is_new(name))

    def _explain_if_empty(self) -> None:
        """Say why nothing is shown, where that is so."""
        if not self._in_sight and self.hint is None:
            self.hint = Html()
            self.widget.children = (self.hint, *self.widget.children)
        if self.hint is not None:
            self.hint.value = "" if self._in_sight else sentence(WITHOUT_SCORES)

    def close(self) -> None:
        """Close all views."""
        with LOCK:
            self._turn += 1
            self._has_to_build, self._in_sight = False, []
            for view in self.built:
                view.close()

    @property
    def _has_words_beside(self) -> bool:
        return self._tab is not None and self._tab.has_menu

    def _wanted(self, names: Iterable[str]) -> list[str]:
        """Return those of the names whose views have something to show."""
        return [
            name
            for name in names
            if name in self._kinds and self._kinds[name].is_wanted(self._store)
        ]

    @property
    def _layout_names(self) -> Sequence[str]:
        return list(self._kinds) if isinstance(self.layout, str) else self.layout

    def _further(self) -> list[str]:
        """The names of the views that the reader has added to the tab."""
        if self._tab is None:
            return []
        if self._tab.has_menu:
            return self._wanted(self._added)
        return self._wanted(self._tab.more) if self._tab.title in self._opened else []

    def _offer_more(self) -> None:
        """Show the button for more pictures, or the menu, where the tab has them."""
        tab, names = self._tab, self._wanted(self._kinds)
        has_more = (
            tab is not None
            and tab.title not in self._opened
            and not set(tab.more).isdisjoint(names)
        )
        self.more.is_hidden = not has_more
        has_menu = tab is not None and tab.has_menu
        self.menu.is_hidden = not has_menu
        if tab is not None and has_menu:
            others = [name for name in names if name not in (*tab.views, *self._added)]
            with self.following():
                self.menu.options = [NONE, *others]
                self.menu.value = NONE

    def _open(self) -> None:
        if self._tab is not None:
            self._opened.add(self._tab.title)
            self.show(self._tab)

    def _add(self, name: str) -> None:
        if name != NONE:
            self._added.append(name)
            self.show(self._tab)


def _checked_layout(layout: object, names: Iterable[str]) -> PageLayout:
    if isinstance(layout, str):
        checks.choice("layout", layout, ["tabs", "all"])
        return "all" if layout == "all" else "tabs"
    if not isinstance(layout, Sequence) or not layout:
        raise checks.fail("layout", '"tabs", "all" or a list of names of views', layout)
    known = list(names)
    for name in layout:
        checks.choice("layout", name, known)
    return list(dict.fromkeys(layout))
