"""The menu of names for the two errors, and the hypotheses behind the chosen ones."""

import ipywidgets
from typing_extensions import override

from dpviz.analysis import NAMINGS
from dpviz.pictures.layer import Change
from dpviz.widgets.base.html import Html, block
from dpviz.widgets.controls.fields import Menu


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
