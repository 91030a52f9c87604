"""Areas between two curves: the attack's confidence band, and the band of no leakage."""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.parts.log_log import on_axes, tail_of_line
from dpviz.analysis.parts.parts import SamplePart
from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.layer import Layer, SampleLayer
from dpviz.pictures.marks import Area, Line


class Limits(Protocol):
    """Two curves with columns FPR and FNR; `lower` is nowhere above `upper`."""

    @property
    def lower(self) -> FloatArray:
        """Lower limits of the FNR."""

    @property
    def upper(self) -> FloatArray:
        """Upper limits of the FNR."""


# From a curve with columns FPR and FNR to the coordinates of a picture.
OnAxes = Callable[[FloatArray], FloatArray]


def as_it_is(curve: FloatArray) -> FloatArray:
    """FPR and FNR."""
    return curve


def as_roc(curve: FloatArray) -> FloatArray:
    """FPR and TPR."""
    return np.column_stack([curve[:, 0], 1 - curve[:, 1]])


def as_tail(curve: FloatArray) -> FloatArray:
    """FPR and TPR on logarithmic axes."""
    return on_axes(tail_of_line(curve))


def as_tail_point(place: FloatArray) -> FloatArray:
    """The same axes for single places."""
    return on_axes(as_roc(place))


class Band(Layer):
    """The area between two limits of a curve; None where a result has none."""

    def __init__(
        self,
        limits: Callable[[Result], Limits | None],
        *,
        color: str,
        opacity: float,
        label: str = "",
        extra: bool = False,
        on_axes: OnAxes,
    ) -> None:
        self._limits, self._on_axes = limits, on_axes
        self._mark = Area(color=color, opacity=opacity, outline=False, label=label, extra=extra)

    @property
    def label(self) -> str:
        """Its row in the legend."""
        return self._mark.label

    def add_marks(self) -> None:
        self._area = self.add("area", self._mark)

    def parts(self, result: Result) -> tuple[object, ...]:
        return (self._limits(result),)

    def draw(self, result: Result) -> None:
        limits = self._limits(result)
        if limits is None:
            self.hide()
        else:
            outline = [self._on_axes(limits.lower), self._on_axes(limits.upper)[::-1]]
            self._area.draw(np.vstack(outline))


def attack_band(on_axes: OnAxes = as_it_is) -> Band:
    """The confidence band of the attack's true curve, valid at all thresholds at once."""
    return Band(
        lambda result: None if result.sample is None else result.sample.band,
        color=theme.ATTACK,
        opacity=0.16,
        on_axes=on_axes,
    )


def null_band(on_axes: OnAxes = as_it_is) -> Band:
    """The band of measured curves of as many records when nothing leaks."""
    return Band(
        lambda result: None if result.sample is None else result.sample.audit.null_band,
        color=theme.SHADE,
        opacity=0.28,
        label="what chance alone gives (95 %)",
        extra=True,
        on_axes=on_axes,
    )


class RuledOut(SampleLayer):
    """The part of the picture, to its edge at height `beyond`, in which a claim is contradicted.

    The confidence is that of the band.
    """

    def __init__(self, on_axes: OnAxes = as_it_is, *, beyond: float = 1.0) -> None:
        self._on_axes, self._beyond = on_axes, beyond

    def add_marks(self) -> None:
        label = "a claim here is contradicted"
        self._area = self.add(
            "area", Area(color=theme.SHADE, opacity=0.12, outline=False, label=label, extra=True)
        )

    def sample_parts(self, sample: SamplePart) -> tuple[object, ...]:
        return (sample.band,)

    def draw_sample(self, sample: SamplePart) -> None:
        limit = self._on_axes(sample.band.upper)
        ends = np.array([[limit[-1, 0], self._beyond], [limit[0, 0], self._beyond]])
        self._area.draw(np.vstack([limit, ends]))


class SurelyReached(SampleLayer):
    """The upper limit of the attack's curve, as a line in the region."""

    def add_marks(self) -> None:
        label = "upper edge of the 95 % band"
        self._line = self.add(
            "line", Line(color=theme.LIMIT, dash="dotted", width=1.5, label=label, extra=True)
        )

    def sample_parts(self, sample: SamplePart) -> tuple[object, ...]:
        return (sample.band,)

    def draw_sample(self, sample: SamplePart) -> None:
        self._line.draw(sample.band.upper)
