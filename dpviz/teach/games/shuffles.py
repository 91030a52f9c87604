"""A game: Epsilon* of a student's losses, beside a histogram of Epsilon* of shuffled labels."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from dpviz import audit, checks
from dpviz.audit.evidence.null import NullDistribution
from dpviz.checks import FloatArray
from dpviz.drawing import AxisSpec, Layer, Scene, theme
from dpviz.drawing.axes import rounded_axis_end
from dpviz.drawing.marks import Line, Points
from dpviz.number_format import short
from dpviz.teach.games.game import Game
from dpviz.teach.lessons.one_number import DELTA
from dpviz.teach.question import data_for, generator_for

MOST = 2000  # shuffles
BEFORE_MINE = 20  # shuffles before the own value may be shown
BIN = 0.2  # width of a bar


class ShufflesLayer(Layer):
    """Epsilon* for shuffled labels (histogram and 95 % quantile) and for the true labels."""

    bars = Line(color=theme.SHADE, width=1, steps=True, fill=0.6)
    chance = Line(color=theme.SELECTION, dash="dashed", width=1.5, label="mark of chance")
    mine = Line(color=theme.ATTACK, width=2.5, label="yours")
    last = Points(color=theme.MEMBER, marker="diamond", size=60)

    def draw(self, result: Any) -> None:
        values, null, mine = result.values, result.null, result.null.observed["epsilon_star"]
        self.x.set_range(0.0, rounded_axis_end(max(mine, null.simulated["epsilon_star"][-1])))
        counts, edges = np.histogram(values, np.arange(0.0, self.x.high + BIN, BIN))
        self.y.set_range(0.0, 1.1 * max(5, *counts))
        if values.size:
            self.bars.draw(np.column_stack([edges, [*counts, 0]]))
            height = counts[np.searchsorted(edges, values[-1], side="right") - 1]
            self.last.draw(np.array([[values[-1], height]]), texts=["the last one"])
        if result.shows_mine:
            self.mine.draw(self.frame.ends_of_vertical_line(mine))
            self.chance.draw(self.frame.ends_of_vertical_line(null.quantile("epsilon_star")))


@dataclass(frozen=True, kw_only=True)
class Shuffles(Game):
    """Epsilon* of a student's losses after random shuffles of the labels."""

    n: int = 0  # shuffles so far
    shows_mine: bool = False

    scene: ClassVar = Scene(
        title="What does chance alone give?",
        x=AxisSpec(label="Epsilon*"),
        y=AxisSpec(label="shuffles"),
        layers=lambda: [ShufflesLayer()],
    )
    note: ClassVar = "The shuffles are random, and differ by student. Epsilon* is an estimate."
    moves: ClassVar = {
        "shuffle once": lambda now: now.after(1),
        "twenty at once": lambda now: now.after(20),
        "show mine": lambda now: (
            replace(now, shows_mine=True) if now.n >= BEFORE_MINE and not now.shows_mine else None
        ),
        "start again": lambda now: Shuffles(login=now.login) if now.n else None,
    }

    @cached_property
    def null(self) -> NullDistribution:
        """Epsilon* of the true labels, and its null distribution over `MOST` label shuffles."""
        return audit.null_distribution(data_for(self.login).scores, delta=DELTA, n_resamples=MOST)

    @cached_property
    def values(self) -> FloatArray:
        """Epsilon* for each shuffle so far, in the order in which the shuffles are shown."""
        rng = generator_for(self.login, "shuffles")
        return checks.read_only(rng.permutation(self.null.simulated["epsilon_star"])[: self.n])

    def after(self, more: int) -> "Shuffles | None":
        """Return the state after `more` further shuffles; None if the total would exceed `MOST`."""
        return replace(self, n=self.n + more) if self.n + more <= MOST else None

    @property
    def text(self) -> str:
        if not self.n:
            return "A shuffle calls records members or non-members at random, so nothing leaks."
        mine, chance = self.null.observed["epsilon_star"], self.null.quantile("epsilon_star")
        numbers = self.values[-1], self.values.min(), self.values.max(), mine, chance
        last, low, high, own, mark = (short(float(each), digits=2) for each in numbers)
        said = f"Shuffle {self.n}: Epsilon* is {last}. All values so far are from {low} to {high}."
        found = (
            f" Your Epsilon* is {own}: {(self.values >= mine).sum()} of {self.n} shuffles gave at "
            f"least this. Of {MOST} shuffles, 95 % do not exceed {mark}, the mark of chance."
        )
        return said + found * self.shows_mine
