"""The power of an audit over its number of records."""

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.parts.plan import PlanPart
from dpviz.pictures import theme
from dpviz.pictures.layer import Layer
from dpviz.pictures.marks import NOTHING, Line, Points

DECADES = 2.0  # at least, on the axis of records


class PowerOverSize(Layer):
    """The sizes that were simulated, the desired power, and the size that reaches it."""

    def add_marks(self) -> None:
        self._power = self.add(
            "power", Line(color=theme.ATTACK, dash="dashed", label="simulated (estimate)")
        )
        self._tried = self.add("tried", Points(color=theme.ATTACK, size=30))
        self._desired = self.add(
            "desired", Line(color=theme.SELECTION, dash="dotted", width=1.5, label="desired")
        )
        self._planned = self.add("planned", Points(color=theme.CLAIM, marker="diamond"))

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.answers.get("plan"),)

    def draw(self, result: Result) -> None:
        part: PlanPart | None = result.answers.get("plan")
        if part is None or part.plan is None:
            self.hide()
            return
        plan = part.plan
        sizes = (plan.tried_members + plan.tried_nonmembers).astype(float)
        low, high = np.floor(np.log10(sizes[0])), np.ceil(np.log10(sizes[-1]))
        self.x.set_range(10.0**low, 10.0 ** max(high, low + DECADES))
        places = np.column_stack([sizes, plan.tried_powers])
        self._power.draw(places)
        self._tried.draw(places)
        self._desired.draw(self.frame.horizontal(part.question.power))
        if plan.n_members is None or plan.n_nonmembers is None:
            self._planned.draw(NOTHING)
        else:
            total = plan.n_members + plan.n_nonmembers
            self._planned.draw(np.array([[total, plan.power]]), texts=[f"{total} records"])
