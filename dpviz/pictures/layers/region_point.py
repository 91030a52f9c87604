"""The point in the region: drag it to ask "what would this attack need?"."""

from dpviz.analysis import Result
from dpviz.analysis.tidy import tidy_rate
from dpviz.analysis.wording import short
from dpviz.analysis.words import WORDS
from dpviz.pictures import theme
from dpviz.pictures.frame import Frame, Mark
from dpviz.pictures.layer import Change


class RegionPoint:
    """A draggable (FPR, FNR); a diamond where the claim admits it, a cross where it does not."""

    closed_form = True

    def build(self, frame: Frame, change: Change) -> None:
        """One handle with its text."""
        self._handle = frame.handle(
            color=theme.ATTACK,
            marker="diamond",
            on_move=lambda fpr, fnr: change(
                fpr=tidy_rate(fpr, digits=4), fnr=tidy_rate(fnr, digits=4)
            ),
            label="point (◆ admitted, ✚ not admitted)",
            hint="drag it, or use the arrow keys",
        )

    def marks(self) -> dict[str, Mark]:
        """The handle."""
        return {"handle": self._handle}

    def parts(self, result: Result) -> tuple[object, ...]:
        """The point."""
        return (result.point,)

    def draw(self, result: Result) -> None:
        """Place the point and say whether it is admitted."""
        point = result.point
        # Measured rates imply no bound: the label must not read like one.
        label = WORDS["point"].format(
            place="admitted" if point.admitted else "not admitted",
            epsilon=short(point.epsilon),
            estimate=WORDS["point.estimate"] if point.source == "attack" else "",
        )
        self._handle.place(
            point.fpr,
            point.fnr,
            marker="diamond" if point.admitted else "cross",
            text=label,
        )
