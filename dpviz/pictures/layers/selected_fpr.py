"""The selected FPR as a cursor: one shared number, movable in every view."""

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.tidy import tidy_rate
from dpviz.pictures.axes import decades_of, rate_of
from dpviz.pictures.frame import Frame, Mark
from dpviz.pictures.layer import Change


class SelectedFpr:
    """The line at the selected FPR, on whatever scale the x axis is."""

    closed_form = True

    def build(self, frame: Frame, change: Change) -> None:
        """One cursor."""
        self._frame = frame
        self._is_odds = frame.x.spec.scale == "log-odds"
        self._cursor = frame.cursor(
            on_move=lambda x: change(fpr=tidy_rate(rate_of(x) if self._is_odds else x)),
            label="selected FPR",
            hint="drag it, or use the arrow keys",
        )

    def marks(self) -> dict[str, Mark]:
        """Line and handle of the cursor."""
        return {"line": self._cursor.line, "handle": self._cursor.handle}

    def parts(self, result: Result) -> tuple[object, ...]:
        """The selected FPR, and what decides the axis it is drawn on."""
        star = None if result.sample is None else result.sample.epsilon_star
        return (result.risk_point, result.risk, star)

    def draw(self, result: Result) -> None:
        """Move the cursor; what the axis does not show stands at its end."""
        fpr = result.spec.fpr
        x = float(decades_of(np.array(fpr))) if self._is_odds else fpr
        self._cursor.place(self._frame.x.clamp(x))
