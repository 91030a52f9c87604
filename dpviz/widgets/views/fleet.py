"""The base of views of many models, which do not depend on the loaded scores."""

from typing import Any, ClassVar

from dpviz import checks
from dpviz.audit.models.fleet import Fleet
from dpviz.audit.scores.base import Scores
from dpviz.widgets.views.computed import ComputedView


class FleetView(ComputedView):
    """A view of a fleet; at most `at_once` models are computed without a press of the button.

    A press on a model loads its scores into the store, such as ``explorer.store``.
    """

    at_once: ClassVar[int]  # number of models up to which no button has to be pressed

    def __init__(self, fleet: Fleet, **view: Any) -> None:
        self.fleet = fleet
        super().__init__(**view)
        if len(fleet.models) <= self.at_once:
            self.compute()

    def can_compute(self) -> bool:
        return True

    def subject(self, scores: Scores | None) -> Fleet:
        return self.fleet

    def read(self, name: str) -> Scores:
        """Return the scores of a model."""
        models = {model.name: model for model in self.fleet.models}
        return models[checks.choice("name", name, models)].read()
