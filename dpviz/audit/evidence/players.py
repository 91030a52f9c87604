"""The players of `dpviz.audit.bounds.e_process` against one claim, for dependent records, too.

**Records that depend on each other.** Step 3 of the proof there multiplies the factors of a member
and a non-member, who win u and v in the mean, u + v <= 0: they have to be independent. The factor
``1 + (what the member wins + what the non-member wins) / 2`` has the mean ``1 + (u + v) / 2 <= 1``
whatever their dependence. So it has if winnings are averaged over a batch, each class for itself: a
mean of averages needs no independence. The capital stays a nonnegative supermartingale over such
pairs or batches; all other steps are unchanged.

- *independent*: each record is independent of all others.
- *coupled*: the two records of a pair may depend on each other, such as one canary's scores by a
  model trained with it and by its twin without it.
- *batched*: all records of an update may depend on each other, such as canaries that share a model;
  only the models of different updates have to be independent.

In all three, the distributions of the next pair or batch may depend on what came before.
"""

from typing import Literal

import numpy as np

from dpviz.audit.bounds.e_process import (
    CUTS,
    KIND_WEIGHTS,
    STAKES,
    Thresholds,
    average_capital,
    winnings,
)
from dpviz.checks import FloatArray

Dependence = Literal["independent", "coupled", "batched"]
DEPENDENCES = ("independent", "coupled", "batched")
AT_A_TIME = 500  # coupled pairs whose winnings are held at once


class Players:
    """Their capitals against (epsilon, delta), and the thresholds by which they guess."""

    def __init__(self, epsilon: float, delta: float, dependence: Dependence) -> None:
        self._dependence = dependence
        self._winnings = winnings(np.array([epsilon]), delta)
        self._logs = np.zeros((KIND_WEIGHTS.size, CUTS.size, STAKES.size, 1))
        self._thresholds: Thresholds | None = None  # nobody bets before there are some

    @property
    def capital(self) -> float:
        """Their average capital, from a stake of 1."""
        return float(average_capital(self._logs[None])[0, 0])

    def learn(self, past: FloatArray) -> None:
        """Take new thresholds from all scores so far."""
        self._thresholds = Thresholds.of(past)

    def bet(self, member: FloatArray, nonmember: FloatArray) -> None:
        """Multiply capitals by their factors: for pairs in order of arrival, or for one batch."""
        thresholds = self._thresholds
        if thresholds is None:
            return
        if self._dependence == "independent":
            counts = thresholds.guesses(member, nonmember)
            self._logs += np.einsum("kdo,ose->kdse", counts, np.log1p(self._winnings))
            return
        bets = thresholds.bets[:, None, None]
        if self._dependence == "batched":
            shares = thresholds.outcomes(member, member=True).mean(axis=0)
            shares += thresholds.outcomes(nonmember, member=False).mean(axis=0)
            won = np.einsum("kdo,ose->kdse", shares, self._winnings)
            self._logs += np.log1p(won / 2) * bets
            return
        for begin in range(0, member.size, AT_A_TIME):
            some = slice(begin, begin + AT_A_TIME)
            counts = thresholds.outcomes(member[some], member=True).astype(float)
            counts += thresholds.outcomes(nonmember[some], member=False)
            won = np.einsum("rkdo,ose->rkdse", counts, self._winnings)
            self._logs += np.log1p(won / 2).sum(axis=0) * bets
