"""A view: a widget on a store, with its pictures and its error line."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, ClassVar

import ipywidgets
import traitlets

from dpviz import checks
from dpviz.analysis import Result, Spec
from dpviz.analysis.words import WORDS, for_people
from dpviz.audit.scores.base import Scores
from dpviz.data import read_scores
from dpviz.drawing.scene import Scene
from dpviz.widgets.base.html import Html, block, close_with_parts, heading, row, rules, style
from dpviz.widgets.base.notebook_output import CellRun, NotebookOutputMixin
from dpviz.widgets.base.picture import Picture
from dpviz.widgets.base.picture_menu import picture_menu
from dpviz.widgets.base.spec_traits import SpecTraits
from dpviz.widgets.figures.style import CSS
from dpviz.widgets.received import LOCK
from dpviz.widgets.state.store import Store


class View(NotebookOutputMixin, ipywidgets.VBox, SpecTraits):
    """Base of all views: a widget with the fields of the spec as traits.

    Views with the same `store` are linked. Without one, a view has a store of its own, made of
    `scores` (anything that :func:`dpviz.read_scores` takes) and of fields of
    :class:`dpviz.analysis.Spec` and `epsilon`.
    """

    is_wide: ClassVar[bool] = False  # whether it takes the whole width of an explorer
    needs_scores: ClassVar[bool] = False  # without scores it has nothing to show
    late: ClassVar[str] = "late"  # or `late.scores`: it waits for the kernel with scores only
    controls: Any = ()  # each has `follow(spec)`
    own_controls: Any = ()  # of a view that is alone in a cell; each has `follow(result)`
    font_scale = traitlets.Float(1.0, help="size of the letters in pictures, in [0.5, 4]")

    def __init__(self, *, store: Store | None = None, scores: Any = None, **spec: Any) -> None:
        if store is not None and (scores is not None or spec):
            raise ValueError(
                f"store must be given alone, got also {sorted(spec) or ['scores']!r}: "
                "a shared store has its own scores and spec"
            )
        is_alone = store is None
        if store is None:
            loaded = None if scores is None else read_scores(scores)
            store = Store(loaded, Spec.of(**spec))
        self.store, self.is_alone = store, is_alone
        self.made_in = CellRun.now()
        self.pictures: list[Picture] = []
        self._error_text, self._is_resting = "", False
        self._shown_state: tuple[object, object] = (None, None)
        self.error_line = Html(_dom_classes=["dpviz-error-line"])
        self.error_lines: dict[str, Html] = {}  # by field: lines under their controls
        # The script in the browser removes this at once; the style shows it after some seconds.
        is_live = store.live is not None and store.live.ready
        slow = "" if is_live else block("dpviz-slow", WORDS["slow"])
        self.late_line = Html(slow, _dom_classes=["dpviz-late"])
        # Closed with the view, even where they are not among its children at that time.
        self.own_widgets: list[ipywidgets.Widget] = [self.error_line, self.late_line]
        # Clipped, not hidden: a strip of controls stays in sight while the page scrolls.
        layout = ipywidgets.Layout(min_width="0", overflow="clip")
        super().__init__(layout=layout, _dom_classes=["dpviz", class_of(type(self))])
        with store.live.hold_sync() if store.live is not None else nullcontext():
            # The still picture of the view is hidden for as long as the view itself is there.
            self._hiding = f".{self.still_class} {{ display: none; }}"
            self._rules = rules(self._hiding)
            shown = [store.shared(style_sheet), self._rules, *self.contents()]
            if store.live is not None:
                store.live.add_text(self, self.late, self.late_line)
            self.observe(self._let_go, names="comm")
            self.store.register_answers(self, self.answers)
            self.store.subscribe(self._draw, self.follow_spec)
            self.children = shown

    @traitlets.validate("font_scale")
    def _check_font_scale(self, proposal: Any) -> float:
        return checks.real("font_scale", proposal["value"], 0.5, 4)

    @traitlets.observe("font_scale")
    def _scale_letters(self, _change: object) -> None:
        scale, own = self.font_scale, f"dpviz-letters-{self.model_id[:8]}"
        self.add_class(own)
        letters = f".{own} {{ --dpviz-font-scale: {scale:g}; }}"
        self._rules.value = style(f"{self._hiding}{letters}")
        for picture in self.pictures:
            picture.font_scale = scale

    @property
    def result(self) -> Result:
        """The result that the view shows, with its own answers."""
        return self.with_own(self.store.result)

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

    def with_own(self, result: Result) -> Result:
        """Return a result with this view's answers, where another view has the same names."""
        for name, answer in self.answers(result, self.store.scores).items():
            if result.answers.get(name) is not answer:
                result = result.with_answer(name, answer)
        return result

    @classmethod
    def is_wanted(cls, store: Store) -> bool:
        """Whether an explorer on this store shows the view."""
        return store.scores is not None or not cls.needs_scores

    @classmethod
    def at_first(cls, result: Result) -> tuple[Sequence[Scene], Result]:
        """Return the scenes that a new view shows of a result, and the result they need."""
        return (), result

    def rest(self) -> None:
        """Neither draw nor compute, as on a hidden tab; traits still follow the spec."""
        if not self._is_resting:
            self._is_resting = True
            self.store.forget_answers(self)

    def resume(self) -> None:
        """End :meth:`rest`: draw now and at every change."""
        if self._is_resting:
            self._is_resting = False
            self.store.register_answers(self, self.answers)
            self._draw(self.store.result)

    def follow_controls(self, result: Result) -> None:
        """Set the controls to the spec: after a change, and after one that was rejected."""
        for control in self.controls:
            control.follow(result.spec)

    def picture(self, scene: Scene) -> Picture:
        """Return a figure of a scene; dragging in it requests changes from this view."""
        picture = Picture(scene, owner=self, change=self.change, live=self.store.live)
        picture.font_scale = self.font_scale
        self.own_widgets.append(picture.widget)
        return picture

    def heading_of(self, picture: Picture, *notes: ipywidgets.Widget) -> ipywidgets.HBox:
        """Return the title, some notes and the "⋯" menu of one picture of several."""
        title = Html(heading(picture.title))
        menu = picture_menu(self, lambda: [picture], lambda: [picture])
        menu.name_after(picture.title)
        return head(title, *notes, menu)

    def show_error(self, message: str, field: str = "") -> None:
        """Show why a change was rejected, in one line; the picture stays.

        It stands under the control of `field` where the view has one.
        """
        self._error_text = message
        place = self.error_lines.get(field, self.error_line)
        for line in (self.error_line, *self.error_lines.values()):
            text = message if line is place else ""
            line.value = block("dpviz-error", text, role="alert") if text else ""

    @contextmanager
    def guarded(self, field: str = "") -> Iterator[None]:
        """Context of requests from the browser: an error becomes a line for people."""
        self.show_error("")
        try:
            yield
        except (ValueError, OSError, ImportError) as error:
            self.show_error(for_people(error), field)
        except Exception as error:
            self.show_error(f"{type(error).__name__}: {error}", field)
            raise

    def change(self, **changes: Any) -> None:
        """Request a change of the spec on behalf of the user."""
        with LOCK:
            with self.guarded(next(iter(changes), "")):
                self.store.update(**changes)
            self._follow_all(self.result)

    def _follow_all(self, result: Result) -> None:
        for control in self.own_controls:
            control.follow(result)
        self.follow_controls(result)

    def _let_go(self, _change: object) -> None:
        if self.comm is None:  # closed
            self.store.unsubscribe(self._draw, self.follow_spec)
            self.store.forget_answers(self)
            if self.store.live is not None:
                self.store.live.forget(self)
            parts = [self, *self.own_widgets, *self.error_lines.values()]
            close_with_parts(parts, kept=self.store.parts)

    def _draw(self, result: Result) -> None:
        if self._is_resting:
            return
        shown = (result.spec, self.store.scores)
        if any(new is not old for new, old in zip(shown, self._shown_state, strict=True)):
            self.show_error("")  # an earlier error is not about this state
        self._shown_state = shown
        for control in self.own_controls:
            control.follow(result)
        self.draw(self.with_own(result))


def class_of(kind: type[View]) -> str:
    """Return the CSS class of all views of a kind."""
    return f"dpviz-{kind.__name__}"


def style_sheet(_store: Store) -> Html:
    """Return the rules that the views of a store share; each has them among its children."""
    return rules(CSS)


def head(title: Html, *end: ipywidgets.Widget) -> ipywidgets.HBox:
    """Return the row of a title, with notes and a menu at its end."""
    return row([title, row(end)], css_class="dpviz-head")
