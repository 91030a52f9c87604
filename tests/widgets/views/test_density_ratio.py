"""The ratio of both densities over the outputs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.analysis.topics.density_ratio import DensityRatio, ratio_part
from dpviz.theory import (
    ApproximateDP,
    GaussianDP,
    LaplaceMechanism,
    PureDP,
    RandomizedResponse,
    SubsampledGaussian,
    TradeoffFunction,
    UniformMechanism,
)
from dpviz.widgets import RatioView

CLAIMS = (
    *(GaussianDP(mu=1.0), LaplaceMechanism(epsilon=2.0), UniformMechanism(width=4, sensitivity=1)),
    *(RandomizedResponse(epsilon=1.0, categories=3), PureDP(epsilon=0.0)),
    *(PureDP(epsilon=np.inf), ApproximateDP(epsilon=1.0, delta=0.05), GaussianDP(mu=0.0)),
    SubsampledGaussian(noise_multiplier=1.0, sampling_rate=0.1, steps=2),
)


@pytest.mark.parametrize("claim", CLAIMS, ids=repr)
def test_every_claim_is_drawn_and_said(claim: TradeoffFunction) -> None:
    view = RatioView(claim=claim, delta=1e-5)
    assert view.error == ""
    assert view.texts["ratio_lead"].value
    (layer,) = (each for each in view.pictures[0].layers if isinstance(each, DensityRatio))
    for mark in layer.marks_by_name().values():
        drawn = mark.mark  # type: ignore[attr-defined]
        assert not drawn.visible or np.isfinite([*np.ravel(drawn.x), *np.ravel(drawn.y)]).all()


def test_a_gaussian_ratio_is_a_straight_line() -> None:
    """log N(x; mu, 1)/N(x; 0, 1) is mu x - mu²/2; it leaves a band with P(|L| > epsilon)."""
    view = RatioView(claim=GaussianDP(mu=2.0), delta=1e-3)
    part = view.result.answers["ratio"]
    x, ratio = part.curve.T
    np.testing.assert_allclose(np.diff(ratio) / np.diff(x), 2.0)
    rng = np.random.default_rng(0)
    losses = rng.normal(2.0, 2.0, 200_000)  # L ~ N(mu²/2, mu²) for a member
    assert part.beyond == pytest.approx(np.mean(np.abs(losses) > part.epsilon), abs=1e-3)
    assert "ratio outside the band" in view.result.sentences["ratio_lead"]


@given(epsilon=st.floats(0, 20), delta=st.floats(0, 0.5))
def test_the_ratio_leaves_the_band_by_delta_alone(epsilon: float, delta: float) -> None:
    for claim in (LaplaceMechanism(epsilon=epsilon), RandomizedResponse(epsilon=epsilon)):
        part = ratio_part(claim, epsilon)
        assert np.abs(part.curve[:, 1]).max() <= epsilon + 1e-9
        assert part.beyond == pytest.approx(0, abs=1e-12)
    # With probability delta the output is proof: its ratio is infinite.
    proof = ratio_part(ApproximateDP(epsilon=epsilon, delta=delta), epsilon)
    assert proof.beyond == pytest.approx(delta, abs=1e-9)


def test_pure_dp_never_leaves_its_band() -> None:
    view = RatioView(claim=LaplaceMechanism(epsilon=1.5))
    assert view.result.sentences["ratio_lead"].startswith("At ε = 1.5 every ratio is inside")
