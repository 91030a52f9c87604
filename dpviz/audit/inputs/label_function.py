"""Scores that know the label: perfect separation, or another number format in each class."""

import numpy as np

from dpviz.audit.inputs.finding import Finding, Inputs
from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.checks import FloatArray

FEW = 2  # distinct scores that a function of the label has
MOST_DECIMALS = 8  # beyond it, numbers were not rounded for people
APART = 2  # decimals by which the classes differ
ALL, HALF = 0.99, 0.5  # shares of a class that a format fits, and does not fit
LOOKED_AT = 10_000  # records of a class


def label_function(inputs: Inputs) -> list[Finding]:
    """Look for scores that were computed from the label."""
    scores = inputs.scores
    if not isinstance(scores, AttackScores):
        return []
    low, high = scores.sorted_member, scores.sorted_nonmember
    is_apart = low[0] > high[-1] or low[-1] < high[0]
    n_distinct = scores.distinct().size if is_apart else 0
    if is_apart and n_distinct <= FEW:
        text = (
            "All members have one score and all non-members another: the score is the membership "
            "itself."
        )
    elif is_apart:
        text = (
            "No score of a member lies among those of non-members: make sure that the membership "
            "was not used to compute the scores."
        )
    else:
        text = "The scores of members and non-members overlap."
    return [
        Finding(question="attack", is_notable=bool(is_apart), sentence=text),
        *_formats(scores.member[:LOOKED_AT], scores.nonmember[:LOOKED_AT]),
    ]


def _formats(member: FloatArray, nonmember: FloatArray) -> list[Finding]:
    """Whether one class was rounded, or is of single precision, and the other is not."""
    decimals = _decimals(member), _decimals(nonmember)
    single = [float(np.mean(x == x.astype(np.float32))) for x in (member, nonmember)]
    if min(decimals) <= MOST_DECIMALS and abs(decimals[0] - decimals[1]) >= APART:
        how = f"the scores of one class have {min(decimals)} decimals, those of the other more"
    elif max(single) >= ALL and min(single) <= HALF:
        how = "the scores of one class are of single precision, those of the other are not"
    else:
        return []
    return [
        Finding(
            question="attack",
            is_notable=True,
            sentence=f"Members and non-members were processed differently: {how}.",
            numbers=(("decimals_of_members", decimals[0]), ("decimals_of_nonmembers", decimals[1])),
        )
    ]


def _decimals(values: FloatArray) -> int:
    """The decimals that nearly all values have; one more than the most if they have more."""
    for decimals in range(MOST_DECIMALS + 1):
        if np.mean(np.round(values, decimals) == values) >= ALL:
            return decimals
    return MOST_DECIMALS + APART
