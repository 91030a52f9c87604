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
from dpviz.theory.tradeoff import TradeoffFunction, checked_tradeoff


def smallest_mu(f: TradeoffFunction) -> float:
    """Smallest mu such that f implies mu-GDP: the supremum of ``Phi^-1(tpr) - Phi^-1(fpr)``.

    inf when nothing is hidden with some probability (beta(0) < 1): no Gaussian is below such a
    curve.

    Parameters
    ----------
    f : TradeoffFunction

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If f has an unbounded loss without being Gaussian: the supremum may then lie at FPRs below
        every float.

    Examples
    --------
    >>> from dpviz.theory import LaplaceMechanism, smallest_mu
    >>> round(smallest_mu(LaplaceMechanism(epsilon=1.0)), 4)
    1.0301
    """
    checked_tradeoff("f", f)
    if isinstance(f, Delegated):
        return smallest_mu(f.curve)
    if isinstance(f, GaussianDP):
        return f.mu
    if f.tpr(0.0) > 0:
        return np.inf
    if np.isinf(f.epsilon(0.0)):
        raise checks.fail("f", "Gaussian or of bounded loss", f)

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
