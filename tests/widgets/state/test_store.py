"""The store: one writer, computes and draws are counted; its history of steps."""

import re
from threading import Thread

import numpy as np
import pytest
from traitlets import TraitError

from dpviz import AttackScores, Result
from dpviz.theory import GaussianDP, PureDP
from dpviz.widgets import GuessView, NoiseView, RegionView, SpecError, Store
from dpviz.widgets.state.store import DRAG_GAP, MOST_UNDO_STEPS, History


class Spy:
    """A drawer and follower that counts."""

    def __init__(self, store: Store) -> None:
        self.results: list[Result] = []
        self.follows = 0
        store.subscribe(self.results.append, self.follow)

    def follow(self) -> None:
        self.follows += 1


def test_a_change_is_one_result_and_one_draw(scores: AttackScores) -> None:
    store = Store(scores)
    spies = [Spy(store), Spy(store)]
    store.update(epsilon=2.0, prior=0.1)
    assert [len(spy.results) for spy in spies] == [2, 2]
    assert spies[0].results[-1] is spies[1].results[-1] is store.result
    assert store.spec.epsilon == 2.0
    assert store.spec.prior == 0.1


def test_an_equal_value_is_silence(scores: AttackScores) -> None:
    store = Store(scores)
    spy = Spy(store)
    store.update(epsilon=1.0)
    store.update(delta=1e-5, fpr=None)
    store.load(scores)
    assert len(spy.results) == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"delta": 2.0}, r"delta must be in \[0, 1\], got 2.0"),
        ({"epsilon": -1}, r"epsilon must be in \[0, inf\], got -1"),
        ({"prior": 1}, r"prior must be in \(0, 1\), got 1"),
        ({"fpr": "abc"}, "fpr must be a number, got 'abc'"),
        ({"epsilon": 2.0, "clip": 0.7}, r"clip must be in \[0, 0.5\), got 0.7"),
        ({"eps": 1}, "argument must be .*, got 'eps'; did you mean 'epsilon'"),
    ],
)
def test_an_illegal_change_leaves_everything(
    scores: AttackScores, changes: dict[str, object], message: str
) -> None:
    store = Store(scores)
    spy, result = Spy(store), store.result
    with pytest.raises(SpecError, match=message) as caught:
        store.update(**changes)
    assert isinstance(caught.value, TraitError)
    assert isinstance(caught.value, ValueError)
    assert store.result is result
    assert len(spy.results) == 1


def test_what_is_written_back_while_drawing_is_ignored(scores: AttackScores) -> None:
    store = Store(scores)
    store.subscribe(lambda result: store.update(epsilon=9.0), lambda: None)
    store.update(epsilon=2.0)
    assert store.spec.epsilon == 2.0


def test_a_follower_may_ask_for_a_further_change(scores: AttackScores) -> None:
    store = Store(scores)
    spy = Spy(store)
    store.subscribe(lambda result: None, lambda: store.update(prior=0.25))
    store.update(epsilon=2.0)
    assert (store.spec.epsilon, store.spec.prior) == (2.0, 0.25)
    assert spy.results[-1] is store.result


def test_loading_replaces_only_the_sample_side(scores: AttackScores) -> None:
    store = Store()
    assert store.result.sample is None
    store.update(epsilon=3.0)
    store.load(scores)
    assert store.result.sample is not None
    assert store.spec.epsilon == 3.0
    store.load(None)
    assert store.result.sample is None


def test_one_failing_view_leaves_no_other_behind(scores: AttackScores) -> None:
    store = Store(scores)

    def fail(*_: object) -> None:
        if store.spec.epsilon == 2.0:
            raise RuntimeError("a view broke")

    store.subscribe(fail, fail)
    spy = Spy(store)
    with pytest.raises(RuntimeError, match="a view broke"):
        store.update(epsilon=2.0)
    # Both views have shown the new state and, as one of them could not, the former one again.
    assert [result.spec.epsilon for result in spy.results] == [1.0, 2.0, 1.0]
    assert spy.results[-1] is store.result
    assert spy.follows == 3
    store.update(epsilon=3.0)
    assert store.spec.epsilon == 3.0


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        (GuessView, {"kappa": 1e-318}, "1 / baseline must be in (0, inf), got inf"),
        (NoiseView, {"epsilon": 1e-318, "delta": 1e-300}, "(log scale)' must be finite, got"),
    ],
)
def test_a_number_too_small_to_draw_is_refused_and_the_pictures_stay(
    kind: type[GuessView | NoiseView], change: dict[str, float], message: str
) -> None:
    view, claim = kind(epsilon=0.5), PureDP(epsilon=2.0)
    before, spec = view.svg(), view.store.spec
    with pytest.raises(ValueError, match=re.escape(message)):
        view.store.update(**change)
    assert (view.svg(), view.epsilon, view.kappa) == (before, 0.5, spec.kappa)
    RegionView(store=view.store).change(**change)
    assert view.store.spec is spec
    view.claim = claim
    assert view.store.spec.claim is claim


def test_an_interrupted_drawing_leaves_a_store_that_hears() -> None:
    store = Store()

    def interrupt(result: Result) -> None:
        if result.spec.epsilon == 2.0:
            raise KeyboardInterrupt

    store.subscribe(interrupt, lambda: None)
    with pytest.raises(KeyboardInterrupt):
        store.update(epsilon=2.0)
    store.update(epsilon=3.0)
    assert store.spec.epsilon == 3.0


def test_a_refresh_in_a_second_thread_takes_no_change_back() -> None:
    store = Store()
    refreshing = Thread(target=store.refresh, daemon=True)

    def follow() -> None:
        if store.spec.epsilon == 2.0 and store.spec.fpr != 0.5:
            refreshing.start()
            refreshing.join(timeout=0.2)  # it waits for this change, and then for the next
            store.update(fpr=0.5)

    store.subscribe(lambda _: None, follow)
    store.update(epsilon=2.0)
    refreshing.join(timeout=300)
    assert not refreshing.is_alive()
    assert store.spec.fpr == 0.5


def test_a_closed_view_is_drawn_no_more() -> None:
    store = Store()
    view, other = RegionView(store=store), RegionView(store=store)
    spy = Spy(store)
    view.close()
    other.epsilon = 3.0
    assert view.epsilon == 1.0
    assert (len(spy.results), spy.follows) == (2, 2)  # others are drawn as before
    assert other.epsilon == store.spec.epsilon == 3.0


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


def back(history: History[int]) -> list[int]:
    """Everything that can still be taken back, the latest first."""
    found = []
    while history.can_undo:
        found.append(history.previous_state)
        history.move_by(-1)
    return found


def test_a_new_history_has_nowhere_to_go(clock: Clock) -> None:
    history = History(0, clock=clock)
    assert [history.can_undo, history.can_redo, history.can_reset] == [False] * 3
    with pytest.raises(ValueError, match="undo must follow a change, got nothing to undo"):
        _ = history.previous_state
    with pytest.raises(ValueError, match="redo must follow an undo, got nothing to redo"):
        _ = history.next_state


def test_steps_back_and_forth(clock: Clock) -> None:
    history = History(0, clock=clock)
    for state in (1, 2, 2, 3):
        history.add(state)
    assert (history.previous_state, history.present_state) == (2, 3)
    history.move_by(-1)
    assert (history.previous_state, history.present_state, history.next_state) == (1, 2, 3)
    history.add(2)  # shown again: neither a step nor the end of what was taken back
    assert history.next_state == 3
    history.add(4)
    assert not history.can_redo
    assert back(history) == [2, 1, 0]
    assert not history.can_reset


@pytest.mark.parametrize(
    ("changes", "left"),
    [
        # (state, kind, seconds before it)
        ([(1, "a", 0.5), (2, "a", 0.99), (3, "a", 0.99)], [0]),  # one drag, however long
        ([(1, "a", 0.5), (2, "a", DRAG_GAP)], [1, 0]),
        ([(1, "a", 0), (2, "b", 0), (3, "a", 0)], [2, 1, 0]),
        ([(1, None, 0), (2, None, 0)], [1, 0]),
        ([(1, "a", 0), (2, "a", 0), (0, "a", 0)], []),  # dragged back
        ([(1, "a", 0), (0, "a", 0), (2, "a", 0)], [0]),
        ([(9, "b", 0), (1, "a", 0), (9, "a", 0), (2, "a", 0)], [9, 0]),
        ([(1, "a", 0), (1, "b", 0), (2, "a", 0)], [0]),  # what changes nothing interrupts nothing
    ],
)
def test_what_comes_fast_and_is_of_one_kind_is_one_step(
    clock: Clock, changes: list[tuple[int, str | None, float]], left: list[int]
) -> None:
    history = History(0, clock=clock)
    for state, kind, seconds in changes:
        clock.wait(seconds)
        history.add(state, kind)
    assert history.present_state == changes[-1][0]
    assert back(history) == left


def test_a_change_after_a_step_back_is_a_step_of_its_own(clock: Clock) -> None:
    history = History(0, clock=clock)
    history.add(1, "a")
    clock.wait(DRAG_GAP)
    history.add(5, "a")
    history.move_by(-1)
    history.add(2, "a")
    assert back(history) == [1, 0]


def test_a_long_history_forgets_its_oldest_steps_but_not_the_first_state(clock: Clock) -> None:
    history = History(0, clock=clock)
    for state in range(1, 1001):
        history.add(state)
    assert back(history) == list(range(999, 999 - MOST_UNDO_STEPS, -1))
    assert history.first == 0
    assert history.can_reset


def test_a_drag_is_one_step_of_the_store(clock: Clock) -> None:
    store = Store(clock=clock)
    for epsilon in np.linspace(1.5, 3, 20):
        store.update(epsilon=epsilon)
        clock.wait(0.02)
    for delta in (1e-4, 1e-3):
        store.update(delta=delta)
    store.undo()
    assert (store.spec.epsilon, store.spec.delta) == (3.0, 1e-5)
    store.undo()
    assert store.spec.epsilon == 1.0
    assert not store.can_undo
    store.redo()
    store.redo()
    assert (store.spec.epsilon, store.spec.delta) == (3.0, 1e-3)
    assert not store.can_redo


def test_the_point_is_dragged_in_both_directions_at_once(clock: Clock) -> None:
    store = Store(clock=clock)
    for fpr in (0.1, 0.2, 0.3):
        store.update(fpr=fpr, fnr=fpr)
    store.undo()
    assert (store.spec.fpr, store.spec.fnr) == (None, None)


def test_choices_are_steps_however_fast(clock: Clock) -> None:
    """Only what is dragged comes in floods: menus, buttons and other kinds of claim do not."""
    store = Store(clock=clock)
    store.update(method="normal")
    store.update(method="mixture")
    store.update(overlays=(PureDP(epsilon=1.0),))
    store.update(overlays=())
    store.update(claim=GaussianDP(mu=1.0))
    store.update(claim=PureDP(epsilon=1.0))
    store.undo()
    assert store.spec.claim == GaussianDP(mu=1.0)
    store.undo()
    store.undo()
    assert store.spec.overlays == (PureDP(epsilon=1.0),)
    store.undo()
    store.undo()
    assert store.spec.method == "normal"


def test_a_parameter_of_a_claim_is_dragged(clock: Clock) -> None:
    store = Store(clock=clock)
    for mu in (1.0, 1.1, 1.2):
        store.update(claim=GaussianDP(mu=mu))
    store.undo()
    assert not store.can_undo


def test_other_scores_are_a_step_and_are_kept_by_reference(
    clock: Clock, scores: AttackScores
) -> None:
    store = Store(clock=clock)
    store.load(scores)
    store.update(prior=0.2)
    store.load(None)
    assert store.result.sample is None
    store.undo()
    assert store.scores is scores
    assert store.result.sample is not None
    assert store.spec.prior == 0.2
    store.undo()
    store.undo()
    assert store.scores is None
    assert store.result.sample is None


def test_reset_is_a_step_like_any_other(clock: Clock, scores: AttackScores) -> None:
    store = Store(scores, clock=clock)
    first = store.spec
    assert not store.can_reset
    store.reset()
    assert not store.can_undo
    store.update(epsilon=2.0)
    store.load(None)
    store.reset()
    assert (store.spec, store.scores) == (first, scores)
    assert not store.can_reset
    store.undo()
    assert store.spec.epsilon == 2.0
    assert store.scores is None
    store.redo()
    assert (store.spec, store.scores) == (first, scores)


def test_a_refused_change_is_no_step(clock: Clock) -> None:
    store = Store(clock=clock)
    with pytest.raises(SpecError):
        store.update(delta=2.0)
    store.update(epsilon=1.0)
    store.refresh()
    assert not store.can_undo
    with pytest.raises(ValueError, match="undo must follow a change"):
        store.undo()


def test_a_state_that_cannot_be_drawn_leaves_no_step(scores: AttackScores, clock: Clock) -> None:
    store = Store(scores, clock=clock)
    store.update(epsilon=4.0)
    store.undo()

    def fail(result: Result) -> None:
        if result.spec.epsilon == 2.0 or store.scores is None:
            raise OverflowError

    store.subscribe(fail, lambda: None)
    before = store.result
    for change in (lambda: store.update(epsilon=2.0), lambda: store.load(None)):
        with pytest.raises(OverflowError):
            change()
        assert store.result is before
        assert store.scores is scores
    store.redo()
    assert (store.spec.epsilon, store.can_redo) == (4.0, False)
    store.undo()
    assert (store.spec.epsilon, store.can_undo) == (1.0, False)


def test_what_is_worked_out_meanwhile_does_not_interrupt_a_drag(clock: Clock) -> None:
    store = Store(clock=clock)
    store.update(epsilon=2.0)
    store.refresh()
    store.update(epsilon=3.0)
    store.undo()
    assert store.spec.epsilon == 1.0


def test_drawers_see_what_can_be_taken_back(clock: Clock) -> None:
    store = Store(clock=clock)
    seen: list[tuple[bool, bool]] = []
    store.subscribe(lambda _: seen.append((store.can_undo, store.can_redo)), lambda: None)
    store.update(epsilon=2.0)
    store.undo()
    assert seen == [(False, False), (True, False), (False, True)]


def test_what_a_follower_asks_for_is_a_step_after_the_change_it_follows(clock: Clock) -> None:
    store = Store(clock=clock)
    store.subscribe(lambda _: None, lambda: store.update(prior=0.25))
    assert store.spec.prior == 0.25
    store.update(epsilon=2.0)
    store.undo()
    assert (store.spec.epsilon, store.spec.prior) == (1.0, 0.25)
