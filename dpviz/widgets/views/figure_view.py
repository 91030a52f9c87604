"""`FigureView`: the picture of one scene, a sentence below, and folded sections."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.state.browser_state import SENTENCES as LIVE_SENTENCES
from dpviz.analysis.topics.registry import SENTENCES, TABLES, lead_name, text_names
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.scores.base import Scores
from dpviz.drawing.scene import Scene
from dpviz.widgets.base import html
from dpviz.widgets.base.files import picture_menu, title_row
from dpviz.widgets.base.html import Html, button, fold, html_table, row, sentence_html, stack
from dpviz.widgets.base.job import BackgroundJob
from dpviz.widgets.base.picture import Picture
from dpviz.widgets.base.view import View
from dpviz.widgets.state.store import Store

WHY_LINE = "Why, and what is assumed"
OPTIONS_LINE = "Options"
NUMBERS_LINE = "Numbers"


@dataclass(frozen=True)
class ComputeTexts:
    """The name of an answer that takes long to compute, and the texts shown before it exists."""

    name: str  # of the answer, its sentences and its table
    action: str  # text of the button
    progress_text: str
    requirement: str = ""  # text where it cannot be computed


class FigureView(View):
    """A view of one scene; each subclass defines a `scene`, and may add controls."""

    scene: Scene
    further_scenes: ClassVar[tuple[Scene, ...]] = ()  # other scenes that the view shows
    moved_by: ClassVar[tuple[str, ...]] = ()  # fields of the spec with a slider beside the picture
    try_it: ClassVar[str] = ""  # what a reader can do with the view where it is alone
    table_name: ClassVar[str] = ""  # key in `TABLES` of a table that is folded away
    table_title: ClassVar[str] = NUMBERS_LINE
    computation: ClassVar[ComputeTexts | None] = None

    @classmethod
    def has_content_for(cls, store: Store) -> bool:
        """Return False if the view or its scene needs scores that the store lacks, else True."""
        has_scores = store.scores is not None
        return super().has_content_for(store) and (has_scores or cls.scene.needs != "scores")

    @classmethod
    def initial_scenes_and_result(cls, result: Result) -> tuple[Sequence[Scene], Result]:
        return (cls.scene,), result

    @classmethod
    def folded_section_titles(cls, result: Result) -> list[str]:
        folded = [name for name in text_names(cls.scene) if SENTENCES[name].is_folded]
        has_options = (cls.option_widgets, cls.make_controls) != (
            FigureView.option_widgets,
            FigureView.make_controls,
        )
        return [
            *([WHY_LINE] if any(result.sentences.get(name) for name in folded) else []),
            *([OPTIONS_LINE] if has_options else []),
            *([cls.table_title] if cls.table_name else []),
        ]

    def make_visible_controls(self) -> list[ipywidgets.Widget]:
        """Return the controls that are always visible, below the first sentence."""
        return []

    def widgets_after_text(self) -> list[ipywidgets.Widget]:
        """Return the widgets between the sentences and the line "Options"."""
        return []

    def make_controls(self) -> list[Any]:
        """Return the menus and boxes under "Options", which show fields of `controlled_object`."""
        return []

    def option_widgets(self) -> list[ipywidgets.Widget]:
        """Return the widgets that are hidden until the reader opens the line "Options"."""
        return [row(control.widget for control in self.controls)] if self.controls else []

    def controlled_object(self, result: Result) -> Any:
        """Return the object whose fields the controls show: the spec or the present `question`."""
        return result.spec if self.computation is None else self.question(result)

    def update_controls(self, result: Result) -> None:
        for control in self.controls:
            control.update_from(self.controlled_object(result))

    def sentence_widgets(self) -> dict[str, Html]:
        """Return an empty widget per sentence; with a `computation`, only per folded sentence."""
        is_computed = self.computation is not None
        names = text_names(self.scene)
        return {name: Html() for name in names if SENTENCES[name].is_folded or not is_computed}

    def widgets_below(self) -> list[ipywidgets.Widget]:
        """Return the widgets below the picture, from top to bottom."""
        self.controls = self.make_controls()
        in_sight, options = self.make_visible_controls(), self.option_widgets()
        folds = [fold(OPTIONS_LINE, options)] if options else []
        if self.computation is not None:
            return [self.text, self.why, *in_sight, self.at_work, *folds, self.numbers]
        folded = self._folded_sentence_names()
        leads = [text for name, text in self.texts.items() if name not in folded] or [Html()]
        has_hint = self.is_alone and self.try_it
        hint = [Html(html.div("dpviz-try", f"Try: {self.try_it}"))] if has_hint else []
        numbers = [self.numbers] if self.table_name else []
        return [*leads, *in_sight, self.why, *hint, *self.widgets_after_text(), *folds, *numbers]

    def widgets_in_order(self) -> list[ipywidgets.Widget]:
        """Return the widgets of the view, from top to bottom."""
        return [self.head, self.error_line, self.figure, self.words]

    def make_children(self) -> list[ipywidgets.Widget]:
        self.pictures = [self.new_picture(self.scene)]
        self.texts = self.sentence_widgets()
        self.own_widgets += self.texts.values()
        if self.store.live is not None:
            for name in set(LIVE_SENTENCES).intersection(self.texts):
                self.store.live.add_text_widget(self, name, self.texts[name])
        # A view that is alone in a cell has controls like those of an explorer.
        strip = self.slider_row_unless_linked(self.moved_by)
        is_beside = self.is_alone and not self.is_wide
        if is_beside:
            self.add_class("dpviz-alone")
        self.why = fold(WHY_LINE, [self.texts[name] for name in self._folded_sentence_names()])
        self.table = Html()
        self.numbers = fold(self.table_title, [self.table]).add_class("dpviz-numbers")
        if self.computation is not None:
            self._make_compute_button(self.computation)
        self.title_line = Html()
        self._titled: Scene | None = None
        if self.store.live is not None:
            self.store.live.add_text_widget(self, "title", self.title_line)
        self.menu_button = picture_menu(self, lambda: self.pictures, self.pictures_to_save)
        explain = html.disclosure_line("?", "dpviz-explain")
        self.head = title_row(self.title_line, self.late_line, explain, self.menu_button)
        self.figure = stacked_pictures(self.pictures[0])
        self.words = stack(css_class="dpviz-words")
        self.words.children = self.widgets_below()
        # Closed with the view, even if the view shows other widgets in their place.
        self.own_widgets += [self.words, *self.words.children, self.figure]
        parts = [*strip, *self.widgets_in_order()]
        return [stack(parts, css_class="dpviz-beside")] if is_beside else parts

    def draw(self, result: Result) -> None:
        for picture in self.pictures_on_page:
            picture.draw(result)
        # A title or sentence that the browser writes is set once, and then left to the browser.
        live, picture = self.store.live, self.pictures_on_page[0]
        is_live = live is not None and live.draws_closed_forms(result)
        self.menu_button.hint = f"More for: {picture.title}"
        is_written = is_live and picture.scene.title_sentence in LIVE_SENTENCES
        if not (is_written and picture.scene is self._titled):
            self.title_line.value = html.titles_html(picture.scene, result)
            self._titled = picture.scene
        for name, text in self.texts.items():
            if not (is_live and name in LIVE_SENTENCES and text.value):
                text.value = sentence_html(result.sentences.get(name, ""), f"dpviz-{name}")
        folded = map(result.sentences.get, self._folded_sentence_names())
        self.why.is_hidden = not any(folded)
        if self.table_name:
            has_table = result.sample is not None or self.scene.needs != "scores"
            self.table.value = html_table(*TABLES[self.table_name](result)) if has_table else ""
        self.update_controls(result)
        if self.computation is not None:
            self._draw_answer(result, self.computation)

    def choose(self, **choices: Any) -> None:
        """Set attributes of this view; if a value is illegal, set none and show an error."""
        with self.showing_errors(next(iter(choices), "")):
            checked = self.checked_choices(**choices)
            before = {name: getattr(self, name) for name in checked}
            self._set_attributes(checked)
            try:
                self.store.refresh()
            except Exception:
                self._set_attributes(before)
                raise
        self.update_controls(self.result)

    def checked_choices(self, **choices: Any) -> dict[str, Any]:
        """Return the attributes to set, by name; ValueError if a choice is illegal."""
        return choices

    def _set_attributes(self, choices: dict[str, Any]) -> None:
        for name, value in choices.items():
            setattr(self, name, value)

    def _folded_sentence_names(self) -> list[str]:
        return [name for name in self.texts if SENTENCES[name].is_folded]

    def question(self, result: Result) -> Any:
        """Return the parameters of the computation; the answer is cached for equal parameters."""
        raise NotImplementedError

    def input_data(self, scores: Scores | None) -> Any:
        """Return the data of the computation: the scores, unless a subclass uses other data."""
        return scores

    def can_compute(self) -> bool:
        """Return whether the store has scores, or the computation needs none."""
        return self.store.scores is not None or not self.needs_scores

    def compute_answer(self, subject: Any, question: Any, progress: Progress) -> Any:
        """Return the answer to `question` from data `subject`; the main loop uses `progress`."""
        raise NotImplementedError

    def answer_html(self, result: Result) -> str:
        """Return the always visible sentences about the computed answer, as HTML."""
        return sentence_html(result.sentences[lead_name(self.scene)], "dpviz-bounds")

    @property
    def answer(self) -> Any:
        """The computed answer to the present question, or None before it is computed."""
        return self.computation and self.result.answers.get(self.computation.name)

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        if self.computation is None:
            return {}
        asked = (self.input_data(scores), self.question(result))
        return {self.computation.name: self.store.cached_answer(self.computation.name, asked)}

    def pictures_to_save(self) -> list[Picture]:
        is_missing = self.computation is not None and self.answer is None
        return [] if is_missing else super().pictures_to_save()

    def compute(self) -> None:
        """Compute the answer to the present question, in the background if an event loop runs."""
        if self.computation is None:
            return
        # The present question, not the one drawn last: the view may rest on a hidden tab.
        asked = subject, question = self.input_data(self.store.scores), self.question(self.result)
        if self.can_compute():
            name = self.computation.name
            self.job.run(
                self.computation.progress_text,
                lambda progress: self.compute_answer(subject, question, progress),
                lambda answer: self.store.add_answer(name, asked, answer),
            )

    def _make_compute_button(self, computation: ComputeTexts) -> None:
        self._asked: tuple[Any, Any] = (None, None)
        self._tabled: tuple[Any, Any] = (None, None)
        self.button = button(computation.action, self.compute, align_self="flex-start")
        self.text = Html()
        self.job = BackgroundJob(self._show_text_instead_of_answer)
        self.at_work = row([self.button, self.job.widget])
        self.observe(lambda _: self.job.cancel(), names="comm")  # closed

    def _draw_answer(self, result: Result, computation: ComputeTexts) -> None:
        asked = (self.input_data(self.store.scores), self.question(result))
        if asked != self._asked:
            if self.job.is_running:
                self.job.cancel()
            self._asked = asked
        answer = result.answers.get(computation.name)
        self.button.disabled = not self.can_compute() or answer is not None
        self.numbers.is_hidden = answer is None
        # No picture before there is an answer: an empty frame would look like one.
        pictures = [picture.widget for picture in self.pictures_to_save()]
        if self.figure.children != tuple(pictures):
            self.figure.children = pictures
        if answer is not None:
            self.text.value = self.answer_html(result)
        elif not self.job.is_running:
            self._show_text_instead_of_answer(
                "Nothing is computed yet for these scores and settings. "
                f"Press “{computation.action}”."
                if self.can_compute()
                else computation.requirement
            )
        tabled = (answer, result.claim)
        if any(new is not old for new, old in zip(tabled, self._tabled, strict=True)):
            self._tabled = tabled
            table = TABLES[computation.name]
            self.table.value = "" if answer is None else html_table(*table(result))

    def _show_text_instead_of_answer(self, text: str) -> None:
        self.text.value = sentence_html(text, "dpviz-bounds")


def stacked_pictures(*pictures: Picture) -> ipywidgets.VBox:
    """Return a widget with these pictures, one below the other."""
    return stack((picture.widget for picture in pictures), css_class="dpviz-place")
