"""What each way of stating a guarantee allows at one FPR, as horizontal bars."""

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.number_format import percent, upper
from dpviz.analysis.parts.ways_of_stating import WaysPart
from dpviz.analysis.sentences.ways_of_stating import label
from dpviz.pictures import theme
from dpviz.pictures.layer import Layer
from dpviz.pictures.layers.bars import outline_of
from dpviz.pictures.marks import Area, Line, Points

ROOM = 1.5  # length of the axis over that of the longest bar
WHOLE = 1.16  # its length where a bar reaches 100 %


class WaysOfStating(Layer):
    """The guarantee's own bar filled, those of statements hollow; a line continues the first."""

    def add_marks(self) -> None:
        self._itself = self.add("itself", Area(color=theme.CLAIM, opacity=0.5))
        self._stated = self.add("stated", Area(color=theme.LEVEL, opacity=0.15))
        self._truth = self.add("truth", Line(color=theme.CLAIM, dash="dotted", width=1.5))
        self._numbers = self.add("numbers", Points(color=theme.MEMBER, marker="diamond", size=10))

    def parts(self, result: Result) -> tuple[object, ...]:
        return (ways(result), result.naming)

    def draw(self, result: Result) -> None:
        part = ways(result)
        shown = [
            (allowed, label(each))
            for each, allowed in zip(part.statements, part.allowed, strict=True)
            if allowed is not None
        ]
        places = self.y.set_names([name for _, name in shown])
        at_fpr = f"members caught at FPR {percent(part.fpr)} at most (TPR)"
        self.x.set_label(result.naming.renamed(at_fpr))
        bars = [(allowed, place) for (allowed, _), place in zip(shown, places, strict=True)]
        self.x.set_range(0.0, min(WHOLE, ROOM * max(allowed for allowed, _ in bars)) or WHOLE)
        self._itself.draw(outline_of(bars[:1]))
        self._stated.draw(outline_of(bars[1:]))
        self._truth.draw(self.frame.vertical(part.itself))
        texts = [percent(upper(allowed)) for allowed, _ in bars]
        self._numbers.draw(np.array(bars), texts=texts)


def ways(result: Result) -> WaysPart:
    part: WaysPart = result.answers["ways_of_stating"]
    return part
