"""Numbers of other libraries, and dp-accounting itself.

Recorded: run once in November 2026 on Python 3.11, numpy 2.4.6, scipy 1.17.1 with dp-accounting
0.6.0, prv-accountant 0.2.0, riskcal 1.5.1, gdpnum 0.1.2, microsoft privacy-estimates 0.1.0.post1
and privacyVis 5b91e9e. Every tolerance is what its oracle claims, or follows from how it works.

Left out because they are wrong there: riskcal's curves of randomized response and of composed
sampled Gaussians (optimistic), autodp's Laplace curve and its delta of a Gaussian (lossy).

dp-accounting rounds losses by the same rule; prv-accountant shares nothing with dpviz.
"""

import math
from functools import cache
from types import ModuleType

import numpy as np
import pytest

from dpviz.theory import (
    ApproximateDP,
    Composed,
    DiscreteLaplaceMechanism,
    GaussianDP,
    LaplaceMechanism,
    PureDP,
    RandomizedResponse,
    SubsampledGaussian,
    TradeoffFunction,
    calibration,
    epsilon_at,
    risk,
)

ONE = GaussianDP(mu=1.0)
LAPLACE = LaplaceMechanism(epsilon=1.0)
CLAIM = ApproximateDP(epsilon=1.0, delta=1e-5)
FLOAT = 1e-14
"""Relative: closed forms in float64 on both sides."""


@cache
def dp_sgd(noise_multiplier: float, sampling_rate: float, steps: int) -> SubsampledGaussian:
    return SubsampledGaussian(
        noise_multiplier=noise_multiplier, sampling_rate=sampling_rate, steps=steps
    )


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        # the textbook formula, evaluated in float64
        pytest.param(ONE.delta(1.0), 0.12693673750664392, id="gaussian-delta"),
        # 1 - e^(-1/4), in float64
        pytest.param(LAPLACE.delta(0.5), 0.22119921692859512, id="laplace-delta"),
        # 1 - e^(-1/2), in float64
        pytest.param(LAPLACE.delta(0.0), 0.3934693402873666, id="laplace-total-variation"),
        # Phi(Phi^-1(0.95) - 1), and riskcal get_beta_from_gdp(1.0, 0.05)
        pytest.param(ONE.beta(0.05), 0.7404889771585558, id="gaussian-beta"),
        pytest.param(ONE.beta(0.05), 0.740488977158556, id="gaussian-beta-riskcal"),
        # riskcal get_beta_from_adp(1.0, 1e-5, 0.05) = privacyVis tradeoff_eps_delta_dp(1, 1e-5)
        pytest.param(CLAIM.beta(0.05), 0.8640759085770477, id="claim-beta-riskcal"),
        # riskcal get_advantage_from_adp(1.0, 1e-5) = MS bound_membership_advantage(1.0, 1e-5)
        pytest.param(risk.advantage(CLAIM), 0.4621225360884372, id="claim-advantage-riskcal"),
        # riskcal get_advantage_from_gdp(1.0)
        pytest.param(risk.advantage(ONE), 0.38292492254802624, id="gaussian-advantage-riskcal"),
        # riskcal get_epsilon_from_err_rates(1e-5, 0.05, 0.3)
        pytest.param(
            epsilon_at(fpr=0.05, fnr=0.3, delta=1e-5), 2.639043043798931, id="epsilon-riskcal"
        ),
        # MS privacy-estimates eps_from_fnr_fpr(0.5, 0.1, 1e-5)
        pytest.param(
            epsilon_at(fpr=0.1, fnr=0.5, delta=1e-5), 1.6094179122340977, id="epsilon-microsoft"
        ),
        # Laplace at epsilon 1 in its three pieces, exact; riskcal through a PLD misses by 2.9e-12
        pytest.param(LAPLACE.beta(0.05), 0.8640859085770477, id="laplace-beta-steep"),
        pytest.param(LAPLACE.beta(0.25), 0.36787944117144233, id="laplace-beta-middle"),
        pytest.param(LAPLACE.beta(0.5), 0.18393972058572117, id="laplace-beta-shallow"),
        # PPV at prior 0.01: expit(1 - ln 99), and mu = 1 at FPR 0.01
        pytest.param(
            risk.ppv_limit(PureDP(epsilon=1.0), prior=0.01), 0.026723630989395227, id="ppv-pure"
        ),
        pytest.param(risk.ppv(ONE, fpr=0.01, prior=0.01), 0.08533395195376905, id="ppv-gaussian"),
    ],
)
def test_closed_forms(ours: float, theirs: float) -> None:
    assert ours == pytest.approx(theirs, rel=FLOAT, abs=0)


@pytest.mark.parametrize(
    ("prior", "smallest_error"),
    [(0.5, 0.3085375387259869), (0.1, 0.09866369390053122), (0.01, 0.009999961542721023)],
)
def test_bayes_error_of_a_gaussian(prior: float, smallest_error: float) -> None:
    # riskcal get_bayes_risk_from_gdp(1.0, p): it minimises p beta + (1 - p) alpha numerically, and
    # at a minimum errors of its place count twice; here it is a difference from 1.
    ours = 1 - risk.best_accuracy(ONE, prior=prior)
    assert ours == pytest.approx(smallest_error, rel=0, abs=1e-13)


def test_gaussian_calibration() -> None:
    # dp-accounting get_epsilon_gaussian(1.0, 1e-5) and get_sigma_gaussian(1.0, 1e-5); both look for
    # a root to an absolute 1e-12 (brentq's xtol). Ours adds a relative 1e-12 on the safe side.
    assert ONE.epsilon(1e-5) == pytest.approx(4.377178095681137, rel=0, abs=2e-12)
    noise = calibration.gaussian_noise(epsilon=1.0, delta=1e-5, sensitivity=1.0)
    assert -2e-12 <= noise - 3.7306316348159374 <= 2e-12 + 4e-12


@pytest.mark.parametrize(
    ("ours", "theirs", "excess"),
    [
        # On a grid of 1e-4 whose points are exact; truncation only adds.
        # Here: delta at 1 of from_gaussian_mechanism(1.0).
        pytest.param(ONE.delta(1.0), 0.12693673750666395, 1e-12, id="gaussian-delta"),
        # Here: delta at 0.5 of from_laplace_mechanism(1.0).
        pytest.param(LAPLACE.delta(0.5), 0.22119921692861635, 1e-12, id="laplace-delta"),
        # from_gaussian_mechanism(1.0).get_epsilon_for_delta(1e-5): a chord between two grid points,
        # in epsilon at most interval^2 / 8 times -delta'' / delta' (about 4 here) above the curve.
        pytest.param(ONE.epsilon(1e-5), 4.37717810002877, 1e-8, id="gaussian-epsilon"),
        # from_randomized_response(0.5, 2), which keeps an answer with 3/4: losses of ln 3 are
        # rounded up to the grid, by less than 1e-4.
        pytest.param(
            RandomizedResponse(epsilon=math.log(3)).delta(0.0),
            0.5000219268713411,
            1e-4,
            id="response-delta",
        ),
        pytest.param(
            RandomizedResponse(epsilon=math.log(3)).epsilon(0.0),
            1.0987,
            1e-4,
            id="response-epsilon",
        ),
    ],
)
def test_dp_accounting_is_just_above(ours: float, theirs: float, excess: float) -> None:
    assert -1e-15 <= theirs - ours <= excess


def test_randomized_response_is_exact() -> None:
    response = RandomizedResponse(epsilon=math.log(3))
    assert response.delta(0.0) == pytest.approx(0.5, rel=FLOAT)
    assert response.epsilon(0.0) == pytest.approx(math.log(3), rel=FLOAT)


# DP-SGD with noise 1, rate 0.01 and 1000 steps. prv-accountant brackets the truth from both sides:
# PRVAccountant(..., eps_error=5e-4, delta_error=...) for delta and eps_error=0.01, delta_error=1e-8
# for epsilon; (lower, estimate, upper).
PRV_DELTA = {
    1.0: (0.0026050017, 0.0026124207, 0.0026198589),
    1.5: (1.0886638e-4, 1.0925592e-4, 1.0964671e-4),
}
PRV_EPSILON = (1.8181076716, 1.8282396092, 1.8383716712)


@pytest.mark.parametrize("epsilon", PRV_DELTA)
def test_dp_sgd_is_inside_the_bracket_of_prv(epsilon: float) -> None:
    lower, estimate, upper = PRV_DELTA[epsilon]
    f = dp_sgd(1.0, 0.01, 1000)
    assert lower <= f.delta(epsilon) <= upper + f.error
    # On the safe side of the best guess, whose own grid is off by far less than its bracket.
    assert estimate <= f.delta(epsilon) <= estimate + f.error


def test_epsilon_of_dp_sgd_is_inside_the_bracket_of_prv() -> None:
    lower, estimate, upper = PRV_EPSILON
    assert lower <= estimate <= dp_sgd(1.0, 0.01, 1000).epsilon(1e-5) <= upper


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [(0.0, 0.16101842080506576), (1.0, 0.0026124968063013015), (1.5, 1.092607e-4)],
)
def test_dp_sgd_is_near_recorded_dp_accounting(epsilon: float, delta: float) -> None:
    # On the grid of 1e-4: above the truth by less than a relative 1e-4, see the live tests.
    f = dp_sgd(1.0, 0.01, 1000)
    assert delta * (1 - 1e-4) <= f.delta(epsilon) <= delta + f.error


def test_long_dp_sgd_is_as_near_to_a_gaussian_as_gdpnum_says() -> None:
    # gdpnum 0.1.2 get_mu_and_regret_for_dpsgd, noise 9.4, rate 0.328, 2000 steps: mu 1.5684997 and
    # regret 0.00102726 (its README prints 1.5685622 and 0.00102081: so much for its digits). The
    # curve is above G_mu, and shifted by the regret along both axes it is below.
    f, below = dp_sgd(9.4, 0.328, 2000), GaussianDP(mu=1.5684997)
    x = np.linspace(0, 1, 4001)
    assert np.all(f.beta(x) >= below.beta(x) - f.error)

    def sticks_out(regret: float) -> float:
        return float(np.max(f.beta(np.minimum(1, x + regret)) - regret - below.beta(x)))

    assert sticks_out(0.00102726 + 1e-5) <= 0
    assert sticks_out(0.00102726 - f.error) > 0


# From here on against dp-accounting as installed.


@pytest.fixture
def pld() -> ModuleType:
    return pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")


EPSILONS = [0.0, 0.3, 0.5, 1.0, 1.5, 2.0, 3.0]
FINE = 1e-4


def assert_between(f: TradeoffFunction, fine: list[float], coarse: list[float]) -> None:
    """Ours is pessimistic by at most its error, theirs by what doubling its grid shows.

    The excess of "connect the dots" grows with the square of the interval, so that of the fine grid
    is a third of the change; the whole change is allowed.
    """
    assert 0 < f.error <= 1e-4
    for epsilon, near, far in zip(EPSILONS, fine, coarse, strict=True):
        ours, excess = f.delta(epsilon), far - near
        assert excess >= -1e-12
        assert ours <= near + f.error, f"less private than stated at {epsilon}"
        assert ours >= near - excess - 1e-12, f"not safe at {epsilon}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("noise", "rate", "steps"), [(1.0, 0.01, 1000), (1.5, 0.2, 20), (5.0, 1.0, 9)]
)
def test_dp_sgd(pld: ModuleType, noise: float, rate: float, steps: int) -> None:
    fine, coarse = (
        pld.from_gaussian_mechanism(
            noise, sampling_prob=rate, value_discretization_interval=interval
        )
        .self_compose(steps)
        .get_delta_for_epsilon(EPSILONS)
        for interval in (FINE, 2 * FINE)
    )
    f = dp_sgd(noise, rate, steps)
    if rate == 1:  # a Gaussian, in closed form
        assert f.error == 0
        np.testing.assert_allclose(f.delta(np.array(EPSILONS)), fine, rtol=1e-6, atol=1e-12)
    else:
        assert_between(f, fine, coarse)


@pytest.mark.parametrize(("epsilon", "times"), [(0.5, 4), (0.1, 50), (1.5, 2)])
def test_repeated_laplace(pld: ModuleType, epsilon: float, times: int) -> None:
    fine, coarse = (
        pld.from_laplace_mechanism(1 / epsilon, value_discretization_interval=interval)
        .self_compose(times)
        .get_delta_for_epsilon(EPSILONS)
        for interval in (FINE, 2 * FINE)
    )
    assert_between(Composed([LaplaceMechanism(epsilon=epsilon)] * times), fine, coarse)


def test_laplace_after_gaussian(pld: ModuleType) -> None:
    fine, coarse = (
        pld.from_laplace_mechanism(1.0, value_discretization_interval=interval)
        .compose(pld.from_gaussian_mechanism(2.0, value_discretization_interval=interval))
        .get_delta_for_epsilon(EPSILONS)
        for interval in (FINE, 2 * FINE)
    )
    f = Composed([LAPLACE, GaussianDP(mu=0.5)])
    assert_between(f, fine, coarse)


def test_never_below_an_optimistic_account(pld: ModuleType) -> None:
    # Losses rounded down: below the truth whatever the grid, by less than an interval a step.
    steps = 20
    bound = pld.from_gaussian_mechanism(
        1.5,
        sampling_prob=0.2,
        value_discretization_interval=FINE,
        pessimistic_estimate=False,
        use_connect_dots=False,
    ).self_compose(steps)
    f = dp_sgd(1.5, 0.2, steps)
    for epsilon in EPSILONS:
        below = bound.get_delta_for_epsilon(epsilon)
        above = bound.get_delta_for_epsilon(max(0.0, epsilon - steps * FINE))
        assert below - 1e-12 <= f.delta(epsilon)
        if epsilon > 0:
            assert f.delta(epsilon) <= above + f.error


@pytest.mark.parametrize("times", [1, 7])
@pytest.mark.parametrize(
    ("one", "name", "arguments"),
    [
        (RandomizedResponse(epsilon=math.log(7), categories=3), "randomized_response", (1 / 3, 3)),
        (
            DiscreteLaplaceMechanism(scale=1.3, sensitivity=2),
            "discrete_laplace_mechanism",
            (1 / 1.3, 2),
        ),
    ],
)
def test_exact_products(
    pld: ModuleType, one: TradeoffFunction, name: str, arguments: tuple[float, int], times: int
) -> None:
    # Every loss is rounded up by less than the interval, so they are between two exact values.
    theirs = getattr(pld, f"from_{name}")(*arguments, value_discretization_interval=FINE)
    theirs = theirs.self_compose(times) if times > 1 else theirs
    f = Composed([one] * times)
    assert f.error == 0
    for epsilon in EPSILONS:
        delta = theirs.get_delta_for_epsilon(epsilon)
        assert f.delta(epsilon) - 1e-12 <= delta <= f.delta(epsilon - times * FINE) + 1e-12
