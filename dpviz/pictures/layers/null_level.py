"""The level that Epsilon* reaches by chance alone."""

from dpviz.analysis import Result
from dpviz.pictures import theme
from dpviz.pictures.layer import Layer
from dpviz.pictures.marks import NOTHING, Line


class NullLevel(Layer):
    """The 95 % quantile of Epsilon* where nothing leaks; of counted ratios only."""

    def add_marks(self) -> None:
        label = "chance alone (95 %)"
        self._line = self.add(
            "line", Line(color=theme.SELECTION, dash="dash_dotted", width=1.5, label=label)
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        sample = result.sample
        return (sample and sample.audit.null, result.spec.method, sample and sample.epsilon_star)

    def draw(self, result: Result) -> None:
        null = result.sample and result.sample.audit.null
        if not null or result.spec.method != "empirical":
            self.hide()
            return
        level = null.quantile("epsilon_star")
        is_inside = self.y.low <= level <= self.y.high
        self._line.draw(self.frame.horizontal(level) if is_inside else NOTHING)
