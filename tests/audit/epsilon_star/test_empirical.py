"""Epsilon* of counts against exact fractions over every threshold."""

import math

import numpy as np
import pytest
from hypothesis import given

from dpviz.audit import AttackScores, EpsilonStar, epsilon_star
from tests.audit.oracles import (
    clips,
    deltas,
    exact_rates,
    gaussian_losses,
    largest_log_ratios,
    of_losses,
    surviving_rates,
    tied_losses,
)

MEMBER, NONMEMBER = [0.0, 0.0, 1.0, 2.0, 3.0], [0.0, 2.0, 2.0, 3.0, 4.0, 5.0]


def estimate(
    member: list[float], nonmember: list[float], delta: float, clip: float | None
) -> EpsilonStar:
    return epsilon_star(of_losses(member, nonmember), delta=delta, clip=clip)


def same(found: float, expected: float) -> bool:
    return found == pytest.approx(expected, rel=1e-13, abs=1e-13, nan_ok=True)


@given(member=tied_losses, nonmember=tied_losses, delta=deltas, clip=clips)
def test_every_threshold_in_fractions(
    member: list[float], nonmember: list[float], delta: float, clip: float | None
) -> None:
    star = estimate(member, nonmember, delta, clip)
    pairs = surviving_rates(member, nonmember, clip)
    if not pairs:
        assert math.isnan(star.value)
        assert "no threshold" in star.reason
        return
    expected = largest_log_ratios(pairs, delta)
    for found, log_ratio in zip(star.log_ratios, expected, strict=True):
        assert same(found, log_ratio)
    assert same(star.value, max(0.0, *expected))
    assert bool(star.reason) == math.isinf(star.value)
    everything = surviving_rates(member, nonmember, None)
    assert same(star.unclipped.value, max(0.0, *largest_log_ratios(everything, delta)))


@given(member=tied_losses, nonmember=tied_losses, delta=deltas, clip=clips)
def test_each_maximum_is_at_a_real_threshold(
    member: list[float], nonmember: list[float], delta: float, clip: float | None
) -> None:
    star = estimate(member, nonmember, delta, clip)
    rates = {tau: (t, eta) for tau, t, eta in exact_rates(member, nonmember)}
    for maximum in star.suprema.maxima:
        if not math.isnan(maximum.fpr):
            t, eta = rates[maximum.threshold]  # in the unit of the losses
            assert (maximum.fpr, maximum.fnr) == (float(t), float(eta))


@given(member=tied_losses, nonmember=tied_losses, delta=deltas, clip=clips)
def test_turning_losses_round_renames_the_ratios(
    member: list[float], nonmember: list[float], delta: float, clip: float | None
) -> None:
    star = estimate(member, nonmember, delta, clip)
    turned = estimate([-x for x in member], [-x for x in nonmember], delta, clip)
    np.testing.assert_array_equal(turned.log_ratios, star.log_ratios[[2, 3, 0, 1]])
    np.testing.assert_equal(turned.value, star.value)


@given(member=tied_losses, nonmember=tied_losses, delta=deltas, clip=clips)
def test_exchanging_the_classes_renames_the_ratios(
    member: list[float], nonmember: list[float], delta: float, clip: float | None
) -> None:
    star = estimate(member, nonmember, delta, clip)
    exchanged = estimate(nonmember, member, delta, clip)
    np.testing.assert_array_equal(exchanged.log_ratios, star.log_ratios[[3, 2, 1, 0]])
    np.testing.assert_equal(exchanged.value, star.value)


def test_a_clip_treats_both_ends_alike() -> None:
    # 59 of 1000 non-members stand apart. 1 - 0.059 is a little more than 0.941 in binary.
    member = [0.0] * 500 + [1.0] * 500
    nonmember = [0.0] * 941 + [1.0] * 59
    high = estimate(member, nonmember, 0.0, 0.059).value
    low = estimate([-x for x in member], [-x for x in nonmember], 0.0, 0.059).value
    np.testing.assert_equal(high, low)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("member_mean", [0.0, -1.0, 1.0])
def test_unclipped_it_is_infinite_leak_or_not(seed: int, member_mean: float) -> None:
    # Without ties the pooled minimum belongs to one class, with a share of 1/n > delta.
    scores = gaussian_losses(seed, member=(member_mean, 1, 300), nonmember=(0, 1, 200))
    star = epsilon_star(scores, delta=1e-5, clip=None)
    assert star.value == math.inf
    assert "one class stands alone" in star.reason
    assert epsilon_star(scores, delta=1e-5).unclipped.value == math.inf
    assert math.isfinite(epsilon_star(scores, delta=1e-5).value)


def test_no_surviving_threshold_is_undefined_not_zero() -> None:
    star = estimate([0.0, 1.0], [10.0, 11.0], 1e-5, 0.25)
    assert math.isnan(star.value)
    assert star.reason == "no threshold has both FPR and FNR inside (0.25, 0.75)"
    assert star.unclipped.value == math.inf


def test_identical_samples_show_nothing() -> None:
    assert estimate(MEMBER, MEMBER, 1e-5, None).value == 0


@pytest.mark.parametrize("delta", [0.0, 1e-5, 0.1])
@pytest.mark.parametrize("clip", [0.001, 0.25])
def test_cap_of_a_clip(delta: float, clip: float) -> None:
    star = estimate(MEMBER, NONMEMBER, delta, clip)
    assert star.suprema.cap == pytest.approx(math.log((1 - clip - delta) / clip), rel=1e-14)
    assert star.unclipped.cap == math.inf
    # Just inside the window: 99.9 % of the members accused, 0.11 % of the others.
    apart = estimate([0.0] * 9989 + [9.0] * 11, [0.0] * 11 + [9.0] * 9989, 0.0, 0.001)
    assert 6.8 < apart.value < apart.suprema.cap == pytest.approx(math.log(999))


@pytest.mark.parametrize("delta", [0.9995, 1.0])
@pytest.mark.parametrize("method", ["empirical", "normal"])
def test_a_delta_that_leaves_nothing_to_explain_caps_at_zero(delta: float, method: str) -> None:
    scores = gaussian_losses(0, member=(0, 1, 100), nonmember=(1, 1, 100))
    star = epsilon_star(scores, delta=delta, method=method, clip=0.001)
    assert star.value == 0
    assert star.suprema.cap == 0


def test_paper_clip() -> None:
    scores = of_losses(MEMBER, NONMEMBER)
    assert epsilon_star(scores, delta=1e-5).suprema.clip == 0.001
    assert epsilon_star(scores, delta=1e-5, method="normal").suprema.clip == 1e-5


BAD_ARGUMENTS = [
    ({"delta": 2.0}, r"delta must be in \[0, 1\], got 2.0"),
    ({"delta": math.nan}, r"delta must be in \[0, 1\], got nan"),
    ({"delta": "1e-5"}, "delta must be a number, got '1e-5'"),
    ({"delta": 0.1, "clip": 0.5}, r"clip must be in \[0, 0.5\), got 0.5"),
    ({"delta": 0.1, "clip": -0.1}, r"clip must be in \[0, 0.5\), got -0.1"),
    ({"delta": 0.1, "clip": math.nan}, r"clip must be in \[0, 0.5\), got nan"),
    ({"delta": 0.1, "clip": True}, "clip must be a number, got True"),
    ({"delta": 0.1, "clip": "none"}, "clip must be .* None or 'paper', got 'none'"),
    (
        {"delta": 0.1, "method": "gmm"},
        "method must be one of 'empirical', 'normal', 'mixture', got 'gmm'",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_ARGUMENTS)
@pytest.mark.parametrize("method", ["empirical", "normal"])
def test_illegal_arguments_are_named(
    arguments: dict[str, object], message: str, method: str
) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        epsilon_star(of_losses(MEMBER, NONMEMBER), **{"method": method, **arguments})


def test_the_repr_names_an_estimate_with_its_clip_and_cap() -> None:
    scores = AttackScores.from_losses(member=[1.0, 2.0, 3.0], nonmember=[2.0, 3.0, 4.0])
    assert repr(epsilon_star(scores, delta=0)) == (  # one threshold survives: (2/3) / (1/3)
        "EpsilonStar(estimate=0.693147, clip=0.001, cap=6.90675, unclipped=inf, delta=0, "
        "method='empirical', active='m1', n_members=3, n_nonmembers=3)"
    )


@pytest.mark.parametrize(
    ("member", "nonmember", "active", "tail", "against"),
    [
        # Losses below a threshold: three of four members, no non-member but one of five.
        ([0, 0, 0, 3], [0, 2, 2, 3, 3], 0, True, False),
        # Above it: one of two non-members, one of ten members; below it, 5 of 10 and 1 of 2.
        ([1] * 9 + [2], [1, 2, 2, 2], 1, False, False),
        ([1, 2, 2, 2], [1] * 9 + [2], 2, False, True),
        ([0, 2, 2, 3, 3], [0, 0, 0, 3], 3, True, True),
    ],
)
def test_which_ratio_speaks_and_about_which_tail(
    member: list[float], nonmember: list[float], active: int, tail: bool, against: bool
) -> None:
    suprema = estimate(member, nonmember, 0.0, None).suprema
    clipped = estimate(member, nonmember, 0.0, 0.05).suprema
    for found in (suprema, clipped):
        assert found.active == active
        assert (found.is_member_like, found.is_against_attack) == (tail, against)
