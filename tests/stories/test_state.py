"""Keeping a view: as a state, as code, step by step, and pinned beside the next one.

Two hundred random states go both ways in `tests/analysis/state/test_state.py`.
"""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dpviz
from dpviz import AttackScores, Spec, explore
from dpviz.analysis.result import AuditPart
from dpviz.audit.bounds import EpsilonBound
from dpviz.theory import (
    ApproximateDP,
    DiscretePair,
    GaussianDP,
    LaplaceMechanism,
    OneWaySubsampled,
    PublicMixture,
    PureDP,
)
from dpviz.widgets import Explorer, Store

VIEWS: list[dict[str, Any]] = [
    {},
    {"epsilon": 3.0, "delta": 0.0, "prior": 0.01, "fpr": 0.2, "fnr": 0.3},
    {"claim": GaussianDP(mu=1.0), "delta": 1e-6, "method": "normal", "clip": None},
    {
        "claim": LaplaceMechanism(epsilon=2.0, adjacency="add_remove"),
        "overlays": [PureDP(epsilon=np.inf), DiscretePair([0.5, 0.5], [0.25, 0.75])],
        "confidence_level": 0.9,
        "sampling": "fair_coins",
    },
    {"claim": PublicMixture([PureDP(epsilon=1), PureDP(epsilon=2)], weights=[0.5, 0.5])},
]
SOURCES = ["none", "sample", "own"]


@pytest.fixture
def own() -> AttackScores:
    rng = np.random.default_rng(18)
    return AttackScores.from_losses(member=rng.normal(0, 1, 200), nonmember=rng.normal(1, 1, 300))


def run(code: str, **names: Any) -> Explorer:
    namespace: dict[str, Any] = dict(names)
    exec(code, namespace)
    explorer: Explorer = namespace["explorer"]
    return explorer


# All scores with the first choices, then own ones and a sample in turn.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("choices", "source"),
    [*((VIEWS[0], source) for source in SOURCES), *zip(VIEWS[1:], SOURCES[1:] * 2, strict=True)],
)
def test_the_code_and_the_state_of_an_explorer_show_the_same(
    choices: dict[str, Any], source: str, own: AttackScores
) -> None:
    scores = {"none": None, "sample": dpviz.read_sample("overfitted"), "own": own}[source]
    one = explore(scores, **choices)
    given_again = own if scores is own else None
    two = Explorer.from_state(json.dumps(one.state()), given_again)
    three = run(one.code(scores="mine" if scores is own else None), mine=own)
    for other in (two, three):
        assert other.store.spec == one.store.spec
        assert other.state() == one.state()
        assert other.result.sentences == one.result.sentences


def test_from_state_takes_the_scores_as_read_scores_does(own: AttackScores) -> None:
    state = explore(own, epsilon=2.0).state()
    losses = (-own.member, -own.nonmember)
    assert Explorer.from_state(state, losses).state() == state
    with pytest.raises(ValueError, match=r"scores must be 200 members .*, got 2 members and 1 non"):
        Explorer.from_state(state, ([0.1, 0.2], [0.3]))
    with pytest.raises(ValueError, match="got none"):
        Explorer.from_state(state)


def test_own_scores_are_neither_in_the_state_nor_in_the_code(own: AttackScores) -> None:
    explorer = explore(own)
    text = json.dumps(explorer.state())
    assert len(text) < 1000
    assert "scores = ...  # your scores: 200 members, 300 non-members\n" in explorer.code()


def test_a_guarantee_that_only_python_makes_has_no_state() -> None:
    explorer = explore(claim=OneWaySubsampled(base=GaussianDP(mu=1.0), sampling_rate=0.5).inverse())
    for give in (explorer.state, explorer.code):
        with pytest.raises(ValueError, match=r"claim must be of a class .*, got 'Inverse'"):
            give()


def edits(rng: np.random.Generator) -> list[dict[str, Any]]:
    """Fifty changes, each of another field than the one before it."""
    make: dict[str, Callable[[], Any]] = {
        "delta": lambda: float(rng.uniform(0, 0.1)),
        "prior": lambda: float(rng.uniform(0.1, 0.9)),
        "fpr": lambda: float(rng.uniform()),
        "fnr": lambda: float(rng.uniform()),
        "confidence_level": lambda: float(rng.uniform(0.5, 0.99)),
        "claim": lambda: ApproximateDP(epsilon=rng.uniform(0, 5), delta=rng.uniform(0, 0.1)),
        "overlays": lambda: [PureDP(epsilon=rng.uniform(0, 5))],
    }
    names = list(make)
    chosen = [0]
    while len(chosen) < 50:
        chosen.append((chosen[-1] + int(rng.integers(1, len(names)))) % len(names))
    return [{names[i]: make[names[i]]()} for i in chosen]


@pytest.mark.slow
def test_fifty_edits_are_taken_back_and_done_again() -> None:
    explorer = explore(dpviz.read_sample("overfitted"))
    states = [explorer.state()]
    for edit in edits(np.random.default_rng(20)):
        explorer.store.update(**edit)
        states.append(explorer.state())
    for state in states[-2::-1]:
        explorer.undo()
        assert explorer.state() == state
    assert explorer.store.spec == Spec(tested=False)
    assert not explorer.store.can_undo
    for state in states[1:]:
        explorer.redo()
        assert explorer.state() == state
    explorer.reset()
    assert explorer.state() == states[0]
    explorer.undo()
    assert explorer.state() == states[-1]
    assert [getattr(explorer, name) for name in ("prior", "fpr")] == [
        states[-1]["spec"][name] for name in ("prior", "fpr")
    ]


def test_fifty_edits_of_one_field_with_pauses() -> None:
    moments = iter(range(0, 1000, 2))
    store = Store(clock=lambda: float(next(moments)))
    first = store.spec
    for epsilon in np.linspace(2, 5, 50):
        store.update(epsilon=epsilon)
    last = store.spec
    for _ in range(50):
        store.undo()
    assert store.spec == first
    for _ in range(50):
        store.redo()
    assert store.spec == last


def test_undo_goes_back_to_other_scores(own: AttackScores) -> None:
    explorer = explore(own)
    explorer.store.load(dpviz.read_sample("gamma"))
    assert explorer.state()["scores"] == {"sample": "gamma"}
    explorer.undo()
    assert explorer.store.scores is own
    explorer.redo()
    assert explorer.state()["scores"] == {"sample": "gamma"}


def test_a_pinned_curve_stays_when_everything_else_changes() -> None:
    explorer = explore(dpviz.read_sample("overfitted"), claim=GaussianDP(mu=1.0))
    explorer.pin()
    assert explorer.overlays == (GaussianDP(mu=1.0),)
    before = explorer.result.overlays[0].curve.copy()
    for edit in edits(np.random.default_rng(21)):
        if "overlays" not in edit:
            explorer.store.update(**edit)
            np.testing.assert_array_equal(explorer.result.overlays[0].curve, before)
    assert explorer.claim != GaussianDP(mu=1.0)


def test_pinning_twice_or_too_often_says_so() -> None:
    explorer = explore()
    explorer.pin()
    message = "claim must be different from all pinned claims, got Approx"
    with pytest.raises(ValueError, match=message):
        explorer.pin()
    for epsilon in range(2, 7):
        explorer.epsilon = float(epsilon)
        explorer.pin()
    explorer.epsilon = 7.0
    with pytest.raises(ValueError, match="overlays must be at most 6 trade-off functions, got 7"):
        explorer.pin()
    assert len(explorer.overlays) == 6
    explorer.undo()
    explorer.undo()
    assert len(explorer.overlays) == 5


def audited(explorer: Explorer) -> tuple[AuditPart, EpsilonBound]:
    """The audit of an explorer, computed now, and its bound."""
    explorer.store.prepare_audit(explorer.store.spec)
    explorer.store.refresh()
    sample = explorer.result.sample
    assert sample is not None
    assert sample.audit.bound is not None
    return sample.audit, sample.audit.bound


def test_a_result_of_the_default_has_no_seed() -> None:
    explorer = explore(dpviz.read_sample("overfitted"), epsilon=1.0, delta=1e-5)
    _, bound = audited(explorer)
    assert (bound.method, bound.seed, bound.seed_spread) == ("rank_exact", None, 0.0)
    for name in ("bound", "ceiling", "against"):
        assert "seed" not in explorer.result.sentences[name]
        assert "simulat" not in explorer.result.sentences[name]
