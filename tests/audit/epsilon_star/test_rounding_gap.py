"""What binned scores can hide of Epsilon*, against the scores that were counted."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.audit import AttackScores, BinnedScores, epsilon_star, rounding_gap
from dpviz.audit.roc import threshold_search as blocks
from tests.audit.oracles import clips, deltas

# Many scores to a cell of 10 bits, where [1, 2) has two cells.
scores_of_one_class = st.lists(
    st.integers(0, 60).map(lambda i: 0.5 + i / 16), min_size=1, max_size=60
)


@pytest.mark.slow
@pytest.mark.parametrize("n_blocks", [1, 2, 4096])
@given(member=scores_of_one_class, nonmember=scores_of_one_class, delta=deltas, clip=clips)
def test_epsilon_star_of_the_scores_is_within_the_gap(
    n_blocks: int, member: list[float], nonmember: list[float], delta: float, clip: float | None
) -> None:
    scores = AttackScores(member=member, nonmember=nonmember)
    binned = BinnedScores.of(scores, bits=10)
    usual, blocks.BLOCKS = blocks.BLOCKS, n_blocks
    try:
        gap = rounding_gap(binned, delta=delta, clip=clip)
        found = epsilon_star(binned, delta=delta, clip=clip).value
    finally:
        blocks.BLOCKS = usual
    true = epsilon_star(scores, delta=delta, clip=clip).value
    assert gap >= 0
    assert gap == rounding_gap(binned, delta=delta, clip=clip)
    if math.isnan(found):
        assert math.isnan(true) or gap == math.inf
    else:
        assert found <= true <= found + gap + 1e-12


def test_the_gap_is_that_of_the_best_cell() -> None:
    # From above: (members, non-members) = (3, 1), (4, 2), (3, 7), in cells from 2, 1 and 0.
    binned = BinnedScores(
        thresholds=[0.0, 1.0, 2.0], member_counts=[3, 4, 3], nonmember_counts=[7, 2, 1]
    )
    found = epsilon_star(binned, delta=0, clip=0.15).value
    assert found == pytest.approx(math.log(0.7 / 0.3))
    # Inside the second cell TPR reaches 0.7 while FPR is at least 0.2: the smallest above 0.15.
    # For m2, TNR reaches 0.8, the largest below 0.85, while FNR is at least 0.3: less.
    gap = rounding_gap(binned, delta=0, clip=0.15)
    assert gap == pytest.approx(math.log(0.7 / 0.2) - found)
    # With 0.2 excluded, FPR is at least 0.3 and TNR at most 0.7.
    assert epsilon_star(binned, delta=0, clip=0.2).value == found
    assert rounding_gap(binned, delta=0, clip=0.2) == pytest.approx(0, abs=1e-15)


def test_without_a_clip_the_highest_cell_may_hold_anything() -> None:
    binned = BinnedScores(thresholds=[0.0, 1.0], member_counts=[1, 3], nonmember_counts=[3, 1])
    assert epsilon_star(binned, delta=1e-3, clip=None).value < math.inf
    assert rounding_gap(binned, delta=1e-3, clip=None) == math.inf


def test_an_infinite_estimate_hides_nothing() -> None:
    binned = BinnedScores(thresholds=[0.0, 1.0], member_counts=[1, 3], nonmember_counts=[3, 0])
    assert rounding_gap(binned, delta=1e-3, clip=None) == 0


def test_a_fine_grid_hides_little() -> None:
    rng = np.random.default_rng(1)
    scores = AttackScores(member=rng.normal(1, 1, 100_000), nonmember=rng.normal(0, 1, 100_000))
    coarse, fine = (
        rounding_gap(BinnedScores.of(scores, bits=bits), delta=1e-5) for bits in (14, 20)
    )
    assert 0 < fine < 0.2 * coarse


@pytest.mark.parametrize(("name", "value"), [("delta", 1.5), ("clip", 0.5)])
def test_illegal_arguments_are_named(name: str, value: float) -> None:
    binned = BinnedScores(thresholds=[0.0], member_counts=[1], nonmember_counts=[1])
    with pytest.raises(ValueError, match=f"{name} must be"):
        rounding_gap(binned, **{"delta": 0.0, name: value})
