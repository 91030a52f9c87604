"""One guarantee in other ways: the mu that may be quoted, and every way side by side."""

import numpy as np
import pytest
from dp_accounting import dp_event
from dp_accounting.rdp import RdpAccountant
from scipy.special import ndtr, ndtri

from dpviz.theory import (
    MECHANISMS,
    ApproximateDP,
    GaussianDP,
    GaussianMechanism,
    LaplaceMechanism,
    PureDP,
    SubsampledGaussian,
    TradeoffFunction,
    ZeroConcentratedDP,
)
from dpviz.theory.statements import GdpStatement, gdp_statement, smallest_mu, ways_of_stating
from tests.laws.examples import EXAMPLES

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


# A statement never claims more privacy than the guarantee it was made from.

RATES = np.r_[0.0, np.geomspace(1e-12, 0.1, 60), np.linspace(0.1, 1, 60)]


def one_of_each() -> list[TradeoffFunction]:
    """The example in the middle of each kind's list: neither perfect privacy nor none."""
    return [
        MECHANISMS[key](**examples[len(examples) // 2])
        for key, examples in EXAMPLES.items()
        if key != "composed"
    ]


@pytest.mark.parametrize("f", one_of_each(), ids=str)
def test_no_statement_claims_more_privacy_than_its_source(f: TradeoffFunction) -> None:
    truth = f.min_symmetrized()
    for each in ways_of_stating(f, delta=1e-3):
        if each.claim is None:
            continue
        assert each.claim.adjacency == f.adjacency
        stated = each.claim.beta(RATES)
        counts = np.minimum(RATES, truth.beta(RATES)) >= each.from_rate
        # Curves that are searched for have eleven digits; composed ones their stated error.
        slack = 1e-10 + truth.error
        assert np.all(stated[counts] <= truth.beta(RATES)[counts] + slack), each.way


def test_gaussian_noise_as_published() -> None:
    """Rows of "(epsilon, delta) considered harmful": what OpenDP 0.16 states of sigma = 1."""
    found = {each.way: each for each in ways_of_stating(GaussianMechanism(noise_multiplier=1.0))}
    assert found["itself"].tpr(0.01) == pytest.approx(0.0924, abs=1e-4)
    assert found["zero_concentrated"].claim == ZeroConcentratedDP(rho=0.5, adjacency="add_remove")
    assert found["zero_concentrated"].tpr(0.01) < 0.126  # the envelope of its (epsilon, delta)
    epsilon = found["approximate"].claim.epsilon(1e-5)
    assert epsilon == pytest.approx(4.3772, abs=1e-4)
    assert found["approximate"].tpr(0.01) == pytest.approx(0.796, abs=1e-3)
    through = found["approximate_of_renyi"].claim.epsilon(1e-5)
    assert through == pytest.approx(4.7284, abs=0.03)  # of all orders; here of some
    assert found["approximate_of_renyi"].tpr(0.01) == pytest.approx(0.991, abs=1e-3)
    assert found["pure"].claim is None


def test_epsilon_through_renyi_lies_between_the_exact_one_and_that_of_an_rdp_accountant() -> None:
    sgd = SubsampledGaussian(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    found = {each.way: each.claim for each in ways_of_stating(sgd)}
    accountant = RdpAccountant(orders=[float(k) for k in range(2, 65)])
    step = dp_event.PoissonSampledDpEvent(0.01, dp_event.GaussianDpEvent(1.0))
    accountant.compose(dp_event.SelfComposedDpEvent(step, 1000))
    exact, ours = (found[way].epsilon(1e-5) for way in ("approximate", "approximate_of_renyi"))
    assert exact < ours <= accountant.get_epsilon(1e-5) * (1 + 1e-3)
    assert exact == pytest.approx(1.828, abs=2e-3)


def test_what_cannot_be_stated_is_left_out() -> None:
    by_way = {each.way: each for each in ways_of_stating(ApproximateDP(epsilon=1.0, delta=1e-5))}
    assert (
        by_way["renyi"].claim is by_way["zero_concentrated"].claim is by_way["pure"].claim is None
    )
    assert by_way["renyi"].tpr(0.01) is None
    pure = {each.way: each for each in ways_of_stating(PureDP(epsilon=1.0))}
    assert pure["gaussian_dp"].tpr(1e-7) is None  # below the rate from which mu is stated
    assert pure["gaussian_dp"].tpr(1e-5) is not None
    with pytest.raises(ValueError, match=r"delta must be in \[0, 1\], got 2.0"):
        ways_of_stating(PureDP(epsilon=1.0), delta=2.0)
