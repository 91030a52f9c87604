"""The mu that may be quoted from a rate on: safe, smallest, and with its regret."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from dpviz.theory import (
    ApproximateDP,
    GaussianDP,
    GdpStatement,
    LaplaceMechanism,
    PureDP,
    SubsampledGaussian,
    TradeoffFunction,
    ZeroConcentratedDP,
    gdp_statement,
    smallest_mu,
)

CLAIMS = [
    PureDP(epsilon=1.0),
    ApproximateDP(epsilon=0.5, delta=1e-4),
    LaplaceMechanism(epsilon=2.0),
    ZeroConcentratedDP(rho=0.3),
]


def gaussian(mu: float, x: np.ndarray) -> np.ndarray:
    return ndtr(-ndtri(x) - mu)


@pytest.mark.parametrize("f", CLAIMS, ids=repr)
@pytest.mark.parametrize("first", [1e-3, 1e-7])
def test_it_lies_below_the_claim_and_no_smaller_mu_does(f: TradeoffFunction, first: float) -> None:
    statement = gdp_statement(f, from_fpr=first)
    tail = np.geomspace(first, 0.5, 20_001)
    x = np.concatenate([tail, 1 - tail[::-1], f.kinks])
    y = f.beta(x)
    there = (y >= first) & (x >= first)
    assert np.all(gaussian(statement.mu, x)[there] <= y[there] + 1e-12)
    smaller = gaussian(statement.mu * 0.999, x)[there]
    assert np.any(smaller > y[there])
    # The regret, from its definition: f(x + k) - k <= g(x) everywhere, and for no smaller k.
    for k, holds in ((statement.regret * 1.001, True), (statement.regret * 0.99, False)):
        below = f.beta(np.minimum(x + k, 1.0)) - k <= gaussian(statement.mu, x) + 1e-12
        assert bool(np.all(below)) == holds


def test_the_mus_of_dp_sgd_that_the_issue_names() -> None:
    f = SubsampledGaussian(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    found = [gdp_statement(f, from_fpr=first).mu for first in (1e-3, 1e-6, 1e-9)]
    assert found == pytest.approx([0.444, 0.474, 0.509], abs=1e-3)
    assert found[0] > 0.4394  # what gdpnum 0.1.2 prints, with a curve that is not below


def test_gaussians_are_themselves_and_limits_are_smallest_mu() -> None:
    assert gdp_statement(GaussianDP(mu=0.7)) == GdpStatement(mu=0.7, from_fpr=1e-6, regret=0.0)
    laplace = LaplaceMechanism(epsilon=1.0)
    assert gdp_statement(laplace, from_fpr=1e-9).mu == pytest.approx(smallest_mu(laplace))
    assert np.isinf(gdp_statement(PureDP(epsilon=np.inf)).mu)


@pytest.mark.parametrize("first", [0.0, 0.5, -1.0])
def test_rates_out_of_range(first: float) -> None:
    with pytest.raises(ValueError, match=r"from_fpr must be in \(0, 0.5\)"):
        gdp_statement(PureDP(epsilon=1.0), from_fpr=first)
