"""What a closed explorer or view leaves behind: nothing."""

import gc
import weakref

import pytest
from anywidget import AnyWidget
from ipywidgets.widgets.widget import _instances

from dpviz import AttackScores, explore
from dpviz.widgets import EpsilonStarView, Explorer, TradeoffView
from dpviz.widgets.state.store import Store

SCORES = AttackScores(member=[0.5, 1.0, 2.0, 3.0], nonmember=[0.0, 0.25, 0.75, 1.5])


@pytest.mark.parametrize(
    "make",
    [
        explore,
        lambda scores: EpsilonStarView(scores=scores),
        lambda scores: TradeoffView(scores=scores),
    ],
)
def test_closing_closes_everything_and_lets_it_go(make: type[Explorer]) -> None:
    first = make(SCORES)  # what a process makes once
    first.close()
    del first
    gc.collect()
    before = set(_instances)
    made = make(SCORES)
    assert len(set(_instances) - before) > 30
    reference = weakref.ref(made)
    made.close()
    assert [type(w).__name__ for key, w in _instances.items() if key not in before] == []
    del made
    gc.collect()
    assert reference() is None


def test_scripts_are_given_as_text() -> None:
    # Of a file, anywidget keeps every widget that was made, for as long as it watches the file.
    ours = [cls for cls in AnyWidget.__subclasses__() if cls.__module__.startswith("dpviz.")]
    assert len(ours) >= 3
    assert [cls for cls in ours if not isinstance(cls._esm, str)] == []


def test_a_store_outlives_its_views() -> None:
    before = set(_instances)
    store = Store(SCORES)
    for epsilon in (1.0, 2.0):
        view = EpsilonStarView(store=store)
        view.epsilon = epsilon
        assert store.live is None or store.live.comm is not None
        assert store.live is None or store.live.epsilon == epsilon
        view.close()
        assert store.live is None or store.live.comm is None
        assert set(_instances) == before


def test_a_view_that_stays_keeps_what_it_shares() -> None:
    store = Store(SCORES)
    stays, goes = EpsilonStarView(store=store), EpsilonStarView(store=store)
    before = len(_instances)
    goes.close()
    assert len(_instances) < before
    assert store.live is None or store.live.comm is not None
    assert all(picture.frame.figure.comm is not None for picture in stays.pictures)
    stays.epsilon = 3.0
    assert stays.result.spec.claim is not None
    stays.close()
