"""Which of several measured curves is the lowest, and where they cross."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, groupby

import numpy as np

from dpviz.audit.roc.curve import AttackCurve, require_curve
from dpviz.checks import FloatArray

ROUNDING = 1e-12  # difference of two FNRs that may be rounding


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """FPRs from `start` to `end` over which one curve is the lowest.

    Parameters
    ----------
    start, end : float, in [0, 1]
    lowest : int or None, index of the curve; None where all are equal

    Examples
    --------
    >>> from dpviz.audit.comparison.lowest import Stretch
    >>> Stretch(start=0.0, end=0.25, lowest=1).end
    0.25
    """

    start: float
    end: float
    lowest: int | None


def lowest_curves(curves: Sequence[AttackCurve]) -> tuple[Stretch, ...]:
    """The FPRs at which each of several measured curves has the smallest FNR, in ascending order.

    Compared are the convex hulls: what an attacker reaches who may choose at random between two
    thresholds. They are straight between their corners, so all crossings are found. Where several
    share the lowest place, the one that is the lowest before keeps it. These are measured curves:
    their order is an estimate.

    Parameters
    ----------
    curves : sequence of AttackCurve, one at least

    Returns
    -------
    tuple of Stretch, from FPR 0 to 1

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> one = AttackScores(member=[1, 4, 5, 6], nonmember=[0, 2, 3, 7])
    >>> other = AttackScores(member=[2, 3, 8, 9], nonmember=[0, 4, 5, 6])
    >>> curves = [audit.AttackCurve.from_scores(scores) for scores in (one, other)]
    >>> [(each.lowest, round(each.end, 2)) for each in audit.lowest_curves(curves)]
    [(1, 0.21), (0, 1.0)]
    """
    for i, each in enumerate(curves):
        require_curve(f"curves[{i}]", each)
    hulls = [(each.fpr[each.hull], each.fnr[each.hull]) for each in curves]
    places = np.unique(np.concatenate([fpr for fpr, _ in hulls]))
    heights = _heights(hulls, places)
    crossings = [_crossings(places, heights[i] - heights[j]) for i, j in _pairs(len(hulls))]
    places = np.unique(np.concatenate([places, *crossings]))
    middles = (places[1:] + places[:-1]) / 2
    leads = _leaders(_heights(hulls, middles))
    pieces = zip(places[:-1].tolist(), places[1:].tolist(), leads, strict=True)
    runs = [list(run) for _, run in groupby(pieces, key=lambda piece: piece[2])]
    return tuple(Stretch(start=run[0][0], end=run[-1][1], lowest=run[0][2]) for run in runs)


def _pairs(n: int) -> list[tuple[int, int]]:
    return list(combinations(range(n), 2))


def _heights(hulls: list[tuple[FloatArray, FloatArray]], places: FloatArray) -> FloatArray:
    """The FNR of each hull; where it is vertical, at its lower end."""
    rows = []
    for fpr, fnr in hulls:
        last = np.append(np.diff(fpr) > 0, True)
        rows.append(np.interp(places, fpr[last], fnr[last]))
    return np.array(rows)


def _crossings(places: FloatArray, apart: FloatArray) -> FloatArray:
    """Where a difference that is straight between `places` changes its sign."""
    left, right = apart[:-1], apart[1:]
    changes = left * right < 0
    share = left[changes] / (left[changes] - right[changes])
    return np.asarray(places[:-1][changes] + share * np.diff(places)[changes])


def _leaders(heights: FloatArray) -> list[int | None]:
    """The lowest curve of each column; None where all curves are equally low."""
    least = heights.min(axis=0)
    is_least = heights <= least + ROUNDING
    leads: list[int | None] = []
    before: int | None = None
    for column in is_least.T:
        if before is None or not column[before]:
            before = None if column.all() else int(np.argmax(column))
        leads.append(before)
    return leads
