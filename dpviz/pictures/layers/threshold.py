"""The threshold that belongs to the selected FPR."""

from dpviz.analysis.parts.parts import SamplePart
from dpviz.audit.scores.base import ScoreKind
from dpviz.pictures import theme
from dpviz.pictures.frame import rectangle
from dpviz.pictures.layer import SampleLayer
from dpviz.pictures.layers.cursor import CursorLayer
from dpviz.pictures.marks import NOTHING, Area

# Of the threshold, by the kind of the scores: the label may stand on the other side.
SIDES: dict[ScoreKind, str] = {"loss": "left", "score": "right"}


class Threshold(CursorLayer, SampleLayer):
    """The threshold on the original scale of the scores, and the side of it that is called members.

    The user can drag it.
    """

    def add_marks(self) -> None:
        self._accused = {
            kind: self.add(f"accused, {kind}", _area(f"{side}: called “member”"))
            for kind, side in SIDES.items()
        }
        self.add_cursor(
            on_move=lambda x: self.change(threshold=x), label="threshold", color=theme.ATTACK
        )

    def sample_parts(self, sample: SamplePart) -> tuple[object, ...]:
        return (sample.at_fpr, sample.histogram)  # the histogram sets the axis

    def draw_sample(self, sample: SamplePart) -> None:
        threshold, x, y = sample.at_fpr.threshold_in_unit, self.x, self.y
        end = x.low if sample.histogram.kind == "loss" else x.high
        shown = rectangle(x.clamp(threshold), end, y.low, y.high)
        for kind, area in self._accused.items():
            area.draw(shown if kind == sample.histogram.kind else NOTHING)
        self.place_cursor(threshold)


def _area(label: str) -> Area:
    return Area(color=theme.ATTACK, opacity=0.1, outline=False, label=label)
