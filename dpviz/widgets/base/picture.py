"""One of the figures of a view and its layers."""

import ipywidgets

from dpviz.analysis import Result
from dpviz.pictures.layer import Change
from dpviz.pictures.scene import Scene
from dpviz.widgets.base.html import stack
from dpviz.widgets.figures import PlotFrame
from dpviz.widgets.state.live import BrowserState


class Picture:
    """A scene on a figure; `widget` shows it.

    `change` requests a change of the spec. `live`, if given, draws closed forms in the browser
    until :meth:`BrowserState.forget` is called with `owner`.
    """

    def __init__(
        self, scene: Scene, *, owner: object, change: Change, live: BrowserState | None
    ) -> None:
        self.scene, self.frame, self.layers = scene, PlotFrame(scene), list(scene.layers())
        with self.frame.figure.hold_sync():  # all marks in one message
            for layer in self.layers:
                layer.build(self.frame, change)
        self._live, self._owner, self._change = live, owner, change
        self.title = scene.title
        self._tell()
        self._drawn: list[tuple[object, ...] | None] = [None] * len(self.layers)
        self._font_scale = 1.0
        # The names of the marks, for pages on which no script writes them beside the marks.
        self._key = ipywidgets.HTML(_dom_classes=["dpviz-unlabelled"])
        self.widget = stack([self.frame.figure, self._key])

    @property
    def font_scale(self) -> float:
        """How much larger than at first margins and markers are; letters follow by style."""
        return self._font_scale

    @font_scale.setter
    def font_scale(self, scale: float) -> None:
        if scale == self._font_scale:
            return
        larger, self._font_scale = scale / self._font_scale, scale
        margins = self.scene.margins.items()
        self.frame.figure.fig_margin = {side: round(scale * size) for side, size in margins}
        for mark in self.frame.figure.marks:
            if mark.has_trait("default_size"):  # an area in square pixels
                mark.default_size = round(larger * mark.default_size)

    @property
    def has_extra(self) -> bool:
        """Whether there are marks that are not drawn at first."""
        return any(drawn.of.extra for drawn in self.frame.drawn)

    @property
    def show_extra(self) -> bool:
        """Whether marks that are `extra` are drawn, too."""
        return self.frame.show_extra

    @show_extra.setter
    def show_extra(self, show: bool) -> None:
        if show == self.frame.show_extra:
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
