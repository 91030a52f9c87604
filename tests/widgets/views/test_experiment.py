"""The view of the experiment: rounds at the button, restarts, playing and pausing."""

import asyncio
from typing import Any

import numpy as np
import pytest

from dpviz import AttackScores, Spec
from dpviz.analysis.topics.experiment import MORE_RUNS
from dpviz.audit.experiment import Experiment
from dpviz.theory import ApproximateDP, GaussianDP, ListExperiment
from dpviz.widgets import Explorer
from dpviz.widgets.controls import player
from dpviz.widgets.state.store import Store
from dpviz.widgets.views.experiment import ExperimentView
from tests.widgets.base.test_job import apart, in_a_loop, until

NAMES = ("ppv", "tpr", "fpr")


@pytest.fixture
def view() -> ExperimentView:
    return ExperimentView(epsilon=1.0, delta=1e-2, prior=0.1, fpr=0.2)


def press(view: ExperimentView, *labels: str) -> None:
    for label in labels:
        apart(view.buttons[label].click)


def cloud(view: ExperimentView) -> Any:
    return view.pictures[0].layers[0].marks_by_name()


def rates(view: ExperimentView) -> Any:
    return view.pictures[1].layers[0].marks_by_name()


def rounds(view: ExperimentView) -> int:
    return view.shown.counts.rounds


def is_fresh(view: ExperimentView) -> bool:
    marks = [cloud(view)[name] for name in ("cloud", "point", "rectangle")]
    running = [rates(view)[name] for name in NAMES]
    hidden = not any(curve.mark.visible for curve in (*marks, *running))
    return rounds(view) == 0 and hidden and "No round is played" in view.texts["last"].value


def test_it_begins_with_nothing_played(view: ExperimentView) -> None:
    assert is_fresh(view)
    assert cloud(view)["curve"].mark.visible
    assert rates(view)["ppv level"].mark.y[0] == pytest.approx(view.shown.ppv_bound)
    assert "seed 0" in view.texts["seed"].value


def test_buttons_play_that_many_rounds(view: ExperimentView) -> None:
    press(view, "one round")
    assert rounds(view) == 1
    assert "Round 1: the record was a" in view.texts["last"].value
    press(view, "100 rounds", "one round")
    assert rounds(view) == 102
    press(view, "10⁶ rounds")
    assert rounds(view) == 1_000_102
    assert "1\N{NO-BREAK SPACE}000\N{NO-BREAK SPACE}102" in view.texts["last"].value
    assert view.error == ""


def test_the_pictures_show_what_was_counted(view: ExperimentView) -> None:
    press(view, "10⁶ rounds")
    part = view.shown
    point, mark = cloud(view)["point"].mark, cloud(view)["cloud"].mark
    assert (point.x[0], point.y[0]) == (part.counts.fpr.value, part.counts.fnr.value)
    assert mark.x.size == MORE_RUNS
    np.testing.assert_array_equal(np.column_stack([mark.x, mark.y]), part.error_rates_of_repeats)
    corners = cloud(view)["rectangle"].mark
    low, high = part.counts.fpr.interval(confidence_level=0.95)
    assert (min(corners.x), max(corners.x)) == (low, high)
    low, high = part.counts.fnr.interval(confidence_level=0.95)
    assert (min(corners.y), max(corners.y)) == (low, high)
    for name in NAMES:
        line, level = rates(view)[name].mark, rates(view)[f"{name} level"].mark
        assert line.x[-1] == 1_000_000
        assert line.y[-1] == getattr(part.counts, name).value
        assert line.y[-1] == pytest.approx(level.y[0], rel=0.05)
    assert view.pictures[1].frame.x.high >= 1_000_000


@pytest.mark.parametrize(
    "change",
    [
        {"epsilon": 2.0},
        {"delta": 1e-3},
        {"prior": 0.3},
        {"fpr": 0.1},
        {"claim": GaussianDP(mu=1.0)},
    ],
    ids=str,
)
def test_counts_restart_with_what_is_asked(view: ExperimentView, change: dict[str, Any]) -> None:
    press(view, "100 rounds")
    view.store.update(**change)
    assert is_fresh(view)
    spec = view.store.spec
    assert view.shown.experiment == Experiment(spec.claim, spec.prior, spec.fpr)
    press(view, "one round")
    assert rounds(view) == 1


def test_what_does_not_matter_leaves_the_counts() -> None:
    rng = np.random.default_rng(1)
    scores = AttackScores(member=rng.normal(1, 1, 30), nonmember=rng.normal(0, 1, 30))
    store = Store(spec=Spec(fpr=0.01))
    view, other = ExperimentView(store=store), ExperimentView(store=store)
    press(view, "100 rounds")
    part = view.shown
    view.fnr, view.method = 0.5, "normal"
    store.load(scores)
    assert view.shown is part
    assert rounds(other) == 0
    view.claim = GaussianDP(mu=1.0)
    press(view, "100 rounds")
    part = view.shown
    view.delta = 1e-3  # Epsilon*'s alone now
    assert view.shown is part


def test_the_same_seed_plays_the_same_and_again_takes_the_next(view: ExperimentView) -> None:
    press(view, "100 rounds", "10⁶ rounds")
    first = view.shown.counts
    twin = ExperimentView(epsilon=1.0, delta=1e-2, prior=0.1, fpr=0.2)
    press(twin, "100 rounds", "10⁶ rounds")
    assert twin.shown.counts == first
    press(view, "again")
    assert is_fresh(view)
    assert "seed 1" in view.texts["seed"].value
    assert view.seed == 1
    press(view, "100 rounds", "10⁶ rounds")
    assert view.shown.counts != first
    view.prior = 0.2
    assert view.seed == 1


def test_refused_values_leave_the_counts(view: ExperimentView) -> None:
    press(view, "100 rounds")
    with pytest.raises(ValueError, match="prior must be"):
        view.prior = 1.5
    assert view.error == "prior must be in (0, 1), got 1.5"
    assert rounds(view) == 100


def test_magnifying_shows_the_neighbourhood_of_the_point(view: ExperimentView) -> None:
    frame = view.pictures[0].frame
    view.magnify.value = True
    assert (frame.x.low, frame.x.high) == (0.0, 1.0)  # nothing to magnify yet
    press(view, "10⁶ rounds")
    part = view.shown
    assert frame.x.high - frame.x.low < 0.02
    for points in (part.error_rates_of_repeats, np.array([[0.2, part.experiment.f.beta(0.2)]])):
        assert (frame.x.low <= points[:, 0]).all()
        assert (points[:, 0] <= frame.x.high).all()
        assert (frame.y.low <= points[:, 1]).all()
        assert (points[:, 1] <= frame.y.high).all()
    curve = cloud(view)["curve"].mark
    assert (curve.x[0], curve.x[-1]) == (frame.x.low, frame.x.high)
    np.testing.assert_allclose(curve.y, part.experiment.f.beta(np.array(curve.x)))
    view.magnify.value = False
    assert (frame.x.low, frame.x.high) == (0.0, 1.0)


def test_add_remove_claims_are_converted_in_the_open() -> None:
    view = ExperimentView(claim=ApproximateDP(epsilon=1.0, delta=0.0, adjacency="add_remove"))
    assert "converted" not in view.texts["words"].value
    assert view.shown.experiment.f == view.claim  # without replacement it is played as it stands
    view.neighbours = "replace_one"
    assert (
        "The claim is for add/remove adjacency and is converted to replace-one."
        in view.texts["words"].value
    )
    assert view.shown.experiment.f.adjacency == "replace_one"
    press(view, "100 rounds")
    assert rounds(view) == 100


def test_a_list_experiment_says_why() -> None:
    view = ExperimentView(claim=ListExperiment(support=(0.5, 0.5)), prior=0.3, fpr=0.1)
    assert "The answer 3 reveals a supporter of the sensitive item" in view.texts["words"].value
    assert "supporters only" not in view.texts["tables"].value
    press(view, "100 rounds")
    assert "supporters only" in view.texts["tables"].value


@pytest.mark.parametrize(
    "spec",
    [
        {"claim": ApproximateDP(epsilon=0.0, delta=0.0), "fpr": 0.0, "prior": 1e-9},
        {"claim": ApproximateDP(epsilon=1.0, delta=1.0), "fpr": 1.0, "prior": 1 - 1e-9},
        {"claim": ApproximateDP(epsilon=float("inf"), delta=0.0), "fpr": 0.0},
        {"claim": GaussianDP(mu=1.0), "fpr": 1e-12, "prior": 1e-6},
    ],
    ids=str,
)
def test_corners_are_drawn(spec: dict[str, Any]) -> None:
    view = ExperimentView(**spec)
    view.magnify.value = True
    press(view, "one round", "100 rounds", "10⁶ rounds")
    assert rounds(view) == 1_000_101
    for picture in view.pictures:
        for mark in picture.frame.figure.marks:
            assert np.isfinite(mark.x).all()
            assert np.isfinite(mark.y).all()
    lowest = view.pictures[1].frame.y.low
    assert lowest > 0  # a log axis
    assert all((mark.y >= lowest).all() for mark in view.pictures[1].frame.figure.marks)


def test_beside_the_mouse_a_toggle_says_what_it_does(view: ExperimentView) -> None:
    """Without a tooltip, the browser shows "null"."""
    assert view.player.button.tooltip.startswith("play rounds")


def test_without_a_loop_play_goes_to_the_next_pause(view: ExperimentView) -> None:
    apart(view.player.start)
    assert rounds(view) == player.PAUSE_AT
    assert view.player.bar.value == 1
    press(view, "one round")
    assert view.player.bar.value == pytest.approx(1 / player.PAUSE_AT)
    apart(view.player.start)
    assert rounds(view) == 2 * player.PAUSE_AT


def test_play_and_pause(view: ExperimentView) -> None:
    async def main() -> None:
        view.player.button.value = True
        assert view.player.is_playing
        assert view.player.button.description == "pause"
        await until(lambda: rounds(view) >= 2)
        assert rounds(view) < 20
        view.player.button.value = False
        stood = rounds(view)
        assert not view.player.is_playing
        assert view.player.button.description == "play"
        await asyncio.sleep(0.25)
        assert rounds(view) == stood
        view.player.button.value = True
        await until(lambda: rounds(view) > stood)

    in_a_loop(main)


@pytest.mark.slow
def test_speed_can_change_while_it_plays_and_it_ends(view: ExperimentView) -> None:
    async def main() -> None:
        view.player.button.value = True
        await asyncio.sleep(0)
        view.player.speed.value = "10 000"
        await until(lambda: not view.player.is_playing)

    in_a_loop(main)
    assert rounds(view) == player.PAUSE_AT
    assert view.player.button.description == "play"


def test_reduced_motion_is_fewer_larger_steps(
    view: ExperimentView, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[tuple[int, float]] = []
    sleep = asyncio.sleep

    async def noted(seconds: float) -> None:
        steps.append((rounds(view), seconds))
        await sleep(0.001)

    async def main() -> None:
        with monkeypatch.context() as patch:
            patch.setattr(player.asyncio, "sleep", noted)
            view.player.speed.value = "1 000"
            view.player.button.value = True
            while len(steps) < 3:
                await sleep(0.001)
            view.player.calm.value = True
            while len(steps) < 7:
                await sleep(0.001)
            view.player.pause()

    in_a_loop(main)
    played = np.diff([0, *(n for n, _ in steps)])
    assert set(zip(played.tolist(), [s for _, s in steps], strict=True)) == {
        (100, 0.1),
        (2000, 2.0),
    }
    assert (np.diff(played) >= 0).all()
    for picture in view.pictures:
        assert picture.frame.figure.animation_duration == 0
    assert "dpviz-motion" in view.player.hint.value  # hidden unless the system prefers it


def test_playing_stops_when_the_explorer_around_it_is_closed() -> None:
    explorer = Explorer()
    view = next(view for view in explorer.views if isinstance(view, ExperimentView))

    async def main() -> None:
        view.player.button.value = True
        assert view.player.is_playing
        explorer.close()
        assert not view.player.is_playing

    in_a_loop(main)


@pytest.mark.parametrize("stop", ["prior", "again", "close"])
def test_playing_stops_with_what_it_played(view: ExperimentView, stop: str) -> None:
    async def main() -> None:
        view.player.speed.value = "1 000"
        view.player.button.value = True
        await until(lambda: rounds(view) > 0)
        if stop == "prior":
            view.prior = 0.7
        elif stop == "again":
            view.buttons["again"].click()
        else:
            view.close()
        stood = rounds(view)
        assert not view.player.is_playing
        await asyncio.sleep(0.25)
        assert rounds(view) == stood

    in_a_loop(main)
    assert rounds(view) == 0 or stop == "close"


def test_failing_rounds_are_said_and_playing_stops(
    view: ExperimentView, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ValueError("rounds must be few, got many")

    monkeypatch.setattr("dpviz.widgets.views.experiment.advance", broken)
    press(view, "one round")
    assert view.error == "rounds must be few, got many"
    assert is_fresh(view)

    async def main() -> None:
        view.player.button.value = True
        await until(lambda: not view.player.is_playing)

    in_a_loop(main)
    assert view.error == "rounds must be few, got many"


def test_a_view_that_cannot_be_built_is_no_trouble() -> None:
    with pytest.raises(ValueError, match="must be left out if store is given"):
        ExperimentView(store=Store(), prior=0.1)


def test_a_drag_plays_few_rounds_one_by_one(
    view: ExperimentView, monkeypatch: pytest.MonkeyPatch
) -> None:
    played: list[int] = []
    play = Experiment.play
    monkeypatch.setattr(
        Experiment, "play", lambda self, rng, n: played.append(n) or play(self, rng, n)
    )
    press(view, "10⁶ rounds")
    for i in range(20):
        view.fpr = 0.1 + i / 1000
        view.advance(10)
    assert sum(played) <= 20 * 10
