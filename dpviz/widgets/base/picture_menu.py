"""The "⋯" menu of a view: its pictures large, as files, as numbers, in words."""

import re
from collections.abc import Callable, Sequence

from dpviz.analysis.number_format import short
from dpviz.pictures.numbers import HEAD, DrawnPoint, numbers
from dpviz.widgets.base.action_menu import Action, ActionMenu
from dpviz.widgets.base.picture import Picture
from dpviz.widgets.base.saving import PictureSavingMixin

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
