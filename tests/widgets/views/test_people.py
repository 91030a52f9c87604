"""The people view: dots and cells are the counts of the result, whichever picture is shown."""

import asyncio
import math
from typing import Any

import bqplot
import numpy as np
import pytest

import dpviz
from dpviz.analysis.topics.people import cells_outline, dot_xy
from dpviz.widgets import PeopleView
from tests.widgets.base.test_job import in_a_loop


def shown(view: PeopleView, name: str) -> Any:
    """The mark of a name in the layer of the active picture; None while it is hidden."""
    [picture] = view.pictures_on_page
    mark = picture.layers[0].marks_by_name()[name].mark
    return mark if mark.visible else None


def area(mark: bqplot.Lines) -> float:
    """Cells inside an outline, by the shoelace formula."""
    x, y = np.asarray(mark.x), np.asarray(mark.y)
    return abs(float(x @ np.roll(y, 1) - y @ np.roll(x, 1))) / 2


def test_dots_are_the_best_attack_without_scores() -> None:
    view = PeopleView(epsilon=3.0, fpr=0.01)
    assert shown(view, "called") is None
    assert len(shown(view, "allowed").x) == 1 + 20 + 1  # its key in the legend, 20 and 1 of 100
    assert len(shown(view, "required").x) == 1 + 79
    assert shown(view, "allowed").names[0] == "called “member”: best attack allowed"
    view.epsilon = 0.0
    assert len(shown(view, "allowed").x) == 1 + 1 + 1
    assert len(shown(view, "required").x) == 1 + 98  # delta: 1.001 of 100 may be detected


def test_dots_are_the_measured_attack_with_scores() -> None:
    view = PeopleView(scores=dpviz.read_sample("overfitted"), fpr=0.734)
    assert shown(view, "allowed") is None
    assert len(shown(view, "called").x) == 1 + 100 + 73
    assert len(shown(view, "required").x) == 1 + 9
    assert shown(view, "required").names[0].endswith("at least 9")


@pytest.mark.parametrize("spec", [{"epsilon": 3.0, "prior": 0.01}, {"fpr": 1.0}, {"prior": 1e-9}])
def test_cells_sum_to_ten_thousand(spec: dict[str, float]) -> None:
    view = PeopleView(**spec)
    view.crowd = "population"
    crowd = view.result.people.population
    found = 0.0
    for name, count in (
        ("missed", crowd.missed),
        ("allowed detected", crowd.detected),
        ("allowed flagged", crowd.flagged),
        ("cleared", crowd.cleared),
    ):
        mark = shown(view, name)
        found += 0 if mark is None else area(mark)
        assert (0 if mark is None else area(mark)) == count
        assert shown(view, f"{name} key").names[0].startswith(f"{count} ")
    assert found == 10_000
    assert shown(view, "called detected") is None


@pytest.mark.parametrize(("first", "last"), [(0, 1), (95, 103), (40, 60), (100, 300), (7, 10_000)])
def test_cells_are_those_of_the_numbers(first: int, last: int) -> None:
    """Against a mask of the square; a cell is inside if its centre is, by crossing number."""
    x, y = cells_outline(first, last).T
    columns, rows = np.meshgrid(np.arange(100) + 0.5, 99.5 - np.arange(100))
    inside = np.zeros((100, 100), bool)
    for x0, y0, x1, y1 in zip(x, y, np.roll(x, -1), np.roll(y, -1), strict=True):
        if x0 == x1:  # an upright edge crosses the ray to the right
            between = (rows > min(y0, y1)) & (rows < max(y0, y1))
            inside ^= between & (columns < x0)
    assert np.flatnonzero(inside).tolist() == list(range(first, last))


def test_dots_are_in_rows_of_ten_from_the_upper_left() -> None:
    places = dot_xy(0, 100, 11)
    assert places[0].tolist() == [11, 10]
    assert places[9].tolist() == [20, 10]
    assert places[99].tolist() == [20, 1]
    assert len(np.unique(places, axis=0)) == 100


def test_the_switch_shows_one_picture_with_its_sentences() -> None:
    view = PeopleView(epsilon=3.0, prior=0.01)
    hundreds = view.place.children
    assert "of 100 members" in view.words.children[0].value
    view.menu.widget.value = "10 000 people"
    assert view.crowd == "population"
    assert view.place.children[0] is not hundreds[0]
    assert "calls 119 people" in view.words.children[0].value
    view.prior = 0.5
    assert "5000 are members" in view.texts["population_counts"].value
    view.crowd = "hundreds"
    assert view.place.children == hundreds


def test_at_most_five_scatter_marks_move_with_a_slider() -> None:
    view = PeopleView(scores=dpviz.read_sample("overfitted"))
    for name in ("hundreds", "population"):
        view.crowd = name
        [picture] = view.pictures_on_page
        moved: set[int] = set()
        for mark in picture.frame.figure.marks:
            if isinstance(mark, bqplot.Scatter):
                mark.observe(lambda change, moved=moved: moved.add(id(change["owner"])))
        view.epsilon += 1.0
        view.prior = view.prior / 3
        assert len(moved) <= 5


@pytest.mark.slow
def test_redraws_are_audits_of_as_many_records_with_the_measured_rates() -> None:
    view = PeopleView(scores=dpviz.read_sample("overfitted"), fpr=0.2)
    view.crowd = "redraws"
    assert view.redraws is not None
    people = view.result.people
    assert (view.redraws.n_members, view.redraws.n_nonmembers) == (300, 1497)
    seen, detected = [], []
    for _ in range(400):
        view.simulate_audits()
        seen.append(view.redraws.crowd.flagged)
        detected.append(view.redraws.crowd.detected)
        assert len(shown(view, "called").x) == 1 + view.redraws.crowd.n_called_member
    # A share of 1497 records at p has standard deviation sqrt(p (1 - p) / 1497), and is rounded.
    sd = 100 * math.sqrt(people.fpr * (1 - people.fpr) / 1497 + 1 / (12 * 100**2))
    assert np.mean(seen) == pytest.approx(100 * people.fpr, abs=4 * sd / 20)
    assert np.std(seen) == pytest.approx(sd, rel=0.2)
    assert view.redraws.flagged == (
        min(*seen, people.hundreds.flagged),
        max(*seen, people.hundreds.flagged),
    )
    assert view.redraws.detected == (
        min(*detected, people.hundreds.detected),
        max(*detected, people.hundreds.detected),
    )
    said = view.result.sentences["redraws"]
    assert said.startswith(f"Redraw 400: {view.redraws.crowd.detected} of 100 members")
    assert "is not a confidence interval" in view.result.sentences["about_redraws"]


def test_redraws_begin_anew_with_the_same_seed_when_the_attack_changes() -> None:
    view = PeopleView(scores=dpviz.read_sample("overfitted"), fpr=0.2)

    def ten() -> list[int]:
        found = []
        for _ in range(10):
            view.simulate_audits()
            assert view.redraws is not None
            found.append(view.redraws.crowd.detected)
        return found

    first = ten()
    view.fpr = 0.4
    assert view.redraws is not None
    assert view.redraws.draws == 0
    view.fpr = 0.2
    assert ten() == first


def test_redraws_play_pause_and_stand_still_under_reduced_motion() -> None:
    view = PeopleView(scores=dpviz.read_sample("overfitted"), fpr=0.2)
    view.crowd = "redraws"

    async def main() -> None:
        view.player.speed.value = "5"
        view.player.button.value = True
        while drawn() < 2:
            await asyncio.sleep(0.001)
        view.player.button.value = False
        assert not view.player.is_playing
        view.player.button.value = True
        view.player.calm.value = True
        assert not view.player.is_playing
        assert view.player.button.disabled

    def drawn() -> int:
        assert view.redraws is not None
        return view.redraws.draws

    in_a_loop(main)
    stood = drawn()
    view.once.click()
    assert drawn() == stood + 1


def test_without_scores_there_is_nothing_to_redraw() -> None:
    view = PeopleView(epsilon=1.0)
    view.crowd = "redraws"
    assert view.crowd == "hundreds"
    view.simulate_audits()
    assert view.redraws is None
