"""Many models: what is drawn is a recount, and a press loads the model that was pressed."""

import asyncio
import threading
from typing import Any

import bqplot
import numpy as np
import pytest

from dpviz.audit import AttackScores
from dpviz.audit.models.fleet import Fleet, FleetModel
from dpviz.drawing.frame import thinned
from dpviz.widgets import LandscapeView, ScoresView, Store
from tests.widgets.base.test_job import apart, in_a_loop, until
from tests.widgets.words import words

BELOW_1 = "<i>below & beyond</i>"
NOT_COMPUTED = (
    "Nothing is computed yet for these scores and settings. "
    "Press “estimate Epsilon* of all models”."
)


def scores(seed: int, *, shift: float = 1) -> AttackScores:
    rng = np.random.default_rng(seed)
    return AttackScores.from_losses(
        member=rng.normal(-shift, 1, 80), nonmember=rng.normal(0, 1, 60)
    )


def infinite() -> AttackScores:
    return AttackScores(member=np.arange(5.0) + 3, nonmember=np.arange(5.0))


def fleet(*models: dict[str, Any]) -> Fleet:
    made = [
        FleetModel(**{"name": f"m{i}", "scores": scores(i, shift=i / 3), **model})
        for i, model in enumerate(models)
    ]
    return Fleet(models=tuple(made))


MODELS: tuple[dict[str, Any], ...] = (
    {"strategy": "a", "utility": 0.5},
    {"strategy": "a", "utility": 0.7},
    {"strategy": "b", "utility": 0.9},
    {"strategy": "dp", "utility": 0.2, "epsilon": 1.0},
    {"strategy": "a", "utility": 0.6},
    {"utility": -0.1},
)


def view_of(*models: dict[str, Any], **options: Any) -> LandscapeView:
    made: list[LandscapeView] = []
    apart(lambda: made.append(LandscapeView(fleet(*models), **options)))
    return made[0]


def marks(view: LandscapeView, kind: type[bqplot.Mark]) -> list[Any]:
    marks = [drawn.mark for drawn in view.pictures[0].frame.drawn]
    return [mark for mark in marks if isinstance(mark, kind)]


def points(view: LandscapeView) -> list[Any]:
    """Markers of strategies without a claim, with one, and of the one that is loaded."""
    return sorted(marks(view, bqplot.Scatter), key=lambda mark: mark.default_size)


def lines(view: LandscapeView) -> dict[str, list[Any]]:
    found = marks(view, bqplot.Lines)
    return {
        "areas": [mark for mark in found if mark.fill == "inside"],
        "steps": [mark for mark in found if mark.interpolation == "step-after"],
        "hull": [mark for mark in found if mark.line_style == "dotted"],
        "bars": [mark for mark in found if mark.stroke_width == 1],
    }


def places(mark: Any) -> list[tuple[float, float]]:
    return list(zip(mark.x.tolist(), mark.y.tolist(), strict=True)) if mark.visible else []


def press(mark: Any, index: int) -> None:
    content = {"event": "element_click", "data": {"index": index}}
    mark._handle_custom_msgs(mark, content)


def assert_drawable(view: LandscapeView) -> None:
    x, y = view.pictures[0].frame.x, view.pictures[0].frame.y
    for mark in view.pictures[0].frame.figure.marks:
        if mark.visible:
            assert mark.x.size == mark.y.size <= 512
            assert np.isfinite(mark.x).all()
            assert np.isfinite(mark.y).all()
            assert x.low <= mark.x.min() <= mark.x.max() <= x.high
            assert y.low <= mark.y.min() <= mark.y.max() <= y.high


def assert_loaded(view: LandscapeView, name: str) -> None:
    own = next(model for model in view.fleet.models if model.name == name).read()
    assert view.store.scores is not None
    np.testing.assert_array_equal(view.store.scores.member, own.member)
    assert view.menu.value == name
    assert f"Loaded: {name}." in view.loaded_text.value


def test_points_and_bars_are_means_and_ranges_of_the_repeats() -> None:
    view = view_of(*MODELS)
    assert view.answer is not None
    values = view.answer.estimates.values
    a = values[[0, 1, 4]]
    plain, private, chosen = points(view)
    assert places(plain) == [
        (pytest.approx(a.mean()), pytest.approx(0.6)),
        (values[2], 0.9),
        (values[5], -0.1),
    ]
    assert places(private) == [(values[3], 0.2)]
    assert not chosen.visible
    bars, none = lines(view)["bars"]
    assert [mark.marker for mark in points(view)[:2]] == ["circle", "diamond"]
    mean = places(plain)[0]
    assert np.stack([bars.x, bars.y], axis=2).tolist() == [
        [[a.min(), mean[1]], [a.max(), mean[1]]],
        [[mean[0], 0.5], [mean[0], 0.7]],
    ]
    assert not none.visible
    assert_drawable(view)


def test_the_frontier_is_the_best_utility_up_to_each_epsilon_star() -> None:
    view = view_of(*MODELS)
    (steps,), (hull,) = lines(view)["steps"], lines(view)["hull"]
    drawn = [*places(points(view)[0]), *places(points(view)[1])]
    x = view.pictures[0].frame.x
    for epsilon in np.linspace(steps.x[0], x.high, 40):
        best = max(utility for e, utility in drawn if e <= epsilon)
        assert steps.y[np.searchsorted(steps.x, epsilon, side="right") - 1] == best
    assert steps.x[0] == min(e for e, _ in drawn)
    assert steps.x[-1] == x.high
    assert not hull.visible
    view.hull.value = True
    assert hull.visible
    assert set(places(hull)) <= set(places(steps))
    for epsilon, utility in drawn:  # no point is above the hull
        if hull.x[0] <= epsilon <= hull.x[-1]:
            assert np.interp(epsilon, hull.x, hull.y) >= utility - 1e-12
    view.hull.value = False
    assert not hull.visible


def test_what_is_not_finite_stands_at_the_edges_and_no_mixture_leads_there() -> None:
    view = view_of(
        {"utility": 0.5},
        {"utility": 0.9, "scores": infinite()},
        {"strategy": "pair", "utility": 0.7, "scores": infinite()},
        {"strategy": "pair", "utility": 0.8},
        {"utility": 0.6, "scores": scores(0, shift=1)},
        {},
        delta=0.0,
        clip=None,
    )
    assert view.answer is not None
    values = view.answer.estimates.values
    assert (
        np.isinf(values).tolist() == [False, True, True, False, False, False]
        or np.isinf(values[[1, 2]]).all()
    )
    x, y = view.pictures[0].frame.x, view.pictures[0].frame.y
    drawn = places(points(view)[0])
    assert drawn[1] == (x.high, 0.9)
    assert drawn[2] == (x.high, pytest.approx(0.75))
    assert drawn[4][1] == y.low
    assert y.low < 0.5
    view.hull.value = True
    assert all(e < x.high for e, _ in places(lines(view)["hull"][0]))
    assert_drawable(view)


def test_an_undefined_epsilon_star_stands_at_the_right_edge() -> None:
    view = view_of({"utility": 0.5}, {"utility": 0.6, "scores": scores(0, shift=100)})
    assert places(points(view)[0])[1] == (view.pictures[0].frame.x.high, 0.6)
    assert "Drawn at the right edge because Epsilon* of a model is undefined: m1." in words(view)
    assert_drawable(view)


@pytest.mark.parametrize(("n", "is_drawn"), [(2, False), (3, True)])
def test_a_density_needs_three_distinct_values(n: int, is_drawn: bool) -> None:
    distinct = [{"utility": float(i), "scores": scores(i, shift=1 + i)} for i in range(n)]
    view = view_of(*distinct, {**distinct[0], "strategy": "again"})
    assert [mark.visible for mark in lines(view)["areas"]] == [is_drawn, is_drawn, False, False]
    assert_drawable(view)


@pytest.mark.parametrize("utility", [-5.0, 0.0, 1e15])
def test_equal_utilities_and_no_leak_are_drawn(utility: float) -> None:
    same = AttackScores(member=np.arange(40.0), nonmember=np.arange(40.0))
    view = view_of(*({"scores": same, "utility": utility} for _ in range(4)))
    assert places(points(view)[0]) == [(0.0, utility)] * 4
    assert_drawable(view)


def test_one_model_and_one_strategy_of_500_repeats_are_drawn() -> None:
    assert_drawable(view_of({"utility": -3.0}))
    shared = [{"strategy": "s", "scores": scores(0), "utility": i / 7} for i in range(500)]
    view = view_of(*shared)
    apart(view.compute)
    assert len(places(points(view)[0])) == 1
    assert_drawable(view)


def test_many_strategies_wait_for_the_button_and_a_long_frontier_is_thinned() -> None:
    shared = scores(0)
    view = view_of(*({"scores": shared, "utility": float(i)} for i in range(201)))
    assert view.answer is None
    assert NOT_COMPUTED in words(view)
    assert not view.button.disabled
    apart(view.button.click)
    assert len(places(points(view)[0])) == 201
    rows = np.column_stack([np.arange(2000.0), np.arange(2000.0)])
    assert len(thinned(rows)) == 512
    assert thinned(rows)[[0, -1]].tolist() == rows[[0, -1]].tolist()
    assert thinned(rows[:512]).tolist() == rows[:512].tolist()
    assert thinned(rows[:0]).shape == (0, 2)


def test_a_press_loads_the_first_repeat_and_the_next_at_the_next_press() -> None:
    store = Store()
    view, other = view_of(*MODELS, store=store), ScoresView(store=store)
    assert "Press a point" in view.loaded_text.value
    for name in ("m0", "m1", "m4", "m0"):
        press(points(view)[0], 0)
        assert_loaded(view, name)
        alone = ScoresView(scores=view.fleet.models[int(name[1])].read())
        assert other.texts["scores"].value == alone.texts["scores"].value
    assert places(points(view)[2]) == places(points(view)[0])[:1]
    press(points(view)[1], 0)
    assert_loaded(view, "m3")
    assert places(points(view)[2]) == places(points(view)[1])
    assert points(view)[2].names.tolist() == ["dp"]


def test_the_menu_loads_the_same() -> None:
    view = view_of(*MODELS)
    view.menu.value = "m4"
    assert_loaded(view, "m4")
    press(points(view)[0], 0)
    assert_loaded(view, "m0")
    view.menu.value = ""  # nothing is taken away
    assert_loaded(view, "m0")


def test_a_model_may_be_called_none() -> None:
    view = view_of({"name": "none"})
    view.menu.index = 1
    assert_loaded(view, "none")


def test_a_model_that_cannot_be_read_is_an_error_line_and_nothing_changes() -> None:
    reads: list[AttackScores] = [scores(7)]

    def once() -> AttackScores:
        if not reads:
            raise OSError("gone.csv is gone")
        return reads.pop()

    view = view_of({}, {"scores": once}, {})
    press(points(view)[0], 0)
    before = view.store.scores
    for ask in (
        lambda: press(points(view)[0], 1),
        lambda: setattr(view.menu, "value", "m1"),
    ):
        ask()
        assert view.error == "gone.csv is gone"
        assert view.store.scores is before
        assert_loaded(view, "m0")
        view.draw(view.result)
        assert_loaded(view, "m0")
    press(points(view)[0], 2)
    assert view.error == ""
    assert_loaded(view, "m2")


def test_an_unknown_model_is_an_error_line_that_names_it() -> None:
    view = view_of(*MODELS)
    view.load("m0")
    view.load("nobody")
    assert view.error.startswith("name must be one of")
    assert "'nobody'" in view.error
    assert view.loaded_model_name == "m0"


def test_a_store_that_rejects_the_scores_keeps_the_loaded_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    view = view_of(*MODELS)
    view.load("m0")

    def full(_scores: object) -> None:
        raise ValueError("scores must be fewer")

    with monkeypatch.context() as patch:
        patch.setattr(view.store, "load", full)
        view.load("m1")
    assert view.error == "scores must be fewer"
    assert view.loaded_model_name == "m0"


def test_a_choice_that_cannot_be_drawn_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    view = view_of(*MODELS)

    def fails() -> None:
        raise ValueError("no such choice")

    with monkeypatch.context() as patch:
        patch.setattr(view.store, "refresh", fails)
        view.choose(is_hull_shown=not view.is_hull_shown)
    assert view.error == "no such choice"
    assert view.is_hull_shown is type(view).is_hull_shown


def test_a_change_of_delta_forgets_the_answer_and_the_new_one_has_the_marker() -> None:
    view = view_of(*MODELS)
    press(points(view)[0], 0)
    view.delta = 0.05
    assert view.answer is None
    assert not any(mark.visible for mark in view.pictures[0].frame.figure.marks)
    assert view.table.value == ""
    assert NOT_COMPUTED in words(view)
    view.menu.value = "m1"
    apart(view.button.click)
    assert view.answer is not None
    assert view.answer.estimates.estimates[0].suprema.delta == 0.05
    assert places(points(view)[2]) == places(points(view)[0])[:1]
    assert_loaded(view, "m1")


def test_other_scores_in_the_store_are_not_said_to_be_the_models() -> None:
    view = view_of(*MODELS)
    press(points(view)[0], 1)
    part = view.answer
    view.store.load(scores(99))
    assert view.answer is part
    assert view.menu.value == ""
    assert "Press a point" in view.loaded_text.value
    assert not points(view)[2].visible
    press(points(view)[0], 1)
    assert_loaded(view, "m2")


def test_names_are_data() -> None:
    view = view_of({"name": BELOW_1, "strategy": "<script>x</script>"}, {"name": "m1"})
    press(points(view)[0], 0)
    for widget in (view.text, view.table, view.loaded_text):
        assert "<script>" not in widget.value
        assert "<i>" not in widget.value
    assert "&lt;script&gt;" in view.table.value
    assert "&lt;i&gt;below &amp; beyond&lt;/i&gt;" in view.loaded_text.value


def test_in_a_loop_the_estimates_come_later() -> None:
    async def main() -> None:
        view = LandscapeView(fleet(*MODELS))
        assert view.answer is None
        assert view.job.is_running
        await until(lambda: view.answer is not None)
        assert points(view)[0].visible
        assert view.button.disabled

    in_a_loop(main)


@pytest.mark.parametrize("how", ["cancel", "delta", "close"])
def test_work_for_nobody_stops(how: str) -> None:
    started, released, read = threading.Event(), threading.Event(), []

    def slow(i: int) -> AttackScores:
        read.append(i)
        started.set()
        released.wait(300)
        return scores(i)

    async def main() -> None:
        many = [{"scores": lambda i=i: slow(i)} for i in range(4)]
        view = LandscapeView(fleet(*many))
        await until(started.is_set)
        if how == "cancel":
            view.job.cancel_button.click()
        elif how == "delta":
            view.delta = 0.01
        else:
            view.close()
        assert not view.job.is_running
        released.set()
        await asyncio.sleep(0.3)
        assert view.answer is None

    in_a_loop(main)
    assert read == [0]


def test_500_models() -> None:
    view = view_of(*({"utility": i / 7, "scores": scores(i)} for i in range(500)))
    apart(view.compute)
    assert view.answer is not None
    assert len(view.answer.landscape.strategies) == 500
