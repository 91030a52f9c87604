"""An axis as bqplot draws it."""

import bqplot
import numpy as np

from dpviz.pictures.axes import Axis


class PlotAxis:
    """A scale and an axis of bqplot, which follow an :class:`Axis`; equal values send nothing."""

    def __init__(
        self,
        *,
        is_log: bool,
        vertical: bool,
        visible: bool = True,
        label_offset: str | None = None,
    ) -> None:
        self.scale = bqplot.LogScale() if is_log else bqplot.LinearScale()
        self.axis = bqplot.Axis(
            scale=self.scale,
            side="left" if vertical else "bottom",
            grid_lines="none",
            label_offset=label_offset or ("4em" if vertical else "2.4em"),
            visible=visible,
        )

    def follow(self, axis: Axis) -> None:
        """Show label, range and ticks."""
        self.axis.label = axis.label
        with self.scale.hold_sync():
            self.scale.min, self.scale.max = axis.low, axis.high
        # Labels first, in a separate message: bqplot draws new values with the labels it has.
        self.axis.tick_labels = {_as_javascript(value): text for value, text in axis.ticks.items()}
        self.axis.tick_values = np.array(sorted(axis.ticks))


def _as_javascript(value: float) -> str:
    """`String(value)` in JavaScript, by which bqplot finds the label of a tick."""
    if abs(value) >= 1e21:
        return repr(value)
    if value == int(value):
        return str(int(value))
    text = np.format_float_positional(value, trim="-")
    return text if abs(value) >= 1e-6 else repr(value).replace("e-0", "e-")
