"""One guarantee, stated in every way that is in use: what each way still says of it."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dpviz import checks
from dpviz.theory.gaussian_statement import gdp_statement
from dpviz.theory.mechanisms.claims import ApproximateDP, PureDP
from dpviz.theory.mechanisms.gaussian import GaussianDP
from dpviz.theory.mechanisms.renyi import RenyiDP, ZeroConcentratedDP
from dpviz.theory.renyi_divergence import renyi_divergence, smallest_rho
from dpviz.theory.tradeoff import TradeoffFunction, checked_tradeoff

Way = Literal[
    "itself",
    "gaussian_dp",
    "renyi",
    "zero_concentrated",
    "approximate",
    "approximate_of_renyi",
    "pure",
]

# Orders of accountants of DP-SGD, from nearly 1 on.
ORDERS = (1.25, 1.5, 1.75, 2, 2.25, 2.5, 3, 3.5, 4, 4.5, *range(5, 65), 80, 96, 128, 256, 512)


@dataclass(frozen=True, kw_only=True)
class Statement:
    """What one way of stating says: the smallest number of its kind that holds.

    Parameters
    ----------
    way : str
        "itself", or a key of `dpviz.theory.MECHANISMS`; "approximate_of_renyi" is the epsilon that
        follows from the Rényi divergences alone, as accountants compute it that keep only these.
    claim : TradeoffFunction or None
        What is stated, with a curve nowhere above that of the guarantee; None where no finite
        number of this kind holds, or none is known.
    from_rate : float
        Nothing is stated where the FPR or the FNR is smaller; 0 but for "gaussian_dp".

    Examples
    --------
    >>> from dpviz.theory import GaussianMechanism, ways_of_stating
    >>> ways_of_stating(GaussianMechanism(noise_multiplier=1.0))[1].way
    'gaussian_dp'
    """

    way: Way
    claim: TradeoffFunction | None
    from_rate: float = 0.0

    def tpr(self, fpr: float) -> float | None:
        """Largest TPR at an FPR that the statement allows; None where it states nothing."""
        fpr = checks.real("fpr", fpr, 0, 1)
        if self.claim is None:
            return None
        tpr = self.claim.tpr(fpr)
        return tpr if min(fpr, 1 - tpr) >= self.from_rate else None


def ways_of_stating(
    claim: TradeoffFunction, *, delta: float = 1e-5, from_fpr: float = 1e-6
) -> tuple[Statement, ...]:
    """One guarantee stated in every way: each follows from it, and most say less.

    Parameters
    ----------
    claim : TradeoffFunction
        For both orders of a pair; of one order the symmetrisation is stated.
    delta : float, in [0, 1], at which an epsilon is stated
    from_fpr : float, in (0, 1/2): rate from which on a mu is stated, see :func:`gdp_statement`

    Returns
    -------
    tuple of Statement

    Raises
    ------
    ValueError
        If a parameter leaves its range.

    References
    ----------
    Gomez, Kaissis, Kulynych, et al., (epsilon, delta) considered harmful, arXiv 2503.10945.

    Examples
    --------
    >>> from dpviz.theory import GaussianMechanism, ways_of_stating
    >>> for each in ways_of_stating(GaussianMechanism(noise_multiplier=1.0)):
    ...     allowed = each.tpr(0.01)
    ...     print(each.way, "-" if allowed is None else round(allowed, 3))
    itself 0.092
    gaussian_dp 0.092
    renyi 0.125
    zero_concentrated 0.125
    approximate 0.796
    approximate_of_renyi 0.991
    pure -
    """
    f = checked_tradeoff("claim", claim).min_symmetrized()
    delta = checks.real("delta", delta, 0, 1)
    gaussian = gdp_statement(f, from_fpr=from_fpr)
    renyi, rho, epsilon = _renyi(f), smallest_rho(f), f.epsilon(0.0)
    stated: dict[Way, TradeoffFunction | None] = {
        "itself": f,
        "gaussian_dp": GaussianDP(mu=gaussian.mu) if np.isfinite(gaussian.mu) else None,
        "renyi": renyi,
        "zero_concentrated": ZeroConcentratedDP(rho=rho) if np.isfinite(rho) else None,
        "approximate": _approximate(f, delta),
        "approximate_of_renyi": None if renyi is None else _approximate(renyi, delta),
        "pure": PureDP(epsilon=epsilon) if np.isfinite(epsilon) else None,
    }
    is_everywhere = isinstance(f, GaussianDP)
    return tuple(
        Statement(
            way=way,
            claim=None if found is None else found.with_parameters(adjacency=f.adjacency),
            from_rate=from_fpr if way == "gaussian_dp" and not is_everywhere else 0.0,
        )
        for way, found in stated.items()
    )


def _renyi(f: TradeoffFunction) -> RenyiDP | None:
    """The bounds at `ORDERS` that are finite."""
    orders = np.array(ORDERS, dtype=np.float64)
    bounds = renyi_divergence(f, orders)
    known = np.isfinite(bounds)
    return RenyiDP(orders=orders[known], epsilons=bounds[known]) if known.any() else None


def _approximate(f: TradeoffFunction, delta: float) -> ApproximateDP | None:
    epsilon = f.epsilon(delta)
    return ApproximateDP(epsilon=epsilon, delta=delta) if np.isfinite(epsilon) else None
