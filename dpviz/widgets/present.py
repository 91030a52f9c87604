"""Presentations: one slide at a time fills the window, with large text and one control."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import anywidget
import ipywidgets
import traitlets

from dpviz import checks
from dpviz.analysis import Result, Spec
from dpviz.analysis.spec import CONTROLS
from dpviz.analysis.state.browser_state import SENTENCES
from dpviz.analysis.topics.region import REGION
from dpviz.analysis.topics.registry import SCENES, lead_name
from dpviz.analysis.topics.tradeoff import ALLOWED, GUESSING
from dpviz.audit.scores.base import Scores
from dpviz.drawing.scene import Scene
from dpviz.widgets.base import html
from dpviz.widgets.base.html import Html, button, close_nested, row, sentence_html, stack
from dpviz.widgets.base.picture import Picture
from dpviz.widgets.base.view import View
from dpviz.widgets.browser_input import ThreadSafeWidget, checked_slide_index
from dpviz.widgets.controls.fields import Menu, NumberControl
from dpviz.widgets.state.store import SpecError, Store
from dpviz.widgets.views.scene_views import CLIP_MENU

CSS = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
LETTER_SCALE = 2.4  # the `font_scale` of pictures: 11 pixels become 26
# The slider beside each scene; all other scenes have that of epsilon.
CONTROL_OF_SCENE = {"tail": "fpr", "scores": "fpr", "epsilon_star": "fpr"}
CONTROL_OF_SCENE |= {"risk": "prior", "population": "prior"}


@dataclass(frozen=True)
class Slide:
    """One slide of a presentation: its title, sentences, picture and control."""

    title: str
    sentences: tuple[str, ...]
    scene: Scene
    control: str  # a key of `CONTROLS`, "clip" or "" for none
    needs_scores: bool = False
    title_sentence: str = ""
    text: str = ""  # a fixed sentence before those of the result
    spec: Spec | None = None
    scores: Scores | None = None  # beside a `spec`
    answers: Callable[[Result], dict[str, Any]] = lambda _: {}
    # A widget in place of picture, sentences and control.
    widget: Callable[[], ipywidgets.Widget] | None = None

    def title_of(self, result: Result) -> str:
        """Return the result's sentence named `title_sentence`; `title` if no sentence is named."""
        return result.sentences[self.title_sentence] if self.title_sentence else self.title


SLIDES: dict[str, Slide] = {
    "guessing": Slide("What if the attacker only guesses?", ("guessing",), GUESSING, "fpr"),
    "allowed": Slide("What does the claim allow?", ("allowed",), ALLOWED, "delta"),
    "moving": Slide("What happens when ε grows?", ("allowed",), ALLOWED, "epsilon"),
    "attack": Slide(
        "Which error rates did the attack reach?",
        ("region_lead",),
        REGION,
        "fpr",
        needs_scores=True,
    ),
    "the_answer": Slide(
        "",
        ("answer_detail", "people"),
        REGION,
        "epsilon",
        needs_scores=True,
        title_sentence="answer",
    ),
}


def slides_of(result: Result, names: Sequence[str] | None = None) -> list[Slide]:
    """Return the slides with these names; by default all in `SLIDES` that the result can show."""
    # ValueError for an unknown name, and for a picture that has nothing to show of this result.
    if names is None:
        has_scores = result.sample is not None
        return [slide for slide in SLIDES.values() if has_scores or not slide.needs_scores]
    if isinstance(names, str) or not names:
        raise checks.fail("names", "a nonempty list of names of pictures", names)
    return [_slide_named(name, result) for name in names]


def _slide_named(name: str, result: Result) -> Slide:
    chosen = checks.choice("name", name, [*SLIDES, *SCENES])
    if chosen in SLIDES:
        slide = SLIDES[chosen]
        is_empty = slide.needs_scores and result.sample is None
    else:
        scene = SCENES[chosen]
        is_empty = scene.is_empty(result)
        lead, control = lead_name(scene), CONTROL_OF_SCENE.get(chosen, "epsilon")
        said = (lead,) if lead else ()
        title = scene.title_sentence
        slide = Slide(scene.fixed_title_of(result), said, scene, control, title_sentence=title)
    if is_empty:
        raise checks.fail("name", "the name of a picture with content for this result", name)
    return slide


class PresentationWindow(ThreadSafeWidget, anywidget.AnyWidget):
    """The browser's part of a presentation, which listens to keys and fills the window."""

    _esm = html.script_text("present")
    is_open = traitlets.Bool().tag(sync=True)
    slide = traitlets.Int().tag(sync=True)
    count = traitlets.Int().tag(sync=True)

    @traitlets.validate("slide")
    def _validated_slide_index(self, proposal: Any) -> int:
        try:
            return checked_slide_index(proposal["value"], self.count)
        except ValueError as error:
            raise SpecError(str(error)) from error


class Presentation(View):
    """The slides of a store, one at a time; they cover the page while `window` is open."""

    def __init__(self, slides: Sequence[Slide], window: PresentationWindow, store: Store) -> None:
        self.slides, self._window, self.store = list(slides), window, store
        self._owner = object()  # owns what the browser draws for the present slide
        # First: the browser takes a new value of a new control for the user's choice.
        self._load_slide_into_store()
        super().__init__(store=store)
        self.add_class("dpviz-presentation")

    def make_children(self) -> list[ipywidgets.Widget]:
        """Return the title, the error line, the slide, and a last line with the slide's number."""
        self.title, self.place, self.body = Html(), Html(), stack()
        self.back = button("←", lambda: self._change_slide_by(-1), tooltip="previous slide")
        self.forth = button("→", lambda: self._change_slide_by(1), tooltip="next slide")
        self.leave = button("Leave", lambda: self._window.set_trait("is_open", False))
        self._window.observe(self._show_current_slide, names="slide")
        self.body.children = [self._new_slide_widget()]
        foot = row([self.back, self.place, self.forth, self.leave])
        foot.add_class("dpviz-presentation-foot")
        self.body.add_class("dpviz-presentation-body")
        head = row([self.title, self.late_line], justify_content="space-between")
        letters = f".dpviz-presentation {{ --dpviz-font-scale: {LETTER_SCALE}; }}"
        return [html.css_widget(CSS + letters), head, self.error_line, self.body, foot]

    @property
    def slide(self) -> Slide:
        """The slide that is shown."""
        return self.slides[self._window.slide]

    def draw(self, result: Result) -> None:
        """Show a result in the title, the picture, the sentences and the slider of the slide."""
        self.title.value = f"<h1>{escape(self.slide.title_of(result))}</h1>"
        for picture in self.pictures:
            picture.draw(result)
        # A sentence that the browser writes is set once, and then left to the browser.
        is_live = self.store.live is not None and self.store.live.draws_closed_forms(result)
        for name, text in self.texts.items():
            if not (is_live and name in SENTENCES and text.value):
                text.value = sentence_html(result.sentences.get(name, ""), f"dpviz-{name}")
        self.update_controls(result)

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        """Return the answers that the picture of the slide shows."""
        return self.slide.answers(result)

    def close(self) -> None:
        """Close the view, and stop observing the number of the slide."""
        if self.comm is not None:
            self._window.unobserve(self._show_current_slide, names="slide")
            self._remove_slide_from_browser()
        super().close()

    def _new_slide_widget(self) -> ipywidgets.Widget:
        """Return the widgets of the current slide: large picture, sentences and control."""
        slide = self.slide
        i, n = self._window.slide, len(self.slides)
        dots = "".join("●" if k == i else "○" for k in range(n))
        self.place.value = (
            f'<span aria-hidden="true">{dots}</span> <span>{i + 1} of {n}</span> '
            "<span>← → to move, Esc to leave</span>"
        )
        self.back.disabled, self.forth.disabled = i == 0, i == n - 1
        self.texts = {name: Html() for name in ("slide_claim", *slide.sentences)}
        if self.store.live is not None:
            for name in set(SENTENCES).intersection(self.texts):
                self.store.live.add_text_widget(self._owner, name, self.texts[name])
        claim, *sentences = self.texts.values()
        if slide.widget is not None:
            return stack([claim, slide.widget()])
        text = [Html(sentence_html(slide.text))] if slide.text else []
        control = [self._new_control(slide.control)] if slide.control else []
        words = stack([claim, *text, *sentences, *control])
        words.add_class("dpviz-presentation-words")
        shown = ipywidgets.HBox([self._new_picture(slide.scene).widget, words])
        shown.add_class("dpviz-presentation-slide")
        return shown

    def _new_picture(self, scene: Scene) -> Picture:
        picture = Picture(scene, owner=self._owner, change=self.change, live=self.store.live)
        # At once: a key may change the slide before a static picture is replaced.
        picture.ensure_figure()
        picture.set_font_scale(LETTER_SCALE)
        self.pictures = [picture]
        return picture

    def _new_control(self, name: str) -> ipywidgets.Widget:
        if name == "clip":
            self.controls = [Menu(name, name, CLIP_MENU, self.change)]
            return self.controls[0].widget
        control = NumberControl(name, CONTROLS[name], self.change)
        control.let_browser_move(self.store.live, owner=self._owner, field=name)
        self.own_controls, self.error_lines = [control], {name: control.error}
        return control.widget

    def _show_current_slide(self, _change: object) -> None:
        [before] = self.body.children
        self._remove_slide_from_browser()
        self.pictures, self.texts, self.error_lines = [], {}, {}
        self.controls, self.own_controls = [], []
        self._load_slide_into_store()
        made = self._new_slide_widget()
        # Draw before the figure is shown: bqplot may lose marks that arrive while it begins to.
        self._draw_unless_paused(self.store.result)
        self.body.children = [made]
        close_nested([before])

    def _load_slide_into_store(self) -> None:
        """Load the slide's own spec and scores, if any, into the store, and compute the audit."""
        if self.slide.spec is not None:
            self.store.replace_state(self.slide.spec, self.slide.scores)
            self.complete_audit()

    def _remove_slide_from_browser(self) -> None:
        if self.store.live is not None:
            self.store.live.remove_elements_of(self._owner)

    def _change_slide_by(self, step: int) -> None:
        self._window.slide = min(max(self._window.slide + step, 0), len(self.slides) - 1)


class Presenter:
    """A controller that opens and closes a view's presentation, as the keys P and Escape do."""

    def __init__(self, view: View, slides: Sequence[Slide] = ()) -> None:
        self._view, self.window = view, PresentationWindow()
        self._slides = slides  # those of the result by default
        self.window.add_class("dpviz-stage")
        self.presentation: Presentation | None = None
        self.window.observe(self._match_presentation_to_window, names="is_open")

    def open(self, names: Sequence[str] | None = None) -> None:
        """Open the presenter's own slides; without such slides, the slides with these `names`."""
        slides = self._slides or slides_of(self._view.result, names)
        self.close()
        self._start_presentation(slides)
        self.window.is_open = True

    def close(self) -> None:
        """Close the presentation, if one is open."""
        self.window.is_open = False

    def _start_presentation(self, slides: Sequence[Slide]) -> None:
        with self.window.hold_sync():
            self.window.count, self.window.slide = len(slides), 0
        self.presentation = Presentation(slides, self.window, self._view.store)
        self._view.children = [*self._view.children, self.presentation]

    def _match_presentation_to_window(self, _change: object) -> None:
        if self.window.is_open and self.presentation is None:  # by the key P
            self._start_presentation(self._slides or slides_of(self._view.result))
        elif not self.window.is_open and self.presentation is not None:
            ended, self.presentation = self.presentation, None
            self._view.children = [each for each in self._view.children if each is not ended]
            close_nested([ended], kept=self._view.store.shared_widgets)
