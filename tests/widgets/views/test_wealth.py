"""The picture of a test while records arrive: what is drawn, and what its sentence says."""

import bqplot
import numpy as np
import pytest

from dpviz import audit, theory
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


def test_what_is_not_contradicted_is_not_confirmed() -> None:
    stream = audit.Stream(CLAIM)
    stream.update(**records(np.random.default_rng(3), 0.0, 50))
    view = WealthView(stream)
    assert "is not contradicted, which does not confirm it" in view.sentence
    # The stake is on the line, too, and all that came after it is less.
    assert max(lines(view)[1][:, 1]) == 1
    assert view.sentence.endswith("Largest capital after 50 pairs: 1 times the stake.")


def test_bad_input_is_named() -> None:
    with pytest.raises(TypeError, match="test must be a Stream or Checkpoints, got int"):
        WealthView(1)  # type: ignore[arg-type]
    for empty in (audit.Stream(CLAIM), audit.evidence.Checkpoints(CLAIM)):
        message = "test must be a test that has seen at least one record"
        with pytest.raises(ValueError, match=message):
            WealthView(empty)
