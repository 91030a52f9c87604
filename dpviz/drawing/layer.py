"""The unit of drawing: built once, drawn when its parts of the result change."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from dpviz.drawing.axes import Axis
from dpviz.drawing.frame import Frame
from dpviz.drawing.marks import D, Drawn, Mark

# Changes the spec: ``change(fpr=0.01)``; ``change(threshold=...)`` changes the FPR to that of it.
Change = Callable[..., None]


class Layer(ABC):
    """Marks that show one thing of a result."""

    # Whether the marks depend on numbers of the spec alone, so that a browser moves them without a
    # kernel, by the name of the class and of the marks (`js/src/state/layers.ts`).
    closed_form: bool = False
    frame: Frame
    x: Axis
    y: Axis
    change: Change

    def build(self, frame: Frame, change: Change) -> None:
        """Put the marks on a frame."""
        self.frame, self.x, self.y, self.change = frame, frame.x, frame.y, change
        self._marks: dict[str, Drawn] = {}
        self.add_marks()

    def add(self, name: str, mark: Mark[D]) -> D:
        """Add a mark to the frame, and to :meth:`marks` under a name."""
        drawn = self.frame.add(mark)
        self._marks[name] = drawn
        return drawn

    def add_each(self, name: str, *marks: Mark[D]) -> list[D]:
        """Add marks of one kind, named "name 0", "name 1", ..."""
        return [self.add(f"{name} {i}", mark) for i, mark in enumerate(marks)]

    def marks(self) -> dict[str, Drawn]:
        """The marks that the layer moves, by name, from back to front."""
        return dict(self._marks)

    def hide(self) -> None:
        """Hide all marks that the layer moves."""
        for mark in self._marks.values():
            mark.hide()

    @abstractmethod
    def add_marks(self) -> None:
        """Add the marks to the frame, from back to front."""

    @abstractmethod
    def parts(self, result: Any) -> tuple[object, ...]:
        """What the layer shows of the result; up to date while these are the same objects."""

    def applies(self, result: Any) -> bool:
        """Whether there is anything to draw; what draws a picture hides the layer otherwise."""
        return True

    @abstractmethod
    def draw(self, result: Any) -> None:
        """Move the marks."""


class ClaimLayer(Layer):
    """A layer about the claim: hidden where nothing is claimed."""

    def applies(self, result: Any) -> bool:
        """Whether anything is claimed."""
        return bool(result.is_claimed)


class SampleLayer(Layer):
    """A layer about the scores: hidden while there are none."""

    def parts(self, result: Any) -> tuple[object, ...]:
        """The parts of the sample that the layer shows."""
        return () if result.sample is None else self.sample_parts(result.sample)

    def draw(self, result: Any) -> None:
        """Move the marks, or hide them."""
        if result.sample is None:
            self.hide()
        else:
            self.draw_sample(result.sample)

    @abstractmethod
    def sample_parts(self, sample: Any) -> tuple[object, ...]:
        """The parts of the sample that the layer shows."""

    @abstractmethod
    def draw_sample(self, sample: Any) -> None:
        """Move the marks."""
