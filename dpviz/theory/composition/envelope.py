"""The pair behind the upper envelope of supporting lines ``1 - delta(epsilon) - e^epsilon x``.

It lies below the curve that the deltas are of, and only losses on its lines have mass.
"""

import numpy as np

from dpviz.checks import FloatArray
from dpviz.theory.atoms import Atoms

Half = tuple[FloatArray, FloatArray, float]  # losses above 0, their masses, the infinite mass


def steep_half(epsilon: FloatArray, delta: FloatArray) -> Half:
    """Losses above 0 with their masses under Q, and the infinite mass: the envelope of the lines.

    Neighbouring lines meet at ``x = (delta - delta') e^-epsilon / (e^(epsilon' - epsilon) - 1)``; a
    line's mass under Q is e^epsilon times its length between two such places.
    """
    keep = np.arange(len(epsilon))
    while True:
        step, fall = np.diff(epsilon[keep]), -np.diff(delta[keep])
        with np.errstate(over="ignore"):
            q = fall / -np.expm1(-step)
            q[:-1] -= fall[1:] / np.expm1(step[1:])
        # A line that meets the next one left of where it meets the one before is never on top;
        # leaving a line out is safe in any case.
        hidden = np.flatnonzero(q <= 0) + 1
        if not len(hidden):
            break
        keep = np.delete(keep, hidden)
    return epsilon[keep][1:], q, float(delta[keep][-1])


def joined(forward: Half, back: Half) -> Atoms:
    """The pair whose losses above 0 are these, in one order and in the other; the rest is at 0."""
    (gain, q, at_once), (loss, p, missed) = forward, back
    with np.errstate(under="ignore"):
        rare_p, rare_q = q * np.exp(-gain), p * np.exp(-loss)
    rest = min(1 - rare_p.sum() - p.sum() - missed, 1 - rare_q.sum() - q.sum() - at_once)
    # Where next to nothing is left it may be rounding. With less mass there the curve is lower.
    rest = max(0.0, rest - np.finfo(float).eps * (gain.size + loss.size + 4))
    return Atoms.of(
        np.concatenate([[0.0], rare_p, [rest], p, [missed]]),
        np.concatenate([[at_once], q, [rest], rare_q, [0.0]]),
        np.concatenate([[np.inf], gain, [0.0], -loss, [-np.inf]]),
    )


def missed_height(knots: FloatArray) -> float:
    """Largest height a convex curve touching every segment can have above the corners.

    It touches both segments that meet at a corner, so there it is below the line between the
    corner's neighbours.
    """
    x, y = knots.T
    with np.errstate(invalid="ignore", divide="ignore"):
        part = np.where(x[2:] > x[:-2], (x[1:-1] - x[:-2]) / (x[2:] - x[:-2]), 0.0)
    chord = y[:-2] + part * (y[2:] - y[:-2])
    return float(np.max(chord - y[1:-1], initial=0.0))
