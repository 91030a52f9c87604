"""How many records show that an attack reaches at most some number, if the attack knows nothing.

Members and non-members then have scores of one distribution, and if no scores are tied, the
probability that the limit of `at_most` is no larger than the target is known exactly: the limit is,
if T at all thresholds is at most some v, which is a set of outcomes that a path of counts must not
leave (`dpviz.audit.upper_limits.useless`). An attack that knows something needs more records, and
one whose true number exceeds the target never shows it with more than the level.
"""

from dataclasses import dataclass, field

import numpy as np

from dpviz import checks
from dpviz.audit.bounds.lower_bound import class_sizes
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.scores.base import Counts
from dpviz.audit.upper_limits import inversion
from dpviz.audit.upper_limits.orders import DifferenceOrder, Order, RateOrder
from dpviz.audit.upper_limits.useless import chance_to_stay
from dpviz.checks import FloatArray
from dpviz.value_object import ValueObject

NOTE = "exact if the attack knows nothing and no scores are tied"
SMALLEST_PLAN = 4  # records of the larger class
SIZE_RATIO = 1.02  # of neighbouring sizes
DOUBLING = 35  # steps that double a size
MOST_RECORDS = 50_000  # of the larger class: half a minute a size
SMALLEST_STEP = 2e-3  # of v, as a fraction of the target
STEPS = 6  # towards the largest v whose limit is at most the target
HALVINGS = 14  # of an interval of v


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PlanAtMost(ValueObject):
    """Numbers of records that show a limit from above, if the attack knows nothing.

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
    >>> audit.plan_at_most(advantage=0.3).n_members
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


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """A number of an attack whose limit rises with that of an order of outcomes."""

    name: str
    prior: float = 0.5
    fpr: float = 0.0
    level: float

    @property
    def slope(self) -> float:
        """The slope c of TPR - c FPR; below 1 the order is that of the exchanged classes."""
        return (1 - self.prior) / self.prior if self.name == "accuracy" else 1.0

    def order(self, n: int, m: int) -> Order:
        """Return the order of outcomes with n members and m non-members."""
        if self.name == "tpr":
            return RateOrder(n_members=n, n_nonmembers=m, level=self.level, fpr=self.fpr)
        # With exchanged classes the path of counts is run backwards: as likely as forwards.
        sizes = (n, m) if self.slope >= 1 else (m, n)
        slope = max(self.slope, 1 / self.slope)
        both = {"n_members": sizes[0], "n_nonmembers": sizes[1]}
        return DifferenceOrder(**both, level=self.level, slope=slope)

    def limit(self, order: Order, value: float) -> float:
        """Return the limit, on the scale of the order, where T <= `value` at all thresholds."""
        outcomes = order.upto(value)
        if isinstance(order, DifferenceOrder):
            given = {"measured": 0.0, "near": value, "level": self.level}
            return inversion.upper_difference(outcomes, order.slope, **given)
        return inversion.upper_rate(outcomes, self.fpr, level=self.level)

    def to_order(self, number: float) -> float:
        """Return the limit on the scale of the order that belongs to a limit of this number."""
        if self.name == "accuracy":
            number = (number - (1 - self.prior)) / self.prior
        return number if self.slope >= 1 else (number - (1 - self.slope)) / self.slope

    def from_order(self, limit: float) -> float:
        """Return the limit of this number that belongs to one on the scale of the order."""
        if self.slope < 1:
            limit = 1 - self.slope + self.slope * limit
        return 1 - self.prior + self.prior * limit if self.name == "accuracy" else limit


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
    """Return the numbers of records that show a limit from above, if the attack knows nothing.

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
    >>> found = audit.plan_at_most(accuracy=0.6)
    >>> found.n_members, round(found.power, 2)
    (139, 0.81)
    """
    given = {"advantage": advantage, "accuracy": accuracy, "tpr": tpr}
    targets = {name: value for name, value in given.items() if value is not None}
    if len(targets) != 1:
        names = "one of advantage, accuracy (with prior) and tpr (with fpr)"
        raise ValueError(f"{names} must be given, got {' and '.join(targets) or 'none'}")
    ((name, value),) = targets.items()
    prior = checks.real("prior", prior, 0, 1, closed="neither")
    fpr = checks.real("fpr", fpr, 0, 1, closed="left")
    reached = {"advantage": 0.0, "accuracy": max(prior, 1 - prior), "tpr": fpr}[name]
    target = checks.real(name, value, reached, 1, closed="neither")
    wanted = checks.real("power", power, 0, 1, closed="neither")
    level = 1 - checks.confidence_level(confidence_level)
    ratio = checks.real("ratio", ratio, 1e-3, 1e3)
    largest = checks.whole("largest", largest, SMALLEST_PLAN, MOST_RECORDS)
    quantity = Quantity(name=name, prior=prior, fpr=fpr, level=level)
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
        quantity=name,
        target=target,
        prior=prior,
        fpr=fpr,
        confidence_level=1 - level,
        tried_members=checks.read_only(looked_at[:, 0]),
        tried_nonmembers=checks.read_only(looked_at[:, 1]),
        tried_powers=checks.read_only(np.array([tried[i] for i in sorted(tried)])),
    )


def power_at_most(quantity: Quantity, target: float, n: int, m: int) -> float:
    """Return the probability that a useless attack on n + m records shows at most `target`."""
    order, wanted = quantity.order(n, m), quantity.to_order(target)
    # The largest v whose limit is at most the target; T itself is an approximate limit.
    low, high, found = -np.inf, np.inf, None
    value = wanted
    for _ in range(STEPS):
        excess = quantity.limit(order, value) - wanted
        if excess <= 0:
            low, found = value, value
        else:
            high = value
        # Below the target the limit rises in steps, as outcomes join the set.
        value -= 1.5 * excess + SMALLEST_STEP * wanted if excess > 0 else excess
        if not low < value < high:
            value = (low + high) / 2
    return 0.0 if found is None else chance_to_stay(order.upto(found))


def limit_of_useless_attack(quantity: Quantity, n: int, m: int, *, power: float) -> float:
    """Return the limit that a useless attack on n + m records shows with probability `power`."""
    order = quantity.order(n, m)
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        is_enough = chance_to_stay(order.upto(middle)) >= power
        low, high = (low, middle) if is_enough else (middle, high)
    return quantity.from_order(quantity.limit(order, high))
