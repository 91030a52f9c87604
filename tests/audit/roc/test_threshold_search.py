"""The block search against looking at every threshold."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.audit import AttackScores, epsilon_star
from dpviz.audit.roc import threshold_search as blocks
from dpviz.audit.roc.threshold_search import ScoreBlocks, SortedBlocks, UnsortedBlocks
from tests.audit.oracles import clips, deltas, gaussian_losses

# Both zeros, neighbours, both signs and extremes beside plain ties.
values = st.one_of(
    st.integers(-20, 20).map(float),
    st.sampled_from([-0.0, 0.0, 5e-324, -5e-324, 1.0, 1 + 2**-52, -1e300, 1e300]),
)
scores_of_one_class = st.lists(values, min_size=1, max_size=120)


def everywhere(scores: AttackScores, delta: float, clip: float | None) -> list[float] | None:
    """Largest log m1..m4 by counting at every distinct score."""
    thresholds = [math.inf, *np.unique(np.r_[scores.member, scores.nonmember])]
    best = None
    for threshold in thresholds:
        tpr, fpr = (np.mean(x >= threshold) for x in (scores.member, scores.nonmember))
        fnr, tnr = (np.mean(x < threshold) for x in (scores.member, scores.nonmember))
        if clip is not None and min(tpr, fpr, tnr, fnr) <= clip:
            continue
        ratios = [
            -math.inf
            if top <= delta
            else (math.log(top - delta) - math.log(bottom) if bottom else math.inf)
            for top, bottom in ((tpr, fpr), (tnr, fnr), (fnr, tnr), (fpr, tpr))
        ]
        best = ratios if best is None else [max(pair) for pair in zip(best, ratios, strict=True)]
    return best


def search(scores: AttackScores, kind: str, n_blocks: int = blocks.BLOCKS) -> ScoreBlocks:
    if kind == "unsorted":
        return UnsortedBlocks(scores)
    usual, blocks.BLOCKS = blocks.BLOCKS, n_blocks
    try:
        return SortedBlocks(scores)
    finally:
        blocks.BLOCKS = usual


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "n_blocks"), [("sorted", n) for n in (1, 3, 8, 4096)] + [("unsorted", 0)]
)
@given(member=scores_of_one_class, nonmember=scores_of_one_class, delta=deltas, clip=clips)
def test_block_search_equals_looking_everywhere(
    kind: str,
    n_blocks: int,
    member: list[float],
    nonmember: list[float],
    delta: float,
    clip: float | None,
) -> None:
    scores = AttackScores(member=member, nonmember=nonmember)
    found = search(scores, kind, n_blocks).largest_log_ratios(delta=delta, clip=clip)
    expected = everywhere(scores, delta, clip)
    if expected is None:
        assert found is None
        return
    assert found is not None
    np.testing.assert_allclose([best.log_ratio for best in found], expected, rtol=1e-13, atol=1e-13)
    for best, (top, bottom) in zip(found, ((0, 1), (2, 3), (3, 2), (1, 0)), strict=True):
        assert best.threshold in (*member, *nonmember, math.inf)
        tp, fp = (np.sum(x >= best.threshold) for x in (scores.member, scores.nonmember))
        assert (tp, fp) == (best.true_positives, best.false_positives)
        n, m = scores.n_members, scores.n_nonmembers
        rates = (tp / n, fp / m, (m - fp) / m, (n - tp) / n)
        if math.isfinite(best.log_ratio):
            ratio = (rates[top] - delta) / rates[bottom]
            assert math.log(ratio) == pytest.approx(best.log_ratio, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("clip", [None, 0.0, 1e-3, 0.2])
@pytest.mark.parametrize("delta", [0.0, 1e-5, 0.01])
@pytest.mark.parametrize("shift", [0.0, 1.0])
@pytest.mark.parametrize("kind", ["sorted", "unsorted"])
def test_long_samples(kind: str, shift: float, delta: float, clip: float | None) -> None:
    scores = gaussian_losses(0, member=(0, 1, 60_000), nonmember=(shift, 1, 40_000))
    found = search(scores, kind).largest_log_ratios(delta=delta, clip=clip)
    assert found is not None
    thresholds = np.r_[np.inf, np.sort(np.r_[scores.member, scores.nonmember])[::-1]]
    below = [np.searchsorted(np.sort(x), thresholds) for x in (scores.member, scores.nonmember)]
    fnr, tnr = below[0] / 60_000, below[1] / 40_000
    tpr, fpr = (60_000 - below[0]) / 60_000, (40_000 - below[1]) / 40_000
    keep = np.ones(tpr.size, bool) if clip is None else np.min([tpr, fpr, tnr, fnr], axis=0) > clip
    expected = []
    for top, bottom in ((tpr, fpr), (tnr, fnr), (fnr, tnr), (fpr, tpr)):
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(top > delta, np.log(top - delta) - np.log(bottom), -np.inf)[keep]
        expected.append(ratios.max())
    np.testing.assert_allclose([best.log_ratio for best in found], expected, rtol=1e-13)


def test_large_unsorted_samples_are_binned_and_give_what_sorted_ones_give() -> None:
    scores = gaussian_losses(1, member=(0, 1, 150_000), nonmember=(0.5, 2, 150_000))
    assert isinstance(blocks.score_blocks(scores), UnsortedBlocks)
    binned = epsilon_star(scores, delta=1e-5)
    assert not scores.was_sorted
    _ = scores.sorted_member, scores.sorted_nonmember
    assert isinstance(blocks.score_blocks(scores), SortedBlocks)
    assert epsilon_star(scores, delta=1e-5) == binned
