"""The block search against looking at every threshold."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.audit.supremum import largest_log_ratio

steps = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=300)


def every_log_ratio(top: np.ndarray, bottom: np.ndarray, delta: float) -> list[float]:
    """Both counts over their last value, or 1."""
    a, b = max(1, int(top[-1])), max(1, int(bottom[-1]))
    found = []
    for x, y in zip(top.tolist(), bottom.tolist(), strict=True):
        numerator = x / a - delta
        if numerator <= 0:
            found.append(-math.inf)
        else:
            found.append(math.log(numerator) - math.log(y / b) if y else math.inf)
    return found


@given(steps=steps, delta=st.sampled_from([0.0, 1e-12, 0.01, 0.5, 1.0]))
def test_block_search_equals_looking_everywhere(steps: list[tuple[int, int]], delta: float) -> None:
    top, bottom = np.cumsum(np.array(steps, dtype=np.int64), axis=0).T
    value, index = largest_log_ratio(
        top,
        bottom,
        n_numerator=max(1, int(top[-1])),
        n_denominator=max(1, int(bottom[-1])),
        delta=delta,
    )
    everywhere = every_log_ratio(top, bottom, delta)
    assert value == pytest.approx(max(everywhere), rel=1e-14, abs=1e-14)
    assert everywhere[index] == pytest.approx(value, rel=1e-14, abs=1e-14)


@pytest.mark.parametrize("delta", [0.0, 1e-5, 0.01])
@pytest.mark.parametrize("seed", range(3))
def test_long_counts(seed: int, delta: float) -> None:
    rng = np.random.default_rng(seed)
    top = np.cumsum(rng.random(20_000) < np.linspace(0.9, 0.1, 20_000)).astype(np.int64)
    bottom = np.arange(1, 20_001) - top
    value, index = largest_log_ratio(
        top, bottom, n_numerator=int(top[-1]), n_denominator=int(bottom[-1]), delta=delta
    )
    everywhere = every_log_ratio(top, bottom, delta)
    assert value == pytest.approx(max(everywhere), rel=1e-14)
    assert index == int(np.argmax(everywhere))


def test_one_threshold() -> None:
    one = np.array([3], dtype=np.int64)
    arguments = {"n_numerator": 4, "n_denominator": 12, "delta": 0.25}
    value, index = largest_log_ratio(one, one, **arguments)
    assert (value, index) == (pytest.approx(math.log(2), rel=1e-15), 0)
