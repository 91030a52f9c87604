"""The ruler: every epsilon of the answer on one axis."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from typing_extensions import override

from dpviz.analysis import Result
from dpviz.analysis.number_format import lower, short, short_above, upper
from dpviz.analysis.parts.answer import Answer, answer_of
from dpviz.pictures import theme
from dpviz.pictures.axes import round_end
from dpviz.pictures.frame import rectangle
from dpviz.pictures.layer import Layer
from dpviz.pictures.marks import NOTHING, Area, DrawnLines, DrawnPoints, Line, Points

# The y axis is in pixels of a strip: bars at the bottom, above them the label of the claim, and
# rows of other labels, which the short tick of the claim cannot cross.
HEIGHT = 100.0
CHANCE, CERTIFIED = (2.0, 8.0), (10.0, 24.0)
CLAIMED_ROW, FIRST_ROW, ROW = 36.0, 50.0, 14.0
LONGEST_NAME = 16  # letters of an attack
WIDTH = 3.5  # of the claim's tick, in pixels
ROOM = 1.08  # length of the axis over the largest number
ALONE = 1.25  # the least length where there is only a claim
FAR = 4.0  # a claim so many times as large as all else stands at the end of the axis
# Labels are placed for the narrowest picture: in a wider one they are further apart.
NARROWEST, LETTER, BESIDE = 280.0, 7.6, 12.0  # pixels: of the axis, of a letter, to a label
# With several attacks, for its place beside the answer; a label that has no row there is moved to
# where there is room, as in other pictures.
BESIDE_TEXT, LAST_ROW = 540.0, 3


@dataclass(frozen=True)
class Label:
    """A text for a place on the axis, and where it goes: a row from below, and a side."""

    text: str
    share: float  # of the length of the axis
    row: int = 0
    to_the_left: bool = False


class Ruler(Layer):
    """Lower bound, chance level, Epsilon* and ceiling, as far as they are known.

    Beside them what each compared attack certifies, by name. Only the lower bound is a filled bar
    in the colour of the attack; Epsilon*, an estimate, is an open diamond, and so is the Epsilon*
    that chance alone reaches, which says nothing of the bound.
    """

    @override
    def add_marks(self) -> None:
        self._bars = {
            "chance": self.add("chance", Area(color=theme.SHADE, opacity=0.7, outline=False)),
            "certified": self.add("certified", Area(color=theme.ATTACK, opacity=1, outline=False)),
        }
        colors = {
            "chance": theme.SELECTION,
            "certified": theme.ATTACK,
            "estimate": theme.ATTACK,
            "ceiling": theme.SELECTION,
        }
        self._ticks: dict[str, DrawnLines] = {}
        self._labels: dict[str, DrawnPoints] = {}
        lines = {name: Line(color=color, width=1) for name, color in colors.items()}
        for i, (dash, width) in enumerate(theme.ATTACKS):  # as their curves
            lines[_attack(i)] = Line(color=theme.ATTACK, dash=dash, width=width)
        for name, line in lines.items():
            self._ticks[name] = self.add(f"tick of {name}", line)
            self._labels[name] = self.add(f"label of {name}", _end_of_tick(line.color, 1))
        star = Points(color=theme.ATTACK, marker="diamond", size=70, outline=2)
        by_chance = Points(color=theme.SELECTION, marker="diamond", size=40, outline=1.5)
        self._stars = {
            "estimate": self.add("estimate", star),
            "chance": self.add("estimate by chance", by_chance),
        }

    @override
    def parts(self, result: Result) -> tuple[object, ...]:
        sample = result.sample
        if sample is None:
            return (result.claim,)
        audit = sample.audit
        computed = (audit.bound, audit.ceiling, audit.null, audit.best_of)
        return (result.claim, sample.epsilon_star, result.spec.method, *computed)

    @override
    def draw(self, result: Result) -> None:
        answer = answer_of(result)
        end = reach(answer)
        places = {
            name: min(value, end)
            for name, value in _measured(answer).items()
            if value is not None and not math.isnan(value)
        }
        named = [Label(_text(answer, name), place / end) for name, place in places.items()]
        width = BESIDE_TEXT if answer.attacks else NARROWEST
        labels = dict(zip(places, placed(named, width), strict=True))
        for name, label in self._labels.items():
            if name not in labels:
                label.draw(NOTHING)
                self._ticks[name].draw(NOTHING)
                continue
            at = labels[name]
            y = FIRST_ROW + ROW * min(at.row, LAST_ROW)
            foot = {"estimate": sum(CERTIFIED) / 2, "certified": CERTIFIED[1]}.get(name, 0.0)
            x = places[name]
            self._ticks[name].draw(np.array([[x, foot], [x, y]]))
            label.draw(np.array([[x, y]]), texts=[at.text])
        for name, (bottom, top) in {"chance": CHANCE, "certified": CERTIFIED}.items():
            end = places.get(name, 0.0)
            self._bars[name].draw(rectangle(0.0, end, bottom, top) if end else NOTHING)
        for name, (bottom, top) in {"estimate": CERTIFIED, "chance": CHANCE}.items():
            place = [[places[name], (bottom + top) / 2]] if name in places else NOTHING
            self._stars[name].draw(np.array(place))


class ClaimedTick(Layer):
    """The axis of the ruler and the claimed epsilon on it, if anything is claimed."""

    closed_form = True

    @override
    def add_marks(self) -> None:
        self._line = self.add("line", Line(color=theme.CLAIM, width=WIDTH))
        self._label = self.add("label", _end_of_tick(theme.CLAIM, WIDTH))

    @override
    def parts(self, result: Result) -> tuple[object, ...]:
        audit = result.sample and (result.sample.audit, result.sample.epsilon_star)
        return (result.claim, result.spec.method, *(audit or ()))

    @override
    def draw(self, result: Result) -> None:
        answer = answer_of(result)
        self.x.set_range(0.0, reach(answer))
        self.x.set_label(f"ε at δ = {short(answer.delta)}")
        if answer.claimed is None:
            self._line.draw(NOTHING)
            self._label.draw(NOTHING)
            return
        x = self.x.clamp(answer.claimed)
        self._line.draw(np.array([[x, 0.0], [x, CLAIMED_ROW]]))
        is_beyond = x < answer.claimed < math.inf
        text = f"claimed {short(upper(answer.claimed))}{' →' if is_beyond else ''}"
        self._label.draw(np.array([[x, CLAIMED_ROW]]), texts=[text])


def reach(answer: Answer) -> float:
    """The upper end of the axis: the largest number has room, but for a claim far beyond."""
    measured, claimed = answer.largest, answer.claimed or 0.0
    if not measured:
        return round_end(ALONE * claimed) if 0 < claimed < math.inf else 1.0
    return ROOM * (claimed if measured < claimed <= FAR * measured else measured)


def placed(labels: Sequence[Label], width: float = NARROWEST) -> list[Label]:
    """Give each label a side, and the lowest row in which it covers no other, from a width on.

    Nor does it cover the line from another label down to its place, if that can be avoided.
    """
    taken: list[tuple[int, float, float, float]] = []  # row; left and right end, place: in pixels
    found: dict[int, Label] = {}
    # From the right, so that a label stands above those that it would cover.
    for i in sorted(range(len(labels)), key=lambda i: -labels[i].share):
        text, x = labels[i].text, labels[i].share * width
        long = LETTER * len(text) + BESIDE
        to_the_left = x + long > width and x > width / 2
        left, right = (x - long, x) if to_the_left else (x, x + long)
        row = 0
        while any(
            (r == row and left < b and a < right) or (r >= row and left < at < right)
            for r, a, b, at in taken
        ):
            row += 1
        taken.append((row, left, right, x))
        found[i] = Label(text, labels[i].share, row, to_the_left)
    return [found[i] for i in range(len(labels))]


def _end_of_tick(color: str, width: float) -> Points:
    return Points(color=color, size=round(math.pi * width**2 / 4))


def _measured(answer: Answer) -> dict[str, float | None]:
    """The numbers by their places; several attacks need the room of the chance level."""
    return {
        "certified": answer.certified,
        "chance": None if answer.attacks else answer.chance,
        "estimate": answer.estimate,
        "ceiling": answer.ceiling,
        **{_attack(i): low or None for i, (_, low) in enumerate(answer.attacks)},
    }


def _attack(i: int) -> str:
    return f"attack {i}"


def _text(answer: Answer, name: str) -> str:
    """A bound is rounded down, what is at most upwards; an estimate says that it is one."""
    match name:
        case "certified":
            return f"certified ≥ {short_above(answer.certified or 0.0, answer.claimed or 0.0)}"
        case "chance":
            return f"chance: up to {short(upper(answer.chance or 0.0))}"
        case "estimate":
            return f"Epsilon* ≈ {short(answer.estimate or 0.0)}"
        case "ceiling":
            return f"ceiling {short(upper(answer.ceiling or 0.0))}"
        case _:
            called, low = answer.attacks[int(name.rpartition(" ")[2])]
            cut = called if len(called) <= LONGEST_NAME else f"{called[: LONGEST_NAME - 1]}…"
            return f"{cut} ≥ {short(lower(low))}"
