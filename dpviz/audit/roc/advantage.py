"""The advantage of an attack, its largest TPR - FPR: an estimate, and confidence limits."""

from dataclasses import dataclass

from dpviz import checks
from dpviz.audit.roc.bands import dkw_margin
from dpviz.audit.roc.curve import AttackCurve, OperatingPoint, curve_of
from dpviz.audit.scores.base import Scores


@dataclass(frozen=True, kw_only=True)
class Advantage:
    """The largest TPR - FPR over all thresholds, in [0, 1].

    Parameters
    ----------
    value : float
        On this sample: an **estimate**, biased upwards by the search for the best threshold. Where
        nothing leaks it is about ``0.63 sqrt(1 / n_members + 1 / n_nonmembers)``.
    low, high : float
        Confidence limits of the true advantage, valid at any sample size after the search.
    confidence_level : float
    at : OperatingPoint, where this sample reaches `value`

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> found = audit.advantage(AttackScores(member=[1, 2, 3], nonmember=[0, 1, 1]))
    >>> found.at.threshold, round(found.value, 3)
    (2.0, 0.667)
    """

    value: float
    low: float
    high: float
    confidence_level: float
    at: OperatingPoint


def advantage(scores: Scores | AttackCurve, *, confidence_level: float = 0.95) -> Advantage:
    """The largest TPR - FPR of an attack, with limits that are simultaneous in all thresholds.

    Members and non-members are independent draws of two distributions. By the inequality of
    Dvoretzky, Kiefer, Wolfowitz and Massart each measured rate exceeds the true one, respectively
    falls below it, by at most a margin at all thresholds; each of these four statements fails with
    probability at most ``(1 - confidence_level) / 4``. So TPR - FPR, and its largest value, is off
    by at most the sum of two margins. Limits are cut to [0, 1].

    Parameters
    ----------
    scores : AttackScores, BinnedScores or AttackCurve
        Higher = member: a reversed attack has no advantage.
    confidence_level : float in (0, 1)

    Returns
    -------
    Advantage

    Raises
    ------
    ValueError
        If `confidence_level` leaves its range.

    References
    ----------
    Massart, Annals of Probability 18 (1990) 1269. Yeom et al., CSF 2018 (advantage).

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> found = audit.advantage(read_sample("overfitted"))
    >>> round(found.low, 3), round(found.value, 3), round(found.high, 3)
    (0.214, 0.338, 0.462)
    """
    confidence = checks.real("confidence_level", confidence_level, 0, 1, closed="neither")
    level = 1 - confidence
    at = curve_of(scores).best_advantage()
    value = at.tpr - at.fpr
    margin = sum(
        dkw_margin(size, confidence_level=1 - level / 4) for size in (at.n_members, at.n_nonmembers)
    )
    return Advantage(
        value=value,
        low=max(0.0, value - margin),
        high=min(1.0, value + margin),
        confidence_level=confidence,
        at=at,
    )
