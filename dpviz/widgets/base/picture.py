"""One of the figures of a view and its layers."""

from typing import TYPE_CHECKING

from dpviz.analysis import Result
from dpviz.pictures.layer import Change, Layer
from dpviz.pictures.scene import Scene
from dpviz.widgets.base.closing import close_with_parts
from dpviz.widgets.base.html import Html, stack
from dpviz.widgets.base.job import event_loop
from dpviz.widgets.figures.still import Still
from dpviz.widgets.one_at_a_time import LOCK
from dpviz.widgets.state.live import BrowserState

if TYPE_CHECKING:
    from dpviz.widgets.figures.frame import PlotFrame


class Picture:
    """A scene on a figure; `widget` shows it.

    `change` requests a change of the spec. `live`, if given, draws closed forms in the browser
    until :meth:`BrowserState.forget` is called with `owner`.

    Where there is an event loop, as in a kernel, the figure is made in its next turn, or when it is
    used. Until then the same scene stands in its place as a still picture: importing bqplot and
    drawing with it takes longer than all else that a reader waits for.
    """

    def __init__(
        self, scene: Scene, *, owner: object, change: Change, live: BrowserState | None
    ) -> None:
        self.scene, self.title = scene, scene.title
        self._live, self._owner, self._change = live, owner, change
        self._font_scale = 1.0
        self._result: Result | None = None  # that is shown
        self._still: Still | None = None
        self._frame: PlotFrame | None = None
        self.widget = stack()
        if (loop := event_loop()) is None:
            self.make_figure()
        else:
            self._still = Still(scene)
            self.widget.children = [self._still]
            loop.call_soon(self.make_figure)

    def make_figure(self) -> None:
        """Put the figure in its place, unless it is there or the picture is closed."""
        with LOCK:
            if self._frame is None and self.widget.comm is not None:
                self._make_figure()

    def _make_figure(self) -> None:
        from dpviz.widgets.figures.frame import PlotFrame  # slow to import: bqplot, with pandas

        self._frame, self._layers = PlotFrame(self.scene), list(self.scene.layers())
        with self._frame.figure.hold_sync():  # all marks in one message
            for layer in self._layers:
                layer.build(self._frame, self._change)
        self._drawn: list[tuple[object, ...] | None] = [None] * len(self._layers)
        # The names of the marks, for pages on which no script writes them beside the marks.
        self._key = Html(_dom_classes=["dpviz-unlabelled"])
        self._scale(self._font_scale)
        self._tell()
        if self._result is not None:
            self.draw(self._result)
        self.widget.children = [self._frame.figure, self._key]
        if self._still is not None:
            close_with_parts([self._still])
            self._still = None

    @property
    def frame(self) -> "PlotFrame":
        """The figure; made now, if it was not before."""
        self.make_figure()
        if self._frame is None:
            raise RuntimeError("the picture is closed")
        return self._frame

    @property
    def layers(self) -> list[Layer]:
        """The layers of the figure."""
        self.make_figure()
        return self._layers

    @property
    def font_scale(self) -> float:
        """How much larger than at first margins and markers are; letters follow by style."""
        return self._font_scale

    @font_scale.setter
    def font_scale(self, scale: float) -> None:
        larger, self._font_scale = scale / self._font_scale, scale
        if self._frame is not None:
            self._scale(larger)

    def _scale(self, larger: float) -> None:
        """Make margins and markers larger."""
        if larger == 1:
            return
        figure, margins = self.frame.figure, self.scene.margins.items()
        figure.fig_margin = {side: round(self._font_scale * size) for side, size in margins}
        for mark in figure.marks:
            if mark.has_trait("default_size"):  # an area in square pixels
                mark.default_size = round(larger * mark.default_size)

    @property
    def has_extra(self) -> bool:
        """Whether there are marks that are not drawn at first."""
        shown = self.frame if self._still is None else self._still
        return shown.has_extra

    @property
    def show_extra(self) -> bool:
        """Whether marks that are `extra` are drawn, too."""
        return self._frame is not None and self._frame.show_extra

    @show_extra.setter
    def show_extra(self, show: bool) -> None:
        if show == self.show_extra:
            return
        self.frame.show_extra = show
        if self._live is not None:
            self._live.forget_picture(self.frame)
            for drawn in self.frame.drawn:  # the browser may have shown what Python never did
                if drawn.of.extra:
                    drawn.mark.send_state("visible")
            self._tell()

    def _tell(self) -> None:
        if self._live is not None:
            self._live.add_picture(self._owner, self.title, self.frame, self.layers, self._change)

    def _follow_names(self, result: Result) -> None:
        """Follow the title and the names of rates; the browser knows both."""
        title, naming = self.scene.title_of(result), result.naming
        if naming is not self.frame.naming:
            self.frame.follow_naming(naming)
            self._drawn = [None] * len(self.layers)  # texts beside marks have names, too
        elif title == self.title:
            return
        self.title = title
        if self._live is not None:
            self._live.forget_picture(self.frame)
            self._tell()

    def draw(self, result: Result) -> None:
        """Draw the layers whose parts changed, except those that the browser draws itself."""
        self._result = result
        if self._still is not None and self._frame is None:
            self.title = self.scene.title_of(result)
            self._still.draw(result)
            return
        self._follow_names(result)
        is_live = self._live is not None and self._live.draws(result)
        for i, layer in enumerate(self.layers):
            drawn = self._drawn[i]
            if drawn is not None and is_live and layer.closed_form:
                continue
            parts = layer.parts(result)
            if drawn is None or list(map(id, parts)) != list(map(id, drawn)):
                layer.draw(result)
                self._drawn[i] = parts
        if self._live is None or not self._live.ready:
            self._key.value = self.frame.key()
