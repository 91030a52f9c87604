"""Rates as whole people."""

from dpviz.pictures.layers.people import (
    CELLS_X,
    CELLS_Y,
    DOTS_X,
    DOTS_Y,
    PeopleDots,
    PopulationCells,
    RedrawnDots,
)
from dpviz.pictures.scene import Scene

PEOPLE = Scene(
    title="What does that mean for people?",
    topic="people",
    shape="square",
    x=DOTS_X,
    y=DOTS_Y,
    layers=lambda: [PeopleDots()],
)

REDRAWS = Scene(
    title="What would another audit show?",
    topic="redraws",
    needs="redraws",
    shape="square",
    x=DOTS_X,
    y=DOTS_Y,
    layers=lambda: [RedrawnDots()],
)

POPULATION = Scene(
    title="Who are the people called “member”?",
    topic="population",
    shape="square",
    x=CELLS_X,
    y=CELLS_Y,
    layers=lambda: [PopulationCells()],
)
