"""Random allocation: quadrature, simulation, and the numbers of another library."""

import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from dpviz.theory import Composed, GaussianDP, SubsampledGaussian
from dpviz.theory.mechanisms.discrete_pair import DiscretePair
from dpviz.theory.mechanisms.random_allocation import AllocatedOnce, allocated, ratio_atoms
from tests.slow import parametrize

EPSILONS = np.array([0.0, 0.2, 1.0, 2.5])
RECORDED = json.loads((Path(__file__).parent / "random_allocation.json").read_text())


def allocation(noise: float, k: int, t: int, **more: Any) -> SubsampledGaussian:
    return SubsampledGaussian(
        noise_multiplier=noise, sampling_rate=k / t, steps=t, sampling="random_allocation", **more
    )


def call(mu: float, strike: np.ndarray) -> np.ndarray:
    """E[(r - strike)+] of one ratio r, log-normal with mean 1 (Black and Scholes)."""
    at = np.maximum(strike, 1e-300)
    d = -np.log(at) / mu + mu / 2
    return np.where(strike > 0, ndtr(d) - at * ndtr(d - mu), 1 - strike)


def deltas_of_two_steps(mu: float, epsilon: float) -> tuple[float, float]:
    """Delta of both orders by quadrature over the first output."""
    y = np.linspace(-12, 12, 20_001)
    w = (y[1] - y[0]) * np.exp(-(y**2) / 2) / math.sqrt(2 * math.pi)
    strike = 2 * math.exp(epsilon) - np.exp(mu * y - mu**2 / 2)
    removed = float((w * call(mu, strike)).sum()) / 2
    low = 2 * math.exp(-epsilon) - np.exp(mu * y - mu**2 / 2)
    put = call(mu, low) - (1 - low)  # E[(strike - r)+]
    return removed, math.exp(epsilon) * float((w * put).sum()) / 2


@pytest.mark.parametrize("mu", [0.3, 1.0, 2.5])
def test_two_steps_are_the_integral(mu: float) -> None:
    f = AllocatedOnce(mu=mu, steps=2)
    merged = DiscretePair.with_losses(ratio_atoms(mu, 2, "merged"))
    for epsilon in EPSILONS:
        for one, other, exact in zip(
            (f, f.inverse()),
            (merged, merged.inverse()),
            deltas_of_two_steps(mu, epsilon),
            strict=True,
        ):
            assert other.delta(epsilon) * (1 - 1e-9) <= exact <= one.delta(epsilon) * (1 + 1e-9)
            assert one.delta(epsilon) - exact <= f.error


@parametrize(("noise", "t"), [(1.0, 3), (0.5, 7), (2.0, 20), (1.0, 100)], slow_but=[(1.0, 3)])
def test_deltas_are_those_of_simulated_outputs(noise: float, t: int) -> None:
    rng, n = np.random.default_rng(5), 200_000
    sums = np.zeros((2, n))
    for i in range(t):
        y = rng.normal(0.0, 1.0, (2, n))
        y[1] += (i == 0) / noise  # by symmetry the record may be in the first step
        sums += np.exp(y / noise - 1 / (2 * noise**2))
    loss = np.log(sums / t)
    f = AllocatedOnce(mu=1 / noise, steps=t)
    for epsilon in EPSILONS:
        for one, gain in (
            (f, -np.expm1(np.minimum(epsilon - loss[1], 0))),
            (f.inverse(), -np.expm1(np.minimum(epsilon + loss[0], 0))),
        ):
            sampled, error = gain.mean(), 5 * gain.std() / math.sqrt(n) + 1e-6
            assert sampled - error <= one.delta(epsilon) <= sampled + error + f.error


@pytest.mark.parametrize("row", RECORDED["rows"], ids=lambda row: "-".join(map(str, row["of"])))
def test_epsilons_are_those_of_another_library(row: dict[str, Any]) -> None:
    """Its lower bound is never above the claim's epsilon, its upper bound hardly below."""
    noise, k, t, epochs = row["of"]
    one = allocation(noise, k, t)
    f = one if epochs == 1 else Composed([one] * epochs)
    for delta, (low, high) in row["epsilons"].items():
        assert low <= f.epsilon(float(delta)) <= high + 0.01 * (1 + high)


@pytest.mark.parametrize(("mu", "t"), [(1.0, 1), (0.5, 6), (3.0, 13), (1e-6, 40)])
def test_the_exact_curve_is_between_both_ways_of_rounding(mu: float, t: int) -> None:
    x = np.linspace(0, 1, 301)
    below, above = (
        DiscretePair.with_losses(ratio_atoms(mu, t, way)).beta(x) for way in ("spread", "merged")
    )
    assert np.all(below <= above + 1e-12)
    assert np.max(above - below) <= AllocatedOnce(mu=mu, steps=t).error + 1e-12 < 2e-3
    if t == 1:
        exact = GaussianDP(mu=mu).beta(x)
        assert np.all(below <= exact + 1e-12)
        assert np.all(exact <= above + 1e-12)


@pytest.mark.parametrize("mu", [20.0, 40.0, 47.0, 50.0, 1e4])
def test_far_more_than_the_noise_is_below_the_known_step(mu: float) -> None:
    f, x = AllocatedOnce(mu=mu, steps=10), np.geomspace(1e-9, 1, 50)
    assert np.all(f.beta(x) <= 1e-12)
    assert np.all(f.inverse().beta(x) <= 1e-12)
    assert f.error <= 1
    # At FPR 0 the exact FNR is 1.
    assert f.beta(0.0) + f.error >= 1 - 1e-12


def test_few_steps_hide_less_than_many_and_all_steps_hide_nothing() -> None:
    x = np.linspace(0.001, 0.999, 200)
    curves = [allocation(1.0, k, 12) for k in (1, 2, 3, 6, 12)]
    for more, less in pairwise(curves):
        assert np.all(more.beta(x) >= less.beta(x) - 1e-12)
    every = GaussianDP(mu=math.sqrt(12))
    np.testing.assert_allclose(curves[-1].beta(x), every.beta(x), atol=1e-12)
    assert allocation(math.inf, 2, 10).delta(0.0) == 0


def test_rounds_compose() -> None:
    one, both = allocation(1.0, 1, 10), allocation(1.0, 2, 20)
    assert Composed([one, one]).epsilon(1e-5) == pytest.approx(both.epsilon(1e-5), rel=1e-3)
    assert allocated(1.0, 3, 7) == {
        AllocatedOnce(mu=1.0, steps=2): 2,
        AllocatedOnce(mu=1.0, steps=3): 1,
    }
    assert allocated(1.0, 3, 4) == {
        GaussianDP(mu=1.0, adjacency="add_remove"): 2,
        AllocatedOnce(mu=1.0, steps=2): 1,
    }


def test_a_replaced_record_is_removed_and_another_one_added() -> None:
    f = allocation(1.0, 1, 10)
    replaced = allocation(1.0, 1, 10, adjacency="replace_one")
    assert f.to_replace_one() == replaced
    x = np.linspace(0, 1, 101)
    np.testing.assert_allclose(replaced.beta(x), f.beta(1 - f.beta(x)), atol=1e-9)


def test_bad_numbers_are_refused() -> None:
    with pytest.raises(
        ValueError, match="participations must be a whole number from 1 to 5, got 6"
    ):
        allocated(1.0, participations=6, steps=5)
    with pytest.raises(ValueError, match=r"sampling_rate must be in \(0, 1\], got 1.2"):
        allocation(1.0, 6, 5)
    with pytest.raises(ValueError, match=r"0.15 of 10 steps is 1.5: use 2/10"):
        SubsampledGaussian(1.0, 0.15, 10, sampling="random_allocation")
    with pytest.raises(ValueError, match=r"sampling_rate must be 1 for sampling='full_batch'"):
        SubsampledGaussian(1.0, 0.5, sampling="full_batch")
    with pytest.raises(ValueError, match="averaging must be one of"):
        SubsampledGaussian(1.0, 0.5, averaging="mean")
