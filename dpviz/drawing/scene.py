"""The description of one picture: its axes, its layers, and the topic of its sentences."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from dpviz.drawing.axes import AxisSpec
from dpviz.drawing.layer import Layer
from dpviz.drawing.layers import FNR_AXIS, FPR_AXIS

LEFT, RIGHT, TOP, BOTTOM = 62, 18, 12, 46  # pixels around the axes, at a font scale of 1
NO_AXES = 2  # pixels around a picture whose axes are not shown
WIDEST_SQUARE = 480  # pixels of a square picture that stands alone
PROPORTION = 16 / 11  # width over height of a wide picture
STRIP_HEIGHT = 118  # pixels of a strip, whatever its width
TOP_AXIS = 26  # pixels above a picture that has an axis there
Shape = Literal["square", "wide", "strip"]


@dataclass(frozen=True, kw_only=True)
class Scene:
    """The description of one picture, such as its title, axes, layers and margins."""

    title: str = ""
    title_sentence: str = ""  # name of the sentence that is a finding, in place of the title
    subtitle_sentence: str = ""  # name of the sentence below it: what is drawn
    shape: Shape = "wide"
    x: AxisSpec
    y: AxisSpec
    has_top: bool = False  # whether an axis is above the picture, whose ticks a layer sets
    layers: Callable[[], Sequence[Layer]]  # each picture has its own; from back to front
    topic: str = ""  # the `picture` of the sentences that say what it shows; `needs` by default
    lead_topic: str = ""  # where its lead, the sentence always shown, has another topic
    numbers: tuple[str, ...] = ()  # of the spec, which move this picture and few others
    needs: str = ""  # "scores" or a computed answer, without which there is nothing to show
    of_claim: bool = False  # it has nothing to show where nothing is claimed
    left: int = LEFT  # pixels left of the y axis, for its ticks
    right: int = RIGHT  # pixels right of the x axis, for half of its last tick
    label_offset: str | None = None  # from the y axis to its name, where ticks are long

    def __post_init__(self) -> None:
        object.__setattr__(self, "topic", self.topic or self.needs)

    @property
    def margins(self) -> dict[str, int]:
        """The widths of the margins in pixels: "top", "bottom", "left", "right"."""
        if not (self.x.visible or self.y.visible):
            return dict.fromkeys(("top", "bottom", "left", "right"), NO_AXES)
        if self.shape == "strip":
            return {"top": 2, "bottom": 34, "left": RIGHT, "right": RIGHT}
        top = TOP_AXIS if self.has_top else TOP
        return {"top": top, "bottom": BOTTOM, "left": self.left, "right": self.right}

    @property
    def width_minus_height(self) -> int:
        """Width minus height, in pixels, of a picture with square axes; 0 for any other picture."""
        beside = self.margins
        more = beside["left"] + beside["right"] - beside["top"] - beside["bottom"]
        return more if self.shape == "square" else 0

    def height(self, width: float) -> float:
        """Return the height of a picture of this width, in pixels; margins are included."""
        if self.shape == "strip":
            return STRIP_HEIGHT
        return width - self.width_minus_height if self.shape == "square" else width / PROPORTION

    def is_empty(self, result: Any) -> bool:
        """Return whether the result has nothing that the picture could show."""
        if self.of_claim and not result.is_claimed:
            return True
        if self.needs == "scores":
            return result.sample is None
        return bool(self.needs) and self.needs not in result.answers

    def fixed_title_of(self, result: Any) -> str:
        """Return, in the terms of the result's naming, the fixed title, which states no finding."""
        return str(result.naming.renamed(self.title))

    def title_of(self, result: Any) -> str:
        """Return the sentence that states the finding, or else the fixed title."""
        found = self.title_sentence and result.sentences[self.title_sentence]
        return found or self.fixed_title_of(result)

    def subtitle_of(self, result: Any) -> str:
        """Return the line below the title, which says what is drawn; "" if there is none."""
        return result.sentences[self.subtitle_sentence] if self.subtitle_sentence else ""


PLANE = Scene(shape="square", x=FPR_AXIS, y=FNR_AXIS, layers=list)  # of both error rates
