"""A frame that writes SVG."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Literal, TypeVar

from dpviz.analysis import Result
from dpviz.pictures import theme
from dpviz.pictures.axes import Axis
from dpviz.pictures.frame import Frame
from dpviz.pictures.layer import Layer
from dpviz.pictures.scene import MARGINS, Scene
from dpviz.pictures.svg_axes import x_axis, y_axis
from dpviz.pictures.svg_marks import SvgCurve, SvgHandle, SvgMark, SvgPoints, SvgSegments
from dpviz.pictures.svg_notes import notes_svg
from dpviz.pictures.svg_plot import Plot

Mark = TypeVar("Mark", bound=SvgMark)
WIDTH, HEIGHT = 480, 330
"""Pixels of a frame with its margins."""
HANDLE = 150
"""Area of a handle in square pixels."""


class SvgFrame(Frame):
    """Axes and marks of one picture as SVG: presentation attributes only, for a white page.

    Parameters
    ----------
    scene : Scene
        Whose axes are shown.
    name : str
        What the ids of its elements begin with: unique in the document, made of letters, digits
        and dashes.

    Attributes
    ----------
    plot : Plot
        Where data stands.
    marks : list of SvgMark
        In the order of asking.
    explained : list of tuple
        Of each mark with a label: the mark, a sample of it as SVG, the label.
    """

    def __init__(self, scene: Scene, name: str = "picture") -> None:
        self.name = name
        self.x, self.y = Axis(scene.x), Axis(scene.y)
        self.plot = Plot(
            left=scene.left,
            top=MARGINS["top"],
            width=WIDTH - scene.left - MARGINS["right"],
            height=HEIGHT - MARGINS["top"] - MARGINS["bottom"],
            x=self.x,
            y=self.y,
        )
        self.marks: list[SvgMark] = []
        self.explained: list[tuple[SvgMark, str, str]] = []
        self._numbers: Counter[str] = Counter()
        self._role, self._is_live = "mark", False

    def begin(self, layer: Layer) -> None:
        """What is asked for next belongs to `layer`: its class names the elements."""
        self._role = re.sub("(?<!^)(?=[A-Z])", "_", type(layer).__name__).lower()
        self._is_live = layer.closed_form

    def draw(self, layers: Sequence[Layer], result: Result) -> list[tuple[Layer, list[SvgMark]]]:
        """Draw layers of a result, from back to front; each with the marks that it asked for."""
        asked = []
        for layer in layers:
            before = len(self.marks)
            self.begin(layer)
            layer.build(self, _unmoved)
            asked.append((layer, self.marks[before:]))
        for layer in layers:
            layer.draw(result)
        return asked

    def line(
        self,
        *,
        color: str,
        dash: theme.Dash = "solid",
        width: float = 2,
        steps: bool = False,
        fill: float = 0,
        label: str = "",
    ) -> SvgCurve:
        """A line; `steps` holds each value until the next x; `fill` is the opacity down to 0."""
        mark = SvgCurve(
            self._next_id(),
            _fill(color, fill) + _stroke(color, dash, width),
            self.plot,
            kept=self._is_live,
            held=steps,
            filled=fill > 0,
        )
        return self._add(mark, label, theme.swatch(color, dash=dash, fill=fill))

    def area(
        self,
        *,
        color: str,
        opacity: float,
        outline: bool = True,
        dash: theme.Dash = "solid",
        width: float = 2,
        label: str = "",
    ) -> SvgCurve:
        """A filled outline."""
        mark = SvgCurve(
            self._next_id(),
            _fill(color, opacity) + (_stroke(color, dash, width) if outline else ""),
            self.plot,
            kept=self._is_live,
            closed=True,
        )
        return self._add(
            mark, label, theme.swatch(color, dash=dash if outline else None, fill=opacity)
        )

    def segments(self, *, color: str, width: float = 1, label: str = "") -> SvgSegments:
        """Straight pieces that do not hang together, such as error bars."""
        look = _fill(color, 0) + _stroke(color, "solid", width)
        mark = SvgSegments(self._next_id(), look, self.plot, kept=self._is_live)
        return self._add(mark, label, theme.swatch(color))

    def points(
        self,
        *,
        color: str,
        marker: str = "circle",
        size: int = 55,
        raise_text: float = 0,
        on_pick: Callable[[int], None] | None = None,
        label: str = "",
        hint: str = "",
    ) -> SvgPoints:
        """Fixed markers; `size` is an area in pixels, texts stand `raise_text` pixels higher."""
        mark = SvgPoints(
            self._next_id(),
            _fill(color, 1),
            self.plot,
            kept=self._is_live,
            marker=marker,
            size=size,
            up=raise_text,
        )
        return self._add(mark, label, theme.marker(color, marker))

    def handle(
        self,
        *,
        color: str,
        marker: str,
        on_move: Callable[[float, float], None],
        only: Literal["x", "y"] | None = None,
        label: str = "",
        hint: str = "",
    ) -> SvgHandle:
        """A marker where the state says; nobody can drag it here."""
        mark = SvgHandle(
            self._next_id(),
            f'{_fill(color, 1)} stroke="#ffffff" stroke-width="1.5"',
            self.plot,
            kept=self._is_live,
            marker=marker,
            size=HANDLE,
        )
        return self._add(mark, label, theme.marker(color, marker))

    def entries(self) -> list[tuple[str, str]]:
        """The legend: of each mark that is there, a sample as SVG and its label."""
        return [(sample, label) for mark, sample, label in self.explained if mark.is_shown]

    def svg(self) -> str:
        """Axes, marks in the order of asking, and texts on top; lines end at the axes' ends."""
        clip, plot = f"{self.name}-clip", self.plot
        written = ""
        for is_marker, marks in groupby(self.marks, lambda mark: isinstance(mark, SvgPoints)):
            group = "".join(mark.svg() for mark in marks)
            written += group if is_marker else f'<g clip-path="url(#{clip})">{group}</g>'
        notes = [note for mark in self.marks for note in mark.notes()]
        return (
            f'<clipPath id="{clip}"><rect x="{plot.left:g}" y="{plot.top:g}" '
            f'width="{plot.width:g}" height="{plot.height:g}"/></clipPath>'
            f'<g id="{self.name}-x-axis">{x_axis(plot)}</g>{y_axis(plot)}{written}'
            f"{notes_svg(notes, plot)}"
        )

    def _add(self, mark: Mark, label: str, sample: str) -> Mark:
        self.marks.append(mark)
        if label:
            self.explained.append((mark, sample, label))
        return mark

    def _next_id(self) -> str:
        number = self._numbers[self._role]
        self._numbers[self._role] += 1
        return f"{self.name}-{self._role}-{number}"


def _unmoved(**changes: object) -> None:
    """Nobody moves what is written in a file."""


def _fill(color: str, opacity: float) -> str:
    if not opacity:
        return 'fill="none"'
    return f'fill="{color}"' + (f' fill-opacity="{opacity:g}"' if opacity < 1 else "")


def _stroke(color: str, dash: theme.Dash, width: float) -> str:
    dashes = theme.SVG_DASHES[dash]
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f' stroke="{color}" stroke-width="{width:g}"{dashed}'
