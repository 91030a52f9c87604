"""Audits of one simulated attack with ten times the records, again and again."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
from typing_extensions import override

from dpviz import audit, checks
from dpviz.audit import AttackScores
from dpviz.drawing import AxisSpec, Layer, Line, Points, Scene, theme
from dpviz.number_format import lower, short, upper
from dpviz.teach.games.game import Game
from dpviz.teach.question import generator_for
from dpviz.theory import LaplaceMechanism

EPSILON, DELTA = 2.0, 1e-5
TRUTH = LaplaceMechanism(epsilon=EPSILON).epsilon(DELTA)
FEWEST, STEPS = 100, 3  # members of the first audit; how often there are ten times as many


class Audit(NamedTuple):
    """One audit of n members and n non-members: three values of ε at `DELTA`."""

    n: int
    certified: float
    epsilon_star: float
    ceiling: float


@cache
def simulated_audit(login: str, n: int) -> Audit:
    """Return an audit of noisy outputs, n with the record and n without it."""
    rng = generator_for(login, f"records.{n}")
    # With scale 1, a record that moves the output by ε has ε.
    member, nonmember = rng.laplace(EPSILON, 1.0, n), rng.laplace(0.0, 1.0, n)
    scores = AttackScores(member=member, nonmember=nonmember)
    return Audit(
        n,
        audit.lower_bound(scores, delta=DELTA).low,
        audit.epsilon_star(scores, delta=DELTA).value,
        audit.ceiling(n_members=n, n_nonmembers=n, delta=DELTA),
    )


class MoreRecordsLayer(Layer):
    """Ceiling, Epsilon*, certified ε and the true ε, over the number of records."""

    truth = Line(color=theme.CLAIM, dash="dotted", label=f"true ε = {short(TRUTH)}")
    ceilings = Line(color=theme.SELECTION, dash="dashed")
    estimates = Line(color=theme.ATTACK)
    bounds = Line(color=theme.LIMIT, width=3)
    ends = Points(color=theme.LIMIT, size=60)
    stars = Points(color=theme.ATTACK, size=60, marker="diamond")
    tops = Points(color=theme.SELECTION, size=60, marker="triangle-up")

    def draw(self, result: Any) -> None:
        n, certified, epsilon_star, ceiling = np.array(result.audits).T
        self.truth.draw(self.frame.ends_of_horizontal_line(TRUTH))
        for line, points, values, name in (
            (self.ceilings, self.tops, ceiling, "ceiling"),
            (self.estimates, self.stars, epsilon_star, "Epsilon* (estimate)"),
            (self.bounds, self.ends, certified, "certified"),
        ):
            line.draw(np.column_stack([n, values]))
            points.draw(np.column_stack([n, values]), texts=[*[""] * (len(n) - 1), name])


@dataclass(frozen=True, kw_only=True)
class MoreRecords(Game):
    """Audits of the same attack with 100, 1000, ... members and as many non-members.

    Parameters
    ----------
    login : str, the same login has the same scores
    steps : int, in [0, 3], how often there were ten times the records
    """

    steps: int = 0

    scene: ClassVar = Scene(
        title="What do ten times the records show?",
        x=AxisSpec(
            label="members, and as many non-members (log scale)",
            low=FEWEST / 2,
            high=FEWEST * 2 * 10**STEPS,
            scale="log",
        ),
        y=AxisSpec(label="ε at δ = 0.00001", high=12),
        layers=lambda: [MoreRecordsLayer()],
    )
    note: ClassVar = (
        "This is a simulation: scores are drawn from Laplace noise with ε = 2, so the truth is "
        "known. Each audit has new records, and a bound of its own with 95 % confidence."
    )
    moves: ClassVar = {
        "ten times the records": lambda game: (
            replace(game, steps=game.steps + 1) if game.steps < STEPS else None
        ),
        "start again": lambda game: MoreRecords(login=game.login) if game.steps else None,
    }

    def __post_init__(self) -> None:
        checks.whole("steps", self.steps, 0, STEPS)

    @property
    def audits(self) -> tuple[Audit, ...]:
        """The audits so far, with ten times the records from one to the next."""
        return tuple(simulated_audit(self.login, FEWEST * 10**i) for i in range(self.steps + 1))

    @property
    @override
    def text(self) -> str:
        last = self.audits[-1]
        said = (
            f"{last.n} members and {last.n} non-members certify "
            f"ε ≥ {short(lower(last.certified))}. "
            f"Epsilon*, an estimate, is {short(last.epsilon_star)}. "
            f"A perfect attack would certify {short(upper(last.ceiling))}."
        )
        if last.certified > TRUTH:
            said += " Here the bound exceeds the truth, as in at most 5 of 100 audits."
        return said
