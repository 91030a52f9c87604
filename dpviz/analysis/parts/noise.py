"""The noise that Laplace and Gaussian mechanisms need, over the dimension of the query."""

import math
from dataclasses import dataclass

import numpy as np

from dpviz.checks import FloatArray, read_only
from dpviz.theory.calibration import gaussian_noise, laplace_scale

LARGEST = 10_000  # dimension that is drawn
PLACES = 100


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisePart:
    """Standard deviations of the noise in each coordinate, for a query with L2 sensitivity 1.

    `laplace` has columns dimension and deviation, for pure epsilon-DP; `gaussian` is the deviation
    for (epsilon, delta), the same in every dimension. From dimension `crossing` on the Gaussian
    one is no larger. It is None, and there is no curve, unless epsilon is in (0, inf) and delta in
    (0, 1).
    """

    epsilon: float
    delta: float
    laplace: FloatArray
    gaussian: float
    crossing: int | None


def noise_part(epsilon: float, delta: float) -> NoisePart:
    """The noise for an epsilon and a delta."""
    if not (0 < epsilon < math.inf and 0 < delta < 1):
        nothing = read_only(np.empty((0, 2)))
        return NoisePart(
            epsilon=epsilon, delta=delta, laplace=nothing, gaussian=math.nan, crossing=None
        )
    dimensions = np.geomspace(1, LARGEST, PLACES)
    # Laplace noise of scale b has the deviation sqrt(2) b; |x|_1 is at most sqrt(d) |x|_2.
    alone = math.sqrt(2) * laplace_scale(epsilon=epsilon, sensitivity=1.0, norm="l2", dimension=1)
    gaussian = gaussian_noise(epsilon=epsilon, delta=delta, sensitivity=1.0)
    return NoisePart(
        epsilon=epsilon,
        delta=delta,
        laplace=read_only(np.column_stack([dimensions, alone * np.sqrt(dimensions)])),
        gaussian=gaussian,
        crossing=max(1, math.ceil((gaussian / alone) ** 2)),
    )
