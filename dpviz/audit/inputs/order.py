"""Order effects: scores that depend on when a record was scored, sets from different times."""

import numpy as np
from scipy.special import ndtr

from dpviz.audit.inputs.drift import LEVEL, area_p_value
from dpviz.audit.inputs.finding import Finding, Inputs
from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.audit.scores.mann_whitney import auc
from dpviz.checks import FloatArray

MOST_RECORDS = 20_000  # of a class, evenly spread, whose order is looked at
SORTED = 0.999  # a rank correlation beyond which the order is that of the scores


def order(inputs: Inputs) -> list[Finding]:
    """Correlate scores with their order; compare the orders of both sets, where they are given."""
    scores = inputs.scores
    if not isinstance(scores, AttackScores):
        return []
    given = inputs.order or tuple(
        np.arange(float(values.size)) for values in (scores.member, scores.nonmember)
    )
    found = [
        each
        for name, values, places in zip(
            ("members", "non-members"), (scores.member, scores.nonmember), given, strict=True
        )
        for each in _trend(name, values, places)
    ]
    return found + (_times(*inputs.order) if inputs.order is not None else [])


def _trend(name: str, values: FloatArray, places: FloatArray) -> list[Finding]:
    """Spearman's rank correlation of scores with their order, members or non-members alone."""
    step = -(-values.size // MOST_RECORDS)
    values, places = values[::step], places[::step]
    if values.size < 3 or np.ptp(values) == 0 or np.ptp(places) == 0:
        return []
    rho = float(np.corrcoef(_ranks(values), _ranks(places))[0, 1])
    if abs(rho) >= SORTED:
        return [
            Finding(
                question="attack",
                is_notable=False,
                sentence=f"The {name} are sorted by their scores: their order says nothing.",
            )
        ]
    p_value = float(2 * ndtr(-abs(rho) * np.sqrt(values.size - 1)))
    if p_value >= LEVEL:
        return []
    return [
        Finding(
            question="attack",
            is_notable=True,
            sentence=(
                f"The scores of {name} change with their order (rank correlation {rho:.2f}, p = "
                f"{p_value:.2g}): they are not independent draws of one distribution."
            ),
            numbers=(("rank_correlation", rho), ("p_value", p_value)),
        )
    ]


def _times(member: FloatArray, nonmember: FloatArray) -> list[Finding]:
    """Whether members come before or after non-members."""
    area = auc(AttackScores(member=member, nonmember=nonmember))
    n, m = member.size, nonmember.size
    p_value = 2 * area_p_value(max(area, 1 - area), n, m)
    is_notable = p_value < LEVEL
    later = "later" if area > 0.5 else "earlier"
    text = (
        f"Members come {later} than non-members (AUC of the order {max(area, 1 - area):.3f}, p = "
        f"{p_value:.2g}): time alone may tell them apart."
        if is_notable
        else f"Members and non-members do not differ in their order (p = {p_value:.2g})."
    )
    return [
        Finding(
            question="population",
            is_notable=is_notable,
            sentence=text,
            numbers=(("order_auc", area), ("p_value", p_value)),
        )
    ]


def _ranks(values: FloatArray) -> FloatArray:
    """Ranks from 0; tied values share their mean rank."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return (last - (count + 1) / 2)[place]
