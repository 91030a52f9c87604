"""The posterior of epsilon at one threshold (Zanella-Beguelin et al., 2023), by quadrature.

With Jeffreys priors the rates t = FPR and eta = FNR have independent Beta posteriors. The share of
the posterior that an (epsilon, delta) guarantee admits is one integral over t of a difference of
two Beta distribution functions, taken over the quantile v of t so that it has no peak.
"""

import numpy as np
from scipy.special import betainc, betaincinv

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory import ApproximateDP, implied_epsilons

LARGEST = 700.0
NARROWEST = 1e-12


def joint_beta_cdf(
    epsilon: float,
    *,
    false_positives: int,
    true_negatives: int,
    false_negatives: int,
    true_positives: int,
    delta: float,
) -> float:
    """Posterior probability that the rates are inside the region of (epsilon, delta).

    Parameters
    ----------
    epsilon : float
        In [0, inf].
    false_positives, true_negatives, false_negatives, true_positives : int
        At least 0.
    delta : float
        In [0, 1].
    """
    ApproximateDP(epsilon=epsilon, delta=delta)  # refuses what is no guarantee
    posteriors = _posteriors(false_positives, true_negatives, false_negatives, true_positives)
    return _share(epsilon, posteriors, delta, rtol=1e-9)


def joint_beta_epsilon(
    *,
    false_positives: int,
    true_negatives: int,
    false_negatives: int,
    true_positives: int,
    delta: float,
    confidence_level: float,
) -> float:
    """The epsilon that the posterior exceeds with probability `confidence_level`.

    Parameters and errors as in `joint_beta_cdf`; `confidence_level` in (0, 1). 0 where already the
    region of epsilon 0 has a larger share of the posterior than what is left, inf where no region
    has.
    """
    from scipy.optimize import toms748

    level = 1 - checks.real("confidence_level", confidence_level, 0, 1, closed="neither")
    delta = checks.real("delta", delta, 0, 1)
    posteriors = _posteriors(false_positives, true_negatives, false_negatives, true_positives)

    def excess(epsilon: float) -> float:
        return level - _share(epsilon, posteriors, delta, rtol=1e-6)

    if excess(0.0) <= 0:
        return 0.0
    rates = [a / (a + b) for a, b in posteriors]
    low = high = max(0.5, float(implied_epsilons(fpr=rates[0], fnr=rates[1], delta=delta).max()))
    while excess(high) > 0:
        if high > LARGEST:
            return float("inf")
        low, high = high, high + 1
    while low == high or excess(low) <= 0:
        low, high = max(0.0, low - 0.5), low
    return float(toms748(excess, low, high, xtol=1e-7, rtol=1e-9))


def _posteriors(
    false_positives: int, true_negatives: int, false_negatives: int, true_positives: int
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Parameters of the Beta posteriors of FPR and FNR."""
    fp = checks.whole("false_positives", false_positives, 0)
    tn = checks.whole("true_negatives", true_negatives, 0)
    fn = checks.whole("false_negatives", false_negatives, 0)
    tp = checks.whole("true_positives", true_positives, 0)
    return (fp + 0.5, tn + 0.5), (fn + 0.5, tp + 0.5)


def _share(
    epsilon: float,
    posteriors: tuple[tuple[float, float], tuple[float, float]],
    delta: float,
    *,
    rtol: float,
) -> float:
    """The posterior's share inside the region."""
    from scipy.integrate import tanhsinh

    if epsilon > LARGEST:
        return 1.0  # every pair of rates but those at 0 and 1
    of_fpr, of_fnr = posteriors

    def lowest_fnr(t: FloatArray) -> FloatArray:
        # The claim's own beta refuses the nan that the quadrature fills finished pieces with.
        steep, flat = 1 - delta - np.exp(epsilon) * t, np.exp(-epsilon) * (1 - delta - t)
        return np.asarray(np.maximum(np.maximum(steep, flat), 0))

    def inside(v: FloatArray) -> FloatArray:
        t = betaincinv(*of_fpr, np.clip(v, 0, 1))
        between = betainc(*of_fnr, 1 - lowest_fnr(1 - t)) - betainc(*of_fnr, lowest_fnr(t))
        return np.asarray(between)

    kink = (1 - delta) / (1 + np.exp(epsilon))
    kinks = np.array([0.0, kink, 1 - kink, delta, 1 - delta, 1.0])
    # The integrand is at most 1: what narrower pieces hold is nothing, but their nodes coincide.
    breaks = np.unique(betainc(*of_fpr, kinks))
    breaks = breaks[np.diff(breaks, prepend=-1.0) > NARROWEST]
    found = tanhsinh(inside, breaks[:-1], breaks[1:], rtol=rtol, atol=rtol * 1e-3)
    return float(np.clip(found.integral.sum(), 0, 1))
