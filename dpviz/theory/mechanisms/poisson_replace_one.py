"""One step of the Gaussian mechanism on a Poisson sample, when a record is replaced."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtr, ndtri

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.tradeoff import TradeoffFunction

HALVINGS = 60  # of the interval of thresholds, at most `mu` long
LARGE = 30.0  # from here on sinh x and asinh x are e^x / 2 and log 2x


@dataclass(frozen=True, kw_only=True, repr=False)
class PoissonReplaceOne(TradeoffFunction):
    """T((1 - p) N(0, 1) + p N(-mu, 1), (1 - p) N(0, 1) + p N(mu, 1)): a mixture against a mixture.

    Each record is in the sample with probability `sampling_rate` = p; replacing one moves the mean
    from -mu to mu where the record is sampled: the gradients of the two records point in opposite
    directions. The best test compares the output with a threshold t, because the privacy loss

    ``L(t) = log (1 - p + p e^(mu t - mu^2 / 2)) / (1 - p + p e^(-mu t - mu^2 / 2))``

    increases. It is an odd function: the pair is symmetric.

    Parameters
    ----------
    mu : float, in (0, inf): what one record can add, divided by the noise
    sampling_rate : float, in (0, 1]

    References
    ----------
    Schuchardt, Stoian, Kosmala and Günnemann, "Unified Mechanism-Specific Amplification by
    Subsampling and Group Privacy Amplification", 2024: this pair dominates, also when composed.
    Lebeda, Regehr, Kamath and Steinke, "Avoiding Pitfalls for Privacy Accounting of Subsampled
    Mechanisms under Composition", 2024: how samples of a fixed size differ.

    Examples
    --------
    >>> from dpviz.theory.mechanisms.poisson_replace_one import PoissonReplaceOne
    >>> round(PoissonReplaceOne(mu=1.0, sampling_rate=1.0).tpr(0.05), 4)  # Gaussian, mu = 2
    0.6388
    """

    mu: float
    sampling_rate: float
    adjacency: Literal["replace_one"] = "replace_one"

    def __post_init__(self) -> None:
        mu = checks.real("mu", self.mu, 0, np.inf, closed="neither")
        rate = checks.real("sampling_rate", self.sampling_rate, 0, 1, closed="right")
        object.__setattr__(self, "mu", mu)
        object.__setattr__(self, "sampling_rate", rate)
        checks.choice("adjacency", self.adjacency, ("replace_one",))

    def _above(self, threshold: FloatArray) -> tuple[FloatArray, FloatArray]:
        """FPR and TPR of the test "member if the output is at least the threshold"."""
        rate = self.sampling_rate
        unsampled = (1 - rate) * ndtr(-threshold)
        return (
            unsampled + rate * ndtr(-threshold - self.mu),
            unsampled + rate * ndtr(self.mu - threshold),
        )

    def _threshold_of_fpr(self, fpr: FloatArray) -> FloatArray:
        high = -ndtri(fpr)  # the threshold if nobody were sampled
        low = high - self.mu  # if everybody were
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            too_many = self._above(middle)[0] > fpr
            low, high = np.where(too_many, middle, low), np.where(too_many, high, middle)
        return np.asarray(high)

    def _threshold_of_loss(self, loss: FloatArray) -> FloatArray:
        """The root of ``L(t) = loss``: ``mu t = loss / 2 + asinh(c sinh(loss / 2))``.

        With ``c = (1 - p) / (p e^(-mu^2 / 2))``: in ``w = e^(mu t - loss / 2)`` the equation is
        ``w - 1 / w = 2 c sinh(loss / 2)``.
        """
        half = np.abs(loss) / 2
        with np.errstate(divide="ignore"):
            log_c = np.log1p(-self.sampling_rate) - np.log(self.sampling_rate) + self.mu**2 / 2
            log_sinh = np.where(
                half < LARGE, np.log(np.sinh(np.minimum(half, LARGE))), half - np.log(2)
            )
        log_argument = log_c + log_sinh
        moved = np.where(
            log_argument < LARGE,
            np.arcsinh(np.exp(np.minimum(log_argument, LARGE))),
            log_argument + np.log(2),
        )
        return np.asarray(np.copysign((half + moved) / self.mu, loss))

    def _loss(self, threshold: FloatArray) -> FloatArray:
        rate, shift, half = self.sampling_rate, self.mu * threshold, self.mu**2 / 2
        with np.errstate(divide="ignore"):
            unsampled, sampled = np.log1p(-rate), np.log(rate)
        above = np.logaddexp(unsampled, sampled + shift - half)
        return np.asarray(above - np.logaddexp(unsampled, sampled - shift - half))

    def _beta(self, alpha: FloatArray) -> FloatArray:
        rate, at = self.sampling_rate, self._threshold_of_fpr(alpha)
        return np.asarray((1 - rate) * ndtr(at) + rate * ndtr(at - self.mu))

    def _tpr(self, fpr: FloatArray) -> FloatArray:
        return self._above(self._threshold_of_fpr(fpr))[1]

    def _delta(self, epsilon: FloatArray) -> FloatArray:
        fpr, tpr = self._above(self._threshold_of_loss(epsilon))
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            allowed = np.where(fpr > 0, np.exp(np.minimum(epsilon + np.log(fpr), 1.0)), 0.0)
        return np.clip(tpr - allowed, 0.0, 1.0)

    def _largest_loss(self) -> float:
        return np.inf

    def _fpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        return self._above(self._threshold_of_loss(epsilon))[0]

    def _tpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        return self._above(self._threshold_of_loss(epsilon))[1]

    def _loss_at(self, fpr: FloatArray) -> FloatArray:
        return self._loss(self._threshold_of_fpr(fpr))
