"""A membership experiment: runs around the trade-off curve, estimates that converge to bounds."""

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.number_format import percent
from dpviz.analysis.parts.experiment import REPEATS, ExperimentPart
from dpviz.analysis.sentences.experiment import LEVEL
from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.frame import rectangle
from dpviz.pictures.layer import Layer
from dpviz.pictures.layers.random_guessing import add_random_guessing
from dpviz.pictures.marks import NOTHING, Area, Line, Points

SMALLEST_WINDOW = 2.0**-15  # half the width of the magnified axes; ticks have six digits
LEAST_ROUNDS = 100  # the axis of rounds reaches at least so far
ROOM = 1.5  # length of the axis over its last decade, so that the label has room
NAMES = ("ppv", "tpr", "fpr")
DASHES: tuple[theme.Dash, ...] = ("solid", "dashed", "dotted")


class SettlingCloud(Layer):
    """The claim's curve, further runs of the same attack, this run with its intervals.

    Magnified, the axes show the neighbourhood of the point to which the runs converge.
    """

    def add_marks(self) -> None:
        add_random_guessing(self.frame)
        label = f"{REPEATS} further runs"
        self._cloud = self.add(
            "cloud", Points(color=theme.LEVEL, marker="diamond", size=14, label=label)
        )
        label = "limit of the claim"
        self._curve = self.add("curve", Line(color=theme.CLAIM, width=2.5, label=label))
        label = f"{percent(LEVEL)} intervals"
        self._rectangle = self.add(
            "rectangle", Area(color=theme.ATTACK, opacity=0.15, label=label, extra=True)
        )
        label = "this run (estimate)"
        self._point = self.add(
            "point", Points(color=theme.ATTACK, marker="diamond", size=90, label=label)
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        return (_part(result), result.claim, result.answers.get("experiment_magnified"))

    def draw(self, result: Result) -> None:
        part = _part(result)
        counts, cloud, experiment = part.counts, part.cloud, part.experiment
        truth = np.array([experiment.fpr, experiment.f.beta(experiment.fpr)])
        if result.answers.get("experiment_magnified") and len(cloud):
            around = np.maximum(np.abs(cloud - truth).max(axis=0), SMALLEST_WINDOW)
            half = 2.0 ** np.ceil(np.log2(around))  # in steps, so that the axes do not tremble
            for axis, center, reach in zip((self.x, self.y), truth, half, strict=True):
                axis.set_range(max(0.0, center - reach), min(1.0, center + reach))
        else:
            self.x.set_range(0.0, 1.0)
            self.y.set_range(0.0, 1.0)
        self._curve.draw(self._vertices(result))
        self._cloud.draw(cloud)
        here = np.array([[counts.fpr.value, counts.fnr.value]])
        is_placed = bool(np.isfinite(here).all())  # a rate may be 0/0
        self._point.draw(here if is_placed else NOTHING)
        (left, right), (bottom, top) = (
            rate.interval(confidence_level=LEVEL) for rate in (counts.fpr, counts.fnr)
        )
        self._rectangle.draw(rectangle(left, right, bottom, top) if is_placed else NOTHING)

    def _vertices(self, result: Result) -> FloatArray:
        """The claim's curve, finer where the axes show a small part of it."""
        claim, x = result.claim, self.x
        if (x.low, x.high) == (0.0, 1.0):
            return claim.curve
        kinks = claim.curve[(claim.curve[:, 0] > x.low) & (claim.curve[:, 0] < x.high), 0]
        fpr = np.union1d(np.linspace(x.low, x.high, 200), kinks)
        return np.column_stack([fpr, claim.claim.beta(fpr)])


class SettlingRates(Layer):
    """PPV, TPR and FPR after each round, and the values to which they converge."""

    def add_marks(self) -> None:
        labels = ("PPV: limit of the claim", "", "")
        colors = (theme.CLAIM, theme.CLAIM, theme.SELECTION)
        self._levels = {
            name: self.add(f"{name} level", Line(color=color, dash=dash, width=1.5, label=label))
            for name, color, dash, label in zip(NAMES, colors, DASHES, labels, strict=True)
        }
        labels = ("PPV (estimate)", "TPR (estimate)", "FPR")
        colors = (theme.ATTACK, theme.LIMIT, theme.SELECTION)
        self._running = {
            name: self.add(name, Line(color=color, dash=dash, width=2.5, label=label))
            for name, color, dash, label in zip(NAMES, colors, DASHES, labels, strict=True)
        }

    def parts(self, result: Result) -> tuple[object, ...]:
        return (_part(result),)

    def draw(self, result: Result) -> None:
        part, x, y = _part(result), self.x, self.y
        experiment = part.experiment
        levels = {"ppv": part.ppv_bound, "tpr": experiment.tpr, "fpr": experiment.fpr}
        decade = np.ceil(np.log10(max(LEAST_ROUNDS, part.counts.rounds)))
        x.set_range(1.0, ROOM * 10.0**decade)
        smallest = min((level for level in levels.values() if level > 0), default=0.1)
        y.set_range(10.0 ** np.floor(np.log10(max(smallest, 1e-12) / 2)), 1.0)
        # Rates below the axis stand at its end.
        for name, level in levels.items():
            self._levels[name].draw(self.frame.horizontal(y.clamp(level)))
        for name, running in part.running().items():
            self._running[name].draw(
                np.column_stack([running[:, 0], np.maximum(running[:, 1], y.low)])
            )


def _part(result: Result) -> ExperimentPart:
    part: ExperimentPart = result.answers["experiment"]
    return part
