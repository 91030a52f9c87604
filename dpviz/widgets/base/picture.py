"""`Picture`: a figure of a view; a static SVG is shown until the figure is made."""

from functools import cache
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.svg import SIZE
from dpviz.drawing.layer import Change, Layer
from dpviz.drawing.scene import Scene
from dpviz.drawing.svg import FONTS, WIDTH, SvgFrame, escaped
from dpviz.drawing.theme import INK
from dpviz.widgets.base import html
from dpviz.widgets.base.html import FastLoadingWidget, Html, close_nested, stack
from dpviz.widgets.base.job import running_loop
from dpviz.widgets.browser_input import WIDGET_LOCK
from dpviz.widgets.state.live import LiveUpdater

if TYPE_CHECKING:
    from dpviz.widgets.plot_frame import PlotFrame

STILL_WIDTH = 400  # pixels of a static picture that has others beside it


class Picture:
    """A scene's picture: a bqplot figure, or a static SVG until the figure is made."""

    # `owner` is the view or presentation that shows the picture. Unless `live` is None, the browser
    # redraws closed-form layers without Python until ``live.remove_elements_of(owner)``.

    def __init__(
        self, scene: Scene, *, owner: object, change: Change, live: LiveUpdater | None
    ) -> None:
        self.scene, self.title = scene, scene.title
        self._live, self._owner, self._change = live, owner, change
        self._font_scale, self._shows_extra_marks = 1.0, False
        self._result: Result | None = None  # the result that is shown
        self._static: StaticPicture | None = None
        self._frame: PlotFrame | None = None
        self.widget = stack()

    def ensure_figure(self) -> None:
        """Make the figure, unless it exists or the picture is closed."""
        with WIDGET_LOCK:
            if self._frame is None and not self.widget.is_closed:
                self._build_figure()

    def _build_figure(self) -> None:
        from dpviz.widgets.plot_frame import PlotFrame  # slow to import: bqplot, with pandas

        self._frame = frame = PlotFrame(self.scene)
        self._layers = list(self.scene.layers())
        for layer in self._layers:
            layer.add_to_frame(frame, self._change)
        frame.scale_margins_and_markers(self._font_scale)
        frame.show_extra_marks(self._shows_extra_marks)
        self._drawn: list[tuple[object, ...] | None] = [None] * len(self._layers)
        self._sent_values: tuple[object, ...] = ()
        is_labelled = self._live is not None and self._live.ready
        # The names of the marks, for pages on which no script writes them beside the marks.
        self._key = [] if is_labelled else [Html(_dom_classes=["dpviz-unlabelled"])]
        if self._result is not None:
            self._draw_figure(self._result)
        self.widget.children = [frame.figure, *self._key]
        if self._static is not None:
            close_nested([self._static])
            self._static = None

    @property
    def frame(self) -> "PlotFrame":
        """The bqplot figure; reading this property makes the figure if it does not exist yet."""
        self.ensure_figure()
        if self._frame is None:
            raise RuntimeError("picture must be open, got a closed picture; make a new view")
        return self._frame

    @property
    def layers(self) -> list[Layer]:
        """The layers that draw on the figure, which is made if it does not exist yet."""
        self.ensure_figure()
        return self._layers

    def set_font_scale(self, scale: float) -> None:
        """Scale margins and markers by `scale`, the factor that also enlarges the letters."""
        self._font_scale = scale
        if self._frame is not None:
            self._frame.scale_margins_and_markers(scale)

    @property
    def shows_extra_marks(self) -> bool:
        """Whether the extra marks of the scene are shown."""
        return self._shows_extra_marks

    @shows_extra_marks.setter
    def shows_extra_marks(self, show: bool) -> None:
        is_changed, self._shows_extra_marks = show != self._shows_extra_marks, show
        if self._frame is None or not is_changed:
            return
        self._frame.show_extra_marks(show)
        if self._live is not None:
            # The browser may have shown a mark that Python never did: send equal values, too.
            for drawn in self._frame.created_marks:
                if drawn.of.extra:
                    drawn.mark.send_state("visible")
        self._update_browser_description()

    def _update_browser_description(self) -> None:
        if self._live is not None and self._browser_description_values() != self._sent_values:
            self._live.add_picture(self._owner, self.title, self.frame, self.layers, self._change)
            # Read again: `add_picture` may have made further marks.
            self._sent_values = self._browser_description_values()

    def _browser_description_values(self) -> tuple[object, ...]:
        """Return the values on which the browser's description of the figure depends."""
        labels = [drawn.of.label for drawn in self.frame.created_marks]
        return (self.title, self.frame.naming, self.shows_extra_marks, labels)

    def draw(self, result: Result) -> None:
        """Redraw layers whose part of the result changed; skip layers that the browser draws."""
        self._result, self.title = result, self.scene.fixed_title_of(result)
        if self._frame is not None:
            self._draw_figure(result)
        elif self._static is not None:
            self._static.draw(result)
        elif (loop := running_loop()) is None or (self._live is not None and self._live.ready):
            self.ensure_figure()
        else:
            self._static = StaticPicture(self.scene, result)
            self.widget.children = [self._static]
            loop.call_soon(self.ensure_figure)

    def _draw_figure(self, result: Result) -> None:
        # Other names of errors stand in texts beside marks: all layers are drawn anew.
        if result.naming is not self.frame.naming:
            self.frame.follow_naming(result.naming)
            self._drawn = [None] * len(self.layers)
        is_live = self._live is not None and self._live.draws_closed_forms(result)
        with self.frame.figure.hold_sync():  # all new marks in one message
            for i, layer in enumerate(self.layers):
                drawn = self._drawn[i]
                if drawn is not None and is_live and layer.closed_form:
                    continue
                parts = layer.needed_parts(result)
                if drawn is None or list(map(id, parts)) != list(map(id, drawn)):
                    self._drawn[i] = None  # if drawing fails, the next drawing is complete
                    if layer.has_content_for(result):
                        layer.draw(result)
                    else:
                        layer.hide()
                    self._drawn[i] = parts
            self._update_browser_description()
        for key in self._key:
            key.value = self.frame.legend_html()


class StaticPicture(FastLoadingWidget, ipywidgets.HTML):
    """A static SVG picture of a scene, as large as the scene's bqplot figure."""

    def __init__(self, scene: Scene, result: Result) -> None:
        layout = ipywidgets.Layout(**html.css_width(scene)) if scene.width_minus_height else None
        super().__init__(layout=layout, _dom_classes=html.css_classes(scene))
        self._scene = scene
        self._parts: list[object] = []
        self.draw(result)

    def draw(self, result: Result) -> None:
        """Draw a result, unless each part that the scene uses is the same object as before."""
        layers = self._scene.layers()
        parts = [result.naming, *(part for layer in layers for part in layer.needed_parts(result))]
        if list(map(id, parts)) == list(map(id, self._parts)):
            return
        self._parts = parts
        self.value = static_svg(self._scene, result)


def static_svg(scene: Scene, result: Any, width: float = STILL_WIDTH) -> str:
    """Return a scene's picture as SVG, `width` pixels wide; strips have a fixed width."""
    width = WIDTH if scene.shape == "strip" else width
    frame = SvgFrame(scene, f"still-{uuid4().hex[:8]}", width=width)
    frame.draw_layers(scene.layers(), result)
    return (
        f'<svg viewBox="0 0 {width} {frame.height:g}" role="img" '
        f'aria-label="{escaped(scene.fixed_title_of(result))}" '
        f'font-family="{FONTS}" font-size="{SIZE}" fill="{INK}">{frame.svg()}</svg>'
    )


@cache
def has_extra_marks(scene: Scene) -> bool:
    """Return whether a scene has extra marks, which are hidden at first."""
    frame = SvgFrame(scene)
    frame.add_layers(scene.layers())
    return any(drawn.mark.extra for drawn in frame.marks)
