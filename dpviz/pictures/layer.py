"""The unit of drawing: built once, drawn when its parts of the result change."""

from collections.abc import Callable
from typing import Protocol

from dpviz.analysis import Result
from dpviz.pictures.frame import Frame

Change = Callable[..., None]
"""Asks for a change of the spec: ``change(fpr=0.01)``; ``change(threshold=...)`` of its FPR."""


class Layer(Protocol):
    """What a view needs of a layer.

    `closed_form` is True when the layer depends on numbers of the spec alone, so that a browser
    could draw it without the kernel.
    """

    closed_form: bool

    def build(self, frame: Frame, change: Change) -> None:
        """Put marks on the frame."""

    def parts(self, result: Result) -> tuple[object, ...]:
        """What of the result this layer shows; compared by identity to skip needless draws."""

    def draw(self, result: Result) -> None:
        """Move the marks."""
