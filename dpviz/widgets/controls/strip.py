"""The strip of controls, which stays in sight while the page scrolls."""

from collections.abc import Iterable
from pathlib import Path

import anywidget
import ipywidgets
import traitlets
from typing_extensions import override

from dpviz.analysis import CONTROLS, NAMINGS
from dpviz.drawing.layer import Change
from dpviz.widgets.base.html import Html, block, disclosure, row, stack
from dpviz.widgets.base.view import View
from dpviz.widgets.controls.fields import Menu, NumberControl
from dpviz.widgets.received import OneAtATime

BUNDLE = Path(__file__).parents[2] / "static" / "tabs.js"


class TabBar(OneAtATime, anywidget.AnyWidget):
    """Tabs with their names and titles, one of them selected; arrow keys go from one to the next.

    The element of class `dpviz-panel` in the same explorer is their panel. It is busy, for screen
    readers and for the style sheet, until what is `shown` in it is what was selected.
    """

    # As text: anywidget keeps every widget of a file for as long as it watches the file.
    _esm = BUNDLE.read_text(encoding="utf-8") if BUNDLE.is_file() else ""
    tabs: "traitlets.List[tuple[str, str]]" = traitlets.List(help="names, titles").tag(sync=True)
    selected = traitlets.Unicode(help="name of the selected tab").tag(sync=True)
    shown = traitlets.Unicode(help="name of the tab whose views are in the panel").tag(sync=True)


# The strip of controls, which stays in sight while the page scrolls.


class Strip:
    """One row of controls, and further rows that are folded away.

    `more` opens with "More"; `save_menu` is what opens with "Save"; `below` stands below the row.
    Their lines open and close in the browser, without a kernel.
    """

    def __init__(
        self,
        *,
        controls: Iterable[ipywidgets.Widget],
        steps: Iterable[ipywidgets.Widget],
        more: Iterable[ipywidgets.Widget],
        save_menu: ipywidgets.Widget,
        present: ipywidgets.Widget,
        below: Iterable[ipywidgets.Widget],
    ) -> None:
        self.save = disclosure("Save", "dpviz-save")
        save_menu.add_class("dpviz-save-menu")
        present.add_class("dpviz-present")
        self._right = row([*steps, self.save, present], css_class="dpviz-controls-end")
        first = row(
            [*controls, disclosure("More", "dpviz-more"), self._right],
            css_class="dpviz-controls-row",
        )
        self.more = row(more, css_class="dpviz-more-row")
        self.widget = stack([first, self.more, *below, save_menu], css_class="dpviz-controls")

    def add(self, button: ipywidgets.Widget, below: ipywidgets.Widget) -> None:
        """Add a button at the right end, and what it shows below all else."""
        self._right.children = [*self._right.children, button]
        self.widget.children = [*self.widget.children, below]


def own_strip(view: View, names: Iterable[str]) -> ipywidgets.HBox:
    """Return the strip of a view that is alone in a cell: controls of these numbers of its spec."""
    shown = (control.widget for control in number_controls(view, names))
    return row(shown, css_class="dpviz-own-controls")


def number_controls(view: View, names: Iterable[str]) -> list[NumberControl]:
    """Return controls of these numbers of the spec, which follow the view."""
    controls = {name: NumberControl(name, CONTROLS[name], view.change) for name in names}
    for name, control in controls.items():
        control.hand_over(view.store.live, owner=view, field=name)
        view.error_lines[name] = control.error
    view.own_controls = [*view.own_controls, *controls.values()]
    return list(controls.values())


# The menu of names for the two errors, and the hypotheses behind the chosen ones.


class NamingMenu(Menu):
    """A menu of namings; `hypotheses` says what H0, H1 and the errors are called."""

    def __init__(self, change: Change) -> None:
        titles = {naming.title: key for key, naming in NAMINGS.items()}
        super().__init__("naming", "names of errors", titles, change)
        self.hypotheses = Html(layout=ipywidgets.Layout(width="100%"))

    @override
    def follow(self, chosen: object) -> None:
        """Show the naming of a spec."""
        super().follow(chosen)
        self.hypotheses.value = block("dpviz-note", NAMINGS[getattr(chosen, self.name)].hypotheses)
