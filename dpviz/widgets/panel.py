"""The views of an explorer: built when they are first shown, at rest while they are hidden."""

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from typing import Literal

import ipywidgets

from dpviz import checks
from dpviz.widgets.base.html import Html, button, rules, sentence, stack, style
from dpviz.widgets.base.view import View, class_of
from dpviz.widgets.controls.fields import Field, dropdown
from dpviz.widgets.state.store import Store
from dpviz.widgets.tabs import Tab
from dpviz.widgets.views.registry import all_views

PageLayout = Literal["tabs", "all"] | Sequence[str]
NARROWEST = 340  # pixels of a column: three fit beside each other in JupyterLab
GAP = 18  # pixels between columns
USUAL = 3  # columns for further views of a tab whose first ones take whole rows
NONE = "choose ..."
WITHOUT_SCORES = "These pictures need scores: choose some under Data."
NOT_DRAWN = ".bqplot clipPath > rect:not([width])"  # bqplot draws what has no size with errors


class Panel(Field):
    """The views of a store by their names, and the grid that shows those of one tab.

    `layout` is that of the explorer; without tabs, all its views are shown. `shown` are the views
    in sight, in their order.
    """

    def __init__(self, store: Store, layout: object) -> None:
        self._store, self._kinds = store, all_views()
        self.layout = _checked_layout(layout, self._kinds)
        self.font_scale = 1.0  # of views that are built from now on
        self._built: dict[str, View] = {}
        self._tab: Tab | None = None
        self._opened: set[str] = set()  # titles of tabs whose further pictures are shown
        self._added: list[str] = []
        self.shown: tuple[View, ...] = ()
        self.hint: Html | None = None
        self._grid = ipywidgets.GridBox(_dom_classes=["dpviz-grid"])
        self._rules = rules("")
        self.more = button("More pictures", self._open, align_self="flex-start")
        self.menu = dropdown("Add a picture", [NONE], max_width="24em")
        self.on_choice(self.menu, self._add)
        for further in (self.more, self.menu):
            further.add_class("dpviz-add")
        self.widget = stack([self._rules, self._grid, self.more, self.menu])
        self._own = f"dpviz-panel-{self.widget.model_id[:8]}"
        for name in ("dpviz-panel", self._own):
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
        names = self._names if names is None else names
        return tuple(self.view(name) for name in names if name in self._wanted)

    def show(self, tab: Tab | None) -> None:
        """Show the views of a tab, or of the layout; all others rest."""
        self._tab = tab
        live = self._store.live
        with nullcontext() if live is None else live.hold_sync():
            main = self.wanted(None if tab is None else tab.views)
            further = tuple(view for view in self._further_views() if view not in main)
            for view in self.built:
                if view in main or view in further:
                    view.resume()
                else:
                    view.rest()
        self.shown = (*main, *further)
        beside = self._grid.add_class if self._is_beside else self._grid.remove_class
        beside("dpviz-beside")  # words beside each picture
        # A view that was shown stays among the children, each in its first place: ipywidgets would
        # build what follows a removed child again, and bqplot cannot size a hidden figure.
        placed = self._grid.children
        if new := [view for view in self.shown if view not in placed]:
            self._grid.children = (*placed, *new)
        self._rules.value = style(self._places(main))
        self._offer(tab)
        self._explain()

    def _explain(self) -> None:
        """Say why nothing is shown, where that is so."""
        if not self.shown and self.hint is None:
            self.hint = Html()
            self.widget.children = (self.hint, *self.widget.children)
        if self.hint is not None:
            self.hint.value = "" if self.shown else sentence(WITHOUT_SCORES)

    def _places(self, main: Sequence[View]) -> str:
        """Return the rules for the places of all views on the page.

        They change at once: nothing moves while the front end makes what is new. A view that they
        do not name is not seen, but has its size; so has one that was left before bqplot had drawn
        its figures. One row has room for all `main` views, if it is wide enough, and each keeps its
        place when there are more.
        """
        count = sum(not view.is_wide for view in main) or USUAL
        share = f"(100% - {(count - 1) * GAP}px) / {count}"
        grid = f".dpviz .{self._own} > .dpviz-grid"
        css = f"{grid} {{ --dpviz-column: max({NARROWEST}px, {share}); }}"
        for view in self._grid.children:
            one = f"{grid} > .{class_of(view)}"
            if view in self.shown:
                css += f"{one} {{ {self._place(view)} }}"
            else:
                css += f"{one}:not(:has({NOT_DRAWN})) {{ display: none }}"
        return css

    def _place(self, view: View) -> str:
        column = "1 / -1" if view.is_wide else "auto"
        order = self.shown.index(view)
        return (
            "position: relative; visibility: visible; width: auto; "
            f"order: {order}; grid-column: {column}"
        )

    def close(self) -> None:
        """Close all views."""
        for view in self.built:
            view.close()

    @property
    def _is_beside(self) -> bool:
        return self._tab is not None and self._tab.has_menu

    @property
    def _wanted(self) -> list[str]:
        return [name for name, kind in self._kinds.items() if kind.is_wanted(self._store)]

    @property
    def _names(self) -> Sequence[str]:
        return list(self._kinds) if isinstance(self.layout, str) else self.layout

    def _further_views(self) -> tuple[View, ...]:
        tab = self._tab
        if tab is None:
            return ()
        if tab.has_menu:
            return self.wanted(self._added)
        return self.wanted(tab.more) if tab.title in self._opened else ()

    def _offer(self, tab: Tab | None) -> None:
        """Show the button for more pictures, or the menu, where the tab has them."""
        names = self._wanted
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
