"""Losses of tokens into losses of sequences: brute force, layouts, and what is refused."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.audit import sequence_losses

tokens = st.floats(0, 30)
sequences = st.lists(st.lists(tokens, min_size=1, max_size=12), min_size=1, max_size=8)


def averaged(losses: list[float], n: int) -> float:
    """Mean of the n largest."""
    return math.fsum(sorted(losses, reverse=True)[:n]) / n


@given(token_losses=sequences, percent=st.integers(1, 100))
def test_each_sequence_by_itself(token_losses: list[list[float]], percent: int) -> None:
    kept = [max(1, percent * len(losses) // 100) for losses in token_losses]
    expected = {
        "sum": [math.fsum(losses) for losses in token_losses],
        "mean": [averaged(losses, len(losses)) for losses in token_losses],
        "min_k": [averaged(losses, n) for losses, n in zip(token_losses, kept, strict=True)],
    }
    for how, values in expected.items():
        found = sequence_losses(token_losses, how=how, share=percent / 100)
        assert found.dtype == np.float64
        np.testing.assert_allclose(found, values, rtol=1e-14, atol=0)


@given(token_losses=sequences, data=st.data())
def test_a_mask_leaves_padding_out(token_losses: list[list[float]], data: st.DataObject) -> None:
    longest = max(map(len, token_losses))
    padded = np.full((len(token_losses), longest + 1), np.nan)
    mask = np.zeros(padded.shape, dtype=np.int64)
    for i, losses in enumerate(token_losses):
        start = data.draw(st.integers(0, longest + 1 - len(losses)))  # left, right or both sides
        padded[i, start : start + len(losses)] = losses
        mask[i, start : start + len(losses)] = 1
    for how in ("mean", "sum", "min_k"):
        expected = sequence_losses(token_losses, how=how).tolist()
        assert sequence_losses(padded, how=how, mask=mask).tolist() == expected
        assert sequence_losses(padded, how=how, mask=mask == 1).tolist() == expected
        assert sequence_losses(list(padded), how=how, mask=list(mask)).tolist() == expected


def test_share_is_rounded_down_as_decimals_are() -> None:
    lengths = range(1, 130)
    token_losses = [np.arange(n, dtype=float) for n in lengths]
    for percent in range(1, 101):  # in floats 0.29 * 100 < 29
        kept = [max(1, math.floor(Fraction(percent, 100) * n)) for n in lengths]
        expected = [n - 1 - (k - 1) / 2 for n, k in zip(lengths, kept, strict=True)]
        found = sequence_losses(token_losses, how="min_k", share=percent / 100)
        assert found.tolist() == expected


def test_layouts() -> None:
    expected = [2.0, 1.5]
    ragged = [[1.0, 3.0], [1.0, 2.0, 1.5]]
    for token_losses in (
        ragged,
        tuple(ragged),
        [np.array(losses, dtype=np.float32) for losses in ragged],
        pd.Series(ragged),
        np.array([np.array(losses) for losses in ragged], dtype=object),
    ):
        assert sequence_losses(token_losses).tolist() == expected
    assert sequence_losses(pd.DataFrame([[1.0, 3.0], [1.0, 2.0]])).tolist() == expected
    masked = sequence_losses(ragged, mask=[[1, 0], np.array([True, False, False])])
    assert masked.tolist() == [1.0, 1.0]


NAN, INF = math.nan, math.inf
REFUSED = [
    ([], {}, "token_losses must not be empty, got 0 sequences"),
    ([[1.0], [], []], {}, "got none in 2 of 3, the first of them sequence 1"),
    ([[1.0], [2.0]], {"mask": [[1], [0]]}, "got none in 1 of 2, the first of them sequence 1"),
    (np.empty((2, 0)), {}, "got none in 2 of 2, the first of them sequence 0"),
    (
        [[1.0], [2.0, NAN, NAN]],
        {},
        r"token_losses\[1\]\[1\] must be finite.*\(2 are not\), got nan",
    ),
    ([[1.0, INF]], {}, r"token_losses\[0\]\[1\] must be finite.*, got inf"),
    ([[NAN, 1.0, NAN]], {"mask": [[0, 1, 1]]}, r"token_losses\[0\]\[2\] must be finite.*got nan"),
    ([1.0, 2.0], {}, r"token_losses\[0\] must be one-dimensional, got \(\)"),
    ([[[1.0]]], {}, r"token_losses\[0\] must be one-dimensional, got \(1, 1\)"),
    (np.ones(3), {}, r"token_losses must be two-dimensional or a list .*, got \(3,\)"),
    (np.ones((1, 2, 3)), {}, r"token_losses must be two-dimensional or a list .*, got \(1, 2, 3\)"),
    ([["a"]], {}, r"token_losses\[0\] must be numbers, got 'a'"),
    (np.ones((2, 7)), {"mask": np.ones((2, 8))}, r"mask\[0\] must be of 7 tokens, got 8"),
    (np.ones((2, 7)), {"mask": np.ones((3, 7))}, "mask must be of 2 sequences, got 3"),
    ([[1.0], [2.0]], {"mask": [[1], [1, 1]]}, r"mask\[1\] must be of 1 tokens, got 2"),
    ([[1.0]], {"mask": [[0.5]]}, r"mask\[0\] must be true/false or 1/0, got 0.5"),
    (np.ones((1, 1)), {"mask": np.full((1, 1), NAN)}, "mask must be true/false or 1/0, got nan"),
    ([[1.0]], {"how": "median"}, "how must be one of 'mean', 'sum', 'min_k', got 'median'"),
    ([[1.0]], {"share": 0.0}, r"share must be in \(0, 1\], got 0.0"),
    ([[1.0]], {"share": 1.5}, r"share must be in \(0, 1\], got 1.5"),
    ([[1.0]], {"share": NAN}, r"share must be in \(0, 1\], got nan"),
]


@pytest.mark.parametrize(("token_losses", "options", "message"), REFUSED)
def test_what_is_refused_is_named(
    token_losses: object, options: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        sequence_losses(token_losses, **options)
