"""Average incomes of a street, a town and a country, in which one person's income is changed."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from typing_extensions import override

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.drawing import AxisSpec, Layer, Line, Points, Scene, theme
from dpviz.number_format import short, upper
from dpviz.teach.games.game import Game, Slider
from dpviz.teach.question import generator_for
from dpviz.theory.zoom_levels import ZoomLevels

LEVELS = ZoomLevels(records=1000, low=0.0, high=200.0, regions=[1, 10, 50], scale=2.0)
MAPS = ("country", "town", "street")
ROWS = (25, 10, 4)  # of the dots of each map
SIZES = (3, 14, 70)  # of the dots of each map, in square pixels
LEFT, WIDTH = (1.0, 34.0, 67.0), 28.0  # of the maps; the picture is 96 wide and 66 high
TOP, PEOPLE, FOOT, PEAK = 60.0, 24.0, 8.0, 20.0  # upper edge and height of dots, of curves
REACH = 20.0  # incomes on either side of the average that the curves show
AROUND = np.linspace(-REACH, REACH, 161)  # with a vertex at the peak


class MapsLayer(Layer):
    """The people of three maps, and the published average's densities with two incomes."""

    heads = Points(color=theme.MEMBER, size=1, opacity=0)
    epsilons = Points(color=theme.CLAIM, size=1, opacity=0)
    published = Points(color=theme.ATTACK, marker="diamond", size=60)

    def add_marks(self) -> None:
        super().add_marks()
        people = [Points(color=theme.NONMEMBER, size=size) for size in SIZES]
        self._people = self.add_each("people", *people)
        self._person = self.add("person", Points(color=theme.ATTACK, size=60))
        before = Line(color=theme.NONMEMBER, width=2.5)
        self._before = self.add_each("before", *(before for _ in MAPS))
        self._after = self.add_each("after", *(Line(color=theme.ATTACK) for _ in MAPS))

    def draw(self, result: Any) -> None:
        dots = [dot_places(i) for i in range(len(MAPS))]
        for people, places in zip(self._people, dots, strict=True):
            people.draw(places)
        self._person.draw(np.array([places[result.person] for places in dots]))
        moves = result.averages - result.own_averages
        for mark, left in zip(self._before, LEFT, strict=True):
            mark.draw(curve(left, 0.0))
        for mark, left, move in zip(self._after, LEFT, moves, strict=True):
            mark.draw(curve(left, float(move)))
        away = moves + result.noise
        x = np.array(LEFT) + WIDTH * (away + REACH) / (2 * REACH)
        texts = [short(each) for each in result.published.tolist()]
        self.published.draw(np.column_stack([x, np.full(len(MAPS), FOOT)]), texts=texts)
        names = [f"{name}: {n}" for name, n in zip(MAPS, LEVELS.smallest, strict=True)]
        self.heads.draw(np.array([[left, TOP + 3.5] for left in LEFT]), texts=names)
        texts = [f"ε = {short(each)}" for each in LEVELS.epsilons.tolist()]
        self.epsilons.draw(np.array([[left + 8, FOOT - 4] for left in LEFT]), texts=texts)


def dot_places(i: int) -> FloatArray:
    """Return the places of the people of map i, shape (people, 2), row by row from the top."""
    number, rows = LEVELS.smallest[i], ROWS[i]
    columns = -(-number // rows)
    down, across = np.divmod(np.arange(number), columns)
    x = LEFT[i] + (across + 0.5) * WIDTH / columns
    return np.column_stack([x, TOP - (down + 0.5) * PEOPLE / rows])


def curve(left: float, move: float) -> FloatArray:
    """Return the density of a published average, moved by `move`, as places in the picture."""
    away = np.union1d(AROUND, move)
    heights = np.exp(-np.abs(away - move) / LEVELS.scale)
    return np.column_stack([left + WIDTH * (away + REACH) / (2 * REACH), FOOT + PEAK * heights])


@dataclass(frozen=True, kw_only=True)
class Maps(Game):
    """Incomes of 1000 people in thousands, in 10 towns of five streets, and one income to change.

    Parameters
    ----------
    login : str, the same login has the same incomes
    person : int, in [0, 20), somebody of the first street
    income : int, optional, in [0, 200]: another income of this person; None: the own one
    """

    person: int = 0
    income: int | None = None

    scene: ClassVar = Scene(
        title="How far does one person move an average?",
        x=AxisSpec(label="", low=0, high=96, visible=False),
        y=AxisSpec(label="", low=0, high=66, visible=False),
        layers=lambda: [MapsLayer()],
    )
    note: ClassVar = (
        "Each dot is a person. The curves show where the published average may fall: grey with the "
        "person's own income, orange with the other one. The diamond is the published average. "
        "Incomes and noise are random; incomes are in thousands."
    )
    moves: ClassVar = {
        "income 0": lambda maps: replace(maps, income=0),
        "income 200": lambda maps: replace(maps, income=200),
        "another person": lambda maps: maps.of_next_person(),
        "start again": lambda maps: (
            None if maps == Maps(login=maps.login) else Maps(login=maps.login)
        ),
    }
    sliders: ClassVar = (
        Slider(
            label="income",
            high=int(LEVELS.high),
            value=lambda maps: maps.shown_income,
            move=lambda maps, income: replace(maps, income=income),
        ),
    )

    def __post_init__(self) -> None:
        checks.whole("person", self.person, 0, LEVELS.smallest[-1] - 1)
        if self.income is not None:
            checks.whole("income", self.income, int(LEVELS.low), int(LEVELS.high))

    def of_next_person(self) -> "Maps":
        """Return the maps for the next person of the street, with the own income."""
        return replace(self, person=(self.person + 1) % LEVELS.smallest[-1], income=None)

    @cached_property
    def incomes(self) -> FloatArray:
        """The people's own incomes in thousands; those of a street or town follow each other."""
        drawn = generator_for(self.login, "maps").lognormal(np.log(40), 0.5, LEVELS.records)
        return np.clip(np.round(drawn), LEVELS.low, LEVELS.high)

    @property
    def shown_income(self) -> int:
        """The person's income in the maps."""
        return int(self.incomes[self.person]) if self.income is None else self.income

    @property
    def is_changed(self) -> bool:
        """Whether the person has another income than the own one."""
        return self.shown_income != int(self.incomes[self.person])

    @property
    def own_averages(self) -> FloatArray:
        """The exact averages of country, town and street with the person's own income."""
        return np.array([self.incomes[:n].mean() for n in LEVELS.smallest])

    @property
    def averages(self) -> FloatArray:
        """The exact averages of country, town and street with the income that is shown."""
        change = self.shown_income - self.incomes[self.person]
        return np.asarray(self.own_averages + change / np.array(LEVELS.smallest))

    @property
    def noise(self) -> FloatArray:
        """The noise on the averages of country, town and street."""
        rng = generator_for(self.login, "maps.noise")
        return np.asarray(rng.laplace(0.0, LEVELS.scale, len(MAPS)))

    @property
    def published(self) -> FloatArray:
        """The averages that are published, with the income that is shown and with noise."""
        return self.averages + self.noise

    @property
    @override
    def text(self) -> str:
        own = int(self.incomes[self.person])
        if not self.is_changed:
            published = ", ".join(map(short, self.published.tolist()))
            return (
                f"This person earns {own}. The published averages of {MAPS[0]}, {MAPS[1]} and "
                f"{MAPS[2]} are {published}. Give the person another income."
            )
        moves = np.abs(self.averages - self.own_averages)
        said = ", ".join(
            f"{name} by {short(move)}" for name, move in zip(MAPS, moves.tolist(), strict=True)
        )
        return (
            f"With {self.shown_income} in place of {own} the averages move: {said}. The noise has "
            f"scale {short(LEVELS.scale)} on every map. No income moves them more than "
            f"{short(LEVELS.high)} / people: divided by the scale, this is ε. All three maps "
            f"together have ε = {short(upper(LEVELS.epsilon))}."
        )
