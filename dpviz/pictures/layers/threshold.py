"""The threshold that belongs to the selected FPR."""

from dpviz.analysis import Result
from dpviz.pictures.frame import Frame
from dpviz.pictures.layer import Change


class Threshold:
    """Where "member" begins to be said, in the unit the numbers came in; a hand can move it."""

    closed_form = False

    def build(self, frame: Frame, change: Change) -> None:
        """One cursor."""
        self._frame = frame
        self._cursor = frame.cursor(on_move=lambda x: change(threshold=x), label="threshold")

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
