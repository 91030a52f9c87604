"""Sentences about the noise of Laplace and Gaussian mechanisms over the dimension."""

from dpviz.analysis.number_format import short
from dpviz.analysis.parts.noise import NoisePart

NONE = "Gaussian and Laplace noise are compared for ε above 0 and δ between 0 and 1."
ABOUT = (
    "Deviations are those of the noise in each coordinate, for a query that one record changes by "
    "at most 1 in the L2 norm. In d dimensions that may be √d in L1, which Laplace noise has to "
    "hide. Laplace noise gives ε with δ = 0, Gaussian noise only with this δ. For a query that "
    "changes by at most 1 in L1, Laplace noise does not grow with d either."
)


def lead(part: NoisePart) -> str:
    """Where the Gaussian noise becomes the smaller one."""
    if part.crossing is None:
        return NONE
    at = f"ε = {short(part.epsilon)}, δ = {short(part.delta)}"
    if part.crossing == 1:
        return f"At {at} Gaussian noise is no larger than Laplace noise in any dimension."
    return (
        f"At {at} Gaussian noise is no larger than Laplace noise from dimension {part.crossing} on."
    )
