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
        right = row([*steps, self.save, present], align_items="center")
        right.add_class("dpviz-controls-end")
        first = row([*controls, disclosure("More", "dpviz-more"), right], align_items="center")
        first.add_class("dpviz-controls-row")
        self.more = row(more, align_items="center")
        self.more.add_class("dpviz-more-row")
        self.widget = stack([first, self.more, *below, save_menu])
        self.widget.layout.overflow = None  # errors and the menu stand below its edge
        self.widget.add_class("dpviz-controls")


def own_strip(view: View, names: Iterable[str]) -> ipywidgets.HBox:
    """Return the strip of a view that is alone in a cell: controls of these numbers of its spec."""
    controls = {name: NumberControl(name, CONTROLS[name], view.change) for name in names}
    for name, control in controls.items():
        control.hand_over(view.store.live, owner=view, field=name)
        view.error_lines[name] = control.error
    view.own_controls = list(controls.values())
    strip = row((control.widget for control in controls.values()), align_items="center")
    strip.add_class("dpviz-own-controls")
    return strip
