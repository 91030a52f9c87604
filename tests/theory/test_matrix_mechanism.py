"""Matrix mechanisms, each record in one step."""

import numpy as np
import pytest

from dpviz import theory
from dpviz.theory.matrix_mechanism import blt_coefficients, matrix_mechanism


def test_the_sensitivity_is_that_of_the_worst_step() -> None:
    rng = np.random.default_rng(1)
    matrix = np.tril(rng.normal(size=(6, 6)))
    moved = max(np.linalg.norm(matrix @ np.eye(6)[:, i]) for i in range(6))
    found = matrix_mechanism(matrix, noise=3.0).parameters["noise_multiplier"]
    assert found == pytest.approx(3.0 / moved)
    band = [1.0, 0.4, 0.2]
    toeplitz = np.sum([c * np.eye(8, k=-i) for i, c in enumerate(band)], axis=0)
    whole = matrix_mechanism(toeplitz, noise=1.0)
    short = matrix_mechanism(band, noise=1.0)
    assert short.epsilon(1e-5) == pytest.approx(whole.epsilon(1e-5), rel=1e-12)
    replaced = matrix_mechanism(np.eye(4), noise=2.0, adjacency="replace_one")
    twice = theory.GaussianDP(mu=1.0)  # a replaced record moves a sum twice as far
    assert replaced.epsilon(1e-5) == pytest.approx(twice.epsilon(1e-5), rel=1e-12)


BANDS = {
    "three steps of one": ([1.0, 0.0, 0.0], 3),
    "two bands": ([1.0, 1.0, 0.0, 0.0], 2),
    "a sign": ([1.0, -0.8, 0.0, 0.0, 0.0, 0.0], 3),
    "a rest of one step": ([1.0, 0.5, 0.0, 0.0, 0.0], 2),
}
SAMPLES, NOISE = 200_000, 1.3


def deltas_of_a_random_step(column: list[float], epsilon: float) -> list[tuple[float, float]]:
    """Return delta in both orders, each with its standard error, for an adaptive record.

    The record has the sign of the last output before its step. No other record contributes.
    """
    n, rng = len(column), np.random.default_rng(7)
    y = rng.normal(0, NOISE, (SAMPLES, n))
    ratio = np.zeros(SAMPLES)
    for i in range(n):
        v = np.sign(y[:, i - 1]) if i else np.ones(SAMPLES)
        shift = np.array([0.0] * i + column[: n - i])
        ratio += np.exp((v * (y @ shift) - shift @ shift / 2) / NOISE**2) / n
    cut = np.exp(epsilon)
    both = np.maximum(ratio - cut, 0), np.maximum(1 - cut * ratio, 0)
    return [(float(each.mean()), float(each.std() / SAMPLES**0.5)) for each in both]


@pytest.mark.parametrize(("column", "blocks"), BANDS.values(), ids=BANDS)
def test_a_random_step_is_bounded_in_both_orders(column: list[float], blocks: int) -> None:
    found = matrix_mechanism(column, noise=NOISE, random_step=True)
    known = matrix_mechanism(column, noise=NOISE)
    assert found.parameters["steps"] == blocks
    for epsilon in (0.1, 0.5, 1.0):
        bound = float(found.delta(epsilon))
        assert all(
            bound > value - 4 * error for value, error in deltas_of_a_random_step(column, epsilon)
        )
        assert bound < float(known.delta(epsilon))


def test_as_many_steps_as_columns_would_be_no_bound() -> None:
    column = [1.0, 1.0, 0.0, 0.0]
    false = theory.SubsampledGaussian(
        noise_multiplier=NOISE / 2**0.5, sampling_rate=1 / 4, steps=4, sampling="random_allocation"
    )
    value, error = deltas_of_a_random_step(column, 1.0)[0]
    assert float(false.delta(1.0)) < value - 4 * error


def test_a_random_step_gains_nothing_without_zeros() -> None:
    matrix = np.tril(np.ones((4, 4)))
    known = matrix_mechanism(matrix, noise=2.0)
    assert matrix_mechanism(matrix, noise=2.0, random_step=True) == known
    # Two bands of a matrix that is no Toeplitz matrix: the farthest entry counts.
    band = np.eye(6)
    band[3, 2] = -0.5
    assert matrix_mechanism(band, noise=2.0, random_step=True).parameters["steps"] == 3


def test_a_buffered_matrix_is_a_recursion() -> None:
    scales, decays = np.array([0.3, 0.2]), np.array([0.9, 0.5])
    state, column = scales.copy(), [1.0]
    for _ in range(5):
        column.append(state.sum())
        state = state * decays
    np.testing.assert_allclose(blt_coefficients(scales, decays, 6), column, rtol=1e-14)


def test_bad_matrices_are_refused() -> None:
    with pytest.raises(ValueError, match="strategy must be lower triangular"):
        matrix_mechanism(np.ones((2, 2)), noise=1.0)
    with pytest.raises(ValueError, match=r"strategy must be an array of shape \(n, n\) or \(n,\)"):
        matrix_mechanism(np.ones((2, 3)), noise=1.0)
    with pytest.raises(ValueError, match="strategy must be a matrix with an entry that is not 0"):
        matrix_mechanism([0.0], noise=1.0)
    with pytest.raises(ValueError, match="decays must be as many as scales"):
        blt_coefficients([1.0], [0.5, 0.5], 3)
