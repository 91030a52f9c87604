"""Both sides of Theorem 2 (Negoescu et al., 2023): rates averaged over models, and each model's.

At FPRs t1, ..., tk that are the same for every model, the left side is the Epsilon* of the FNRs
averaged over models (equation 19), the right side the log of the mean of each model's e^Epsilon*.
Each ratio is convex in the FNR at fixed t where it exceeds 1, so by Jensen the left side is at most
the right. Both are estimates where the rates are counted on samples. The left side is at most the
epsilon of the training method; the right side bounds it in neither direction.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.audit.epsilon_star.on_grid import (
    GRID,
    GridEpsilonStar,
    checked_grid,
    fnr_on_grid,
    from_rates,
)
from dpviz.audit.models.aggregate import OF_ONE_MECHANISM, Condition, log_mean_exp
from dpviz.audit.scores.base import Scores, require_scores

SAME_GRID = Condition(
    name="same threshold grid",
    met=True,
    text="every model has the FPRs t1, ..., tk, by a random choice between two thresholds where "
    "its counts reach none exactly",
)
NO_CLIP = Condition(
    name="no model-dependent clipping", met=True, text="no clip: the grid is fixed beforehand"
)
EXACT_RATES = Condition(
    name="exact rates",
    met=False,
    text="rates are counted on samples: the largest of noisy ratios is biased upwards",
)


@dataclass(frozen=True, kw_only=True, eq=False)
class BothSides:
    """Estimates of both sides of Theorem 2; neither is a bound with a confidence.

    Parameters
    ----------
    averaged : GridEpsilonStar
        Of the FNRs averaged over models; its `value` is the left side, ε-bar.
    models : tuple of GridEpsilonStar
    right : float
        Log of the mean of e^Epsilon* over the models.
    conditions : tuple of Condition
        Of the theorem, and whether they are met.

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> sides = audit.both_sides([read_sample("null")], delta=1e-5, grid=[0.1, 0.5])
    >>> [each.name for each in sides.conditions if each.met is False]
    ['exact rates']
    """

    averaged: GridEpsilonStar
    models: tuple[GridEpsilonStar, ...]
    right: float
    conditions: tuple[Condition, ...]

    @property
    def left(self) -> float:
        """The left side, ε-bar."""
        return self.averaged.value


def both_sides(
    models: Sequence[Scores], *, delta: float, grid: ArrayLike | Sequence[float] = GRID
) -> BothSides:
    """Both sides of Theorem 2 for models of one training method, on one grid of FPRs.

    Parameters
    ----------
    models : sequence of AttackScores or BinnedScores
        One per model, at least one.
    delta : float in [0, 1]
    grid : sequence of float
        The FPRs t1, ..., tk, ascending, inside (0, 1), at most 10 000.

    Returns
    -------
    BothSides

    Raises
    ------
    ValueError
        If there are no models, or an argument leaves its range.

    References
    ----------
    Negoescu et al., "Epsilon*: Privacy metric for machine learning models" (2023), Theorem 2 and
    equation 19.

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> models = [read_sample("overfitted"), read_sample("regularised")]
    >>> sides = audit.both_sides(models, delta=1e-5, grid=[0.01, 0.1, 0.5])
    >>> round(sides.left, 2), round(sides.right, 2)
    (0.29, 0.37)
    """
    checks.instance("models", models, Sequence, "a sequence of attack scores")
    for i, scores in enumerate(models):
        require_scores(f"models[{i}]", scores)
    delta, places = checks.real("delta", delta, 0, 1), checked_grid(grid)
    if not len(models):
        raise ValueError("models must not be empty, got 0 models")
    rates = np.array([fnr_on_grid(scores, places) for scores in models])
    each = tuple(from_rates(places, fnr, delta=delta) for fnr in rates)
    right = log_mean_exp([found.value for found in each])
    finite = Condition(
        name="no FNR of 0",
        met=bool(np.isfinite(right)),
        text="a model that misses nobody at some t < 1 - δ makes the right side infinite",
    )
    return BothSides(
        averaged=from_rates(places, rates.mean(axis=0), delta=delta),
        models=each,
        right=right,
        conditions=(SAME_GRID, NO_CLIP, finite, EXACT_RATES, OF_ONE_MECHANISM),
    )
