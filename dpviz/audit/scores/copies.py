"""Copies of whole records: found by rules fixed in advance, and left out.

A bound needs independent records, and a record that stands in a file k times is counted k times. A
tied score alone is no sign of a copy: few values, rounding and records that are alike tie as well.
Such ties know nothing of membership, and their numbers share no factor. So a sample of which at
least 1 % of the records repeat a score of their class has copies

1. if the numbers of records with each score, over 20 scores or more, are all multiples of one
   k >= 2: each record stands there k times (a class, or both together);
2. or if records of equal score share their membership far more often than records of neighbouring
   scores do, by `EXCESS` standard errors and at least twice as often.

By rule 1 each score keeps the k-th part of its records. By rule 2 each score keeps one record, if
all records of equal score are of one class. Otherwise ValueError: nothing shows which are copies.

Where records are independent, rule 1 finds a factor of all counts with a probability of about
2^-20, and rule 2 is a difference of `EXCESS` standard errors. Where continuous scores are copied
and a rule finds it, what is left is the original sample, and so is every bound and its coverage.
"""

import numpy as np

from dpviz.audit.scores.attack_scores import AttackScores, ScoresLike, as_scores
from dpviz.audit.scores.base import Counts, Rows, Scores
from dpviz.checks import FloatArray

LEAST_VALUES = 20  # distinct scores from which on a common factor of their counts is no chance
LEAST_SHARE = 0.01  # of records that repeat a score of their class; fewer are left as they are
EXCESS = 4.0  # standard errors
LARGEST_SHARE = 0.5  # of pairs that differ in membership: among tied over among neighbouring ones


def without_copies(scores: ScoresLike) -> Scores:
    """Return the scores without copies of records; ValueError if it is unknown which are copies."""
    scores = as_scores("scores", scores)
    if not isinstance(scores, AttackScores):
        return scores
    ascending = (scores.sorted_member, scores.sorted_nonmember)
    total = scores.n_members + scores.n_nonmembers
    if sum(np.count_nonzero(x[1:] == x[:-1]) for x in ascending) < LEAST_SHARE * total:
        return scores
    classes = [_values_and_counts(x) for x in ascending]
    # How often each record of a class stands there, by rule 1; else 1.
    both = np.concatenate([counts for _, counts in classes])
    judged = [counts if counts.size >= LEAST_VALUES else both for _, counts in classes]
    factors = [int(np.gcd.reduce(each)) if each.size >= LEAST_VALUES else 1 for each in judged]
    if max(factors) > 1:
        kept = [counts // k for (_, counts), k in zip(classes, factors, strict=True)]
    elif _ties_share_membership(classes, scores.distinct()):
        kept = [np.ones_like(counts) for _, counts in classes]
        shared = np.intersect1d(classes[0][0], classes[1][0], assume_unique=True)
        if shared.size:
            raise ValueError(
                f"scores must be of distinct records, got {total - sum(x.size for x in kept)} of "
                f"{total} that repeat one of their class, more than by chance, beside scores that "
                "both classes have: leave copied records out"
            )
    else:
        return scores
    rows = [
        _first_rows(values, counts)
        for values, counts in zip((scores.member, scores.nonmember), kept, strict=True)
    ]
    groups = [
        None if labels is None else labels[each]
        for labels, each in zip((scores.member_groups, scores.nonmember_groups), rows, strict=True)
    ]
    return scores.replaced(
        member=scores.member[rows[0]],
        nonmember=scores.nonmember[rows[1]],
        member_groups=groups[0],
        nonmember_groups=groups[1],
        n_copies=scores.n_copies + total - sum(each.size for each in rows),
    )


def _values_and_counts(ascending: FloatArray) -> tuple[FloatArray, Counts]:
    """Return the distinct scores of a class, ascending, and how many records have each."""
    starts = np.flatnonzero(np.concatenate([[True], ascending[1:] != ascending[:-1]]))
    return ascending[starts], np.diff(np.append(starts, ascending.size))


def _ties_share_membership(classes: list[tuple[FloatArray, Counts]], values: FloatArray) -> bool:
    """Whether records tied at one of the distinct `values` share their membership, by rule 2."""
    members, others = np.zeros((2, values.size))
    for into, (of_class, counts) in zip((members, others), classes, strict=True):
        into[np.searchsorted(values, of_class)] = counts
    records = members + others
    tied = np.flatnonzero(records[:-1] > 1)
    after = tied + 1
    a, b, n = members[tied], others[tied], records[tied]
    # The shares of pairs of which one is a member: within a score, and with the next higher one.
    within = float(np.sum(2 * a * b / (n * (n - 1))))
    across = float(np.sum((a * others[after] + b * members[after]) / (n * records[after])))
    is_far = across - within >= EXCESS * np.sqrt(across + within)
    return bool(is_far and across > 0 and within <= LARGEST_SHARE * across)


def _first_rows(values: FloatArray, kept: Counts) -> Rows:
    """Return the rows of the first kept[i] records with the i-th distinct score, in their order."""
    order = np.argsort(values, kind="stable")
    _, counts = _values_and_counts(values[order])
    position = np.arange(values.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.sort(order[position < np.repeat(kept, counts)])
