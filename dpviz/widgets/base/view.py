"""A view: a frame, a list of layers, its sentences and its error line."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar

import ipywidgets

from dpviz.analysis import Result, Spec
from dpviz.analysis.sentences.errors import for_people
from dpviz.analysis.sentences.templates import WORDS
from dpviz.analysis.state.browser_state import SENTENCES
from dpviz.audit.scores.base import Scores
from dpviz.data import read_scores
from dpviz.pictures.scene import Scene
from dpviz.widgets.base.html import block, row, sentence
from dpviz.widgets.base.notebook_output import NotebookOutputMixin
from dpviz.widgets.base.picture import Picture
from dpviz.widgets.base.spec_traits import SpecTraits
from dpviz.widgets.figures import style
from dpviz.widgets.state.store import Store


class View(NotebookOutputMixin, ipywidgets.VBox, SpecTraits):
    """Base of all views: a widget with the fields of the spec as traits.

    Views with the same `store` are linked. Without one, a view has a store of its own, made of
    `scores` (anything that :func:`dpviz.read_scores` takes) and of fields of
    :class:`dpviz.analysis.Spec` and `epsilon`.
    """

    is_wide: ClassVar[bool] = False  # whether it takes the whole width of an explorer
    late: ClassVar[str] = "late"  # or `late.scores`: it waits for the kernel with scores only
    controls: Any = ()  # each has `follow(spec)`

    def __init__(self, *, store: Store | None = None, scores: Any = None, **spec: Any) -> None:
        if store is not None and (scores is not None or spec):
            raise ValueError(
                f"store must be given alone, got also {sorted(spec) or ['scores']!r}: "
                "a shared store has its own scores and spec"
            )
        if store is None:
            loaded = None if scores is None else read_scores(scores)
            store = Store(loaded, Spec.of(**spec))
        self.store = store
        self.pictures: list[Picture] = []
        self._error_text = ""
        self._shown_state: tuple[object, object] = (None, None)
        self.error_line = ipywidgets.HTML(layout=ipywidgets.Layout(display="none"))
        # The script in the browser removes this at once; the style shows it after some seconds.
        self.late_line = ipywidgets.HTML(block("dpviz-slow", WORDS["slow"]))
        self.late_line.add_class("dpviz-late")
        super().__init__(layout=ipywidgets.Layout(min_width="0", overflow="hidden"))
        if self.is_wide:  # ipywidgets loses a grid_column when it clears grid_area
            self.layout.grid_area = "auto / 1 / auto / -1"
        self.add_class("dpviz")
        self.add_class(f"dpviz-{type(self).__name__}")
        with store.live.hold_sync() if store.live is not None else nullcontext():
            self.children = [style(hiding=self.still_class), *self.contents()]
            if store.live is not None:
                store.live.add_text(self, self.late, self.late_line)
        self.observe(self._let_go, names="comm")
        self.store.register_answers(self, self.answers)
        self.store.subscribe(self._draw, self.follow_spec)

    @property
    def result(self) -> Result:
        """The result that the view shows, with its own answers."""
        return self._with_own(self.store.result)

    @property
    def error(self) -> str:
        """The text of the error line; empty when the last change made here was legal."""
        return self._error_text

    def contents(self) -> list[ipywidgets.Widget]:
        """Return the child widgets, built once; `error_line` is among them."""
        raise NotImplementedError

    def draw(self, result: Result) -> None:
        """Show a result."""
        raise NotImplementedError

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        """Return by name what this view adds to `Result.answers`; None where it has no answer."""
        return {}

    def is_wanted(self, result: Result) -> bool:
        """Whether an explorer of this result shows the view."""
        return True

    def follow_controls(self, result: Result) -> None:
        """Set the controls to the spec: after a change, and after one that was rejected."""
        for control in self.controls:
            control.follow(result.spec)

    def picture(self, scene: Scene) -> Picture:
        """Return a figure of a scene; dragging in it requests changes from this view."""
        return Picture(scene, owner=self, change=self.change, live=self.store.live)

    def heading(self, title: str) -> ipywidgets.HBox:
        """Return the title, with room for a note that something waits for the kernel."""
        self.title_line = ipywidgets.HTML(block("dpviz-title", title))
        return row([self.title_line, self.late_line], justify_content="space-between")

    def show_error(self, message: str) -> None:
        """Show why a change was rejected, in one line; the picture stays."""
        self._error_text = message
        self.error_line.value = block("dpviz-error", message, role="alert") if message else ""
        self.error_line.layout.display = None if message else "none"

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Context of requests from the browser: an error becomes the error line, for people."""
        self.show_error("")
        try:
            yield
        except (ValueError, OSError, ImportError) as error:
            self.show_error(for_people(error))
        except Exception as error:
            self.show_error(f"{type(error).__name__}: {error}")
            raise

    def change(self, **changes: Any) -> None:
        """Request a change of the spec on behalf of the user."""
        with self.guarded():
            self.store.update(**changes)
        self.follow_controls(self.result)

    def _let_go(self, _change: object) -> None:
        if self.comm is None:  # closed
            self.store.unsubscribe(self._draw, self.follow_spec)
            self.store.forget_answers(self)
            if self.store.live is not None:
                self.store.live.forget(self)

    def _draw(self, result: Result) -> None:
        shown = (result.spec, self.store.scores)
        if any(new is not old for new, old in zip(shown, self._shown_state, strict=True)):
            self.show_error("")  # an earlier error is not about this state
        self._shown_state = shown
        self.draw(self._with_own(result))

    def _with_own(self, result: Result) -> Result:
        """The result with this view's answers, where another view has the same names."""
        for name, answer in self.answers(result, self.store.scores).items():
            if result.answers.get(name) is not answer:
                result = result.with_answer(name, answer)
        return result


@dataclass(frozen=True, kw_only=True)
class ViewParts:
    """The widgets of a view by their purpose."""

    title: ipywidgets.Widget
    error: ipywidgets.Widget
    figure: ipywidgets.Widget
    sentences: tuple[ipywidgets.Widget, ...]
    controls: tuple[ipywidgets.Widget, ...]


class FigureView(View):
    """A view of one scene: subclasses have its `scene`, and may add controls."""

    scene: Scene
    further: ClassVar[tuple[Scene, ...]] = ()  # other scenes that the view shows

    def make_controls(self) -> list[ipywidgets.Widget]:
        """Return controls that belong to this view only."""
        return []

    def make_texts(self) -> dict[str, ipywidgets.HTML]:
        """Return a place for each sentence of the scene."""
        return {name: ipywidgets.HTML() for name in self.scene.sentences}

    def arrange(self, parts: ViewParts) -> list[ipywidgets.Widget]:
        """Return the parts in the order, and in the boxes, in which the view shows them."""
        return [parts.title, parts.error, parts.figure, *parts.sentences, *parts.controls]

    def contents(self) -> list[ipywidgets.Widget]:
        """Return title, error line, figure, sentences and controls."""
        self.pictures = [self.picture(self.scene)]
        self.texts = self.make_texts()
        if self.store.live is not None:
            for name in set(SENTENCES).intersection(self.texts):
                self.store.live.add_text(self, name, self.texts[name])
        parts = ViewParts(
            title=self.heading(self.scene.title),
            error=self.error_line,
            figure=self.pictures[0].widget,
            sentences=tuple(self.texts.values()),
            controls=tuple(self.make_controls()),
        )
        return self.arrange(parts)

    def draw(self, result: Result) -> None:
        """Draw the layers whose parts changed, and write the sentences."""
        for picture in self.active_pictures:
            picture.draw(result)
        self.title_line.value = block("dpviz-title", self.scene.title_of(result))
        live = self.store.live
        is_live = live is not None and live.draws(result)
        for name, text in self.texts.items():
            if not (is_live and name in SENTENCES and text.value):
                text.value = sentence(result.sentences.get(name, ""), f"dpviz-{name}")
        self.follow_controls(result)
