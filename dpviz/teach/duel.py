"""The membership game for a person, who sees outputs, flags records and pays for mistakes.

The best attacker sees the same outputs. Costs are in units of one missed member.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.teach.question import generator_for
from dpviz.theory import TradeoffFunction, best_attack
from dpviz.theory.outputs import OutputLaws, output_laws
from dpviz.theory.risk import BestAttack


@dataclass(frozen=True, kw_only=True)
class Duel:
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

    Examples
    --------
    >>> from dpviz import teach, theory
    >>> duel = teach.duel.Duel(claim=theory.GaussianDP(mu=2.0), login="ada", prior=0.2)
    >>> duel = duel.after(flag=False)
    >>> duel.played, duel.cost in (0, 1)
    (1, True)
    """

    claim: TradeoffFunction
    login: str
    prior: float
    cost_false_alarm: float = 1.0
    rounds: int = 20
    flagged: tuple[bool, ...] = ()

    def __post_init__(self) -> None:
        checks.whole("rounds", self.rounds, 1)
        if len(self.flagged) > self.rounds:
            raise checks.fail("flagged", f"at most {self.rounds} answers", len(self.flagged))
        _ = self._distributions, self.best  # both raise an error for an illegal claim or number

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
        outputs = [self._distributions.sample(rng, 1, member=member)[0] for member in self.members]
        return checks.read_only(np.array(outputs))

    @cached_property
    def best_flags(self) -> tuple[bool, ...]:
        """For each round, whether the attack of least expected cost flags the record."""
        # A flag has the lower expected cost where the likelihood ratio reaches gamma.
        losses = self._distributions.log_ratio(self.outputs)
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
        return self._cost_of(self.flagged)

    @property
    def best_cost(self) -> float:
        """What the best attacker's actual mistakes cost in the rounds played so far."""
        return self._cost_of(self.best_flags[: self.played])

    def after(self, *, flag: bool) -> "Duel":
        """Return the duel after one more round, answered by `flag`; ValueError if none is left."""
        return replace(self, flagged=(*self.flagged, flag))

    @cached_property
    def _distributions(self) -> OutputLaws:
        laws = output_laws(self.claim)
        if laws is None:
            raise checks.fail("claim", "a mechanism whose outputs are known", self.claim)
        return laws

    def _cost_of(self, flagged: tuple[bool, ...]) -> float:
        pairs = list(zip(flagged, self.members, strict=False))
        return self.cost_false_alarm * pairs.count((True, False)) + pairs.count((False, True))
