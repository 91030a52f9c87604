"""A view as a text: what is seen of it until its widgets are there.

The elements and classes are those of the widgets, so that the same rules of style place them and
nothing moves when the widgets come.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from dpviz.analysis import Result
from dpviz.analysis.topics.registry import (
    SENTENCES,
    sentences_of,
)
from dpviz.drawing.scene import Scene
from dpviz.widgets.base.html import heading, sentence, style
from dpviz.widgets.base.view import View, class_of
from dpviz.widgets.figures.still import classes_of, place_of, still_svg

GRID = "widget-container widget-gridbox"
MARKS = ":is(.bqplot path.line, .bqplot path.element)"  # of a figure
NOT_DRAWN = ".bqplot clipPath > rect:not([width])"  # bqplot draws what has no size with errors
NARROWEST = 340  # pixels of a column: three fit beside each other in JupyterLab
GAP = 18  # pixels between columns


@dataclass(frozen=True, kw_only=True)
class StillView:
    """The scenes of a view, and the result that they show; a view that `is_new` is to be built."""

    kind: type[View]
    scenes: Sequence[Scene]
    result: Result
    is_new: bool


def still_views(
    views: Iterable[StillView], panel: str, *, css_class: str, font_scale: float
) -> str:
    """Return views in columns, and the rules by which they stand for those of a panel.

    They are seen, and the views in the grid of the panel with this CSS class are not, until all
    that are new are drawn: each of their kinds is there, and has a mark if it has pictures.
    """
    shown, drawn = "", []
    for each in views:
        shown += _view(each)
        if each.is_new:
            has_picture = any(not scene.is_empty(each.result) for scene in each.scenes)
            kind = f"> .dpviz-grid > .{class_of(each.kind)}"
            drawn.append(f":has({kind} {MARKS})" if has_picture else f":has({kind})")
    own = f".dpviz .{panel}"
    css = "".join(f"{own}:not({each}) > .dpviz-grid > * {{ visibility: hidden }}" for each in drawn)
    css += f"{own}{''.join(drawn)} > .dpviz-still-views {{ display: none }}"
    grid = f"{GRID} dpviz-grid {css_class}"
    return style(css) + _element(grid, shown, f"--dpviz-font-scale: {font_scale:g}")


def _view(view: StillView) -> str:
    parts = [_scene(scene, view.result) for scene in view.scenes]
    if len(parts) > 1:
        boxes = "".join(_box("vbox", part, "dpviz-stack") for part in parts)
        parts = [_element(f"{GRID} dpviz-columns dpviz-pictures", boxes)]
    place = f"grid-column: {_column_of(view.kind)}; min-width: 0; overflow: clip"
    return _box("vbox", "".join(parts), "dpviz", place)


def places_css(
    panel: str, *, shown: Sequence[type[View]], left: Iterable[type[View]], columns: int
) -> str:
    """Return the rules for the places of all views in the grid of a panel with this CSS class.

    They change at once: nothing moves while the front end makes what is new. A view that they do
    not name is not seen, but has its size; so has one that was `left` before bqplot had drawn its
    figures. One row has room for so many `columns`, if it is wide enough, and each view keeps its
    place when there are more.
    """
    grid = f".dpviz .{panel} > .dpviz-grid"
    share = f"(100% - {(columns - 1) * GAP}px) / {columns}"
    every_grid = f".dpviz .{panel} .dpviz-grid"  # that of the still views, too
    css = f"{every_grid} {{ --dpviz-column: max({NARROWEST}px, {share}); }}"
    for order, kind in enumerate(shown):
        css += (
            f"{grid} > .{class_of(kind)} {{ position: relative; visibility: visible; width: auto; "
            f"order: {order}; grid-column: {_column_of(kind)} }}"
        )
    for kind in left:
        css += f"{grid} > .{class_of(kind)}:not(:has({NOT_DRAWN})) {{ display: none }}"
    return css


def _column_of(kind: type[View]) -> str:
    return "1 / -1" if kind.is_wide else "auto"


def _scene(scene: Scene, result: Result) -> str:
    head = _text(heading(scene.title_of(result))) + _box("hbox", "", "dpviz-row")
    shown = ""
    if not scene.is_empty(result):
        place = "; ".join(
            f"{name.replace('_', '-')}: {value}" for name, value in place_of(scene).items()
        )
        picture = _text(still_svg(scene, result), " ".join(classes_of(scene)), place)
        shown = _box("vbox", _box("vbox", picture, "dpviz-stack"), "dpviz-stack dpviz-place")
    said = [
        _text(sentence(result.sentences.get(name, "")))
        for name in sentences_of(scene)
        if not SENTENCES[name].is_folded
    ]
    words = _box("vbox", "".join(said), "dpviz-stack dpviz-words")
    return _box("hbox", head, "dpviz-row dpviz-head") + shown + words


def _text(html: str, css_class: str = "", css: str = "") -> str:
    content = f'<div class="widget-html-content">{html}</div>'
    return _element(f"widget-inline-hbox widget-html {css_class}", content, css)


def _box(kind: str, inside: str, css_class: str, css: str = "") -> str:
    return _element(f"widget-container widget-box widget-{kind} {css_class}", inside, css)


def _element(css_class: str, inside: str, css: str = "") -> str:
    return f'<div class="jupyter-widgets {css_class}" style="{escape(css)}">{inside}</div>'
