"""The unit of drawing: built once, drawn when its parts of the result change."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from dpviz.analysis import Result
from dpviz.pictures.frame import Frame, Mark

Change = Callable[..., None]
"""Asks for a change of the spec: ``change(fpr=0.01)``; ``change(threshold=...)`` of its FPR."""


class Layer(Protocol):
    """What a view needs of a layer.

    `closed_form` is True when the layer depends on numbers of the spec alone, so that a browser
    draws it without the kernel (`js/src/layers.ts`): such a layer is a :class:`ClosedForm`.
    """

    closed_form: bool

    def build(self, frame: Frame, change: Change) -> None:
        """Put marks on the frame."""

    def parts(self, result: Result) -> tuple[object, ...]:
        """What of the result this layer shows; compared by identity to skip needless draws."""

    def draw(self, result: Result) -> None:
        """Move the marks."""


@runtime_checkable
class ClosedForm(Protocol):
    """What the browser needs of a layer that it draws itself."""

    def marks(self) -> dict[str, Mark]:
        """Its marks by their role, as the layer of the same name in the browser calls them."""
