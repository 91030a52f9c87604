"""Steps back and forth, without a store; then the store's, with a clock that the test moves."""

import numpy as np
import pytest

from dpviz import AttackScores
from dpviz.theory import GaussianDP, PureDP
from dpviz.widgets import SpecError, Store
from dpviz.widgets.state.history import MOST_STEPS, PAUSE, History


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
        found.append(history.before)
        history.move(-1)
    return found


def test_a_new_history_has_nowhere_to_go(clock: Clock) -> None:
    history = History(0, clock=clock)
    assert [history.can_undo, history.can_redo, history.can_reset] == [False] * 3
    with pytest.raises(ValueError, match="undo must follow a change, got nothing to take back"):
        _ = history.before
    with pytest.raises(ValueError, match="redo must follow an undo, got nothing to do again"):
        _ = history.after


def test_steps_back_and_forth(clock: Clock) -> None:
    history = History(0, clock=clock)
    for state in (1, 2, 2, 3):
        history.add(state)
    assert (history.before, history.present) == (2, 3)
    history.move(-1)
    assert (history.before, history.present, history.after) == (1, 2, 3)
    history.add(2)  # shown again: neither a step nor the end of what was taken back
    assert history.after == 3
    history.add(4)
    assert not history.can_redo
    assert back(history) == [2, 1, 0]
    assert not history.can_reset


@pytest.mark.parametrize(
    ("changes", "left"),
    [
        # (state, kind, seconds before it)
        ([(1, "a", 0.5), (2, "a", 0.99), (3, "a", 0.99)], [0]),  # one drag, however long
        ([(1, "a", 0.5), (2, "a", PAUSE)], [1, 0]),
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
    assert history.present == changes[-1][0]
    assert back(history) == left


def test_a_change_after_a_step_back_is_a_step_of_its_own(clock: Clock) -> None:
    history = History(0, clock=clock)
    history.add(1, "a")
    clock.wait(PAUSE)
    history.add(5, "a")
    history.move(-1)
    history.add(2, "a")
    assert back(history) == [1, 0]


def test_a_long_history_forgets_its_oldest_steps_but_not_the_first_state(clock: Clock) -> None:
    history = History(0, clock=clock)
    for state in range(1, 1001):
        history.add(state)
    assert back(history) == list(range(999, 999 - MOST_STEPS, -1))
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
