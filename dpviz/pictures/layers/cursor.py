"""A vertical line over the whole height, dragged along x by a handle on the x axis."""

from collections.abc import Callable

from dpviz.pictures import theme
from dpviz.pictures.layer import Layer
from dpviz.pictures.marks import Handle, Line


class CursorLayer(Layer):
    """A layer with a cursor."""

    def add_cursor(
        self, *, on_move: Callable[[float], None], label: str, hint: str = "drag it"
    ) -> None:
        """Add the line and its handle; `on_move` is called with an x inside the axis."""
        self._cursor = self.add("line", Line(color=theme.SELECTION, dash="dashed", width=1.5))
        self._handle = self.add(
            "handle",
            Handle(
                color=theme.SELECTION,
                marker="triangle-up",
                on_move=lambda x, _: on_move(x),
                only="x",
                label=label,
                hint=hint,
            ),
        )

    def place_cursor(self, x: float) -> None:
        """Move the cursor to `x`, or to the end of the axis where `x` is beyond it."""
        self._cursor.draw(self.frame.vertical(x))
        self._handle.place(self.x.clamp(x), self.y.low)

    def hide_cursor(self) -> None:
        self._cursor.hide()
        self._handle.hide()
