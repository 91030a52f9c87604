"""The threshold that belongs to the selected FPR."""

from dpviz.analysis.parts.parts import SamplePart
from dpviz.pictures.layer import SampleLayer
from dpviz.pictures.layers.cursor import CursorLayer


class Threshold(CursorLayer, SampleLayer):
    """The threshold on the original scale of the scores; the user can drag it."""

    def add_marks(self) -> None:
        self.add_cursor(on_move=lambda x: self.change(threshold=x), label="threshold")

    def sample_parts(self, sample: SamplePart) -> tuple[object, ...]:
        return (sample.at_fpr, sample.histogram)  # the histogram sets the axis

    def draw_sample(self, sample: SamplePart) -> None:
        self.place_cursor(sample.at_fpr.threshold_in_unit)
