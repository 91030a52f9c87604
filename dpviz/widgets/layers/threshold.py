"""The threshold that belongs to the selected FPR."""

from collections.abc import Callable

from dpviz.analysis import Result
from dpviz.widgets.figures import Frame
from dpviz.widgets.layers.layer import Change


class Threshold:
    """Where "member" begins to be said; dragging it selects the FPR it realises.

    Parameters
    ----------
    fpr_at_threshold : callable
        From a threshold, in the unit the numbers came in, to the FPR it realises.
    """

    closed_form = False

    def __init__(self, fpr_at_threshold: Callable[[float], float]) -> None:
        self._fpr_at_threshold = fpr_at_threshold

    def build(self, frame: Frame, change: Change) -> None:
        """One cursor."""
        self._frame = frame
        self._cursor = frame.cursor(
            on_move=lambda x: change(fpr=self._fpr_at_threshold(x)), label="threshold: drag it"
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        """The operating point and the histogram's axis."""
        sample = result.sample
        return (sample and sample.at_fpr, sample and sample.histogram)

    def draw(self, result: Result) -> None:
        """Move the cursor; a threshold beyond the axis stands at its end."""
        if result.sample is None:
            self._cursor.hide()
        else:
            self._cursor.place(self._frame.x.clamp(result.sample.at_fpr.threshold_in_unit))
