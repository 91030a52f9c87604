"""A training over its stages: points, ranges, bounds and claims are those of the models."""

import asyncio
from typing import Any

import numpy as np
import pytest

from dpviz.audit import AttackScores
from dpviz.audit.models.fleet import Fleet, FleetModel
from dpviz.widgets import BothSidesView, LandscapeView, TimelineView
from tests.widgets.base.test_job import apart, in_a_loop, until
from tests.widgets.views.test_landscape import places, press, scores
from tests.widgets.words import words

NOT_COMPUTED = (
    "Nothing is computed yet for these scores and settings. Press “estimate and bound every stage”."
)
MODELS: tuple[dict[str, Any], ...] = (
    {"strategy": "a", "stage": 2, "utility": 0.5},
    {"strategy": "a", "stage": 1, "utility": 0.1},
    {"strategy": "a", "stage": 2, "utility": 0.7},
    {"strategy": "a", "stage": 4},
    {"strategy": "b", "stage": 3, "utility": 0.4, "epsilon": 1.5},
    {"strategy": "b", "stage": 4, "utility": 0.4, "epsilon": 1000.0},
    {"strategy": "no stage"},
)


def fleet(*models: dict[str, Any], **options: Any) -> Fleet:
    made = [
        FleetModel(**{"name": f"m{i}", "scores": scores(i, shift=1 + i / 2), **model})
        for i, model in enumerate(models)
    ]
    return Fleet(models=tuple(made), **options)


def view_of(*models: dict[str, Any], **options: Any) -> TimelineView:
    made: list[TimelineView] = []
    apart(lambda: made.append(TimelineView(fleet(*models), **options)))
    return made[0]


def drawn(view: TimelineView) -> dict[str, Any]:
    """Claims, bounds, ranges, line and points of the upper picture; line of the lower one."""
    above, below = ([each.mark for each in picture.frame.drawn] for picture in view.pictures)
    names = ("claims", "lows", "ranges", "line", "points")
    return {**dict(zip(names, above, strict=True)), "utility": below[0], "its points": below[1]}


def assert_drawable(view: TimelineView) -> None:
    for picture in view.pictures:
        x, y = picture.frame.x, picture.frame.y
        assert x.low < x.high
        for mark in picture.frame.figure.marks:
            if mark.visible:
                assert mark.x.size == mark.y.size <= 512
                assert np.isfinite(mark.x).all()
                assert np.isfinite(mark.y).all()
                assert x.low <= mark.x.min() <= mark.x.max() <= x.high
                assert y.low <= mark.y.min() <= mark.y.max() <= y.high


def test_the_picture_is_a_recount() -> None:
    view = view_of(*MODELS)
    values = view.answer.estimates.values
    lows = [bound.low for bound in view.answer.bounds.bounds]
    marks = drawn(view)
    means = [(1, values[1]), (2, pytest.approx(values[[0, 2]].mean())), (4, values[3])]
    assert places(marks["points"]) == places(marks["line"]) == means
    assert places(marks["lows"]) == sorted(zip((2, 1, 2, 4), lows, strict=False))
    ranges = marks["ranges"]
    assert ranges.x.tolist() == [2, 2]
    assert ranges.y.tolist() == sorted(values[[0, 2]])
    assert not marks["claims"].visible
    assert places(marks["utility"]) == [(1, 0.1), (2, pytest.approx(0.6))]
    assert_drawable(view)


def test_a_claim_is_drawn_where_it_is_and_not_at_the_edge() -> None:
    view = view_of(*MODELS)
    view.menu.value = "b"
    assert places(drawn(view)["claims"]) == [(3, 1.5)]
    assert "1000" in view.table.value
    assert_drawable(view)
    largest = float(view.answer.estimates.values.max())
    moderate = view_of({"strategy": "s", "stage": 1, "epsilon": 2 * largest}, *MODELS)
    assert places(drawn(moderate)["claims"]) == [(1, 2 * largest)]
    assert_drawable(moderate)


@pytest.mark.parametrize(("last", "scale"), [(19, "linear"), (20, "log")])
def test_stages_of_different_sizes_have_a_logarithmic_axis(last: float, scale: str) -> None:
    view = view_of({"strategy": "s", "stage": 1}, {"strategy": "s", "stage": last})
    assert [picture.frame.x.spec.scale for picture in view.pictures] == 2 * [scale]


def test_a_long_range_is_drawn_to_its_end() -> None:
    shared = {"strategy": "s", "stage": 1}
    view = view_of({**shared, "scores": scores(0, shift=0)}, {**shared, "scores": scores(1)})
    values = view.answer.estimates.values
    assert drawn(view)["ranges"].y.tolist() == sorted(values)
    assert_drawable(view)


def test_what_is_not_finite_stands_at_the_upper_edge_and_that_is_said() -> None:
    far = {"strategy": "s", "scores": scores(0, shift=100)}
    view = view_of({"strategy": "s", "stage": 1}, {**far, "stage": 2}, {**far, "stage": 3})
    top = view.pictures[0].frame.y.high
    assert [y for _, y in places(drawn(view)["points"])][1:] == [top, top]
    assert "because Epsilon* is not finite: stage 2 (undefined); 3 (undefined)." in words(view)
    assert not drawn(view)["utility"].visible
    assert_drawable(view)


@pytest.mark.parametrize("utility", [-5.0, 0.0, 1e15])
def test_equal_utilities_and_no_leak_are_drawn(utility: float) -> None:
    same = AttackScores(member=np.arange(40.0), nonmember=np.arange(40.0))
    about = {"strategy": "s", "scores": same, "utility": utility}
    view = view_of({**about, "stage": 1}, {**about, "stage": 2})
    assert places(drawn(view)["points"]) == [(1, 0), (2, 0)]
    assert_drawable(view)


def test_small_differences_of_utility_are_not_drawn_flat() -> None:
    view = view_of(*({"stage": i, "utility": i * 1e-5} for i in range(3)))
    y = view.pictures[1].frame.y
    assert y.high - y.low == pytest.approx(1.2 * 2e-5)


def test_stages_far_apart_have_a_log_axis_even_where_a_training_has_one() -> None:
    view = view_of(
        {"strategy": "one", "stage": 1},
        {"strategy": "two", "stage": 3},
        {"strategy": "two", "stage": 100},
    )
    for picture in view.pictures:
        assert picture.frame.x.spec.scale == "log"
    assert_drawable(view)
    view.menu.value = "two"
    assert_drawable(view)
    for stages in ((1, 19), (0, 100), (-1, 50)):
        near = view_of(*({"stage": stage} for stage in stages))
        assert near.pictures[0].frame.x.spec.scale == "linear"
        assert_drawable(near)


def test_a_fleet_without_stages_is_refused() -> None:
    with pytest.raises(ValueError, match="fleet must have models with a stage, got none"):
        TimelineView(fleet({}, {}))


@pytest.mark.parametrize("view", [BothSidesView, LandscapeView, TimelineView])
def test_scores_are_no_fleet(view: Any) -> None:
    with pytest.raises(TypeError, match=r"must be a Fleet, as dpviz\.read_fleet gives, got Att"):
        view(AttackScores([1.0], [0.0]))


def test_a_press_loads_the_model_of_the_stage_and_of_the_claim() -> None:
    view = view_of(
        {"strategy": "dp", "stage": 2, "epsilon": 1.0},
        {"strategy": "dp", "stage": 2, "epsilon": 2.0},
        {"strategy": "dp", "stage": 1, "epsilon": 1.0},
    )
    for place, name in enumerate((2, 0, 1)):
        press(drawn(view)["points"], place)
        own = view.fleet.models[name].read()
        assert view.store.scores is not None
        np.testing.assert_array_equal(view.store.scores.member, own.member)


def test_a_menu_loads_the_model_of_a_stage_too() -> None:
    view = view_of(*MODELS)
    assert [name for name, _ in view.stages.options] == ["none", "1", "2", "4"]
    for training, stage, model in [("a", "4", 3), ("b", "3, claimed ε = 1.5", 4)]:
        view.menu.value = training
        assert view.stages.value is None
        view.stages.label = stage
        assert view.store.scores is not None
        own = view.fleet.models[model].read()
        np.testing.assert_array_equal(view.store.scores.member, own.member)


def test_a_model_that_cannot_be_read_is_an_error_line() -> None:
    reads = [scores(0), scores(0)]

    def twice() -> AttackScores:
        if not reads:
            raise OSError("gone.csv is gone")
        return reads.pop()

    view = view_of({"stage": 1, "scores": twice})
    press(drawn(view)["points"], 0)
    assert view.error == "gone.csv is gone"
    assert view.store.scores is None


@pytest.mark.slow
def test_the_question_is_forgotten_with_delta_and_the_level_but_not_with_scores() -> None:
    view = view_of(*MODELS[:2])
    answer = view.answer
    view.store.load(scores(9))
    assert view.answer is answer
    for change in ({"delta": 0.01}, {"confidence_level": 0.9}):
        view.store.update(**change)
        assert view.answer is None
        assert not drawn(view)["ranges"].visible
        assert NOT_COMPUTED in words(view)
        apart(view.button.click)
        assert view.answer is not None
    assert "holds by itself at 90 % confidence" in words(view)


def test_names_are_data_and_what_was_not_read_is_said() -> None:
    errors = (("<b>x</b>", "gone"),)
    made: list[TimelineView] = []
    whole = fleet({"strategy": "<i>s</i>", "stage": 1}, errors=errors)
    apart(lambda: made.append(TimelineView(whole)))
    assert "&lt;i&gt;s&lt;/i&gt;: at stage 1" in words(made[0])
    assert "Models that could not be read (1): &lt;b&gt;x&lt;/b&gt;: gone." in words(made[0])
    assert view_of({"stage": 1}).menu.options == (("models without a strategy", ""),)


def test_more_than_50_models_wait_for_the_button_and_estimates_can_be_cancelled() -> None:
    read: list[int] = []

    def reader(i: int) -> AttackScores:
        read.append(i)
        if len(read) == 3:
            view.job.cancel()
        return scores(i)

    many = [{"stage": i, "scores": lambda i=i: reader(i)} for i in range(51)]
    view = view_of(*many)
    assert view.answer is None
    assert read == []

    async def main() -> None:
        view.button.click()
        await until(lambda: len(read) == 3)
        await asyncio.sleep(0.2)
        assert not view.job.is_running

    in_a_loop(main)
    assert read == [0, 1, 2]
    assert view.answer is None


def test_in_a_loop_the_answer_comes_later() -> None:
    async def main() -> None:
        view = TimelineView(fleet(*MODELS))
        assert view.answer is None
        await until(lambda: view.answer is not None)
        assert drawn(view)["points"].visible

    in_a_loop(main)
