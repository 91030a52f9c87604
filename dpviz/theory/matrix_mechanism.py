"""Matrix mechanisms (DP-FTRL): correlated noise on the gradients of all steps, each record once."""

# Noise Z with independent coordinates is added to C G, where the rows of G are the steps' sums of
# clipped gradients; training uses C^-1 (C G + Z). A record that is in one step only, whichever,
# moves C G by a column of C, times a vector of norm at most 1: in the worst case a Gaussian
# mechanism whose sensitivity is the largest norm of a column.
#
# The same holds if gradients depend on earlier outputs (Denisov, McMahan, Rush, Smith and Thakurta,
# "Improved Differential Privacy for SGD via Optimal Private Linear Operators on Adaptive Streams",
# 2022). For a proof let the record be in step i with the vector v, which depends on the outputs of
# the steps before i. The density of all outputs is the product of the Normal densities of each one,
# given those before. C is lower triangular, so the record moves the mean of output j by ``C_ji v``
# and nothing else: a Gaussian mechanism, whose shift is chosen before step i.
#
# This bound holds for any way to choose the step without the outputs, also for a random step: the
# chosen step may be public. A secret step can be better if C has b < n bands, C_ji = 0 for all j of
# at least i + b. Let the step be uniform among all n, and publish its remainder r modulo b. It is
# then uniform among t >= floor(n / b) steps, and the columns of two of these have no row in common:
# the record in step i moves the outputs i, ..., i + b - 1 and no other. Let mu be the largest norm
# of a column over the noise.
#
# The pair of `random_allocation` with t steps dominates, for adaptive gradients, too. Given (y_1,
# ..., y_t) from it, simulate one block of b outputs after the other: the outputs before block k
# determine v, so the vector g of the entries ``C_ji v`` over the noise is known, and |g| <= mu.
# ``(y_k / mu) g`` plus noise N(0, I - g g^T / mu^2) is N(g, I) if the record is in block k, else
# N(0, I). To these coordinates add, in the order of the outputs, what all other records contribute,
# which depends on earlier outputs alone.
#
# Fewer steps are worse: a mean of t + 1 independent ratios is the average of the means of t of
# them, which are alike, so it is smaller in the convex order. So the pair with floor(n / b) steps
# bounds every r. For b = 1 this is DP-SGD in which every record is in one step. Choquette-Choo et
# al., "(Amplified) Banded Matrix Factorization" (2023), have the same blocks for Poisson samples.
# If floor(n / b) = 1, such as for a matrix without zeros, nothing is gained.

from collections.abc import Sequence

import numpy as np

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.mechanisms.gaussian import GaussianMechanism
from dpviz.theory.mechanisms.subsampled_gaussian import SubsampledGaussian
from dpviz.theory.tradeoff import Adjacency, TradeoffFunction

Floats = Sequence[float] | FloatArray


def matrix_mechanism(
    strategy: Floats,
    *,
    noise: float,
    adjacency: Adjacency = "add_remove",
    random_step: bool = False,
) -> TradeoffFunction:
    """Return the guarantee of a matrix mechanism for records that are in at most one step.

    For a secret random step and a band matrix this is that of a random allocation to so many steps
    as there are whole bands: every step's noise then hides the record. Else it is a Gaussian
    mechanism, which is valid for any step that does not depend on outputs.

    Parameters
    ----------
    strategy : array, shape (n, n) or (n,)
        The lower-triangular matrix C, or the first column of a Toeplitz matrix, such as the
        coefficients of a band or of a buffered linear Toeplitz matrix (`blt_coefficients`).
    noise : float, in (0, inf), standard deviation of Z divided by the clipping norm
    adjacency : {"add_remove", "replace_one"}
    random_step : bool
        Whether the step of each record is drawn uniformly from all n, independently of all other
        records, and stays secret.

    Raises
    ------
    ValueError, if `strategy` has another shape, is not lower triangular, or is 0 everywhere

    Examples
    --------
    >>> from dpviz.theory.matrix_mechanism import matrix_mechanism
    >>> matrix_mechanism([1.0, 0.75, 0.0], noise=2.5)  # a column has the norm 1.25
    GaussianMechanism(noise_multiplier=2.0, adjacency='add_remove')
    >>> band = [1.0, 0.75, *[0.0] * 98]  # two of 100 diagonals
    >>> secret = matrix_mechanism(band, noise=2.5, random_step=True)
    >>> secret.steps, round(matrix_mechanism(band, noise=2.5).epsilon(1e-5), 2)
    (50, 1.99)
    >>> round(secret.epsilon(1e-5), 2)
    0.25
    """
    matrix = checks.reals("strategy", strategy, closed="neither")
    noise = checks.positive("noise", noise)
    if matrix.ndim == 1 and matrix.size:  # its first column is the longest
        norms = np.array([np.linalg.norm(matrix)])
        bands = int(np.flatnonzero(matrix)[-1]) + 1 if np.any(matrix) else 1
    elif matrix.ndim == 2 and matrix.size and matrix.shape[0] == matrix.shape[1]:
        if np.any(np.triu(matrix, 1)):
            rule = "lower triangular: no step may use noise of later steps"
            raise checks.fail("strategy", rule, matrix)
        norms = np.linalg.norm(matrix, axis=0)
        row, column = np.nonzero(matrix)
        bands = int(np.max(row - column, initial=0)) + 1
    else:
        raise checks.fail("strategy", "an array of shape (n, n) or (n,)", matrix.shape)
    if not norms.max() > 0:
        raise checks.fail("strategy", "a matrix with an entry that is not 0", strategy)
    multiplier = noise / float(norms.max())
    blocks = len(matrix) // bands
    if random_step and blocks > 1:
        return SubsampledGaussian(
            noise_multiplier=multiplier,
            sampling_rate=1 / blocks,
            steps=blocks,
            adjacency=adjacency,
            sampling="random_allocation",
        )
    return GaussianMechanism(noise_multiplier=multiplier, adjacency=adjacency)


def blt_coefficients(scales: Floats, decays: Floats, steps: int) -> FloatArray:
    """Return the first column of a buffered linear Toeplitz matrix, shape (steps,).

    ``c_0 = 1`` and ``c_t = sum_j scales_j decays_j^(t - 1)`` (Dvijotham, McMahan, Pillutla, Steinke
    and Thakurta, arXiv 2404.16706).

    Parameters
    ----------
    scales, decays : array, shape (k,); decays in [0, 1]
    steps : int, at least 1

    Raises
    ------
    ValueError, if `decays` has another shape than `scales`

    Examples
    --------
    >>> from dpviz.theory.matrix_mechanism import blt_coefficients
    >>> blt_coefficients([0.5], [0.5], steps=4).tolist()
    [1.0, 0.5, 0.25, 0.125]
    """
    weights, rates = checks.reals("scales", scales), checks.reals("decays", decays, 0, 1)
    if weights.ndim != 1 or weights.shape != rates.shape:
        raise checks.fail("decays", f"as many as scales, {weights.shape}", rates.shape)
    powers = rates ** np.arange(checks.whole("steps", steps, 1) - 1)[:, None]
    return np.append(1.0, powers @ weights)
