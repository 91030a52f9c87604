"""A game: audits of one simulated attack, each with ten times the records of the audit before."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar

import numpy as np

from dpviz import audit
from dpviz.audit import AttackScores
from dpviz.drawing import AxisSpec, Layer, Line, Points, Scene, theme
from dpviz.number_format import lower, short, upper
from dpviz.teach.games.game import Game
from dpviz.teach.question import generator_for
from dpviz.theory import LaplaceMechanism

EPSILON, DELTA = 2.0, 1e-5
TRUTH = LaplaceMechanism(epsilon=EPSILON).epsilon(DELTA)
SIZES = (100, 1000, 10_000, 100_000)  # members of each audit, and as many non-members
LOOKS = {"certified": (theme.LIMIT, "circle"), "Epsilon* (estimate)": (theme.ATTACK, "diamond")}
LOOKS |= {"ceiling": (theme.SELECTION, "triangle-up")}


@cache
def simulated_audit(login: str, n: int) -> tuple[int, float, float, float]:
    """Return (n, certified ε, Epsilon*, a perfect attack's ε) for n members and n non-members."""
    rng = generator_for(login, f"records.{n}")
    # With scale 1, a record that moves the output by ε has ε.
    member, nonmember = rng.laplace(EPSILON, 1.0, n), rng.laplace(0.0, 1.0, n)
    scores = AttackScores(member=member, nonmember=nonmember)
    bound, star = audit.lower_bound(scores, delta=DELTA), audit.epsilon_star(scores, delta=DELTA)
    ceiling = audit.ceiling(n_members=n, n_nonmembers=n, delta=DELTA)
    return n, bound.low, star.value, ceiling


class MoreRecordsLayer(Layer):
    """Certified ε, Epsilon*, largest certifiable ε and true ε against the number of records."""

    truth = Line(color=theme.CLAIM, dash="dotted", label=f"true ε = {short(TRUTH)}")

    def add_marks(self) -> None:
        super().add_marks()
        lines = (Line(color=color) for color, _ in LOOKS.values())
        points = (Points(color=color, marker=marker, size=60) for color, marker in LOOKS.values())
        pairs = self.add_each("lines", *lines), self.add_each("points", *points)
        self._marks_of = dict(zip(LOOKS, zip(*pairs, strict=True), strict=True))

    def draw(self, result: Any) -> None:
        self.truth.draw(self.frame.ends_of_horizontal_line(TRUTH))
        n, *values = np.array(result.audits).T
        for (name, (line, points)), value in zip(self._marks_of.items(), values, strict=True):
            places = np.column_stack([n, value])
            line.draw(places)
            points.draw(places, texts=[*[""] * (len(n) - 1), name])


@dataclass(frozen=True, kw_only=True)
class MoreRecords(Game):
    """Audits of the same attack with 100, 1000, ... members and equal numbers of non-members."""

    steps: int = 0  # how often there were ten times the records, at most 3

    scene: ClassVar = Scene(
        title="What does an audit of ten times the records show?",
        x=AxisSpec(label="members (and non-members, log scale)", low=50, high=2e5, scale="log"),
        y=AxisSpec(label="ε at δ = 0.00001", high=12),
        layers=lambda: [MoreRecordsLayer()],
    )
    note: ClassVar = (
        "This is a simulation: scores are drawn from Laplace noise with ε = 2, so the true ε is "
        "known. Each audit has new records, and its bound has 95 % confidence."
    )
    moves: ClassVar = {
        "ten times the records": lambda game: (
            replace(game, steps=game.steps + 1) if game.steps + 1 < len(SIZES) else None
        ),
        "start again": Game.beginning,
    }

    @property
    def audits(self) -> list[tuple[int, float, float, float]]:
        """The audits so far, as `simulated_audit` returns them."""
        return [simulated_audit(self.login, n) for n in SIZES[: self.steps + 1]]

    @property
    def text(self) -> str:
        n, certified, star, ceiling = self.audits[-1]
        said = (
            f"{n} members and {n} non-members certify ε ≥ {short(lower(certified))}. Epsilon*, an "
            f"estimate, is {short(star)}. A perfect attack would certify {short(upper(ceiling))}."
        )
        if certified > TRUTH:
            said += " Here the bound exceeds the true ε, as in at most 5 of 100 audits."
        return said
