"""Whole people: 100 members beside 100 non-members, and 10 000 people as cells of a square."""

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.parts.people import PER_CLASS, Crowd
from dpviz.analysis.sentences.templates import WORDS
from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.axes import AxisSpec
from dpviz.pictures.layer import Layer
from dpviz.pictures.marks import NOTHING, Area, DrawnLines, DrawnPoints, Points, Segments

# Both pictures are square: places from the upper left on, and below them room for a legend.
DOTS_X = AxisSpec(label="", low=-1.3, high=21.3, visible=False)
DOTS_Y = AxisSpec(label="", low=-10, high=12.6, visible=False)
CELLS_X = AxisSpec(label="", low=-17, high=117, visible=False)
CELLS_Y = AxisSpec(label="", low=-32, high=102, visible=False)
ROW = 10  # dots in a row
ACROSS = 11.0  # from a member to a non-member
SIDE = 100  # cells in a row
BLOCK = 10  # cells between two lines that help to count
DOT_SIZE, CALLED_SIZE, RING_SIZE, KEY_SIZE = 75, 100, 95, 90  # who is called covers an outline
HEADING = 11.8  # heights of texts
DOT_ROWS = {"called": -1.5, "others": -3.5, "required": -5.5}  # y of the lines of a legend
KEY_ROWS = (-7, -14, -21, -28)  # the same, in the picture of the population
LOOKS = (
    ("cleared", theme.NONMEMBER, 0.25),
    ("missed", theme.MEMBER, 0.75),
    ("called detected", theme.ATTACK, 1.0),
    ("called flagged", theme.ATTACK, 0.45),
    ("allowed detected", theme.CLAIM, 1.0),
    ("allowed flagged", theme.CLAIM, 0.45),
)  # of the attack or, without scores, of the best one that the claim allows

# Whose calls are shown, and whose are hidden; by whether an attack was measured.
ORDER = (("allowed", "called"), ("called", "allowed"))


class PeopleDots(Layer):
    """100 members and 100 non-members: whom the attack calls "member", whom it has to miss."""

    closed_form = True

    def add_marks(self) -> None:
        self._heads = self.frame.add(Points(color=theme.MEMBER, size=1, opacity=0))
        everyone = Points(color=theme.NONMEMBER, size=DOT_SIZE, outline=1.5)
        self._everyone = self.frame.add(everyone)
        self._by_source = {
            "called": self.add("called", Points(color=theme.ATTACK, size=CALLED_SIZE)),
            "allowed": self.add("allowed", Points(color=theme.CLAIM, size=CALLED_SIZE)),
        }
        ring = Points(color=theme.CLAIM, size=RING_SIZE, outline=2.5)
        self._required = self.add("required", ring)

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.people, result.claim)

    def draw(self, result: Result) -> None:
        crowd, is_measured = result.people.hundreds, result.people.is_measured
        self.draw_classes()
        if is_measured or result.is_claimed:
            self.draw_called(crowd, is_measured=is_measured)
        else:
            self._by_source["allowed"].hide()
        if result.is_claimed:
            missed = dots(PER_CLASS - crowd.required, PER_CLASS, 0)
            self._draw_with_key(self._required, missed, "required", required=crowd.required)
        else:
            self._required.hide()

    def draw_classes(self) -> None:
        """Draw everybody, under the names of both classes."""
        heads = [f"{PER_CLASS} members", f"{PER_CLASS} non-members"]
        places = np.array([[-1.2, HEADING], [ACROSS - 1.2, HEADING]])
        self._heads.draw(places, texts=[*map(self.frame.naming.on_axis, heads)])
        everyone = np.vstack([dots(0, PER_CLASS, 0), dots(0, PER_CLASS, ACROSS)])
        self._draw_with_key(self._everyone, everyone, "others")

    def draw_called(self, crowd: Crowd, *, is_measured: bool) -> None:
        """Draw those who are called "member", by the attack or by the best one allowed."""
        whose, other = ORDER[is_measured]
        self._by_source[other].hide()
        called = np.vstack([dots(0, crowd.detected, 0), dots(0, crowd.flagged, ACROSS)])
        self._draw_with_key(self._by_source[whose], called, whose)

    def _draw_with_key(
        self, mark: DrawnPoints, places: FloatArray, name: str, **counts: int
    ) -> None:
        """Draw dots, and first one more in the legend, with its text."""
        row = DOT_ROWS["called" if name in self._by_source else name]
        text = self.frame.naming.renamed(WORDS[f"people.{name}"]).format(**counts)
        mark.draw(np.vstack([_key(row), places]), texts=[text, *[""] * len(places)])


class RedrawnDots(PeopleDots):
    """The same people in a hypothetical audit."""

    closed_form = False

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.answers.get("redraws"),)

    def draw(self, result: Result) -> None:
        self.draw_classes()
        self.draw_called(result.answers["redraws"].crowd, is_measured=True)
        self._required.hide()


class PopulationCells(Layer):
    """10 000 people under the prior, in the order missed, detected, flagged and cleared.

    So members are side by side, and so are those who are called "member".
    """

    closed_form = True

    def add_marks(self) -> None:
        self._areas: dict[str, DrawnLines] = {}
        self._keys: dict[str, DrawnPoints] = {}
        for name, color, opacity in LOOKS:
            area = Area(color=color, opacity=opacity, outline=False)
            self._areas[name] = self.add(name, area)
            key = Points(color=color, opacity=opacity, size=KEY_SIZE)
            self._keys[name] = self.add(f"{name} key", key)
        guides = np.arange(0, SIDE + 1, BLOCK, dtype=float)
        low, high = np.zeros_like(guides), np.full_like(guides, SIDE)
        upright = np.stack([np.column_stack([guides, end]) for end in (low, high)], axis=1)
        grid = np.vstack([upright, upright[..., ::-1]])
        self.frame.add(Segments(color=theme.SHADE, width=0.5)).draw(grid)

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.people, result.claim)

    def draw(self, result: Result) -> None:
        if not (result.people.is_measured or result.is_claimed):
            self.hide()
            return
        crowd = result.people.population
        whose, other = ORDER[result.people.is_measured]
        for role in ("detected", "flagged"):
            self._areas[f"{other} {role}"].hide()
            self._keys[f"{other} {role}"].hide()
        first = 0
        for i, role in enumerate(("missed", "detected", "flagged", "cleared")):
            count = getattr(crowd, role)
            name = f"{whose} {role}" if role in ("detected", "flagged") else role
            self._areas[name].draw(cells(first, first + count))
            text = self.frame.naming.renamed(WORDS[f"people.{role}"]).format(**{role: count})
            self._keys[name].draw(_key(KEY_ROWS[i]), texts=[text])
            first += count


def dots(first: int, last: int, left: float) -> FloatArray:
    """Places of dots `first` to `last` - 1, ten in a row, from the upper left on."""
    rows, columns = np.divmod(np.arange(first, last), ROW)
    return np.column_stack([left + columns, ROW - rows]).astype(float)


def cells(first: int, last: int) -> FloatArray:
    """The outline of cells `first` to `last` - 1, 100 in a row, from the upper left on."""
    if first == last:
        return NOTHING
    (top, start), (bottom, end) = divmod(first, SIDE), divmod(last - 1, SIDE)
    end += 1
    x = [start, SIDE, SIDE, end, end, 0, 0, start]
    y = [top, top, bottom, bottom, bottom + 1, bottom + 1, top + 1, top + 1]
    return np.column_stack([x, SIDE - np.array(y)]).astype(float)


def _key(row: float) -> FloatArray:
    return np.array([[0.0, row]])
