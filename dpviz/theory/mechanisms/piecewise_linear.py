"""A trade-off function given by its corners, and the exact operations on such functions."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.atoms import Atoms, FinitelyManyLosses
from dpviz.theory.polyline import lower_hull
from dpviz.theory.tradeoff import Adjacency

ROUNDING = 1e-12  # how far a corner may stand above its neighbours' chord, or above 1 - FPR


@dataclass(frozen=True, init=False, repr=False)
class PiecewiseLinear(FinitelyManyLosses):
    """The trade-off function that interpolates the given corners linearly.

    Parameters
    ----------
    knots : array, shape (k, 2)
        Columns FPR and FNR; FPR ascending from 0 to 1, no point above the line FNR = 1 - FPR. If
        they are not convex and decreasing, only `beta` and `convexified` work; all else raises.
    error : float, in [0, 1], bound in FNR on how far this curve is below the exact one, if any

    Examples
    --------
    >>> from dpviz.theory import PiecewiseLinear
    >>> PiecewiseLinear([(0, 1), (0.2, 0.4), (1, 0)]).beta(0.1)
    0.7
    """

    corners: tuple[tuple[float, float], ...]
    adjacency: Adjacency
    stated_error: float
    _long_field = "corners", 8, "knots"

    def __init__(
        self, knots: ArrayLike, *, adjacency: Adjacency = "replace_one", error: float = 0.0
    ) -> None:
        points = checks.reals("knots", knots, 0, 1)
        if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2:
            raise checks.fail("knots", "an array of shape (k, 2) with k >= 2", points.shape)
        ends = points[0, 0].item(), points[-1, 0].item()
        if ends != (0, 1):
            raise checks.fail("knots", "points that begin at FPR 0 and end at FPR 1", ends)
        corners = tuple((x, y) for x, y in points.tolist())
        # A trade-off function has one FNR per FPR, and is nowhere worse than random guessing.
        for (low, _), (high, _) in pairwise(corners):
            if high <= low:
                raise checks.fail("knots", "in ascending order of FPR", [low, high])
        for fpr, fnr in corners:
            if fpr + fnr > 1 + ROUNDING:
                raise checks.fail("knots", "on or below the line FNR = 1 - FPR", [fpr, fnr])
        error = checks.real("error", error, 0, 1)
        self._set_fields(corners=corners, adjacency=adjacency, stated_error=error)

    @property
    def parameters(self) -> dict[str, Any]:
        error = {"error": self.stated_error} if self.stated_error else {}
        return {"knots": self.corners, **error}

    error = property(attrgetter("stated_error"))

    @property
    def is_convex(self) -> bool:
        """Whether the curve through the corners is convex and decreasing."""
        x, y = np.array(self.corners).T
        chord = y[:-2] + (y[2:] - y[:-2]) * (x[1:-1] - x[:-2]) / (x[2:] - x[:-2])
        return bool(np.all(np.diff(y) <= 0) and np.all(y[1:-1] <= chord + ROUNDING))

    def convexified(self) -> PiecewiseLinear:
        """Return the guarantee of the greatest convex function below the corners."""
        if self.is_convex:
            return self
        return self.with_parameters(knots=lower_hull(np.array(self.corners)))

    def _compute_atoms(self) -> Atoms:
        if not self.is_convex:
            rule = "must be convex and decreasing"
            raise ValueError(f"knots {rule}, got {self!r}: use .convexified()")
        x, y = np.array(self.corners).T
        p, q = np.diff(x, prepend=0.0), -np.diff(y, prepend=1.0)
        return Atoms.of(p, np.maximum(q, 0.0))

    def _beta(self, alpha: FloatArray) -> FloatArray:
        if self.is_convex:
            return super()._beta(alpha)
        return np.asarray(np.interp(alpha, *np.array(self.corners).T))
