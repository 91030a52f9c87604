"""Areas between two curves: where the attack's true curve is, where chance alone would put it."""

from collections.abc import Callable

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.log_log import on_axes, tail_of_line
from dpviz.checks import FloatArray
from dpviz.widgets.figures import Frame, theme
from dpviz.widgets.figures.marks import NOTHING
from dpviz.widgets.layers.layer import Change

Line = Callable[[FloatArray], FloatArray]
"""From a curve with columns FPR and FNR to what the picture's axes show."""


def as_it_is(curve: FloatArray) -> FloatArray:
    """FPR and FNR."""
    return curve


def as_tail(curve: FloatArray) -> FloatArray:
    """FPR and TPR on logarithmic axes."""
    return on_axes(tail_of_line(curve))


class AttackBand:
    """Where the attack's true curve lies: limits of both rates, at all thresholds at once.

    Parameters
    ----------
    line : callable
        How a curve is drawn.
    """

    closed_form = False

    def __init__(self, line: Line = as_it_is) -> None:
        self._line = line

    def build(self, frame: Frame, change: Change) -> None:
        """One area."""
        self._area = frame.area(
            color=theme.ATTACK,
            opacity=0.16,
            outline=False,
            label="confidence band: the attack's true curve",
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        """The band."""
        return (result.sample and result.sample.band,)

    def draw(self, result: Result) -> None:
        """Show the area, or nothing without scores."""
        if result.sample is None:
            self._area.draw(NOTHING)
        else:
            band = result.sample.band
            self._area.draw(_between(self._line(band.lower), self._line(band.upper)))


class NullBand:
    """Where measured curves of as many records lie when nothing leaks.

    Parameters
    ----------
    line : callable
        How a curve is drawn.
    """

    closed_form = False

    def __init__(self, line: Line = as_it_is) -> None:
        self._line = line

    def build(self, frame: Frame, change: Change) -> None:
        """One area."""
        self._area = frame.area(
            color=theme.SHADE,
            opacity=0.28,
            outline=False,
            label="no leakage: 95 in 100 measured curves (simulated)",
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        """What chance alone gives."""
        return (result.sample and result.sample.audit.null_band,)

    def draw(self, result: Result) -> None:
        """Show the area once it was simulated."""
        band = result.sample and result.sample.audit.null_band
        if band:
            self._area.draw(_between(self._line(band.lower), self._line(band.upper)))
        else:
            self._area.draw(NOTHING)


class RuledOut:
    """The part of the square that no claim's curve can enter, at the confidence of the band.

    Parameters
    ----------
    line : callable
        How a curve is drawn.
    beyond : float
        Height of the picture's edge on that side.
    """

    closed_form = False

    def __init__(self, line: Line = as_it_is, *, beyond: float = 1.0) -> None:
        self._line, self._beyond = line, beyond

    def build(self, frame: Frame, change: Change) -> None:
        """One area."""
        self._area = frame.area(
            color=theme.SHADE,
            opacity=0.12,
            outline=False,
            label="ruled out for the claim's curve (confidence band)",
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        """The band."""
        return (result.sample and result.sample.band,)

    def draw(self, result: Result) -> None:
        """From the upper limit to the edge."""
        if result.sample is None:
            self._area.draw(NOTHING)
            return
        limit = self._line(result.sample.band.upper)
        ends = np.array([[limit[-1, 0], self._beyond], [limit[0, 0], self._beyond]])
        self._area.draw(np.vstack([limit, ends]))


class SurelyReached:
    """How near to the corner of no errors the attack comes at least, as a line in the region."""

    closed_form = False

    def build(self, frame: Frame, change: Change) -> None:
        """One line."""
        self._line = frame.line(
            color=theme.LIMIT,
            dash="dotted",
            width=1.5,
            label="the attack comes at least this near (confidence band)",
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        """The band."""
        return (result.sample and result.sample.band,)

    def draw(self, result: Result) -> None:
        """The upper limit."""
        self._line.draw(NOTHING if result.sample is None else result.sample.band.upper)


def _between(one: FloatArray, other: FloatArray) -> FloatArray:
    """The outline of what lies between two curves."""
    return np.vstack([one, other[::-1]])
