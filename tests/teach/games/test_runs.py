"""Runs of a leak and of Gaussian noise: the same δ, from certain runs and from strong hints."""

import math
from statistics import NormalDist

import numpy as np
import pytest

from dpviz.teach.games.runs import Runs

NORMAL = NormalDist()
# Of Gaussian noise whose standard deviation is the sensitivity, at ε = 1 (Balle and Wang, 2018).
DELTA = NORMAL.cdf(-0.5) - math.e * NORMAL.cdf(-1.5)
N, THOUSANDS = 60_000, 60


@pytest.fixture(scope="module")
def many() -> tuple[np.ndarray, np.ndarray]:
    """The losses of the leak, and of the noise, in many runs."""
    losses = [Runs(login="ada", thousands=i).privacy_losses for i in range(1, THOUSANDS + 1)]
    leak, noise = (np.concatenate(each) for each in zip(*losses, strict=True))
    assert leak.size == noise.size == N
    return leak, noise


def within_chance(sample: np.ndarray, expected: float) -> bool:
    return abs(sample.mean() - expected) < 5 * sample.std() / math.sqrt(sample.size)


def test_the_leak_is_certain_in_a_share_delta_and_else_allowed_by_epsilon(many) -> None:
    leak, noise = many
    assert within_chance(np.isposinf(leak), DELTA)
    # Laplace noise with ε = 1 has losses from -1 to 1; that nothing leaks is a hint against you.
    shift, rest = math.log(1 - DELTA), leak[np.isfinite(leak)]
    assert rest.min() == pytest.approx(shift - 1)
    assert rest.max() == pytest.approx(shift + 1)
    assert within_chance(rest == rest.max(), 0.5)
    assert np.isfinite(noise).all()
    assert within_chance(noise > 1, 1 - NORMAL.cdf(0.5))


def test_delta_counts_parts_of_strong_hints(many) -> None:
    for losses in many:
        assert within_chance(np.maximum(0, 1 - np.exp(1 - losses)), DELTA)
    runs = Runs(login="ada", thousands=7)
    assert runs.hockey_stick_sums == pytest.approx(
        [np.maximum(0, 1 - np.exp(1 - losses)).sum() for losses in runs.privacy_losses]
    )
    assert runs.hockey_stick_sums[0] == np.isposinf(runs.privacy_losses[0]).sum()


def test_losses_are_logs_of_likelihood_ratios(many) -> None:
    """The mean of e^-loss over runs with the record is what they have of all without it: 1."""
    for losses in many:
        assert within_chance(np.exp(-losses), 1.0)


def test_runs_are_counted_on_and_begin_anew() -> None:
    first = Runs(login="ada")
    second = Runs.moves["another 1000 runs"](first)
    assert second.text.startswith("Runs 1001 to 2000. ")
    assert not (second.privacy_losses[1] == first.privacy_losses[1]).any()
    assert Runs.moves["start again"](second) == first
    assert (Runs(login="bob").privacy_losses[1] != first.privacy_losses[1]).all()
