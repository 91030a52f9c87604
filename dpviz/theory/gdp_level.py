"""The Gaussian guarantee that follows from another one.

mu-GDP is the line ``Phi^-1(tpr) = Phi^-1(fpr) + mu`` (Dong, Roth and Su, 2022, section 2.2); f
implies it if the TPR that f allows lies nowhere above that line.
"""

import numpy as np
from scipy.special import expit, ndtri

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory import profile
from dpviz.theory.delegated import Delegated
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
