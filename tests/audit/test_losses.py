"""Losses from predictions: closed forms, saturation, and what is refused."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.audit import losses_from_logits, losses_from_probabilities

dyadic = st.integers(1, 1023).map(lambda k: k / 1024)  # 1 - p is exact


@given(p=dyadic, label=st.sampled_from([0, 1]))
def test_binary_and_two_class_agree(p: float, label: int) -> None:
    own = p if label == 1 else 1 - p
    expected = math.log1p(-own) - math.log(own)
    binary = losses_from_probabilities([p], [label])[0]
    two_class = losses_from_probabilities([[1 - p, p]], [label])[0]
    assert binary == pytest.approx(expected, rel=1e-12, abs=1e-15)
    assert two_class == binary
    logit = math.log(p) - math.log1p(-p)
    assert losses_from_logits([logit], [label])[0] == pytest.approx(expected, abs=1e-12)
    assert losses_from_logits([[0.0, logit]], [label])[0] == pytest.approx(expected, abs=1e-12)


def test_multi_class_is_own_against_the_sum_of_the_others() -> None:
    logits = np.random.default_rng(0).normal(0, 3, (200, 5))
    labels = np.arange(200) % 5
    powers = np.exp(logits)
    own = powers[np.arange(200), labels]
    expected = np.log((powers.sum(axis=1) - own) / own)
    np.testing.assert_allclose(losses_from_logits(logits, labels), expected, rtol=0, atol=1e-10)
    shares = powers / powers.sum(axis=1, keepdims=True)
    found = losses_from_probabilities(shares, labels)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


def test_confident_rows_keep_their_digits() -> None:
    # p_y = 1 - 1e-20 rounds to 1; the other class still knows.
    assert losses_from_probabilities([[1.0, 1e-20]], [0])[0] == pytest.approx(math.log(1e-20))
    assert losses_from_probabilities([1e-20], [0])[0] == pytest.approx(math.log(1e-20))


def test_certainty_is_infinite_until_clipped() -> None:
    assert losses_from_probabilities([1.0, 1.0, 0.0, 0.0], [1, 0, 1, 0]).tolist() == [
        -math.inf,
        math.inf,
        math.inf,
        -math.inf,
    ]
    rows = [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    assert losses_from_probabilities(rows, [0, 1]).tolist() == [-math.inf, math.inf]


@pytest.mark.parametrize("clip", [2.0**-24, 2.0**-53, 0.01])
def test_logit_clip_bounds_losses_and_moves_nothing_else(clip: float) -> None:
    bound = math.log1p(-clip) - math.log(clip)
    binary = losses_from_probabilities([1.0, 0.0, 0.3], [1, 1, 1], logit_clip=clip)
    rows = [[0.0, 1.0], [1.0, 0.0], [0.7, 0.3]]
    two_class = losses_from_probabilities(rows, [1, 1, 1], logit_clip=clip)
    expected = [-bound, bound, math.log(7 / 3)]
    np.testing.assert_allclose(binary, expected, rtol=1e-12)
    np.testing.assert_allclose(two_class, expected, rtol=1e-12)


def test_huge_logits_stay_exact() -> None:
    assert losses_from_logits([800.0, 800.0, -800.0], [1, 0, 1]).tolist() == [-800, 800, 800]
    rows = [[800.0, -800.0, 0.0], [800.0, -800.0, 0.0], [-800.0, -800.0, 800.0]]
    found = losses_from_logits(rows, [0, 1, 0])
    np.testing.assert_allclose(found, [-800, 1600, 1600], rtol=1e-15)


def test_infinite_logits_are_certain_or_refused() -> None:
    rows = [[math.inf, 0.0, 0.0], [math.inf, 0.0, 0.0], [-math.inf, 0.0, 0.0]]
    assert losses_from_logits(rows, [0, 1, 0]).tolist() == [-math.inf, math.inf, math.inf]
    with pytest.raises(ValueError, match="logits"):  # two certain classes: no loss is right
        losses_from_logits([[math.inf, math.inf, 0.0]], [0])


def test_labels_may_be_truth_values() -> None:
    found = losses_from_probabilities([0.25, 0.25], [True, False])
    np.testing.assert_allclose(found, [math.log(3), -math.log(3)], rtol=1e-14)


@pytest.mark.parametrize("total", [0.9, 1 + 2e-6, 1 - 2e-6])
def test_rows_must_sum_to_one(total: float) -> None:
    rows = [[0.5, 0.5], [0.5, total - 0.5]]
    with pytest.raises(ValueError, match=r"row 1.* sums to 1, got "):
        losses_from_probabilities(rows, [0, 0])
    losses_from_probabilities([[0.5, 0.5 + 5e-7]], [0])


BAD_PROBABILITIES = [
    ([1.5], [1], r"probabilities must be in \[0, 1\], got 1.5"),
    ([-0.1], [1], r"probabilities must be in \[0, 1\], got -0.1"),
    ([math.nan], [1], r"probabilities must be in \[0, 1\], got nan"),
    (["a"], [1], "probabilities must be numbers, got 'a'"),
    ([[[0.5]]], [1], r"probabilities must be one- or two-dimensional, got \(1, 1, 1\)"),
    (0.5, 1, r"probabilities must be one- or two-dimensional, got \(\)"),
]
BAD_LABELS = [
    ([2], r"labels must be in \[0, 1\], got 2.0"),
    ([-1], r"labels must be in \[0, 1\], got -1.0"),
    ([0.5], "labels must be whole numbers, got 0.5"),
    ([math.nan], r"labels must be in \[0, 1\], got nan"),
    ([0, 1], r"labels must be of shape \(1,\), got \(2,\)"),
    (["1"], "labels must be numbers, got '1'"),
    (["cat"], "labels must be numbers, got 'cat'"),
    ([None], "labels must be numbers, got None"),
]


@pytest.mark.parametrize(("probabilities", "labels", "message"), BAD_PROBABILITIES)
def test_illegal_probabilities_are_named(
    probabilities: object, labels: object, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        losses_from_probabilities(probabilities, labels)


@pytest.mark.parametrize(("labels", "message"), BAD_LABELS)
def test_illegal_labels_are_named(labels: object, message: str) -> None:
    for convert in (losses_from_probabilities, losses_from_logits):
        for predictions in ([0.5], [[0.5, 0.5]]):
            with pytest.raises(ValueError, match=message):
                convert(predictions, labels)


@pytest.mark.parametrize("clip", [0.0, 0.5, -1.0, math.nan, "0.1", True])
def test_an_illegal_logit_clip_is_named(clip: object) -> None:
    with pytest.raises(ValueError, match=r"^logit_clip must be"):
        losses_from_probabilities([0.5], [1], logit_clip=clip)


def test_illegal_logits_are_named() -> None:
    with pytest.raises(ValueError, match=r"logits must be .*got nan"):
        losses_from_logits([math.nan], [1])
    with pytest.raises(ValueError, match="logits must be one- or two-dimensional"):
        losses_from_logits([[[0.0]]], [0])
    with pytest.raises(ValueError, match=r"labels must be in \[0, 2\], got 3.0"):
        losses_from_logits([[0.0, 1.0, 2.0]], [3])
