"""The grid orders as the numbers do, and no record changes sides at an edge."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.audit.scores.binned_scores import LARGEST_ON_GRID as LARGEST
from dpviz.audit.scores.binned_scores import cells, edges, keys, rounded_down

TINY = float(np.float32(1e-45))
EXTREMES = [0.0, -0.0, 5e-324, -5e-324, TINY, -TINY, LARGEST, -LARGEST, 1.17549435e-38]
numbers = st.one_of(
    st.sampled_from(EXTREMES),
    st.floats(-LARGEST, LARGEST),
    st.floats(-10, 10),
    st.floats(-10, 10, width=32),
    # Beside the edges of cells, in float64.
    st.builds(
        lambda cell, way: float(np.nextafter(edges(np.array([cell]))[0], way)),
        st.integers(2**11 + 1, 2**20 - 2**11 - 1),
        st.sampled_from([-np.inf, np.inf]),
    ),
)
some_bits = st.sampled_from([10, 16, 20, 24, 32])


@given(score=numbers, bits=some_bits)
def test_a_score_is_between_the_edges_of_its_cell(score: float, bits: int) -> None:
    cell = cells(np.array([score]), bits=bits)
    assert edges(cell, bits=bits)[0] <= score
    with np.errstate(invalid="ignore"):
        following = edges(cell.astype(np.int64) + 1, bits=bits)[0]
    assert score < following or score >= LARGEST


@given(scores=st.lists(numbers, min_size=2, max_size=20), bits=some_bits)
def test_cells_ascend_with_scores(scores: list[float], bits: int) -> None:
    assert (np.diff(cells(np.sort(scores), bits=bits).astype(np.int64)) >= 0).all()


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1))
def test_keys_order_as_floats(scores: list[float]) -> None:
    distinct = np.unique(np.array(scores, np.float32))
    assert (np.diff(keys(distinct).astype(np.int64)) > 0).all()
    assert np.array_equal(edges(keys(distinct), bits=32), distinct)


@given(st.lists(numbers, min_size=1))
def test_rounding_is_down_and_to_the_next(scores: list[float]) -> None:
    found = rounded_down(np.array(scores))
    assert found.dtype == np.float32
    assert (found <= scores).all()
    with np.errstate(over="ignore"):
        above = np.nextafter(found, np.float32(np.inf))
    assert ((above > scores) | (np.array(scores) >= LARGEST)).all()


def test_the_first_and_the_last_cell_of_numbers() -> None:
    first, last = cells(np.array([-LARGEST, LARGEST]))
    assert edges(np.array([first]))[0] == -LARGEST
    assert edges(np.array([last]))[0] <= LARGEST


def test_both_zeros_share_a_cell_that_begins_at_zero() -> None:
    cell = cells(np.array([0.0, -0.0]))
    assert cell[0] == cell[1]
    assert edges(cell).tolist() == [0.0, 0.0]
    assert cells(np.array([-TINY]))[0] == cell[0] - 1


def test_known_edges() -> None:
    # 1.0 has 12 zero bits at its end; cells between 1 and 2 are 2**-11 wide.
    assert edges(cells(np.array([1.0, 1.0 + 2**-11 - 2**-40, 1.0 + 2**-11]))).tolist() == [
        1.0,
        1.0,
        1.0 + 2**-11,
    ]


def test_float32_scores_are_not_copied_to_be_rounded() -> None:
    scores = np.array([1.5, -0.0], np.float32)
    assert rounded_down(scores) is scores
    cells(scores)
    assert np.signbit(scores).tolist() == [False, True]


@pytest.mark.parametrize("bits", [10, 20, 32])
def test_edges_are_in_their_own_cell(bits: int) -> None:
    drawn = cells(np.random.default_rng(1).normal(size=1000), bits=bits)
    assert np.array_equal(cells(edges(drawn, bits=bits), bits=bits), drawn)
