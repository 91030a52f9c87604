"""Views of one scene: its picture, one sentence below it, and the rest folded away."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.state.browser_state import SENTENCES as LIVE
from dpviz.analysis.topics.registry import (
    SENTENCES,
    sentences_of,
)
from dpviz.drawing.scene import Scene
from dpviz.widgets.base.html import Html, block, fold, heading, sentence, stack
from dpviz.widgets.base.picture import Picture
from dpviz.widgets.base.picture_menu import picture_menu
from dpviz.widgets.base.view import View, head
from dpviz.widgets.controls.strip import own_strip
from dpviz.widgets.state.store import Store

WHY = "Why this is so, and what is assumed"
OPTIONS = "Options"


@dataclass(frozen=True, kw_only=True)
class ViewParts:
    """The widgets of a view by their purpose; `words` holds the sentences."""

    title: ipywidgets.Widget
    error: ipywidgets.Widget
    figure: ipywidgets.Widget
    words: ipywidgets.VBox
    controls: tuple[ipywidgets.Widget, ...]


def place(*pictures: Picture) -> ipywidgets.VBox:
    """Return the place of a view for its pictures."""
    return stack((picture.widget for picture in pictures), css_class="dpviz-place")


class FigureView(View):
    """A view of one scene: subclasses have its `scene`, and may add controls."""

    scene: Scene
    further: ClassVar[tuple[Scene, ...]] = ()  # other scenes that the view shows
    moved_by: ClassVar[tuple[str, ...]] = ()  # numbers of the spec that have a control beside it
    try_it: ClassVar[str] = ""  # what a reader can do with the view where it is alone

    @classmethod
    def is_wanted(cls, store: Store) -> bool:
        """Whether there are scores, if the view or its scene needs them."""
        return super().is_wanted(store) and (
            store.scores is not None or cls.scene.needs != "scores"
        )

    @classmethod
    def at_first(cls, result: Result) -> tuple[Sequence[Scene], Result]:
        return (cls.scene,), result

    def make_controls(self) -> list[ipywidgets.Widget]:
        """Return controls that belong to this view only."""
        return []

    def make_texts(self) -> dict[str, Html]:
        """Return a place for each sentence of the scene."""
        return {name: Html() for name in sentences_of(self.scene)}

    def arrange(self, parts: ViewParts) -> list[ipywidgets.Widget]:
        """Return the parts in the order, and in the boxes, in which the view shows them."""
        parts.words.children += (fold(OPTIONS, parts.controls),) if parts.controls else ()
        return [parts.title, parts.error, parts.figure, parts.words]

    def contents(self) -> list[ipywidgets.Widget]:
        """Return title, error line, figure, sentences and controls."""
        self.pictures = [self.picture(self.scene)]
        self.texts = self.make_texts()
        self.own_widgets += self.texts.values()
        if self.store.live is not None:
            for name in set(LIVE).intersection(self.texts):
                self.store.live.add_text(self, name, self.texts[name])
        folded = self._folded()
        shown = [text for name, text in self.texts.items() if name not in folded]
        self.why = fold(WHY, [self.texts[name] for name in folded])
        words = stack([*(shown or [Html()]), self.why], css_class="dpviz-words")
        strip = self._stand_alone(words) if self.is_alone else []
        figure = place(self.pictures[0])
        # A view may show others in their place.
        self.own_widgets += [words, *words.children, figure]
        self.title_line = Html()
        self.menu_button = picture_menu(self, lambda: self.pictures, self.to_save)
        parts = ViewParts(
            title=head(self.title_line, self.late_line, self.menu_button),
            error=self.error_line,
            figure=figure,
            words=words,
            controls=tuple(self.make_controls()),
        )
        return [*strip, *self.arrange(parts)]

    def _folded(self) -> list[str]:
        return [name for name in self.texts if SENTENCES[name].is_folded]

    def _stand_alone(self, words: ipywidgets.VBox) -> list[ipywidgets.Widget]:
        """Give the view what an explorer would: a strip of controls, and a line to begin with."""
        if not self.is_wide:
            self.add_class("dpviz-alone")
        if self.try_it:
            words.children += (Html(block("dpviz-try", f"Try: {self.try_it}")),)
        return [own_strip(self, self.moved_by)] if self.moved_by else []

    def draw(self, result: Result) -> None:
        """Draw the layers whose parts changed, and write the sentences."""
        for picture in self.active_pictures:
            picture.draw(result)
        title = self.active_pictures[0].title
        self.title_line.value = heading(title)
        self.menu_button.name_after(title)
        live = self.store.live
        is_live = live is not None and live.draws(result)
        for name, text in self.texts.items():
            if not (is_live and name in LIVE and text.value):
                text.value = sentence(result.sentences.get(name, ""), f"dpviz-{name}")
        has_more = any(result.sentences.get(name) for name in self._folded())
        self.why.is_hidden = not has_more
        self.follow_controls(result)
