"""Pictures as SVG, HTML and CSV files, and the menus that save them."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import anywidget
import ipywidgets
import traitlets

from dpviz import checks
from dpviz.analysis.svg import SvgPicture, page
from dpviz.analysis.topics.answer import RULER
from dpviz.analysis.topics.registry import SCENES
from dpviz.number_format import short
from dpviz.pictures.lines import STILLS, embed
from dpviz.pictures.numbers import HEAD, DrawnPoint, as_csv, drawn_points
from dpviz.pictures.page import SavedPicture, ScoreSource, saved_page_html
from dpviz.widgets.base.html import FastLoadingWidget, Html, Row, heading_html, row, script_text
from dpviz.widgets.base.picture import Picture, has_extra_marks
from dpviz.widgets.browser_input import ThreadSafeWidget, chosen_entry_key

if TYPE_CHECKING:
    from dpviz.widgets.base.view import View

MENU_CSS = Path(__file__).with_name("menu.css").read_text(encoding="utf-8")
MOST_ROWS = 1000  # of the table; the CSV file has all
GetPictures = Callable[[], Sequence[Picture]]


class PictureExport:
    """A view's pictures as SVG, HTML and CSV texts; ValueError for an empty list of pictures."""

    def __init__(self, view: "View", pictures: Sequence[Picture]) -> None:
        if not pictures:
            message = f"{type(view).__name__} must have a picture, got none"
            raise ValueError(f"{message}; state a claim, or call compute()")
        self._view, self._pictures = view, pictures
        self._scenes = [picture.scene for picture in pictures]

    @property
    def title(self) -> str:
        """The fixed title of the first picture, which states no finding of the result."""
        return self._scenes[0].fixed_title_of(self._view.result)

    def svg(self, prefix: str = "") -> str:
        """Return one SVG document of all pictures; every element id in it begins with `prefix`."""
        result, texts_of = self._view.result, self._view.sentences_of
        drawn = [
            SvgPicture.of(each.scene, result, name, texts_of(each), extra=each.shows_extra_marks)
            for name, each in zip(self._element_ids(prefix), self._pictures, strict=True)
        ]
        return page(drawn)

    def html(self) -> str:
        """Return one HTML page; of several pictures, those with nothing to show are left out."""
        result, texts_of = self._view.result, self._view.sentences_of  # an explorer may build views
        saved = [
            SavedPicture(each.scene, result, key, texts_of(each), show_extra=each.shows_extra_marks)
            for key, each in zip(self._element_ids("picture-"), self._pictures, strict=True)
            if each.scene is not RULER  # the page begins with it
            and (len(self._pictures) == 1 or not each.scene.is_empty(result))
        ]
        return saved_page_html(result, saved, origin=ScoreSource.of(self._view.store.scores))

    def fragment(self) -> str:
        """Return the lines of HTML that show the pictures in another page."""
        first = self._element_ids("")[0]
        view = next((view for view, scenes in STILLS.items() if scenes[0] == first), None)
        if view is None:
            condition = f"False for a {type(self._view).__name__}, which needs Python"
            raise checks.fail("fragment", condition, True)
        return embed(self._view.result, view=view)

    def drawn_points(self) -> list[DrawnPoint]:
        """Return the points of all marks (lines, markers, areas) in the pictures."""
        result = self._view.result
        return [point for scene in self._scenes for point in drawn_points(scene, result)]

    def csv(self) -> str:
        """Return the numbers behind the pictures as the text of a CSV file."""
        return as_csv(self.drawn_points())

    def _element_ids(self, prefix: str) -> list[str]:
        """Return unique ids: `prefix`, then the scene's key in `SCENES`, or words of its title."""
        registered = {id(scene): name for name, scene in SCENES.items()}
        names: list[str] = []
        for scene in self._scenes:
            words = re.findall("[a-z0-9]+", scene.title.lower())
            name = prefix + registered.get(id(scene), "-".join(words) or "picture")
            while name in names:
                name += f"-{len(names)}"
            names.append(name)
        return names


@dataclass(frozen=True)
class MenuItem:
    """A menu entry: its text, and the function `act` that is called when a user chooses it."""

    text: str
    act: Callable[[], None]


class ActionMenu(ThreadSafeWidget, FastLoadingWidget, anywidget.AnyWidget):
    """A button that opens a menu of actions; if `label` is "", a row of buttons for the actions."""

    _esm = script_text("menu")
    _css = MENU_CSS
    own = traitlets.Unicode(help="id of this model").tag(sync=True)
    label = traitlets.Unicode().tag(sync=True)
    hint = traitlets.Unicode().tag(sync=True)
    items: "traitlets.List[Any]" = traitlets.List(help="key and text of each entry").tag(sync=True)
    said = traitlets.Unicode(help="what was done, beside the button").tag(sync=True)

    def __init__(self, label: str, hint: str, actions: Mapping[str, MenuItem]) -> None:
        key = uuid4().hex
        super().__init__(label=label, hint=hint, own=key, model_id=key)
        self.set_actions(actions)
        self.on_msg(self._run_chosen_action)

    def set_actions(self, actions: Mapping[str, MenuItem]) -> None:
        """Replace all entries of the menu; `actions` maps the key of each entry to the entry."""
        self._actions = dict(actions)
        self.items = [[key, action.text] for key, action in actions.items()]

    def run_action(self, key: str) -> None:
        """Run the action of the entry with this key; an error is shown beside the button."""
        self.said = ""
        try:
            self._actions[key].act()
        except (ValueError, OSError) as error:
            self.said = str(error)

    def download(self, name: str, media_type: str, content: bytes) -> None:
        """Let the browser save `content` as a file; for .png, the browser turns SVG into PNG."""
        how = "png" if name.endswith(".png") else "download"
        self.send({"do": how, "name": name, "type": media_type}, buffers=[content])
        self.said = f"Saved as {name}."

    def show_picture(self, title: str, svg: str, text: str) -> None:
        """Show an SVG picture as large as the browser's window, and its sentences `text`."""
        message = {"do": "picture", "name": title, "type": "image/svg+xml", "text": text}
        self.send(message, buffers=[svg.encode()])

    def show_table(self, title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Show a table in front of the page; `head` has the titles of the columns."""
        self.send({"do": "table", "name": title, "head": list(head), "rows": list(map(list, rows))})

    def copy_to_clipboard(self, text: str) -> None:
        """Copy a text to the clipboard."""
        self.send({"do": "copy", "name": "", "text": text})
        self.said = "Copied."

    def _run_chosen_action(self, _widget: object, message: Any, _buffers: object) -> None:
        key = chosen_entry_key(message)
        if key in self._actions:  # the entry may be gone since the browser sent its key
            self.run_action(key)


def picture_menu(view: "View", all_pictures: GetPictures, nonempty: GetPictures) -> ActionMenu:
    """Return the menu that enlarges, downloads or copies the nonempty pictures of a view."""

    # The entries act on what is shown when they are chosen.
    def export() -> PictureExport:
        return PictureExport(view, nonempty())

    def save(file_suffix: str, media_type: str, text: str) -> None:
        menu.download(f"{file_name(export().title)}.{file_suffix}", media_type, text.encode())

    def enlarge() -> None:
        menu.show_picture(export().title, export().svg(), sentences_text())

    def show_table() -> None:
        points = export().drawn_points()
        more = f" (the first {MOST_ROWS} of {len(points)})" if len(points) > MOST_ROWS else ""
        # Without the name of the picture, which stands above the table.
        rows = (
            [value if isinstance(value, str) else short(value, digits=6) for value in point[1:]]
            for point in points[:MOST_ROWS]
        )
        menu.show_table(export().title + more, HEAD[1:], rows)

    def sentences_text() -> str:
        return "\n".join(text for picture in nonempty() for text in view.sentences_of(picture))

    def shows_extra_marks() -> bool:
        return any(picture.shows_extra_marks for picture in all_pictures())

    def toggle_extra_marks() -> None:
        show = not shows_extra_marks()
        for picture in all_pictures():
            picture.shows_extra_marks = show
        menu.set_actions(menu_items())

    def menu_items() -> dict[str, MenuItem]:
        more = MenuItem("Fewer marks" if shows_extra_marks() else "More marks", toggle_extra_marks)
        has_more = any(has_extra_marks(picture.scene) for picture in all_pictures())
        return {
            "enlarge": MenuItem("Enlarge", enlarge),
            **({"more": more} if has_more else {}),
            "svg": MenuItem("Download SVG", lambda: save("svg", "image/svg+xml", export().svg())),
            "png": MenuItem("Download PNG", lambda: save("png", "image/svg+xml", export().svg())),
            "table": MenuItem("Numbers as a table", show_table),
            "csv": MenuItem("Numbers as CSV", lambda: save("csv", "text/csv", export().csv())),
            "copy": MenuItem("Copy the sentence", lambda: menu.copy_to_clipboard(sentences_text())),
        }

    menu = ActionMenu("⋯", "", menu_items())
    return menu


def title_row(title: Html, *right_widgets: ipywidgets.Widget) -> Row:
    """Return a row with a title at its left end and `right_widgets` at its right end."""
    return row([title, row(right_widgets)], css_class="dpviz-head")


def heading_row(view: "View", picture: Picture, *notes: ipywidgets.Widget) -> Row:
    """Return a row with a picture's title, the widgets `notes` and the picture's "⋯" menu."""
    menu = picture_menu(view, lambda: [picture], lambda: [picture])
    menu.hint = f"More for: {picture.title}"
    return title_row(Html(heading_html(picture.title)), *notes, menu)


def file_name(title: str) -> str:
    """Turn a title into the name of a file: at most 60 letters, digits and dashes."""
    return "-".join(re.findall(r"\w+", title.lower()))[:60] or "picture"
