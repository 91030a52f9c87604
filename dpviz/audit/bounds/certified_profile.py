"""A lower confidence limit of the whole privacy profile: epsilon at all deltas at once.

**Statement**, that of `dpviz.audit.bounds.rank` for all deltas at once: let epsilon(delta) be
the smallest epsilon of the two distributions of scores, in the attack's direction. The probability
that the returned bound exceeds epsilon(delta) *for any delta* is at most ``1 - confidence_level``.

**Proof.** Let h be a function of the ranking, not of epsilon or delta, that does not fall when a
member changes places with a non-member above it; let ``p(epsilon, delta)`` be the probability under
leaky randomized response of an h at least as large as the data's. By the proof in
`dpviz.audit.bounds.rank`, where (epsilon, delta) holds, ``p(epsilon, delta)`` is at most a with
probability at most a. Two facts are added.

1. *p does not fall with epsilon or delta.* The boundary L of the region rises with both, so by
   step 3 of that proof h is stochastically larger. So the bound never rises with delta.
2. *All deltas at once.* If the bound at delta exceeds epsilon(delta), then by fact 1
   ``p(epsilon(delta), delta)`` is at most the level: h is at least some number c(delta), which has
   a probability of at most the level. Of the events ``h >= c(delta)``, one of any two contains the
   other, and there are finitely many of them, because there are finitely many rankings. So the
   bound is false for some delta only if the largest of these events happens; that is one of them,
   and its probability is at most the level. Nothing is paid for looking at many deltas.

Ties are ranked at random once, the same for all deltas. p-values must be exact or upper bounds:
with separate simulations for each delta, fact 2 would not hold. `certified_profile` computes them
by the walk of `dpviz.audit.bounds.boundary_crossing`, which gives close upper bounds.

**The statistic** is the largest epsilon that some count of right guesses refutes alone, as in
`dpviz.audit.bounds.rank`. Cut-offs are denser than the defaults of `cut_offs`, so that a run of
right guesses is used nearly to its end. Records that leak much rank first: so guesses at one end
have the same level at every cut-off, while that of guesses at both ends rises with their number.
No right guesses are discounted as leaks. So the statistic has power at deltas well below one over
the number of records; at larger deltas the default bound, which uses delta, is larger.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.audit.bounds import rank, result
from dpviz.audit.bounds.boundary_crossing import leak_pairs
from dpviz.audit.bounds.lower_bound import warnings_about
from dpviz.audit.bounds.result import AppliesTo
from dpviz.audit.scores.attack_scores import ScoresLike, without_copies
from dpviz.audit.scores.base import Sampling
from dpviz.checks import FloatArray, Rng
from dpviz.value_object import ValueObject

DELTAS = (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
MOST_RECORDS = 10_000  # of both classes: ten seconds
LEAK_VALUES = 3  # distinct numbers of leaking records of a class that are tried
CUT_OFF_RATIO = 1.12  # of a cut-off to the next smaller one
# Levels at which counts refute alone, as fractions of the whole level.
ALL_RECORDS_LEVEL = 1.0  # every record is guessed: tells most where all records leak
BOTH_ENDS_LEVEL = 0.5  # times the share of records guessed, to the power SHARE_EXPONENT
SHARE_EXPONENT = 0.3
ONE_END_LEVEL = 0.05


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CertifiedProfile(ValueObject):
    """Lower limits of epsilon that hold at all deltas at once with probability `confidence_level`.

    Parameters
    ----------
    deltas : ndarray, shape (k,), ascending
    epsilons : ndarray, shape (k,), the limit at each delta; it never rises
    n_members, n_nonmembers : int
    confidence_level : float
    sampling : str, how the records must have been drawn
    applies_to : {"instance", "mechanism"}, as of `EpsilonBound`
    warnings : tuple of str

    Examples
    --------
    >>> from dpviz import audit
    >>> found = audit.certified_profile((range(100), range(50, 150)), deltas=[0, 1e-3])
    >>> found.epsilons.round(1).tolist(), round(found.epsilon(1e-4), 1), found.delta(2.0)
    ([3.3, 3.3], 3.3, 0.001)
    """

    one_row_each = ("deltas", "epsilons")
    deltas: FloatArray
    epsilons: FloatArray
    n_members: int
    n_nonmembers: int
    confidence_level: float
    sampling: str
    applies_to: AppliesTo
    warnings: tuple[str, ...] = ()

    def epsilon(self, delta: float) -> float:
        """Return a lower confidence limit of epsilon for a given delta.

        This is the limit at the smallest of `deltas` that is at least `delta`, or 0 if there is
        none.
        """
        delta = checks.real("delta", delta, 0, 1)
        return float(np.append(self.epsilons, 0.0)[np.searchsorted(self.deltas, delta)])

    def delta(self, epsilon: float) -> float:
        """Return a lower confidence limit of delta for a given epsilon.

        This is the largest of `deltas` at which the limit of epsilon exceeds `epsilon`, or 0 if
        there is none.
        """
        epsilon = checks.real("epsilon", epsilon, 0, np.inf)
        return float(np.max(self.deltas[self.epsilons > epsilon], initial=0.0))


def certified_profile(
    scores: ScoresLike,
    *,
    deltas: Iterable[float] = DELTAS,
    confidence_level: float = 0.95,
    applies_to: AppliesTo | None = None,
    sampling: Sampling | None = None,
    rng: Rng = 0,
) -> CertifiedProfile:
    """Return lower confidence limits of epsilon that hold at all `deltas` at once.

    All limits come from one statistic, which does not depend on delta. They exceed the limits of
    `lower_bound` where few records leak much. They are smaller, by up to a tenth, where all records
    leak a little, and smaller where delta is not well below one over the number of records.

    Parameters
    ----------
    scores : AttackScores or BinnedScores, at most 10 000 records; higher = more member-like
    deltas : iterable of float, in [0, 1]: limits are computed here, but hold for all deltas
    confidence_level : float, in [0.5, 1)
    applies_to : {"instance", "mechanism"}, optional
    sampling : {"independent_trainings"}, required for a mechanism; both as of `lower_bound`
    rng : int or Generator, of the random ranking of tied scores, and nothing else

    Raises
    ------
    ValueError, if an argument is out of range, or there are too many records

    Examples
    --------
    >>> from dpviz import audit
    >>> audit.certified_profile((range(50, 150), range(100)), deltas=[1e-5]).epsilons
    array([0.])
    """
    scores = without_copies(scores)
    ascending = np.unique([checks.real("deltas", delta, 0, 1) for delta in deltas])
    if ascending.size == 0:
        raise checks.fail("deltas", "a list with at least one number", [])
    level = 1 - checks.confidence_level(confidence_level)
    sampling = result.sampling_of(scores, sampling, applies_to)
    applies_to = result.checked_applies_to(applies_to, sampling, only="independent_trainings")
    n, m = scores.n_members, scores.n_nonmembers
    if n + m > MOST_RECORDS:
        raise checks.fail("scores", f"of at most {MOST_RECORDS} records", n + m, "use lower_bound")
    rng = np.random.default_rng(checks.seed(rng))
    # One ranking and one statistic, which does not depend on delta (fact 2).
    test = profile_rank_test(n, m, level)
    members = rank.members_above_cuts(scores, test.guesses.cuts, rng)[:, 0]
    statistic = float(np.max(test.refuted_epsilons(members)))
    lows = np.zeros(ascending.size)
    near = max(statistic, 0.0)
    # Without more right guesses than chance gives, nothing is refuted.
    for i, delta in enumerate(ascending.tolist() if statistic > 0 else []):
        # Bounds do not rise with delta: the search begins at the bound of the delta before.
        p_value = rank.p_value_curve(test, statistic, leak_pairs(n, m, delta, level, LEAK_VALUES))
        near = lows[i] = result.largest_refuted_epsilon(p_value, level, near=near, records=n + m)
        if near == 0:
            break  # nor is anything refuted at a larger delta
    # What is refuted at a delta is refuted at every smaller one.
    lows = np.maximum.accumulate(lows[::-1])[::-1]
    return CertifiedProfile(
        deltas=checks.read_only(ascending),
        epsilons=checks.read_only(lows),
        n_members=n,
        n_nonmembers=m,
        confidence_level=1 - level,
        sampling=rank.METHOD.conditions(sampling),
        applies_to=applies_to,
        warnings=warnings_about(scores, sampling),
    )


def profile_rank_test(n_members: int, n_nonmembers: int, level: float) -> rank.RankTest:
    """Return a rank test whose statistic does not depend on delta, for bounds at all deltas."""
    cuts = rank.cut_offs(n_members + n_nonmembers, ratio=CUT_OFF_RATIO)
    tried = rank.guess_sets(n_members, n_nonmembers, delta=0.0, level=level, cuts=cuts)
    # A level for each kind of guess, as fractions of the whole level.
    both = (tried.top > 0) & (tried.bottom > 0)
    share = (tried.top + tried.bottom) / (n_members + n_nonmembers)
    halves = tried.top == tried.top.max()
    of_both = np.where(halves, ALL_RECORDS_LEVEL, BOTH_ENDS_LEVEL * share**SHARE_EXPONENT)
    levels = level * np.where(both, of_both, ONE_END_LEVEL)
    return rank.RankTest(tried, levels, delta=0.0, level=level)
