"""The membership game for a person, who sees outputs, flags records and pays for mistakes."""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Any, ClassVar

import ipywidgets
import numpy as np
from typing_extensions import override

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.drawing import AxisSpec, Layer, Line, Scene, theme
from dpviz.number_format import short
from dpviz.teach.games.game import Game, GameWidget
from dpviz.teach.question import generator_for
from dpviz.theory import TradeoffFunction, best_attack
from dpviz.theory.outputs import OutputLaws, output_laws
from dpviz.theory.risk import BestAttack

ROUND_SENTENCES = {  # by whether somebody was flagged, and was a member
    (True, True): "You flagged a member.",
    (True, False): "You flagged somebody whose record was never used, at a cost of {cost}.",
    (False, True): "You let a member go, at a cost of 1.",
    (False, False): "You let somebody go whose record was never used.",
}


class OutputsLayer(Layer):
    """Output densities weighted by the prior, an output, and the best attacker's threshold."""

    nonmember = Line(color=theme.NONMEMBER, fill=0.15, label="never used")
    member = Line(color=theme.MEMBER, fill=0.3, label="used")
    threshold = Line(color=theme.CLAIM, dash="dashed", label="the best attacker's threshold")
    output = Line(color=theme.ATTACK, width=2.5, label="the output")

    def draw(self, result: Any) -> None:
        """Draw a round: densities, output and, after the answer, the best attacker's threshold."""
        low, high = result.distributions.span
        self.x.set_range(low, high)
        outlines = [np.array(result.weighted_density(member=each)) for each in (False, True)]
        self.y.set_range(0.0, 1.1 * float(max(each[:, 1].max() for each in outlines)))
        self.nonmember.draw(outlines[0])
        self.member.draw(outlines[1])
        self.output.draw(self.frame.ends_of_vertical_line(float(result.outputs[result.shown])))
        # Some mechanisms have outputs whose best test is no threshold.
        threshold = result.distributions.test(result.best.fpr).threshold
        if result.shows_outcome and threshold is not None:
            self.threshold.draw(self.frame.ends_of_vertical_line(threshold))


class CostsLayer(Layer):
    """The total costs of the person and of the best attacker after each round so far."""

    best = Line(color=theme.CLAIM, steps=True, label="the best attacker")
    own = Line(color=theme.ATTACK, steps=True, dash="dashed", label="you")

    def draw(self, result: Any) -> None:
        """Draw the total costs after each round so far."""
        own = result.costs_after_rounds(result.flagged)
        best = result.costs_after_rounds(result.best_flags[: result.played])
        self.x.set_range(0.0, float(result.rounds))
        self.y.set_range(0.0, max(4.0, 1.25 * own[-1], 1.25 * best[-1]))
        rounds = np.arange(result.played + 1.0)
        self.best.draw(np.column_stack([rounds, best]))
        self.own.draw(np.column_stack([rounds, own]))


@dataclass(frozen=True, kw_only=True)
class Duel(Game):
    """A game of several rounds, in which a person flags members and pays for mistakes.

    In each round the record is a member with probability `prior`, and one output is shown.

    Parameters
    ----------
    claim : TradeoffFunction, a mechanism whose outputs are known, such as Gaussian noise
    login : str, the same login has the same rounds
    prior : float, in (0, 1)
    cost_false_alarm : float, what it costs to flag somebody wrongly; to miss a member costs 1
    rounds : int
    flagged : tuple of bool, what the person did so far
    is_answered : bool, whether the last round is still shown, with what was right

    Examples
    --------
    >>> from dpviz import teach, theory
    >>> duel = teach.duel.Duel(claim=theory.GaussianDP(mu=2.0), login="ada", prior=0.2)
    >>> duel = duel.after(flag=False)
    >>> duel.played, duel.cost in (0, 1)
    (1, True)
    """

    claim: TradeoffFunction
    prior: float
    cost_false_alarm: float = 1.0
    rounds: int = 20
    flagged: tuple[bool, ...] = ()
    is_answered: bool = False

    scene: ClassVar = Scene(
        title="Was the record used?",
        x=AxisSpec(label="output"),
        y=AxisSpec(label="density, weighted by the prior"),
        layers=lambda: [OutputsLayer()],
    )
    scenes_below: ClassVar = (
        Scene(
            title="Points lost",
            x=AxisSpec(label="rounds"),
            y=AxisSpec(label="points lost"),
            layers=lambda: [CostsLayer()],
        ),
    )
    note: ClassVar = "Records and outputs are random. The best attacker sees what you see."
    moves: ClassVar = {
        "flag: a member": lambda duel: None if duel.shows_outcome else duel.after(flag=True),
        "let go": lambda duel: None if duel.shows_outcome else duel.after(flag=False),
        "next round": lambda duel: (
            replace(duel, is_answered=False) if duel.shows_outcome and not duel.is_over else None
        ),
    }

    def __post_init__(self) -> None:
        checks.whole("rounds", self.rounds, 1)
        if len(self.flagged) > self.rounds:
            raise checks.fail("len(flagged)", f"at most rounds = {self.rounds}", len(self.flagged))
        _ = self.distributions, self.best  # both raise an error for an illegal claim or number

    @cached_property
    def best(self) -> BestAttack:
        """The attack of least expected cost, with its error rates."""
        return best_attack(self.claim, prior=self.prior, cost_false_alarm=self.cost_false_alarm)

    @cached_property
    def members(self) -> tuple[bool, ...]:
        """For each round, whether the record is a member."""
        # Seeds of their own: it does not matter whether members or outputs are read first.
        rng = generator_for(self.login, "duel.members")
        return tuple((rng.random(self.rounds) < self.prior).tolist())

    @cached_property
    def outputs(self) -> FloatArray:
        """The output of each round."""
        rng = generator_for(self.login, "duel.outputs")
        outputs = [self.distributions.sample(rng, 1, member=member)[0] for member in self.members]
        return checks.read_only(np.array(outputs))

    @cached_property
    def best_flags(self) -> tuple[bool, ...]:
        """For each round, whether the attack of least expected cost flags the record."""
        # A flag has the lower expected cost where the likelihood ratio reaches gamma.
        losses = self.distributions.log_ratio(self.outputs)
        return tuple((losses >= np.log(self.best.gamma)).tolist())

    @property
    def played(self) -> int:
        """The number of rounds played so far."""
        return len(self.flagged)

    @property
    def is_over(self) -> bool:
        """Whether all rounds were played."""
        return self.played == self.rounds

    @property
    def cost(self) -> float:
        """The cost of the person's mistakes so far."""
        return self.costs_after_rounds(self.flagged)[-1]

    @property
    def best_cost(self) -> float:
        """The cost of the best attacker's mistakes in the rounds played so far."""
        return self.costs_after_rounds(self.best_flags[: self.played])[-1]

    def after(self, *, flag: bool) -> "Duel":
        """Return the duel after one more round.

        `flag` is the person's answer: whether the record is flagged as a member. Raises ValueError
        if no round is left.
        """
        return replace(self, flagged=(*self.flagged, flag), is_answered=True)

    @property
    def shows_outcome(self) -> bool:
        """Whether the round that is shown was answered."""
        return self.played > 0 and (self.is_answered or self.is_over)

    @property
    def shown(self) -> int:
        """The index of the round on the screen.

        This is the last answered round while its outcome is shown, and the next round otherwise.
        """
        return self.played - self.shows_outcome

    @cached_property
    def distributions(self) -> OutputLaws:
        """The distributions of the output, without and with the record."""
        laws = output_laws(self.claim)
        if laws is None:
            raise checks.fail("claim", "a mechanism with known output distributions", self.claim)
        return laws

    def weighted_density(self, *, member: bool) -> FloatArray:
        """Return points (output, prior times density) for a record that is a `member` or not."""
        outline = self.distributions.outline(*self.distributions.span, member=member)
        return outline * [1.0, self.prior if member else 1 - self.prior]

    def costs_after_rounds(self, flagged: tuple[bool, ...]) -> list[float]:
        """Return the total costs of the answers `flagged` after 0, 1, 2, ... rounds."""
        costs = {(True, False): self.cost_false_alarm, (False, True): 1.0}
        pairs = zip(flagged, self.members, strict=False)
        return [0.0, *accumulate(costs.get(pair, 0.0) for pair in pairs)]

    @property
    @override
    def text(self) -> str:
        if not self.shows_outcome:
            output = short(float(self.outputs[self.shown]))
            return f"Round {self.played + 1} of {self.rounds}. The output is {output}."
        flagged, best = self.flagged[-1], self.best_flags[self.shown]
        said = ROUND_SENTENCES[flagged, self.members[self.shown]]
        other = "did the same" if best == flagged else ("flagged" if best else "let go")
        said = (
            f"{said.format(cost=short(self.cost_false_alarm))} The best attacker {other}. You have "
            f"lost {short(self.cost)}, and the best attacker {short(self.best_cost)}."
        )
        if self.is_over:
            said += (
                f" All {self.rounds} rounds are over. On average the best attacker loses "
                f"{short(self.rounds * self.best.cost)} in this many rounds, and an attacker who "
                f"ignores the output loses {short(self.rounds * self.best.blind_cost)}."
            )
        return said


def play(duel: Duel) -> ipywidgets.Widget:
    """Return a widget in which a person plays a duel.

    The attribute `game` of the widget is the present duel.

    Parameters
    ----------
    duel : Duel

    Examples
    --------
    >>> from dpviz import teach, theory
    >>> duel = teach.duel.Duel(claim=theory.GaussianDP(mu=2.0), login="ada", prior=0.2)
    >>> shown = teach.play(duel)
    >>> shown.press("let go")
    >>> shown.game.flagged
    (False,)
    """
    return GameWidget(duel)
