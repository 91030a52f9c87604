"""The smallest member of a family that an attack does not refute, and whether any one fits."""

from math import isfinite

import numpy as np

from dpviz.analysis.number_format import percent, short
from dpviz.analysis.sentences.claim import name
from dpviz.audit import AttackCurve, ConditionalParameterBound, curve_band
from dpviz.audit.scores.base import Scores
from dpviz.pictures import theme
from dpviz.pictures.axes import AxisSpec
from dpviz.pictures.layers.simulation import Series
from dpviz.widgets.views.fixed import FixedView

VERTICES = 250  # of the attack's curve
MARKS = np.linspace(0.05, 0.95, 10)  # FPRs of the hollow markers


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
    'If the mechanism is of the family gaussian, it allows at least what GDP μ = 1 allows ...'
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
                label="this attack",
                places=np.column_stack([curve.fpr[kept], 1 - curve.tpr[kept]]),
                color=theme.ATTACK,
            ),
        ]
        if bound.guarantee is not None:
            allowed = name(bound.guarantee, with_adjacency=False)
            fpr = np.unique(np.concatenate([np.linspace(0, 1, 201), np.geomspace(1e-4, 0.1, 30)]))
            places = np.column_stack([fpr, bound.guarantee.beta(fpr)])
            marks = np.column_stack([MARKS, bound.guarantee.beta(MARKS)])
            series += [
                Series(
                    label=f"if of this family: at least {allowed}",
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
            sentence=said(bound),
            x=AxisSpec(label="FPR", is_rate=True),
            y=AxisSpec(label="FNR", is_rate=True),
            series=series,
            shape="square",
        )


def said(bound: ConditionalParameterBound) -> str:
    """What the family must allow, and whether it can be the right one."""
    level = percent(bound.confidence_level)
    subject = f"If the mechanism is of the family {bound.family}"
    first = f"{subject}, nothing follows: no parameter that was tried is refuted."
    if bound.guarantee is not None:
        allowed = name(bound.guarantee, with_adjacency=False)
        first = f"{subject}, it allows at least what {allowed} allows ({level} confidence)."
    low, high = (short(end) for end in bound.between)
    if not bound.fits:
        return (
            f"{first} None of its curves is the attack's: it is another mechanism, or there are "
            "better attacks."
        )
    end = f" and below {high}" if isfinite(bound.between[1]) else ""
    return f"{first} Of its curves, those with {bound.parameter} above {low}{end} fit the attack."
