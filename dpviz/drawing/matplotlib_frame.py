"""Drawing of a scene on Matplotlib's Axes, with the same marks and labels as in SVG."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from typing_extensions import override

from dpviz import checks
from dpviz.drawing import marks, theme
from dpviz.drawing.axes import Axis
from dpviz.drawing.labels import FONT_SIZE, LINE_HEIGHT
from dpviz.drawing.layer import Layer
from dpviz.drawing.scene import Scene
from dpviz.drawing.svg import UNIT_MARKERS, WIDTH, SvgFrame, SvgHandle, SvgMark, SvgMarkers, wrapped

PIXELS, POINTS = 96, 72  # per inch
POINT = POINTS / PIXELS  # of a pixel
TITLE_SIZE, TITLE_HEIGHT = 14, 24  # in pixels, as in an SVG
TICK_SIZE, LABEL_SIZE = 11, 12
LABEL_GAP = 1  # points between ticks and the label of an axis


class MatplotlibFrame(SvgFrame):
    """Axes and marks of one picture, drawn on Matplotlib's Axes `ax` at the size of `ax`."""

    def __init__(self, scene: Scene, ax: Any) -> None:
        super().__init__(scene)
        self.ax = ax
        # The marks are the same as in an SVG; labels are placed for the size of `ax`, in pixels.
        box = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
        size = {"width": box.width * PIXELS, "height": box.height * PIXELS}
        self.plot = replace(self.plot, left=0.0, top=0.0, **size)

    @override
    def draw_layers(self, layers: Sequence[Layer], result: Any) -> None:
        """Draw the layers of a result from back to front, then the labels and the axes."""
        super().draw_layers(layers, result)
        shown = [drawn for drawn in self.marks if drawn.is_shown]
        for i, drawn in enumerate(shown):
            first, *filling = self._add_artists(drawn)
            first.set_gid(drawn.element_id)
            for artist in (first, *filling):
                artist.set_zorder(2 + i / len(shown))
        self._write_labels()
        self._copy_axes()

    def _add_artists(self, drawn: SvgMark[Any]) -> list[Any]:
        """Add a mark to the Axes; return its artists: first a line, then the area below it."""
        mark, (x, y) = drawn.mark, drawn.data.reshape(-1, 2).T
        if isinstance(drawn, SvgMarkers):
            return [self._add_markers(drawn)]
        # Lines, areas and segments; Matplotlib measures widths in points.
        line = {"linewidth": mark.width * POINT}
        if isinstance(mark, marks.Segments):
            from matplotlib.collections import LineCollection  # optional

            return [
                self.ax.add_collection(LineCollection([*drawn.data], colors=mark.color, **line))
            ]
        # Matplotlib counts dashes in widths of the line.
        dashes = [float(length) / mark.width for length in theme.SVG_DASHES[mark.dash].split()]
        line["linestyle"] = (0, dashes) if dashes else "-"
        if isinstance(mark, marks.Area):
            inside, edge = (mark.color, mark.opacity), mark.color if mark.outline else "none"
            return list(self.ax.fill(x, y, facecolor=inside, edgecolor=edge, **line))
        drawstyle, step = ("steps-post", "post") if mark.steps else ("default", None)
        artists = list(self.ax.plot(x, y, color=mark.color, drawstyle=drawstyle, **line))
        if mark.fill:
            look = {"color": mark.color, "alpha": mark.fill, "linewidth": 0, "step": step}
            artists.append(self.ax.fill_between(x, y, self.y.low, **look))
        return artists

    def _add_markers(self, drawn: SvgMarkers[Any]) -> Any:
        from matplotlib.markers import MarkerStyle  # optional
        from matplotlib.path import Path

        mark: Any = drawn.mark
        is_handle, is_hollow = isinstance(drawn, SvgHandle), drawn.is_hollow
        shape, inside = drawn.shape, drawn.data[self.plot.contains(drawn.pixel_vertices())]
        # Matplotlib's y ascends; a marker is scaled by its longest side, measured from its place.
        path = Path.circle((0, 0), 1 / np.sqrt(np.pi))
        if shape in UNIT_MARKERS:
            path = Path([*UNIT_MARKERS[shape], (0, 0)] * np.array([1, -1]), closed=True)
        if is_handle:
            path = Path(np.asarray(path.vertices) - [0, mark.drop / np.sqrt(mark.size)], path.codes)
        extent = 2 * np.abs(np.asarray(path.vertices)).max() * np.sqrt(mark.size) * POINT
        color, width = mark.color, 1.5 if is_handle else mark.outline
        fill = "none" if is_hollow else (color, 1 if is_handle else mark.opacity)
        edge = color if is_hollow else self.ax.get_facecolor() if is_handle else "none"
        look = {"facecolors": fill, "edgecolors": edge, "linewidths": width * POINT}
        return self.ax.scatter(
            *inside.T, s=extent**2, marker=MarkerStyle(path), clip_on=False, **look
        )

    def _write_labels(self) -> None:
        """Write the labels of marks, with halos, where an SVG of the same size has its labels."""
        from matplotlib.patheffects import withStroke  # optional

        halo = [withStroke(linewidth=3 * POINT, foreground=self.ax.get_facecolor())]
        width, height, above = self.plot.width, self.plot.height, {"zorder": 4}
        for label, at in self.placed_labels():
            look = {"color": label.color, "transform": self.ax.transAxes, **above}
            if at.leader is not None:
                x1, y1, x2, y2 = at.leader
                ends = [x1 / width, x2 / width], [1 - y1 / height, 1 - y2 / height]
                self.ax.plot(*ends, linewidth=POINT, **look)
            x, side = (at.box[2], "right") if at.at_end else (at.box[0], "left")
            for i, text in enumerate(at.lines):
                y = at.box[1] + FONT_SIZE * (LINE_HEIGHT * i + 1)
                look |= {"horizontalalignment": side, "fontsize": FONT_SIZE * POINT}
                written = self.ax.text(x / width, 1 - y / height, text, parse_math=False, **look)
                written.set(path_effects=halo, gid=label.name)

    def _copy_axes(self) -> None:
        """Give Matplotlib's axes the labels, ranges and ticks of the axes of this frame."""
        ax, x, y = self.ax, self.x, self.y
        ax.set(xscale=_scale_name(x), yscale=_scale_name(y))
        for axis, side, name in ((x, "bottom", "x"), (y, "left", "y")):
            _set_ticks(ax, axis, name)
            ax.spines[side].set_visible(axis.spec.visible)
            getattr(ax, f"{name}axis").set_visible(axis.spec.visible)
        ax.spines[["top", "right"]].set_visible(False)
        if self.top.spec.visible:
            _set_ticks(ax.twiny(), self.top, "x")


def plot_scene(scene: Scene, result: Any, ax: Any = None) -> Any:
    """Draw a scene of a result on `ax`, or on the Axes of a new figure; return the Axes."""
    try:
        from matplotlib import axes, pyplot  # optional
    except ImportError as error:
        advice = "pip install matplotlib; .svg(...) draws the same without it"
        raise ImportError(f"plot needs Matplotlib: {advice}") from error
    if ax is None:
        height, margins = scene.height(WIDTH) + TITLE_HEIGHT, scene.margins
        figure, ax = pyplot.subplots(figsize=(WIDTH / PIXELS, height / PIXELS))
        sides = {"left": margins["left"] / WIDTH, "right": 1 - margins["right"] / WIDTH}
        top, bottom = 1 - (margins["top"] + TITLE_HEIGHT) / height, margins["bottom"] / height
        figure.subplots_adjust(**sides, top=top, bottom=bottom)
    checks.must_be_a("ax", ax, axes.Axes, "Axes of Matplotlib")
    frame = MatplotlibFrame(scene, ax)
    frame.draw_layers(scene.layers(), result)
    lines = wrapped(scene.title_of(result), TITLE_SIZE, frame.plot.width)
    ax.set_title(_with_escaped_dollars("\n".join(lines)), loc="left", fontsize=TITLE_SIZE * POINT)
    return ax


def _scale_name(axis: Axis) -> str:
    return "log" if axis.spec.scale == "log" else "linear"  # log odds are already logarithms


def _set_ticks(ax: Any, axis: Axis, name: str) -> None:
    places, texts = [*axis.ticks], [_with_escaped_dollars(text) for text in axis.ticks.values()]
    ticks = getattr(ax, f"set_{name}ticks")
    ticks(places, labels=texts, fontsize=TICK_SIZE * POINT)
    ticks([], minor=True)
    look = {f"{name}lim": (axis.low, axis.high), f"{name}label": _with_escaped_dollars(axis.label)}
    ax.set(**look)
    getattr(ax, f"{name}axis").label.set_fontsize(LABEL_SIZE * POINT)
    getattr(ax, f"{name}axis").labelpad = LABEL_GAP


def _with_escaped_dollars(text: str) -> str:
    """Escape dollar signs, with which a formula begins in Matplotlib."""
    return text.replace("$", r"\$")
