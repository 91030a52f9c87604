"""Pictures as SVG: paths, labels, marks and axes in pixels, and the frame that writes them."""

import math
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby
from typing import Any, Generic, TypeVar, cast
from unicodedata import east_asian_width

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.drawing import marks, theme
from dpviz.drawing.axes import Axis, AxisSpec
from dpviz.drawing.frame import Frame
from dpviz.drawing.labels import FONT_SIZE, LINE_HEIGHT, LabelPlace, PathLabel, label_places
from dpviz.drawing.layer import Layer
from dpviz.drawing.marks import D, Mark
from dpviz.drawing.scene import Scene
from dpviz.drawing.theme import AXIS, PAPER

# Characters that XML 1.0 excludes (production 2).
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# Named one by one: not every program knows a generic sans-serif font.
FONTS = "Helvetica, Arial, Liberation Sans, DejaVu Sans, Noto Sans, sans-serif"
LETTER_WIDTH = 0.57  # width of a letter over the font size; common sans-serif fonts average less


def escaped(text: str) -> str:
    """Return a text escaped for XML; characters that XML excludes become U+FFFD."""
    return escape(FORBIDDEN.sub("\ufffd", text))


def estimated_width(text: str, font_size: float) -> float:
    """Estimate the width of a text in pixels; the exact width depends on the viewer's font."""
    letters = sum(1.8 if east_asian_width(letter) in "WF" else 1.0 for letter in text)
    return LETTER_WIDTH * font_size * letters


def shortened(text: str, font_size: float, width: float) -> str:
    """Return a text, or its beginning and an ellipsis if it is wider than `width` pixels."""
    short = text
    while text and estimated_width(short, font_size) > width:
        text = text[:-1]
        short = text + "…"
    return short


def wrapped(text: str, font_size: float, width: float) -> list[str]:
    """Break a text into lines no wider than `width` pixels, between words where possible."""
    lines: list[str] = []
    line = ""
    # Numbers stay with their percent and relation signs: blanks between them break no line.
    for word in re.sub(r" (?=[%=≈≤≥])|(?<=[=≈≤≥]) ", "\u00a0", text).split(" "):
        joined = f"{line} {word}" if line else word
        if estimated_width(joined, font_size) <= width:
            line = joined
            continue
        if line:
            lines.append(line)
        line = word
        while estimated_width(line, font_size) > width and len(line) > 1:
            kept = max(1, int(width / estimated_width(line, font_size) * len(line)))
            lines.append(line[:kept])
            line = line[kept:]
    return [*lines, line] if line else lines


# ----- paths through pixels, exact to 0.01 pixels

# Corners of markers with area 1; a circle has none.
UNIT_MARKERS = {
    "diamond": [(0, -0.7071), (0.7071, 0), (0, 0.7071), (-0.7071, 0)],
    "triangle-up": [(0, -0.8774), (0.7598, 0.4387), (-0.7598, 0.4387)],
    "cross": [
        *((-0.2236, -0.6708), (0.2236, -0.6708), (0.2236, -0.2236), (0.6708, -0.2236)),
        *((0.6708, 0.2236), (0.2236, 0.2236), (0.2236, 0.6708), (-0.2236, 0.6708)),
        *((-0.2236, 0.2236), (-0.6708, 0.2236), (-0.6708, -0.2236), (-0.2236, -0.2236)),
    ],
}

FARTHEST_PIXEL = 1e5  # pixels; vertices farther out are moved to there
TOLERANCE = 0.05  # pixels; a vertex this close to the line of its neighbours is left out


def outline_path(pixels: FloatArray, *, closed: bool = False) -> str:
    """Return an SVG path through vertices, without vertices inside straight lines."""
    corners = _without_collinear(_clipped_and_rounded(pixels))
    before = corners[0]
    parts = [f"M{before[0]:g} {before[1]:g}"]
    for x, y in corners[1:]:
        if y == before[1]:
            parts.append(f"H{x:g}")
        elif x == before[0]:
            parts.append(f"V{y:g}")
        else:
            parts.append(f"L{x:g} {y:g}")
        before = [x, y]
    return "".join(parts) + ("Z" if closed else "")


def markers_path(pixels: FloatArray, marker: str, size: float) -> str:
    """Return an SVG path of equal markers of `size` square pixels, one at each row of `pixels`."""
    if marker == "circle":
        # Two half circles: an arc that ends where it begins would not be drawn.
        radius = f"{np.sqrt(size / np.pi):.2f}"
        across = f"{2 * float(radius):g}"
        arcs = f"a{radius} {radius} 0 1 0 {across} 0a{radius} {radius} 0 1 0 -{across} 0"
        starts = _clipped_and_rounded(pixels - [float(radius), 0]).tolist()
    else:
        # Relative moves between the corners of one marker, repeated at each place.
        corners = np.sqrt(size) * np.array(UNIT_MARKERS[marker])
        moves = np.round(np.diff(corners, axis=0), 2) + 0.0
        arcs = "".join(f"l{x:g} {y:g}" for x, y in moves.tolist()) + "z"
        starts = _clipped_and_rounded(pixels + corners[0]).tolist()
    return "".join(f"M{x:g} {y:g}{arcs}" for x, y in starts)


def _clipped_and_rounded(pixels: FloatArray) -> FloatArray:
    inside = np.clip(pixels, -FARTHEST_PIXEL, FARTHEST_PIXEL)
    return np.asarray(np.round(inside, 2) + 0.0, np.float64)  # + 0.0: no "-0"


def _without_collinear(corners: FloatArray) -> list[list[float]]:
    """Drop vertices of a line that are within `TOLERANCE` pixels of the simplified line."""
    # A repeated corner has no direction: a straight line from it has length 0.
    is_new = np.append(True, (np.diff(corners, axis=0) != 0).any(axis=1))
    points: list[list[float]] = corners[is_new].tolist()
    kept, i = points[:1], 0
    while i < len(points) - 1:
        i = _last_collinear_index(points, i)
        kept.append(points[i])
    return kept


def _last_collinear_index(points: list[list[float]], i: int) -> int:
    """Return the largest j such that points i + 1, ..., j - 1 are close to the line from i to j."""
    (x0, y0), (x1, y1) = points[i], points[i + 1]
    length = math.hypot(x1 - x0, y1 - y0)
    # Coordinates along and across the first step; the slope of a corner is their ratio.
    right, down = (x1 - x0) / length, (y1 - y0) / length
    low, high, before = -math.inf, math.inf, 0.0
    end = i + 1
    for j in range(i + 1, len(points)):
        x, y = points[j][0] - x0, points[j][1] - y0
        along, aside = x * right + y * down, y * right - x * down
        if along <= before or not low <= aside / along <= high:
            break
        low, high = max(low, (aside - TOLERANCE) / along), min(high, (aside + TOLERANCE) / along)
        before, end = along, j
    return end


@dataclass(frozen=True, kw_only=True)
class PlotArea:
    """Two axes, and the rectangle that they span, in pixels of the picture."""

    left: float
    top: float
    width: float
    height: float
    x: Axis
    y: Axis

    @property
    def right(self) -> float:
        """The x of the right end of the axes, in pixels."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """The y of the lower end of the axes, in pixels."""
        return self.top + self.height

    def to_pixels(self, data: FloatArray) -> FloatArray:
        """Return data points in pixels; the last dimension of `data` is (x, y)."""
        x = self.left + self.width * self.x.relative_positions(data[..., 0])
        y = self.bottom - self.height * self.y.relative_positions(data[..., 1])
        return np.stack([x, y], axis=-1)

    def contains(self, pixels: FloatArray) -> NDArray[np.bool]:
        """Return whether each point (x, y), in pixels, is at most one pixel outside the axes."""
        x, y = pixels.T
        across = (x >= self.left - 1) & (x <= self.right + 1)
        return np.asarray(across & (y >= self.top - 1) & (y <= self.bottom + 1))

    def scale_attributes(self) -> str:
        """Return SVG attributes from which a script computes pixels: scales and ranges of axes."""
        numbers: dict[str, object] = {}
        for name, axis in (("x", self.x), ("y", self.y)):
            numbers |= {f"{name}-scale": axis.spec.scale, f"{name}-low": float(axis.low)}
            numbers |= {f"{name}-high": float(axis.high), f"{name}-rate": int(axis.spec.is_rate)}
        numbers |= {n: f"{getattr(self, n):g}" for n in ("left", "top", "width", "height")}
        return " ".join(f'data-{name}="{number}"' for name, number in numbers.items())


@dataclass(frozen=True, kw_only=True)
class MarkLabel:
    """The label of a mark: its text and path in pixels, its colour, the id of its SVG element."""

    name: str
    color: str
    label: PathLabel


def _label_svg(label: MarkLabel, at: LabelPlace, plot: PlotArea) -> str:
    """Return SVG of a label at its place, with a leader line if the mark is not near."""
    x, top = plot.left + at.box[2 if at.at_end else 0], plot.top + at.box[1]
    anchor = ' text-anchor="end"' if at.at_end else ""
    leader = ""
    if at.leader is not None:
        x1, y1, x2, y2 = at.leader
        start = f"M{plot.left + x1:.5g} {plot.top + y1:.5g}"
        end = f"L{plot.left + x2:.5g} {plot.top + y2:.5g}"
        leader = f'<path d="{start}{end}" stroke="{label.color}"/>'
    texts = ""
    for i, line in enumerate(at.lines):
        start = f'<text x="{x:.5g}" y="{top + FONT_SIZE * (LINE_HEIGHT * i + 1):.5g}"{anchor}'
        halo = f'stroke="{PAPER}" stroke-width="3" stroke-linejoin="round" aria-hidden="true"'
        # Written twice: not every program draws a stroke behind its own letters.
        texts += f"{start} {halo}>{escaped(line)}</text>{start}>{escaped(line)}</text>"
    return f'<g id="{label.name}" fill="{label.color}">{leader}{texts}</g>'


# Marks keep data, not pixels: a later layer may still set the axes.
M = TypeVar("M", bound=Mark[Any])
P = TypeVar("P", marks.Points, marks.Handle)


class SvgMark(marks.DrawnMark, Generic[M]):
    """A mark as one SVG element, whose id is the same whenever the picture is drawn."""

    _texts: Sequence[str] = ()  # one beside each marker

    def __init__(
        self, mark: M, element_id: str, plot: PlotArea, *, kept_if_empty: bool, never_written: bool
    ) -> None:
        self.mark, self.element_id = mark, element_id
        self.is_kept, self._never_written = kept_if_empty and not never_written, never_written
        self._plot, self.script_label = plot, mark.label
        self.data: FloatArray = marks.NOTHING  # in units of the axes

    @property
    def is_shown(self) -> bool:
        """Whether the mark is visible: it has vertices, and is not an omitted extra mark."""
        return len(self.data) > 0 and not self._never_written

    @property
    def points(self) -> list[tuple[float, float, str]]:
        """The vertices or markers as (x, y, text), in units of the axes."""
        places = self.data.reshape(-1, 2).tolist()
        # A hidden mark keeps its texts, for which it has no places.
        texts = self._texts or [""] * len(places)
        return [(x, y, text) for (x, y), text in zip(places, texts, strict=False)]

    def svg(self) -> str:
        """Return the SVG element; "" if the mark is invisible and no script can show it later."""
        path = self._path_data(self._plot.to_pixels(self.data)) if self.is_shown else ""
        if not path and not self.is_kept:
            return ""
        shown = "" if path else ' display="none"'
        return f'<path id="{self.element_id}" d="{path or "M0 0"}"{shown} {self._style()}/>'

    @property
    def texts(self) -> Sequence[str]:
        """The texts beside the mark: its label, or one text for each marker."""
        return self._texts or ([self.mark.label] if self.mark.label else [])

    def labels(self) -> list[MarkLabel]:
        """Return labels for the texts of the mark; their places are not chosen yet."""
        mark, vertices = self.mark, self.pixel_vertices()
        # Texts of markers stand beside one marker each, a label beside the whole mark.
        paths = list(vertices[:, None]) if self._texts else [vertices] * len(self.texts)
        return [
            MarkLabel(
                name=f"{self.element_id}-label-{i}",
                color=theme.text_color(mark.color),
                label=PathLabel(text=text, path=path, kind=mark.path_kind, gap=mark.label_gap),
            )
            for i, (text, path) in enumerate(zip(self.texts, paths, strict=True))
            if text
        ]

    def label_data(self) -> dict[str, Any]:
        """Return the data from which a script writes the labels of the mark."""
        return {
            "mark": self.element_id,
            "texts": [self.script_label if t == self.mark.label else t for t in self.texts],
            "kind": self.mark.path_kind,
            "gap": self.mark.label_gap,
            "color": theme.text_color(self.mark.color),
            "places": self.data.tolist() if self.mark.path_kind == "points" else [],
        }

    def pixel_vertices(self) -> FloatArray:
        """Return the vertices of the visible path, in pixels."""
        return self._plot.to_pixels(self.data)

    @override
    def hide(self) -> None:
        self.data = marks.NOTHING

    @override
    def set_label(self, label: str) -> None:
        self.mark, self.script_label = replace(self.mark, label=label), label

    def _set_data(self, data: FloatArray) -> None:
        if not np.isfinite(data).all():
            raise checks.fail("vertices", "finite", data[~np.isfinite(data)].flat[0])
        self.data = np.array(data, float)

    @abstractmethod
    def _style(self) -> str:
        """Return the SVG attributes for colour, stroke and opacity."""

    @abstractmethod
    def _path_data(self, pixels: FloatArray) -> str: ...


class SvgLines(SvgMark[M], marks.DrawnLines):
    """A mark that is given by its vertices: a line, an area or segments."""

    @override
    def draw(self, vertices: FloatArray) -> None:
        self._set_data(vertices)


class SvgLine(SvgLines[marks.Line]):
    """A line as SVG; the area between the line and the lower edge of the plot may be filled."""

    @override
    def pixel_vertices(self) -> FloatArray:
        corners = super().pixel_vertices()
        if not self.mark.steps:
            return corners
        # Between two vertices comes a corner with the next x and the present height.
        twice = np.repeat(corners, 2, axis=0)
        return np.column_stack([twice[1:, 0], twice[:-1, 1]])

    def _style(self) -> str:
        mark = self.mark
        return _fill_style(mark.color, mark.fill) + _stroke_style(mark.color, mark.width, mark.dash)

    def _path_data(self, pixels: FloatArray) -> str:
        corners = self.pixel_vertices()
        if self.mark.fill:
            feet = corners[[0, -1]].copy()
            feet[:, 1] = self._plot.bottom
            corners = np.vstack([feet[:1], corners, feet[1:]])
        return outline_path(corners)


class SvgArea(SvgLines[marks.Area]):
    """A filled outline, as SVG."""

    def _style(self) -> str:
        mark = self.mark
        stroke = _stroke_style(mark.color, mark.width, mark.dash) if mark.outline else ""
        return _fill_style(mark.color, mark.opacity) + stroke

    def _path_data(self, pixels: FloatArray) -> str:
        return outline_path(pixels, closed=True)


class SvgSegments(SvgLines[marks.Segments]):
    """Separate straight segments, as SVG."""

    def _style(self) -> str:
        return _fill_style(self.mark.color, 0) + _stroke_style(self.mark.color, self.mark.width)

    def _path_data(self, pixels: FloatArray) -> str:
        ends = _clipped_and_rounded(pixels).tolist()
        return "".join(f"M{a[0]:g} {a[1]:g}L{b[0]:g} {b[1]:g}" for a, b in ends)


class SvgMarkers(SvgMark[P]):
    """Markers of one shape; markers outside the axes are not written."""

    _shape = ""

    @property
    def is_hollow(self) -> bool:
        """Whether the markers are drawn by their edges only."""
        return bool(self.mark.outline)

    @property
    def shape(self) -> str:
        """The shape of the markers, a key of `UNIT_MARKERS` or "circle"."""
        return self._shape or self.mark.marker

    def _style(self) -> str:
        return _fill_style(self.mark.color, 1)

    def _path_data(self, pixels: FloatArray) -> str:
        return markers_path(pixels[self._plot.contains(pixels)], self.shape, self.mark.size)


class SvgPoints(SvgMarkers[marks.Points], marks.DrawnPoints):
    """Fixed markers, as SVG."""

    def _style(self) -> str:
        color, width = self.mark.color, self.mark.outline
        if width:
            return _fill_style(color, 0) + _stroke_style(color, width)
        return _fill_style(color, self.mark.opacity)

    @override
    def draw(self, places: FloatArray, *, texts: list[str] | None = None) -> None:
        self._set_data(places)
        self._texts = (texts or ()) if len(places) else ()


class SvgHandle(SvgMarkers[marks.Handle], marks.DrawnHandle):
    """A marker that users can drag in a widget, as SVG at its current place."""

    _hollow = False

    @property
    @override
    def is_hollow(self) -> bool:
        return self._hollow

    @override
    def place(
        self, x: float, y: float, *, marker: str | None = None, text: str = "", hollow: bool = False
    ) -> None:
        self._set_data(np.array([[self._plot.x.clamp(x), self._plot.y.clamp(y)]]))
        self._shape = marker or self._shape
        self._texts = [text] if text else ()
        self._hollow = hollow

    def _path_data(self, pixels: FloatArray) -> str:
        lower = pixels + np.array([0, self.mark.drop])
        return markers_path(lower, self.shape, self.mark.size)

    def _style(self) -> str:
        # A script swaps both colours where the marker becomes hollow or filled.
        fill, stroke = self.mark.color, theme.PAPER
        if self.is_hollow:
            fill, stroke = "none", fill
        return f'fill="{fill}" stroke="{stroke}" stroke-width="1.5"'


SVG_MARKS: dict[type[marks.Mark[Any]], type[SvgMark[Any]]] = {
    marks.Line: SvgLine,
    marks.Area: SvgArea,
    marks.Segments: SvgSegments,
    marks.Points: SvgPoints,
    marks.Handle: SvgHandle,
    marks.Cursor: SvgHandle,
}


def _fill_style(color: str, opacity: float) -> str:
    translucent = f' fill-opacity="{opacity:g}"' if opacity < 1 else ""
    return f'fill="{color}"{translucent}' if opacity else 'fill="none"'


def _stroke_style(color: str, width: float, dash: theme.Dash = "solid") -> str:
    dashes = theme.SVG_DASHES[dash]
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f' stroke="{color}" stroke-width="{width:g}"{dashed}'


TICK_FONT_SIZE = 11  # font size at ticks, in pixels
TICK_LENGTH = 5  # length of a tick
X_LABEL_OFFSET = 33  # from the x axis to the base line of its label


def x_axis_svg(plot: PlotArea, top_axis: Axis | None = None) -> str:
    """Return as SVG the x axis below the plot or, if given, `top_axis` above the plot."""
    axis, edge, tick, below = plot.x, plot.bottom, TICK_LENGTH, 12
    if top_axis is not None:
        axis, edge, tick, below = top_axis, plot.top, -TICK_LENGTH, -4
    marks, names, end = "", "", -np.inf
    for value, name in sorted(axis.ticks.items()):
        at = float(plot.left + plot.width * axis.relative_positions(np.array(value)))
        marks += f"M{at:.4g} {edge:g}v{tick}"
        half = estimated_width(name, TICK_FONT_SIZE) / 2
        if at - half > end:
            names += (
                f'<text x="{at:.4g}" y="{edge + tick + below:g}" text-anchor="middle">'
                f"{escaped(name)}</text>"
            )
            end = at + half + 4
    line = f"M{plot.left:g} {edge:g}H{plot.right:g}{marks}"
    middle = plot.left + plot.width / 2
    return _axis_svg(line, names) + _axis_label_svg(axis.label, middle, edge + X_LABEL_OFFSET)


def y_axis_svg(plot: PlotArea) -> str:
    """Return the y axis as SVG, with its ticks and its label."""
    marks, names = "", ""
    beside = plot.left - TICK_LENGTH - 3
    for value, name in sorted(plot.y.ticks.items()):
        at = float(plot.bottom - plot.height * plot.y.relative_positions(np.array(value)))
        marks += f"M{plot.left:g} {at:.4g}h-{TICK_LENGTH}"
        names += (
            f'<text x="{beside:g}" y="{at + 4:.4g}" text-anchor="end">'
            f"{escaped(shortened(name, TICK_FONT_SIZE, beside))}</text>"
        )
    line = f"M{plot.left:g} {plot.top:g}V{plot.bottom:g}{marks}"
    middle = plot.top + plot.height / 2
    return _axis_svg(line, names) + _axis_label_svg(plot.y.label, 14, middle, turned=True)


def _axis_svg(path: str, tick_texts: str) -> str:
    return (
        f'<path d="{path}" fill="none" stroke="{AXIS}"/>'
        f'<g font-size="{TICK_FONT_SIZE}" aria-hidden="true">{tick_texts}</g>'
    )


def _axis_label_svg(text: str, x: float, y: float, *, turned: bool = False) -> str:
    if not text:
        return ""
    turn = f' transform="rotate(-90 {x:g} {y:g})"' if turned else ""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="middle"{turn}>{escaped(text)}</text>'


WIDTH = 480  # pixels of a frame with its margins


class SvgFrame(Frame):
    """Axes and marks of one picture as SVG without a style sheet, for a white page."""

    def __init__(
        self, scene: Scene, name: str = "picture", *, show_extra: bool = False, width: float = WIDTH
    ) -> None:
        self.name, self._show_extra = name, show_extra
        self.x, self.y = Axis(scene.x), Axis(scene.y)
        self.top = Axis(AxisSpec(label="", visible=scene.has_top))
        margins, self.height, self.shape = scene.margins, scene.height(width), scene.shape
        self.plot = PlotArea(
            left=margins["left"],
            top=margins["top"],
            width=width - margins["left"] - margins["right"],
            height=self.height - margins["top"] - margins["bottom"],
            x=self.x,
            y=self.y,
        )
        self.marks: list[SvgMark[Any]] = []
        self._numbers: Counter[str] = Counter()
        self._role, self._is_live = "mark", False

    def name_next_marks(self, layer: Layer) -> None:
        """Put the class name of `layer` into the ids of SVG elements that are added next."""
        # The class name `ClaimRegion` becomes "claim_region" in the ids of its elements.
        name = type(layer).__name__.removesuffix("Layer")
        self._role = re.sub("(?<!^)(?=[A-Z])", "_", name).lower()
        self._is_live = layer.closed_form

    def add_layers(self, layers: Sequence[Layer]) -> None:
        """Add the marks of layers, from back to front, hidden until they are drawn."""
        for layer in layers:
            self.name_next_marks(layer)
            layer.add_to_frame(self, lambda **_: None)  # in a file nobody can drag a handle

    def draw_layers(self, layers: Sequence[Layer], result: Any) -> None:
        """Add and draw layers for a result, from back to front."""
        self.follow_naming(result.naming)
        self.add_layers(layers)
        for layer in layers:
            if layer.has_content_for(result):
                layer.draw(result)

    @override
    def add(self, mark: Mark[D]) -> D:
        # A mark that is left out has a number, too: ids do not depend on `show_extra`.
        number = self._numbers[self._role]
        self._numbers[self._role] += 1
        element_id = f"{self.name}-{self._role}-{number}"
        skip = mark.extra and not self._show_extra
        named = replace(mark, label=self.label_of(mark))
        make = SVG_MARKS[type(mark)]
        drawn = make(named, element_id, self.plot, kept_if_empty=self._is_live, never_written=skip)
        drawn.script_label = self.script_label_of(mark)
        self.marks.append(drawn)
        return cast(D, drawn)

    def labels(self) -> list[MarkLabel]:
        """Return the labels of the visible marks, in the order in which they are placed."""
        return [label for drawn in self.svg_marks() if drawn.is_shown for label in drawn.labels()]

    def svg_marks(self) -> list[SvgMark[Any]]:
        """Return the marks in the order in which labels are placed."""
        shown = [drawn for drawn in self.marks if drawn.is_shown or drawn.is_kept]
        return sorted(shown, key=lambda drawn: marks.label_order(drawn.mark))

    def placed_labels(self) -> list[tuple[MarkLabel, LabelPlace]]:
        """Return (label, place) for each label that has a free place."""
        # Of the marks without a label, labels avoid all lines, but no markers.
        silent = [
            drawn.pixel_vertices()
            for drawn in self.marks
            if drawn.is_shown
            if marks.is_avoided_by_labels(drawn.mark)
            if not (drawn.labels() or isinstance(drawn, SvgMarkers))
        ]
        labels, plot, corner = self.labels(), self.plot, [self.plot.left, self.plot.top]
        wanted = []
        for each in labels:
            text = shortened(each.label.text, FONT_SIZE, plot.width - 8)
            wanted.append(replace(each.label, text=text, path=each.label.path - corner))
        around = [path - corner for path in silent]
        places = label_places(wanted, around, plot.width, plot.height, FONT_SIZE)
        return [(each, at) for each, at in zip(labels, places, strict=True) if at is not None]

    def svg(self) -> str:
        """Return the SVG of the axes, the marks from back to front, and the labels on top."""
        clip, plot = f"{self.name}-clip", self.plot
        labels = "".join(_label_svg(*each, plot) for each in self.placed_labels())
        written = ""
        # Markers are not clipped: one at the edge is seen as a whole.
        for is_marker, group in groupby(self.marks, lambda mark: isinstance(mark, SvgMarkers)):
            text = "".join(mark.svg() for mark in group)
            written += text if is_marker else f'<g clip-path="url(#{clip})">{text}</g>'
        return (
            f'<clipPath id="{clip}"><rect x="{plot.left:g}" y="{plot.top:g}" '
            f'width="{plot.width:g}" height="{plot.height:g}"/></clipPath>'
            f'<g id="{self.name}-x-axis">{x_axis_svg(plot) if self.x.spec.visible else ""}</g>'
            f'<g id="{self.name}-y-axis">{y_axis_svg(plot) if self.y.spec.visible else ""}</g>'
            f"{x_axis_svg(plot, self.top) if self.top.spec.visible else ''}{written}"
            f'<g id="{self.name}-labels"><g font-size="{FONT_SIZE}">{labels}</g></g>'
        )
