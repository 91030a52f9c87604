"""The composition of several mechanisms on the same data."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import numpy as np

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.atoms import Atoms
from dpviz.theory.composition import compose
from dpviz.theory.derived import DelegatingGuarantee
from dpviz.theory.mechanisms.claims import PureDP
from dpviz.theory.mechanisms.discrete_pair import DiscretePair
from dpviz.theory.mechanisms.gaussian import GaussianDP
from dpviz.theory.mechanisms.renyi import RenyiBound, RenyiDP, ZeroConcentratedDP
from dpviz.theory.tradeoff import Adjacency, TradeoffFunction, with_one_adjacency

# Pairs with finitely many losses compose exactly up to these numbers of values and of products.
MOST_ATOMS, MOST_PRODUCTS = 20_000, 4_000_000
MOST_DIFFERENT = 1000  # mechanisms without a closed form; each takes about 10 ms


@dataclass(frozen=True, init=False, repr=False)
class Composed(DelegatingGuarantee):
    """The adaptive composition of mechanisms, each of which may depend on earlier outputs.

    ``f_1 (x) f_2 (x) ...`` (Dong, Roth and Su, theorem 3.2). Gaussian mechanisms compose in closed
    form, finitely many losses by exact sums; all else by privacy-loss distributions, which give a
    lower bound with an `error`; losses above 700 count as infinite. The time grows with the number
    of different mechanisms, which is at most 1000.

    Parameters
    ----------
    mechanisms : sequence of TradeoffFunction, at least one, all with the same adjacency

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
        given = with_one_adjacency("mechanisms", mechanisms, adjacency)
        self._set_fields(mechanisms=given, adjacency=given[0].adjacency)

    def _counts_after_merging(self) -> Counter[TradeoffFunction]:
        """Merge mechanisms that have an exact composition; return all mechanisms with counts."""
        mus: list[float] = []
        counts: Counter[TradeoffFunction] = Counter()
        given = self._mechanism_counts()
        n_different = sum(not isinstance(f, GaussianDP | RenyiBound) for f in given)
        if n_different > MOST_DIFFERENT:
            way_out = "replace similar mechanisms by the least private: the claim stays valid"
            rule = f"at most {MOST_DIFFERENT} different mechanisms"
            raise checks.fail("mechanisms", rule, n_different, way_out)
        # Gaussians by their mu; mechanisms without any loss are left out.
        for f, times in given.items():
            if isinstance(f, GaussianDP):
                mus.append(f.mu * float(np.sqrt(times)))
            elif f.delta(0.0) > 0:
                counts[f] = times
        # Bounds on Rényi divergences add up, and so do the squares of the mus of Gaussians.
        mu = float(np.hypot.reduce(mus))
        if np.isinf(mu) or any(f.tpr(0.0) == 1 for f in counts):  # no privacy at all
            return Counter([PureDP(epsilon=np.inf, adjacency=self.adjacency)])
        counts = _with_renyi_bounds_summed(counts)
        gaussians = [GaussianDP(mu=mu, adjacency=self.adjacency)] if mu > 0 else []
        parts: Counter[TradeoffFunction] = Counter(gaussians)
        # Pairs of few losses are multiplied out, as long as the product stays small.
        product: Atoms | None = None
        error = 0.0  # in delta, at most the sum of the errors of the composed pairs
        most_products = MOST_PRODUCTS  # of all steps together
        for f, times in counts.items():
            grown = _composed_with_copies(product, f.atoms(), times, most_products)
            if grown is None:
                parts[f] += times
            else:
                most_products -= len(grown.p)
                product, error = grown, min(1.0, error + times * f.error)
        if product is not None:
            pair = DiscretePair.with_losses(product, adjacency=self.adjacency, error=error)
            parts[pair] += 1
        return parts or Counter([PureDP(epsilon=0.0, adjacency=self.adjacency)])

    @property
    def is_symmetric(self) -> bool:
        """Whether the curve stays the same if the two data sets exchange their roles."""
        return self._are_all_symmetric or self.curve.is_symmetric

    @cached_property
    def _different_mechanisms(self) -> Counter[TradeoffFunction]:
        counts: Counter[TradeoffFunction] = Counter()
        objects = {id(f): f for f in self.mechanisms}  # an object may occur many times
        for key, times in Counter(map(id, self.mechanisms)).items():
            counts[objects[key]] += times
        return counts

    @cached_property
    def _are_all_symmetric(self) -> bool:
        return all(f.is_symmetric for f in self._different_mechanisms)

    def _mechanism_counts(self) -> Mapping[TradeoffFunction, int]:
        counts: Counter[TradeoffFunction] = Counter()
        # If a guarantee is for one order only, all others have to hold for both orders.
        for f, times in self._different_mechanisms.items():
            is_split = self._are_all_symmetric or isinstance(f, Composed)
            for part, repeats in (f._mechanism_counts() if is_split else {f: 1}).items():
                counts[part] += repeats * times
        return counts

    def __repr__(self) -> str:
        runs = [(f, len(list(same))) for f, same in groupby(self.mechanisms)]
        shown = " + ".join(f"({f!r},)" + (f" * {n}" if n > 1 else "") for f, n in runs)
        return f"{type(self).__name__}({shown})"

    def _replace_one_guarantee(self) -> "Composed":
        replaced = {f: f.to_replace_one() for f in self._different_mechanisms}
        return Composed([replaced[f] for f in self.mechanisms])

    def _make_curve(self) -> TradeoffFunction:
        counts = self._counts_after_merging()
        curve = next(iter(counts))
        if counts.total() > 1:
            curve = compose(counts, either_order=self._are_all_symmetric)
        return curve.min_symmetrized() if self._are_all_symmetric else curve


def kairouz_oh_viswanath(*, epsilon: float, delta: float, times: int) -> FloatArray:
    """Return (epsilon_i, delta_i) that `times` composed (epsilon, delta)-DP mechanisms satisfy.

    Kairouz, Oh and Viswanath (2015), theorem 3.3: ``epsilon_i = (times - 2 i) epsilon`` with the
    smallest possible delta_i. The columns of the array, shape (times // 2 + 1, 2), are epsilon_i,
    descending, and delta_i.

    Parameters
    ----------
    epsilon : float, in [0, inf)
    delta : float, in [0, 1]
    times : int, at least 1

    Examples
    --------
    >>> from dpviz.theory.mechanisms.composed import kairouz_oh_viswanath
    >>> kairouz_oh_viswanath(epsilon=0.1, delta=0.0, times=2).round(4).tolist()
    [[0.2, 0.0], [0.0, 0.05]]
    """
    epsilon = checks.real("epsilon", epsilon, 0, np.inf, closed="left")
    delta = checks.real("delta", delta, 0, 1)
    times = checks.whole("times", times, 1)
    steps = np.arange(times // 2 + 1, dtype=np.float64)
    epsilons = (times - 2 * steps) * np.float64(epsilon)
    pure = np.asarray(Composed([PureDP(epsilon=epsilon)] * times).delta(epsilons))
    # With probability (1 - delta)^times no mechanism reveals the record.
    with np.errstate(divide="ignore"):
        log_kept = times * np.log1p(-delta)
    return np.column_stack([epsilons, -np.expm1(log_kept) + np.exp(log_kept) * pure])


def _with_renyi_bounds_summed(counts: Counter[TradeoffFunction]) -> Counter[TradeoffFunction]:
    """Return `counts` with all Rényi bounds replaced by their sum (Mironov, 2017, prop. 1)."""
    bounds = {f: times for f, times in counts.items() if isinstance(f, RenyiBound)}
    if sum(bounds.values()) < 2:
        return counts
    rest = Counter({f: times for f, times in counts.items() if f not in bounds})
    adjacency = next(iter(bounds)).adjacency
    stated = [set(f.orders) for f in bounds if isinstance(f, RenyiDP)]
    # Bounds of zCDP alone are one rho; with RDP bounds, sums at the orders that all state.
    orders = np.array(sorted(set.intersection(*stated)) if stated else [1.0])
    if not orders.size:
        return counts
    sums = np.asarray(sum(times * f._renyi_bounds(orders) for f, times in bounds.items()))
    if not stated:
        return rest + Counter([ZeroConcentratedDP(rho=float(sums[0]), adjacency=adjacency)])
    return rest + Counter([RenyiDP(orders=orders, epsilons=sums, adjacency=adjacency)])


def _composed_with_copies(
    atoms: Atoms | None, added: Atoms | None, times: int, most_products: int
) -> Atoms | None:
    """Return the composition of `atoms` with `times` copies of `added`; None if too large."""
    # Composed `times` times, there are at least times (number of losses - 1) + 1 losses.
    if added is None or times * (len(added.p) - 1) > MOST_ATOMS:
        return None
    power = added  # by repeated squaring
    for bit in bin(times)[3:]:
        for factor in (power, added) if bit == "1" else (power,):
            if len(power.p) * len(factor.p) > most_products:
                return None
            power = power.composed(factor)
    if atoms is None:
        return power
    return atoms.composed(power) if len(atoms.p) * len(power.p) <= most_products else None
