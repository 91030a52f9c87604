"""A frame that writes SVG."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import cast

from typing_extensions import override

from dpviz.analysis import Result
from dpviz.pictures.axes import Axis
from dpviz.pictures.frame import Frame
from dpviz.pictures.labels import Place
from dpviz.pictures.layer import Layer
from dpviz.pictures.marks import D, Mark
from dpviz.pictures.scene import Scene
from dpviz.pictures.svg.axes import x_axis, y_axis
from dpviz.pictures.svg.labels import MarkLabel, labels_svg, placed
from dpviz.pictures.svg.marks import SVG_MARKS, SvgHandle, SvgMark, SvgMarkers, SvgSegments
from dpviz.pictures.svg.plot import Plot

WIDTH = 480  # pixels of a frame with its margins


class SvgFrame(Frame):
    """Axes and marks of one picture as SVG: presentation attributes only, for a white page.

    The ids of its elements begin with `name`, which has letters, digits and dashes. Marks that are
    `extra` are drawn if `show_extra`.
    """

    def __init__(
        self,
        scene: Scene,
        name: str = "picture",
        *,
        show_extra: bool = False,
        width: float = WIDTH,
    ) -> None:
        self.name, self._show_extra = name, show_extra
        self.x, self.y = Axis(scene.x), Axis(scene.y)
        margins, self.height = scene.margins, scene.height(width)
        self.plot = Plot(
            left=margins["left"],
            top=margins["top"],
            width=width - margins["left"] - margins["right"],
            height=self.height - margins["top"] - margins["bottom"],
            x=self.x,
            y=self.y,
        )
        self.marks: list[SvgMark] = []
        self._numbers: Counter[str] = Counter()
        self._role, self._is_live = "mark", False

    def begin(self, layer: Layer) -> None:
        """Name the elements of the next marks after the class of `layer`."""
        self._role = re.sub("(?<!^)(?=[A-Z])", "_", type(layer).__name__).lower()
        self._is_live = layer.closed_form

    def build(self, layers: Sequence[Layer]) -> None:
        """Add the marks of layers, from back to front, hidden until they are drawn."""
        for layer in layers:
            self.begin(layer)
            layer.build(self, _unchanged)

    def draw(self, layers: Sequence[Layer], result: Result) -> None:
        """Draw layers of a result, from back to front."""
        self.follow_naming(result.naming)
        self.build(layers)
        for layer in layers:
            if layer.applies(result):
                layer.draw(result)

    @property
    def has_extra(self) -> bool:
        """Whether there are marks that are drawn only if `show_extra`."""
        return any(drawn.mark.extra for drawn in self.marks)

    @override
    def add(self, mark: Mark[D]) -> D:
        number = self._numbers[self._role]
        self._numbers[self._role] += 1
        element_id = f"{self.name}-{self._role}-{number}"
        left_out = mark.extra and not self._show_extra
        named = replace(mark, label=self.label_of(mark))
        drawn = SVG_MARKS[type(mark)](
            named, element_id, self.plot, kept=self._is_live, left_out=left_out
        )
        self.marks.append(drawn)
        return cast(D, drawn)

    def labels(self) -> list[MarkLabel]:
        """The labels of what is shown, those of handles first."""
        return [label for drawn in self.written() if drawn.is_shown for label in drawn.labels()]

    def written(self) -> list[SvgMark]:
        """The marks that are shown, or kept for a script, in the order of their labels.

        Handles are first, then other points: there are fewer places beside them than along a line.
        """
        found = [drawn for drawn in self.marks if drawn.is_shown or drawn.is_kept]
        return sorted(
            found,
            key=lambda drawn: (not isinstance(drawn, SvgHandle), not isinstance(drawn, SvgMarkers)),
        )

    def _shown(self) -> list[SvgMark]:
        return [drawn for drawn in self.marks if drawn.is_shown]

    def placed(self) -> list[tuple[MarkLabel, Place]]:
        """The labels for which there is room, and where."""
        silent = [
            drawn.corners()
            for drawn in self._shown()
            if not (drawn.labels() or isinstance(drawn, SvgSegments | SvgMarkers))
        ]
        return placed(self.labels(), silent, self.plot)

    def svg(self) -> str:
        """Axes, marks from back to front, and texts on top; lines are clipped at the axes."""
        clip, plot = f"{self.name}-clip", self.plot
        written = ""
        for is_marker, marks in groupby(self.marks, lambda mark: isinstance(mark, SvgMarkers)):
            group = "".join(mark.svg() for mark in marks)
            written += group if is_marker else f'<g clip-path="url(#{clip})">{group}</g>'
        return (
            f'<clipPath id="{clip}"><rect x="{plot.left:g}" y="{plot.top:g}" '
            f'width="{plot.width:g}" height="{plot.height:g}"/></clipPath>'
            f'<g id="{self.name}-x-axis">{x_axis(plot) if self.x.spec.visible else ""}</g>'
            f'<g id="{self.name}-y-axis">{y_axis(plot) if self.y.spec.visible else ""}</g>'
            f"{written}"
            f'<g id="{self.name}-labels">{labels_svg(self.placed(), plot)}</g>'
        )


def _unchanged(**changes: object) -> None:
    """Ignore changes: nobody can drag a handle in a file."""
