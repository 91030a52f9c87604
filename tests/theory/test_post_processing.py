"""Post-processing only raises the curve, and what it merges is merged exactly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dpviz.theory import DiscretePair, RandomizedResponse

RATES = np.linspace(0, 1, 101)
WEIGHTS = st.floats(0.01, 1)


@given(
    pair=arrays(float, (2, 5), elements=WEIGHTS),
    channel=arrays(float, (5, 3), elements=st.floats(0, 1)),
    error=st.sampled_from([0.0, 1e-3]),
)
def test_the_curve_never_falls(pair: np.ndarray, channel: np.ndarray, error: float) -> None:
    p, q = pair / pair.sum(axis=1, keepdims=True)
    channel = (channel + 1e-3) / (channel + 1e-3).sum(axis=1, keepdims=True)
    before = DiscretePair(p, q, adjacency="add_remove", error=error)
    after = before.through(channel)
    assert (after.beta(RATES) >= before.beta(RATES) - 1e-12).all()
    assert (after.adjacency, after.error) == ("add_remove", error)


def test_relabelling_changes_nothing() -> None:
    pair = DiscretePair([0.7, 0.2, 0.1], [0.1, 0.2, 0.7])
    turned = pair.through(np.eye(3)[[2, 0, 1]])
    assert turned.beta(RATES) == pytest.approx(pair.beta(RATES), abs=1e-15)


def test_one_output_for_all_tells_nothing() -> None:
    blind = DiscretePair([0.7, 0.3], [0.1, 0.9]).through([[1], [1]])
    assert blind.beta(RATES) == pytest.approx(1 - RATES)


def test_a_noisy_channel_after_a_noisy_answer() -> None:
    """Two flips with probability 1/4 each are one with probability 3/8: e^epsilon = 5/3."""
    once = DiscretePair([0.75, 0.25], [0.25, 0.75])
    twice = once.through([[0.75, 0.25], [0.25, 0.75]])
    answer = RandomizedResponse(epsilon=np.log(5 / 3))
    assert twice.beta(RATES) == pytest.approx(answer.beta(RATES), abs=1e-15)


@pytest.mark.parametrize(
    ("channel", "message"),
    [
        ([[1, 0]], r"channel must be a table with 2 rows, one per output, got \(1, 2\)"),
        ([1, 0], r"channel must be a table with 2 rows, one per output, got \(2,\)"),
        ([[1, 0], [1, 0.1]], "row 1 of channel must be probabilities that sum to 1, got 1.1"),
        ([[1, 0], [-1, 2]], r"row 1 of channel must be in \[0, 1\], got -1.0"),
        ([[1, 0], [float("nan"), 1]], "row 1 of channel"),
    ],
)
def test_what_is_no_channel(channel: list, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DiscretePair([0.5, 0.5], [0.5, 0.5]).through(channel)
