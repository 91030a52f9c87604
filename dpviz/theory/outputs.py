"""Which mechanisms have outputs on a line, and the laws of these: a registry by type."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.special import expit, ndtr, ndtri

from dpviz.checks import FloatArray
from dpviz.theory.bars import Bars
from dpviz.theory.line_laws import Noise, NoisyQuery, OutputLaws
from dpviz.theory.mechanisms import (
    ApproximateDP,
    DiscreteLaplaceMechanism,
    DiscretePair,
    GaussianDP,
    GaussianMechanism,
    LaplaceMechanism,
    ListExperiment,
    PureDP,
    RandomizedResponse,
    TotalVariation,
    UniformMechanism,
)
from dpviz.theory.tradeoff import TradeoffFunction, checked_tradeoff

MOST_BARS = 120
"""More outputs than that are not drawn."""
TAIL = 0.001
"""Mass of two-sided geometric noise beyond the bars that are drawn one by one."""


def output_laws(f: TradeoffFunction) -> OutputLaws | None:
    """The laws of the output under both hypotheses whose trade-off is exactly this curve.

    Parameters
    ----------
    f : TradeoffFunction

    Returns
    -------
    OutputLaws or None
        None where the guarantee names no mechanism, or outputs that do not fit on a line.
    """
    build = OUTPUTS.get(type(checked_tradeoff("f", f)))
    return None if build is None else build(f)


def _gaussian(f: GaussianDP) -> OutputLaws:
    name = "output (unit: standard deviation of the noise)"
    return _noisy(name, GAUSSIAN, f.mu)


def _laplace(f: LaplaceMechanism) -> OutputLaws:
    return _noisy("output (unit: scale of the noise)", LAPLACE, f.claimed_epsilon)


def _uniform(f: UniformMechanism) -> OutputLaws:
    return _noisy("output (unit: width of the noise)", UNIFORM, f.sensitivity / f.width)


def _noisy(name: str, noise: Noise, shift: float) -> OutputLaws:
    if np.isinf(shift):  # no noise at all
        return _without_noise()
    return NoisyQuery(name=name, noise=noise, shift=shift)


def _without_noise() -> Bars:
    return Bars.of("output", ("out", "in"), np.array([1.0, 0.0]), np.array([0.0, 1.0]))


def _leaky_response(f: ApproximateDP) -> OutputLaws:
    """With probability delta the truth is said in the open, else randomised response."""
    if f.is_vacuous:
        return _without_noise()
    epsilon, delta = f.claimed_epsilon, f.claimed_delta
    common, rare = (1 - delta) * expit(epsilon), (1 - delta) * expit(-epsilon)
    labels = np.array(["proof: out", "“out”", "“in”", "proof: in"])
    p, q = np.array([delta, common, rare, 0.0]), np.array([0.0, rare, common, delta])
    loss = np.array([-np.inf, -epsilon, epsilon, np.inf])
    shown = slice(None) if delta > 0 else slice(1, 3)
    return Bars.of("answer", tuple(labels[shown].tolist()), p[shown], q[shown], loss=loss[shown])


def _randomized_response(f: RandomizedResponse) -> OutputLaws:
    """A non-member's true answer is "out", a member's "in"; the other answers are alike."""
    epsilon, others = f.claimed_epsilon, f.categories - 2
    log_total = np.logaddexp(epsilon, math.log(f.categories - 1))
    rare = float(np.exp(-log_total))
    common = float(np.exp(epsilon - log_total)) if np.isfinite(epsilon) else 1.0
    p, loss = np.array([common, others * rare, rare]), np.array([-epsilon, 0.0, epsilon])
    labels = ("“out”", f"{others} other" + "s" * (others > 1), "“in”")
    shown = [0, 1, 2] if others else [0, 2]
    return Bars.of(
        "answer", tuple(labels[k] for k in shown), p[shown], p[::-1][shown], loss=loss[shown]
    )


def _list_experiment(f: ListExperiment) -> OutputLaws | None:
    if len(f.support) + 2 > MOST_BARS:
        return None
    counts = np.ones(1)
    for chance in f.support:
        counts = np.convolve(counts, [1 - chance, chance])
    numbers = tuple(map(str, range(len(counts) + 1)))
    return Bars.of(
        "number of items supported", numbers, np.append(counts, 0.0), np.append(0.0, counts)
    )


def _discrete_pair(f: DiscretePair) -> OutputLaws | None:
    if len(f.member) > MOST_BARS:
        return None
    numbers, p, q = tuple(map(str, range(len(f.member)))), np.array(f.nonmember), np.array(f.member)
    atoms = f.atoms()  # may know losses that masses near the smallest float do not give
    is_same = np.array_equal(atoms.p, p) and np.array_equal(atoms.q, q)
    return Bars.of("output number", numbers, p, q, loss=atoms.loss if is_same else None)


def _discrete_laplace(f: DiscreteLaplaceMechanism) -> OutputLaws | None:
    """Whole numbers; far ones, which all have the loss of the last, in one bar at either end."""
    shift, scale = f.sensitivity, f.scale
    if np.isinf(scale):
        return None
    around = max(2, int(np.ceil(min(-scale * np.log(TAIL), MOST_BARS))))
    around = min(around, (MOST_BARS - shift - 1) // 2)
    if around < 2:
        return None
    places = np.arange(-around, shift + around + 1)
    ratio = np.exp(-1 / scale)
    p = np.exp(-np.abs(places) / scale) * -np.expm1(-1 / scale) / (1 + ratio)
    p[[0, -1]] = np.exp(-np.abs(places[[0, -1]]) / scale) / (1 + ratio)  # and all beyond
    loss = (np.abs(places) - np.abs(places - shift)) / scale
    labels = [str(k) for k in places]
    labels[0], labels[-1] = f"≤ {labels[0]}", f"≥ {labels[-1]}"
    return Bars.of("output", tuple(labels), p, p[::-1], loss=loss, first=-around)


def _laplace_cdf(x: FloatArray) -> FloatArray:
    below = np.exp(-np.abs(x)) / 2
    return np.where(x <= 0, below, 1 - below)


def _laplace_quantile(rate: float) -> float:
    with np.errstate(divide="ignore"):
        small = np.log(2 * np.minimum(rate, 1 - rate))
    return float(small if rate <= 0.5 else -small)


def _uniform_loss(x: FloatArray, shift: float) -> FloatArray:
    only_p, only_q = x < shift - 0.5, x > 0.5
    return np.where(only_p, -np.inf, np.where(only_q, np.inf, 0.0))


def _normal_density(x: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi))


def _draw(kind: str, *limits: float) -> Callable[[Generator, int], FloatArray]:
    return lambda rng, n: np.asarray(getattr(rng, kind)(*limits, n))


GAUSSIAN = Noise(
    density=_normal_density,
    cdf=ndtr,
    quantile=lambda rate: float(ndtri(rate)),
    loss=lambda x, shift: shift * (x - shift / 2),
    draw=_draw("normal", 0.0, 1.0),
    reach=4.0,
)
LAPLACE = Noise(
    density=lambda x: np.exp(-np.abs(x)) / 2,
    cdf=_laplace_cdf,
    quantile=_laplace_quantile,
    loss=lambda x, shift: np.clip(2 * x - shift, -shift, shift),
    draw=_draw("laplace", 0.0, 1.0),
    reach=5.5,
    corners=(0.0,),
)
UNIFORM = Noise(
    density=lambda x: (np.abs(x) <= 0.5).astype(np.float64),
    cdf=lambda x: np.clip(x + 0.5, 0.0, 1.0),
    quantile=lambda rate: rate - 0.5,
    loss=_uniform_loss,
    draw=_draw("uniform", -0.5, 0.5),
    reach=0.75,
    corners=(-0.5, 0.5),
)

OUTPUTS: dict[type[TradeoffFunction], Callable[[Any], OutputLaws | None]] = {
    PureDP: _leaky_response,
    ApproximateDP: _leaky_response,
    TotalVariation: _leaky_response,
    GaussianDP: _gaussian,
    GaussianMechanism: _gaussian,
    LaplaceMechanism: _laplace,
    DiscreteLaplaceMechanism: _discrete_laplace,
    RandomizedResponse: _randomized_response,
    ListExperiment: _list_experiment,
    UniformMechanism: _uniform,
    DiscretePair: _discrete_pair,
}
"""The mechanisms with outputs on a line, and how their laws are made."""
