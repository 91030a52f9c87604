"""Scores that know the label: perfect separation, or another number format in each class."""

from collections.abc import Callable
from functools import partial

import numpy as np

from dpviz.audit.inputs.finding import Finding, Inputs
from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.checks import FloatArray

FEW = 2  # distinct scores that a function of the label has
MOST_DECIMALS = 6  # of numbers that somebody rounded
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
    for name, fits in FORMATS.items():
        shares = [float(np.mean(fits(values) == values)) for values in (member, nonmember)]
        if max(shares) >= ALL and min(shares) <= HALF:
            one, other = ("members", "non-members")[:: 1 if shares[0] > shares[1] else -1]
            text = (
                f"The scores of {one} have {name}, those of {other} do not: they were processed "
                "differently."
            )
            numbers = (("share_of_members", shares[0]), ("share_of_nonmembers", shares[1]))
            return [Finding(question="attack", is_notable=True, sentence=text, numbers=numbers)]
    return []


def _rounded(decimals: int, values: FloatArray) -> FloatArray:
    return np.round(values, decimals)


def _single(values: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):
        return values.astype(np.float32).astype(np.float64)


FORMATS: dict[str, Callable[[FloatArray], FloatArray]] = {
    **{f"at most {n} decimals": partial(_rounded, n) for n in range(MOST_DECIMALS + 1)},
    "single precision": _single,
}
