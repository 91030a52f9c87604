"""The view of lower bounds: computed when asked for, gone when the question changes."""

import asyncio
from dataclasses import replace
from typing import Any

import ipywidgets
import numpy as np
import pytest

from dpviz import AttackScores, audit, checks
from dpviz.audit.bounds import BOUNDS, DEFAULT
from dpviz.audit.bounds.result import BoundMethod
from dpviz.theory import ApproximateDP
from dpviz.widgets import BoundsView, Explorer, Store
from tests.widgets.base.test_job import apart, in_a_loop, until
from tests.widgets.words import words

PLAIN, HOLLOW = 0, 1


@pytest.fixture
def view(scores: AttackScores) -> BoundsView:
    return BoundsView(scores=scores)


def layers(view: BoundsView) -> tuple[Any, Any]:
    bars, _, claim = view.pictures[0].layers
    return bars, claim


def is_in(widget: ipywidgets.Widget, box: ipywidgets.Widget) -> bool:
    return widget is box or any(is_in(widget, each) for each in getattr(box, "children", ()))


def press(view: BoundsView) -> None:
    assert not view.button.disabled
    apart(view.button.click)
    assert view.shown.bounds


def ends(view: BoundsView, kind: int) -> list[float]:
    """Where the visible bars of a kind end, from the top row down."""
    mark = layers(view)[0].marks_by_name()[f"bars {kind}"].mark
    if not mark.visible:
        return []
    upper, lower = np.array(mark.x)[1::4], np.array(mark.x)[2::4]
    np.testing.assert_array_equal(upper, lower)
    return [float(end) for end in upper]


def rows(view: BoundsView) -> list[str]:
    ticks = view.pictures[0].frame.y.ticks
    return [ticks[place] for place in sorted(ticks, reverse=True)]


def test_nothing_is_computed_before_it_is_asked_for(
    view: BoundsView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dpviz.analysis.topics.bounds.lower_bound", None)
    for name, value in {"epsilon": 2.0, "delta": 1e-3, "prior": 0.1, "fpr": 0.2}.items():
        setattr(view, name, value)
    assert ends(view, PLAIN) == ends(view, HOLLOW) == []
    assert "Press “Compute”" in words(view)
    assert rows(view)[0] == "rank test (default)"


def test_the_bars_are_the_bounds(view: BoundsView, scores: AttackScores) -> None:
    press(view)
    drawn = iter(ends(view, PLAIN) + ends(view, HOLLOW))
    for method in view.shown.question.methods:
        alone = audit.lower_bound(scores, delta=1e-5, method=method)
        assert next(drawn) == pytest.approx(alone.low, abs=1e-12)
    assert list(drawn) == []
    names = layers(view)[0].marks_by_name()[f"numbers {PLAIN}"].mark.names
    low = audit.lower_bound(scores, delta=1e-5).low
    assert float(names[0].removeprefix("≥ ")) == np.floor(low * 100) / 100
    assert f"ε {names[0]} at δ" in words(view)
    assert view.table.value.count("<tr>") == 1 + len(view.shown.bounds)
    assert view.button.disabled


def test_bounds_with_a_condition_of_their_own_are_hollow(view: BoundsView) -> None:
    view.choose(threshold=0.5)
    press(view)
    conditional = [
        b for b in view.shown.bounds if b.method in ("e_process", "one_run", "one_run_curve")
    ]
    assert len(ends(view, HOLLOW)) >= len(conditional) == 3
    plain, hollow = (
        layers(view)[0].marks_by_name()[f"bars {kind}"].mark for kind in (PLAIN, HOLLOW)
    )
    assert plain.fill_opacities[0] > 0 == hollow.fill_opacities[0]
    assert plain.colors != hollow.colors
    texts = layers(view)[0].marks_by_name()[f"numbers {HOLLOW}"].mark.names
    assert all(text.startswith("(") for text in texts)


def test_bars_stay_while_epsilon_prior_and_fpr_move(view: BoundsView) -> None:
    press(view)
    part, said = view.shown, words(view)
    low = part.bounds[0].low
    assert "contradict" in said
    for name, value in {"prior": 0.1, "fpr": 0.2, "method": "normal", "epsilon": 9.0}.items():
        setattr(view, name, value)
    assert view.shown is part
    assert len(ends(view, PLAIN)) > 0
    assert low < 9.0
    assert "The claim ε = 9 is not contradicted" in words(view)


def gone(view: BoundsView) -> bool:
    assert not view.button.disabled
    invited = "Press “Compute”" in words(view)
    return invited and not view.table.value and not ends(view, PLAIN) + ends(view, HOLLOW)


@pytest.mark.slow
def test_bars_go_with_delta_scores_and_every_choice(view: BoundsView, scores: AttackScores) -> None:
    changes = {
        "confidence_level": 0.9,
        "sampling": "independent_trainings",
        "directions": "both",
        "threshold": 0.5,
    }
    for name, value in changes.items():
        press(view)
        (view.change if name in ("confidence_level", "sampling") else view.choose)(**{name: value})
        assert gone(view)
        assert getattr(view.shown.question, name) == value
    press(view)
    assert all(b.confidence_level == 0.9 for b in view.shown.bounds)
    view.delta = 1e-4
    assert gone(view)
    press(view)
    assert view.shown.bounds[0].delta == 1e-4
    view.store.load(AttackScores(member=scores.member, nonmember=scores.nonmember))
    assert gone(view)
    view.store.load(None)
    assert view.button.disabled
    assert "load a sample" in words(view)


@pytest.mark.slow
def test_a_converted_claim_is_compared_at_its_own_delta(scores: AttackScores) -> None:
    claim = ApproximateDP(epsilon=1.0, delta=1e-3, adjacency="add_remove")
    view = BoundsView(scores=scores, claim=claim)
    press(view)
    assert view.shown.bounds[0].delta == pytest.approx(1e-3 * (1 + np.e))
    assert "The claim ε = 2, converted to replace-one adjacency, is" in words(view)
    view.epsilon = 1.5  # moves the converted delta
    assert gone(view)


def test_the_claim_is_a_line_across_and_at_the_edge_beyond(view: BoundsView) -> None:
    across = layers(view)[1].marks_by_name()
    for epsilon in (1.0, 2.5):
        view.epsilon = epsilon
        assert set(across["line"].mark.x) == {epsilon}
        assert list(across["name"].mark.x) == [epsilon]
        assert list(across["name"].mark.names) == [f"claimed ε = {epsilon:g}"]
    view.epsilon = 50.0
    assert set(across["line"].mark.x) == {view.pictures[0].frame.x.high}
    assert list(across["name"].mark.names) == ["claimed ε = 50 →"]
    assert across["name"].mark.y[0] > max(view.pictures[0].frame.y.ticks)  # above all bars
    view.epsilon = np.inf  # every attack is allowed: no claim
    assert not any(across[name].mark.visible for name in across)


def test_the_picture_comes_and_goes_with_the_bounds(view: BoundsView) -> None:
    figure = view.pictures[0].frame.figure
    assert not is_in(figure, view)
    press(view)
    assert is_in(figure, view)
    view.delta = 1e-3
    assert not is_in(figure, view)


def test_fixed_thresholds_are_shown_with_a_threshold_that_was_typed(
    view: BoundsView, scores: AttackScores
) -> None:
    box = view.controls[-1].widget
    assert not any("fixed threshold" in name for name in rows(view))
    box.set_state({"value": " 0.5 "})
    assert sum("fixed threshold" in name for name in rows(view)) == 1
    press(view)
    preset = next(b for b in view.shown.bounds if b.method == "clopper_pearson")
    alone = audit.lower_bound(scores, delta=1e-5, method="clopper_pearson", threshold=0.5)
    assert (preset.low, preset.evidence) == (alone.low, alone.evidence)
    box.set_state({"value": " "})
    assert view.error == ""
    assert view.shown.question.threshold is None
    assert not any("fixed threshold" in name for name in rows(view))


@pytest.mark.parametrize("text", ["abc", "nan", "<img src=x>"])
def test_a_refused_threshold_is_one_line_and_the_picture_stays(view: BoundsView, text: str) -> None:
    view.choose(threshold=0.5)
    press(view)
    part, drawn = view.shown, (ends(view, PLAIN), ends(view, HOLLOW))
    box = view.controls[-1].widget
    box.set_state({"value": text})
    assert view.error.startswith("Threshold must be ")
    assert "<img" not in view.error_line.value
    assert view.shown is part
    assert (ends(view, PLAIN), ends(view, HOLLOW)) == drawn
    assert box.value == "0.5"
    box.set_state({"value": "0.6"})
    assert view.error == ""
    assert view.shown.question.threshold == 0.6


def test_menus_choose_and_follow(view: BoundsView) -> None:
    level, records, directions, _ = (control.widget for control in view.controls)
    assert (level.value, directions.value) == ("95 %", "as given")
    level.value = "99 %"
    records.value = "one training, a random split of fixed sizes"
    directions.value = "both"
    question = view.shown.question
    assert (question.confidence_level, question.sampling, question.directions) == (
        0.99,
        "fixed_split",
        "both",
    )
    view.confidence_level = 0.8
    assert level.value == "80 %"


@pytest.mark.slow
def test_with_a_loop_the_answer_comes_back_and_a_change_cancels_it(view: BoundsView) -> None:
    async def main() -> None:
        view.button.click()
        assert view.job.is_running
        assert not view.job.widget.is_hidden
        assert "computing" in words(view)
        view.fpr = 0.3
        assert view.job.is_running
        view.delta = 1e-3
        assert not view.job.is_running
        assert gone(view)
        view.button.click()
        await until(lambda: bool(view.shown.bounds))

    in_a_loop(main)
    assert view.shown.bounds[0].delta == 1e-3
    assert view.button.disabled


def test_cancel_leaves_no_bars(view: BoundsView) -> None:
    async def main() -> None:
        view.button.click()
        view.job.cancel_button.click()
        assert "cancelled" in words(view)
        await asyncio.sleep(0.3)

    in_a_loop(main)
    assert not view.shown.bounds
    assert not view.button.disabled


def test_infinite_and_zero_bounds_are_drawn_inside_the_axis() -> None:
    member, nonmember = np.zeros(40), np.ones(40)
    view = BoundsView(scores=AttackScores.from_losses(member=member, nonmember=nonmember), delta=0)
    view.choose(threshold=0.5)
    press(view)
    for kind in (PLAIN, HOLLOW):
        assert all(0 <= end < view.pictures[0].frame.x.high for end in ends(view, kind))
    equal = BoundsView(scores=AttackScores.from_losses(member=member, nonmember=member))
    press(equal)
    assert set(ends(equal, PLAIN)) == {0.0}
    assert "these records show no ε above 0" in words(equal)
    assert "Caution: " in words(equal)


@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 30), (30, 1), (2, 3)])
def test_few_records_are_answered(n: int, m: int) -> None:
    view = BoundsView(scores=(np.arange(n) + 0.5, np.arange(m) + 1.0))
    view.choose(threshold=0.7, directions="both")
    press(view)
    part = view.shown
    assert len(part.bounds) + len(part.refusals) == len(BOUNDS)
    assert view.table.value.count("<tr>") == 1 + len(BOUNDS)


def test_a_method_that_refuses_leaves_its_row_without_a_bar(
    view: BoundsView, scores: AttackScores
) -> None:
    def refusing(method: str) -> BoundMethod:
        rule = lambda scores, request: checks.real("n", -1, 0)  # noqa: E731
        return replace(BOUNDS[method], rule=rule)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(BOUNDS, "e_process", refusing("e_process"))
        press(view)
        assert "betting (anytime-valid)" in rows(view)
    assert (
        "<td>no bound</td><td>Does not apply: n must be in [0, inf], got -1.0</td>"
        in view.table.value
    )
    alone = audit.lower_bound(scores, delta=1e-5).low
    number = int(np.argmin(np.abs(np.array(ends(view, PLAIN)) - alone)))
    place = layers(view)[0].marks_by_name()[f"numbers {PLAIN}"].mark.y[number]
    assert view.pictures[0].frame.y.ticks[place] == "rank test (default)"
    view.delta = 1e-3
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(BOUNDS, DEFAULT, refusing(DEFAULT))
        press(view)
    assert "No bound by rank test: n must be in [0, inf], got -1.0." in words(view)


def test_text_in_the_table_is_data(view: BoundsView, monkeypatch: pytest.MonkeyPatch) -> None:
    for method, label in {DEFAULT: "<b>", "e_process": "&", "one_run": "<i>"}.items():
        monkeypatch.setitem(BOUNDS, method, replace(BOUNDS[method], label=label))
    press(view)
    assert "&lt;b&gt; (default)" in view.table.value
    assert "<b>" not in view.table.value + words(view)
    assert "<td>&amp;</td>" in view.table.value


def test_the_explorer_has_the_bounds(explorer: Explorer) -> None:
    assert not BoundsView.has_content_for(Store())  # bounds are of scores
    view = next(view for view in explorer.views if isinstance(view, BoundsView))
    assert view.store is explorer.store
    press(view)
    explorer.delta = 1e-3
    assert gone(view)
