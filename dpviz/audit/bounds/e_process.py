"""A bound that holds whenever one stops: bets against epsilon, records in their order of arrival.

**Statement.** Members are independent draws of a law Q, non-members of a law P, and arrive one
after another; (P, Q) is (epsilon, delta)-indistinguishable. Compute the bound after as many records
as you like, as often as you like, and stop for any reason: the chance that any of these bounds
exceeds epsilon is at most ``1 - confidence_level``.

**Why.**

1. Let T and B, a top and a bottom set of scores, be chosen from the past; either may be empty.
   Guess "member" of a record in T, "non-member" of a record in B. By indistinguishability,
   ``Q(T) <= e^epsilon P(T) + delta`` and ``P(B) <= e^epsilon Q(B) + delta``.
2. Bet on each record: a capital is multiplied by ``1 + a (right - e^epsilon wrong - delta)``, where
   "right" and "wrong" say whether a guess was made and what it was, and
   ``0 <= a <= 1 / (e^epsilon + delta)`` keeps the factor from being negative. Write 1 + u for the
   mean factor of a member and 1 + v for that of a non-member. By 1,
   ``u + v = a (Q(T) - e^epsilon P(T) - delta + P(B) - e^epsilon Q(B) - delta) <= 0``.
3. A member and a non-member are independent: over a pair the capital is multiplied by
   ``(1 + u) (1 + v)`` in the mean, and that is at most ``(1 + (u + v) / 2)^2 <= 1``: a geometric
   mean is no larger than an arithmetic one. So the capital is a nonnegative supermartingale over
   pairs, and so is the average capital of many players.
4. From a stake of 1, such a capital ever reaches ``1 / (1 - confidence_level)`` with probability at
   most ``1 - confidence_level`` (Ville, 1939).
5. Epsilons of a fixed grid are tested upwards from 0 until one is not rejected: the capital against
   it never got there. A false bound needs the rejection of the first grid point that is not below
   the true epsilon.

**The players.** Each keeps to one depth (a share of the ranks), one kind of guess (both ends, top,
bottom) and one stake (a share of the largest a). Thresholds are ranks among the records seen so
far and move only where a block ends; blocks grow in proportion. Capitals are looked at only there
and at the last pair, so how many guesses were right and wrong by then says all.
"""

from itertools import pairwise

import numpy as np
from scipy.special import gammaln

from dpviz.audit.binned_scores import Scores, one_by_one
from dpviz.audit.bounds.bound import Found, WealthEvidence
from dpviz.audit.scores import AttackScores
from dpviz.checks import FloatArray

FIRST_PAIRS = 8
"""Looked at without a bet."""
GROWTH = 1.5
"""Of the pairs seen, from the end of one block to the end of the next."""
DEPTHS = 0.5 / 1.5 ** np.arange(24)
SMALLEST_DEPTH = 2
"""In records: a player whose share of those seen is less does not bet yet."""
KIND_WEIGHTS = np.array([0.6, 0.2, 0.2])
"""Of guesses at both ends, at the top alone, at the bottom alone."""
STAKES = 0.9 / 3.0 ** np.arange(6)
GRID = np.concatenate([np.arange(100) * 0.01, np.exp(np.arange(400) * 0.01)])
"""Epsilons in steps of 0.01 up to 1, then of 1 %, up to 54."""
BATCH = 25
"""Epsilons tested together."""
LARGEST_LOG = 500.0
"""A capital beyond e^500 counts as e^500: a supermartingale still."""
SORTED_BY_CHANCE = 1e-9


def e_process(scores: Scores, *, delta: float, confidence_level: float) -> Found:
    """The last epsilon of the grid before the first that was never rejected; 0 where none is.

    **Order matters**: `scores.member` and `scores.nonmember` have to be in the order in which the
    records arrived, new ones behind those that were looked at before. The i-th member goes with the
    i-th non-member; what the larger class has more is not used.

    Parameters
    ----------
    scores : AttackScores
        Neither class sorted.
    delta : float
        In [0, 1].
    confidence_level : float
        In (0, 1).

    Raises
    ------
    ValueError
        If a class is sorted, other than by chance, or only counts are left of the records.
    """
    scores = one_by_one(scores, "method 'e_process'")
    unit = "losses" if scores.kind == "loss" else "scores"
    for name, values in (("member", scores.member), ("nonmember", scores.nonmember)):
        if _is_sorted(values):
            raise ValueError(f"{name} must be in the order the records arrived, got sorted {unit}")
    pairs, counts = guesses_until(scores)
    goal = 1 / (1 - confidence_level)
    found = Found(low=0.0)
    for epsilons in np.split(GRID, np.arange(BATCH, GRID.size, BATCH)):
        for epsilon, history in zip(epsilons, wealth(counts, epsilons, delta).T, strict=True):
            rejects = history >= goal
            if not rejects.any():
                return found
            look = int(np.argmax(rejects))
            evidence = WealthEvidence(pairs=pairs[look], wealth=float(history[look]))
            found = Found(low=float(epsilon), evidence=(evidence,))
    return found


def guesses_until(scores: AttackScores) -> tuple[list[int], FloatArray]:
    """The pairs seen at each look, and what players had guessed by then: right, wrong, nothing.

    Returns
    -------
    pairs : list of int
        Ends of blocks, and the last pair. At the first look nobody has bet.
    counts : ndarray, shape (looks, kinds, depths, 3)
    """
    last = min(scores.n_members, scores.n_nonmembers)
    pairs = [min(FIRST_PAIRS, last)]
    while pairs[-1] < last:
        pairs.append(min(int(pairs[-1] * GROWTH), last))
    counts = [np.zeros((KIND_WEIGHTS.size, DEPTHS.size, 3))]
    for begin, end in pairwise(pairs):
        past = np.sort(np.concatenate([scores.member[:begin], scores.nonmember[:begin]]))
        depth = (past.size * DEPTHS).astype(np.int64)
        rank = np.maximum(depth, 1)
        top = past[-rank]
        below = np.minimum(np.nextafter(past[rank - 1], np.inf), top)  # no record at both ends
        classes = (np.sort(values[begin:end]) for values in (scores.member, scores.nonmember))
        (top_right, bottom_wrong), (top_wrong, bottom_right) = (
            (end - begin - np.searchsorted(block, top), np.searchsorted(block, below))
            for block in classes
        )
        right = np.array([top_right + bottom_right, top_right, bottom_right])
        wrong = np.array([top_wrong + bottom_wrong, top_wrong, bottom_wrong])
        of_block = np.stack([right, wrong, 2 * (end - begin) - right - wrong], axis=-1)
        counts.append(counts[-1] + of_block * (depth >= SMALLEST_DEPTH)[:, None])
    return pairs, np.array(counts)


def wealth(counts: FloatArray, epsilons: FloatArray, delta: float) -> FloatArray:
    """The players' average capital against each epsilon; shape (looks, epsilons)."""
    falling = 1 / np.arange(1, max(DEPTHS.size, STAKES.size) + 1)
    shares = np.einsum("k,d,s->kds", KIND_WEIGHTS, falling[: DEPTHS.size], falling[: STAKES.size])
    logs = np.einsum("lkdo,ose->lkdse", counts, log_factors(epsilons, delta))
    capitals = np.exp(np.minimum(logs, LARGEST_LOG, out=logs), out=logs)
    return np.asarray(np.einsum("kds,lkdse->le", shares / shares.sum(), capitals))


def log_factors(epsilons: FloatArray, delta: float) -> FloatArray:
    """Log of what a right guess, a wrong one and none multiply by; shape (3, stakes, epsilons)."""
    a = STAKES[:, None] / (np.exp(epsilons) + delta)
    wrong = np.broadcast_to(-STAKES[:, None], a.shape)
    return np.log1p([a * (1 - delta), wrong, -a * delta])


def _is_sorted(values: FloatArray) -> bool:
    """Whether values ascend or descend, and would hardly do so in a random order."""
    if not (np.all(values[1:] >= values[:-1]) or np.all(values[1:] <= values[:-1])):
        return False
    ties = np.unique(values, return_counts=True)[1]
    log_orders = gammaln(values.size + 1) - gammaln(ties + 1).sum()
    return bool(np.log(2) - log_orders < np.log(SORTED_BY_CHANCE))
