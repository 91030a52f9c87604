"""Parameters from what an attack may do: closed forms, and the next value that would not do."""

import math

import pytest
from scipy.special import ndtr, ndtri

from dpviz.theory import (
    DiscreteLaplaceMechanism,
    GaussianDP,
    GaussianMechanism,
    GroupPrivacy,
    LaplaceMechanism,
    PureDP,
    SubsampledGaussian,
    TradeoffFunction,
    ZeroConcentratedDP,
    for_risk,
)

GAUSSIAN = GaussianMechanism(noise_multiplier=3.0)
# The shift of a Gaussian curve through (FPR, TPR) is the difference of their quantiles.
AT_ONE_PERCENT = ndtri(0.05) - ndtri(0.01)
# PPV 10 % at prior 1 %: a tenth of the accused are members, so TPR / FPR = 99 / 9 = 11.
PPV_OF_TEN_PERCENT = ndtri(0.11) - ndtri(0.01)

EXACT = [
    (GAUSSIAN, "noise_multiplier", {"tpr": 0.05, "fpr": 0.01}, 1 / AT_ONE_PERCENT),
    (GAUSSIAN, "noise_multiplier", {"guess": 0.05, "baseline": 0.01}, 1 / AT_ONE_PERCENT),
    (
        GAUSSIAN,
        "noise_multiplier",
        {"ppv": 0.1, "prior": 0.01, "fpr": 0.01},
        1 / PPV_OF_TEN_PERCENT,
    ),
    # A Gaussian's divergence of an order is order / (2 sigma^2).
    (GAUSSIAN, "noise_multiplier", {"epsilon": 0.5, "order": 8.0}, math.sqrt(8.0)),
    (ZeroConcentratedDP(rho=1.0), "rho", {"epsilon": 0.5, "order": 8.0}, 1 / 16),
    (GaussianDP(mu=0.2), "mu", {"advantage": 0.1}, 2 * ndtri(0.55)),
    (PureDP(epsilon=9.0), "epsilon", {"tpr": 0.05, "fpr": 0.01}, math.log(5)),
    (
        LaplaceMechanism(epsilon=0.1),
        "epsilon",
        {"epsilon": 1.0, "delta": 0.1},
        1 - 2 * math.log(0.9),
    ),
    (DiscreteLaplaceMechanism(scale=1.0), "scale", {"tpr": 0.02, "fpr": 0.01}, 1 / math.log(2)),
]


@pytest.mark.parametrize(("claim", "parameter", "wish", "exact"), EXACT)
def test_it_is_the_closed_form_on_the_safe_side(
    claim: TradeoffFunction, parameter: str, wish: dict[str, float], exact: float
) -> None:
    found = for_risk(claim, parameter, **wish).parameters[parameter]
    excess = found / exact if parameter in ("noise_multiplier", "scale") else exact / found
    assert 1 - 1e-9 <= excess <= 1 + 6e-5


def test_one_more_of_a_whole_number_would_be_too_many() -> None:
    everybody = SubsampledGaussian(noise_multiplier=30.0, sampling_rate=1.0, steps=1000)
    steps = for_risk(everybody, "steps", tpr=0.02, fpr=0.01).parameters["steps"]
    # The mu of all steps is that of one times the root of their number.
    assert steps == math.floor((30 * (ndtri(0.02) - ndtri(0.01))) ** 2)
    group = GroupPrivacy(LaplaceMechanism(epsilon=0.1), 3)
    assert for_risk(group, "size", tpr=0.02, fpr=0.01).parameters["size"] == 6  # e^.6 < 2 < e^.7


def test_less_noise_on_a_sample_would_break_the_wish() -> None:
    step = SubsampledGaussian(noise_multiplier=2.0, sampling_rate=0.2)
    found = for_risk(step, "noise_multiplier", advantage=0.1)
    noise = found.parameters["noise_multiplier"]
    # rate times the Gaussian's total variation, 2 Phi(1 / (2 noise)) - 1
    assert noise == pytest.approx(1 / (2 * ndtri(0.75)), rel=1e-4)
    assert found.delta(0.0) <= 0.1
    assert found.adjacency == "add_remove"
    assert found.parameters["sampling_rate"] == 0.2


def test_ends_of_the_range() -> None:
    nobody = SubsampledGaussian(noise_multiplier=1.0, sampling_rate=0.1, adjacency="add_remove")
    all_of_them = for_risk(nobody, "sampling_rate", tpr=0.5, fpr=0.01)
    assert all_of_them.parameters["sampling_rate"] == 1.0
    assert ndtr(1 + ndtri(0.01)) < 0.5
    many = SubsampledGaussian(noise_multiplier=0.1, sampling_rate=1.0, steps=2)
    with pytest.raises(
        ValueError, match="steps must be able to meet the wish from 1 to 1e\\+07, got 2"
    ):
        for_risk(many, "steps", advantage=0.01)


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ({"tpr": 0.5}, "the target must be advantage, or tpr and fpr"),
        ({"ppv": 0.1, "prior": 0.2, "fpr": 0.1}, r"ppv must be in \(0.2, 1\), got 0.1"),
        ({"guess": 0.1, "baseline": 0.1}, r"guess must be in \(0.1, 1\), got 0.1"),
    ],
)
def test_wishes_that_are_none(wish: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        for_risk(GAUSSIAN, "noise_multiplier", **wish)


def test_a_parameter_that_the_claim_does_not_have() -> None:
    with pytest.raises(ValueError, match=r"parameter must be .*rho.*, got 'mu'"):
        for_risk(ZeroConcentratedDP(rho=1.0), "mu", advantage=0.1)


def test_pure_dp_is_calibrated_too() -> None:
    """A scale b of Laplace noise on whole numbers gives pure DP with epsilon = 1 / b."""
    found = for_risk(DiscreteLaplaceMechanism(scale=1.0), "scale", epsilon=0.3, delta=0.0)
    assert found.parameters["scale"] == pytest.approx(1 / 0.3, rel=1e-4)
    assert found.epsilon(0.0) <= 0.3
    with pytest.raises(ValueError, match="noise_multiplier must be able to meet the wish"):
        for_risk(GAUSSIAN, "noise_multiplier", epsilon=1.0, delta=0.0)
