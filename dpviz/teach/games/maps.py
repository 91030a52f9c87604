"""A game: one person's income moves the average incomes of a country, a town and a street."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from dpviz.checks import FloatArray
from dpviz.drawing import AxisSpec, Layer, Line, Points, Scene, theme
from dpviz.number_format import short, upper
from dpviz.teach.games.game import Game, Slider
from dpviz.teach.question import generator_for
from dpviz.theory.zoom_levels import ZoomLevels

LEVELS = ZoomLevels(records=1000, low=0.0, high=200.0, regions=[1, 10, 50], scale=2.0)
MAPS = ("country", "town", "street")
# Of the dots of each map: rows, size in square pixels, left edge.
ROWS, SIZES, LEFT = (25, 10, 4), (3, 14, 70), np.array([1.0, 34.0, 67.0])
WIDTH, TOP, PEOPLE, FOOT, PEAK = 28.0, 60.0, 24.0, 8.0, 20.0  # of the dots and of the curves
REACH = 20.0  # incomes on either side of the average that the curves show


class MapsLayer(Layer):
    """A dot for each person on each map; each average's density before and after the change."""

    texts = Points(color=theme.MEMBER, size=1, opacity=0)
    published = Points(color=theme.ATTACK, marker="diamond", size=60)

    def add_marks(self) -> None:
        super().add_marks()
        people = (Points(color=theme.NONMEMBER, size=size) for size in SIZES)
        self._people = self.add_each("people", *people)
        self._person = self.add("person", Points(color=theme.ATTACK, size=60))
        self._before = self.add_each("before", *[Line(color=theme.NONMEMBER, width=2.5)] * 3)
        self._after = self.add_each("after", *[Line(color=theme.ATTACK)] * 3)

    def draw(self, result: Any) -> None:
        dots = [dot_places(i) for i in range(3)]
        self._person.draw(np.array([places[result.person] for places in dots]))
        for i, places in enumerate(dots):
            self._people[i].draw(places)
            self._before[i].draw(density_curve(LEFT[i], 0.0))
            self._after[i].draw(density_curve(LEFT[i], result.changes[i]))
        x = LEFT + WIDTH * (result.changes + result.noise + REACH) / (2 * REACH)
        averages = list(map(short, result.published.tolist()))
        self.published.draw(np.column_stack([x, np.full(3, FOOT)]), texts=averages)
        heads_and_feet = [*((x, TOP + 3.5) for x in LEFT), *((x + 8, FOOT - 4) for x in LEFT)]
        texts = [f"{name}: {n}" for name, n in zip(MAPS, LEVELS.least_sizes, strict=True)]
        texts += [f"ε = {short(epsilon)}" for epsilon in LEVELS.epsilons.tolist()]
        self.texts.draw(np.array(heads_and_feet), texts=texts)


def dot_places(i: int) -> FloatArray:
    """Return the coordinates of the dots of map i, shape (people, 2), row by row from the top."""
    columns = LEVELS.least_sizes[i] // ROWS[i]
    down, across = np.divmod(np.arange(LEVELS.least_sizes[i]), columns) + np.array([[0.5], [0.5]])
    return np.column_stack([LEFT[i] + across * WIDTH / columns, TOP - down * PEOPLE / ROWS[i]])


def density_curve(left: float, change: float) -> FloatArray:
    """Return points (x, y) of the density of an average moved by `change`; x begins at `left`."""
    away = np.union1d(np.linspace(-REACH, REACH, 161), change)  # with a vertex at the peak
    heights = np.exp(-np.abs(away - change) / LEVELS.scale)
    return np.column_stack([left + WIDTH * (away + REACH) / (2 * REACH), FOOT + PEAK * heights])


@dataclass(frozen=True, kw_only=True)
class Maps(Game):
    """Incomes of 1000 people, and how far one person's income moves three published averages."""

    person: int = 0  # of the 20 people of the first street
    income: int | None = None  # from 0 to 200; None: the person's own one

    scene: ClassVar = Scene(
        title="How far does one person move an average?",
        x=AxisSpec(label="", high=96, visible=False),
        y=AxisSpec(label="", high=66, visible=False),
        layers=lambda: [MapsLayer()],
    )
    note: ClassVar = (
        "Each dot is a person. The curves are densities of the published average: grey with the "
        "person's own income, orange with the chosen income. The diamond is the published average. "
        "Incomes and noise are random; incomes are in thousands."
    )
    moves: ClassVar = {
        "income 0": lambda maps: replace(maps, income=0),
        "income 200": lambda maps: replace(maps, income=200),
        "another person": lambda maps: replace(maps, income=None, person=(maps.person + 1) % 20),
        "start again": Game.beginning,
    }
    sliders: ClassVar = (
        Slider(
            "income", 200, lambda maps: maps.shown_income, lambda maps, n: replace(maps, income=n)
        ),
    )

    @cached_property
    def incomes(self) -> FloatArray:
        """The incomes of all people before a change, street by street."""
        drawn = generator_for(self.login, "maps").lognormal(np.log(40), 0.5, LEVELS.records)
        return np.clip(np.round(drawn), LEVELS.low, LEVELS.high)

    @cached_property
    def noise(self) -> FloatArray:
        """The noise on the averages of country, town and street."""
        return np.asarray(generator_for(self.login, "noise").laplace(0.0, LEVELS.scale, 3))

    @property
    def shown_income(self) -> int:
        """The person's income on the maps: the chosen income or, if None, the person's own."""
        return int(self.incomes[self.person]) if self.income is None else self.income

    @property
    def changes(self) -> FloatArray:
        """The changes that the chosen income makes to the averages of country, town and street."""
        change = self.shown_income - self.incomes[self.person]
        return np.asarray(change / np.array(LEVELS.least_sizes))

    @property
    def published(self) -> FloatArray:
        """The published averages, which include the chosen income and the noise."""
        exact = np.array([self.incomes[:n].mean() for n in LEVELS.least_sizes])
        return np.asarray(exact + self.changes + self.noise)

    @property
    def text(self) -> str:
        return (
            f"This person earns {self.incomes[self.person]:g}. An income of {self.shown_income} "
            f"moves the averages: {_averages_text(np.abs(self.changes))}. Published are: "
            f"{_averages_text(self.published)}. The noise has scale {short(LEVELS.scale)} on every "
            f"map. No income moves an average by more than {short(LEVELS.high)} / people, and ε is "
            f"this limit / scale. All maps together have ε = {short(upper(LEVELS.epsilon))}."
        )


def _averages_text(values: FloatArray) -> str:
    pairs = zip(MAPS, values.tolist(), strict=True)
    return ", ".join(f"{name} {short(value)}" for name, value in pairs)
