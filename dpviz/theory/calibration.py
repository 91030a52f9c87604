"""The noise that a guarantee requires, and sensitivities in other norms.

Norms: a query changes by at most `sensitivity` in the L1, L2 or Linf norm when one record changes;
noise is independent in each of the `dimension` coordinates. "Noise" is always a standard deviation
(Gaussian) or a scale (Laplace), never a variance.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np
from scipy.special import erfinv, ndtri_exp

from dpviz import checks
from dpviz.theory.for_risk import risk_target
from dpviz.theory.mechanisms.gaussian import GaussianDP
from dpviz.theory.tradeoff import TradeoffFunction, checked_tradeoff

Norm = Literal["l1", "l2", "linf"]
NORMS = ("l1", "l2", "linf")
SAFETY = 1e-12  # relative amount added to noise found by iteration, against rounding


def convert_sensitivity(sensitivity: float, *, given: Norm, wanted: Norm, dimension: int) -> float:
    """Smallest bound in one norm that a bound in another implies, in R^dimension.

    ``|x|_inf <= |x|_2 <= |x|_1 <= sqrt(d) |x|_2 <= d |x|_inf``, each attained.

    Parameters
    ----------
    sensitivity : float, in [0, inf], in the norm `given`
    given, wanted : {"l1", "l2", "linf"}, the two norms
    dimension : int, at least 1

    Raises
    ------
    ValueError
        If a number leaves its range or a norm is unknown.

    Returns
    -------
    float

    Examples
    --------
    >>> from dpviz.theory import calibration
    >>> calibration.convert_sensitivity(1.0, given="l2", wanted="l1", dimension=100)
    10.0
    """
    sensitivity = checks.real("sensitivity", sensitivity, 0, np.inf)
    power = {"l1": 0.0, "l2": 0.5, "linf": 1.0}  # |x|_1 <= d^power |x|
    excess = power[checks.choice("given", given, NORMS)]
    excess -= power[checks.choice("wanted", wanted, NORMS)]
    return float(sensitivity * checks.whole("dimension", dimension, 1) ** max(0.0, excess))


def laplace_scale(
    *, epsilon: float, sensitivity: float, norm: Norm = "l1", dimension: int = 1
) -> float:
    """Scale of Laplace noise for pure epsilon-DP: L1 sensitivity / epsilon.

    Parameters
    ----------
    epsilon : float, in [0, inf]; 0 requires infinite noise
    sensitivity : float, in (0, inf), in the norm `norm`
    norm : {"l1", "l2", "linf"}
        With "l2" or "linf" the scale is tight for epsilon, but the trade-off curve is above that of
        :class:`LaplaceMechanism`.
    dimension : int, at least 1

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If a number leaves its range.

    Examples
    --------
    >>> from dpviz.theory import calibration
    >>> calibration.laplace_scale(epsilon=0.5, sensitivity=2.0)
    4.0
    """
    epsilon = checks.real("epsilon", epsilon, 0, np.inf)
    checks.choice("norm", norm, NORMS)
    shift = convert_sensitivity(
        _positive("sensitivity", sensitivity), given=norm, wanted="l1", dimension=dimension
    )
    return shift / epsilon if epsilon > 0 else np.inf


def gaussian_mu(
    *, noise: float, sensitivity: float, norm: Norm = "l2", dimension: int = 1
) -> float:
    """The mu of Gaussian noise: L2 sensitivity / standard deviation, exact in any dimension.

    Parameters
    ----------
    noise : float, standard deviation per coordinate, in (0, inf]
    sensitivity : float, in (0, inf), in the norm `norm`
    norm, dimension : as in `laplace_scale`

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If a number leaves its range.

    Examples
    --------
    >>> from dpviz.theory import calibration
    >>> calibration.gaussian_mu(noise=2.0, sensitivity=1.0)
    0.5
    """
    noise = checks.real("noise", noise, 0, np.inf, closed="right")
    checks.choice("norm", norm, NORMS)
    shift = convert_sensitivity(
        _positive("sensitivity", sensitivity), given=norm, wanted="l2", dimension=dimension
    )
    return shift / noise


def gaussian_noise(
    *,
    epsilon: float,
    delta: float,
    sensitivity: float,
    method: Literal["analytic", "classical", "tail"] = "analytic",
) -> float:
    """Standard deviation of Gaussian noise for (epsilon, delta)-DP.

    Parameters
    ----------
    epsilon : float, in [0, inf]
    delta : float, in [0, 1]; 0 requires infinite noise
    sensitivity : float, L2 sensitivity, in (0, inf)
    method : {"analytic", "classical", "tail"}
        "analytic" (Balle and Wang, 2018) is the smallest noise there is. "classical" (Dwork and
        Roth, 2014) is ``sensitivity sqrt(2 ln(1.25 / delta)) / epsilon``. "tail" is the smallest
        noise with ``Pr[L > epsilon] <= delta``, sufficient at any epsilon.

    Raises
    ------
    ValueError
        If a parameter leaves its range, or "classical" is chosen where it is not proved: at
        epsilon >= 1 (at epsilon = 10 and delta = 1e-5 it is wrong), epsilon = 0, or a delta of 0
        or 1.

    Returns
    -------
    float

    Examples
    --------
    >>> from dpviz.theory import calibration
    >>> round(calibration.gaussian_noise(epsilon=1.0, delta=1e-5, sensitivity=1.0), 4)
    3.7306
    """
    epsilon = checks.real("epsilon", epsilon, 0, np.inf)
    delta = checks.real("delta", delta, 0, 1)
    sensitivity = _positive("sensitivity", sensitivity)
    checks.choice("method", method, ("analytic", "classical", "tail"))
    if method == "classical":
        checks.real('epsilon (for method="classical")', epsilon, 0, 1, closed="neither")
        checks.real('delta (for method="classical")', delta, 0, 1, closed="neither")
        return float(sensitivity * np.sqrt(2 * np.log(1.25 / delta)) / epsilon)
    if delta == 1 or np.isinf(epsilon):
        return 0.0
    if delta == 0:
        return np.inf
    if method == "tail":
        mu = _tail_mu(epsilon, delta)
        return sensitivity / mu if mu > 0 else np.inf
    return sensitivity / _analytic_mu(epsilon, delta) * (1 + SAFETY)


def zero_concentrated_rho(*, epsilon: float, delta: float) -> float:
    """Largest rho whose zCDP implies (epsilon, delta)-DP, by the conversion of Canonne et al.

    (Canonne, Kamath and Steinke, 2020, proposition 12.)

    Parameters
    ----------
    epsilon : float, in (0, inf)
    delta : float, in (0, 1)

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If a parameter leaves its range.

    Examples
    --------
    >>> from dpviz.theory import calibration
    >>> round(calibration.zero_concentrated_rho(epsilon=1.0, delta=1e-5), 4)
    0.0306
    """
    epsilon = _positive("epsilon", epsilon)
    delta = checks.real("delta", delta, 0, 1, closed="neither")
    # At one order, (epsilon, delta) holds up to this rho; the order is free.
    order = 1 + np.geomspace(1e-3, 1e6, 20_001)
    excess = (np.log(delta) + np.log(order)) / (order - 1) - np.log1p(-1 / order)
    return float(np.max((epsilon + excess) / order))


def noise_for(
    mechanism: Callable[[float], TradeoffFunction],
    *,
    advantage: float | None = None,
    tpr: float | None = None,
    fpr: float | None = None,
    ppv: float | None = None,
    prior: float | None = None,
    guess: float | None = None,
    baseline: float | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    order: float | None = None,
    low: float = 1e-3,
    high: float = 1e6,
) -> float:
    """Smallest noise at which a mechanism meets a target, to a relative 1e-9 on the safe side.

    Exactly one target, as for :func:`dpviz.theory.for_risk`, which changes any parameter of a
    guarantee.

    Parameters
    ----------
    mechanism : callable
        Noise -> guarantee, more private with more noise; for instance
        ``lambda noise: GaussianMechanism(noise_multiplier=noise)``.
    advantage : float, optional, largest TPR - FPR of any attacker, in (0, 1)
    tpr, fpr : float, optional, largest TPR of an attacker at this FPR; 0 < fpr < tpr < 1
    ppv, prior : float, optional, largest PPV at `fpr` and this prior; 0 < prior < ppv < 1
    guess, baseline : float, optional, largest chance of a right guess; 0 < baseline < guess < 1
    epsilon, delta : float, optional, a claim to satisfy, in [0, inf) and [0, 1)
    epsilon, order : float, optional, largest Rényi divergence of this order, in (1, inf)
    low, high : float, where to look; in (0, inf)

    Returns
    -------
    float
        `low` if that much noise already meets the target.

    Raises
    ------
    ValueError
        If the targets are none of these, or `high` is not enough noise.

    Examples
    --------
    >>> from dpviz.theory import GaussianMechanism, calibration
    >>> mechanism = lambda noise: GaussianMechanism(noise_multiplier=noise)
    >>> round(calibration.noise_for(mechanism, advantage=0.1), 4)
    3.9789
    """
    excess = risk_target(
        {
            **{"advantage": advantage, "tpr": tpr, "fpr": fpr, "ppv": ppv, "prior": prior},
            **{"guess": guess, "baseline": baseline, "epsilon": epsilon, "delta": delta},
            "order": order,
        }
    )
    low = checks.real("low", low, 0, np.inf, closed="neither")
    high = checks.real("high", high, low, np.inf, closed="neither")
    if not callable(mechanism):
        raise checks.fail("mechanism", "a function of the noise", mechanism)

    def lacks(noise: float) -> bool:
        return excess(checked_tradeoff("mechanism(noise)", mechanism(noise))) > 0

    if not lacks(low):
        return low
    if lacks(high):
        raise ValueError(f"high must be enough noise for the target, got {high!r}")
    while high / low > 1 + 1e-9:
        middle = float(np.sqrt(low * high))
        low, high = (middle, high) if lacks(middle) else (low, middle)
    return high


def _analytic_mu(epsilon: float, delta: float) -> float:
    """The mu whose profile takes the value delta at epsilon."""
    from scipy.optimize import brentq  # slow to import, and needed only here

    if epsilon == 0:
        return float(np.sqrt(8) * erfinv(delta))
    low = float(np.log(_tail_mu(epsilon, delta)))  # sufficient, so the root is above

    def excess(log_mu: float) -> float:
        return GaussianDP(mu=float(np.exp(log_mu))).log_delta(epsilon) - float(np.log(delta))

    high = low + 1
    while excess(high) < 0:
        high += 1
    return float(np.exp(brentq(excess, low - 1e-9, high, xtol=1e-15, rtol=1e-15)))


def _tail_mu(epsilon: float, delta: float) -> float:
    """The mu with ``Pr[L > epsilon] = delta``: ``sqrt(z^2 + 2 epsilon) - z``, Phi(-z) = delta."""
    z = -float(ndtri_exp(np.log(delta)))
    root = float(np.hypot(z, np.sqrt(2 * epsilon)))
    return 2 * epsilon / (z + root) if z > 0 else root - z


def _positive(name: str, value: float) -> float:
    return checks.real(name, value, 0, np.inf, closed="neither")
