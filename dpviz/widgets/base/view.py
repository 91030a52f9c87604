"""`View`: the base of all views, a widget with pictures and an error line that can save files."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from inspect import signature
from pathlib import Path
from typing import Any, ClassVar

import ipywidgets
import traitlets

from dpviz import checks
from dpviz.analysis import Result, Spec
from dpviz.analysis.spec import CONTROLS, OTHER_WORDS, SETTINGS
from dpviz.analysis.svg import as_png
from dpviz.analysis.topics.registry import text_names
from dpviz.analysis.words import WORDS, typed_value_error_text
from dpviz.audit.scores.base import Scores
from dpviz.data import read_scores
from dpviz.drawing.scene import Scene
from dpviz.pictures.page import SAVED_EARLY, css_hiding_static, static_bundle
from dpviz.replace_file import replace_file
from dpviz.widgets.base import notebook_output as notebook
from dpviz.widgets.base.files import PictureExport
from dpviz.widgets.base.html import CSS, Html, Row, close_nested, css_widget, div, row, style_html
from dpviz.widgets.base.picture import Picture
from dpviz.widgets.base.spec_traits import HasSpecTraits
from dpviz.widgets.browser_input import WIDGET_LOCK
from dpviz.widgets.controls.fields import NumberControl
from dpviz.widgets.state.store import Store


class View(ipywidgets.VBox, HasSpecTraits):
    """The base class of all views.

    A view is a widget that has the fields of the spec as traits. Views with one `store` are linked.
    Others make one of scores and fields of :class:`dpviz.Spec`.

    Examples
    --------
    >>> from dpviz.widgets import RegionView
    >>> RegionView(epsilon=1.0).svg()[:4]
    '<svg'
    """

    is_wide: ClassVar[bool] = False  # whether it takes the whole width of an explorer
    is_short: ClassVar[bool] = False  # whether it has a few words and no picture at first
    needs_scores: ClassVar[bool] = False  # without scores it has nothing to show
    shows_audit: ClassVar[bool] = False  # computes the audit as soon as a browser shows it
    late: ClassVar[str] = "late"  # or `late.scores`: the claim alone moves without the kernel
    fixed_title: ClassVar[str] = ""  # of a view without a scene
    controls: Any = ()  # each has `update_from(spec)`
    own_controls: Any = ()  # of a view that is alone in a cell; each has `update_from(result)`
    __repr__ = HasSpecTraits.__repr__  # ipywidgets writes all traits and children
    font_scale = traitlets.Float(1.0, help="size of the letters in pictures, in [0.5, 4]")

    def __init__(self, scores: Any = None, *, store: Store | None = None, **spec: Any) -> None:
        if store is not None and (scores is not None or spec):
            got = f"got {sorted(spec) or ['scores']!r}; a store has its own"
            raise ValueError(f"scores and settings must be left out if store is given, {got}")
        for name in spec.keys() - SETTINGS.keys():
            names = {*SETTINGS, *signature(type(self).__init__).parameters}
            way_out = OTHER_WORDS.get(name) or checks.did_you_mean(name, names)
            way_out = way_out or "help(dpviz.Spec) lists the fields"
            condition = f"a parameter of {type(self).__name__} or a field of dpviz.Spec"
            raise checks.fail("argument", condition, name, way_out)
        self.is_alone = store is None
        if store is None:
            store = Store(None if scores is None else read_scores(scores), Spec.of(**spec))
        self.store = store
        self.made_in = notebook.CellRun.current()
        self.pictures: list[Picture] = []
        self._error_text, self._is_paused = "", False
        self._shown_state: tuple[object, object] = (None, None)
        self.error_line = Html(_dom_classes=["dpviz-error-line"])
        self.error_lines: dict[str, Html] = {}  # by field: lines under their controls
        # The script in the browser removes this at once; the style shows it after some seconds.
        is_live = store.live is not None and store.live.ready
        slow = "" if is_live else div("dpviz-slow", WORDS["slow"])
        self.late_line = Html(slow, _dom_classes=["dpviz-late"])
        # Closed with the view, even where they are not among its children at that time.
        self.own_widgets: list[ipywidgets.Widget] = [self.error_line, self.late_line]
        # Clipped, not hidden: a strip of controls stays in sight while the page scrolls.
        layout = ipywidgets.Layout(min_width="0", overflow="clip")
        super().__init__(layout=layout, _dom_classes=["dpviz", css_class_of(type(self))])
        # The browser's half hears of all controls and sentences in one message.
        with store.live.hold_sync() if store.live is not None else nullcontext():
            # The static picture of the view is hidden for as long as the view itself is there.
            self._hiding = css_hiding_static(self.model_id)
            self._rules = css_widget(self._hiding)
            children = [store.shared(style_sheet_widget), self._rules, *self.make_children()]
            if store.live is not None:
                store.live.add_text_widget(self, self.late, self.late_line)
            self.observe(self._detach_from_store_if_closed, names="comm")
            store.register_answers(self, self.answers)
            store.subscribe(self._draw_unless_paused, self.set_traits_from_spec)
            self.children = children
        self.is_made = True

    @classmethod
    def has_content_for(cls, store: Store) -> bool:
        """Return whether a view of this class has content for a store.

        Explorers omit a view without content.
        """
        return store.scores is not None or not cls.needs_scores

    @classmethod
    def initial_scenes_and_result(cls, result: Result) -> tuple[Sequence[Scene], Result]:
        """Return a new view's scenes, and `result` with the `answers` that these scenes need."""
        return (), result

    @classmethod
    def fixed_title_of(cls, result: Result) -> str:
        """Return the title of a new view, as menus show it; it states no finding."""
        scenes, _ = cls.initial_scenes_and_result(result)
        return scenes[0].fixed_title_of(result) if scenes else cls.fixed_title

    @classmethod
    def folded_section_titles(cls, result: Result) -> list[str]:
        """Return the titles of the folded sections that a new view has."""
        return []

    def make_children(self) -> list[ipywidgets.Widget]:
        """Make and return the child widgets of the view.

        `error_line` is among the widgets. The method is called once for each view.
        """
        raise NotImplementedError

    def draw(self, result: Result) -> None:
        """Show the result in the pictures and texts of the view."""
        raise NotImplementedError

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        """Return the entries that this view adds to `result.answers`.

        A value None removes an entry.
        """
        return {}

    def update_controls(self, result: Result) -> None:
        """Set the controls to the values in the spec of a result.

        The method is called after rejected changes, too.
        """
        for control in self.controls:
            control.update_from(result.spec)

    @property
    def result(self) -> Result:
        """The store's result, with the answers that this view adds."""
        return self.with_answers_of_view(self.store.result)

    def with_answers_of_view(self, result: Result) -> Result:
        """Return `result` with the answers that this view computes.

        These answers replace answers of equal names.
        """
        for name, answer in self.answers(result, self.store.scores).items():
            if result.answers.get(name) is not answer:
                result = result.with_answer(name, answer)
        return result

    @property
    def error(self) -> str:
        """The text of the error line of the view.

        The text is empty if the last change made in this view was legal.
        """
        return self._error_text

    @property
    def pictures_on_page(self) -> list[Picture]:
        """The pictures that are on the page now."""
        return self.pictures

    def sentences_of(self, picture: Picture) -> list[str]:
        """Return the sentences that are shown with a picture."""
        sentences = (self.result.sentences.get(name, "") for name in text_names(picture.scene))
        return [sentence for sentence in sentences if sentence]

    def new_picture(self, scene: Scene) -> Picture:
        """Return a new picture of a scene.

        Dragging a mark in the picture changes the spec.
        """
        picture = Picture(scene, owner=self, change=self.change, live=self.store.live)
        picture.set_font_scale(self.font_scale)
        self.own_widgets.append(picture.widget)
        return picture

    def number_controls(self, names: Iterable[str]) -> list[NumberControl]:
        """Return a slider with a text box for each named field.

        The names are those of number fields of the spec.
        """
        controls = {name: NumberControl(name, CONTROLS[name], self.change) for name in names}
        for name, control in controls.items():
            control.let_browser_move(self.store.live, owner=self, field=name)
            self.error_lines[name] = control.error
        self.own_controls = [*self.own_controls, *controls.values()]
        return list(controls.values())

    def slider_row_unless_linked(self, names: Iterable[str]) -> list[Row]:
        """Return a list with one row of sliders for these fields.

        The list is empty if `names` is empty, or if the view was given a store, which other views
        may share.
        """
        if not self.is_alone or not names:
            return []
        controls = (control.widget for control in self.number_controls(names))
        return [row(controls, css_class="dpviz-own-controls")]

    @traitlets.validate("font_scale")
    def _validated_font_scale(self, proposal: Any) -> float:
        return checks.real("font_scale", proposal["value"], 0.5, 4)

    @traitlets.observe("font_scale")
    def _scale_letters(self, _change: object) -> None:
        scale, css_class = self.font_scale, f"dpviz-letters-{self.model_id[:8]}"
        self.add_class(css_class)
        letters = f".{css_class} {{ --dpviz-font-scale: {scale:g}; }}"
        self._rules.value = style_html(f"{self._hiding}{letters}")
        for picture in self.pictures:
            picture.set_font_scale(scale)

    def change(self, **changes: Any) -> None:
        """Change fields of the spec as the user requests.

        Shows an error if a value is illegal.
        """
        with WIDGET_LOCK:
            with self.showing_errors(next(iter(changes), "")):
                self.store.update(**changes)
            # Also after an error: controls return to what the store has.
            result = self.result
            for control in self.own_controls:
                control.update_from(result)
            self.update_controls(result)

    @contextmanager
    def showing_errors(self, field: str = "") -> Iterator[None]:
        """Return a context manager that shows errors on the page.

        Errors are in the line of `field`, or in the line of the view if `field` is "".
        """
        self.show_error("")
        try:
            yield
        except (ValueError, OSError, ImportError) as error:
            self.show_error(typed_value_error_text(error), field)
        except Exception as error:
            self.show_error(f"{type(error).__name__}: {error}", field)
            raise

    def show_error(self, message: str, field: str = "") -> None:
        """Show a message in one error line and clear the others.

        The line is that of `field`, or that of the view if `field` has no line.
        """
        self._error_text = message
        place = self.error_lines.get(field, self.error_line)
        for line in (self.error_line, *self.error_lines.values()):
            text = message if line is place else ""
            line.value = div("dpviz-error", text, role="alert") if text else ""

    def pause(self) -> None:
        """Stop drawing and computing until `resume` is called.

        A paused view, such as one on a hidden tab, updates only its traits.
        """
        if not self._is_paused:
            self._is_paused = True
            self.store.forget_answers(self)

    def resume(self) -> None:
        """Resume drawing and computing after :meth:`pause`.

        The view is drawn now, and again at every change.
        """
        if self._is_paused:
            self._is_paused = False
            self.store.register_answers(self, self.answers)
            self._draw_unless_paused(self.store.result)

    def _draw_unless_paused(self, result: Result) -> None:
        if self._is_paused:
            return
        # A refresh shows the same state: its error message stays.
        shown = (result.spec, self.store.scores)
        if any(new is not old for new, old in zip(shown, self._shown_state, strict=True)):
            self.show_error("")  # an earlier error is not about this state
        self._shown_state = shown
        for control in self.own_controls:
            control.update_from(result)
        self.draw(self.with_answers_of_view(result))

    def _detach_from_store_if_closed(self, _change: object) -> None:
        if self.comm is None:  # closed
            self.store.unsubscribe(self._draw_unless_paused, self.set_traits_from_spec)
            self.store.forget_answers(self)
            if self.store.live is not None:
                self.store.live.remove_elements_of(self)
            # Widgets that views share stay open as long as any view needs them.
            parts = [self, *self.own_widgets, *self.error_lines.values()]
            close_nested(parts, kept=self.store.shared_widgets)

    def pictures_to_save(self) -> list[Picture]:
        """Return the pictures to save: those that have something to show now."""
        return self.pictures_on_page

    def pictures_in_sight(self) -> list[Picture]:
        """Return the pictures that a reader sees now.

        The same pictures are saved in the file of a notebook.
        """
        return self.pictures_to_save()

    def complete_audit(self) -> None:
        """Compute the slow part of the audit now.

        Does nothing if this part is computed already. The computation may take seconds.
        """
        sample = self.store.result.sample
        if sample is not None and sample.audit.pending:
            self.store.prepare_audit(self.store.spec)
            self.store.refresh()

    def svg(self, prefix: str = "") -> str:
        """Return the pictures as one SVG document.

        The document is for a white page, without script or style sheet. All ids begin with
        `prefix`. ValueError while nothing can be shown, as before a computation.
        """
        return PictureExport(self, self.pictures_to_save()).svg(prefix)

    def svg_in_sight(self, prefix: str = "") -> str:
        """Return the pictures that a reader sees now as one SVG document.

        The document is like that of :meth:`svg`.
        """
        return PictureExport(self, self.pictures_in_sight()).svg(prefix)

    def to_html(self, *, fragment: bool = False) -> str:
        """Return the pictures as one HTML document that needs no network.

        The document is like that of :meth:`save_html`. A `fragment` has the lines for a page of
        your own in its place; see :func:`dpviz.embed`.
        """
        export = PictureExport(self, self.pictures_to_save())
        return export.fragment() if fragment else export.html()

    def csv(self) -> str:
        """Return the numbers behind the pictures as CSV text.

        The rows are those of :meth:`to_csv`.
        """
        return PictureExport(self, self.pictures_to_save()).csv()

    def save_svg(self, path: str | Path) -> None:
        """Write the pictures to a file whose name ends in .svg.

        An existing file is replaced.
        """
        self.complete_audit()
        replace_file(path, self.svg().encode(), ".svg")

    def save_png(self, path: str | Path, scale: float = 2) -> None:
        """Write the pictures to a PNG file.

        The file has `scale` pixels for each SVG unit, with 0 < `scale` <= 10. An existing file is
        replaced. ImportError without the extra `png`, OSError without a font.
        """
        checks.real("scale", scale, 0, 10, closed="right")
        self.complete_audit()
        replace_file(path, as_png(self.svg(), scale=scale), ".png")

    def save_html(self, path: str | Path) -> None:
        """Write the pictures to one HTML file that needs no network.

        An existing file is replaced. The audit of the scores is computed first. Closed forms of the
        claim still follow controls, arrow keys and dragged markers; the page says that results that
        need Python stay as saved. Of several pictures, those with nothing to show are left out.
        ValueError if none is left.
        """
        self.complete_audit()
        replace_file(path, self.to_html().encode(), ".html")

    def to_csv(self, path: str | Path) -> None:
        """Write the numbers behind the pictures to a CSV file.

        An existing file is replaced. The audit of the scores is computed first. There is a row for
        each point of each mark as drawn: at most 512 for a curve. ValueError if there is nothing to
        show.
        """
        self.complete_audit()
        replace_file(path, self.csv().encode(), ".csv")

    def static_bundle(self) -> dict[str, str]:
        """Return the static picture as a MIME bundle, for a page without widgets."""
        svg = self.svg_in_sight(f"still-{self.model_id[:8]}-") if self.pictures_in_sight() else ""
        said, alt = self._answer_sentences(), self.text_description()
        return static_bundle(self.model_id, headline=said, svg=svg, alt=alt)

    def _answer_sentences(self) -> list[str]:
        """Return the sentences of the answer, and a note if a part is not computed yet."""
        result = self.result
        names = ("answer", "answer_detail", "reading", "cautions")
        texts = [result.sentences.get(name, "") for name in names]
        if self.shows_audit and result.sample is not None and result.sample.audit.pending:
            is_open = result.answer.state == "computing"
            note = SAVED_EARLY.format(missing="answer" if is_open else "rest")
            texts = [note, *texts[1:]] if is_open else [*texts, note]
        return [text for text in texts if text]

    def text_description(self) -> str:
        """Return the titles and sentences of the pictures as lines of text."""
        return "\n".join(
            line
            for each in self.pictures_in_sight()
            for line in (each.scene.title_of(self.result), *self.sentences_of(each))
        )

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**options)
        return {**bundle, "text/plain": self.text_description() or bundle["text/plain"]}

    def _ipython_display_(self) -> None:
        """Show the widget, then its static picture; under nbconvert, compute the audit first."""
        if self.comm is None:
            notebook.show({"text/plain": notebook.CLOSED}, raw=True)
            return
        notebook.SHOWN_VIEWS.record_shown(self, created_by=self.made_in)
        if not notebook.show_widget(self, self._repr_mimebundle_()):
            return
        for picture in self.pictures_in_sight():
            # A static picture that was just sent is replaced at once.
            picture.ensure_figure()
        if notebook.is_run_unattended():
            self.complete_audit()
        notebook.StaticOutput(self, self.store, self.static_bundle)


def css_class_of(view_class: type[View]) -> str:
    """Return the CSS class that all views of this Python class have."""
    return f"dpviz-{view_class.__name__}"


def style_sheet_widget(_store: Store) -> Html:
    """Return a widget with the style rules that all views of a store share."""
    return css_widget(CSS)
