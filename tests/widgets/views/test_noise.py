"""Laplace against Gaussian noise over the dimension."""

import math

import numpy as np
import pytest

from dpviz.theory import GaussianDP, PureDP
from dpviz.widgets import NoiseView


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-5), (0.1, 1e-6), (3.0, 0.2)])
def test_the_gaussian_is_the_smaller_one_from_the_crossing_on(epsilon: float, delta: float) -> None:
    part = NoiseView(epsilon=epsilon, delta=delta).result.answers["noise"]
    assert GaussianDP(mu=1 / part.gaussian).delta(epsilon) == pytest.approx(delta, rel=1e-6)
    # A Laplace distribution of scale √d/ε has the variance 2 d/ε².
    smaller = [math.sqrt(2 * d) / epsilon >= part.gaussian for d in range(1, part.crossing + 2)]
    assert smaller.index(True) + 1 == part.crossing
    np.testing.assert_allclose(part.laplace[:, 1], np.sqrt(2 * part.laplace[:, 0]) / epsilon)


def test_where_there_is_nothing_to_compare_it_says_so() -> None:
    view = NoiseView(claim=PureDP(epsilon=math.inf))
    assert view.result.answers["noise"].crossing is None
    assert "compared for ε above 0" in view.texts["noise_lead"].value
    view.store.update(claim=GaussianDP(mu=1.0), delta=1e-5)
    assert "At ε = 4.38, δ = 1e-5 Gaussian noise" in view.texts["noise_lead"].value
