"""The selected FPR as a cursor: one shared number, movable in every view."""

from collections.abc import Callable

from dpviz.analysis import Result
from dpviz.pictures.frame import Frame
from dpviz.pictures.layer import Change
from dpviz.pictures.tidy import tidy_rate


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
        """One cursor."""
        self._frame = frame
        self._cursor = frame.cursor(
            on_move=lambda x: change(fpr=tidy_rate(self._to_fpr(x))),
            label="selected FPR: drag it",
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        """The selected FPR, and what decides the axis it is drawn on."""
        star = None if result.sample is None else result.sample.epsilon_star
        return (result.risk_point, result.risk, star)

    def draw(self, result: Result) -> None:
        """Move the cursor; what the axis does not show stands at its end."""
        self._cursor.place(self._frame.x.clamp(self._to_x(result.spec.fpr)))
