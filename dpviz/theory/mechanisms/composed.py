"""Composition: several mechanisms on the same data."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import numpy as np

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.atoms import Atoms
from dpviz.theory.composition import Composition, compose
from dpviz.theory.derived import Delegated
from dpviz.theory.mechanisms.claims import PureDP
from dpviz.theory.mechanisms.discrete_pair import DiscretePair
from dpviz.theory.mechanisms.gaussian import GaussianDP
from dpviz.theory.mechanisms.renyi import RenyiBound, RenyiDP, ZeroConcentratedDP, composed_bounds
from dpviz.theory.tradeoff import Adjacency, TradeoffFunction, of_one_adjacency

# Finite losses are multiplied out exactly while they have no more values and products
MOST_ATOMS, MOST_PRODUCTS = 20_000, 4_000_000


@dataclass(frozen=True, init=False, repr=False)
class Composed(Delegated):
    """All mechanisms together, each allowed to see the answers of those before it.

    ``f_1 (x) f_2 (x) ...`` (Dong, Roth and Su, theorem 3.2). Gaussians add up in closed form and
    finite losses are multiplied out, both exactly; everything else goes through privacy-loss
    distributions (extra ``accounting``), from below and with its `error` stated; there, losses
    above 700 count as infinite, since e^loss is a float no longer.

    Parameters
    ----------
    mechanisms : sequence of TradeoffFunction, at least one, all with the same adjacency

    Raises
    ------
    ImportError
        When the curve is first needed, if it takes dp-accounting and that is not installed.

    Examples
    --------
    >>> from dpviz.theory import Composed, GaussianDP
    >>> Composed([GaussianDP(mu=3.0), GaussianDP(mu=4.0)]).curve
    GaussianDP(mu=5.0)
    """

    mechanisms: tuple[TradeoffFunction, ...]
    adjacency: Adjacency

    def __init__(
        self, mechanisms: Sequence[TradeoffFunction], *, adjacency: Adjacency | None = None
    ) -> None:
        given = of_one_adjacency("mechanisms", mechanisms, adjacency)
        self._assign(mechanisms=given, adjacency=given[0].adjacency)

    @cached_property
    def composition(self) -> Composition | None:
        """The curve from privacy-loss distributions; None where closed forms suffice."""
        parts = self._parts
        if len(parts) == 1:
            return None
        return compose(Counter(parts), either_order=self._both_orders)

    @cached_property
    def _parts(self) -> list[TradeoffFunction]:
        """The mechanisms that are left after all compositions that are exact."""
        counts = Counter({f: k for f, k in self._factors().items() if f.delta(0.0) > 0})
        if any(f.tpr(0.0) == 1 for f in counts):  # one of them hides nothing
            return [PureDP(epsilon=np.inf, adjacency=self.adjacency)]
        # Bounds on Rényi divergences add up, and so do the squares of the mus of Gaussians.
        counts = _with_renyi_sums(counts)
        mus = [f.mu * np.sqrt(k) for f, k in counts.items() if isinstance(f, GaussianDP)]
        parts: list[TradeoffFunction] = []
        if mus:
            parts.append(GaussianDP(mu=float(np.hypot.reduce(mus)), adjacency=self.adjacency))
        # Finite losses are multiplied out, as long as their values are not too many.
        product: Atoms | None = None
        error = 0.0  # profiles of composed pairs differ by no more than the sum of their own
        for f, times in counts.items():
            if isinstance(f, GaussianDP):
                continue
            grown = _composed_atoms(product, f.atoms(), times)
            if grown is None:
                parts.extend([f] * times)
            else:
                product, error = grown, min(1.0, error + times * f.error)
        if product is not None:
            parts.append(DiscretePair.with_losses(product, adjacency=self.adjacency, error=error))
        return parts or [PureDP(epsilon=0.0, adjacency=self.adjacency)]

    @property
    def is_symmetric(self) -> bool:
        """Whether both orders of the pair are equally private."""
        return self._both_orders or self.curve.is_symmetric

    @property
    def _both_orders(self) -> bool:
        return all(f.is_symmetric for f in self.mechanisms)

    def _factors(self) -> Mapping[TradeoffFunction, int]:
        counts: Counter[TradeoffFunction] = Counter()
        # Beside a guarantee for one order the others have to hold for whichever order that is.
        for f in self.mechanisms:
            counts.update(f._factors() if self._both_orders or isinstance(f, Composed) else {f: 1})
        return counts

    def __repr__(self) -> str:
        runs = [(f, len(list(same))) for f, same in groupby(self.mechanisms)]
        shown = " + ".join(f"({f!r},)" + (f" * {n}" if n > 1 else "") for f, n in runs)
        return f"{type(self).__name__}({shown})"

    def _replace_one_guarantee(self) -> "Composed":
        return Composed([m.to_replace_one() for m in self.mechanisms])

    def _make_curve(self) -> TradeoffFunction:
        product = self._parts[0]
        if self.composition is not None:
            error = min(1.0, self.composition.error + sum(f.error for f in self._parts))
            atoms = self.composition.curve.atoms()
            product = DiscretePair.with_losses(atoms, adjacency=self.adjacency, error=error)
        return product.min_symmetrized() if self._both_orders else product


def kairouz_oh_viswanath(*, epsilon: float, delta: float, times: int) -> FloatArray:
    """All (epsilon_i, delta_i) that hold for `times` mechanisms of (epsilon, delta) each.

    Kairouz, Oh and Viswanath (2015), theorem 3.3: ``epsilon_i = (times - 2 i) epsilon``, each with
    the smallest delta there is.

    Parameters
    ----------
    epsilon : float, in [0, inf)
    delta : float, in [0, 1]
    times : int, at least 1

    Returns
    -------
    ndarray, shape (times // 2 + 1, 2); columns epsilon_i (descending) and delta_i

    Raises
    ------
    ValueError
        If a parameter leaves its range.

    Examples
    --------
    >>> from dpviz.theory import kairouz_oh_viswanath
    >>> kairouz_oh_viswanath(epsilon=0.1, delta=0.0, times=2).round(4).tolist()
    [[0.2, 0.0], [0.0, 0.05]]
    """
    epsilon = checks.real("epsilon", epsilon, 0, np.inf, closed="left")
    delta = checks.real("delta", delta, 0, 1)
    times = checks.whole("times", times, 1)
    steps = np.arange(times // 2 + 1, dtype=np.float64)
    epsilons = (times - 2 * steps) * np.float64(epsilon)
    pure = np.asarray(Composed([PureDP(epsilon=epsilon)] * times).delta(epsilons))
    # With probability (1 - delta)^times no mechanism reveals the record by its delta.
    with np.errstate(divide="ignore"):
        log_kept = times * np.log1p(-delta)
    return np.column_stack([epsilons, -np.expm1(log_kept) + np.exp(log_kept) * pure])


def _with_renyi_sums(counts: Counter[TradeoffFunction]) -> Counter[TradeoffFunction]:
    """Replace all Rényi bounds in `counts` by one, their sum (Mironov, 2017, proposition 1)."""
    # Only orders that all of them state are left; if there is none, the bounds stay as they are.
    bounds = {f: times for f, times in counts.items() if isinstance(f, RenyiBound)}
    if sum(bounds.values()) < 2:
        return counts
    rest = Counter({f: times for f, times in counts.items() if f not in bounds})
    adjacency = next(iter(bounds)).adjacency
    stated = [set(f.orders) for f in bounds if isinstance(f, RenyiDP)]
    if not stated:
        rho = float(composed_bounds(bounds, np.ones(1))[0])
        return rest + Counter([ZeroConcentratedDP(rho=rho, adjacency=adjacency)])
    orders = np.array(sorted(set.intersection(*stated)))
    if not orders.size:
        return counts
    sums = composed_bounds(bounds, orders)
    return rest + Counter([RenyiDP(orders=orders, epsilons=sums, adjacency=adjacency)])


def _composed_atoms(product: Atoms | None, atoms: Atoms | None, times: int) -> Atoms | None:
    """Compose `product` with `atoms`, `times` times; None if losses become too many."""
    if atoms is None:
        return None
    # Values of losses on a grid grow by their number each time, others faster.
    if times * (len(atoms.p) - 1) > MOST_ATOMS:
        return None
    # Powers by repeated squaring.
    power = atoms
    for bit in bin(times)[3:]:
        for factor in (power, atoms) if bit == "1" else (power,):
            if len(power.p) * len(factor.p) > MOST_PRODUCTS:
                return None
            power = power.composed(factor)
    if product is None:
        return power
    return product.composed(power) if len(product.p) * len(power.p) <= MOST_PRODUCTS else None
