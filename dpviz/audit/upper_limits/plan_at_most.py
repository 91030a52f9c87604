"""How many records show that an attack reaches at most some number, if the attack knows nothing.

An attack that knows something needs more records, and one whose true number exceeds the target
never shows it with more than the level.
"""

from dataclasses import dataclass, field

import numpy as np

from dpviz import checks
from dpviz.audit.bounds.lower_bound import class_sizes
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.scores.base import Counts
from dpviz.audit.upper_limits.quantity import power_at_most, quantity_and_target
from dpviz.checks import FloatArray
from dpviz.value_object import ValueObject

NOTE = "exact if the attack knows nothing and no scores are tied"
SMALLEST_PLAN = 4  # records of the larger class
SIZE_RATIO = 1.02  # of neighbouring sizes
DOUBLING = 35  # steps that double a size
MOST_RECORDS = 50_000  # of the larger class: half a minute a size


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PlanAtMost(ValueObject):
    """Numbers of records that show an upper limit if the attack only guesses.

    Parameters
    ----------
    n_members, n_nonmembers : int or None, the smallest size found; None if the largest is too small
    power : float, probability of a limit of at most `target` at that size, or at the largest one
    quantity : {"advantage", "accuracy", "tpr"}
    target : float
    prior : float, of the accuracy
    fpr : float, of the TPR
    confidence_level : float
    tried_members, tried_nonmembers : ndarray of int, shape (k,), sizes evaluated, ascending
    tried_powers : ndarray, shape (k,), the power at each
    note : str, the assumption behind the numbers

    Examples
    --------
    >>> from dpviz import audit
    >>> audit.upper_limits.plan_at_most(advantage=0.3).n_members
    60
    """

    n_members: int | None
    n_nonmembers: int | None
    power: float
    quantity: str
    target: float
    prior: float
    fpr: float
    confidence_level: float
    tried_members: Counts = field(repr=False)
    tried_nonmembers: Counts = field(repr=False)
    tried_powers: FloatArray = field(repr=False)
    note: str = NOTE


def plan_at_most(
    *,
    advantage: float | None = None,
    accuracy: float | None = None,
    tpr: float | None = None,
    prior: float = 0.5,
    fpr: float = 0.01,
    power: float = 0.8,
    confidence_level: float = 0.95,
    ratio: float = 1.0,
    largest: int = 20_000,
    progress: Progress = iter,
) -> PlanAtMost:
    """Return how many records show the given upper limit if the attack only guesses.

    Give one of `advantage`, `accuracy` (at `prior`) and `tpr` (at `fpr`): the number that
    `at_most` shall not exceed.

    Parameters
    ----------
    advantage, accuracy, tpr : float, above what a useless attack reaches, and below 1
    prior : float in (0, 1)
    fpr : float in [0, 1)
    power : float in (0, 1)
    confidence_level : float in [0.5, 1)
    ratio : float, members per non-member, in [0.001, 1000]
    largest : int, records of the larger class, from 4 to 50 000
    progress : callable, wraps the range of sizes to try; the search may need only a part of it

    Raises
    ------
    ValueError, if not exactly one target is given, or an argument is out of range

    Examples
    --------
    >>> from dpviz import audit
    >>> found = audit.upper_limits.plan_at_most(accuracy=0.6)
    >>> found.n_members, round(found.power, 2)
    (139, 0.81)
    """
    level = 1 - checks.confidence_level(confidence_level)
    given = {"advantage": advantage, "accuracy": accuracy, "tpr": tpr}
    quantity, target = quantity_and_target(given, prior=prior, fpr=fpr, level=level)
    wanted = checks.real("power", power, 0, 1, closed="neither")
    ratio = checks.real("ratio", ratio, 1e-3, 1e3)
    largest = checks.whole("largest", largest, SMALLEST_PLAN, MOST_RECORDS)
    # Sizes of the larger class grow by a constant ratio, in whole records.
    steps = int(np.log(largest / SMALLEST_PLAN) / np.log(SIZE_RATIO)) + 1
    of_larger = np.append(np.ceil(SMALLEST_PLAN * SIZE_RATIO ** np.arange(steps)), largest)
    of_larger = np.unique(np.minimum(of_larger, largest)).astype(np.int64)
    sizes = [class_sizes(size, ratio=ratio) for size in of_larger.tolist()]
    # The power grows with the size: longer steps until it is enough, then bisection.
    tried: dict[int, float] = {}
    few, enough, last = -1, None, len(sizes) - 1
    for _ in progress(range(len(sizes))):
        doubled = 0 if few < 0 else min(few + DOUBLING, last)
        index = doubled if enough is None else (few + enough) // 2
        tried[index] = power_at_most(quantity, target, *sizes[index])
        few, enough = (few, index) if tried[index] >= wanted else (index, enough)
        if few == last or (enough is not None and enough - few == 1):
            break
    place = last if enough is None else enough
    looked_at = np.array([sizes[i] for i in sorted(tried)])
    return PlanAtMost(
        n_members=None if enough is None else sizes[place][0],
        n_nonmembers=None if enough is None else sizes[place][1],
        power=tried[place],
        quantity=quantity.name,
        target=target,
        prior=quantity.prior,
        fpr=quantity.fpr,
        confidence_level=1 - level,
        tried_members=checks.read_only(looked_at[:, 0]),
        tried_nonmembers=checks.read_only(looked_at[:, 1]),
        tried_powers=checks.read_only(np.array([tried[i] for i in sorted(tried)])),
    )
