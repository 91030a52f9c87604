"""Texts as blocks and tables of HTML, and widgets in columns, rows and stacks."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape
from typing import Any

import ipywidgets
import traitlets

from dpviz.number_format import unbroken
from dpviz.widgets.plain import Plain
from dpviz.widgets.received import OneAtATime


class Html(Plain, ipywidgets.HTML):
    """HTML as a widget; on the page no line breaks between a number and its "%"."""

    value = traitlets.Unicode(help="the HTML").tag(
        sync=True, to_json=lambda text, _widget: unbroken(text)
    )


class Row(Plain, ipywidgets.HBox):
    """Widgets side by side."""


class Stack(Plain, ipywidgets.VBox):
    """Widgets below each other."""


class Grid(Plain, ipywidgets.GridBox):
    """Widgets in columns."""


class Button(OneAtATime, Plain, ipywidgets.Button):
    """A button."""


class ToggleButton(OneAtATime, Plain, ipywidgets.ToggleButton):
    """A button that stays pressed until it is pressed again."""


class Checkbox(OneAtATime, Plain, ipywidgets.Checkbox):
    """A box to tick."""


class Dropdown(OneAtATime, Plain, ipywidgets.Dropdown):
    """A drop-down menu."""


class Text(OneAtATime, Plain, ipywidgets.Text):
    """A box for one line of text."""


class IntSlider(OneAtATime, Plain, ipywidgets.IntSlider):
    """A slider of whole numbers."""


class ProgressBar(Plain, ipywidgets.FloatProgress):
    """How much of some work is done, from 0 to 1."""

    def __init__(self, **traits: Any) -> None:
        super().__init__(min=0, max=1, _dom_classes=["dpviz-progress"], **traits)


def layout(**rules: str | None) -> ipywidgets.Layout | None:
    """Return a layout with these rules; None without any."""
    return ipywidgets.Layout(**rules) if rules else None


def block(css_class: str, text: str, *, role: str = "") -> str:
    """Return text as a block of HTML; the text is data and is escaped."""
    roles = f' role="{role}"' if role else ""
    return f'<div class="{css_class}"{roles}>{escape(text)}</div>'


def sentence(text: str, css_class: str = "") -> str:
    """Return a sentence as a block of HTML; empty for an empty text."""
    return block(f"dpviz-sentence {css_class}".rstrip(), text) if text else ""


def rules(css: str) -> Html:
    """Return style rules as a widget that is not seen."""
    return Html(style(css), _dom_classes=["dpviz-rules"])


def style(css: str) -> str:
    """Return style rules as a block of HTML."""
    return f"<style>{css}</style>"


def heading(text: str, *, level: int = 3) -> str:
    """Return a title as a block of HTML, which screen readers list among the headings."""
    return f'<div class="dpviz-title" role="heading" aria-level="{level}">{escape(text)}</div>'


def html_table(caption: str, head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table of HTML; its texts are data and are escaped."""
    heads = "".join(
        f'<th scope="col">{escape(text)}</th>' if text else "<td></td>" for text in head
    )
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row)}</tr>" for row in rows
    )
    return (
        '<div class="dpviz-table" role="group" aria-label="table" tabindex="0">'  # keys scroll it
        f"<table><caption>{escape(caption)}</caption>"
        f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def columns(widgets: Iterable[ipywidgets.Widget], *, css_class: str = "") -> Grid:
    """Return a grid of as many equal columns as fit; the style sheet says how narrow they may be.

    With the class `dpviz-pictures` a narrow grid has one column.
    """
    return Grid(list(widgets), _dom_classes=["dpviz-columns", *css_class.split()])


def row(
    widgets: Iterable[ipywidgets.Widget],
    *,
    css_class: str = "",
    is_hidden: bool = False,
    **rules: str | None,
) -> Row:
    """Return widgets side by side, in further rows where the page is narrow."""
    classes = ["dpviz-row", *css_class.split()]
    return Row(list(widgets), layout=layout(**rules), _dom_classes=classes, is_hidden=is_hidden)


def stack(
    widgets: Iterable[ipywidgets.Widget] = (), *, css_class: str = "", is_hidden: bool = False
) -> Stack:
    """Return widgets below each other, never wider than their column."""
    classes = ["dpviz-stack", *css_class.split()]
    return Stack(list(widgets), _dom_classes=classes, is_hidden=is_hidden)


def disclosure(summary: str, css_class: str) -> Html:
    """Return a line that a reader opens and closes; the style sheet shows what belongs to it.

    It is the browser's own `<details>`: it needs no kernel, and keys and screen readers know it.
    """
    text = f"<details><summary>{escape(summary)}</summary></details>"
    return Html(text, _dom_classes=[css_class])


def fold(summary: str, widgets: Iterable[ipywidgets.Widget], *, is_hidden: bool = False) -> Stack:
    """Return widgets that are hidden until the reader opens the line `summary` above them."""
    inside = stack(widgets, css_class="dpviz-folded")
    line = disclosure(summary, "dpviz-summary")
    return stack([line, inside], css_class="dpviz-fold", is_hidden=is_hidden)


def button(
    label: str,
    act: Callable[[], object],
    *,
    tooltip: str | None = None,
    is_hidden: bool = False,
    **rules: str | None,
) -> Button:
    """Return a button as wide as its label; `act` is called when it is pressed."""
    made = Button(
        description=label,
        tooltip=tooltip,
        layout=layout(**rules),
        _dom_classes=["dpviz-button"],
        is_hidden=is_hidden,
    )
    made.on_click(lambda _: act())
    return made


# A widget and all that belongs to it are closed together; ipywidgets closes one at a time.


def close_with_parts(
    widgets: Iterable[ipywidgets.Widget], *, kept: Iterable[ipywidgets.Widget] = ()
) -> None:
    """Close widgets and their children, layouts, styles, marks, axes and scales; all but `kept`.

    Without it the browser and `ipywidgets` keep all of them for as long as the kernel runs.
    """
    waiting, seen = list(widgets), set(map(id, kept))
    while waiting:
        found = waiting.pop()
        if id(found) in seen:
            continue
        seen.add(id(found))
        waiting += [part for name in found.keys for part in _widgets(getattr(found, name))]
        found.close()


def _widgets(value: Any) -> Iterator[ipywidgets.Widget]:
    if isinstance(value, ipywidgets.Widget):
        yield value
    elif isinstance(value, Mapping):
        yield from _all(value.values())
    elif isinstance(value, list | tuple):
        yield from _all(value)


def _all(values: Iterable[Any]) -> Iterator[ipywidgets.Widget]:
    return (each for value in values for each in _widgets(value))
