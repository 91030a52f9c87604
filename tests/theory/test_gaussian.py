"""Rates of Gaussian DP on a logarithmic scale, where they are far below the smallest float."""

import numpy as np
import pytest
from mpmath import erfc, erfinv, log, mp, mpf, sqrt

from dpviz.theory import GaussianDP


def log_normal_tail(x: object) -> object:
    return log(erfc(x / sqrt(2)) / 2)


@pytest.mark.parametrize("mu", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("alpha", ["0.5", "0.01", "1e-9", "0.999"])
def test_log_beta_is_that_of_the_normal_law(mu: float, alpha: str) -> None:
    with mp.workdps(60):
        z = sqrt(2) * erfinv(1 - 2 * mpf(alpha))  # beta(alpha) = P(Z <= z - mu)
        expected = float(log_normal_tail(mpf(mu) - z))
    found = GaussianDP(mu=mu).log_beta(np.log(float(alpha)))
    assert found == pytest.approx(expected, rel=1e-9)
