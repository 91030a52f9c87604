"""A package that knows dpviz and that dpviz does not know: logistic noise on a query."""

from dataclasses import KW_ONLY, dataclass

import numpy as np
from scipy.special import expit, logit

from dpviz import checks
from dpviz.theory.outputs import NoiseDistribution, OutputLaws, noisy_query
from dpviz.theory.tradeoff import Adjacency, TradeoffFunction, checked_adjacency

NOISE = NoiseDistribution(  # in units of its scale
    density=lambda x: expit(x) * expit(-x),
    cdf=expit,
    quantile=lambda rate: float(logit(rate)),
    loss=lambda x, shift: 2 * (np.logaddexp(0, -x) - np.logaddexp(0, shift - x)) + shift,
    draw=lambda rng, n: rng.logistic(0.0, 1.0, n),
    reach=8.0,
)


@dataclass(frozen=True, repr=False)
class LogisticMechanism(TradeoffFunction):
    """T(Logistic(0, scale), Logistic(1, scale)): a logit moves by 1 / scale."""

    scale: float
    _: KW_ONLY
    adjacency: Adjacency = "replace_one"

    def __post_init__(self) -> None:
        scale = checks.real("scale", self.scale, 0, np.inf, closed="neither")
        object.__setattr__(self, "scale", scale)
        checked_adjacency(self.adjacency)

    def outputs(self) -> OutputLaws:
        return noisy_query("output (unit: scale of the noise)", NOISE, 1 / self.scale)

    def _beta(self, alpha: np.ndarray) -> np.ndarray:
        return expit(-logit(alpha) - 1 / self.scale)

    def _tpr(self, fpr: np.ndarray) -> np.ndarray:
        return expit(logit(fpr) + 1 / self.scale)
