"""One writer, one way: computes and draws are counted."""

from threading import Thread

import pytest
from traitlets import TraitError

from dpviz import AttackScores, Result
from dpviz.widgets import RegionView, SpecError, Store


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
        ({"eps": 1}, "spec field must be one of .*'epsilon'.*, got 'eps'"),
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
    assert spy.results[-1] is store.result
    assert spy.follows == 2
    store.update(epsilon=3.0)
    assert store.spec.epsilon == 3.0


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
    view.close()
    other.epsilon = 3.0
    assert view.epsilon == 1.0
    assert other.epsilon == store.spec.epsilon == 3.0
