"""What views of many models share: the models are their own, whatever the other views show."""

from typing import Any, ClassVar

from dpviz.audit.fleet import Fleet
from dpviz.widgets.asked_view import AskedView


class FleetView(AskedView):
    """A view of a fleet; small fleets are worked out without being asked for.

    Parameters
    ----------
    fleet : Fleet
    store : Store, optional
        Of the views that are to show the model that was pressed, such as ``explorer.store``.
    **spec
        As of every view.
    """

    at_once: ClassVar[int]
    """Models up to which no button has to be pressed."""

    def __init__(self, fleet: Fleet, **view: Any) -> None:
        self.fleet = fleet
        super().__init__(**view)
        if len(fleet.models) <= self.at_once:
            self.compute()

    def can_ask(self) -> bool:
        """Always."""
        return True

    def subject(self) -> Fleet:
        """The models."""
        return self.fleet
