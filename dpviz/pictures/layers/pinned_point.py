"""A point that is kept in the region, beside the one that moves."""

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.number_format import lower, short
from dpviz.analysis.sentences.templates import WORDS
from dpviz.pictures import theme
from dpviz.pictures.layer import Layer
from dpviz.pictures.marks import Points


class PinnedPoint(Layer):
    """The kept (FPR, FNR), an open circle with what it needs."""

    def add_marks(self) -> None:
        self._point = self.add("point", Points(color=theme.ATTACK, size=90, outline=2))

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.pinned,)

    def draw(self, result: Result) -> None:
        kept = result.pinned
        if kept is None:
            self._point.hide()
        else:
            text = WORDS["point"].format(place="pinned", epsilon=short(lower(kept.epsilon)))
            place = np.array([[kept.fpr, kept.fnr]])
            self._point.draw(place, texts=[text])
