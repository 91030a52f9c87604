"""Lower bounds on epsilon: results, evidence, methods, and the search for a refuted epsilon."""

from collections.abc import Callable
from dataclasses import dataclass
from math import expm1, log1p
from typing import Literal

import numpy as np
from scipy.special import expit, ndtri

from dpviz import checks
from dpviz.audit.scores.base import Sampling, Scores
from dpviz.audit.scores.binned_scores import BinnedScores
from dpviz.theory.tradeoff import ADJACENCIES, Adjacency
from dpviz.value_object import ValueObject

AppliesTo = Literal["instance", "mechanism"]
Direction = Literal["attack", "reversed"]
APPLIES_TO = ("instance", "mechanism")
DEFAULT = "rank_exact"
"""The method where none is chosen."""
NOT_FITTED = "the attack was not fitted to these scores"
INDEPENDENT = (
    "members are independent draws from one distribution, non-members from another, both "
    f"in fixed numbers; {NOT_FITTED}"
)
GIVEN_MODEL = (
    "given the model, members are a simple random sample of its training records; non-members are "
    "an independent sample of the population; no score depends on other sampled records; the "
    "numbers of members and non-members are fixed"
)
SAMPLINGS: dict[Sampling, str] = {  # how membership was drawn, where a bound is about a mechanism
    "independent_trainings": (
        "independent trainings: each training includes or omits one canary and gives one score; "
        "the numbers of members and non-members are fixed"
    ),
    "fair_coins": (
        "one training run, fair coins: every record is a canary, included with probability 1/2 and "
        "independently of all others; epsilon is that of including one record"
    ),
    "fixed_split": (
        "one training run, fixed split: the members are drawn at random from all records, and all "
        "choices of this size are equally likely; epsilon is that of replacing one record"
    ),
}


def checked_applies_to(
    applies_to: AppliesTo | None, sampling: Sampling | None, only: Sampling | None = None
) -> AppliesTo:
    """Return "mechanism" if `sampling` is given, else "instance"; `applies_to` must agree.
    ValueError if the two contradict each other, or if `sampling` is given but is not `only`.
    """
    if applies_to is not None:
        checks.choice("applies_to", applies_to, APPLIES_TO)
    # How membership was drawn makes a bound one of the mechanism.
    if sampling is None and applies_to == "mechanism":
        names = ", ".join(map(repr, SAMPLINGS))
        way_out = "a bound for the mechanism needs random membership, not a split somebody chose"
        condition = f"one of {names} for applies_to='mechanism'"
        raise checks.fail("sampling", condition, sampling, way_out)
    if sampling is None:
        return "instance"
    checks.choice("sampling", sampling, SAMPLINGS)
    if applies_to == "instance":
        raise checks.fail("sampling", "None for applies_to='instance'", sampling)
    if only is not None and sampling != only:
        way_out = "use lower_bound for the dependent scores of one training run"
        raise checks.fail("sampling", f"{only!r} or None in this function", sampling, way_out)
    return "mechanism"


def sampling_of(
    scores: Scores, sampling: Sampling | None, applies_to: AppliesTo | None
) -> Sampling | None:
    """Return `sampling`; if None, that of the scores, unless `applies_to` is "instance"."""
    if sampling is None:
        return None if applies_to == "instance" else scores.sampling
    # Given the number of members, fair coins are a fixed split; nothing else follows from them.
    if scores.sampling not in (None, sampling) and sampling != "fixed_split":
        condition = f"{scores.sampling!r}, as these scores declare, or 'fixed_split'"
        raise checks.fail("sampling", condition, sampling)
    return sampling


def required_adjacency(sampling: Sampling | None, neighbours: Adjacency | None) -> Adjacency | None:
    """Return a claim's required adjacency: `neighbours`, else by `sampling`; None means any."""
    if neighbours is not None:
        checks.choice("neighbours", neighbours, ADJACENCIES)
    if sampling == "fixed_split" and neighbours == "add_remove":
        condition = "'replace_one' or None for sampling='fixed_split'"
        raise checks.fail("neighbours", condition, neighbours)
    if sampling == "independent_trainings":
        return neighbours
    return neighbours or ("add_remove" if sampling == "fair_coins" else "replace_one")


def default_method(sampling: Sampling | None) -> str:
    """Return the name of the default method for the way in which membership was drawn."""
    return "one_run_curve" if sampling == "fair_coins" else DEFAULT


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
    >>> from dpviz import audit
    >>> given = {"delta": 0, "method": "clopper_pearson", "threshold": 49.5}
    >>> audit.lower_bound((range(100), range(50, 150)), **given).evidence[0].false_positives
    0
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
    """The numbers of guesses and of right guesses in a ranking of records.

    The guess is "member" for the top of the ranking, and "non-member" for the bottom.

    Parameters
    ----------
    top, members_in_top : int, records with the highest scores, and the members among them
    bottom, nonmembers_in_bottom : int, records with the lowest scores, and the non-members there

    Examples
    --------
    >>> from dpviz import audit
    >>> audit.lower_bound((range(100), range(50, 150)), delta=0, method="one_run").evidence
    (RankEvidence(top=44, members_in_top=44, bottom=44, nonmembers_in_bottom=44),)
    """

    top: int
    members_in_top: int
    bottom: int
    nonmembers_in_bottom: int


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class WealthEvidence(ValueObject):
    """The capital after bets against the epsilon of a bound.

    The capital is 1 before the first bet.

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
    """A lower confidence limit of epsilon.

    The limit `low` exceeds the true epsilon with probability at most 1 - `confidence_level`.

    Parameters
    ----------
    low : float, in [0, inf]: the smallest epsilon that the data allow at `delta`
    delta, confidence_level : float
    applies_to : {"instance", "mechanism"}, as declared by the caller
        The epsilon of this trained model's distributions of scores, or of the training mechanism.
    sampling : str, how the records must have been drawn
    method : str, a key of `BOUNDS`
    evidence : tuple of Evidence, RankEvidence or WealthEvidence, from which `low` follows
    n_members, n_nonmembers : int
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
    (2.77, 'instance', 0.0)
    """

    low: float
    delta: float
    confidence_level: float
    applies_to: AppliesTo
    sampling: str
    method: str
    evidence: tuple[AnyEvidence, ...]
    n_members: int
    n_nonmembers: int
    direction: Direction = "attack"
    warnings: tuple[str, ...] = ()
    seed: int | None = None
    seed_spread: float | None = 0.0

    def __post_init__(self) -> None:
        checks.choice("applies_to", self.applies_to, APPLIES_TO)


@dataclass(frozen=True, kw_only=True)
class BoundRequest:
    """The arguments of a bound's method, except the scores; a method may ignore some of them."""

    delta: float
    confidence_level: float  # for one direction of the attack
    seed: int = 0
    threshold: float | None = None  # on the original scale of the scores


@dataclass(frozen=True, kw_only=True)
class MethodResult:
    """The fields of an `EpsilonBound` that a method computes; `notes` become its warnings."""

    low: float
    evidence: tuple[AnyEvidence, ...] = ()
    seed: int | None = None
    seed_spread: float | None = 0.0
    notes: tuple[str, ...] = ()


def perfect_binned_scores(n: int, m: int) -> Scores:
    """Return binned scores of a perfect attack on n members and m non-members."""
    return BinnedScores(np.array([-1.0, 1.0]), np.array([0, n]), np.array([m, 0]))


@dataclass(frozen=True, kw_only=True)
class BoundMethod:
    """A way to compute a lower bound on epsilon, and the conditions under which it holds."""

    label: str  # name in tables, menus and sentences
    rule: Callable[[Scores, BoundRequest], MethodResult]  # computes the bound from high scores
    # How membership may have been drawn where the bound is about a mechanism.
    samplings: tuple[Sampling, ...] = ("independent_trainings",)
    further: str = ""  # what it assumes besides
    needs_threshold: bool = False  # whether `BoundRequest.threshold` must be given
    separated: Callable[[int, int], Scores] = perfect_binned_scores  # scores of a perfect attack

    @property
    def requires_fair_coins(self) -> bool:
        """Whether the method requires that fair coins decided each record's membership."""
        return self.samplings == ("fair_coins",)

    def further_assumption(self, sampling: Sampling | None) -> str:
        """Return the method's assumptions beyond `sampling` as text; "" if there are none."""
        is_not_so = sampling is None and self.requires_fair_coins
        return self.conditions("fair_coins") if is_not_so else self.further

    def conditions(self, sampling: Sampling | None) -> str:
        """Return all conditions of the method in words, such as how records were drawn."""
        if sampling is None and self.requires_fair_coins:
            sampling = "fair_coins"
        drawn = GIVEN_MODEL if sampling is None else SAMPLINGS[sampling]
        return "; ".join(filter(None, [drawn, self.further, NOT_FITTED]))


# ----- the search for the largest epsilon that a p-value refutes

# The search is on a lattice of epsilons, ``STEP (epsilon + UNIT)`` apart: the result is refuted,
# and the next epsilon of the lattice is not. So the result does not depend on where the search
# began, and a smaller p-value never gives a smaller bound.
UNIT, STEP = 0.1, 1e-3
SMALLEST_EPSILON = UNIT * expm1(STEP)  # the first epsilon of the lattice above 0
LARGEST_EXPONENT = 700.0  # epsilon from which on e^epsilon overflows
REL_SLOPE = 0.65  # slope of a typical p-value's quantile, over that of one count of all guesses
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
    `p_value` must not fall with epsilon. To save time, the search begins at `near`, of p-value
    `p_near`, with the slope typical of `records` guesses. If `approximate`, it may be steps off.
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
    # Secants in Normal quantiles, in which p-values are nearly straight, inside a bracket.
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
