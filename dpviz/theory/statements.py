"""Statements of one guarantee in other forms, such as Gaussian DP and Rényi DP.

mu-GDP is the line ``Phi^-1(tpr) = Phi^-1(fpr) + mu`` (Dong, Roth and Su, 2022, section 2.2). A
guarantee f implies mu-GDP if the TPR that f allows is nowhere above that line.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import expit, logit, ndtri

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory import profile
from dpviz.theory.derived import DelegatingGuarantee
from dpviz.theory.mechanisms.claims import ApproximateDP, PureDP
from dpviz.theory.mechanisms.gaussian import GaussianDP
from dpviz.theory.mechanisms.renyi import RenyiDP, ZeroConcentratedDP
from dpviz.theory.mechanisms.subsampled import OneWaySubsampled, Subsampled
from dpviz.theory.renyi_divergence import renyi_divergence, smallest_rho
from dpviz.theory.tradeoff import TradeoffFunction, checked_tradeoff

N_FPRS = 1500  # FPRs at which a curve is compared with a Gaussian one
MU_MARGIN = 1e-9  # relative, added to mu for the FPRs between those compared


@dataclass(frozen=True, kw_only=True)
class GdpStatement:
    """The statement that ``mu``-GDP holds where both error rates are at least `from_fpr`.

    Parameters
    ----------
    mu : float, rounded up: the Gaussian curve is nowhere above that of the guarantee
    from_fpr : float, smallest FPR and FNR for which the statement is made
    regret : float
        To about four digits, the smallest shift of the guarantee's curve towards both axes that
        moves the curve below the Gaussian one (Gomez et al., arXiv 2503.10945, section 4).

    Examples
    --------
    >>> from dpviz.theory import LaplaceMechanism
    >>> from dpviz.theory.statements import gdp_statement
    >>> statement = gdp_statement(LaplaceMechanism(epsilon=1.0))
    >>> round(statement.mu, 3), round(statement.regret, 3), statement.from_fpr
    (1.03, 0.037, 1e-06)
    """

    mu: float
    from_fpr: float
    regret: float


def gdp_statement(claim: TradeoffFunction, *, from_fpr: float = 1e-6) -> GdpStatement:
    """Return the smallest mu such that mu-GDP holds for error rates of at least `from_fpr`.

    Most guarantees imply no mu-GDP at all FPRs, because of tiny FPRs that no attack reaches. The mu
    is infinite if the claim allows both rates to be smaller than `from_fpr`.

    Parameters
    ----------
    claim : TradeoffFunction; if its curve is a lower bound, mu may be too large, never too small
    from_fpr : float, in (0, 1/2): the statement holds where the FPR and the FNR are at least this

    Examples
    --------
    >>> from dpviz.theory import PureDP
    >>> from dpviz.theory.statements import gdp_statement
    >>> round(gdp_statement(PureDP(epsilon=1.0)).mu, 4)  # reached at FPR = FNR
    1.232
    """
    f = checked_tradeoff("claim", claim)
    smallest = checks.real("from_fpr", from_fpr, 0, 0.5, closed="neither")
    if isinstance(f, DelegatingGuarantee):
        f = f.curve
    if isinstance(f, GaussianDP):
        return GdpStatement(mu=f.mu, from_fpr=smallest, regret=0.0)
    if f.beta(smallest) < smallest:
        return GdpStatement(mu=float("inf"), from_fpr=smallest, regret=1.0)
    # The FPRs from `smallest` on, up to that at which the FNR is `smallest`.
    last = float(expit(profile.least_log_odds_where(lambda x: f._beta(x) <= smallest, ())))
    corners = np.array([smallest, *(x for x in f.kinks if smallest < x < last), last])
    mu = max(0.0, float(np.max(_probit_gap(f, corners))))
    if f.atoms() is None:  # else the curve has straight pieces: between corners it is lower
        mu = max(mu, _largest_probit_gap(f, np.linspace(logit(smallest), logit(last), N_FPRS)))
    mu *= 1 + MU_MARGIN
    regret = _regret_of_gdp(f, GaussianDP(mu=mu), smallest)
    return GdpStatement(mu=mu, from_fpr=smallest, regret=regret)


def smallest_mu(f: TradeoffFunction) -> float:
    """Return the least mu such that f implies mu-GDP, ``sup Phi^-1(tpr) - Phi^-1(fpr)``.

    It is inf if beta(0) < 1, where no Gaussian curve is below that of f.

    **DP-SGD.** Sampling does not lower the supremum. T Gaussian steps of mu, on samples that hold
    the record with probability p, are no easier to attack than T steps on all records: mu sqrt(T).
    With probability p^T all samples hold the record, so at z = Phi^-1(fpr) the TPR is at least
    ``p^T Phi(z + mu sqrt(T))``, and Phi^-1(tpr) - z is about ``-T log(p) / |z|`` below mu sqrt(T).
    So the supremum is mu sqrt(T), the limit at FPR 0. A range of FPRs needs less: `gdp_statement`.

    Parameters
    ----------
    f : TradeoffFunction

    Raises
    ------
    ValueError, if the loss is unbounded and the noise is not Gaussian (tiny FPRs may decide)

    Examples
    --------
    >>> from dpviz.theory import LaplaceMechanism
    >>> from dpviz.theory.statements import smallest_mu
    >>> round(smallest_mu(LaplaceMechanism(epsilon=1.0)), 4)
    1.0301
    """
    parts = checked_tradeoff("f", f)._mechanism_counts()
    mus = [_mu_if_gaussian(part) for part in parts]
    if None not in mus:
        times = np.sqrt(list(parts.values()))
        return float(np.hypot.reduce(np.array(mus, np.float64) * times))
    # Taken from the parts, because a numeric composition counts its largest losses as infinite.
    orders = [order for part in parts for order in (part, part.inverse())]
    if any(order.tpr(0.0) > 0 for order in orders):
        return np.inf
    if np.isinf(max(order.epsilon(0.0) for order in orders)):
        raise checks.fail("f", "a Gaussian guarantee or a guarantee of bounded loss", f)
    if isinstance(f, DelegatingGuarantee):
        return smallest_mu(f.curve)
    at_kinks = _probit_gap(f, np.array(f.kinks, dtype=np.float64))
    return float(np.max(at_kinks, initial=max(0.0, _largest_probit_gap(f, profile.LOG_ODDS))))


def _mu_if_gaussian(f: TradeoffFunction) -> float | None:
    """Return mu for a Gaussian or subsampled Gaussian f, 0 for perfect privacy, else None."""
    if f.delta(0.0) == 0:
        return 0.0
    for order in (f, f.inverse()):
        base = order.base if isinstance(order, Subsampled | OneWaySubsampled) else order
        if isinstance(base, GaussianDP):
            return base.mu
    return None


def _probit_gap(f: TradeoffFunction, fpr: FloatArray) -> FloatArray:
    """Return ``Phi^-1(tpr) - Phi^-1(fpr)``, which equals mu at every FPR under mu-GDP."""
    tpr = f._tpr(fpr)
    # The quantile of the smaller rate is more accurate.
    return np.where(tpr < 0.5, ndtri(tpr), -ndtri(f._beta(fpr))) - ndtri(fpr)


def _largest_probit_gap(f: TradeoffFunction, log_odds: FloatArray) -> float:
    """Return the largest `_probit_gap` over all FPRs; the search begins on the grid `log_odds`."""
    best = profile.minima_over_x(lambda at, _: -_probit_gap(f, expit(at)), log_odds, np.zeros(1))
    return -float(best[0])


def _regret_of_gdp(f: TradeoffFunction, g: GaussianDP, first_fpr: float) -> float:
    """Return the least shift of f towards both axes that makes f <= g at FPRs >= `first_fpr`."""

    def least_shift(x: FloatArray) -> FloatArray:
        y, low = f._beta(x), np.zeros_like(x)
        _, high = profile.bisection(lambda k: y - k <= g._beta(x - k), low, x.copy(), halvings=40)
        return np.where(y <= g._beta(x), 0.0, high)

    x = expit(np.linspace(logit(first_fpr), -logit(first_fpr), N_FPRS // 3))
    for _ in range(2):
        shifts = least_shift(x)
        best = int(np.argmax(shifts))
        x = np.linspace(x[max(best - 1, 0)], x[min(best + 1, len(x) - 1)], len(x) // 3)
    return float(shifts.max())


# All ways of stating a guarantee.

Way = (
    Literal["itself", "gaussian_dp", "renyi", "zero_concentrated"]
    | Literal["approximate", "approximate_of_renyi", "pure"]
)

# Orders at which accountants of DP-SGD compute Rényi divergences.
ORDERS = (1.25, 1.5, 1.75, 2, 2.25, 2.5, 3, 3.5, 4, 4.5, *range(5, 65), 80, 96, 128, 256, 512)


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A statement of a guarantee in one form, such as mu-GDP.

    The statement has the smallest parameter that makes it true.

    Parameters
    ----------
    way : str
        "itself", or a key of `dpviz.theory.MECHANISMS`; "approximate_of_renyi" is the epsilon that
        follows from the Rényi divergences alone, as some accountants compute it.
    claim : TradeoffFunction or None
        What is stated; None if it is true for no finite parameter, or for none that is known.
    from_rate : float, smallest FPR and FNR for which the claim is stated; 0 but for "gaussian_dp"

    Examples
    --------
    >>> from dpviz.theory import GaussianMechanism
    >>> from dpviz.theory.statements import ways_of_stating
    >>> ways_of_stating(GaussianMechanism(noise_multiplier=1.0))[1].way
    'gaussian_dp'
    """

    way: Way
    claim: TradeoffFunction | None
    from_rate: float = 0.0

    def tpr(self, fpr: float) -> float | None:
        """Return the largest TPR that the statement allows at this FPR.

        The result is None if the statement allows any TPR.
        """
        fpr = checks.real("fpr", fpr, 0, 1)
        if self.claim is None:
            return None
        tpr = self.claim.tpr(fpr)
        return tpr if min(fpr, 1 - tpr) >= self.from_rate else None


def ways_of_stating(
    claim: TradeoffFunction, *, delta: float = 1e-5, from_fpr: float = 1e-6
) -> tuple[Statement, ...]:
    """Return the statements of a guarantee in all common forms, each implied by the claim.

    Gomez et al., 2025, "(epsilon, delta) considered harmful", arXiv 2503.10945, compare some.

    Parameters
    ----------
    claim : TradeoffFunction; if it is for one order of a pair only, it is symmetrised first
    delta : float, in [0, 1], for the statements (epsilon, delta)
    from_fpr : float, in (0, 1/2), for the statement of mu-GDP, see :func:`gdp_statement`

    Examples
    --------
    >>> from dpviz.theory import GaussianMechanism
    >>> from dpviz.theory.statements import ways_of_stating
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
    # The pair may come in either order, so statements are about both.
    f = checked_tradeoff("claim", claim).min_symmetrized()
    delta = checks.real("delta", delta, 0, 1)
    gaussian = gdp_statement(f, from_fpr=from_fpr)
    rho, epsilon = smallest_rho(f), f.epsilon(0.0)
    orders = np.array(ORDERS, dtype=np.float64)
    bounds = renyi_divergence(f, orders)
    known = np.isfinite(bounds)  # the other orders say nothing
    renyi = RenyiDP(orders=orders[known], epsilons=bounds[known]) if known.any() else None
    claims: dict[Way, TradeoffFunction | None] = {
        "itself": f,
        "gaussian_dp": GaussianDP(mu=gaussian.mu) if np.isfinite(gaussian.mu) else None,
        "renyi": renyi,
        "zero_concentrated": ZeroConcentratedDP(rho=rho) if np.isfinite(rho) else None,
        "approximate": _approximate_dp_statement(f, delta),
        "approximate_of_renyi": None if renyi is None else _approximate_dp_statement(renyi, delta),
        "pure": PureDP(epsilon=epsilon) if np.isfinite(epsilon) else None,
    }
    claims = {way: g and g.with_parameters(adjacency=f.adjacency) for way, g in claims.items()}
    # The Gaussian statement holds from an FPR on; all others hold at all rates.
    rates = {} if isinstance(f, GaussianDP) else {"gaussian_dp": from_fpr}
    return tuple(
        Statement(way=way, claim=stated, from_rate=rates.get(way, 0.0))
        for way, stated in claims.items()
    )


def _approximate_dp_statement(f: TradeoffFunction, delta: float) -> ApproximateDP | None:
    epsilon = f.epsilon(delta)
    return ApproximateDP(epsilon=epsilon, delta=delta) if np.isfinite(epsilon) else None
