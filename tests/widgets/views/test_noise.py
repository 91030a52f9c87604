"""Laplace against Gaussian noise over the dimension."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.analysis.topics.noise import noise_part
from dpviz.theory import GaussianDP, PureDP
from dpviz.widgets import NoiseView


@given(epsilon=st.floats(0.01, 10), delta=st.floats(1e-9, 0.5))
def test_the_gaussian_is_the_smaller_one_from_the_crossing_on(epsilon: float, delta: float) -> None:
    part = noise_part(epsilon, delta)
    assert GaussianDP(mu=1 / part.gaussian).delta(epsilon) == pytest.approx(delta, rel=1e-6)
    assert part.crossing is not None
    # A Laplace distribution of scale √d/ε has the variance 2 d/ε².
    at, below = (2 * d / epsilon**2 for d in (part.crossing, part.crossing - 1))
    assert below * (1 - 1e-12) <= part.gaussian**2 or part.crossing == 1
    assert part.gaussian**2 <= at * (1 + 1e-12)
    np.testing.assert_allclose(part.laplace[:, 1], np.sqrt(2 * part.laplace[:, 0]) / epsilon)


def test_where_there_is_nothing_to_compare_it_says_so() -> None:
    view = NoiseView(claim=PureDP(epsilon=math.inf))
    assert view.result.answers["noise"].crossing is None
    assert "compared for ε above 0" in view.texts["noise_lead"].value
    view.store.update(claim=GaussianDP(mu=1.0), delta=1e-5)
    assert "At ε = 4.38, δ = 1e-5 Gaussian noise" in view.texts["noise_lead"].value
