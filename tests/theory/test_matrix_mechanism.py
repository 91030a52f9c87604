"""Matrix mechanisms, each record in one step."""

import numpy as np
import pytest

from dpviz.theory.matrix_mechanism import blt_coefficients, matrix_mechanism


def test_the_sensitivity_is_that_of_the_worst_step() -> None:
    rng = np.random.default_rng(1)
    matrix = np.tril(rng.normal(size=(6, 6)))
    moved = max(np.linalg.norm(matrix @ np.eye(6)[:, i]) for i in range(6))
    assert matrix_mechanism(matrix, noise=3.0).noise_multiplier == pytest.approx(3.0 / moved)
    band = [1.0, 0.4, 0.2]
    toeplitz = sum(c * np.eye(8, k=-i) for i, c in enumerate(band))
    whole = matrix_mechanism(toeplitz, noise=1.0)
    assert matrix_mechanism(band, noise=1.0).mu == pytest.approx(whole.mu, rel=1e-14)
    replaced = matrix_mechanism(np.eye(4), noise=2.0, adjacency="replace_one")
    assert replaced.mu == 1.0  # a replaced record moves a sum twice as far


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
