"""Areas between two curves: where the attack's true curve is, where chance alone would put it."""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.log_log import on_axes, tail_of_line
from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.frame import NOTHING, Frame
from dpviz.pictures.layer import Change


class Limits(Protocol):
    """Two curves with columns FPR and FNR, one nowhere above the other."""

    @property
    def lower(self) -> FloatArray:
        """The FNR is nowhere below it."""

    @property
    def upper(self) -> FloatArray:
        """The FNR is nowhere above it."""


Line = Callable[[FloatArray], FloatArray]
"""From a curve with columns FPR and FNR to what the picture's axes show."""


def as_it_is(curve: FloatArray) -> FloatArray:
    """FPR and FNR."""
    return curve


def as_tail(curve: FloatArray) -> FloatArray:
    """FPR and TPR on logarithmic axes."""
    return on_axes(tail_of_line(curve))


class Band:
    """The area between two limits of a curve.

    Parameters
    ----------
    limits : callable
        What has the limits, as `lower` and `upper`; None where it is not known.
    color, opacity, label
        Of the area.
    line : callable
        How a curve is drawn.
    """

    closed_form = False

    def __init__(
        self,
        limits: Callable[[Result], Limits | None],
        *,
        color: str,
        opacity: float,
        label: str,
        line: Line,
    ) -> None:
        self._limits, self._line = limits, line
        self._color, self._opacity, self._label = color, opacity, label

    def build(self, frame: Frame, change: Change) -> None:
        """One area."""
        self._area = frame.area(
            color=self._color, opacity=self._opacity, outline=False, label=self._label
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        """The limits."""
        return (self._limits(result),)

    def draw(self, result: Result) -> None:
        """Show the area, or nothing where it is not known."""
        limits = self._limits(result)
        if limits is None:
            self._area.draw(NOTHING)
        else:
            outline = [self._line(limits.lower), self._line(limits.upper)[::-1]]
            self._area.draw(np.vstack(outline))


def attack_band(line: Line = as_it_is) -> Band:
    """Where the attack's true curve lies: limits of both rates, at all thresholds at once."""
    return Band(
        lambda result: None if result.sample is None else result.sample.band,
        color=theme.ATTACK,
        opacity=0.16,
        label="confidence band: the attack's true curve",
        line=line,
    )


def null_band(line: Line = as_it_is) -> Band:
    """Where measured curves of as many records lie when nothing leaks."""
    return Band(
        lambda result: None if result.sample is None else result.sample.audit.null_band,
        color=theme.SHADE,
        opacity=0.28,
        label="no leakage: 95 in 100 measured curves (simulated)",
        line=line,
    )


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
