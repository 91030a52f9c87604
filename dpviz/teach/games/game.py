"""The base of games: a state, its picture and text, and buttons that lead to other states."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple, Self

from dpviz.drawing.scene import Scene
from dpviz.naming import NAMINGS, Naming
from dpviz.widgets.base import html
from dpviz.widgets.base.html import Html
from dpviz.widgets.base.picture import STILL_WIDTH, static_svg


class Slider(NamedTuple):
    """A slider of whole numbers from 0 to `high` that shows and changes one number of a game."""

    label: str
    high: int
    value: Callable[[Any], int]
    move: Callable[[Any, int], Any]  # returns the next state, from the state and the new number


@dataclass(frozen=True, kw_only=True)
class Game(ABC):
    """The state of a game; its random numbers depend on the student's login."""

    login: str

    naming: ClassVar[Naming] = NAMINGS["words"]  # of the layers, whose result the state is
    scene: ClassVar[Scene]
    scenes_below: ClassVar[Sequence[Scene]] = ()  # of further pictures, below the sentences
    note: ClassVar[str]  # what is random, and what the numbers do not say
    css: ClassVar[str] = ""  # further rules of style
    # By the text of a button: the next state, or None while the button is hidden.
    moves: ClassVar[Mapping[str, Callable[[Any], Any]]]
    sliders: ClassVar[Sequence[Slider]] = ()

    def beginning(self) -> Self | None:
        """Return the first state of the game; None if this state is the first."""
        first = type(self)(login=self.login)
        return None if self == first else first

    @property
    @abstractmethod
    def text(self) -> str:
        """The sentences that say what the picture shows."""


class GameWidget(html.Stack):
    """The picture of a game beside its buttons and texts; `game` is the present state."""

    def __init__(self, game: Game, width: float = STILL_WIDTH) -> None:
        self._width = width  # of the pictures, in pixels of their letters
        scene, look = game.scene, html.css_widget(html.CSS + game.css)
        layout, classes = html.css_layout(**html.css_width(scene)), html.css_classes(scene)
        self._picture = Html(layout=layout, _dom_classes=classes)
        self._text, note = Html(), Html(html.sentence_html(game.note))
        self._buttons = {name: html.button(name, partial(self.press, name)) for name in game.moves}
        self._sliders = [(each, self._slider_widget(each)) for each in game.sliders]
        sliders, buttons = (widget for _, widget in self._sliders), self._buttons.values()
        self._below = [Html(_dom_classes=html.css_classes(each)) for each in game.scenes_below]
        beside = html.stack([*sliders, html.row(buttons), self._text, note, *self._below])
        shown = html.columns([html.stack([self._picture]), beside], css_class="dpviz-game")
        title = Html(html.heading_html(scene.title))
        names = ["dpviz", f"dpviz-{type(game).__name__}"]
        super().__init__([look, title, shown], _dom_classes=names)
        self._show(game)

    def press(self, label: str) -> None:
        """Show the state to which the button `label` leads; do nothing if the button is hidden."""
        if (after := self.game.moves[label](self.game)) is not None:
            self._show(after)

    def _slider_widget(self, slider: Slider) -> html.IntSlider:
        def move(change: Any) -> None:
            # `_show` moves the slider, too, to the number that the state has already.
            if change["new"] != slider.value(self.game):
                self._show(slider.move(self.game, change["new"]))

        made = html.IntSlider(min=0, max=slider.high, description=slider.label)
        made.observe(move, names="value")
        return made

    def _show(self, game: Game) -> None:
        self.game = game
        self._picture.value = static_svg(game.scene, game, self._width)
        self._text.value = html.div("dpviz-sentence", game.text, role="status")
        for scene, below in zip(game.scenes_below, self._below, strict=True):
            below.value = static_svg(scene, game, self._width)
        for slider, widget in self._sliders:
            widget.value = slider.value(game)
        for label, move in game.moves.items():
            self._buttons[label].is_hidden = move(game) is None
