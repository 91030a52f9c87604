"""Both sides of Theorem 2 on a fixed grid."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz import AttackScores, audit
from dpviz.audit.epsilon_star.ratio_curves import fnr_on_grid

LOSSES = st.lists(st.integers(0, 6), min_size=1, max_size=8)
MODELS = st.lists(st.tuples(LOSSES, LOSSES), min_size=1, max_size=5)
GRIDS = st.sets(st.sampled_from([0.01, 0.1, 0.125, 0.25, 0.5, 0.8, 0.99]), min_size=1)
quick = settings(max_examples=60, deadline=None, derandomize=True)


def losses(member: list[float], nonmember: list[float]) -> AttackScores:
    return AttackScores.from_losses(member=member, nonmember=nonmember)


@quick
@given(MODELS, GRIDS, st.sampled_from([0.0, 1e-5, 0.1, 0.6]))
def test_the_left_side_is_at_most_the_right(
    models: list[tuple[list[float], list[float]]], grid: set[float], delta: float
) -> None:
    scores = [losses(member, nonmember) for member, nonmember in models]
    found = audit.both_sides(scores, delta=delta, grid=sorted(grid))
    assert found.left <= found.right + 1e-12
    assert [each.value for each in found.models] == [
        audit.epsilon_star_on_grid(each, delta=delta, grid=sorted(grid)).value for each in scores
    ]


@quick
@given(LOSSES, LOSSES, GRIDS)
def test_the_fnr_is_that_of_a_random_choice_between_two_thresholds(
    member: list[float], nonmember: list[float], grid: set[float]
) -> None:
    places = np.array(sorted(grid))
    for t, fnr in zip(places, fnr_on_grid(losses(member, nonmember), places), strict=True):
        # The lower threshold is the last with an FPR of at most t, the upper one the next FPR.
        rates = [
            (np.mean(np.array(nonmember) <= tau), np.mean(np.array(member) > tau))
            for tau in (-1, *sorted({*member, *nonmember}))
        ]
        low = min((-fpr, fnr) for fpr, fnr in rates if fpr <= t + 1e-12)
        above = min(fpr for fpr, _ in rates if fpr > t + 1e-12)
        high = min(fnr for fpr, fnr in rates if fpr == above)
        share = (t + low[0]) / (above + low[0])
        assert fnr == pytest.approx((1 - share) * low[1] + share * high, abs=1e-9)


def test_equation_19_by_hand() -> None:
    """Two models at t = 1/2: FNR 1/4 and 3/4, hence 1/2 on average."""
    first = losses([1, 1, 1, 4], [2, 3])
    second = losses([1, 4, 4, 4], [2, 3])
    found = audit.both_sides([first, second], delta=0.1, grid=[0.5])
    assert found.averaged.fnr.tolist() == [0.5]
    assert found.left == 0  # (1 - 0.1 - 0.5)/0.5 and the three others are below 1
    # Of the first (1 - 0.1 - 0.5)/0.25, of the second (0.5 - 0.1)/(1 - 0.75): both 1.6.
    assert [each.value for each in found.models] == pytest.approx([math.log(1.6)] * 2)
    assert found.right == pytest.approx(math.log(1.6))
    assert {each.name: each.met for each in found.conditions}["exact rates"] is False


def test_a_model_that_misses_nobody_makes_the_right_side_infinite() -> None:
    found = audit.both_sides(
        [losses([1, 1], [2, 3]), losses([4, 4], [2, 3])], delta=0.0, grid=[0.5]
    )
    assert (found.left, found.right) == (0.0, math.inf)
    assert {each.name: each.met for each in found.conditions}["no FNR of 0"] is False


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ([0.5, 0.1], "grid must be in ascending order, each once"),
        ([0.0, 0.5], r"grid must be inside \(0, 1\), got 0.0"),
        ([], "grid must be 1 to 10000 FPRs"),
        ([math.nan], "grid must be"),
    ],
)
def test_grids_that_are_none(grid: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        audit.epsilon_star_on_grid(losses([1], [2]), delta=0.1, grid=grid)


def test_no_models() -> None:
    with pytest.raises(ValueError, match="models must not be empty, got 0 models"):
        audit.both_sides([], delta=0.1)
