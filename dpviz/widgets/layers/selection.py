"""The selected FPR as a vertical line with a grip: one shared number, movable in every view."""

from collections.abc import Callable

import numpy as np

from dpviz.analysis import Result
from dpviz.widgets.figures import Frame, theme
from dpviz.widgets.layers.layer import Change


class SelectedFpr:
    """The line at the selected FPR.

    Parameters
    ----------
    to_x, to_fpr : callables
        From an FPR to the figure's x and back; identity by default.
    """

    closed_form = True

    def __init__(
        self,
        to_x: Callable[[float], float] = float,
        to_fpr: Callable[[float], float] = float,
    ) -> None:
        self._to_x, self._to_fpr = to_x, to_fpr

    def build(self, frame: Frame, change: Change) -> None:
        """A line and its grip on the x axis."""
        self._frame = frame
        self._line = frame.line(color=theme.SELECTION, dash="dashed", width=1.5)
        self._grip = frame.handle(
            color=theme.SELECTION,
            marker="triangle-up",
            on_move=lambda x, _: change(fpr=float(f"{self._to_fpr(x):.3g}")),
            only_x=True,
            label="selected FPR: drag it",
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        """The selected FPR, and what decides the axis it is drawn on."""
        star = None if result.sample is None else result.sample.epsilon_star
        return (result.risk_point, result.risk, star)

    def draw(self, result: Result) -> None:
        """Move line and grip."""
        frame = self._frame
        x = frame.x.clamp(self._to_x(result.spec.fpr))
        self._line.draw(np.array([[x, frame.y.low], [x, frame.y.high]]))
        self._grip.place(x, frame.y.low)
