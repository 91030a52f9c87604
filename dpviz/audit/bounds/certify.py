"""Lower bounds on epsilon from class sizes and one published number of an attack, such as its AUC.

**Statement**, by the theorem of `dpviz.audit.bounds.rank`: members are independent draws of one
distribution of scores, non-members of another. Each number below is a function of the ranking that
does not fall when a member changes places with a non-member above it. Where (epsilon, delta) holds,
the probability of the published number or more is at most that under leaky randomized response. An
epsilon for which the latter is at most ``1 - confidence_level`` is refuted.

- *AUC*: the pairs with the member first (`chance_of_auc_at_least`).
- *Advantage*, the largest TPR - FPR, and *accuracy*, of whatever threshold: if some threshold
  reaches it, some number of first records holds this many members. `chance_of_crossing` is the
  probability that one does, `chance_of_member_surplus_at_a_cut` where members and non-members count
  alike. So the threshold may have been chosen on the same records.
- *TPR at an FPR*, of a threshold: the members ranked above the first non-member beyond this FPR.
- *Interpolated TPR*, such as that of the convex hull of the ROC curve: it lies on a chord between
  two thresholds, and at least one end of a chord is on or above any line through one of its points.
  So some threshold is on or above any line through the published point that is fixed beforehand:
  some number of first records holds this many members (`chance_of_crossing`). The line depends
  only on the published point and the class sizes.
- *Precision at k*: the members among the first k records. Records of equal scores must be ordered
  without regard to membership: in the order of the input, it could be any.

These probabilities are in `dpviz.audit.bounds.worst_case_distribution`.

**Ties.** A threshold lies between tied records, so counts at thresholds are those of every ranking
that breaks the ties. An AUC that counts ties one half is the mean over these rankings: its
distance to the AUC of a random one is symmetric about 0 given the scores, so the latter is no
smaller with probability 1/2 or more, and
``P(AUC with halves >= c) <= 2 P(AUC of the random ranking >= c)``. Where scores are known to be
distinct, or ties to have been broken at random, the factor 2 falls away.
"""

from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from dpviz import checks
from dpviz.audit.bounds.result import INDEPENDENT, SMALLEST_EPSILON, largest_refuted_epsilon
from dpviz.audit.bounds.worst_case_distribution import PublishedRate, Ties, WorstCaseDistribution
from dpviz.value_object import ValueObject

MOST_SAMPLES = 64  # largest class size tried in the search for one that can certify anything
MOST_RECORDS = 10**7  # of a class
START_EPS = 0.3  # epsilon at which the search begins
MOST_PAIRS = 10**12  # of a member and a non-member; more would take minutes


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Certificate(ValueObject):
    """A lower confidence limit of epsilon that follows from a published number.

    Parameters
    ----------
    low : float, exceeds epsilon with P <= 1 - `confidence_level`; 0: no statement
    p_value : float, of epsilon 0: the largest probability of this number or more at (0, delta)
    statistic : str, "auc", "advantage", "accuracy", "tpr" or "precision"
    published : str, the number as it was given
    least, most : float, the interval of numbers that are printed as `published`; `least` was used
    place : str, the FPR of a TPR or the k of a precision, as text; "" for other statistics
        For a TPR that may lie between two thresholds it contains "interpolated".
    n_members, n_nonmembers : int
    delta, confidence_level : float
    law : WorstCaseDistribution, the probability of this number or more as a function of epsilon
    count : int, the number that was used, times ``law.total``
    sampling : str, how the records must have been drawn
    note : str, why `low` is 0; else ""

    Examples
    --------
    >>> from dpviz import audit
    >>> found = audit.certify(auc="0.60", n_members=1000, n_nonmembers=1000)
    >>> round(found.low, 2), found.least
    (0.28, 0.595)
    """

    low: float
    p_value: float
    statistic: str
    published: str
    least: float
    most: float
    place: str
    n_members: int
    n_nonmembers: int
    delta: float
    confidence_level: float
    law: WorstCaseDistribution = field(repr=False)
    count: int = field(repr=False)
    sampling: str = INDEPENDENT
    note: str = ""


def certify(
    *,
    n_members: int,
    n_nonmembers: int,
    auc: str | float | None = None,
    advantage: str | float | None = None,
    accuracy: str | float | None = None,
    tpr: str | float | None = None,
    fpr: str | float | None = None,
    precision: str | float | None = None,
    k: int | None = None,
    delta: float = 0.0,
    confidence_level: float = 0.95,
    ties: Ties = "half",
    interpolated: bool = False,
) -> Certificate:
    """Return the lower bound on epsilon that one published number of an attack certifies.

    Give one of `auc`, `advantage`, `accuracy`, `tpr` with `fpr`, or `precision` with `k`. **Text is
    read as printed**: "0.60" or "60 %" stands for every number in [0.595, 0.605); the one that
    certifies least is used. A float stands for itself, within its type's rounding.

    Parameters
    ----------
    n_members, n_nonmembers : int, at least 1 and at most 10^7 each; their product at most 10^12
    auc : str or float
    advantage : str or float, the largest TPR - FPR; of a balanced accuracy b it is 2 b - 1
    accuracy : str or float, share of right guesses among all records
    tpr, fpr : str or float, at any threshold, even one that was chosen on these records
    precision : str or float
        Share of members among the `k` records with the highest scores. Records with equal scores
        must have been ordered without regard to membership, for example at random.
    k : int
    delta : float, in [0, 1]
    confidence_level : float, in [0.5, 1)
    ties : {"half", "none"}, of an AUC: whether equal scores count one half, or there were none
    interpolated : bool
        Whether the TPR may lie between those of two thresholds, as on the convex hull of the ROC
        curve. Such a TPR, certified as that of a threshold, is false too often.

    Raises
    ------
    ValueError, if not exactly one number is given, no attack has it, or an argument is out of range

    Examples
    --------
    >>> from dpviz import audit
    >>> sizes = {"n_members": 1000, "n_nonmembers": 1000}
    >>> round(audit.certify(advantage="0.20", **sizes).low, 2)
    0.31
    >>> round(audit.certify(tpr="4.2 %", fpr="0.1 %", delta=1e-5, **sizes).low, 2)
    2.14
    """
    n = checks.whole("n_members", n_members, 1, MOST_RECORDS)
    m = checks.whole("n_nonmembers", n_nonmembers, 1, MOST_RECORDS)
    if n * m > MOST_PAIRS:
        raise checks.fail("n_members times n_nonmembers", f"at most {MOST_PAIRS:g}", n * m)
    delta = checks.real("delta", delta, 0, 1)
    confidence = checks.confidence_level(confidence_level)
    level = min((1 - confidence) * (1 + 1e-9), 1 - 1e-15)  # 1/20 is no more than 1 - 0.95
    checks.choice("ties", ties, ("half", "none"))
    numbers = {"auc": auc, "advantage": advantage, "accuracy": accuracy, "tpr": tpr}
    numbers["precision"] = precision
    given = {name: value for name, value in numbers.items() if value is not None}
    if len(given) != 1:
        one_of = "one of auc, advantage, accuracy, tpr (with fpr) and precision (with k)"
        raise ValueError(f"{one_of} must be given, got {' and '.join(given) or 'none'}")
    # A rate needs its FPR, a precision its number of records, and no other number has either.
    ((name, value),) = given.items()
    for needs, other, partner in (("tpr", "fpr", fpr), ("precision", "k", k)):
        if (name == needs) != (partner is not None):
            raise ValueError(f"{needs} and {other} must be given together")
    if interpolated and name != "tpr":
        raise checks.fail("interpolated", "False without tpr", interpolated)
    # A printed number stands for all counts that are rounded to it.
    published = PublishedRate.parse(name, value)
    rate = None if fpr is None else PublishedRate.parse("fpr", fpr)
    depth = None if k is None else checks.whole("k", k, 1, n + m)
    shared: dict[str, Any] = {"statistic": name, "n_members": n, "n_nonmembers": m, "delta": delta}
    shared_law: dict[str, Any] = {"fpr": rate, "k": depth or 0, "interpolated": interpolated}
    law = WorstCaseDistribution(**shared, **shared_law, level=level, ties=ties)
    # The smallest count that is printed like this certifies least.
    count = published.least_count(law.total)
    if count > (most := law.largest_count):
        raise checks.fail(
            name, f"at most {most}/{law.total}, as only {most} are members", published.text
        )
    # An epsilon is refuted if a count this large is rare enough under it.
    tail = cache(law.tail_chance_by_epsilon(count))
    p = tail(0.0)
    low = largest_refuted_epsilon(tail, level, near=START_EPS, records=n + m) if p <= level else 0.0
    note = ""
    if low == 0:
        note = "chance alone reaches this number too often"
        if not _can_perfect_attack_certify(law):
            few = f"the first {law.k}" if law.k else "these few"
            note = f"{few} records certify nothing, whatever the attack" + _fewest_records_note(law)
    place = f"FPR {rate.text}" if rate is not None else f"k = {depth}" if depth is not None else ""
    place += ", interpolated" if interpolated else ""
    return Certificate(
        **shared,
        low=low,
        p_value=p,
        published=published.text,
        least=published.least,
        most=published.most,
        place=place,
        confidence_level=confidence,
        law=law,
        count=count,
        note=note,
    )


def _can_perfect_attack_certify(distribution: WorstCaseDistribution) -> bool:
    chance = distribution.tail_chance_by_epsilon(distribution.largest_count)
    return chance(SMALLEST_EPSILON) <= distribution.level


def _fewest_records_note(distribution: WorstCaseDistribution) -> str:
    """Return a note on how many records a perfect attack needs to certify anything, or ""."""
    if distribution.k:  # the class sizes stay, and k grows
        for k in range(distribution.k + 1, min(distribution.n_members, MOST_SAMPLES) + 1):
            if _can_perfect_attack_certify(replace(distribution, k=k)):
                return f"; at least the first {k} are needed"
    for size in range(min(distribution.n_members, distribution.n_nonmembers) + 1, MOST_SAMPLES + 1):
        if _can_perfect_attack_certify(replace(distribution, n_members=size, n_nonmembers=size)):
            return f"; at least {size} members and {size} non-members are needed"
    return ""
