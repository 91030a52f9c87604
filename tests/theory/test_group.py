"""Group privacy of curves that were computed numerically."""

from dpviz.theory.derived import group_privacy
from dpviz.theory.mechanisms.piecewise_linear import PiecewiseLinear


def test_an_error_is_at_most_the_largest_height() -> None:
    rough = PiecewiseLinear([(0.0, 0.6), (0.5, 0.2), (1.0, 0.0)], error=0.9)
    assert group_privacy(rough, size=3).error == 1.0
