"""Calibration of noise and other parameters to a target, and conversion of sensitivities.

A query changes by at most `sensitivity` in the L1, L2 or Linf norm when one record changes. Each of
its `dimension` coordinates gets independent noise, Laplace of some scale or Gaussian.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

import numpy as np
from scipy.special import erfinv, ndtri_exp

from dpviz import checks
from dpviz.theory.mechanisms.gaussian import GaussianDP
from dpviz.theory.renyi_divergence import renyi_divergence
from dpviz.theory.tradeoff import TradeoffFunction, checked_tradeoff

__all__ = [
    *("convert_sensitivity", "gaussian_mu", "gaussian_noise", "laplace_scale", "noise_for"),
    "zero_concentrated_rho",
]
Norm = Literal["l1", "l2", "linf"]
Method = Literal["analytic", "classical", "tail"]
NORMS = ("l1", "l2", "linf")
LARGE_EPSILON = 1e36  # above it, all mu for which delta is in (1e-323, 1 - 1e-16) round alike
ROUNDING_MARGIN = 1e-12  # relative amount added to noise from an iteration, against rounding


def convert_sensitivity(sensitivity: float, *, given: Norm, wanted: Norm, dimension: int) -> float:
    """Return a bound on a sensitivity in another norm.

    ``|x|_inf <= |x|_2 <= |x|_1 <= sqrt(d) |x|_2 <= d |x|_inf``, each attained.

    Parameters
    ----------
    sensitivity : float, in [0, inf], in the norm `given`
    given, wanted : {"l1", "l2", "linf"}, the two norms
    dimension : int, at least 1

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
    """Return the scale of Laplace noise for pure epsilon-DP: L1 sensitivity / epsilon.

    Parameters
    ----------
    epsilon : float, in [0, inf]; 0 requires infinite noise
    sensitivity : float, in (0, inf), in the norm `norm`
    norm : {"l1", "l2", "linf"}; with "l2" or "linf" the curve is above that of `LaplaceMechanism`
    dimension : int, at least 1

    Examples
    --------
    >>> from dpviz.theory import calibration
    >>> calibration.laplace_scale(epsilon=0.5, sensitivity=2.0)
    4.0
    """
    epsilon = checks.real("epsilon", epsilon, 0, np.inf)
    checks.choice("norm", norm, NORMS)
    given = checks.positive("sensitivity", sensitivity)
    shift = convert_sensitivity(given, given=norm, wanted="l1", dimension=dimension)
    return shift / epsilon if epsilon > 0 else np.inf


def gaussian_mu(
    *, noise: float, sensitivity: float, norm: Norm = "l2", dimension: int = 1
) -> float:
    """Return the mu of Gaussian noise: L2 sensitivity / standard deviation.

    Parameters
    ----------
    noise : float, standard deviation per coordinate, in (0, inf]
    sensitivity : float, in (0, inf), in the norm `norm`
    norm, dimension : as in `laplace_scale`

    Examples
    --------
    >>> from dpviz.theory import calibration
    >>> calibration.gaussian_mu(noise=2.0, sensitivity=1.0)
    0.5
    """
    noise = checks.real("noise", noise, 0, np.inf, closed="right")
    checks.choice("norm", norm, NORMS)
    given = checks.positive("sensitivity", sensitivity)
    return convert_sensitivity(given, given=norm, wanted="l2", dimension=dimension) / noise


def gaussian_noise(
    *, epsilon: float, delta: float, sensitivity: float, method: Method = "analytic"
) -> float:
    """Return the standard deviation of Gaussian noise for (epsilon, delta)-DP.

    Parameters
    ----------
    epsilon : float, in [0, inf]
    delta : float, in [0, 1]; 0 requires infinite noise
    sensitivity : float, L2 sensitivity, in (0, inf)
    method : {"analytic", "classical", "tail"}
        "analytic" (Balle and Wang, 2018) is the smallest such noise. "classical" (Dwork and
        Roth, 2014) is ``sensitivity sqrt(2 ln(1.25 / delta)) / epsilon``, proved only for epsilon
        and delta in (0, 1): at epsilon = 10 and delta = 1e-5 it is wrong. "tail" is the smallest
        noise with ``Pr[L > epsilon] <= delta``, sufficient at any epsilon.

    Examples
    --------
    >>> from dpviz.theory import calibration
    >>> round(calibration.gaussian_noise(epsilon=1.0, delta=1e-5, sensitivity=1.0), 4)
    3.7306
    """
    epsilon = checks.real("epsilon", epsilon, 0, np.inf)
    delta = checks.real("delta", delta, 0, 1)
    sensitivity = checks.positive("sensitivity", sensitivity)
    checks.choice("method", method, get_args(Method))
    if method == "classical":
        checks.real('epsilon (for method="classical")', epsilon, 0, 1, closed="neither")
        checks.real('delta (for method="classical")', delta, 0, 1, closed="neither")
        return float(sensitivity * np.sqrt(2 * np.log(1.25 / delta)) / epsilon)
    # No noise is needed where every mechanism is allowed; none suffices for delta = 0.
    if delta == 1 or np.isinf(epsilon):
        return 0.0
    if delta == 0:
        return np.inf
    if method == "tail":
        mu = _mu_of_loss_tail(epsilon, delta)
        return sensitivity / mu if mu > 0 else np.inf
    return sensitivity / _mu_of_profile(epsilon, delta) * (1 + ROUNDING_MARGIN)


def zero_concentrated_rho(*, epsilon: float, delta: float) -> float:
    """Return the largest rho such that rho-zCDP implies (epsilon, delta)-DP.

    By the conversion of Canonne, Kamath and Steinke (2020), proposition 12.

    Parameters
    ----------
    epsilon : float, in (0, inf)
    delta : float, in (0, 1)

    Examples
    --------
    >>> from dpviz.theory import calibration
    >>> round(calibration.zero_concentrated_rho(epsilon=1.0, delta=1e-5), 4)
    0.0306
    """
    epsilon = checks.positive("epsilon", epsilon)
    delta = checks.between_0_and_1("delta", delta)
    order = 1 + np.geomspace(1e-3, 1e6, 20_001)
    excess = (np.log(delta) + np.log(order)) / (order - 1) - np.log1p(-1 / order)
    return float(np.max((epsilon + excess) / order))


def _mu_of_profile(epsilon: float, delta: float) -> float:
    """Return the mu for which the privacy profile of mu-GDP is `delta` at `epsilon`."""
    from scipy.optimize import brentq  # slow to import, and needed only here

    # The mu of `_mu_of_loss_tail` suffices for (epsilon, delta)-DP, so the root is at or above it.
    sufficient = _mu_of_loss_tail(epsilon, delta)
    if sufficient == 0:  # epsilon is 0, or far below delta
        return float(np.sqrt(8) * erfinv(delta))
    if epsilon > LARGE_EPSILON:
        return sufficient
    low = float(np.log(sufficient))

    def excess_log_delta(log_mu: float) -> float:
        return GaussianDP(mu=float(np.exp(log_mu))).log_delta(epsilon) - float(np.log(delta))

    high = low + 1
    while excess_log_delta(high) < 0:
        high += 1
    return float(np.exp(brentq(excess_log_delta, low - 1e-9, high, xtol=1e-15, rtol=1e-15)))


def _mu_of_loss_tail(epsilon: float, delta: float) -> float:
    """Return the mu for which the privacy loss of mu-GDP exceeds epsilon with probability delta."""
    z = -float(ndtri_exp(_log(delta)))
    root = float(np.hypot(z, np.sqrt(2) * np.sqrt(epsilon)))
    # For either sign of z, the form without cancellation.
    return epsilon / ((z + root) / 2) if z > 0 else root - z


# Parameters that meet a target.

# Maps a guarantee to a number > 0 if attacks exceed the target, mostly in logs (nearly linear in
# the log of a parameter).
ExcessFunction = Callable[[TradeoffFunction], float]
LARGEST_STEP = float(np.log(4.0))  # in the log of the parameter, until two values bracket the root
SMALLEST_EXCESS, LARGEST_EXCESS = 1e-300, 50.0  # absolute, that Brent's method gets
TOLERANCE = 5e-5  # relative: how much more private than needed a parameter may be
NOISE_TOLERANCE = 1e-9  # relative, of `noise_for`
KINDS_OF_TARGET = (
    "advantage, or tpr and fpr, or epsilon and delta, or epsilon and order, "
    "or ppv, prior and fpr, or guess and baseline"
)


@dataclass(frozen=True, kw_only=True)
class _ParameterRange:
    """The range of values in which the search for a parameter takes place."""

    low: float
    high: float
    is_larger_safer: bool
    is_whole: bool = False
    tolerance: float = TOLERANCE

    def least_private_value(self, excess: Callable[[float], float], start: float) -> float | None:
        """Return the value of least privacy that meets the target; None if no value meets it."""
        # Steps that would suffice if the excess had slope 1 in the log of the value; then longer.
        # From a safe start towards less privacy, from another towards more.
        is_safe = excess(start) <= 0
        end = self.high if is_safe != self.is_larger_safer else self.low
        direction = 1 if end >= start else -1
        ahead, is_ahead_safe, stretch = start, is_safe, 1
        while is_ahead_safe == is_safe:
            behind = ahead
            if behind == end:
                return end if is_safe else None
            step = stretch * (abs(excess(behind)) + self.tolerance)
            stretch *= 1 if step > LARGEST_STEP else 2
            factor = float(np.exp(direction * min(step, LARGEST_STEP)))
            ahead = float(np.clip(behind * factor, self.low, self.high))
            ahead = max(float(np.floor(ahead)), self.low) if self.is_whole else ahead
            is_ahead_safe = excess(ahead) <= 0
        # The boundary is between the last two values.
        safe, bold = (behind, ahead) if is_safe else (ahead, behind)
        return self._safe_value_at_root(excess, safe, bold)

    def _safe_value_at_root(
        self, excess: Callable[[float], float], safe: float, bold: float
    ) -> float:
        """Return a value near the root between `safe` and `bold`, on the side of `excess` <= 0."""
        from scipy.optimize import brentq  # slow to import, and needed only here

        first, last, ratio = safe, bold, bold / safe

        def excess_at(fraction: float) -> float:
            nonlocal safe
            value = last if fraction == 1 else first * ratio**fraction
            value = float(np.round(value)) if self.is_whole else value
            exact = excess(value)
            if exact <= 0:
                safe = value
            # An excess of 0 would end the search, with a bold value that may still be far.
            return float(np.clip(exact or -SMALLEST_EXCESS, -LARGEST_EXCESS, LARGEST_EXCESS))

        # Brent's method ends with a safe and a bold value that are nearer than `xtol`.
        nearest = 0.5 / max(safe, bold) if self.is_whole else self.tolerance / 2
        brentq(excess_at, 0, 1, xtol=nearest / abs(np.log(ratio)), maxiter=1000)
        return safe


SEARCH_RANGES = {
    "noise_multiplier": _ParameterRange(low=1e-3, high=1e6, is_larger_safer=True),
    "noise": _ParameterRange(low=1e-2, high=1e3, is_larger_safer=True),
    "scale": _ParameterRange(low=1e-3, high=1e6, is_larger_safer=True),
    "width": _ParameterRange(low=1e-3, high=1e9, is_larger_safer=True),
    "epsilon": _ParameterRange(low=1e-6, high=100.0, is_larger_safer=False),
    "mu": _ParameterRange(low=1e-6, high=100.0, is_larger_safer=False),
    "rho": _ParameterRange(low=1e-9, high=100.0, is_larger_safer=False),
    "sampling_rate": _ParameterRange(low=1e-9, high=1.0, is_larger_safer=False),
    "steps": _ParameterRange(low=1, high=10**7, is_larger_safer=False, is_whole=True),
    "size": _ParameterRange(low=1, high=1000, is_larger_safer=False, is_whole=True),
}


def for_risk(
    claim: TradeoffFunction,
    parameter: str,
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
) -> TradeoffFunction:
    """Return the claim with `parameter` changed such that no attack exceeds the target.

    Give exactly one target: `advantage`; `tpr` at `fpr`; `ppv` at `prior` and `fpr`; `guess` at
    `baseline`; `epsilon` with `delta`, or with the `order` of a Rényi divergence. Both orders of a
    pair meet the target. The claim has the least noise, or the largest other parameter, that meets
    the target: it is at most a relative 5e-5 more private than needed; whole numbers are exact.

    Parameters
    ----------
    claim : TradeoffFunction, the mechanism; the search begins at its value of the parameter
    parameter : str
        "noise_multiplier", "noise", "scale", "width", "epsilon", "mu", "rho", "sampling_rate",
        "steps" or "size", whichever the claim has.
    advantage : float, optional, largest TPR - FPR of any attacker, in (0, 1)
    tpr, fpr : float, optional, largest TPR of an attacker at this FPR; 0 < fpr < tpr < 1
    ppv, prior : float, optional, largest PPV at `fpr` and this prior; 0 < prior < ppv < 1
    guess, baseline : float, optional, largest chance of a right guess; 0 < baseline < guess < 1
    epsilon, delta : float, optional, (epsilon, delta)-DP to satisfy, in [0, inf) and [0, 1)
    epsilon, order : float, optional, largest Rényi divergence of this order, in (1, inf)

    Raises
    ------
    ValueError, if the target or the parameter is none of these, or no value meets the target

    Examples
    --------
    >>> from dpviz.theory import GaussianMechanism, for_risk
    >>> noise = GaussianMechanism(noise_multiplier=1.0)
    >>> round(for_risk(noise, "noise_multiplier", tpr=0.05, fpr=0.01).noise_multiplier, 3)
    1.467
    """
    f = checked_tradeoff("claim", claim)
    given = {
        **{"advantage": advantage, "tpr": tpr, "fpr": fpr, "ppv": ppv, "prior": prior},
        **{"guess": guess, "baseline": baseline, "epsilon": epsilon, "delta": delta},
        "order": order,
    }
    # The search begins at the claim's own value, inside the range of its parameter.
    excess = excess_function_of_target(given)
    known = [name for name in f.parameters if name in SEARCH_RANGES]
    values = SEARCH_RANGES[checks.choice("parameter", parameter, known)]

    def claim_with(value: float) -> TradeoffFunction:
        return f.with_parameters(**{parameter: int(value) if values.is_whole else value})

    @cache
    def excess_of(value: float) -> float:
        return excess(claim_with(value))

    start = float(np.clip(f.parameters[parameter], values.low, values.high))
    value = values.least_private_value(excess_of, start)
    if value is None:
        condition = f"a parameter that can meet the target in [{values.low:g}, {values.high:g}]"
        raise checks.fail(parameter, condition, f.parameters[parameter])
    return claim_with(value)


def excess_function_of_target(targets: Mapping[str, float | None]) -> ExcessFunction:
    """Return a function that is positive for every guarantee that misses the target."""
    given = {name: value for name, value in targets.items() if value is not None}
    # The largest advantage is delta at epsilon 0; in logarithms, as it may be tiny.
    if given.keys() == {"advantage"}:
        largest = checks.between_0_and_1("advantage", given["advantage"])
        return lambda f: _log(f.delta(0.0)) - _log(largest)
    if given.keys() == {"epsilon", "delta"}:
        epsilon = checks.real("epsilon", given["epsilon"], 0, np.inf, closed="left")
        delta = checks.real("delta", given["delta"], 0, 1, closed="left")
        if delta == 0:  # of pure DP, whose largest loss is known exactly
            return lambda f: max(f.epsilon(0.0), f.inverse().epsilon(0.0)) - epsilon
        return lambda f: _excess_over_delta(f, epsilon, delta)
    if given.keys() == {"epsilon", "order"}:
        most = checks.positive("epsilon", given["epsilon"])
        order = checks.real("order", given["order"], 1, np.inf, closed="neither")
        return lambda f: renyi_divergence(f, order) - most
    # A guess of a secret with this baseline succeeds as often as a test with this FPR detects.
    for limited, fixed in (("tpr", "fpr"), ("guess", "baseline")):
        if given.keys() == {limited, fixed}:
            fpr = checks.between_0_and_1(fixed, given[fixed])
            tpr = checks.real(limited, given[limited], fpr, 1, closed="neither")
            return _excess_over_tpr(fpr, tpr)
    if given.keys() == {"ppv", "prior", "fpr"}:
        fpr = checks.between_0_and_1("fpr", given["fpr"])
        prior = checks.between_0_and_1("prior", given["prior"])
        # By Bayes' rule a PPV at a prior and an FPR is a TPR.
        ppv = checks.real("ppv", given["ppv"], prior, 1, closed="neither")
        return _excess_over_tpr(fpr, ppv / (1 - ppv) * (1 - prior) / prior * fpr)
    raise checks.fail("the target", KINDS_OF_TARGET, sorted(given))


def _excess_over_delta(f: TradeoffFunction, epsilon: float, delta: float) -> float:
    """Return a positive number if (P, Q) or (Q, P) violates (epsilon, delta)-DP, else <= 0."""
    reached = max(f.delta(epsilon), f.inverse().delta(epsilon))
    if epsilon == 0:
        return _log(reached) - _log(delta)
    # As noise: the ratio of the mus of two Gaussian mechanisms with these deltas, approximately.
    excess = _log(_mu_of_loss_tail(epsilon, reached)) - _log(_mu_of_loss_tail(epsilon, delta))
    return max(excess, reached - delta) if reached > delta else min(excess, 0.0)  # by rounding


def _excess_over_tpr(fpr: float, largest_tpr: float) -> ExcessFunction:
    """Return a function that is positive if a guarantee's TPR at `fpr` is above `largest_tpr`."""
    return lambda f: _log(f.min_symmetrized().tpr(fpr)) - _log(largest_tpr)


def _log(value: float) -> float:
    with np.errstate(divide="ignore"):
        return float(np.log(value))


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
    """Return the least noise that meets a target.

    The noise is rounded up, by at most a relative 1e-9. Give exactly one target, as in
    `dpviz.theory.for_risk`, which can search other parameters, too. The answer is `low` if that
    much noise already meets the target.

    Parameters
    ----------
    mechanism : callable, from noise to a guarantee that is more private with more noise
    advantage, tpr, fpr, ppv, prior, guess, baseline, epsilon, delta, order : as in `for_risk`
    low, high : float, in (0, inf), the range of noise to search

    Raises
    ------
    ValueError, if the targets are none of these, or `high` is not enough noise

    Examples
    --------
    >>> from dpviz.theory import GaussianMechanism, calibration
    >>> mechanism = lambda noise: GaussianMechanism(noise_multiplier=noise)
    >>> round(calibration.noise_for(mechanism, advantage=0.1), 4)
    3.9789
    """
    given = {
        **{"advantage": advantage, "tpr": tpr, "fpr": fpr, "ppv": ppv, "prior": prior},
        **{"guess": guess, "baseline": baseline, "epsilon": epsilon, "delta": delta},
        "order": order,
    }
    excess = excess_function_of_target(given)
    low = checks.positive("low", low)
    high = checks.real("high", high, low, np.inf, closed="neither")
    if not callable(mechanism):
        raise checks.fail("mechanism", "a function that maps the noise to a mechanism", mechanism)

    @cache
    def excess_of(noise: float) -> float:
        return excess(checked_tradeoff("mechanism(noise)", mechanism(noise)))

    values = _ParameterRange(low=low, high=high, is_larger_safer=True, tolerance=NOISE_TOLERANCE)
    noise = values.least_private_value(excess_of, float(np.sqrt(low) * np.sqrt(high)))
    if noise is None:
        raise checks.fail("high", "an amount of noise that meets the target", high)
    return noise


def __dir__() -> list[str]:
    return __all__
