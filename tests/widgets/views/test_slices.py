"""The view of groups: asked for, recounted, escaped, and forgotten when the question changes."""

import asyncio
from typing import Any

import numpy as np
import pytest

from dpviz import AttackScores, audit
from dpviz.analysis.topics.slices import LONGEST_NAME
from dpviz.audit.bounds.slices import slices
from dpviz.widgets import Explorer, SlicesView
from tests.widgets.base.test_job import apart, in_a_loop, until
from tests.widgets.words import words

HTML = "<img src=x onerror=alert(1)>&"
LONG = "records of people over 65 " * 20


def grouped(names: list[str], shifts: list[float], n: int = 60) -> AttackScores:
    rng = np.random.default_rng(8)
    labels = np.repeat(names, n)
    return AttackScores(
        member=rng.normal(np.repeat(shifts, n), 1),
        nonmember=rng.normal(0, 1, labels.size),
        member_groups=labels,
        nonmember_groups=labels,
    )


@pytest.fixture
def view() -> SlicesView:
    return SlicesView(scores=grouped(["quiet", HTML, "2", "10"], [0.0, 2.5, 1.0, 1.5]))


def press(view: SlicesView) -> None:
    assert not view.button.disabled
    apart(view.button.click)
    assert view.answer is not None


def bars(view: SlicesView) -> list[float]:
    mark = view.pictures[0].layers[0].marks_by_name()["bars 0"].mark
    return [float(end) for end in np.array(mark.x)[1::4]] if mark.visible else []


def rows(view: SlicesView) -> list[str]:
    ticks = view.pictures[0].frame.y.ticks
    return [ticks[place] for place in sorted(ticks, reverse=True)]


def gone(view: SlicesView) -> bool:
    return view.answer is None and not view.table.value and not bars(view)


def test_it_waits_to_be_asked(view: SlicesView, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpviz.widgets.views.evidence.slices", None)
    for name, value in {"epsilon": 2.0, "delta": 1e-3, "fpr": 0.2}.items():
        setattr(view, name, value)
    assert gone(view)
    waiting = "Nothing is computed yet for these scores and settings. Press “compare groups”."
    assert waiting in words(view)


def test_bars_and_table_are_the_bounds_of_the_groups_alone(view: SlicesView) -> None:
    press(view)
    scores = view.store.scores
    assert scores is not None
    alone = {
        name: audit.lower_bound(scores.group(name), delta=1e-5, confidence_level=1 - 0.05 / 4).low
        for name in scores.groups
    }
    assert bars(view) == pytest.approx(sorted(alone.values(), reverse=True), rel=1e-9)
    assert rows(view)[0] == HTML[: LONGEST_NAME - 1] + "…"
    assert view.table.value.count("<tr>") == 5
    assert "for all 4 groups together, Bonferroni" in words(view)
    assert f"at least {np.floor(alone[HTML] * 100) / 100:g} at δ" in words(view)


def test_names_of_groups_are_data(view: SlicesView) -> None:
    press(view)
    assert "<img" not in words(view) + view.table.value
    assert "&lt;img src=x onerror=alert(1)&gt;&amp;" in view.table.value
    view.store.load(grouped([LONG, LONG + "!"], [2.0, 2.0]))
    press(view)
    assert len(rows(view)) == 2
    assert all(len(name) == LONGEST_NAME for name in rows(view))
    assert LONG in view.table.value


@pytest.mark.slow
def test_an_answer_goes_with_the_question(view: SlicesView) -> None:
    menu = view.menu.widget
    changes = [
        lambda: setattr(view, "delta", 1e-3),
        lambda: setattr(view, "confidence_level", 0.9),
        lambda: setattr(view, "sampling", "independent_trainings"),
        lambda: setattr(menu, "value", "betting (anytime-valid)"),
        lambda: view.store.load(grouped(["a", "b"], [1.0, 2.0])),
    ]
    for change in changes:
        press(view)
        change()
        assert gone(view)
    press(view)
    tested = view.answer.rows[0].bound
    assert (tested.delta, tested.method, tested.applies_to) == (1e-3, "e_process", "mechanism")
    assert tested.confidence_level == pytest.approx(0.95)
    assert "method: betting (anytime-valid)" in words(view)
    shown = bars(view)
    view.epsilon = 0.2
    assert bars(view) == shown


def test_scores_without_groups_cannot_be_asked_about(scores: AttackScores) -> None:
    view = SlicesView(scores=scores)
    assert view.button.disabled
    assert "These scores have no groups" in words(view)
    view.store.load(None)
    assert view.button.disabled


def test_groups_without_one_class_have_a_row_and_a_reason() -> None:
    rng = np.random.default_rng(9)
    scores = AttackScores(
        member=rng.normal(0, 1, 21),
        nonmember=rng.normal(0, 1, 21),
        member_groups=["both"] * 20 + ["only in"],
        nonmember_groups=["both"] * 20 + ["only out"],
    )
    view = SlicesView(scores=scores)
    press(view)
    assert len(bars(view)) == 1
    assert "no bound: no non-members" in view.table.value
    assert "no bound: no members" in view.table.value
    assert "Groups left out for lack of members or non-members: 2." in words(view)
    none = AttackScores(member=[1.0], nonmember=[0.0], member_groups=["a"], nonmember_groups=["b"])
    view.store.load(none)
    press(view)
    assert "No group has both members and non-members" in words(view)


def test_the_group_that_could_show_most_is_the_one_with_the_largest_ceiling() -> None:
    """Ranked perfectly by chance: 9 and 1 records in 1 of 10 cases, 4 and 4 in 1 of 70."""
    scores = AttackScores(
        member=np.arange(13.0) % 5,
        nonmember=np.arange(5.0),
        member_groups=["large"] * 9 + ["even"] * 4,
        nonmember_groups=["large"] + ["even"] * 4,
    )
    large, even = sorted(slices(scores, delta=0.0).rows, key=lambda row: -row.n_members)
    assert large.ceiling == 0 < even.ceiling < 1
    view = SlicesView(scores=scores, delta=0.0)
    view.compute()
    assert "largest group, even, certifies at most" in words(view)


@pytest.mark.slow
def test_with_a_loop_the_answer_comes_back_and_a_change_or_close_cancels_it(
    view: SlicesView,
) -> None:
    async def main() -> None:
        view.button.click()
        assert "a bound for each group" in words(view)
        view.delta = 1e-3
        assert not view.job.is_running
        await asyncio.sleep(0.2)
        assert gone(view)
        view.button.click()
        await until(lambda: view.answer is not None)
        assert view.answer.rows[0].bound.delta == 1e-3
        view.delta = 1e-4
        view.button.click()
        view.close()
        assert not view.job.is_running

    in_a_loop(main)
    assert gone(view)


def test_the_explorer_shows_it_where_there_are_groups(explorer: Explorer) -> None:
    view = next(view for view in explorer.views if isinstance(view, SlicesView))
    assert view not in explorer.shown_views
    explorer.store.load(grouped(["a", "b"], [1.0, 2.0]))
    assert view in explorer.shown_views


@pytest.mark.parametrize("labels", [["9" * 5000, "10" * 3000], ["007", "7"], ["٣", "3"]])
def test_no_name_of_a_group_breaks_it(labels: Any) -> None:
    view = SlicesView(scores=grouped(labels, [1.0, 2.0], n=5))
    press(view)
    assert len(bars(view)) == 2
