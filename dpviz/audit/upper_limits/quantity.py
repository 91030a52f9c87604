"""A number of an attack to be limited from above, and what a useless attack shows of it.

A useless attack gives members and non-members scores of one distribution. If no scores are tied,
the probability that its limit is at most some number is known exactly: the limit is, if T at all
thresholds is at most some v, which is a set of outcomes that a path of counts must not leave
(`dpviz.audit.upper_limits.useless`).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.audit.upper_limits import inversion
from dpviz.audit.upper_limits.orders import DifferenceOrder, Order, RateOrder
from dpviz.audit.upper_limits.useless import chance_to_stay

SMALLEST_STEP = 2e-3  # of v, as a fraction of the target
STEPS = 6  # towards the largest v whose limit is at most the target
HALVINGS = 14  # of an interval of v


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


def quantity_and_target(
    given: Mapping[str, float | None], *, prior: float, fpr: float, level: float
) -> tuple[Quantity, float]:
    """Return the one quantity that is given a target, and this target; else raise ValueError."""
    targets = {name: value for name, value in given.items() if value is not None}
    if len(targets) != 1:
        names = "one of advantage, accuracy (with prior) and tpr (with fpr)"
        raise ValueError(f"{names} must be given, got {' and '.join(targets) or 'none'}")
    ((name, value),) = targets.items()
    prior = checks.real("prior", prior, 0, 1, closed="neither")
    fpr = checks.real("fpr", fpr, 0, 1, closed="left")
    # No limit is below what guessing reaches.
    reached = {"advantage": 0.0, "accuracy": max(prior, 1 - prior), "tpr": fpr}[name]
    target = checks.real(name, value, reached, 1, closed="neither")
    return Quantity(name=name, prior=prior, fpr=fpr, level=level), target


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
