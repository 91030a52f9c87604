"""Losses of predictions, of sequences and of users: closed forms, brute force, refusals."""

import math
import statistics
from fractions import Fraction

import mpmath
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from dpviz.audit import (
    AttackScores,
    losses_from_logits,
    losses_from_probabilities,
    lower_bound,
    sequence_losses,
)
from dpviz.audit.scores.losses import USER_STATISTICS, per_user

dyadic = st.integers(1, 1023).map(lambda k: k / 1024)  # 1 - p is exact


def exactly(own: float | Fraction, other: float | Fraction) -> float:
    """log(other / own), rounded once."""
    odds = Fraction(other) / Fraction(own)
    with mpmath.workprec(200):
        return float(mpmath.log(mpmath.mpf(odds.numerator) / odds.denominator))


def minus_logit_of(row: list[float], label: int) -> float:
    """The loss of logits, rounded once."""
    others = row[:label] + row[label + 1 :]
    with mpmath.workprec(200):
        gaps = (mpmath.mpf(z) - mpmath.mpf(row[label]) for z in others)
        return float(mpmath.log(sum(map(mpmath.exp, gaps))))


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
    with pytest.warns(UserWarning, match="moved 2 of 3; those") as warned:
        binary = losses_from_probabilities([1.0, 0.0, 0.3], [1, 1, 1], logit_clip=clip)
    assert [warning.filename for warning in warned] == [__file__]
    rows = [[0.0, 1.0], [1.0, 0.0], [0.7, 0.3]]
    with pytest.warns(UserWarning, match=f"logit_clip={clip:.3g} moved 2 of 3"):
        two_class = losses_from_probabilities(rows, [1, 1, 1], logit_clip=clip)
    expected = [-bound, bound, math.log(7 / 3)]
    np.testing.assert_allclose(binary, expected, rtol=1e-12)
    np.testing.assert_allclose(two_class, expected, rtol=1e-12)


@pytest.mark.parametrize("clip", [2.0**-24, 2.0**-53, 0.25])
def test_what_logit_clip_leaves_is_not_counted(clip: float) -> None:
    rows = [[clip, 1 - clip], [1 - clip, clip], [0.5, 0.5]]  # a warning would be an error
    for labels in ([0, 0, 0], [1, 1, 1]):
        clipped = losses_from_probabilities(rows, labels, logit_clip=clip)
        assert clipped.tolist() == losses_from_probabilities(rows, labels).tolist()


@given(p=st.floats(0, 1, exclude_min=True, exclude_max=True), label=st.sampled_from([0, 1]))
@example(p=5e-324, label=1)
@example(p=1 - 2.0**-53, label=1)
def test_a_probability_loses_nothing(p: float, label: int) -> None:
    own = Fraction(p) if label == 1 else 1 - Fraction(p)
    expected = exactly(own, 1 - own)
    found = losses_from_probabilities([p], [label])[0]
    assert found == pytest.approx(expected, rel=1e-15, abs=1e-15)
    bound = math.log1p(-(2.0**-24)) - math.log(2.0**-24)
    if abs(expected) < bound:
        assert losses_from_probabilities([p], [label], logit_clip=2.0**-24)[0] == found


@given(
    p=st.floats(0, 1, exclude_min=True, exclude_max=True, width=32),
    label=st.sampled_from([0, 1]),
)
def test_single_precision_is_read_as_it_is(p: float, label: int) -> None:
    own = Fraction(p) if label == 1 else 1 - Fraction(p)
    found = losses_from_probabilities(np.array([p], np.float32), [label])[0]
    assert found == pytest.approx(exactly(own, 1 - own), rel=1e-15, abs=1e-15)


def test_rows_of_single_precision_keep_the_digits_of_the_other_classes() -> None:
    logits = np.random.default_rng(3).normal(0, 12, (300, 7)).astype(np.float32)
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    rows = powers / powers.sum(axis=1, keepdims=True)
    assert rows.dtype == np.float32
    assert (rows.max(axis=1) == 1).sum() > 20  # 1 - p_y has no digit left there
    labels = rows.argmax(axis=1)
    exact = [[Fraction(float(p)) for p in row] for row in rows]
    expected = [
        exactly(row[y], sum(row) - row[y]) for row, y in zip(exact, labels.tolist(), strict=True)
    ]
    found = losses_from_probabilities(rows, labels)
    np.testing.assert_allclose(found, expected, rtol=2e-15, atol=2e-15)


@given(z=st.lists(st.floats(-350, 350), min_size=2, max_size=6), data=st.data())
def test_probabilities_and_logits_agree(z: list[float], data: st.DataObject) -> None:
    label = data.draw(st.integers(0, len(z) - 1))
    powers = [mpmath.exp(mpmath.mpf(x) - max(z)) for x in z]
    row = [float(power / sum(powers)) for power in powers]
    others = max(row[:label] + row[label + 1 :])
    assume(min(row[label], others) > 1e-300)  # below it floats have fewer digits
    found = losses_from_probabilities([row], [label])[0]
    expected = losses_from_logits([z], [label])[0]
    assert found == pytest.approx(expected, rel=1e-14, abs=1e-14)


@given(z=st.floats(-700, 0), label=st.sampled_from([0, 1]))
def test_a_sigmoid_and_its_logit_agree(z: float, label: int) -> None:
    p = float(1 / (1 + mpmath.exp(-mpmath.mpf(z))))
    found = losses_from_probabilities([p], [label])[0]
    assert found == pytest.approx(losses_from_logits([z], [label])[0], rel=1e-14, abs=1e-14)


@given(
    z=st.lists(st.floats(-1e4, 1e4), min_size=2, max_size=6),
    common=st.sampled_from([0.0, 1e8, -1e12]),
    data=st.data(),
)
def test_what_logits_have_in_common_drops_out(
    z: list[float], common: float, data: st.DataObject
) -> None:
    row = [common + x for x in z]
    label = data.draw(st.integers(0, len(z) - 1))
    expected = minus_logit_of(row, label)
    assert losses_from_logits([row], [label])[0] == pytest.approx(expected, rel=1e-14, abs=1e-14)


def test_logits_at_the_end_of_the_floats() -> None:
    found = losses_from_logits([[1e308, 0.0], [1e300, -1e300], [1e308, -1e308]], [0, 1, 1])
    assert found.tolist() == [-1e308, 2e300, math.inf]
    assert losses_from_logits(np.array([3e38, -3e38], np.float32), [0, 0]).tolist() == [
        float(np.float32(3e38)),
        -float(np.float32(3e38)),
    ]


class Tensor:
    """What other libraries give: not an array, but turns into one."""

    def __init__(self, values: object) -> None:
        self._values = values

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return np.array(self._values, dtype=np.float32 if dtype is None else dtype)


@pytest.mark.parametrize("give", [Tensor, pd.Series, tuple])
def test_any_kind_of_array_is_taken(give: type) -> None:
    expected = [-math.log(3), -math.log(3)]
    assert losses_from_probabilities(give([0.75, 0.25]), give([1, 0])) == pytest.approx(expected)
    assert losses_from_logits(give([0.5, -2.0]), give([1, 0])).tolist() == [-0.5, -2.0]


def test_a_data_frame_is_taken() -> None:
    rows = pd.DataFrame({"cat": [0.75, 0.25], "dog": [0.25, 0.75]}, index=[7, 3])
    found = losses_from_probabilities(rows, pd.Series([0, 0], index=[3, 7], dtype="Int64"))
    assert found == pytest.approx([-math.log(3), math.log(3)])


def test_a_single_column_is_refused() -> None:
    for convert, name in (
        (losses_from_probabilities, "probabilities"),
        (losses_from_logits, "logits"),
    ):
        with pytest.raises(ValueError, match=rf"{name} must be .* got \(3, 1\)"):
            convert([[1.0], [1.0], [1.0]], [0, 0, 0])


def test_huge_logits_stay_exact() -> None:
    assert losses_from_logits([800.0, 800.0, -800.0], [1, 0, 1]).tolist() == [-800, 800, 800]
    rows = [[800.0, -800.0, 0.0], [800.0, -800.0, 0.0], [-800.0, -800.0, 800.0]]
    found = losses_from_logits(rows, [0, 1, 0])
    np.testing.assert_allclose(found, [-800, 1600, 1600], rtol=1e-15)


def test_infinite_logits_are_certain_or_refused() -> None:
    rows = [[math.inf, 0.0, 0.0], [math.inf, 0.0, 0.0], [-math.inf, 0.0, 0.0]]
    assert losses_from_logits(rows, [0, 1, 0]).tolist() == [-math.inf, math.inf, math.inf]
    # Two certain classes, or none that is possible: no loss is right.
    for row in ([math.inf, math.inf, 0.0], [-math.inf] * 3):
        with pytest.raises(
            ValueError, match="row 0, must be finite, or infinite with a single largest value"
        ):
            losses_from_logits([row], [0])


def test_labels_may_be_truth_values() -> None:
    found = losses_from_probabilities([0.25, 0.25], [True, False])
    np.testing.assert_allclose(found, [math.log(3), -math.log(3)], rtol=1e-14)


@pytest.mark.parametrize("total", [0.9, 1 + 2e-6, 1 - 2e-6])
def test_rows_must_sum_to_one(total: float) -> None:
    rows = [[0.5, 0.5], [0.5, total - 0.5]]
    with pytest.raises(
        ValueError, match=r"row 1.* sum to 1 within 1e-06, got .*; losses_from_logits takes logits"
    ):
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
    ([[1.0], [], []], {}, "got none in 2 of 3 sequences, the first is token_losses.1."),
    (
        [[1.0], [2.0]],
        {"mask": [[1], [0]]},
        "got none in 1 of 2 sequences, the first is token_losses.1.",
    ),
    (np.empty((2, 0)), {}, "got none in 2 of 2 sequences, the first is token_losses.0."),
    (
        [[1.0], [2.0, NAN, NAN]],
        {},
        r"token_losses\[1\]\[1\] must be finite.*\(losses of 2 tokens are not\), got nan",
    ),
    ([[1.0, INF]], {}, r"token_losses\[0\]\[1\] must be finite.*, got inf"),
    ([[NAN, 1.0, NAN]], {"mask": [[0, 1, 1]]}, r"token_losses\[0\]\[2\] must be finite.*got nan"),
    ([1.0, 2.0], {}, r"token_losses\[0\] must be one-dimensional, of shape \(n,\), got \(\)"),
    ([[[1.0]]], {}, r"token_losses\[0\] must be one-dimensional, of shape \(n,\), got \(1, 1\)"),
    (np.ones(3), {}, r"token_losses must be a matrix or a list .*, got \(3,\)"),
    (np.ones((1, 2, 3)), {}, r"token_losses must be a matrix or a list .*, got \(1, 2, 3\)"),
    ([["a"]], {}, r"token_losses\[0\] must be numbers, got 'a'"),
    (
        np.ones((2, 7)),
        {"mask": np.ones((2, 8))},
        r"mask\[0\] must be 7 flags, one per token, got 8",
    ),
    (np.ones((2, 7)), {"mask": np.ones((3, 7))}, "mask must be a list of 2 sequences, got 3"),
    ([[1.0], [2.0]], {"mask": [[1], [1, 1]]}, r"mask\[1\] must be 1 flags, one per token, got 2"),
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


SLOW = {"mean": statistics.mean, "max": max, "min": min, "sum": sum, "median": statistics.median}


@pytest.mark.parametrize("how", USER_STATISTICS)
@pytest.mark.parametrize("users_are", ["int", "str", "list of int"])
def test_scores_of_users_agree_with_a_look_at_each(how: str, users_are: str) -> None:
    rng = np.random.default_rng(1)
    n, m = 80, 60
    # Few distinct values, so that ties within a user are the rule.
    member, nonmember = rng.integers(-3, 4, n) / 4, rng.integers(-3, 4, m) / 4
    users = [rng.integers(0, 25, n), rng.integers(100, 120, m)]
    given = {
        "int": users,
        "str": [u.astype(str) for u in users],
        "list of int": [u.tolist() for u in users],
    }[users_are]
    scores = AttackScores(member=member, nonmember=nonmember)
    found = per_user(scores, member_users=given[0], nonmember_users=given[1], how=how)
    for values, names, got in (
        (member, users[0], found.member),
        (nonmember, users[1], found.nonmember),
    ):
        in_order = list(dict.fromkeys(names.tolist()))
        expected = [SLOW[how](values[names == user].tolist()) for user in in_order]
        assert got == pytest.approx(expected, abs=1e-12)
    assert (found.kind, found.groups) == ("score", ())


def test_max_of_losses_is_the_most_member_like_record() -> None:
    losses = AttackScores.from_losses(member=[0.1, 5.0], nonmember=[2.0, 4.0])
    found = per_user(losses, member_users=["a", "a"], nonmember_users=["b", "b"], how="max")
    assert (found.kind, found.member.tolist(), found.nonmember.tolist()) == ("loss", [-0.1], [-2])


def test_the_number_of_records_becomes_that_of_users() -> None:
    # Ten copies of each user's score: as records they would certify too much, unless they are
    # noticed as copies.
    rng = np.random.default_rng(2)
    member, nonmember = rng.normal(1, 1, 40), rng.normal(0, 1, 40)
    copies = AttackScores(member=np.repeat(member, 10), nonmember=np.repeat(nonmember, 10))
    found = per_user(
        copies,
        member_users=np.repeat(np.arange(40), 10),
        nonmember_users=np.repeat(np.arange(40, 80), 10),
    )
    assert (found.n_members, found.n_nonmembers) == (40, 40)
    assert found.member == pytest.approx(member)
    once = lower_bound(AttackScores(member=member, nonmember=nonmember), delta=0.0)
    of_users = lower_bound(per_user(copies, **_repeated(40, 10), how="max"), delta=0.0)
    assert of_users == once
    assert lower_bound(copies, delta=0.0).low == once.low


def _repeated(n: int, times: int) -> dict[str, np.ndarray]:
    return {
        "member_users": np.repeat(np.arange(n), times),
        "nonmember_users": np.repeat(np.arange(n, 2 * n), times),
    }


def test_one_record_per_user_changes_nothing() -> None:
    scores = AttackScores(
        member=[3.0, 1.0, 2.0],
        nonmember=[0.0, 5.0],
        member_groups=["x", "y", "x"],
        nonmember_groups=["y", "x"],
    )
    for how in USER_STATISTICS:
        same = per_user(scores, member_users=[9, 2, 5], nonmember_users=[1, 7], how=how)
        assert same.member.tolist() == [3, 1, 2]
        assert same.nonmember.tolist() == [0, 5]
        assert same.group("x").member.tolist() == [3, 2]


def test_groups_of_users_are_kept() -> None:
    scores = AttackScores(
        member=[1.0, 2.0, 3.0],
        nonmember=[0.0, 1.0],
        member_groups=["old", "new", "old"],
        nonmember_groups=["new", "new"],
    )
    found = per_user(scores, member_users=["a", "b", "a"], nonmember_users=["c", "c"])
    assert found.member_groups is not None
    assert found.nonmember_groups is not None
    assert (found.member.tolist(), found.member_groups.tolist()) == ([2, 2], ["old", "new"])
    assert (found.nonmember.tolist(), found.nonmember_groups.tolist()) == ([0.5], ["new"])


def test_groups_that_divide_a_user_are_refused() -> None:
    scores = AttackScores(
        member=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        nonmember=[0.0],
        member_groups=["x", "y", "x", "x", "x", "y"],
        nonmember_groups=["x"],
    )
    said = (
        "member_groups must be the same for all records of a user, "
        "got 2 users with several groups, such as 'b'"
    )
    with pytest.raises(ValueError, match=said):
        per_user(scores, member_users=["a", "b", "a", "b", "c", "c"], nonmember_users=["z"])


@pytest.mark.parametrize("numbers", [False, True])
def test_a_user_in_both_classes_is_neither(numbers: bool) -> None:
    scores = AttackScores(member=[1.0, 2.0, 3.0], nonmember=[0.0, 1.0])
    users = ([3, 4, 5], [5, 4]) if numbers else (["3", "4", "5"], ["5", "4"])
    as_arrays = [np.array(u) for u in users]
    for member_users, nonmember_users in (users, as_arrays):
        with pytest.raises(ValueError, match="no user in common, got 2 in both, such as '4'"):
            per_user(scores, member_users=member_users, nonmember_users=nonmember_users)


@pytest.mark.parametrize(
    ("users", "message"),
    [
        (["a"], "member_users must be 2 labels, one per score, got 1"),
        (np.array([1, 2, 3]), "member_users must be 2 labels, one per score, got 3"),
        (
            np.array([[1], [2]]),
            r"member_users must be one-dimensional, of shape \(n,\), got \(2, 1\)",
        ),
        (["a", None], "member_users must be text or whole numbers, none missing, got None"),
        (np.array([1.0, np.nan]), "member_users must be text or whole numbers, none missing"),
    ],
)
def test_users_that_cannot_be_told_are_refused(users: object, message: str) -> None:
    scores = AttackScores(member=[1.0, 2.0], nonmember=[0.0])
    with pytest.raises(ValueError, match=f"^{message}"):
        per_user(scores, member_users=users, nonmember_users=["z"])
    with pytest.raises(ValueError, match=r"how must be one of 'mean', 'max', .* got 'mode'"):
        per_user(scores, member_users=["a", "b"], nonmember_users=["z"], how="mode")


def test_users_with_both_infinities_have_no_mean() -> None:
    scores = AttackScores([np.inf, -np.inf, 1.0], [np.inf, 0.0])
    users = {"member_users": [7, 7, 8], "nonmember_users": [9, 9]}
    assert per_user(scores, **users, how="max").member.tolist() == [math.inf, 1.0]
    for how in ("mean", "sum", "median"):
        with pytest.raises(ValueError, match=r"how must be 'max' or 'min', as user '7' has .*got"):
            per_user(scores, **users, how=how)


def test_a_matrix_of_probabilities_is_not_taken_for_logits() -> None:
    rows = np.array([[0.2, 0.8], [1.0, 0.0]])
    with pytest.raises(ValueError, match=r"logits must not be probabilities.*losses_from_probabil"):
        losses_from_logits(rows, [0, 1])
    logs = np.log([[0.2, 0.8], [0.5, 0.5]])
    found = losses_from_logits(logs, [0, 1])
    np.testing.assert_allclose(found, [math.log(4), 0], atol=1e-15)
