"""The trade-off curve of an output after something was done to it."""

from dpviz.analysis import Result
from dpviz.analysis.parts.processing import ProcessingPart
from dpviz.pictures import theme
from dpviz.pictures.layer import ClaimLayer
from dpviz.pictures.marks import NOTHING, Line


class ProcessedCurve(ClaimLayer):
    """The curve afterwards: blue where the claim still promises it, orange where it does not."""

    def add_marks(self) -> None:
        self._known = self.add(
            "known",
            Line(color=theme.MEMBER, dash="dotted", width=2, label="known from elsewhere"),
        )
        self._promised = self.add(
            "promised", Line(color=theme.LEVEL, dash="dashed", width=2.5, label="afterwards")
        )
        self._broken = self.add(
            "broken", Line(color=theme.ATTACK, dash="dash_dotted", width=2.5, label="afterwards")
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        return (processing(result),)

    def draw(self, result: Result) -> None:
        part = processing(result)
        self._known.draw(part.known)
        shown, hidden = self._promised, self._broken
        if not part.is_post_processing:
            shown, hidden = hidden, shown
        shown.draw(part.curve if len(part.curve) else NOTHING)
        hidden.hide()


def processing(result: Result) -> ProcessingPart:
    part: ProcessingPart = result.answers["processing"]
    return part
