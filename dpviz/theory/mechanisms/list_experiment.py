"""The list experiment ("item count"): respondents say how many of some items they support."""

from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.atoms import Atoms, FiniteLoss
from dpviz.theory.outputs.bars import MOST_BARS, Bars
from dpviz.theory.tradeoff import Adjacency, checked_adjacency


@dataclass(frozen=True, kw_only=True, repr=False)
class ListExperiment(FiniteLoss):
    """A respondent of the treatment group reports how many of J + 1 items they support.

    Is it private? Not in the sense of DP. The answer is a deterministic function of the
    respondent's opinions: to an attacker who knows the other opinions it reveals the sensitive one,
    so no (epsilon, delta) with delta < 1 holds. What hides the sensitive item is only the
    attacker's *ignorance* of the others. If the attacker knows no more than how often each is
    supported, independently, the curve is the one computed here; and even then a count of 0 or
    J + 1 settles the matter, so no epsilon has a delta below the chance that a supporter of the
    sensitive item supports all the others too. The control group's answers do not depend on it.

    Parameters
    ----------
    support : sequence of float
        For each of the J other items, the probability in [0, 1] that a respondent supports it;
        0 or 1 is an opinion the attacker knows.
    adjacency : {"replace_one", "add_remove"}, changing one's opinion is replace_one

    Raises
    ------
    ValueError
        If there is no other item or a probability leaves [0, 1].

    Examples
    --------
    >>> from dpviz.theory import ListExperiment
    >>> ListExperiment(support=[0.5, 0.5, 0.5]).delta(5.0)  # 4 of 4 items settle the matter
    0.125
    """

    support: tuple[float, ...]
    adjacency: Adjacency = "replace_one"

    def __post_init__(self) -> None:
        support = checks.reals("support", self.support, 0, 1)
        if support.ndim != 1 or support.size == 0:
            raise checks.fail("support", "a non-empty vector", self.support)
        object.__setattr__(self, "support", tuple(support.tolist()))
        checked_adjacency(self.adjacency)

    @property
    def is_symmetric(self) -> bool:
        """Only if the count of the others is: a supporter and an opponent are hidden unequally."""
        counts = self._counts()
        return bool(np.allclose(counts, counts[::-1], rtol=1e-12, atol=0))

    def outputs(self) -> Bars | None:
        """The number of items supported; None if there are too many to draw."""
        if len(self.support) + 2 > MOST_BARS:
            return None
        counts = self._counts()
        numbers = tuple(map(str, range(len(counts) + 1)))
        p, q = np.append(counts, 0.0), np.append(0.0, counts)
        return Bars.of("number of items supported", numbers, p, q)

    def _atoms(self) -> Atoms:
        counts = self._counts()
        return Atoms.of(np.append(counts, 0.0), np.append(0.0, counts))

    def _counts(self) -> FloatArray:
        """Distribution of the number of other items supported, 0..J."""
        counts = np.ones(1)
        for chance in self.support:
            counts = np.convolve(counts, [1 - chance, chance])
        return counts
