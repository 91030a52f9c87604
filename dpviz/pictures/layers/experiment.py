"""A membership experiment: points settling on the trade-off curve, estimates settling on bounds."""

from collections.abc import Callable

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.experiment import REPEATS, ExperimentPart
from dpviz.analysis.experiment_sentences import LEVEL
from dpviz.analysis.wording import percent
from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.frame import NOTHING, Frame
from dpviz.pictures.layer import Change

Shown = Callable[[], ExperimentPart]
"""Gives what was played: it is asked for by name and is no part of a result."""
SMALLEST_WINDOW = 2.0**-15
"""Half of its width; ticks have six digits."""
LEAST_ROUNDS = 100
"""The axis of rounds reaches at least so far."""
ROOM = 1.5
"""The axis over its last decade, whose label has room then."""
NAMES = ("ppv", "tpr", "fpr")
DASHES: tuple[theme.Dash, ...] = ("solid", "dashed", "dotted")


class SettlingCloud:
    """The claim's curve, runs of the same attack around it, this run with its intervals.

    Parameters
    ----------
    shown : callable
    magnified : callable
        Whether the axes show the neighbourhood of the point that the runs settle on.
    """

    closed_form = False

    def __init__(self, shown: Shown, magnified: Callable[[], bool]) -> None:
        self._shown, self._magnified = shown, magnified

    def build(self, frame: Frame, change: Change) -> None:
        """Curve, cloud, rectangle, point."""
        self._frame = frame
        self._guess = frame.line(
            color=theme.SELECTION, dash="dotted", width=1.5, label="blind guess"
        )
        self._guess.draw(np.array([[0.0, 1.0], [1.0, 0.0]]))
        self._cloud = frame.points(
            color=theme.LEVEL,
            marker="diamond",
            size=14,
            label=f"{REPEATS} further runs, each as long",
        )
        self._curve = frame.line(color=theme.CLAIM, width=2.5, label="claim: no attack below")
        self._rectangle = frame.area(
            color=theme.ATTACK, opacity=0.15, label=f"{percent(LEVEL)} interval of each rate"
        )
        self._point = frame.points(
            color=theme.ATTACK, marker="diamond", size=90, label="this run (estimate)"
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        """What was played, the claim's curve, and which part of it to show."""
        return (self._shown(), result.claim, self._magnified())

    def draw(self, result: Result) -> None:
        """Set the ranges, then everything; a rate that is 0/0 has no place."""
        part = self._shown()
        counts, cloud = part.counts, part.cloud
        x, y = self._frame.x, self._frame.y
        asked = part.experiment
        truth = np.array([asked.fpr, asked.f.beta(asked.fpr)])
        if self._magnified() and len(cloud):
            around = np.maximum(np.abs(cloud - truth).max(axis=0), SMALLEST_WINDOW)
            half = 2.0 ** np.ceil(np.log2(around))  # steps: the axes do not tremble
            for axis, center, reach in zip((x, y), truth, half, strict=True):
                axis.set_range(max(0.0, center - reach), min(1.0, center + reach))
        else:
            x.set_range(0.0, 1.0)
            y.set_range(0.0, 1.0)
        self._curve.draw(self._vertices(result))
        self._cloud.draw(cloud)
        here = np.array([[counts.fpr.value, counts.fnr.value]])
        is_placed = bool(np.isfinite(here).all())
        self._point.draw(here if is_placed else NOTHING)
        (left, right), (bottom, top) = (
            rate.interval(confidence_level=LEVEL) for rate in (counts.fpr, counts.fnr)
        )
        corners = np.array([[left, bottom], [right, bottom], [right, top], [left, top]])
        self._rectangle.draw(corners if is_placed else NOTHING)

    def _vertices(self, result: Result) -> FloatArray:
        """The claim's curve, finer where the axes show a small part of it."""
        claim, x = result.claim, self._frame.x
        if (x.low, x.high) == (0.0, 1.0):
            return claim.curve
        kinks = claim.curve[(claim.curve[:, 0] > x.low) & (claim.curve[:, 0] < x.high), 0]
        fpr = np.union1d(np.linspace(x.low, x.high, 200), kinks)
        return np.column_stack([fpr, claim.claim.beta(fpr)])


class SettlingRates:
    """PPV, TPR and FPR after each round, and what they settle on."""

    closed_form = False

    def __init__(self, shown: Shown) -> None:
        self._shown = shown

    def build(self, frame: Frame, change: Change) -> None:
        """Three levels and three running estimates with the same dashes."""
        self._frame = frame
        says = ("PPV: at most (claim)", "TPR: at most (claim)", "FPR: set")
        colors = (theme.CLAIM, theme.CLAIM, theme.SELECTION)
        self._levels = {
            name: frame.line(color=color, dash=dash, width=1.5, label=label)
            for name, color, dash, label in zip(NAMES, colors, DASHES, says, strict=True)
        }
        colors = (theme.ATTACK, theme.MEMBER, theme.NONMEMBER)
        self._running = {
            name: frame.line(color=color, dash=dash, width=2.5, label=f"{name.upper()} (estimate)")
            for name, color, dash in zip(NAMES, colors, DASHES, strict=True)
        }

    def parts(self, result: Result) -> tuple[object, ...]:
        """What was played."""
        return (self._shown(),)

    def draw(self, result: Result) -> None:
        """Set the ranges, then the lines; what the axis is too short for stands at its end."""
        part, (x, y) = self._shown(), (self._frame.x, self._frame.y)
        asked = part.experiment
        levels = {"ppv": part.ppv_bound, "tpr": asked.tpr, "fpr": asked.fpr}
        decade = np.ceil(np.log10(max(LEAST_ROUNDS, part.counts.rounds)))
        x.set_range(1.0, ROOM * 10.0**decade)
        smallest = min((level for level in levels.values() if level > 0), default=0.1)
        y.set_range(10.0 ** np.floor(np.log10(max(smallest, 1e-12) / 2)), 1.0)
        for name, level in levels.items():
            height = y.clamp(level)
            self._levels[name].draw(np.array([[x.low, height], [x.high, height]]))
        for name, running in part.running().items():
            self._running[name].draw(
                np.column_stack([running[:, 0], np.maximum(running[:, 1], y.low)])
            )
