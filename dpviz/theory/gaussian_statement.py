"""The mu of Gaussian DP that follows from another guarantee, and the one that may be quoted."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, ndtri

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory import profile
from dpviz.theory.derived import Delegated
from dpviz.theory.mechanisms.gaussian import GaussianDP
from dpviz.theory.mechanisms.subsampled import OneWaySubsampled, Subsampled
from dpviz.theory.tradeoff import TradeoffFunction, checked_tradeoff


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
        If f has an unbounded loss other than of Gaussians, on all records or on a sample of them:
        the supremum may then lie at FPRs below every float.

    Examples
    --------
    >>> from dpviz.theory import LaplaceMechanism, smallest_mu
    >>> round(smallest_mu(LaplaceMechanism(epsilon=1.0)), 4)
    1.0301
    """
    parts = checked_tradeoff("f", f)._factors()
    mus = [_of_gaussian(part) for part in parts]
    ends = [end for part in parts for end in (part, part.inverse())]
    if None not in mus:
        times = np.sqrt(list(parts.values()))
        return float(np.hypot.reduce(np.array(mus, np.float64) * times))
    # Asked of the parts: a curve that was computed counts the largest losses as infinite.
    if any(end.tpr(0.0) > 0 for end in ends):
        return np.inf
    if np.isinf(max(end.epsilon(0.0) for end in ends)):
        raise checks.fail("f", "Gaussian or of bounded loss", f)
    if isinstance(f, Delegated):
        return smallest_mu(f.curve)

    def shift(x: FloatArray) -> FloatArray:
        tpr = f._tpr(x)
        member = np.where(tpr < 0.5, ndtri(tpr), -ndtri(f._beta(x)))
        return member - ndtri(x)

    def lack(log_odds: FloatArray, _: FloatArray) -> FloatArray:
        return -shift(expit(log_odds))

    # Between kinks the supremum is a smooth one; at a kink it may be a corner.
    smooth = -float(profile.lowest(lack, profile.LOG_ODDS, np.zeros(1))[0])
    at_kinks = shift(np.array(f.kinks, dtype=np.float64))
    return float(np.max(at_kinks, initial=max(0.0, smooth)))


def _of_gaussian(f: TradeoffFunction) -> float | None:
    """The mu of a Gaussian, whether on all records or on a sample; 0 of what tells nothing."""
    if f.delta(0.0) == 0:
        return 0.0
    for end in (f, f.inverse()):  # one has the mu of the other
        base = end.base if isinstance(end, Subsampled | OneWaySubsampled) else end
        if isinstance(base, GaussianDP):
            return base.mu
    return None


# The mu that may be quoted for a guarantee, from a false positive rate on.

PLACES = 1500  # FPRs that are looked at between both ends
SAFETY = 1e-9  # relative, added to mu for what lies between them


@dataclass(frozen=True, kw_only=True)
class GdpStatement:
    """``mu``-GDP wherever both error rates are at least `from_fpr`; nothing is said beyond.

    Parameters
    ----------
    mu : float
        Rounded up: the Gaussian curve is nowhere above that of the guarantee.
    from_fpr : float
    regret : float
        How much privacy the statement gives away: the smallest shift of the guarantee's curve
        towards both axes that brings it below the Gaussian one (Gomez, Kaissis, Kulynych, et al.,
        arXiv 2503.10945, section 4). To about four digits.

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

    Most guarantees imply no mu-GDP at all: their curve falls below every Gaussian one at FPRs that
    no attack reaches. This is the mu down to a rate that matters.

    Parameters
    ----------
    claim : TradeoffFunction
        Its curve may be one that was computed from below: mu is then larger, never smaller.
    from_fpr : float
        In (0, 1/2): the statement holds where the FPR and the FNR are at least this.

    Returns
    -------
    GdpStatement
        With an infinite mu if the claim allows both rates to be smaller than `from_fpr`.

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
    last = expit(profile.log_odds_where(lambda x: f._beta(x) <= smallest, ()))
    mu = max(0.0, _largest_shift(f, smallest, float(last))) * (1 + SAFETY)
    return GdpStatement(mu=mu, from_fpr=smallest, regret=_regret(f, GaussianDP(mu=mu), smallest))


def _largest_shift(f: TradeoffFunction, first: float, last: float) -> float:
    """Supremum of ``Phi^-1(tpr) - Phi^-1(fpr)`` between two FPRs."""

    def shift(x: FloatArray) -> FloatArray:
        tpr = f._tpr(x)
        return np.where(tpr < 0.5, ndtri(tpr), -ndtri(f._beta(x))) - ndtri(x)

    kinks = np.array([x for x in f.kinks if first < x < last])
    at_corners = float(np.max(shift(np.array([first, *kinks, last]))))
    if f.atoms() is not None:
        # A straight piece of the TPR whose ends lie below a concave curve lies below it.
        return at_corners

    def lack(log_odds: FloatArray, _: FloatArray) -> FloatArray:
        return -shift(expit(log_odds))

    grid = np.linspace(logit(first), logit(last), PLACES)
    return max(at_corners, -float(profile.lowest(lack, grid, np.zeros(1))[0]))


def _regret(f: TradeoffFunction, g: GaussianDP, first: float) -> float:
    """The smallest k with ``f(x + k) - k <= g(x)`` for every x."""

    def needed(x: FloatArray) -> FloatArray:
        low, high, y = np.zeros_like(x), x.copy(), f._beta(x)
        for _ in range(40):
            middle = (low + high) / 2
            enough = y - middle <= g._beta(x - middle)
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        return np.where(y <= g._beta(x), 0.0, high)

    x = expit(np.linspace(logit(first), -logit(first), PLACES // 3))
    for _ in range(2):
        found = needed(x)
        best = int(np.argmax(found))
        x = np.linspace(x[max(best - 1, 0)], x[min(best + 1, len(x) - 1)], len(x) // 3)
    return float(found.max())
