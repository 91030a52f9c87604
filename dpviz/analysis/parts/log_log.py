"""Curves of TPR against FPR on logarithmic axes, which begin at `LOWEST` instead of 0."""

import numpy as np

from dpviz.audit import AttackCurve
from dpviz.checks import FloatArray, read_only
from dpviz.theory import TradeoffFunction

LOWEST = 1e-5  # where both axes begin, as in most published pictures of this kind
GRID = 240  # FPRs of a guarantee's curve; its kinks are added
CORNERS = 120  # of an attack's curve along each axis, at most
OF_LINE = 256  # vertices of a line: two of them outline a band
LINE_CORNERS = 166  # of them at corners: enough for limits at 160 thresholds


def claim_tail(claim: TradeoffFunction) -> FloatArray:
    """The TPR a guarantee permits at FPRs evenly spread in log, kinks among them, shape (k, 2)."""
    kinks = claim.draw(512 - GRID)[:, 0]
    fpr = np.union1d(np.geomspace(LOWEST, 1.0, GRID), kinks[kinks > LOWEST])
    return read_only(np.column_stack([fpr, claim.tpr(fpr)]))


def attack_tail(curve: AttackCurve) -> FloatArray:
    """Corners of the attack's steps, shape (k, 2): an FPR, and the largest TPR at no larger one.

    Between two corners the TPR is that of the first. In either count, they are no more than a few
    per cent apart. The first corner has FPR 0.
    """
    wanted = [
        np.searchsorted(counts, np.unique(np.geomspace(1, n, CORNERS).astype(np.int64)))
        for counts, n in (
            (curve.false_positives, curve.n_nonmembers),
            (curve.true_positives, curve.n_members),
        )
    ]
    some = curve.false_positives[np.unique(np.concatenate([[0], *wanted]))]
    last = np.unique(np.searchsorted(curve.false_positives, some, side="right") - 1)
    return read_only(np.column_stack([curve.fpr[last], curve.tpr[last]]))


def tail_of_line(vertices: FloatArray) -> FloatArray:
    """A curve through vertices (columns FPR and FNR, FPR nondecreasing) as TPR, shape (k, 2).

    At its corners, of which only some are kept where there are many, and over a log grid: a
    straight line is none on logarithmic axes.
    """
    corners = np.unique(vertices[:, 0])
    corners = corners[corners > LOWEST]
    corners = corners[:: -(-corners.size // LINE_CORNERS)]
    fpr = np.union1d(np.geomspace(LOWEST, 1.0, OF_LINE - corners.size), corners)
    # Where the curve is vertical its lower end counts, as everywhere to its right: of steps that
    # limit the FNR from below, what is drawn between two vertices is then no higher.
    last = np.append(np.diff(vertices[:, 0]) > 0, True)
    fnr = np.interp(fpr, vertices[last, 0], vertices[last, 1])
    return read_only(np.column_stack([fpr, 1 - fnr]))


def on_axes(points: FloatArray) -> FloatArray:
    """The same points with rates below the axes' beginning at the edge."""
    return np.asarray(np.maximum(points, LOWEST))
