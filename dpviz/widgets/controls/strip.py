"""The strip of controls, which stays in sight while the page scrolls."""

from collections.abc import Iterable

import ipywidgets

from dpviz.widgets.base.html import disclosure, row, stack


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
