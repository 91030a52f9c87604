"""The point in the region: drag it to ask "what would this attack need?"."""

from dpviz.analysis import Result
from dpviz.analysis.wording import short
from dpviz.pictures import theme
from dpviz.pictures.frame import Frame
from dpviz.pictures.layer import Change
from dpviz.pictures.tidy import tidy_rate


class RegionPoint:
    """A draggable (FPR, FNR); a diamond where the claim admits it, a cross where it does not."""

    closed_form = False

    def build(self, frame: Frame, change: Change) -> None:
        """One handle with its text."""
        self._handle = frame.handle(
            color=theme.ATTACK,
            marker="diamond",
            on_move=lambda fpr, fnr: change(
                fpr=tidy_rate(fpr, digits=4), fnr=tidy_rate(fnr, digits=4)
            ),
            label="point: drag it (◆ admitted, ✚ not admitted)",
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        """The point."""
        return (result.point,)

    def draw(self, result: Result) -> None:
        """Place the point and say whether it is admitted."""
        point = result.point
        verb = "admitted" if point.admitted else "not admitted"
        # Measured rates imply no bound: the label must not read like one.
        label = " (estimate)" if point.source == "attack" else ""
        self._handle.place(
            point.fpr,
            point.fnr,
            marker="diamond" if point.admitted else "cross",
            text=f"{verb}; implied ε {short(point.epsilon)}{label}",
        )
