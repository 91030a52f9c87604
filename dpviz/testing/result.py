"""The outcome of testing a mechanism, and its sentences."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from dpviz.analysis.number_format import lower, percent, short
from dpviz.analysis.sentences.claim import name
from dpviz.testing.power import detectable_epsilon
from dpviz.theory import TradeoffFunction

Outcome = Literal["contradicted", "not contradicted"]


@dataclass(frozen=True, kw_only=True)
class Counterexample:
    """A set of outputs that the claim allows to be less unequal in probability.

    Parameters
    ----------
    pair : str, name of the pair of data sets
    outputs : str, the set in words
    first_count, second_count : int
        Draws inside the set on the pair's first and second data set. They were drawn after the set
        had been chosen.
    draws : int, on each data set
    allowed : int
        Draws that the claim allows at most, on average, on the data set that has more, if the share
        of the other is as measured.
    epsilon : float
        Lower bound on epsilon at `delta` from these counts (Clopper-Pearson).
    delta, confidence_level : float

    Examples
    --------
    >>> from dpviz.testing import check_mechanism
    >>> found = check_mechanism(lambda data: sum(data), [([1, 2], [1])], "1.0,0")
    >>> found.counterexample.outputs, found.counterexample.first_count
    ('output = 1', 0)
    """

    pair: str
    outputs: str
    first_count: int
    second_count: int
    draws: int
    allowed: int
    epsilon: float
    delta: float
    confidence_level: float

    def __str__(self) -> str:
        at_delta = f" at δ = {short(self.delta)}" if self.delta else ""
        counts = (self.first_count, "first"), (self.second_count, "second")
        (fewer, one), (_, other) = sorted(counts)
        return (
            f"Counterexample ({self.pair}): {self.outputs}\n"
            f"  first data set:  {self.first_count} of {self.draws} draws\n"
            f"  second data set: {self.second_count} of {self.draws} draws\n"
            f"  With {fewer} on the {one}, the claim allows at most {self.allowed} on the "
            f"{other}.\n"
            f"  These counts show ε ≥ {short(lower(self.epsilon))}{at_delta} "
            f"({percent(self.confidence_level)} confidence)."
        )


@dataclass(frozen=True, kw_only=True)
class MechanismTest:
    """The outcome of `check_mechanism`; "not contradicted" does not confirm the claim.

    Parameters
    ----------
    claim : TradeoffFunction
    outcome : {"contradicted", "not contradicted"}
        If the claim is true, it is "contradicted" with probability at most
        ``1 - confidence_level``, for all pairs together and whenever the test stops.
    draws : int
        Outputs drawn of each data set, without those that the counterexample counts.
    pairs : tuple of str, names of the pairs of data sets
    confidence_level : float
    delta : float, at which epsilons are stated
    capital : float
        What a stake of 1, bet against the claim, has become; ``1 / (1 - confidence_level)``
        contradicts the claim.
    counterexample : Counterexample or None
    seed : int or None
        Seed of the generator that the mechanism was given; None if it takes none.

    Examples
    --------
    >>> from dpviz.testing import check_mechanism
    >>> def mean(data, rng):
    ...     return round(sum(data) / 10 + rng.laplace(scale=0.1), 6)
    >>> found = check_mechanism(mean, [([1] * 10, [1] * 9 + [0])], "1.0,0", draws=1000)
    >>> print(found)
    The claim DP ε = 1, δ = 0 is not contradicted after 1000 draws on each data set ...
    """

    claim: TradeoffFunction
    outcome: Outcome
    draws: int
    pairs: tuple[str, ...]
    confidence_level: float
    delta: float
    capital: float
    counterexample: Counterexample | None
    seed: int | None

    @cached_property
    def detectable(self) -> float:
        """Smallest epsilon of noise that so many draws contradict with 80 % probability.

        An estimate by simulation, for Laplace noise (where `delta` is 0) or Gaussian noise on one
        pair; a leak of another form may need a larger or a smaller epsilon.
        """
        return detectable_epsilon(
            self.claim,
            draws=self.draws,
            delta=self.delta,
            level=(1 - self.confidence_level) / len(self.pairs),
        )

    @property
    def headline(self) -> str:
        """The outcome in one sentence."""
        drawn = f"{self.draws} draws on each data set"
        level = f"{percent(self.confidence_level)} confidence"
        if self.outcome == "contradicted":
            return f"The claim {name(self.claim)} is contradicted after {drawn} ({level})."
        return f"The claim {name(self.claim)} is not contradicted after {drawn} ({level})."

    @property
    def power(self) -> str:
        """What would have been found, in one sentence; an estimate."""
        noise = "Gaussian" if self.delta else "Laplace"
        at_delta = f" at δ = {short(self.delta)}" if self.delta else ""
        return (
            f"{noise} noise with ε = {short(self.detectable)}{at_delta} would have been found with "
            "80 % probability (simulated)."
        )

    def __str__(self) -> str:
        if self.counterexample is not None:
            return f"{self.headline}\n{self.counterexample}"
        return f"{self.headline} That does not confirm it. {self.power}"
