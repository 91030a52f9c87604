"""What data sets are drawn from, and what is true of them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.coverage import LAWS, leaky_responses
from dpviz import theory
from dpviz.audit import AttackScores

EPSILON, MU = 1.0, 1.0
RIGHT = 1 / (1 + np.exp(-EPSILON))  # probability that randomized response tells the truth
THRESHOLD = 1.0  # between its two answers, and where they are moved apart
BATCH = 5  # records of each class that share a model
LEVELS = (0.8, 0.95, 0.99, 0.9999, 0.999999)


def tied(rng: np.random.Generator, n: int, is_member: bool, delta: float) -> np.ndarray:
    """Leaky randomized response itself: four scores at most."""
    return np.floor(leaky_responses(EPSILON)(rng, n, is_member, delta))


def approximate(delta: float) -> theory.TradeoffFunction:
    """What leaky randomized response keeps, and no less."""
    return theory.ApproximateDP(epsilon=EPSILON, delta=delta)


SAMPLERS = {
    "least favourable": leaky_responses(EPSILON),
    "ties": tied,
    "null": LAWS["null"][0],
    "gaussian": LAWS[f"gaussian {MU:g}"][0],
    "laplace": LAWS[f"laplace {EPSILON:g}"][0],
    "discrete laplace": LAWS["discrete laplace 0.5"][0],
}
# The guarantee that exactly allows each of them, at a delta.
TRUTHS: dict[str, Callable[[float], theory.TradeoffFunction]] = {
    "least favourable": approximate,
    "ties": approximate,
    "gaussian": lambda _: theory.GaussianDP(mu=MU),
    "laplace": lambda _: theory.LaplaceMechanism(epsilon=EPSILON),
    "discrete laplace": lambda _: theory.DiscreteLaplaceMechanism(scale=2.0),
}


@dataclass(frozen=True)
class Setting:
    """Distributions, class sizes and a delta."""

    law: str = "least favourable"
    n: int = 100
    m: int = 100
    delta: float = 0.0

    @property
    def truth(self) -> theory.TradeoffFunction:
        """The guarantee that exactly allows these distributions."""
        return TRUTHS[self.law](self.delta)

    def draw(self, rng: np.random.Generator, *, fair_coins: bool = False) -> AttackScores:
        """One data set; with fair coins of as many records in all."""
        total = self.n + self.m
        n = int(rng.binomial(total, 0.5)) if fair_coins else self.n
        sampler = SAMPLERS[self.law]
        return AttackScores(
            member=sampler(rng, n, True, self.delta),
            nonmember=sampler(rng, total - n, False, self.delta),
        )


# Delta, class sizes and ties, one at a time.
SETTINGS = (
    Setting(),
    Setting(delta=1e-5),
    Setting(delta=0.01),
    Setting(delta=0.1),
    Setting("ties"),
    Setting("ties", delta=0.01),
    Setting(n=20, m=2000),
    Setting(n=2000, m=20),
)


def arrivals(rng: np.random.Generator, dependence: str, setting: Setting) -> np.ndarray:
    """Members and non-members in their order of arrival, shape (n, 2), at the claim's limit.

    Dependent records are told rightly together, or wrongly: those of a pair, or of a batch.
    """
    n = setting.n
    if dependence == "coupled":
        u = np.repeat(rng.random((n, 1)), 2, axis=1)
    elif dependence == "batched":
        u = np.repeat(rng.random(-(-n // BATCH)), BATCH)[:n, None].repeat(2, axis=1)
    else:
        u = rng.random((n, 2))
    right = u < RIGHT
    says_member = np.where([True, False], right, ~right)
    leaks = rng.random((n, 2)) < setting.delta
    told = np.where(leaks, np.array([2.0, -1.0]), says_member)
    return told if setting.law == "ties" else told + rng.random((n, 2)) / 2
