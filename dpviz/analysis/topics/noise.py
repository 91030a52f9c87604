"""The noise that pure DP (Laplace) and (epsilon, delta)-DP (Gaussian) need in d dimensions."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dpviz.analysis.topic import answer_topic
from dpviz.checks import FloatArray, read_only
from dpviz.drawing import NOTHING, AnswerLayer, AxisSpec, Line, Points, Scene, theme
from dpviz.number_format import short
from dpviz.theory.calibration import gaussian_noise, laplace_scale

MAX_DIM = 10_000  # dimension at the end of the axis
DRAWN_DIMENSIONS = 100  # points of the curve


@dataclass(frozen=True, eq=False)
class NoisePart:
    """Standard deviations of Laplace and Gaussian noise for a query with L2 sensitivity 1."""

    epsilon: float
    delta: float
    laplace: FloatArray  # columns dimension and deviation, for pure DP; empty if out of range
    gaussian: float  # for (epsilon, delta)-DP, in any dimension; NaN if out of range
    crossing: int | None  # the dimension from which on Laplace noise is at least as large


@lru_cache(maxsize=16)
def noise_part(epsilon: float, delta: float) -> NoisePart:
    """Return the standard deviations of Laplace and Gaussian noise for epsilon and delta."""
    if not (0 < epsilon < math.inf and 0 < delta < 1):
        return NoisePart(epsilon, delta, laplace=NOTHING, gaussian=math.nan, crossing=None)
    dimensions = np.geomspace(1, MAX_DIM, DRAWN_DIMENSIONS)
    # Laplace noise of scale b has the standard deviation sqrt(2) b; |x|_1 is at most sqrt(d) |x|_2.
    alone = math.sqrt(2) * laplace_scale(epsilon=epsilon, sensitivity=1.0, norm="l2", dimension=1)
    gaussian = gaussian_noise(epsilon=epsilon, delta=delta, sensitivity=1.0)
    return NoisePart(
        epsilon,
        delta,
        laplace=read_only(np.column_stack([dimensions, alone * np.sqrt(dimensions)])),
        gaussian=gaussian,
        crossing=max(1, math.ceil((gaussian / alone) ** 2)),
    )


def lead(part: NoisePart) -> str:
    """Say the first dimension in which Gaussian noise is no larger than Laplace noise."""
    if part.crossing is None:
        return "Gaussian and Laplace noise are compared for ε above 0 and δ between 0 and 1."
    at = f"ε = {short(part.epsilon)}, δ = {short(part.delta)}"
    if part.crossing == 1:
        return f"At {at} Gaussian noise is at most as large as Laplace noise in every dimension."
    return (
        f"At {at} Gaussian noise is at most as large as Laplace noise from dimension "
        f"{part.crossing} on."
    )


ABOUT = (
    "The curves show the standard deviation of the noise in each coordinate, for a query that one "
    "record changes by at most 1 in the L2 norm. In d dimensions this change may be √d in the L1 "
    "norm, and the scale of Laplace noise grows with it. Laplace noise gives ε with δ = 0; "
    "Gaussian noise gives ε only with this δ. If the query changes by at most 1 in the L1 norm, "
    "Laplace noise does not grow with d."
)


class NoiseOverDimension(AnswerLayer[NoisePart]):
    """Standard deviations of Laplace and Gaussian noise, against the dimension."""

    answer = "noise"
    laplace = Line(color=theme.LEVEL, dash="dashed", label="Laplace, δ = 0")
    gaussian = Line(color=theme.CLAIM, width=2.5, label="Gaussian, with δ")
    crossing = Points(color=theme.CLAIM, marker="diamond")

    def draw_answer(self, part: NoisePart) -> None:
        if part.crossing is None:
            self.hide()
            return
        # The axis has whole decades around both curves.
        low, high = part.laplace[[0, -1], 1]
        ends = np.log10([min(low, part.gaussian), max(high, part.gaussian)])
        self.y.set_range(float(10 ** np.floor(ends[0])), float(10 ** np.ceil(ends[1])))
        self.laplace.draw(part.laplace)
        self.gaussian.draw(self.frame.ends_of_horizontal_line(part.gaussian))
        is_inside = part.crossing <= self.x.high
        place = np.array([[part.crossing, part.gaussian]])
        self.crossing.draw(place if is_inside else NOTHING, texts=[f"d = {part.crossing}"])


NOISE = Scene(
    title="Which noise is smaller in many dimensions?",
    needs="noise",
    x=AxisSpec(label="dimension d of the query (log scale)", low=1, high=MAX_DIM, scale="log"),
    y=AxisSpec(
        label="standard deviation of the noise (log scale)", low=0.1, high=1000, scale="log"
    ),
    left=74,
    layers=lambda: [NoiseOverDimension()],
)

TOPIC = answer_topic(NOISE, lead, lambda _: ABOUT)
