"""The epsilon of the claim, beside the estimate."""

from dpviz.analysis import Result
from dpviz.pictures import theme
from dpviz.pictures.layer import ClaimLayer
from dpviz.pictures.marks import NOTHING, Line


class ClaimedEpsilon(ClaimLayer):
    """The claim's epsilon as a horizontal line, unless it is above the picture."""

    def add_marks(self) -> None:
        self._line = self.add("line", Line(color=theme.LEVEL, width=2.5, label="claimed ε"))

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.claim, result.sample and result.sample.epsilon_star)  # it sets the axes

    def draw(self, result: Result) -> None:
        epsilon = result.claim.epsilon
        self._line.draw(self.frame.horizontal(epsilon) if epsilon <= self.y.high else NOTHING)
