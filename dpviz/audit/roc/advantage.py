"""The largest TPR - FPR of an attack: measured, and limits of the true one."""

from dataclasses import dataclass

from dpviz import checks
from dpviz.audit.bands import dkw_margin
from dpviz.audit.binned_scores import Scores
from dpviz.audit.curve import AttackCurve, OperatingPoint, curve_of


@dataclass(frozen=True, kw_only=True)
class Advantage:
    """The largest TPR - FPR over all thresholds, in [0, 1].

    Parameters
    ----------
    value : float
        On this sample: an **estimate**, too large on average, because the best of all thresholds
        was looked for. Where nothing leaks it is about ``0.63 sqrt(1 / n_members +
        1 / n_nonmembers)``.
    low, high : float
        Limits of the true one; both hold with probability `confidence_level` at least, at any
        sample size, the search paid for.
    confidence_level : float
    at : OperatingPoint
        Where this sample reaches `value`.
    """

    value: float
    low: float
    high: float
    confidence_level: float
    at: OperatingPoint


def advantage(scores: Scores | AttackCurve, *, confidence_level: float = 0.95) -> Advantage:
    """The largest TPR - FPR of an attack, with limits that hold after looking at all thresholds.

    With members and non-members independent draws of two laws, each measured rate is nowhere
    further above, respectively below, the true one than the margin of Dvoretzky, Kiefer, Wolfowitz
    and Massart, each of these four with a probability of a quarter of ``1 - confidence_level`` to
    be wrong. So TPR - FPR is off by no more than the sum of two margins at any threshold, and so is
    its largest value. The true advantage is in [0, 1]; limits beyond that say nothing and are set
    to its ends.

    Parameters
    ----------
    scores : AttackScores, BinnedScores or AttackCurve
        Members higher: a reversed attack has no advantage.
    confidence_level : float
        In (0, 1).

    Raises
    ------
    ValueError
        If `confidence_level` leaves its range.

    References
    ----------
    Massart, Annals of Probability 18 (1990) 1269. Yeom et al., CSF 2018 (advantage).
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
