"""Members among the first records of the ranking."""

import numpy as np

from dpviz.audit.scores import AttackScores
from dpviz.audit.supremum import Counts


def members_in_first(
    scores: AttackScores, cuts: Counts, rng: np.random.Generator, *, times: int = 1
) -> Counts:
    """Members among the records with the highest scores, shape (cuts, times).

    Tied scores are ranked at random, each time anew: in the order of the input, ties would be
    ranked by membership.
    """
    member, nonmember = scores.sorted_member, scores.sorted_nonmember
    # Two ascending runs: this sort merges them.
    pooled = np.sort(np.concatenate([member, nonmember]), kind="stable")
    last = pooled[np.minimum(pooled.size - cuts, pooled.size - 1)]
    above, tied_members = _above_and_at(member, last)
    above_nonmembers, tied_nonmembers = _above_and_at(nonmember, last)
    found = np.empty((cuts.size, times), np.int64)
    taken = drawn = np.zeros(times, np.int64)
    for i, cut in enumerate(cuts):
        if i == 0 or last[i] != last[i - 1]:
            taken = drawn = np.zeros(times, np.int64)
        left = tied_members[i] - drawn
        wanted = cut - above[i] - above_nonmembers[i] - taken
        drawn = drawn + rng.hypergeometric(left, tied_nonmembers[i] - (taken - drawn), wanted)
        taken = taken + wanted
        found[i] = above[i] + drawn
    return found


def _above_and_at(values: np.ndarray, places: np.ndarray) -> tuple[Counts, Counts]:
    """How many of the ascending values are greater than each place, and equal to it."""
    upto = np.searchsorted(values, places, side="right")
    return values.size - upto, upto - np.searchsorted(values, places, side="left")
