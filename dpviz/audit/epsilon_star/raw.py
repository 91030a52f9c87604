"""The epsilon that counts alone suggest, where there are enough of them."""

import math
from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.audit.roc.curve import AttackCurve, OperatingPoint, curve_of
from dpviz.audit.scores.base import Scores
from dpviz.theory.region import log_ratio


@dataclass(frozen=True, kw_only=True)
class RawEpsilon:
    """The largest ratio of measured rates: an **estimate**, which chance alone may exceed.

    Parameters
    ----------
    value : float, at least 0; nan where no threshold has enough records
    at : OperatingPoint or None, the threshold
    delta : float
    min_count : int, records that the smaller of the two rates rests on, at least

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> found = audit.raw_epsilon(read_sample("overfitted"), min_count=10)
    >>> round(found.value, 3), round(found.at.fnr, 4)  # 10 of 300 members are missed
    (2.391, 0.0333)
    """

    value: float
    at: OperatingPoint | None
    delta: float
    min_count: int


def raw_epsilon(
    scores: Scores | AttackCurve, *, delta: float = 0.0, min_count: int = 50
) -> RawEpsilon:
    """Return the largest epsilon that the measured rates of a threshold suggest: an estimate.

    It is the largest of ``log((TPR - delta) / FPR)`` and ``log((TNR - delta) / FNR)``, and of both
    for the reversed attack, each where at least `min_count` records are behind the rate below the
    fraction line. The maximum over thresholds is too large on average, and no bound.

    Parameters
    ----------
    scores : scores of an attack, or its curve
    delta : float in [0, 1]
    min_count : int, at least 1

    Returns
    -------
    RawEpsilon

    Raises
    ------
    ValueError
        If `delta` or `min_count` leaves its range.

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> scores = AttackScores(member=[3, 3, 3, 1], nonmember=[3, 1, 1, 1])
    >>> round(audit.raw_epsilon(scores, min_count=1).value, 4)  # log 3
    1.0986
    """
    delta = checks.real("delta", delta, 0, 1)
    least = checks.whole("min_count", min_count, 1)
    curve = curve_of(scores)
    tpr, fpr, tnr, fnr = curve.rates
    best, place = -math.inf, None
    for above, below, behind in (
        (tpr, fpr, curve.false_positives),
        (tnr, fnr, curve.false_negatives),
        (fnr, tnr, curve.true_negatives),
        (fpr, tpr, curve.true_positives),
    ):
        ratios = np.where(behind >= least, log_ratio(above - delta, below), -np.inf)
        found = int(np.argmax(ratios))
        if behind[found] >= least and (place is None or ratios[found] > best):
            best, place = float(ratios[found]), found
    if place is None:
        return RawEpsilon(value=math.nan, at=None, delta=delta, min_count=least)
    return RawEpsilon(value=max(0.0, best), at=curve.point(place), delta=delta, min_count=least)
