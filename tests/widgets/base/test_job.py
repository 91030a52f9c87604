"""Slow work beside the event loop: results, progress, cancelling, errors."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from dpviz import read_sample
from dpviz.widgets import EpsilonStarView
from dpviz.widgets.base.job import BackgroundJob

Rounds = Callable[[range], Iterator[int]]


class Log:
    def __init__(self) -> None:
        self.shown: list[str] = []
        self.results: list[Any] = []
        self.stopped = 0
        self.job = BackgroundJob(self.shown.append)

    def run(self, work: Callable[[Rounds], Any]) -> None:
        self.job.run("at work", work, self.results.append, self.stop)

    def stop(self) -> None:
        self.stopped += 1


def apart(call: Callable[[], object]) -> None:
    """Make a call in a thread of its own: the browser tests leave a loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(call).result(300)


def in_a_loop(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    apart(lambda: asyncio.run(main()))


async def until(condition: Callable[[], bool]) -> None:
    for _ in range(12_000):
        if condition():
            return
        await asyncio.sleep(0.01)
    pytest.fail("waited two minutes")


def counting(rounds: Rounds) -> int:
    return sum(rounds(range(5)))


def test_without_a_loop_the_result_is_there_at_once() -> None:
    log = Log()
    apart(lambda: log.run(counting))
    assert (log.results, log.stopped) == ([10], 0)
    assert log.job.widget.is_hidden


def test_with_a_loop_the_work_has_a_thread_and_the_result_comes_back_on_the_loop() -> None:
    log = Log()
    threads: list[threading.Thread] = []

    async def main() -> None:
        def work(rounds: Rounds) -> int:
            threads.append(threading.current_thread())
            return counting(rounds)

        threads.append(threading.current_thread())
        log.run(work)
        assert log.job.is_running
        assert log.shown == ["at work"]
        assert not log.job.widget.is_hidden
        await until(lambda: bool(log.results))
        assert not log.job.is_running
        assert log.job.widget.is_hidden

    in_a_loop(main)
    assert log.results == [10]
    assert threads[0] is not threads[1]


def test_the_bar_moves_and_cancel_stops_the_work_at_its_next_round() -> None:
    log, seen = Log(), []
    released = threading.Event()

    def slow(rounds: Rounds) -> None:
        for i in rounds(range(1000)):
            seen.append(i)
            if i == 500:
                released.wait(300)

    async def main() -> None:
        log.run(slow)
        await until(lambda: log.job.progress_bar.value == pytest.approx(0.5))
        log.job.cancel_button.click()
        assert not log.job.is_running
        released.set()
        await asyncio.sleep(0.3)

    in_a_loop(main)
    assert (log.results, log.stopped, log.shown[-1]) == ([], 1, "cancelled")
    assert max(seen) == 500


@pytest.mark.parametrize("with_loop", [True, False])
def test_a_failure_is_one_line(with_loop: bool) -> None:
    log = Log()

    def failing(rounds: Rounds) -> None:
        raise ValueError("delta must be in [0, 1], got 2.0")

    async def main() -> None:
        log.run(failing)
        await until(lambda: log.stopped == 1)

    if with_loop:
        in_a_loop(main)
    else:
        apart(lambda: log.run(failing))
    assert log.shown[-1] == "ValueError: delta must be in [0, 1], got 2.0"
    assert (log.results, log.stopped) == ([], 1)


def test_new_work_replaces_the_old() -> None:
    log = Log()

    async def main() -> None:
        log.run(lambda rounds: time.sleep(0.2) or "old")
        log.run(lambda _: "new")
        await until(lambda: bool(log.results))
        await asyncio.sleep(0.4)

    in_a_loop(main)
    assert log.results == ["new"]


def answer(view: EpsilonStarView) -> str:
    return str(view.outcome.value)


@pytest.mark.slow
def test_an_answer_goes_when_the_estimate_changes_and_stays_when_it_does_not() -> None:
    view = EpsilonStarView(scores=read_sample("null"))
    for button, said in zip(
        view.resampling_buttons, ("permutation test", "not a confidence interval"), strict=True
    ):
        apart(button.click)
        assert said in answer(view)
        view.fpr = 0.005
        assert said in answer(view)
        view.delta = view.delta / 2
        assert answer(view) == ""


def test_a_change_of_the_estimate_cancels_the_question_about_it() -> None:
    view = EpsilonStarView(scores=read_sample("gamma"))

    async def main() -> None:
        view.resampling_buttons[0].click()
        assert view.resampling.is_running
        view.delta = 1e-4
        assert not view.resampling.is_running
        await asyncio.sleep(0.3)

    in_a_loop(main)
    assert answer(view) == ""


def test_without_scores_chance_is_not_asked() -> None:
    view = EpsilonStarView()
    assert all(button.disabled for button in view.resampling_buttons)


def test_a_mixture_is_fitted_beside_the_picture_and_then_shown() -> None:
    view = EpsilonStarView(scores=read_sample("null"), components=2)
    form = view.controls[0]

    async def main() -> None:
        form.widget.value = "mixture fit"
        assert view.method == "empirical"
        assert view.fitting.is_running
        await until(lambda: view.method == "mixture")

    in_a_loop(main)
    assert view.result.sample is not None
    assert view.result.sample.epsilon_star.star.method == "mixture"


def test_a_fit_goes_on_while_delta_changes() -> None:
    view = EpsilonStarView(scores=read_sample("null"), components=2)

    async def main() -> None:
        view.controls[0].widget.value = "mixture fit"
        view.delta = 1e-4
        assert view.fitting.is_running
        await until(lambda: view.method == "mixture")

    in_a_loop(main)
    assert view.delta == 1e-4


def test_a_cancelled_fit_leaves_the_menu_at_what_is_shown() -> None:
    view = EpsilonStarView(scores=read_sample("gamma"))
    form = view.controls[0]

    async def main() -> None:
        form.widget.value = "mixture fit"
        view.fitting.cancel_button.click()
        assert form.widget.value == "empirical"
        await asyncio.sleep(0.3)

    in_a_loop(main)
    assert view.method == "empirical"


def test_menus_of_the_fit_are_shown_where_they_matter() -> None:
    view = EpsilonStarView(scores=read_sample("null"))
    shown = {
        method: [menu.name for menu in view.controls if not menu.widget.is_hidden]
        for method in ("empirical", "normal")
        if not setattr(view, "method", method)
    }
    assert shown == {"empirical": ["method", "clip"], "normal": ["method", "clip", "transform"]}
    view.components = 2
    apart(lambda: setattr(view, "method", "mixture"))
    assert all(not menu.widget.is_hidden for menu in view.controls)
