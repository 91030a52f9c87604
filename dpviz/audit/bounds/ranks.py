"""Members among the first records of the ranking."""

import numpy as np

from dpviz.audit.ascending import Ascending, Counts
from dpviz.audit.binned_scores import Scores, refuse_too_many
from dpviz.checks import FloatArray


def members_in_first(
    scores: Scores, cuts: Counts, rng: np.random.Generator, *, times: int = 1
) -> Counts:
    """Members among the records with the highest scores, shape (cuts, times).

    Tied scores are ranked at random, each time anew: in the order of the input, ties would be
    ranked by membership.
    """
    refuse_too_many(scores, "a bound by ranks (local_levels counts any number)")
    pooled = scores.pooled()
    last = pooled.at(np.minimum(pooled.size - cuts, pooled.size - 1))
    above, tied_members = _above_and_at(scores.members, last)
    above_nonmembers, tied_nonmembers = _above_and_at(scores.nonmembers, last)
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


def _above_and_at(sample: Ascending, places: FloatArray) -> tuple[Counts, Counts]:
    """How many records are greater than each place, and equal to it."""
    upto = sample.upto(places)
    return sample.size - upto, upto - sample.below(places)
