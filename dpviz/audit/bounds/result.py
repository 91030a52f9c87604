"""Lower bounds on epsilon: the value, its evidence, the methods, and the search of all of them."""

from collections.abc import Callable
from dataclasses import dataclass
from math import expm1, log1p
from typing import Literal

import numpy as np
from scipy.special import expit, ndtri

from dpviz import checks
from dpviz.audit.scores.base import Scores
from dpviz.audit.scores.binned_scores import BinnedScores
from dpviz.value_object import ValueObject

AppliesTo = Literal["instance", "mechanism"]
Direction = Literal["attack", "reversed"]
APPLIES_TO = ("instance", "mechanism")
INDEPENDENT = (
    "members independent draws from one distribution, non-members from another; sizes fixed; the "
    "attack not fitted to these scores"
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Evidence(ValueObject):
    """The error counts of an attack that flags records as members at one threshold.

    Parameters
    ----------
    threshold : float or None, on the scores' original scale; None where only counts were given
    false_positives, n_nonmembers, false_negatives, n_members : int
    fpr_upper, fnr_upper : float, upper confidence limits of both error rates

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> scores = AttackScores(member=range(50, 150), nonmember=range(100))
    >>> bound = audit.lower_bound(scores, delta=0, method="clopper_pearson", threshold=99.5)
    >>> bound.evidence[0].false_positives, round(bound.evidence[0].fpr_upper, 3)
    (0, 0.036)
    """

    threshold: float | None
    false_positives: int
    n_nonmembers: int
    false_negatives: int
    n_members: int
    fpr_upper: float
    fnr_upper: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RankEvidence(ValueObject):
    """Right guesses: the first `top` records are called members, the last `bottom` non-members.

    Parameters
    ----------
    top, members_in_top : int, records with the highest scores, and the members among them
    bottom, nonmembers_in_bottom : int, records with the lowest scores, and the non-members there

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> scores = AttackScores(member=range(50, 150), nonmember=range(100))
    >>> audit.lower_bound(scores, delta=0, method="one_run").evidence
    (RankEvidence(top=44, members_in_top=44, bottom=44, nonmembers_in_bottom=44),)
    """

    top: int
    members_in_top: int
    bottom: int
    nonmembers_in_bottom: int


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class WealthEvidence(ValueObject):
    """The capital, from a stake of 1, with which bets against the bound's epsilon refuted it.

    Parameters
    ----------
    pairs : int, pairs of one member and one non-member up to then, in order of arrival
    wealth : float, the capital

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> scores = AttackScores(member=[3, 1, 4, 1, 5, 9] * 20, nonmember=[-2, -7, -1, -8] * 30)
    >>> audit.lower_bound(scores, delta=0, method="e_process").evidence[0].pairs
    120
    """

    pairs: int
    wealth: float


AnyEvidence = Evidence | RankEvidence | WealthEvidence


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class EpsilonBound(ValueObject):
    """A lower confidence limit: epsilon is at least `low` with probability `confidence_level`.

    Parameters
    ----------
    low : float, in [0, inf]: the smallest epsilon that the data allow at `delta`
    delta, confidence_level : float
    method : str, a key of `BOUNDS`
    evidence : tuple of Evidence, RankEvidence or WealthEvidence, from which `low` follows
    n_members, n_nonmembers : int
    sampling : str, how the records must have been drawn
    applies_to : {"instance", "mechanism"}, as declared by the caller
        The epsilon of this trained model's distributions of scores, or of the training mechanism.
    direction : {"attack", "reversed"}, "reversed" if the reversed scores gave the larger bound
    warnings : tuple of str
    seed : int or None, of simulations or a ranking of ties; None where no random numbers were used
    seed_spread : float or None, estimated standard deviation of `low` over seeds; 0 without a seed
        None if not estimated. `low` holds for a seed fixed in advance, not the largest over seeds.

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> bound = audit.lower_bound(read_sample("overfitted"), delta=1e-5)
    >>> round(bound.low, 2), bound.applies_to, bound.seed_spread
    (2.71, 'instance', 0.0)
    """

    low: float
    delta: float
    confidence_level: float
    method: str
    evidence: tuple[AnyEvidence, ...]
    n_members: int
    n_nonmembers: int
    sampling: str
    applies_to: AppliesTo
    direction: Direction = "attack"
    warnings: tuple[str, ...] = ()
    seed: int | None = None
    seed_spread: float | None = 0.0

    def __post_init__(self) -> None:
        checks.choice("applies_to", self.applies_to, APPLIES_TO)


@dataclass(frozen=True, kw_only=True)
class BoundRequest:
    """The arguments of a bound's method besides the scores; a method may ignore some."""

    delta: float
    confidence_level: float  # for one direction of the attack
    seed: int = 0
    threshold: float | None = None  # on the original scale of the scores


@dataclass(frozen=True, kw_only=True)
class MethodResult:
    """The fields of an `EpsilonBound` that its method computes; `notes` become warnings."""

    low: float
    evidence: tuple[AnyEvidence, ...] = ()
    seed: int | None = None
    seed_spread: float | None = 0.0
    notes: tuple[str, ...] = ()


def perfect_binned_scores(n: int, m: int) -> Scores:
    """Return binned scores of a perfect attack on n members and m non-members."""
    return BinnedScores(
        thresholds=np.array([-1.0, 1.0]),
        member_counts=np.array([0, n]),
        nonmember_counts=np.array([m, 0]),
    )


@dataclass(frozen=True, kw_only=True)
class BoundMethod:
    """A way to compute a lower bound on epsilon, and the conditions under which it holds."""

    label: str  # name in tables, menus and sentences
    rule: Callable[[Scores, BoundRequest], MethodResult]  # computes the bound from high scores
    sampling: str = INDEPENDENT  # how records must have been drawn
    fair_coins: bool = False  # whether fair coins must have decided the membership of each record
    needs_threshold: bool = False  # whether `BoundRequest.threshold` must be given
    applies_to: AppliesTo | None = None  # whose epsilon is bounded; None: it depends on the records
    separated: Callable[[int, int], Scores] = perfect_binned_scores  # scores of a perfect attack


# ----- the search for the largest epsilon that a p-value refutes

# The search is on a lattice of epsilons, ``STEP (epsilon + UNIT)`` apart: the result is refuted,
# and the next epsilon of the lattice is not. So the result does not depend on where the search
# began, and a smaller p-value never gives a smaller bound.
UNIT, STEP = 0.1, 1e-3
SMALLEST_EPSILON = UNIT * expm1(STEP)  # the first epsilon of the lattice above 0
LARGEST_EXPONENT = 700.0  # epsilon from which on e^epsilon overflows
REL_SLOPE = 0.8  # slope of a typical p-value's quantile, over that of one count of all guesses
SECANTS = 12  # p-values computed before brackets are halved
ChanceByEpsilon = Callable[[float], float]  # from epsilon to the probability of data as extreme


def largest_refuted_epsilon(
    p_value: ChanceByEpsilon,
    level: float,
    *,
    near: float,
    records: float,
    p_near: float | None = None,
    approximate: bool = False,
    step: float = STEP,
) -> float:
    """Return the largest epsilon of a lattice with a p-value <= `level`; 0 if there is none.

    `p_value` must not fall with epsilon. `near`, its p-value `p_near` and p-values as steep as
    those of `records` guesses are guesses that save time. If `approximate`, it may be steps off.
    """

    def epsilon_at(index: int) -> float:
        return UNIT * expm1(step * index)

    last = int(log1p(LARGEST_EXPONENT / UNIT) / step)
    index = max(int(log1p(near / UNIT) / step), 1)
    slope = REL_SLOPE * step * (near + UNIT) * (records * float(expit(near) * expit(-near))) ** 0.5
    low, high = 0, None  # 0 is no bound, refuted or not
    tried: list[tuple[int, float]] = []
    if p_near is not None:
        index = max(int((index - (ndtri(p_near) - ndtri(level)) / slope) // 1), 1)
    while high is None or high - low > 1:
        p = p_value(epsilon_at(index))
        low, high = (index, high) if p <= level else (low, index)
        excess = float(ndtri(min(max(p, 1e-290), 1 - 1e-15)) - ndtri(level))
        if tried and excess != tried[-1][1]:
            slope = max((excess - tried[-1][1]) / (index - tried[-1][0]), slope / 10)
        tried.append((index, excess))
        index = int(min(index - excess / slope, last) // 1)
        if approximate and abs(index - tried[-1][0]) <= 1:
            return epsilon_at(max(index, 1))
        if low >= last:
            break
        # Stay inside the bracket; after too many secants, halve it.
        if high is not None:
            if low == 0 and index < high // 2:
                index = 1  # perhaps nothing is refuted
            elif len(tried) >= SECANTS:
                index = (low + high) // 2
            index = min(index, high - 1)
        index = max(index, low + 1)
    return epsilon_at(low)
