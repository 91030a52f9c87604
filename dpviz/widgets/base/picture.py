"""One of the figures of a view and its layers."""

from typing import TYPE_CHECKING

from dpviz.analysis import Result
from dpviz.drawing.layer import Change, Layer
from dpviz.drawing.scene import Scene
from dpviz.widgets.base.html import Html, close_with_parts, stack
from dpviz.widgets.base.job import event_loop
from dpviz.widgets.figures.still import Still, has_extra
from dpviz.widgets.received import LOCK
from dpviz.widgets.state.live import BrowserState

if TYPE_CHECKING:
    from dpviz.widgets.figures.frame import PlotFrame


class Picture:
    """A scene on a figure; `widget` shows it.

    `change` requests a change of the spec. `live`, if given, draws closed forms in the browser
    until :meth:`BrowserState.forget` is called with `owner`.

    The figure is made when it is used or first drawn. Before the browser draws, that is in the next
    turn of the event loop, and until then the same scene stands in its place as a still picture:
    to import bqplot, and to make its models in the browser, takes longer than all else that a
    reader waits for.
    """

    def __init__(
        self, scene: Scene, *, owner: object, change: Change, live: BrowserState | None
    ) -> None:
        self.scene, self.title = scene, scene.title
        self._live, self._owner, self._change = live, owner, change
        self._font_scale, self._show_extra = 1.0, False
        self._result: Result | None = None  # that is shown
        self._still: Still | None = None
        self._frame: PlotFrame | None = None
        self.widget = stack()

    def make_figure(self) -> None:
        """Put the figure in its place, unless it is there or the picture is closed."""
        with LOCK:
            if self._frame is None and not self.widget.is_closed:
                self._make_figure()

    def _make_figure(self) -> None:
        from dpviz.widgets.figures.frame import PlotFrame  # slow to import: bqplot, with pandas

        self._frame = frame = PlotFrame(self.scene)
        self._layers = list(self.scene.layers())
        for layer in self._layers:
            layer.build(frame, self._change)
        frame.scale(self._font_scale)
        frame.show_extra = self._show_extra
        self._drawn: list[tuple[object, ...] | None] = [None] * len(self._layers)
        self._told: tuple[object, ...] = ()
        is_labelled = self._live is not None and self._live.ready
        # The names of the marks, for pages on which no script writes them beside the marks.
        self._key = [] if is_labelled else [Html(_dom_classes=["dpviz-unlabelled"])]
        if self._result is not None:
            self._draw(self._result)
        self.widget.children = [frame.figure, *self._key]
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
        self._font_scale = scale
        if self._frame is not None:
            self._frame.scale(scale)

    @property
    def has_extra(self) -> bool:
        """Whether there are marks that are not drawn at first."""
        return has_extra(self.scene)

    @property
    def show_extra(self) -> bool:
        """Whether marks that are `extra` are drawn, too."""
        return self._show_extra

    @show_extra.setter
    def show_extra(self, show: bool) -> None:
        self._show_extra = show
        if self._frame is None or show == self._frame.show_extra:
            return
        self._frame.show_extra = show
        if self._live is not None:
            for drawn in self._frame.made:  # the browser may have shown what Python never did
                if drawn.of.extra:
                    drawn.mark.send_state("visible")
        self._tell()

    def _tell(self) -> None:
        """Tell the browser which marks there are, and their names, if it knows others."""
        if self._live is not None and self._now() != self._told:
            self._live.add_picture(self._owner, self.title, self.frame, self.layers, self._change)
            self._told = self._now()  # of closed forms there are all marks now

    def _now(self) -> tuple[object, ...]:
        return (self.title, self.frame.naming, self.show_extra, len(self.frame.made))

    def draw(self, result: Result) -> None:
        """Draw the layers whose parts changed, except those that the browser draws itself."""
        self._result, self.title = result, self.scene.title_of(result)
        if self._frame is not None:
            self._draw(result)
        elif self._still is not None:
            self._still.draw(result)
        elif (loop := event_loop()) is None or (self._live is not None and self._live.ready):
            self.make_figure()
        else:
            self._still = Still(self.scene, result)
            self.widget.children = [self._still]
            loop.call_soon(self.make_figure)

    def _draw(self, result: Result) -> None:
        if result.naming is not self.frame.naming:
            self.frame.follow_naming(result.naming)
            self._drawn = [None] * len(self.layers)  # texts beside marks have names, too
        is_live = self._live is not None and self._live.draws(result)
        with self.frame.figure.hold_sync():  # all new marks in one message
            for i, layer in enumerate(self.layers):
                drawn = self._drawn[i]
                if drawn is not None and is_live and layer.closed_form:
                    continue
                parts = layer.parts(result)
                if drawn is None or list(map(id, parts)) != list(map(id, drawn)):
                    if layer.applies(result):
                        layer.draw(result)
                    else:
                        layer.hide()
                    self._drawn[i] = parts
            self._tell()
        for key in self._key:
            key.value = self.frame.key()
