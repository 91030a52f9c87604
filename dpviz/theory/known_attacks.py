"""Attacks on DP-SGD whose error rates are known: limits on privacy from the other side.

Their curves are no guarantees: other attacks may reach more.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import chndtr, log_ndtr, ndtri_exp

from dpviz import checks
from dpviz.checks import FloatArray, read_only
from dpviz.theory.composition import compose
from dpviz.theory.mechanisms.gaussian import SHIFTS, GaussianDP
from dpviz.theory.mechanisms.random_allocation import allocated
from dpviz.theory.polyline import lower_hull
from dpviz.theory.tradeoff import Floats, TradeoffFunction, evaluate

LOG_RATES = np.concatenate([[-np.inf], np.linspace(-80.0, -5.0, 300), np.linspace(-5, 0, 501)])


@dataclass(frozen=True, kw_only=True, eq=False)
class KnownAttack:
    """The rates that an attack reaches at all its thresholds; coin flips reach those between.

    Attributes
    ----------
    points : array, shape (k, 2)
        Columns FPR and FNR, from (0, 1) to (1, 0) or further left: corners of a convex curve.

    Examples
    --------
    >>> from dpviz.theory.known_attacks import KnownAttack
    >>> attack = KnownAttack.through([[0.1, 0.4]])
    >>> round(attack.fnr(0.05), 4), round(attack.epsilon(0.0), 4)
    (0.7, 1.7918)
    """

    points: FloatArray

    @classmethod
    def through(cls, *points: FloatArray) -> "KnownAttack":
        """Return the best of the attacks with these points at each FPR, and of guessing."""
        ends = np.array([[0.0, 1.0], [1.0, 0.0]])
        corners = lower_hull(np.concatenate([ends, *points]))
        return cls(points=read_only(corners))

    def fnr(self, fpr: Floats) -> Floats:
        """Return the FNR at each FPR in [0, 1]: no valid guarantee is above it."""
        return evaluate(lambda x: np.interp(x, *self.points.T), "fpr", fpr, 0, 1)

    def epsilon(self, delta: float) -> float:
        """Return a lower limit on every epsilon that holds at this `delta`; inf if none holds."""
        delta = checks.real("delta", delta, 0, 1)
        fpr, fnr = self.points.T
        with np.errstate(divide="ignore", invalid="ignore"):
            implied = np.log(1 - delta - fnr) - np.log(fpr)
        return float(np.max(implied, initial=0.0, where=1 - delta - fnr > 0))


def averaging_attack(
    *,
    noise_multiplier: float,
    batch_size: int,
    dimensions: int = 1,
    steps: int = 1,
    contribution: float = 1.0,
) -> KnownAttack:
    """Return the best attack on a noisy sum of gradients that is divided by the number of records.

    All records are in every step, and only the attacked record has a gradient. Noise of the same
    scale is added to the sum; it is divided by `batch_size` with the record, by one less without.
    The FNR goes to 0 as the number of dimensions grows. At contribution 0 the divisor alone tells:
    the rates are also those of an expected batch size that is computed from the number of records
    and differs by one, however records are sampled (issue 819 of Opacus; Wang, Cui, Cui and Yuan,
    "Rethinking the Security of DP-SGD", arXiv 2605.15648, analyse both divisors).

    Parameters
    ----------
    noise_multiplier : float, in (0, inf)
    batch_size : int, at least 2; the number of records in the batch, with the attacked record
    dimensions : int, at least 1; the number of parameters of the model
    steps : int, at least 1
    contribution : float, in [0, 1], norm of the record's gradient divided by the clipping norm

    Examples
    --------
    >>> from dpviz.theory import GaussianDP
    >>> from dpviz.theory.known_attacks import averaging_attack
    >>> attack = averaging_attack(noise_multiplier=1.0, batch_size=10, dimensions=1000)
    >>> round(attack.fnr(0.01), 4), round(GaussianDP(mu=1.0).beta(0.01), 4)  # reached, claimed
    (0.0065, 0.9076)
    """
    noise = checks.positive("noise_multiplier", noise_multiplier)
    b = checks.whole("batch_size", batch_size, 2)
    steps = checks.whole("steps", steps, 1)
    d = checks.whole("dimensions", dimensions, 1) * steps
    norm = checks.real("contribution", contribution, 0, 1) / noise
    # The outputs are y = noise Z / (b - 1) without the record, y = (g + noise Z) / b with it. The
    # log ratio of their densities is a constant minus ``(2b - 1) / (2 noise^2) |y - c|^2`` with
    # ``c = b g / (2b - 1)``: the best test flags outputs near c. ``|y - c|^2`` divided by the
    # variance is noncentral chi-squared, with d degrees of freedom. Steps add up.
    without = steps * (norm * b * (b - 1) / (2 * b - 1)) ** 2
    within = steps * (norm * (b - 1) ** 2 / (2 * b - 1)) ** 2
    centres, ratio = np.array([d + without, (d + within) * ((b - 1) / b) ** 2]), (b / (b - 1)) ** 2
    spread = 12 * np.sqrt(2 * (d + 2 * max(without, within)))
    low, high = max(0.0, centres.min() - spread), centres.max() + spread + 60
    squared = np.linspace(low, high, 1001)  # in units of the variance without the record
    fpr, tpr = chndtr(squared, d, without), chndtr(squared * ratio, d, within)
    return KnownAttack.through(np.column_stack([fpr, 1 - tpr]))


def shuffling_attack(
    *,
    noise_multiplier: float,
    batches: int,
    epochs: int = 1,
    replaced: bool = False,
) -> KnownAttack:
    """Return the better of two attacks on DP-SGD with shuffled batches, at each FPR.

    If all other gradients are 0, shuffling is random allocation, whose best attack is known up to
    the error of the computation, which is added (of several epochs it is partly an estimate). If
    all others point the other way, the largest coordinate of all steps is compared with a threshold
    (Chua, Ghazi, Kamath, Kumar, Manurangsi, Sinha and Zhang, "How Private are DP-SGD
    Implementations?", ICML 2024, for one epoch; as in the authors' code). Batches may be of any
    sizes: neither test asks which step has the record.

    Parameters
    ----------
    noise_multiplier : float, in (0, inf)
    batches : int, at least 1, in each epoch
    epochs : int, at least 1, each with a new order
    replaced : bool
        Whether another record, with the opposite gradient, takes the place of the record; else
        the place remains empty.

    Examples
    --------
    >>> from dpviz.theory import SubsampledGaussian
    >>> from dpviz.theory.known_attacks import shuffling_attack
    >>> attack = shuffling_attack(noise_multiplier=0.5, batches=100)
    >>> poisson = SubsampledGaussian(noise_multiplier=0.5, sampling_rate=0.01, steps=100)
    >>> round(attack.epsilon(1e-5), 1), round(poisson.epsilon(1e-5), 1)
    (10.0, 6.5)
    """
    noise = checks.positive("noise_multiplier", noise_multiplier)
    batches, epochs = checks.whole("batches", batches, 1), checks.whole("epochs", epochs, 1)
    mu = SHIFTS["replace_one" if replaced else "add_remove"] / noise
    allocation = _curve_of_one_order(mu, batches, epochs)
    fpr = np.exp(LOG_RATES)
    reached = np.minimum(allocation.beta(fpr) + allocation.error, 1 - fpr)
    # The coordinates are noise, but one in each epoch is 2 with the record, 1 (or 0) without.
    level = -ndtri_exp(np.linspace(-60, -1e-3, 2000) - np.log(batches * epochs))  # over the noise
    misses = [
        epochs * (log_ndtr(level - moved / noise) + (batches - 1) * log_ndtr(level))
        for moved in (0.0 if replaced else 1.0, 2.0)
    ]
    threshold = np.column_stack([-np.expm1(misses[0]), np.exp(misses[1])])
    return KnownAttack.through(np.column_stack([fpr, reached]), threshold)


def _curve_of_one_order(mu: float, batches: int, epochs: int) -> TradeoffFunction:
    """Return the curve of `epochs` allocations in the order (without, with the record)."""
    if batches == 1:
        return GaussianDP(mu=mu * float(np.sqrt(epochs)), adjacency="add_remove")
    counts = allocated(mu, epochs, batches * epochs)
    return compose(counts) if epochs > 1 else next(iter(counts))
