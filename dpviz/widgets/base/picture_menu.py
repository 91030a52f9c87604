"""Menus of actions: a button and its menu, and the one of each picture."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import anywidget
import traitlets

from dpviz.number_format import short
from dpviz.pictures.numbers import HEAD, DrawnPoint, numbers
from dpviz.widgets.base.picture import Picture
from dpviz.widgets.base.saving import PictureSavingMixin
from dpviz.widgets.plain import Plain
from dpviz.widgets.received import OneAtATime, chosen_entry

BUNDLE = Path(__file__).parents[2] / "static" / "menu.js"

STYLE = """
.dpviz-menu-button { width: auto; padding: 0 .6em; cursor: pointer; }
.dpviz-menu { position: fixed; inset: auto; margin: 0; padding: 4px 0; min-width: 12em;
  background: var(--jp-layout-color1, #fff); color: var(--jp-content-font-color1, #212121);
  border: 1px solid var(--jp-border-color1, #bdbdbd); border-radius: 4px;
  box-shadow: 0 3px 10px rgb(0 0 0 / 25%); font: 14px/1.4 sans-serif; }
.dpviz-menu button { display: block; width: 100%; padding: 6px 14px; border: 0; font: inherit;
  color: inherit; background: none; text-align: left; cursor: pointer; }
.dpviz-menu-row { display: flex; flex-wrap: wrap; gap: 4px 8px; }
.dpviz-menu-row button { width: auto; padding: 0 .8em; cursor: pointer; }
.dpviz-menu button:hover, .dpviz-menu button:focus {
  background: var(--jp-layout-color2, #eee); outline: none; }
.dpviz-menu button:focus-visible, .dpviz-menu-button:focus-visible,
.dpviz-dialog :focus-visible { outline: 2px solid #0072B2; outline-offset: -2px; }
.dpviz-menu-said { margin-left: .6em; font: 13px/1.4 sans-serif; }
.dpviz-dialog { box-sizing: border-box; width: 96vw; height: 96vh; max-width: none;
  max-height: none; padding: 12px 18px; border: 1px solid #bdbdbd; border-radius: 6px;
  background: #fff; color: #212121; font: 15px/1.45 sans-serif; flex-direction: column; }
.dpviz-dialog[open] { display: flex; }
.dpviz-dialog-head { display: flex; justify-content: space-between; align-items: center; }
.dpviz-dialog h2 { font-size: 1.2em; margin: 0; }
.dpviz-dialog-head button { font: inherit; padding: 4px 10px; color: inherit; background: none;
  border: 1px solid #767676; border-radius: 4px; cursor: pointer; }
.dpviz-dialog-body { flex: 1; min-height: 0; overflow: auto; margin-top: 8px; }
.dpviz-dialog-body img { width: 100%; height: 100%; object-fit: contain; }
.dpviz-dialog table { border-collapse: collapse; font-size: 13px; }
.dpviz-dialog th, .dpviz-dialog td { text-align: left; padding: 2px 12px 2px 0;
  border-bottom: 1px solid #ccc; font-variant-numeric: tabular-nums; }
.dpviz-dialog th { position: sticky; top: 0; background: #fff; }
"""


@dataclass(frozen=True, kw_only=True)
class Action:
    """An entry of a menu: its text, and what is done when it is chosen."""

    text: str
    act: Callable[[], None]


class ActionMenu(OneAtATime, Plain, anywidget.AnyWidget):
    """A button that opens a menu; without a kernel it is not shown.

    Parameters
    ----------
    label, hint : str
        The text on the button, and its name for screen readers. Without a label there is no button:
        the entries stand in a row.
    actions : mapping of str to Action
        By key, in the order of the menu.
    """

    # As text: anywidget keeps every widget of a file for as long as it watches the file.
    _esm = BUNDLE.read_text(encoding="utf-8") if BUNDLE.is_file() else ""
    _css = STYLE
    own = traitlets.Unicode(help="id of this model").tag(sync=True)
    label = traitlets.Unicode().tag(sync=True)
    hint = traitlets.Unicode().tag(sync=True)
    items: "traitlets.List[Any]" = traitlets.List(help="key and text of each entry").tag(sync=True)
    said = traitlets.Unicode(help="what was done, beside the button").tag(sync=True)

    def __init__(self, label: str, hint: str, actions: Mapping[str, Action]) -> None:
        key = uuid4().hex
        super().__init__(label=label, hint=hint, own=key, model_id=key)
        self.set_actions(actions)
        self.on_msg(self._received)

    def name_after(self, title: str) -> None:
        """Name the button for screen readers after what it is about."""
        self.hint = f"More for: {title}"

    def set_actions(self, actions: Mapping[str, Action]) -> None:
        """Replace the entries of the menu."""
        self._actions = dict(actions)
        self.items = [[key, action.text] for key, action in actions.items()]

    def choose(self, key: str) -> None:
        """Do what an entry does; an error is said beside the button."""
        self.said = ""
        try:
            self._actions[key].act()
        except (ValueError, OSError) as error:
            self.said = str(error)

    def download(self, name: str, kind: str, content: bytes) -> None:
        """Hand a file to the browser's downloads; an SVG that is named .png becomes one."""
        how = "png" if name.endswith(".png") else "download"
        self.send({"do": how, "name": name, "type": kind}, buffers=[content])
        self.said = f"Saved as {name}."

    def show_picture(self, title: str, svg: str, text: str) -> None:
        """Show an SVG document as large as the window."""
        told = {"do": "picture", "name": title, "type": "image/svg+xml", "text": text}
        self.send(told, buffers=[svg.encode()])

    def show_table(self, title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Show a table."""
        self.send({"do": "table", "name": title, "head": list(head), "rows": list(map(list, rows))})

    def copy(self, text: str) -> None:
        """Put a text on the clipboard."""
        self.send({"do": "copy", "name": "", "text": text})
        self.said = "Copied."

    def _received(self, _widget: object, message: Any, _buffers: object) -> None:
        key = chosen_entry(message)
        if key in self._actions:  # its entries may have changed
            self.choose(key)


# The "⋯" menu of a view: its pictures large, as files, as numbers, in words.

MOST_ROWS = 1000  # of the table; the CSV file has all


def picture_menu(
    view: PictureSavingMixin,
    made: Callable[[], Sequence[Picture]],
    pictures: Callable[[], Sequence[Picture]],
) -> ActionMenu:
    """Return the menu of some of a view's pictures, for the row of their title.

    Of those that are `made`, `pictures` show something now.
    """

    def title() -> str:
        return view.something(pictures())[0].scene.title_of(view.result)

    def svg() -> str:
        return view.svg_of(pictures(), "")

    def save(ending: str, kind: str, text: str) -> None:
        menu.download(f"{file_name(title())}.{ending}", kind, text.encode())

    def points() -> list[DrawnPoint]:
        return [p for picture in pictures() for p in numbers(picture.scene, view.result)]

    def table() -> None:
        found = points()
        more = f" (the first {MOST_ROWS} of {len(found)})" if len(found) > MOST_ROWS else ""
        rows = [_cells(point) for point in found[:MOST_ROWS]]
        menu.show_table(title() + more, HEAD[1:], rows)

    def sentences() -> str:
        return "\n".join(text for picture in pictures() for text in view.in_words(picture))

    def more() -> None:
        show = not _show_extra(made())
        for picture in made():
            picture.show_extra = show
        menu.set_actions(actions())

    def actions() -> dict[str, Action]:
        text = "Fewer marks" if _show_extra(made()) else "More marks"
        has_more = any(picture.has_extra for picture in made())
        return enlarge | ({"more": Action(text=text, act=more)} if has_more else {}) | others

    enlarge = {
        "enlarge": Action(
            text="Enlarge", act=lambda: menu.show_picture(title(), svg(), sentences())
        )
    }
    others = {
        "svg": Action(text="Download SVG", act=lambda: save("svg", "image/svg+xml", svg())),
        "png": Action(text="Download PNG", act=lambda: save("png", "image/svg+xml", svg())),
        "table": Action(text="Numbers as a table", act=table),
        "csv": Action(
            text="Numbers as CSV", act=lambda: save("csv", "text/csv", view.csv_of(pictures()))
        ),
        "copy": Action(text="Copy the sentence", act=lambda: menu.copy(sentences())),
    }
    menu = ActionMenu("⋯", "", actions())
    return menu


def _show_extra(pictures: Sequence[Picture]) -> bool:
    return any(picture.show_extra for picture in pictures)


def file_name(text: str) -> str:
    """Return a text as the name of a file: letters, digits and dashes."""
    return "-".join(re.findall(r"\w+", text.lower()))[:60] or "picture"


def _cells(point: DrawnPoint) -> list[str]:
    values = (point.mark, point.x_axis, point.x, point.y_axis, point.y, point.text)
    return [value if isinstance(value, str) else short(value, digits=6) for value in values]
