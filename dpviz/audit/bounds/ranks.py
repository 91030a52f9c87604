"""Depths of the ranking that do not depend on who is a member, and members counted there."""

import numpy as np

from dpviz.audit.scores import AttackScores
from dpviz.audit.supremum import Counts

RATIO = 1.5
SMALLEST_DEPTH = 4


def depths_of(total: int) -> Counts:
    """Half of the records, and on down by a ratio of 1.5 to 4 records; ascending."""
    depths = [max(total // 2, 1)]
    while depths[-1] / RATIO >= SMALLEST_DEPTH:
        depths.append(int(depths[-1] / RATIO))
    return np.array(depths[::-1], np.int64)


def members_in_first(scores: AttackScores, cuts: Counts, rng: np.random.Generator) -> Counts:
    """Members among the records with the highest scores; tied scores are ranked at random.

    In the order of the input, ties would be ranked by membership.
    """
    values = np.concatenate([scores.member, scores.nonmember])
    shuffled = rng.permutation(values.size)
    order = shuffled[np.argsort(-values[shuffled], kind="stable")]
    return np.asarray(np.cumsum(order < scores.n_members)[cuts - 1])
