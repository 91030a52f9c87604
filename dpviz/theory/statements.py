"""One guarantee stated in other ways: as Gaussian DP, and in every way that is in use.

mu-GDP is the line ``Phi^-1(tpr) = Phi^-1(fpr) + mu`` (Dong, Roth and Su, 2022, section 2.2). A
guarantee f implies it if the TPR that f allows lies nowhere above that line.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import expit, logit, ndtri

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory import profile
from dpviz.theory.derived import Delegated
from dpviz.theory.mechanisms.claims import ApproximateDP, PureDP
from dpviz.theory.mechanisms.gaussian import GaussianDP
from dpviz.theory.mechanisms.renyi import RenyiDP, ZeroConcentratedDP
from dpviz.theory.mechanisms.subsampled import OneWaySubsampled, Subsampled
from dpviz.theory.renyi_divergence import renyi_divergence, smallest_rho
from dpviz.theory.tradeoff import TradeoffFunction, checked_tradeoff

N_FPRS = 1500  # FPRs at which a curve is compared with a Gaussian one
MU_MARGIN = 1e-9  # relative, added to mu against what lies between these FPRs


@dataclass(frozen=True, kw_only=True)
class GdpStatement:
    """``mu``-GDP wherever both error rates are at least `from_fpr`; nothing is said beyond.

    Parameters
    ----------
    mu : float, rounded up: the Gaussian curve is nowhere above that of the guarantee
    from_fpr : float
    regret : float
        To about four digits, the smallest shift of the guarantee's curve towards both axes that
        brings it below the Gaussian one (Gomez et al., arXiv 2503.10945, section 4).

    Examples
    --------
    >>> from dpviz.theory import LaplaceMechanism, gdp_statement
    >>> statement = gdp_statement(LaplaceMechanism(epsilon=1.0))
    >>> round(statement.mu, 3), round(statement.regret, 3), statement.from_fpr
    (1.03, 0.037, 1e-06)
    """

    mu: float
    from_fpr: float
    regret: float


def gdp_statement(claim: TradeoffFunction, *, from_fpr: float = 1e-6) -> GdpStatement:
    """The smallest mu whose Gaussian curve lies below the claim's from a rate on.

    Most guarantees imply no mu-GDP at all, because of FPRs that no attack reaches.

    Parameters
    ----------
    claim : TradeoffFunction; with a curve from below mu is larger, never smaller
    from_fpr : float, in (0, 1/2): the statement holds where the FPR and the FNR are at least this

    Returns
    -------
    GdpStatement, with an infinite mu if the claim allows both rates to be smaller than `from_fpr`

    Raises
    ------
    ValueError
        If a parameter leaves its range.

    Examples
    --------
    >>> from dpviz.theory import PureDP, gdp_statement
    >>> round(gdp_statement(PureDP(epsilon=1.0)).mu, 4)  # reached at FPR = FNR
    1.232
    """
    f = checked_tradeoff("claim", claim)
    smallest = checks.real("from_fpr", from_fpr, 0, 0.5, closed="neither")
    if isinstance(f, Delegated):
        f = f.curve
    if isinstance(f, GaussianDP):
        return GdpStatement(mu=f.mu, from_fpr=smallest, regret=0.0)
    if f.beta(smallest) < smallest:
        return GdpStatement(mu=float("inf"), from_fpr=smallest, regret=1.0)
    # The FPRs from `smallest` on, up to that at which the FNR is `smallest`.
    last = float(expit(profile.log_odds_where(lambda x: f._beta(x) <= smallest, ())))
    corners = np.array([smallest, *(x for x in f.kinks if smallest < x < last), last])
    mu = max(0.0, float(np.max(_shift(f, corners))))
    if f.atoms() is None:  # else the curve has straight pieces: between corners it is lower
        mu = max(mu, _largest_smooth_shift(f, np.linspace(logit(smallest), logit(last), N_FPRS)))
    # The curve may need a little more between the places that were compared.
    mu *= 1 + MU_MARGIN
    return GdpStatement(mu=mu, from_fpr=smallest, regret=_regret(f, GaussianDP(mu=mu), smallest))


def smallest_mu(f: TradeoffFunction) -> float:
    """Smallest mu such that f implies mu-GDP: the supremum of ``Phi^-1(tpr) - Phi^-1(fpr)``.

    inf when nothing is hidden with some probability (beta(0) < 1): no Gaussian is below such a
    curve.

    **DP-SGD.** The supremum does not see sampling. T steps with Gaussians of mu, on samples that
    have the record with probability p, are no easier to attack than all T Gaussians on all records:
    mu sqrt(T). As all samples have it with probability p^T, their TPR is at least ``p^T`` times
    that of these; at z = Phi^-1(fpr) this is ``p^T Phi(z + mu sqrt(T))``, which lacks about
    ``T log(1 / p) / |z|`` of mu sqrt(T). So the supremum is mu sqrt(T), approached as FPR goes to
    0. What a range of FPRs needs is far less: `gdp_statement`.

    Parameters
    ----------
    f : TradeoffFunction

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the loss is unbounded but no (sampled) Gaussian's: FPRs below floats may decide.

    Examples
    --------
    >>> from dpviz.theory import LaplaceMechanism, smallest_mu
    >>> round(smallest_mu(LaplaceMechanism(epsilon=1.0)), 4)
    1.0301
    """
    parts = checked_tradeoff("f", f)._factors()
    mus = [_mu_of_gaussian(part) for part in parts]
    if None not in mus:
        # Gaussian parts compose to the root of the sum of squares.
        times = np.sqrt(list(parts.values()))
        return float(np.hypot.reduce(np.array(mus, np.float64) * times))
    # The largest loss of each part, since a numeric curve counts its largest losses as infinite.
    orders = [order for part in parts for order in (part, part.inverse())]
    # No Gaussian curve is below one that reveals membership at FPR 0.
    if any(order.tpr(0.0) > 0 for order in orders):
        return np.inf
    if np.isinf(max(order.epsilon(0.0) for order in orders)):
        raise checks.fail("f", "Gaussian or of bounded loss", f)
    if isinstance(f, Delegated):
        return smallest_mu(f.curve)
    # Between kinks the supremum is a smooth one; at a kink it may be a corner.
    at_kinks = _shift(f, np.array(f.kinks, dtype=np.float64))
    return float(np.max(at_kinks, initial=max(0.0, _largest_smooth_shift(f, profile.LOG_ODDS))))


def _mu_of_gaussian(f: TradeoffFunction) -> float | None:
    """The mu of f if it is Gaussian noise, also on a sample; 0 for perfect privacy, else None."""
    if f.delta(0.0) == 0:
        return 0.0
    for order in (f, f.inverse()):
        base = order.base if isinstance(order, Subsampled | OneWaySubsampled) else order
        if isinstance(base, GaussianDP):
            return base.mu
    return None


def _shift(f: TradeoffFunction, fpr: FloatArray) -> FloatArray:
    """``Phi^-1(tpr) - Phi^-1(fpr)``, which is mu everywhere for a Gaussian."""
    tpr = f._tpr(fpr)
    # The quantile of the smaller rate keeps its digits.
    return np.where(tpr < 0.5, ndtri(tpr), -ndtri(f._beta(fpr))) - ndtri(fpr)


def _largest_smooth_shift(f: TradeoffFunction, log_odds: FloatArray) -> float:
    """The largest `_shift` over all FPRs, searched around the best of a grid of log-odds."""
    shortfall = profile.minimum_for_each(lambda at, _: -_shift(f, expit(at)), log_odds, np.zeros(1))
    return -float(shortfall[0])


def _regret(f: TradeoffFunction, g: GaussianDP, first: float) -> float:
    """The smallest k with ``f(x + k) - k <= g(x)`` for every x."""

    def smallest_move(x: FloatArray) -> FloatArray:
        """The k that brings the point of f at each x below g."""
        y, low = f._beta(x), np.zeros_like(x)
        # Bisection for the move of each point along the diagonal.
        _, high = profile.bisection(lambda k: y - k <= g._beta(x - k), low, x.copy(), halvings=40)
        return np.where(y <= g._beta(x), 0.0, high)

    # A grid over all FPRs, then two finer ones beside the largest move.
    x = expit(np.linspace(logit(first), -logit(first), N_FPRS // 3))
    for _ in range(2):
        moves = smallest_move(x)
        best = int(np.argmax(moves))
        x = np.linspace(x[max(best - 1, 0)], x[min(best + 1, len(x) - 1)], len(x) // 3)
    return float(moves.max())


# Every way that is in use.

Way = (
    Literal["itself", "gaussian_dp", "renyi", "zero_concentrated"]
    | Literal["approximate", "approximate_of_renyi", "pure"]
)

# Orders at which accountants of DP-SGD compute divergences, from nearly 1 on.
ORDERS = (1.25, 1.5, 1.75, 2, 2.25, 2.5, 3, 3.5, 4, 4.5, *range(5, 65), 80, 96, 128, 256, 512)


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A guarantee in one way of stating: the smallest number of its kind that holds.

    Parameters
    ----------
    way : str
        "itself", or a key of `dpviz.theory.MECHANISMS`; "approximate_of_renyi" is the epsilon that
        follows from the Rényi divergences alone, as some accountants compute it.
    claim : TradeoffFunction or None
        What is stated; None where no finite number of this kind holds, or none is known.
    from_rate : float; nothing is stated where a rate is smaller; 0 but for "gaussian_dp"

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
    claim : TradeoffFunction, for both orders of a pair; of one order the symmetrisation is stated
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
    rho, epsilon = smallest_rho(f), f.epsilon(0.0)
    orders = np.array(ORDERS, dtype=np.float64)
    bounds = renyi_divergence(f, orders)
    known = np.isfinite(bounds)
    renyi = RenyiDP(orders=orders[known], epsilons=bounds[known]) if known.any() else None
    claims: dict[Way, TradeoffFunction | None] = {
        "itself": f,
        "gaussian_dp": GaussianDP(mu=gaussian.mu) if np.isfinite(gaussian.mu) else None,
        "renyi": renyi,
        "zero_concentrated": ZeroConcentratedDP(rho=rho) if np.isfinite(rho) else None,
        "approximate": _approximate(f, delta),
        "approximate_of_renyi": None if renyi is None else _approximate(renyi, delta),
        "pure": PureDP(epsilon=epsilon) if np.isfinite(epsilon) else None,
    }
    claims = {way: g and g.with_parameters(adjacency=f.adjacency) for way, g in claims.items()}
    rates = {} if isinstance(f, GaussianDP) else {"gaussian_dp": from_fpr}
    return tuple(
        Statement(way=way, claim=stated, from_rate=rates.get(way, 0.0))
        for way, stated in claims.items()
    )


def _approximate(f: TradeoffFunction, delta: float) -> ApproximateDP | None:
    epsilon = f.epsilon(delta)
    return ApproximateDP(epsilon=epsilon, delta=delta) if np.isfinite(epsilon) else None
