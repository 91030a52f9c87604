"""Widgets that load faster than those of ipywidgets; HTML texts, style rules, rows and columns."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

import ipywidgets
import traitlets
from typing_extensions import override

from dpviz.analysis import Result
from dpviz.drawing.scene import PROPORTION, STRIP_HEIGHT, WIDEST_SQUARE, Scene
from dpviz.drawing.theme import PAPER, css_dark_variables, css_light_dark, css_svg_on_dark
from dpviz.number_format import unbroken_html
from dpviz.value_object import table_html
from dpviz.widgets.browser_input import ThreadSafeWidget

WIDEST = 800  # pixels of a wide picture that has a row of its own
# The style sheet of all views; its first rules depend on the colours and sizes of pictures.
CSS = f"""
[data-jp-theme-light="false"] .dpviz, .vscode-dark .dpviz,
.dpviz.dpviz-on-dark {{ {css_dark_variables()} }}
/* Square and wide pictures keep their proportion at any width. */
.dpviz .dpviz-figure.dpviz-square {{ height: auto; aspect-ratio: 1; box-sizing: content-box;
  max-width: var(--dpviz-widest-square, {WIDEST_SQUARE}px); }}
.dpviz .dpviz-figure.dpviz-wide {{ height: auto; aspect-ratio: {PROPORTION:.4f};
  max-width: var(--dpviz-widest, {WIDEST}px); }}
.dpviz .dpviz-figure.dpviz-strip {{ height: {STRIP_HEIGHT}px; }}
.dpviz .dpviz-figure.widget-html {{ color-scheme: light; background: {PAPER};
  background: {css_light_dark(PAPER)}; min-width: 0; width: 100%; }}
@media not print {{ [data-jp-theme-light="false"] .dpviz .dpviz-figure.widget-html,
  .vscode-dark .dpviz .dpviz-figure.widget-html,
  .dpviz.dpviz-on-dark .dpviz-figure.widget-html {{ color-scheme: dark; }} }}
{css_svg_on_dark(".dpviz-figure.widget-html")}
.dpviz .dpviz-figure.widget-html > *, .dpviz .dpviz-figure > * > svg {{
  display: block; width: 100%; height: 100%; }}
""" + Path(__file__).with_name("style.css").read_text(encoding="utf-8")


class FastLoadingWidget(ipywidgets.DOMWidget):
    """A widget that is one object in the browser, without further objects for layout and style."""

    # It is sent when something refers to it, so that the first message has its complete state.

    layout = traitlets.Any(None).tag(sync=True, **ipywidgets.widget_serialization)
    style = traitlets.Any(None).tag(sync=True, **ipywidgets.widget_serialization)
    is_hidden = traitlets.Bool(help="whether the style sheet keeps it off the page")
    _is_known = False

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called, before or after the widget was sent to the browser."""
        return self._is_known and self.comm is None

    @traitlets.observe("is_hidden")
    def _update_hidden_css_class(self, change: Any) -> None:
        (self.add_class if change["new"] else self.remove_class)("dpviz-hidden")

    @override
    def open(self) -> None:
        if self._is_known:
            super().open()

    @override
    def close(self) -> None:
        self._is_known = True  # so that no reference opens it again
        super().close()

    @property
    @override
    def model_id(self) -> str:
        if not self._is_known:
            self._is_known = True
            self.open()
        return super().model_id

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        _ = self.model_id  # what a cell shows is referred to
        return super()._repr_mimebundle_(**kwargs)


class Html(FastLoadingWidget, ipywidgets.HTML):
    """A widget that shows HTML, in which no line breaks at "≥", before "%" or in a number."""

    value = traitlets.Unicode(help="the HTML").tag(
        sync=True, to_json=lambda text, _widget: unbroken_html(text)
    )

    def show_sentence(self, text: str) -> None:
        """Show a text as a sentence; the text "" empties the widget."""
        self.value = sentence_html(text)


class Row(FastLoadingWidget, ipywidgets.HBox):
    """Widgets side by side."""


class Stack(FastLoadingWidget, ipywidgets.VBox):
    """Widgets below each other."""


class Grid(FastLoadingWidget, ipywidgets.GridBox):
    """Widgets in columns."""


class Button(ThreadSafeWidget, FastLoadingWidget, ipywidgets.Button):
    """A button."""


class ToggleButton(ThreadSafeWidget, FastLoadingWidget, ipywidgets.ToggleButton):
    """A button that stays pressed until it is pressed again."""


class Checkbox(ThreadSafeWidget, FastLoadingWidget, ipywidgets.Checkbox):
    """A box to tick."""


class Dropdown(ThreadSafeWidget, FastLoadingWidget, ipywidgets.Dropdown):
    """A drop-down menu."""


class Text(ThreadSafeWidget, FastLoadingWidget, ipywidgets.Text):
    """A box for one line of text."""


class IntSlider(ThreadSafeWidget, FastLoadingWidget, ipywidgets.IntSlider):
    """A slider of whole numbers."""


class ProgressBar(FastLoadingWidget, ipywidgets.FloatProgress):
    """A progress bar from 0 to 1."""

    def __init__(self, **traits: Any) -> None:
        super().__init__(min=0, max=1, _dom_classes=["dpviz-progress"], **traits)


def css_layout(**css: str | None) -> ipywidgets.Layout | None:
    """Return an `ipywidgets.Layout` with these CSS properties, or None if there are none."""
    return ipywidgets.Layout(**css) if css else None


def div(css_class: str, text: str, *, role: str = "") -> str:
    """Return the text, escaped, in an HTML `<div>`; `role` is its ARIA role, or "" for none."""
    roles = f' role="{role}"' if role else ""
    return f'<div class="{css_class}"{roles}>{escape(text)}</div>'


def sentence_html(text: str, css_class: str = "") -> str:
    """Return the escaped text in a `<div>` with an additional class `css_class`; "" for no text."""
    return div(f"dpviz-sentence {css_class}".rstrip(), text) if text else ""


def script_text(name: str) -> str:
    """Return the text of the file `static/<name>.js`, or "" if it has not been built."""
    bundle = Path(__file__).parents[2] / "static" / f"{name}.js"
    return bundle.read_text(encoding="utf-8") if bundle.is_file() else ""


def css_widget(css: str) -> Html:
    """Return a widget that adds style rules to the page and shows nothing."""
    return Html(style_html(css), _dom_classes=["dpviz-rules"])


def style_html(css: str) -> str:
    """Return style rules as a `<style>` element."""
    return f"<style>{css}</style>"


def heading_html(text: str) -> str:
    """Return a title as HTML that screen readers list as a heading of level 3."""
    return f'<div class="dpviz-title" role="heading" aria-level="3">{escape(text)}</div>'


def titles_html(scene: Scene, result: Result) -> str:
    """Return a scene's title and subtitle as HTML, which the browser's script can rewrite."""
    below = scene.subtitle_of(result)
    subtitle = div("dpviz-subtitle", below) if below else ""
    title = _with_data_name(heading_html(scene.title_of(result)), scene.title_sentence)
    return title + _with_data_name(subtitle, scene.subtitle_sentence)


def _with_data_name(div_html: str, name: str) -> str:
    return div_html.replace("<div", f'<div data-name="{name}"', 1) if name else div_html


def html_table(caption: str, head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return an HTML table that keys scroll, with escaped cells; `head` has the column titles."""
    scrolled = '<div class="dpviz-table" role="group" aria-label="table" tabindex="0">'
    return f"{scrolled}{table_html(caption, head, rows)}</div>"


def columns(widgets: Iterable[ipywidgets.Widget], *, css_class: str = "") -> Grid:
    """Return a grid with as many columns of equal width as fit on the page."""
    return Grid(list(widgets), _dom_classes=["dpviz-columns", *css_class.split()])


def row(
    widgets: Iterable[ipywidgets.Widget],
    *,
    css_class: str = "",
    is_hidden: bool = False,
    **css: str | None,
) -> Row:
    """Return a row of widgets that wraps on a narrow page; `css` are CSS properties."""
    classes = ["dpviz-row", *css_class.split()]
    return Row(list(widgets), layout=css_layout(**css), _dom_classes=classes, is_hidden=is_hidden)


def stack(
    widgets: Iterable[ipywidgets.Widget] = (), *, css_class: str = "", is_hidden: bool = False
) -> Stack:
    """Return a column of widgets, at most as wide as the element around it."""
    classes = ["dpviz-stack", *css_class.split()]
    return Stack(list(widgets), _dom_classes=classes, is_hidden=is_hidden)


def disclosure_line(summary: str, css_class: str) -> Html:
    """Return a line to click; until the click, style rules hide the widgets of `css_class`."""
    return Html(empty_details_html(summary), _dom_classes=[css_class])


def explained_term_html(term: str, meaning: str) -> str:
    """Return HTML of a term whose meaning appears while the pointer or the focus is on the term."""
    meaning = escape(meaning)
    label = f'aria-label="{escape(term)}: {meaning}" data-meaning="{meaning}"'
    return f'<span class="dpviz-term" tabindex="0" role="note" {label}>{escape(term)}</span>'


def empty_details_html(summary: str) -> str:
    """Return an HTML `<details>` element with the line `summary` and without content."""
    return f"<details><summary>{escape(summary)}</summary></details>"


def fold(summary: str, widgets: Iterable[ipywidgets.Widget], *, is_hidden: bool = False) -> Stack:
    """Return widgets that are hidden until the reader opens the line `summary` above them."""
    inside = stack(widgets, css_class="dpviz-folded")
    line = disclosure_line(summary, "dpviz-summary")
    return stack([line, inside], css_class="dpviz-fold", is_hidden=is_hidden)


def button(
    label: str,
    act: Callable[[], object],
    *,
    tooltip: str | None = None,
    is_hidden: bool = False,
    **css: str | None,
) -> Button:
    """Return a button that calls `act` when it is pressed."""
    look = {"_dom_classes": ["dpviz-button"], "is_hidden": is_hidden}
    made = Button(description=label, tooltip=tooltip, layout=css_layout(**css), **look)
    made.on_click(lambda _: act())
    return made


def css_classes(scene: Scene) -> list[str]:
    """Return the CSS classes of a scene's picture, for the static SVG and the bqplot figure."""
    return ["dpviz-figure", f"dpviz-{scene.shape}"]


def css_width(scene: Scene) -> dict[str, str]:
    """Return CSS properties for the width of a scene's picture, so that square axes stay square."""
    more = f"{scene.width_minus_height}px * var(--dpviz-font-scale, 1)"
    beside = {"padding": f"0 calc({more}) 0 0", "width": f"calc(100% - {more})"}
    return {"min_width": "0", **(beside if scene.width_minus_height else {"width": "100%"})}


def close_nested(
    widgets: Iterable[ipywidgets.Widget], *, kept: Iterable[ipywidgets.Widget] = ()
) -> None:
    """Close widgets and all widgets that their traits contain, such as children, but not `kept`."""
    waiting, seen = list(widgets), set(map(id, kept))
    while waiting:
        widget = waiting.pop()
        if id(widget) in seen:
            continue
        seen.add(id(widget))
        waiting += [part for name in widget.keys for part in _widgets_in(getattr(widget, name))]
        widget.close()


def _widgets_in(value: Any) -> Iterator[ipywidgets.Widget]:
    """Yield the widgets in a trait's value, such as a widget or nested lists and dicts."""
    if isinstance(value, ipywidgets.Widget):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _widgets_in(part)
