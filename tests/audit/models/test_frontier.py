"""Which points no other beats, and repeats of a strategy as one point."""

import itertools
import math
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.audit.models.frontier import Landscape, Repeat, Strategy, frontier, repeats

LOSSES = st.integers(0, 6) | st.sampled_from([0.1, 0.2, 0.3, math.inf])
UTILITIES = st.integers(0, 6) | st.sampled_from([0.1, 0.2, 0.3])
POINTS = st.lists(st.tuples(LOSSES, UTILITIES), min_size=1, max_size=12)
Point = tuple[float, float]


def is_dominated(p: Point, by: Point) -> bool:
    return by != p and by[0] <= p[0] and by[1] >= p[1]


def is_beaten_by_a_mixture(p: Point, points: list[Point]) -> bool:
    """By a random mixture of two points of finite loss (or by one), in exact arithmetic."""
    finite = [(Fraction(x), Fraction(y)) for x, y in points if x < math.inf]
    for (x0, y0), (x1, y1) in itertools.product(finite, finite):
        # Mixtures with loss of at most that of p, and the largest utility among them.
        if p[0] == math.inf or max(x0, x1) <= p[0]:
            best = max(y0, y1)
        elif min(x0, x1) <= p[0]:
            (xa, ya), (xb, yb) = sorted([(x0, y0), (x1, y1)])
            share = (Fraction(p[0]) - xa) / (xb - xa)
            best = max(ya, ya + share * (yb - ya))
        else:
            continue
        if best > p[1]:
            return True
    return False


@given(POINTS)
def test_on_the_frontier_is_what_no_other_point_dominates(points: list[Point]) -> None:
    found = frontier(points)
    expected = {i for i, p in enumerate(points) if not any(is_dominated(p, q) for q in points)}
    assert set(found.indices.tolist()) == expected
    assert len(found.indices) == len(expected)


@given(POINTS)
def test_on_the_hull_is_what_no_mixture_beats_either(points: list[Point]) -> None:
    found = frontier(points)
    expected = [i for i in found.indices if not is_beaten_by_a_mixture(points[i], points)]
    assert found.hull.tolist() == expected


@given(POINTS)
def test_order_is_by_rising_loss_and_utility_and_then_by_index(points: list[Point]) -> None:
    found = frontier(points)
    keys = [(*points[i], i) for i in found.indices.tolist()]
    assert keys == sorted(keys)


@given(POINTS, st.randoms())
def test_the_order_of_points_does_not_matter(points: list[Point], random: Any) -> None:
    shuffled = points.copy()
    random.shuffle(shuffled)
    for name in ("indices", "hull"):
        before = [points[i] for i in getattr(frontier(points), name)]
        after = [shuffled[i] for i in getattr(frontier(shuffled), name)]
        assert before == after


def test_equal_points_are_all_kept() -> None:
    found = frontier([(1, 1), (0, 0), (1, 1), (2, 1), (1, 0), (0, 0)])
    assert found.indices.tolist() == [1, 5, 0, 2]
    assert found.hull.tolist() == [1, 5, 0, 2]


def test_an_infinite_loss_is_on_the_frontier_only_with_the_largest_utility() -> None:
    assert frontier([(1, 5), (math.inf, 4)]).indices.tolist() == [0]
    assert frontier([(1, 5), (math.inf, 5)]).indices.tolist() == [0]
    found = frontier([(1, 5), (math.inf, 6), (0, 4.9), (math.inf, 5.5)])
    assert found.indices.tolist() == [2, 0, 1]
    assert found.hull.tolist() == [2, 0, 1]
    assert frontier([(math.inf, 1), (math.inf, 2)]).indices.tolist() == [1]


def test_the_frontier_is_larger_than_its_hull() -> None:
    found = frontier([(0, 0), (1, 0.4), (2, 1)])
    assert (found.indices.tolist(), found.hull.tolist()) == ([0, 1, 2], [0, 2])


@pytest.mark.parametrize("scale", [1e-300, 1e-3, 1.0, 1e300])
def test_points_on_a_line_stay_on_the_hull_whatever_the_scale(scale: float) -> None:
    line = [(scale * x, scale * x) for x in (0.1, 0.2, 0.3, 0.7)]
    assert frontier(line).hull.tolist() == [0, 1, 2, 3]
    bent = [*line[:2], (scale * 0.3, np.nextafter(scale * 0.3, 0)), line[3]]
    assert frontier(bent).hull.tolist() == [0, 1, 3]


def test_two_arrays_are_the_same_as_points() -> None:
    loss, gain = [3.0, 1.0, 2.0], [9.0, 1.0, 0.5]
    found = frontier(privacy=loss, utility=gain)
    assert found.indices.tolist() == frontier(np.column_stack([loss, gain])).indices.tolist()
    assert found.points.tolist() == [[3, 9], [1, 1], [2, 0.5]]
    assert not found.points.flags.writeable
    assert not found.indices.flags.writeable


@pytest.mark.slow
def test_the_frontier_of_a_million_points_is_that_of_a_scan() -> None:
    rng = np.random.default_rng(1)
    points = rng.random((1_000_000, 2))
    found = frontier(points)
    best, expected = -1.0, []
    for i in np.argsort(points[:, 0])[:20000].tolist():
        if points[i, 1] > best:
            best, expected = points[i, 1], [*expected, i]
    assert found.indices.tolist()[: len(expected)] == expected


def test_a_hull_takes_two_comparisons_a_point() -> None:
    x = np.linspace(0, 1, 10_000)
    calls: list[str] = []
    curves = [frontier(privacy=x, utility=np.sqrt(x)), frontier(privacy=x, utility=x**2)]
    sys.setprofile(lambda frame, event, _: calls.append(event) if event == "call" else None)
    try:
        hulls = [found.hull for found in curves]
    finally:
        sys.setprofile(None)
    assert [len(hull) for hull in hulls] == [10_000, 2]
    assert len(calls) <= 3 * 2 * 10_000


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "either points or both privacy and utility"),
        ({"points": [(1, 1)], "privacy": [1], "utility": [1]}, "either points or both"),
        ({"privacy": [1]}, "either points or both privacy and utility"),
        ({"points": np.empty((0, 2))}, "points must not be empty, got 0 points"),
        ({"points": [1, 2]}, r"points must be of shape \(k, 2\), got \(2,\)"),
        ({"points": [(1, 2, 3)]}, r"points must be of shape \(k, 2\), got \(1, 3\)"),
        ({"points": [(math.nan, 1)]}, r"privacy must be in \(-inf, inf\], got nan"),
        ({"points": [(-math.inf, 1)]}, r"privacy must be in \(-inf, inf\], got -inf"),
        ({"points": [(1, math.nan)]}, r"utility must be in \(-inf, inf\), got nan"),
        ({"points": [(1, math.inf)]}, r"utility must be in \(-inf, inf\), got inf"),
        ({"points": [("a", 1)]}, "points must be numbers, got 'a'"),
        ({"privacy": [1, 2], "utility": [1]}, "one-dimensional and of equal length"),
        ({"privacy": 1, "utility": 1}, "one-dimensional and of equal length"),
    ],
)
def test_what_is_refused(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        frontier(**arguments)


def test_repeats_are_their_mean_with_the_range_as_bars() -> None:
    runs = [
        Repeat(name="b", epsilon=1.0, utility=0.5),
        Repeat(name="a", epsilon=3.0, utility=0.9),
        Repeat(name="b", epsilon=2.5, utility=0.7),
        Repeat(name="b", epsilon=1.0, utility=0.9),
    ]
    b, a = repeats(runs)
    assert (b.name, a.name, b.n, a.n) == ("b", "a", 3, 1)
    assert (b.epsilon, b.epsilon_range) == (1.5, (1.0, 2.5))
    assert b.utility == pytest.approx(0.7)
    assert b.utility_range == (0.5, 0.9)
    assert a.epsilon_range == (3.0, 3.0)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=9))
def test_a_mean_is_between_its_bars(values: list[float]) -> None:
    (found,) = repeats(Repeat(name="a", epsilon=value) for value in values)
    assert found.epsilon_range == (min(values), max(values))
    assert found.epsilon is not None
    assert min(values) <= found.epsilon <= max(values)


def test_an_infinite_repeat_makes_the_mean_infinite_and_is_counted() -> None:
    (found,) = repeats([Repeat(name="a", epsilon=e, utility=1.0) for e in (1.0, math.inf)])
    assert (found.epsilon, found.epsilon_range, found.n) == (math.inf, (1.0, math.inf), 2)


def test_a_repeat_without_a_value_takes_the_mean_with_it() -> None:
    runs = [
        Repeat(name="a", epsilon=1.0, utility=0.5),
        Repeat(name="a", epsilon=math.nan, utility=None),
    ]
    (found,) = repeats(runs)
    assert (found.epsilon, found.utility, found.epsilon_range) == (None, None, None)
    assert (found.n, found.without_epsilon, found.without_utility) == (2, 1, 1)


def test_the_stage_and_the_claim_are_parts_of_a_strategy() -> None:
    runs = [
        Repeat(name="dp", epsilon=1, stage=stage, claimed_epsilon=claim, claimed_delta=delta)
        for stage, claim, delta in [
            (1, 1, 1e-5),
            (2, 1, 1e-5),
            (1, 8, 1e-5),
            (1, 1, 1e-6),
            (1, 1, 1e-5),
        ]
    ]
    assert [each.n for each in repeats(runs)] == [2, 1, 1, 1]


def test_a_landscape_has_places_only_for_what_has_both() -> None:
    both, worse, no_utility = repeats(
        [
            Repeat(name="both", epsilon=1.0, utility=0.5),
            Repeat(name="worse", epsilon=2.0, utility=0.4),
            Repeat(name="no utility", epsilon=0.1),
        ]
    )
    found = Landscape(strategies=(no_utility, worse, both))
    assert (found.placed, found.left_out) == ((worse, both), (no_utility,))
    assert found.frontier is not None
    assert found.frontier.indices.tolist() == [1]
    assert Landscape(strategies=(no_utility,)).frontier is None


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (Repeat(name="a", epsilon=-1.0), "epsilon must be in"),
        (Repeat(name="a", epsilon=1.0, utility=math.inf), "utility must be in"),
        (Repeat(name="a", epsilon=1.0, utility=math.nan), "utility must be in"),
    ],
)
def test_a_repeat_out_of_range_is_refused(run: Repeat, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        repeats([run])


def test_no_repeats_are_no_strategies() -> None:
    found: tuple[Strategy, ...] = repeats([])
    assert found == ()
