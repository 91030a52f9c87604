"""Both sides of Theorem 2 as a view of a fleet."""

import math

import bqplot
import numpy as np
import pytest

from dpviz import AttackScores, audit
from dpviz.widgets import BothSidesView
from tests.widgets.words import words


@pytest.fixture
def view() -> BothSidesView:
    losses = {"a": ([1, 1, 1, 4], [2, 3]), "b": ([1, 4, 4, 4], [2, 3]), "c": ([4, 4], [2, 3])}
    models = [
        audit.models.FleetModel(
            name=name,
            strategy="alone" if name == "c" else "twice",
            scores=AttackScores.from_losses(member=member, nonmember=nonmember),
        )
        for name, (member, nonmember) in losses.items()
    ]
    return BothSidesView(audit.Fleet(models=models), grid=[0.5], delta=0.1)


def test_it_shows_the_strategy_with_the_most_models(view: BothSidesView) -> None:
    assert view.menu.value == view.strategy == "twice"
    assert ("Rates averaged over 2 models give ε-bar = 0: by Theorem 2, ε-bar is at most 0.47") in (
        words(view)
    )
    assert view.result.tables["both_sides"].rows[0][:2] == (
        "same threshold grid",
        "yes",
    )


def test_another_grid_or_strategy_is_computed_at_once(view: BothSidesView) -> None:
    view.grid_box.box.value = "0.25, 0.5"
    assert view.answer.averaged.grid.tolist() == [0.25, 0.5]
    marks = view.pictures[0].frame.figure.marks
    left, right = (mark.y.tolist() for mark in marks if isinstance(mark, bqplot.Lines))
    assert (left, right) == (2 * [view.answer.left], 2 * [view.answer.right])
    models, averaged = (mark for mark in marks if isinstance(mark, bqplot.Scatter))
    assert models.x.size == 4  # two models at two FPRs
    larger = view.answer.averaged.log_ratios.max(axis=1)
    assert averaged.y.tolist() == np.maximum(larger, 0).tolist()
    view.menu.value = "alone"
    assert len(view.answer.models) == 1
    assert view.answer.right == math.inf  # no member below a threshold that non-members are below
    assert "at the upper edge are infinite" in view.result.sentences["both_sides"]
    view.grid_box.box.value = "0.5, 2"
    assert "grid must be inside (0, 1)" in view.error
    assert (view.grid, view.grid_box.box.value) == ((0.25, 0.5), "0.25, 0.5")
