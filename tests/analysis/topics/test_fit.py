"""The Q-Q plot: axes that are alike and reach as far as the data."""

import math

import numpy as np
import pytest

from dpviz import Result, analyze, read_sample
from dpviz.analysis.topics.fit import QUANTILES
from dpviz.drawing.svg import SvgFrame


def ends(result: Result | None) -> list[float]:
    """The ends of x and of y; of axes on which nothing was drawn yet without a result."""
    frame = SvgFrame(QUANTILES)
    if result is not None:
        frame.draw_layers(QUANTILES.layers(), result)
    return [frame.x.low, frame.x.high, frame.y.low, frame.y.high]


@pytest.mark.parametrize("transform", ["paper", "none"])
def test_both_axes_end_at_the_first_whole_number_beyond_the_data(transform: str) -> None:
    result = analyze(read_sample("gamma"), method="normal", transform=transform)
    fit = result.sample.fit
    farthest = np.abs([*fit.member_quantiles, *fit.nonmember_quantiles]).max()
    assert 6 < farthest < 8
    assert ends(result) == [s * math.ceil(farthest) for s in (-1, 1, -1, 1)]
    assert ends(None) == [-4, 4, -4, 4]
