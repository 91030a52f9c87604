"""The limits of the true rates at the attack's threshold, around its point."""

from dpviz.analysis import Result
from dpviz.pictures import theme
from dpviz.pictures.frame import rectangle
from dpviz.pictures.layer import Layer
from dpviz.pictures.marks import Area


class PointBox(Layer):
    """Clopper-Pearson limits of both rates, at the level at which all thresholds' limits hold.

    So they hold wherever the point is, even where the data chose it.
    """

    def add_marks(self) -> None:
        self._box = self.add("box", Area(color=theme.ATTACK, opacity=0.12, width=1))

    def parts(self, result: Result) -> tuple[object, ...]:
        is_counted = result.sample is not None and result.point.source == "attack"
        return (result.sample.box,) if result.sample is not None and is_counted else ()

    def draw(self, result: Result) -> None:
        shown = self.parts(result)
        if not shown or result.sample is None:
            self.hide()
        else:
            box = result.sample.box
            self._box.draw(rectangle(box.fpr_low, box.fpr_high, box.fnr_low, box.fnr_high))
