"""A vertical line over the whole height, dragged along x by a handle on the x axis."""

from collections.abc import Callable

from dpviz.pictures import theme
from dpviz.pictures.layer import Layer
from dpviz.pictures.marks import Handle, Line


class CursorLayer(Layer):
    """A layer with a cursor."""

    def add_cursor(
        self, *, on_move: Callable[[float], None], label: str, color: str = theme.SELECTION
    ) -> None:
        """Add the line and its handle; `on_move` is called with an x inside the axis."""
        mark = Line(color=color, dash="dashed", width=1.5, label=label)
        self._cursor = self.add("line", mark)
        self._handle = self.add(
            "handle",
            Handle(
                color=color,
                marker="triangle-up",
                on_move=lambda x, _: on_move(x),
                only="x",
            ),
        )

    def place_cursor(self, x: float) -> None:
        """Move the cursor to `x`, or to the end of the axis where `x` is beyond it."""
        self._cursor.draw(self.frame.vertical(x))
        self._handle.place(self.x.clamp(x), self.y.low)

    def hide_cursor(self) -> None:
        self._cursor.hide()
        self._handle.hide()
