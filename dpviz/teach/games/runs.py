"""A game: runs of two programs with equal (ε, δ), one that leaks and one with Gaussian noise."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from dpviz.checks import FloatArray
from dpviz.drawing import AxisSpec, Layer, Scene, theme
from dpviz.drawing.marks import Points
from dpviz.teach.games.game import Game
from dpviz.teach.lessons.what_delta_buys import GAUSSIAN, LEAKY
from dpviz.teach.question import generator_for

N, COLUMNS = 1000, 50  # runs that are shown at once, and dots in a row
EPSILON, DELTA = LEAKY.claimed_epsilon, LEAKY.claimed_delta
LEAST_LOSSES = (0.0, EPSILON, 2 * EPSILON, math.inf)  # of the hints from the second on
HINTS = {
    "against you": Points(color=theme.NONMEMBER, size=20, outline=1),
    "≤ 2.72 to 1": Points(color=theme.ATTACK, size=26, opacity=0.3),
    "≤ 7.39 to 1": Points(color=theme.ATTACK, size=30, opacity=0.65),
    "> 7.39 to 1": Points(color=theme.ATTACK, size=34),
    "certain": Points(color=theme.LIMIT, size=42, marker="diamond"),
}  # by the likelihood ratio of a run
PROGRAMS = {"Laplace noise and a leak": 51.0, "Gaussian noise": 24.0}  # y of their first rows
SIDE = AxisSpec(label="", high=54.0, visible=False)


class RunsLayer(Layer):
    """A grid of dots for each program: a dot is a run, and shows its likelihood ratio."""

    def add_marks(self) -> None:
        self._heads = self.add("heads", Points(color=theme.MEMBER, size=1, opacity=0))
        self._grids = [self.add_each(program, *HINTS.values()) for program in PROGRAMS]

    def draw(self, result: Any) -> None:
        heads = [[0.0, top + 1.8] for top in PROGRAMS.values()]
        self._heads.draw(np.array(heads), texts=list(PROGRAMS))
        rows, across = np.divmod(np.arange(N), COLUMNS)
        programs = zip(self._grids, result.privacy_losses, PROGRAMS.values(), strict=True)
        for marks, losses, top in programs:
            kinds = np.digitize(losses, LEAST_LOSSES)
            places = np.column_stack([1.0 + across, top - rows])
            for i, (mark, hint) in enumerate(zip(marks, HINTS, strict=True)):
                dots, key = places[kinds == i], [[1 + 18 * (i % 3), top - 20.9 - 2.2 * (i // 3)]]
                texts = [""] * len(dots) + [f"{len(dots)}: {hint}"]
                mark.draw(np.concatenate([dots, key]), texts=texts)


@dataclass(frozen=True, kw_only=True)
class Runs(Game):
    """A thousand runs of each of two programs that have the same δ at ε = 1.

    One program adds Laplace noise with ε = 1 and publishes the record with probability δ.
    """

    thousands: int = 1  # of runs, of which the last thousand are shown

    scene: ClassVar = Scene(
        title="Which runs give you away?",
        shape="square",
        x=SIDE,
        y=SIDE,
        layers=lambda: [RunsLayer()],
    )
    note: ClassVar = (
        "Your record is in the data of all runs. The runs are random, and differ by student. A dot "
        "shows how many times likelier the output is with your record than without it."
    )
    css: ClassVar = f"""
@media (prefers-reduced-motion: no-preference) {{
  .dpviz-Runs path[fill="{theme.LIMIT}"] {{ animation: dpviz-flash 1s ease-in-out 3; }} }}
@keyframes dpviz-flash {{ 50% {{ opacity: 0.1; }} }}
"""
    moves: ClassVar = {
        "another 1000 runs": lambda now: replace(now, thousands=now.thousands + 1),
        "start again": lambda now: Runs(login=now.login) if now.thousands > 1 else None,
    }

    @cached_property
    def privacy_losses(self) -> tuple[FloatArray, FloatArray]:
        """Each program's log likelihood ratios, by run; inf for a run that publishes the record."""
        rng = generator_for(self.login, f"runs.{self.thousands}")
        outputs, mu = rng.laplace(EPSILON, size=N), GAUSSIAN.mu
        laplace = np.abs(outputs) - np.abs(outputs - EPSILON)
        # Without the record, no run publishes it.
        leak = np.where(rng.random(N) < DELTA, np.inf, laplace + math.log1p(-DELTA))
        return leak, rng.normal(mu**2 / 2, mu, size=N)

    @property
    def hockey_stick_sums(self) -> tuple[float, float]:
        """Each program's sum over N runs of max(0, 1 - e^(ε - privacy loss)), with mean N δ."""
        shares = [np.maximum(0.0, 1 - np.exp(EPSILON - losses)) for losses in self.privacy_losses]
        return float(shares[0].sum()), float(shares[1].sum())

    @property
    def text(self) -> str:
        leak, gaussian = self.privacy_losses
        certain, strong = np.isposinf(leak).sum(), (gaussian > EPSILON).sum()
        return (
            f"Runs {N * (self.thousands - 1) + 1} to {N * self.thousands}. The leak publishes your "
            f"record in {certain} runs. Gaussian noise never does, but {strong} of its runs are "
            "hints of more than 2.72 to 1, which ε = 1 alone excludes. δ counts a hint of r to 1 "
            "as 1 − 2.72 / r of a run, and a certain hint as a whole run. The counts are "
            f"{self.hockey_stick_sums[0]:.0f} for the leak and {self.hockey_stick_sums[1]:.0f} for "
            f"Gaussian noise. The mean of both counts is {N} δ = {N * DELTA:.0f}."
        )
