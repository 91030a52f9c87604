"""The smallest member of a family that an attack does not refute, and whether any one fits."""

from math import isfinite

import numpy as np

from dpviz.analysis.number_format import lower, percent, short, upper
from dpviz.audit import AttackCurve, ConditionalParameterBound, curve_band
from dpviz.audit.bounds.result import INDEPENDENT
from dpviz.audit.scores.base import Scores
from dpviz.pictures import theme
from dpviz.pictures.layers.simulation import Series
from dpviz.pictures.scenes.axes import FNR, FPR
from dpviz.widgets.views.fixed import FixedView

NAMES = {"gaussian": "Gaussian", "laplace": "Laplace"}
VERTICES = 250  # of the attack's curve
MARKS = np.linspace(0.05, 0.95, 10)  # FPRs of the hollow markers
DETAILS = (
    "The family is an assumption, so its curve is hollow. Parameters are tested upwards, and the "
    "last one refuted is the bound; they are chosen before looking at the scores. Which curves fit "
    "is a second statement, at the same confidence, about this attack's own curve. Assumed: "
    f"{INDEPENDENT}."
)


class FamilyView(FixedView):
    """What a family must at least allow, beside the attack's curve and its confidence band.

    The member's curve is drawn hollow: it holds only if the mechanism is in the family. Whether any
    curve of the family is within the band is said.

    Parameters
    ----------
    scores : AttackScores or BinnedScores
    bound : audit.ConditionalParameterBound, of `audit.smallest` with these scores

    Raises
    ------
    TypeError
        If `bound` is not a ConditionalParameterBound.
    ValueError
        If it is of other numbers of records.

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> from dpviz.widgets import FamilyView
    >>> scores = AttackScores(member=range(50, 150), nonmember=range(100))
    >>> bound = audit.smallest("gaussian", scores, parameters=[0.5, 1, 2, 4])
    >>> FamilyView(scores, bound).sentence.partition(".")[0]
    'If the mechanism is of the family Gaussian, it has μ ≥ 1 (95 % confidence)'
    """

    def __init__(self, scores: Scores, bound: ConditionalParameterBound) -> None:
        if not isinstance(bound, ConditionalParameterBound):
            raise TypeError(
                f"bound must be a ConditionalParameterBound, got {type(bound).__name__}"
            )
        sizes = (scores.n_members, scores.n_nonmembers)
        if sizes != (bound.n_members, bound.n_nonmembers):
            raise ValueError(
                f"bound must be of {sizes[0]} members and {sizes[1]} non-members, got one of "
                f"{bound.n_members} and {bound.n_nonmembers}"
            )
        curve = AttackCurve.from_scores(scores)
        band = curve_band(curve, confidence_level=bound.confidence_level)
        kept = np.unique(np.linspace(0, curve.fpr.size - 1, VERTICES).astype(int))
        series = [
            Series(
                label=f"{percent(bound.confidence_level)} band of this attack",
                places=np.vstack([band.upper, band.lower[::-1]]),
                color=theme.LIMIT,
                width=1,
            ),
            Series(
                label="this attack (estimate)",
                places=np.column_stack([curve.fpr[kept], 1 - curve.tpr[kept]]),
                color=theme.ATTACK,
            ),
        ]
        if bound.guarantee is not None:
            fpr = np.unique(np.concatenate([np.linspace(0, 1, 201), np.geomspace(1e-4, 0.1, 30)]))
            places = np.column_stack([fpr, bound.guarantee.beta(fpr)])
            marks = np.column_stack([MARKS, bound.guarantee.beta(MARKS)])
            series += [
                Series(
                    label=f"if of this family: {_at_least(bound)}",
                    places=places,
                    color=theme.CLAIM,
                    dash="dashed",
                    width=1.5,
                ),
                Series(
                    label="",
                    places=marks,
                    color=theme.CLAIM,
                    dash=None,
                    marker="circle",
                    outline=1.5,
                ),
            ]
        super().__init__(
            title="Which curve of the family fits the attack?",
            sentence=_sentence(bound),
            details=DETAILS,
            x=FPR,
            y=FNR,
            series=series,
            shape="square",
        )


def _sentence(bound: ConditionalParameterBound) -> str:
    """What the family must allow, and whether it can be the right one."""
    level = percent(bound.confidence_level)
    subject = f"If the mechanism is of the family {NAMES.get(bound.family, bound.family)}"
    first = f"{subject}, nothing follows: no parameter that was tried is refuted."
    if bound.guarantee is not None:
        first = f"{subject}, it has {_at_least(bound)} ({level} confidence)."
    low, high = bound.between
    if not bound.fits:
        none = f"No curve of this family fits the {level} band"
        if low < high:
            none = (
                f"Those of its curves that fit the {level} band have {bound.parameter} below "
                f"{short(upper(high))}, so none agrees with both "
                f"({percent(bound.misfit_confidence)} confidence)"
            )
        return f"{first} {none}: it is another mechanism, or better attacks exist."
    ends = [f"above {short(lower(low))}"] if low > 0 else []
    ends += [f"below {short(upper(high))}"] if isfinite(high) else []
    which = f"those with {bound.parameter} {' and '.join(ends)}" if ends else "all that were tried"
    return f"{first} Of its curves, {which} fit the {level} band."


def _at_least(bound: ConditionalParameterBound) -> str:
    """The bound, rounded down so that it holds as printed."""
    return f"{bound.parameter} ≥ {short(lower(bound.low))}"
