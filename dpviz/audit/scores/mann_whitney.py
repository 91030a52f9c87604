"""The Mann-Whitney statistic: the area under the ROC curve of a sample, and its standard error."""

import numpy as np

from dpviz.audit.scores.base import Scores, require_scores
from dpviz.audit.scores.ordered_sample import Counts, OrderedSample


def auc(scores: Scores) -> float:
    """The area under the ROC curve: the share of pairs in which the member has the higher score.

    An **estimate**; ties count one half.

    Parameters
    ----------
    scores : AttackScores or BinnedScores

    Returns
    -------
    float, in [0, 1]; 1/2 for random guessing

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> audit.auc(AttackScores(member=[2, 3], nonmember=[1, 2]))
    0.875
    """
    require_scores("scores", scores)
    return area(scores, placements(scores.members, scores.nonmembers))


def largest_standard_error(area: float, *, n_members: int, n_nonmembers: int) -> float:
    """The largest standard error of an area, whatever the distributions (Birnbaum, 1956)."""
    return float(np.sqrt(area * (1 - area) / min(n_members, n_nonmembers)))


def placements(sample: OrderedSample, others: OrderedSample) -> Counts:
    """Twice the number of `others` below each value of a sample (a tie counts one half)."""
    return others.below(sample.values) + others.upto(sample.values)


def area(scores: Scores, of_members: Counts) -> float:
    """The area under the ROC curve from the members' placements."""
    pairs = scores.n_members * scores.n_nonmembers
    return int(scores.members.total(of_members)) / (2 * pairs)
