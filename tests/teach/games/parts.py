"""The parts of a game's widget."""

from typing import NamedTuple

from dpviz.widgets.base.html import Button, Html, IntSlider


class Parts(NamedTuple):
    """The picture, the sliders, the buttons by their texts, and the text."""

    picture: Html
    sliders: list[IntSlider]
    buttons: dict[str, Button]
    text: Html


def parts(shown) -> Parts:
    """Return the parts of a game's widget."""
    place, beside = shown.children[-1].children
    sliders = [each for each in beside.children if isinstance(each, IntSlider)]
    buttons, text, *_ = beside.children[len(sliders) :]
    return Parts(place.children[0], sliders, {b.description: b for b in buttons.children}, text)
