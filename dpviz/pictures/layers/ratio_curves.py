"""The four ratio curves of Epsilon* in logs, counted and fitted, and their maxima."""

import numpy as np

from dpviz.analysis import Result
from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.axes import decades_of
from dpviz.pictures.frame import NOTHING, Curve, Frame, Points
from dpviz.pictures.layer import Change

NAMED_FROM = 0.25
"""Maxima near 0 coincide; their names would hide each other."""


class RatioCurvesLayer:
    """log m1..m4 over t = FPR, in decades of odds, with the maximum of each marked.

    Where laws are fitted, the counts stand beside them as thin lines.
    """

    closed_form = False

    def build(self, frame: Frame, change: Change) -> None:
        """Four lines and their maxima."""
        self._frame = frame
        self._lines: list[Curve] = []
        self._counted = [
            frame.line(color=color, width=0.8, label="" if i else "thin: the counts beside a fit")
            for i, color in enumerate(theme.RATIOS)
        ]
        self._maxima: list[Points] = []
        for i, (color, dash) in enumerate(zip(theme.RATIOS, theme.RATIO_DASHES, strict=True)):
            self._lines.append(frame.line(color=color, dash=dash, label=f"log m{i + 1}"))
        for color in theme.RATIOS:
            self._maxima.append(frame.points(color=color, marker="diamond"))

    def parts(self, result: Result) -> tuple[object, ...]:
        """Epsilon*."""
        return (result.sample and result.sample.epsilon_star,)

    def draw(self, result: Result) -> None:
        """Set the ranges, then the lines and the maxima."""
        if result.sample is None:
            for line in (*self._lines, *self._counted):
                line.draw(NOTHING)
            for points in self._maxima:
                points.draw(NOTHING)
            return
        part = result.sample.epsilon_star
        self._frame.x.set_range(-part.decades, part.decades)
        self._frame.y.set_range(*part.log_ratio_range)
        for line, curve in zip(self._lines, part.curves.curves, strict=True):
            line.draw(self._in_decades(curve))
        for line, curve in zip(self._counted, part.curves.counted, strict=True):
            line.draw(NOTHING if part.curves.fitted is None else self._in_decades(curve))
        for i, maximum in enumerate(part.star.suprema.maxima):
            if not maximum.log_ratio > self._frame.y.low:
                self._maxima[i].draw(NOTHING)
                continue
            x = np.array([self._frame.x.clamp(float(decades_of(np.array(maximum.fpr))))])
            y = np.array([self._height(i, maximum.log_ratio)])
            self._maxima[i].draw(np.column_stack([x, y]), texts=[_name(i, maximum.log_ratio)])

    def _in_decades(self, curve: FloatArray) -> FloatArray:
        x = self._frame.x
        return np.column_stack([np.clip(decades_of(curve[:, 0]), x.low, x.high), curve[:, 1]])

    def _height(self, i: int, log_ratio: float) -> float:
        """Where a maximum stands; infinite ones near the top, one below the other."""
        low, high = self._frame.y.low, self._frame.y.high
        return high - 0.08 * (i + 1) * (high - low) if np.isinf(log_ratio) else log_ratio


def _name(i: int, log_ratio: float) -> str:
    if np.isinf(log_ratio):
        return f"m{i + 1}: ∞"
    return f"max m{i + 1}" if log_ratio > NAMED_FROM else ""
