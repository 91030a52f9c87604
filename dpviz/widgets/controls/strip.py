"""The strip of controls, which stays in sight while the page scrolls."""

from collections.abc import Iterable

import ipywidgets

from dpviz.analysis import CONTROLS
from dpviz.widgets.base.html import disclosure, row, stack
from dpviz.widgets.base.view import View
from dpviz.widgets.controls.fields import NumberControl


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
