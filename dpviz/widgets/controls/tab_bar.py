"""A row of tabs, as the browser's accessibility rules describe it. Script: `js/src/tabs/`."""

from pathlib import Path

import anywidget
import traitlets

from dpviz.widgets.one_at_a_time import OneAtATime

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
