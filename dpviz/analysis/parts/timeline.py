"""One training, stage by stage: Epsilon*, lower bound, claim and utility."""

from dataclasses import dataclass

import numpy as np

from dpviz.audit.models.fleet import FleetBounds, FleetEstimates
from dpviz.audit.models.frontier import Strategy
from dpviz.checks import FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class TimelinePart:
    """Estimates and bounds, each valid by itself, of all models that have a stage.

    `training` is the name of the training that is shown.
    """

    estimates: FleetEstimates
    bounds: FleetBounds
    training: str = ""

    def stages(self, name: str) -> tuple[Strategy, ...]:
        """One training, by stage; repeats of a stage together."""
        return tuple(each for each in self.estimates.timeline() if each.name == name)

    def lows(self, name: str) -> FloatArray:
        """Stage and lower bound of every model of a training, shape (k, 2)."""
        found = [
            (model.stage, bound.low)
            for model, bound in zip(self.estimates.fleet.models, self.bounds.bounds, strict=True)
            if model.training == name and model.stage is not None
        ]
        return np.array(sorted(found)).reshape(-1, 2)

    def first_of(self, stage: Strategy) -> str:
        """The name of the first model of a stage."""
        return self.estimates.fleet.names[self._places(stage)[0]]

    def lows_of(self, stage: Strategy) -> list[float]:
        """The lower bound of every model of a stage."""
        return [self.bounds.bounds[i].low for i in self._places(stage)]

    def _places(self, stage: Strategy) -> list[int]:
        key = (stage.name, stage.stage, stage.claimed_epsilon, stage.claimed_delta)
        return [
            i
            for i, model in enumerate(self.estimates.fleet.models)
            if (model.training, model.stage, model.epsilon, model.delta) == key
        ]
