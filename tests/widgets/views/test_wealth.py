"""The picture of a test while records arrive: what is drawn, and what its sentence says."""

from typing import Any

import bqplot
import numpy as np
import pytest

import dpviz
from dpviz import audit, theory
from dpviz.analysis.topics.claim import short_name
from dpviz.widgets import WealthView

CLAIM = theory.PureDP(epsilon=1.0)


def records(rng: np.random.Generator, leak: float, n: int) -> dict[str, np.ndarray]:
    return {"member": rng.normal(leak, 1, n), "nonmember": rng.normal(0, 1, n)}


def lines(view: WealthView) -> list[np.ndarray]:
    marks = [mark for mark in view.frame.figure.marks if isinstance(mark, bqplot.Lines)]
    return [np.column_stack([mark.x, mark.y]) for mark in marks]


def test_a_stream_is_its_capital_after_each_look_and_a_line_at_its_goal() -> None:
    stream, rng = audit.Stream(CLAIM, confidence_level=0.9), np.random.default_rng(1)
    for _ in range(8):
        stream.update(**records(rng, 2.0, 20))
    view = WealthView(stream)
    goal, capital = lines(view)
    assert goal[:, 1] == pytest.approx([10, 10])
    assert capital[0].tolist() == [0, 1]
    assert capital[1:].tolist() == [[look.pairs, look.wealth] for look in stream.history]
    assert view.frame.y.low <= capital[:, 1].min() < goal[0, 1] < view.frame.y.high
    assert view.sentence.startswith(
        "The claim pure DP ε = 1 is contradicted (90 % confidence, however often one looks). "
        "Largest capital after 160 pairs: "
    )
    assert "contradicted from 10 on" in view.svg()


def test_checkpoints_share_one_line() -> None:
    test, rng = audit.evidence.Checkpoints(CLAIM), np.random.default_rng(2)
    for epoch, leak in enumerate((0.0, 0.0, 3.0)):
        test.update(f"<b>{epoch}</b>", **records(rng, leak, 300))
    view = WealthView(test)
    goal, capital = lines(view)
    # The k-th reaches the line exactly if its own stream reaches 20 k (k + 1).
    shares = np.array([1 / 2, 1 / 6, 1 / 12])
    largest = [max(look.wealth for look in each.history) for each in test.streams.values()]
    assert capital[:, 1] == pytest.approx(np.maximum(largest, 1) * shares)
    assert (capital[:, 1] >= goal[0, 1]).tolist() == [False, False, True]
    assert view.sentence.endswith(" Contradicted at 1 of 3 checkpoints: <b>2</b>.")
    assert capital[:, 0].tolist() == list(view.frame.x.ticks)
    assert list(view.frame.x.ticks.values()) == ["<b>0</b>", "<b>1</b>", "<b>2</b>"]
    assert "&lt;b&gt;1&lt;/b&gt;" in view.svg()


def test_names_of_many_checkpoints_do_not_cover_each_other() -> None:
    """On an axis of 400 pixels, with letters of 7."""
    test, rng = audit.evidence.Checkpoints(CLAIM), np.random.default_rng(2)
    for epoch in range(40):
        test.update(f"epoch {epoch} of the second training", **records(rng, 3.0, 30))
    view = WealthView(test)
    places, names = [*view.frame.x.ticks], [*view.frame.x.ticks.values()]
    assert min(np.diff(places)) * 400 / 40 >= 7 * max(map(len, names))
    assert view.sentence.endswith(
        ": epoch 0 of the second training, epoch 2 of the second training."
    )


def canary_test(claimed: float = 1.0) -> audit.evidence.CanaryCheckpoints:
    plan = dpviz.canaries(n=300, among=range(1000), seed=10**40)
    claim = theory.ApproximateDP(claimed, 1e-6, adjacency="add_remove")
    return audit.evidence.CanaryCheckpoints(plan, claim, planned=3)


def train(test: audit.evidence.CanaryCheckpoints, epoch: int) -> None:
    rng, members = np.random.default_rng([1, epoch]), set(test.plan.members())
    leak = 3.0 * (epoch == 3)
    test.update(
        f"epoch {epoch}", {i: rng.normal(leak * (i in members)) for i in test.plan.canaries}
    )


def test_canaries_at_checkpoints_are_bounds_and_the_claimed_epsilon() -> None:
    test = canary_test()
    for epoch in (1, 2, 3):
        train(test, epoch)
    view = WealthView(test)
    claimed, lows = lines(view)
    assert claimed[:, 1].tolist() == [1, 1]
    expected = []
    for epoch in (1, 2, 3):
        # Each checkpoint alone, at a third of the error probability.
        again = canary_test()
        train(again, epoch)
        (alone,) = again.tests.values()
        assert alone.confidence_level == pytest.approx(1 - 0.05 / 3)
        expected.append(alone.bound.low if alone.bound else None)
    assert lows[:, 1].tolist() == expected
    assert (lows[:, 1] > 1).tolist() == [False, False, True]
    assert view.frame.y.low == 0
    assert view.frame.y.high > lows[:, 1].max()
    assert view.sentence.startswith(
        "The claim DP ε = 1, δ = 1e-6 (add/remove) is contradicted (95 % confidence, however often "
        "one looks). Contradicted at 1 of 3 checkpoints: epoch 3. Largest lower bound: ε ≥ "
    )
    assert view.sentence.endswith(" at δ = 1e-6.")
    assert "lower bound on ε at each checkpoint" in view.svg()
    assert "claimed ε: contradicted above" in view.svg()
    infinite = canary_test(np.inf)
    train(infinite, 1)
    assert len(lines(WealthView(infinite))) == 1  # no line of the claim


@pytest.mark.parametrize("kind", ["stream", "checkpoints", "canaries"])
def test_a_picture_that_is_updated_is_as_if_it_were_new(kind: str) -> None:
    rng = np.random.default_rng(4)
    tests = {"stream": audit.Stream(CLAIM), "checkpoints": audit.evidence.Checkpoints(CLAIM)}
    test: Any = tests.get(kind) or canary_test()

    def more(k: int) -> None:
        if kind == "stream":
            test.update(**records(rng, 2.0, 30))
        elif kind == "checkpoints":
            test.update(f"epoch {k}", **records(rng, float(k), 100))
        else:
            train(test, k)

    view = WealthView(test)
    assert view.sentence == f"The claim {short_name(test.claim)} has not been tested yet."
    more(1)
    view.update()
    figure, first = view.frame.figure, [*view.frame.figure.marks]
    for k in (2, 3):
        more(k)
        view.update()
    new = WealthView(test)
    assert view.frame.figure is figure
    assert view.sentence == new.sentence
    assert view.svg("a") == new.svg("a")
    assert [new.sentence in child.value for child in view.children[-2:-1]] == [True]
    for one, other in zip(lines(view), lines(new), strict=True):
        np.testing.assert_array_equal(one, other)
    assert view.frame.legend_html() == new.frame.legend_html()
    for name in ("x", "y"):
        one, other = getattr(view.frame, name), getattr(new.frame, name)
        assert (one.low, one.high, one.ticks) == (other.low, other.high, other.ticks)
    # Browsers forget the marks that are no longer shown.
    assert not {*first} & {*figure.marks}
    assert all(mark.comm is None for mark in first)


def test_what_is_not_contradicted_is_not_confirmed() -> None:
    stream = audit.Stream(CLAIM)
    stream.update(**records(np.random.default_rng(3), 0.0, 50))
    view = WealthView(stream)
    assert "is not contradicted, which does not confirm it" in view.sentence
    # The stake is on the line, too, and all that came after it is less.
    assert max(lines(view)[1][:, 1]) == 1
    assert view.sentence.endswith("Largest capital after 50 pairs: 1 times the stake.")


def test_bad_input_is_named() -> None:
    with pytest.raises(TypeError, match=r"test must be a Stream, .* or CanaryCheckpoints, got int"):
        WealthView(1)  # type: ignore[arg-type]
