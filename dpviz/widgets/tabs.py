"""The tabs of the explorer, their bar, and the panel with the views of one tab.

Views are built when first shown. Until the browser has drawn them, static HTML replaces them; it
has the elements and CSS classes of the widgets, so that nothing moves when the widgets come.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from html import escape
from typing import Literal

import anywidget
import ipywidgets
import traitlets

from dpviz import checks
from dpviz.analysis import Result, Spec
from dpviz.analysis.topics.registry import SENTENCES, text_names
from dpviz.drawing.scene import Scene
from dpviz.widgets.base import html
from dpviz.widgets.base.html import Html, button, sentence_html, stack, style_html
from dpviz.widgets.base.job import running_loop
from dpviz.widgets.base.picture import static_svg
from dpviz.widgets.base.view import View, css_class_of
from dpviz.widgets.browser_input import WIDGET_LOCK, ThreadSafeWidget
from dpviz.widgets.controls.fields import InputControl, dropdown
from dpviz.widgets.state.store import Store
from dpviz.widgets.views.registry import view_classes_by_name

PageLayout = Literal["tabs", "all"] | Sequence[str]
USUAL_COLUMNS = 3  # for further views of a tab whose first ones take whole rows
LEAST_COLUMN_WIDTH = 290  # pixels of a column: two fit beside each other from 800 pixels on
COLUMN_GAP = 18  # pixels between columns
# Pixels of a panel that has room for two columns, not for three.
TWO_COLUMNS = tuple(n * LEAST_COLUMN_WIDTH + (n - 1) * COLUMN_GAP for n in (2, 3))
NO_CHOICE = "choose ..."
NO_SCORES_TEXT = "These pictures need scores: choose a data set under Data."
STILL_SECONDS = 0.1  # seconds in which the browser shows the static views
MOST_STILL_SECONDS = 5.0  # seconds after which they go, even if nothing draws the views
# Classes of ipywidgets and selectors of bqplot.
GRID_CLASSES = "widget-container widget-gridbox"
MARKS_CSS = ":is(.bqplot path.line, .bqplot path.element)"  # of a figure
NOT_DRAWN_CSS = ".bqplot clipPath > rect:not([width])"  # of a figure that bqplot has yet to draw


@dataclass(frozen=True, kw_only=True)
class Tab:
    """One tab: its title, and the names of its views in `dpviz.widgets.views.registry`."""

    title: str
    views: tuple[str, ...]
    more: tuple[str, ...] = ()
    without_scores: tuple[str, ...] = ()  # its views where no scores are loaded, if others
    needs_scores: bool = False
    is_board: bool = False  # its pictures fill one screen, and any other view can be added


# Traits of views that look different among the linked pictures of a board.
TRAITS_ON_BOARD = {"tradeoff": {"axes": "log-odds"}}
MORE_HOW_VIEWS = ("ratio", "zoom_levels", "noise", "experiment", "fit", "quantiles")
# In the order of the tab bar; an explorer shows the first one first.
TABS: dict[str, Tab] = {
    "board": Tab(
        title="Board",
        views=("region", "tradeoff", "epsilon_star", "risk"),
        without_scores=("region", "tradeoff", "profile", "risk"),
        is_board=True,
    ),
    "claim": Tab(
        title="Claim",
        views=("region", "profile", "risk"),
        more=("tradeoff", "ways_of_stating", "for_risk", "as_trained", "deployments", "designs"),
    ),
    "attack": Tab(
        title="Attack",
        views=("scores", "tradeoff", "epsilon_star"),
        more=("slices", "retraining", "evidence"),
        needs_scores=True,
    ),
    "evidence": Tab(
        title="Evidence",
        views=("evidence", "tradeoff", "bounds", "checklist"),
        more=("plan", "showable", "designs", "slices", "retraining"),
        needs_scores=True,
    ),
    "people": Tab(title="People", views=("scores", "people", "risk"), more=("for_risk",)),
    "how": Tab(
        title="How it works",
        views=("mechanism",),
        more=("guess", "costs", "processing", *MORE_HOW_VIEWS),
    ),
}


def tabs_for(*, has_scores: bool) -> dict[str, Tab]:
    """Return the tabs by name; without scores, leave out those that need scores."""
    return {name: tab for name, tab in TABS.items() if has_scores or not tab.needs_scores}


def checked_tab_name(name: object, *, has_scores: bool) -> str:
    """Return a tab's name; ValueError if the tab is unknown or needs scores that are not loaded."""
    chosen = checks.choice("tab", name, list(TABS))
    if chosen not in (known := tabs_for(has_scores=has_scores)):
        raise checks.fail("tab", f"one of {', '.join(known)}, as no scores are loaded", name)
    return chosen


class TabBar(ThreadSafeWidget, anywidget.AnyWidget):
    """The bar of tabs, one of which is selected; arrow keys select the next or the previous tab."""

    _esm = html.script_text("tabs")
    tabs: "traitlets.List[tuple[str, str]]" = traitlets.List(help="names, titles").tag(sync=True)
    selected = traitlets.Unicode(help="name of the selected tab").tag(sync=True)
    shown = traitlets.Unicode(help="name of the tab whose views are in the panel").tag(sync=True)
    is_waiting = traitlets.Bool(help="whether a slow claim is being computed").tag(sync=True)


class ViewPanel(InputControl):
    """The panel that shows the views of the selected tab in a grid, and builds them when needed."""

    def __init__(self, store: Store, layout: object, on_built: Callable[[], None]) -> None:
        self._store, self._kinds = store, view_classes_by_name()
        self.layout = _checked_layout(layout, self._kinds)
        self.font_scale = 1.0  # of views that are built from now on
        self._built: dict[str, View] = {}
        self._on_built = on_built
        self._has_to_build = False  # whether a view in sight may not be built yet
        self._turn = 0  # placements of views so far: earlier timers do nothing
        self._static_content: tuple[Spec, int] | None = None  # what static views show
        self._columns = USUAL_COLUMNS
        self._tab: Tab | None = None
        self._opened: set[str] = set()  # titles of tabs whose further pictures are shown
        self._added: list[str] = []
        self._in_sight: list[str] = []  # names of the views that are shown
        self.hint: Html | None = None
        self._grid = ipywidgets.GridBox(_dom_classes=["dpviz-grid"])
        # The static HTML in the place of views, and the style rules that place all views.
        self._static = Html(_dom_classes=["dpviz-still-views"])
        self.more = button("More pictures", self._show_more_views, align_self="flex-start")
        self.menu = dropdown("Add a picture", [NO_CHOICE], max_width="24em")
        self.on_choice(self.menu, self._add_view)
        self.more.add_class("dpviz-add")
        self.widget = stack([self._static, self._grid, self.more])
        self._css_class = f"dpviz-panel-{self.widget.model_id[:8]}"
        for name in ("dpviz-panel", self._css_class):
            self.widget.add_class(name)
        if self.layout == "all":
            self.widget.add_class("dpviz-unfolded")

    @property
    def built_views(self) -> list[View]:
        """The views that were built so far."""
        return list(self._built.values())

    def view(self, name: str) -> View:
        """Return the view with this name, which is built now if it does not exist yet."""
        checks.choice("view", name, self._kinds)
        if name not in self._built:
            self._built[name] = view = self._kinds[name](store=self._store)
            view.font_scale = self.font_scale
            for trait, value in TRAITS_ON_BOARD.get(name, {}).items():
                if self.layout == "tabs":
                    view.set_trait(trait, value)
            view.pause()  # until it is in sight
        return self._built[name]

    def views(self) -> list[View]:
        """Return all views in the order of the registry; missing views are built now."""
        return [self.view(name) for name in self._kinds]

    def views_with_content(self) -> tuple[View, ...]:
        """Return the views in `layout` that have something to show."""
        return tuple(map(self.view, self._names_with_content(self._view_names_in_layout)))

    @property
    def shown_views(self) -> tuple[View, ...]:
        """The views on the page, in order; a view that does not exist yet is built now."""
        with WIDGET_LOCK:
            self._build_missing_views()
            return tuple(self._built[name] for name in self._in_sight)

    def show_tab(self, tab: Tab | None, *, at_once: bool = True) -> None:
        """Show the views of a tab, or of `layout` if `tab` is None; pause all other views."""
        before, self._tab = (self._tab, self._in_sight), tab
        names = self._view_names_in_layout if tab is None else self._main_view_names(tab)
        main = self._names_with_content(names)
        self._in_sight = list(dict.fromkeys([*main, *self._view_names_added_by_reader()]))
        # The same views, of a new result: they draw themselves, unless static HTML is shown.
        if self._static.value and before == (tab, self._in_sight):
            if self._static_content is not None and self._static_content != self._spec_scores_id:
                self._build_missing_views()
                self._place_views()
            self._update_controls_that_add_views()
            return
        self._has_to_build = True
        narrow = [kind for kind in map(self._kinds.__getitem__, main) if not kind.is_wide]
        self._columns = len(narrow) - len(_views_in_one_column(narrow)[1:]) or USUAL_COLUMNS
        set_class = self.widget.add_class if self._is_board_shown else self.widget.remove_class
        set_class("dpviz-board")
        if any(map(self._is_not_on_page, main)) and not at_once and running_loop() is not None:
            views = map(self._static_view, self._in_sight)
            self._place_views(static_views_html(views, self._css_class, font_scale=self.font_scale))
            self._static_content = self._spec_scores_id
            self._pause_views_out_of_sight()
            # After `MOST_STILL_SECONDS` the static HTML goes, even if nothing draws the views.
            self._call_later(STILL_SECONDS, self._build_missing_views)
            self._call_later(STILL_SECONDS + MOST_STILL_SECONDS, self._place_views)
        else:
            self._build_missing_views()
            self._place_views()

    def _build_missing_views(self) -> None:
        """Build the views in sight that do not exist yet, and put them on the page."""
        if not self._has_to_build:
            return
        self._has_to_build = False
        live = self._store.live
        try:
            with nullcontext() if live is None else live.hold_sync():
                views = [self.view(name) for name in self._in_sight]
                self._pause_views_out_of_sight()
        except Exception:  # show the views that could be built, and raise the error again
            self._in_sight = [name for name in self._in_sight if name in self._built]
            self._place_views()
            self._on_built()
            raise
        # A view that was shown stays among the children, each in its first place: ipywidgets
        # would build what follows a removed child again, and bqplot cannot size a hidden one.
        if any(map(self._is_not_on_page, self._in_sight)):
            placed = self._grid.children
            self._grid.children = (*placed, *(view for view in views if view not in placed))
        self._update_controls_that_add_views()
        if not self._in_sight and self.hint is None:
            self.hint = Html()
            self.widget.children = (self.hint, *self.widget.children)
        if self.hint is not None:
            self.hint.show_sentence("" if self._in_sight else NO_SCORES_TEXT)
        self._on_built()

    def _call_later(self, seconds: float, then: Callable[[], None]) -> None:
        """Call `then` after some seconds, unless `_place_views` is called earlier."""
        turn, loop = self._turn, running_loop()

        def call_if_current() -> None:
            with WIDGET_LOCK:
                if turn == self._turn:
                    then()

        if loop is not None:
            loop.call_later(seconds, call_if_current)

    def _is_not_on_page(self, view_name: str) -> bool:
        view = self._built.get(view_name)
        return view is None or view not in self._grid.children

    @property
    def _spec_scores_id(self) -> tuple[Spec, int]:
        return self._store.spec, id(self._store.scores)

    def _pause_views_out_of_sight(self) -> None:
        for name, view in self._built.items():
            (view.resume if name in self._in_sight else view.pause)()

    def _place_views(self, static_html: str = "") -> None:
        """Position the views by CSS rules, and show `static_html` above the views."""
        self._turn += 1
        self._static_content = None
        shown = [self._kinds[name] for name in self._in_sight]
        in_grid = [name for name, view in self._built.items() if view in self._grid.children]
        others = [self._kinds[name] for name in in_grid if name not in self._in_sight]
        places = positions_css(self._css_class, shown=shown, others=others, columns=self._columns)
        self._static.value = style_html(places) + static_html

    def _static_view(self, name: str) -> "StaticView":
        kind, view = self._kinds[name], self._built.get(name)
        if view is None:
            scenes, result = kind.initial_scenes_and_result(self._store.result)
        else:
            scenes, result = [each.scene for each in view.pictures_in_sight()], view.result
        folds = kind.folded_section_titles(result)
        return StaticView(
            kind=kind, scenes=scenes, result=result, folds=folds, is_new=self._is_not_on_page(name)
        )

    def close(self) -> None:
        """Close all views."""
        with WIDGET_LOCK:
            self._turn += 1
            self._has_to_build, self._in_sight = False, []
            for view in self.built_views:
                view.close()

    @property
    def _is_board_shown(self) -> bool:
        return self._tab is not None and self._tab.is_board

    def _main_view_names(self, tab: Tab) -> Sequence[str]:
        is_bare = self._store.scores is None and tab.without_scores
        return tab.without_scores if is_bare else tab.views

    def _names_with_content(self, view_names: Iterable[str]) -> list[str]:
        known = (name for name in view_names if name in self._kinds)
        return [name for name in known if self._kinds[name].has_content_for(self._store)]

    @property
    def _view_names_in_layout(self) -> Sequence[str]:
        if not isinstance(self.layout, str):
            return self.layout
        return list(dict.fromkeys([*self._main_view_names(TABS["board"]), *self._kinds]))

    def _view_names_added_by_reader(self) -> list[str]:
        if self._tab is None:
            return []
        if self._tab.is_board:
            return self._names_with_content(self._added)
        return self._names_with_content(self._tab.more) if self._tab.title in self._opened else []

    def _update_controls_that_add_views(self) -> None:
        """Show or hide the button "More pictures" and, on a board, the menu that adds views."""
        tab, names = self._tab, self._names_with_content(self._kinds)
        is_closed = tab is not None and tab.title not in self._opened
        self.more.is_hidden = not (is_closed and tab and not set(tab.more).isdisjoint(names))
        self.menu.is_hidden = not self._is_board_shown
        if self._is_board_shown:
            others = [name for name in names if name not in self._in_sight]
            result = self._store.result
            titled = [(self._kinds[name].fixed_title_of(result), name) for name in others]
            with self.setting_by_program():
                self.menu.options = [(NO_CHOICE, NO_CHOICE), *titled]
                self.menu.value = NO_CHOICE

    def _show_more_views(self) -> None:
        if self._tab is not None:
            self._opened.add(self._tab.title)
            self.show_tab(self._tab)

    def _add_view(self, name: str) -> None:
        if name != NO_CHOICE:
            self._added.append(name)
            self.show_tab(self._tab)


def _checked_layout(layout: object, view_names: Iterable[str]) -> PageLayout:
    if isinstance(layout, str):
        checks.choice("layout", layout, ["tabs", "all"])
        return "all" if layout == "all" else "tabs"
    if not isinstance(layout, Sequence) or not layout:
        raise checks.fail("layout", '"tabs", "all" or a list of names of views', layout)
    known = list(view_names)
    for name in layout:
        checks.choice("layout", name, known)
    return list(dict.fromkeys(layout))


@dataclass(frozen=True, kw_only=True)
class StaticView:
    """A view to show as static HTML; `is_new` is True until the view's widgets are on the page."""

    kind: type[View]
    scenes: Sequence[Scene]
    result: Result
    folds: Sequence[str]  # titles of folded sections
    is_new: bool


def static_views_html(views: Iterable[StaticView], panel_class: str, *, font_scale: float) -> str:
    """Return static HTML of views, and style rules that hide it once the widgets are drawn."""
    shown, drawn = "", []
    for each in views:
        shown += _view_html(each)
        if each.is_new:  # add a selector that matches once the browser has drawn the view
            has_picture = any(not scene.is_empty(each.result) for scene in each.scenes)
            kind = f"> .dpviz-grid > .{css_class_of(each.kind)}"
            drawn.append(f":has({kind} {MARKS_CSS})" if has_picture else f":has({kind})")
    own = f".dpviz .{panel_class}"
    css = "".join(f"{own}:not({each}) > .dpviz-grid > * {{ visibility: hidden }}" for each in drawn)
    css += f"{own}{''.join(drawn)} > .dpviz-still-views {{ display: none }}"
    grid = f"{GRID_CLASSES} dpviz-grid"
    return style_html(css) + _div_html(grid, shown, f"--dpviz-font-scale: {font_scale:g}")


def _view_html(view: StaticView) -> str:
    folds = "".join(
        _box_html(
            "vbox",
            _widget_html(html.empty_details_html(line), "dpviz-summary"),
            "dpviz-stack dpviz-fold",
        )
        for line in view.folds
    )
    parts = [_scene_html(scene, view.result, folds) for scene in view.scenes]
    if len(parts) > 1:
        boxes = "".join(_box_html("vbox", part, "dpviz-stack") for part in parts)
        parts = [_div_html(f"{GRID_CLASSES} dpviz-columns dpviz-pictures", boxes)]
    # The style sheet of the panel may change the column of a view that is not wide.
    place = "grid-column: 1 / -1; " * view.kind.is_wide + "min-width: 0; overflow: clip"
    return _box_html("vbox", "".join(parts), f"dpviz {css_class_of(view.kind)}", place)


def positions_css(
    panel_class: str, *, shown: Sequence[type[View]], others: Iterable[type[View]], columns: int
) -> str:
    """Return style rules that place the views `shown` in the panel of CSS class `panel_class`."""
    grid = f".dpviz .{panel_class} > .dpviz-grid"
    share = f"(100% - {(columns - 1) * COLUMN_GAP}px) / {columns}"
    every_grid = f".dpviz .{panel_class} .dpviz-grid"  # that of the static views, too
    css = f"{every_grid} {{ --dpviz-column: max({LEAST_COLUMN_WIDTH}px, {share}); }}"
    for order, kind in enumerate(shown):
        css += (
            f"{grid} > .{css_class_of(kind)} {{ position: relative; visibility: visible; "
            f"width: auto; order: {order}; grid-column: {'1 / -1' if kind.is_wide else 'auto'} }}"
        )
    # A view that has a row of two to itself: its words stand beside its picture.
    alone = [f"{every_grid} > .{css_class_of(kind)}" for kind in views_without_neighbour(shown)]
    if alone:
        both, (least, most) = f":is({', '.join(alone)})", TWO_COLUMNS
        css += (
            f"@container ({least}px <= width < {most}px) {{ {both} {{ grid-column: 1 / -1; "
            "display: grid; grid-template-columns: minmax(0, 1fr) clamp(220px, 30%, 300px); "
            f"gap: 0 {COLUMN_GAP}px }} "
            f"{both} > * {{ grid-column: 1 / -1 }} {both} > .dpviz-place {{ grid-column: 1 }} "
            f"{both} > .dpviz-place + .dpviz-words {{ grid-column: 2 }} "
            f"{both} .dpviz-figure.dpviz-wide {{ aspect-ratio: auto; max-width: none; "
            "height: clamp(190px, 100vh - 620px, 300px) } }"
        )
    # Short views share the last column of three, which is narrower.
    stacked = _views_in_one_column(shown)
    beside = [kind for kind in shown if not kind.is_wide and kind not in stacked]
    if stacked and len(beside) == 2:
        both = ", ".join(f"{every_grid} > .{css_class_of(kind)}" for kind in beside)
        css += f"@container (width >= {TWO_COLUMNS[1]}px) {{ {both} {{ "
        css += f"grid-row: span {len(stacked)} }} {every_grid} {{ grid-template-columns: "
        css += f"repeat({len(beside)}, minmax(0, 1fr)) minmax({LEAST_COLUMN_WIDTH}px, .7fr) }} }}"
    # Views of other tabs: taken off the page once they were drawn.
    for kind in others:
        css += f"{grid} > .{css_class_of(kind)}:not(:has({NOT_DRAWN_CSS})) {{ display: none }}"
    return css


def views_without_neighbour(shown: Iterable[type[View]]) -> list[type[View]]:
    """Return the views with an empty place to their right in a grid of two columns."""
    alone: list[type[View]] = []
    last: type[View] | None = None  # one whose right neighbour is not known yet
    for kind in [*shown, None]:
        if kind is None or kind.is_wide:
            alone += [] if last is None else [last]
            last = None
        else:
            last = kind if last is None else None
    return alone


def _views_in_one_column(shown: Iterable[type[View]]) -> list[type[View]]:
    """Return the short views to stack in one column; return [] for fewer than two short views."""
    short = [kind for kind in shown if kind.is_short]
    return short if len(short) > 1 else []


def _scene_html(scene: Scene, result: Result, folds_html: str) -> str:
    head = _widget_html(html.titles_html(scene, result)) + _box_html("hbox", "", "dpviz-row")
    shown = ""
    if not scene.is_empty(result):
        rules = {name.replace("_", "-"): value for name, value in html.css_width(scene).items()}
        place = "; ".join(f"{name}: {value}" for name, value in rules.items())
        svg = _widget_html(static_svg(scene, result), " ".join(html.css_classes(scene)), place)
        shown = _box_html("vbox", _box_html("vbox", svg, "dpviz-stack"), "dpviz-stack dpviz-place")
    names = [name for name in text_names(scene) if not SENTENCES[name].is_folded]
    said = "".join(_widget_html(sentence_html(result.sentences.get(name, ""))) for name in names)
    words = _box_html("vbox", said + folds_html, "dpviz-stack dpviz-words")
    return _box_html("hbox", head, "dpviz-row dpviz-head") + shown + words


def _widget_html(inner_html: str, css_class: str = "", css: str = "") -> str:
    content = f'<div class="widget-html-content">{inner_html}</div>'
    return _div_html(f"widget-inline-hbox widget-html {css_class}", content, css)


def _box_html(hbox_or_vbox: str, inner_html: str, css_class: str, css: str = "") -> str:
    classes = f"widget-container widget-box widget-{hbox_or_vbox} {css_class}"
    return _div_html(classes, inner_html, css)


def _div_html(css_class: str, inner_html: str, css: str = "") -> str:
    return f'<div class="jupyter-widgets {css_class}" style="{escape(css)}">{inner_html}</div>'
