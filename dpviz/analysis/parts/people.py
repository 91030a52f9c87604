"""Whole people: what an attack does to 100 members and 100 non-members, and to 10 000 people.

Counts are averages, rounded to whole people. Those of the best attack that a claim allows are
rounded against the attacker: members and detected members down, flagged non-members up. So neither
the error rates nor the precision (PPV) of what is drawn exceed what the claim allows. Counts of a
measured attack are rounded to the nearest, but 0 and all only where the rate is exactly 0 or 1.
"""

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from dpviz.theory import TradeoffFunction

PER_CLASS = 100  # dots of members, and as many of non-members
POPULATION = 10_000  # people among whom members are as rare as the prior says
SLACK = 1e-12  # relative: 3 computed as 3.0000000000000004 is not rounded up to 4


@dataclass(frozen=True, kw_only=True)
class Crowd:
    """Members and non-members, and how many of them an attack calls "member".

    `required` is the number of members that the claim requires an attack with this FPR to miss.
    """

    members: int
    nonmembers: int
    detected: int
    flagged: int
    required: int

    @property
    def missed(self) -> int:
        """Members that are called "non-member"."""
        return self.members - self.detected

    @property
    def cleared(self) -> int:
        """Non-members that are called "non-member"."""
        return self.nonmembers - self.flagged

    @property
    def called(self) -> int:
        """People who are called "member"."""
        return self.detected + self.flagged


@dataclass(frozen=True, kw_only=True)
class PeoplePart:
    """The attack with error rates `fpr` and 1 - `tpr` in whole people.

    It is the measured attack if `is_measured`, otherwise the best one that the claim allows.
    `allowed` is the largest TPR that the claim allows at this FPR.
    """

    fpr: float
    tpr: float
    allowed: float
    is_measured: bool
    hundreds: Crowd
    population: Crowd


def people_part(
    claim: TradeoffFunction, *, fpr: float, prior: float, fnr: float | None = None
) -> PeoplePart:
    """Count people at an FPR; `fnr` is that of a measured attack.

    Examples
    --------
    Story 5 of a risk owner: 20 of 100 members and 99 of 9900 others are called "member".

    >>> from dpviz.theory import ApproximateDP
    >>> part = people_part(ApproximateDP(epsilon=3.0, delta=1e-5), fpr=0.01, prior=0.01)
    >>> part.population.members, part.population.detected, part.population.flagged
    (100, 20, 99)
    """
    allowed = claim.tpr(fpr)
    tpr = allowed if fnr is None else 1 - fnr
    members = down(prior * POPULATION)

    def crowd(members: int, nonmembers: int) -> Crowd:
        detected, flagged = down(tpr * members), up(fpr * nonmembers)
        if fnr is not None:
            detected, flagged = nearest(tpr, members), nearest(fpr, nonmembers)
        elif tpr * members + fpr * nonmembers < 1:  # on average less than one person is called
            detected = flagged = 0
        return Crowd(
            members=members,
            nonmembers=nonmembers,
            detected=detected,
            flagged=flagged,
            required=members - up(allowed * members),
        )

    return PeoplePart(
        fpr=fpr,
        tpr=tpr,
        allowed=allowed,
        is_measured=fnr is not None,
        hundreds=crowd(PER_CLASS, PER_CLASS),
        population=crowd(members, POPULATION - members),
    )


@dataclass(frozen=True, kw_only=True)
class RedrawPart:
    """Hypothetical audits: as many records drawn anew with the measured rates, again and again.

    `crowd` is the last of `draws`; `detected` and `flagged` are the smallest and largest counts of
    100 so far.
    """

    people: PeoplePart
    n_members: int
    n_nonmembers: int
    draws: int = 0
    crowd: Crowd
    detected: tuple[int, int]
    flagged: tuple[int, int]

    @classmethod
    def of(cls, people: PeoplePart, *, n_members: int, n_nonmembers: int) -> Self:
        """The measured attack, before the first draw."""
        crowd = people.hundreds
        return cls(
            people=people,
            n_members=n_members,
            n_nonmembers=n_nonmembers,
            crowd=crowd,
            detected=(crowd.detected, crowd.detected),
            flagged=(crowd.flagged, crowd.flagged),
        )

    def after(self, rng: np.random.Generator, draws: int) -> Self:
        """Draw some more audits, at least 1."""
        detected = _hundreds(rng, self.n_members, self.people.tpr, draws)
        flagged = _hundreds(rng, self.n_nonmembers, self.people.fpr, draws)
        return replace(
            self,
            draws=self.draws + draws,
            crowd=replace(self.crowd, detected=detected[-1], flagged=flagged[-1]),
            detected=(min(*detected, self.detected[0]), max(*detected, self.detected[1])),
            flagged=(min(*flagged, self.flagged[0]), max(*flagged, self.flagged[1])),
        )


def _hundreds(rng: np.random.Generator, n: int, rate: float, draws: int) -> list[int]:
    """Counts of 100 in audits of `n` records: resampled records at a fixed threshold."""
    counts, times = np.unique(rng.binomial(n, rate, draws), return_inverse=True)
    found = np.array([nearest(count / n, PER_CLASS) for count in counts.tolist()])
    return list(map(int, found[times]))


def down(people: float) -> int:
    """The largest whole number of people that is not above an average."""
    return math.floor(people * (1 + SLACK))


def up(people: float) -> int:
    """The smallest whole number of people that is not below an average."""
    return math.ceil(people * (1 - SLACK))


def nearest(rate: float, n: int) -> int:
    """The nearest whole number of `n` people; 0 and `n` only for rates of exactly 0 and 1."""
    if rate in (0, 1):
        return round(rate * n)
    return min(max(round_half_up(rate * n), min(1, n)), max(n - 1, 0))


def round_half_up(people: float) -> int:
    """The nearest whole number of people, the larger of two."""
    return math.floor(people + 0.5)
