"""Layers: groups of marks that show one part of a result, and move when the part changes."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from dpviz.drawing.axes import Axis
from dpviz.drawing.frame import Frame
from dpviz.drawing.marks import D, DrawnMark, Mark

# Changes the spec: ``change(fpr=0.01)``; ``change(threshold=...)`` sets the FPR to its FPR.
Change = Callable[..., None]
Part = TypeVar("Part")


def part_at_path(whole: Any, path: str) -> Any:
    """Return `whole.sample.band` for path "sample.band"; None if a part on the way is None."""
    for name in path.split("."):
        whole = whole.get(name) if isinstance(whole, Mapping) else whole and getattr(whole, name)
    return whole


class Layer(ABC):
    """A group of marks that shows one part of a result, such as the claim's curve.

    A subclass declares its marks as class attributes, from back to front, for example
    ``line = Line(color=theme.CLAIM)``. After `add_to_frame` the attribute is the mark on the
    frame: ``self.line.draw(vertices)`` moves it.
    """

    # Whether the marks depend on numbers of the spec alone, so that a browser moves them without a
    # kernel, by the name of the class and of the marks (`js/src/state/layers.ts`).
    closed_form: bool = False
    # Paths of the parts of a result on which the marks depend: "claim", "answers.plan".
    of: tuple[str, ...] = ()
    frame: Frame
    x: Axis
    y: Axis
    change: Change

    def add_to_frame(self, frame: Frame, change: Change) -> None:
        """Add the marks to a frame; dragged handles call `change`, as in ``change(fpr=0.01)``."""
        self.frame, self.x, self.y, self.change = frame, frame.x, frame.y, change
        self._marks: dict[str, DrawnMark] = {}
        self.add_marks()

    def add(self, name: str, mark: Mark[D]) -> D:
        """Add a mark to the frame, and to `marks_by_name()` under `name`; return the drawn mark."""
        drawn = self.frame.add(mark)
        self._marks[name] = drawn
        return drawn

    def add_each(self, name: str, *marks: Mark[D]) -> list[D]:
        """Add marks under the names "`name` 0", "`name` 1", ..., and return the drawn marks."""
        return [self.add(f"{name} {i}", mark) for i, mark in enumerate(marks)]

    def marks_by_name(self) -> dict[str, DrawnMark]:
        """Return the marks that were added by `add`, by name, from back to front."""
        return dict(self._marks)

    def hide(self) -> None:
        """Hide all marks that were added by `add`."""
        for mark in self._marks.values():
            mark.hide()

    def add_marks(self) -> None:
        """Add the marks that are class attributes; a subclass may add marks behind or over them."""
        for kind in reversed(type(self).__mro__):  # marks of base classes lie behind others
            for name, mark in vars(kind).items():
                if isinstance(mark, Mark):
                    setattr(self, name, self.add(name, mark))

    def needed_parts(self, result: Any) -> tuple[object, ...]:
        """Return the parts of a result on which the marks depend, at the paths in `self.of`."""
        return tuple(part_at_path(result, path) for path in self.of)

    def has_content_for(self, result: Any) -> bool:
        """Return whether the result has content for this layer; otherwise the layer is hidden."""
        return True

    @abstractmethod
    def draw(self, result: Any) -> None:
        """Move the marks so that they show a result."""


class ClaimLayer(Layer):
    """A layer about the claim, which is hidden if nothing is claimed."""

    def has_content_for(self, result: Any) -> bool:
        """Return whether anything is claimed."""
        return bool(result.is_claimed)


class SampleLayer(Layer):
    """A layer about the scores, which is hidden while there are no scores."""

    def draw(self, result: Any) -> None:
        """Draw the scores; hide the marks if there are none."""
        if result.sample is None:
            self.hide()
        else:
            self.draw_sample(result.sample)

    @abstractmethod
    def draw_sample(self, sample: Any) -> None:
        """Move the marks so that they show `sample`, the result's part about the scores."""


class AnswerLayer(Layer, Generic[Part]):
    """A layer that shows an answer: a part of a result that is computed on request."""

    answer: str  # the path of what is drawn among the answers of a result

    def needed_parts(self, result: Any) -> tuple[object, ...]:
        """Return what is drawn: the answer, and the parts of a result at the paths in `self.of`."""
        return (part_at_path(result.answers, self.answer), *super().needed_parts(result))

    def draw(self, result: Any) -> None:
        """Draw the answer; hide the marks if there is none."""
        part: Part | None = part_at_path(result.answers, self.answer)
        if part is None:
            self.hide()
        else:
            self.draw_answer(part)

    @abstractmethod
    def draw_answer(self, part: Part) -> None:
        """Move the marks so that they show `part`, the answer."""
