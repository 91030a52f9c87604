"""DP-SGD: a composition of Gaussian mechanisms, each on a random sample."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtr, ndtri

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.composition import compose
from dpviz.theory.derived import DelegatingGuarantee, group_privacy
from dpviz.theory.mechanisms.claims import PureDP
from dpviz.theory.mechanisms.gaussian import SHIFTS, GaussianDP
from dpviz.theory.mechanisms.random_allocation import allocated
from dpviz.theory.mechanisms.subsampled import OneWaySubsampled, Subsampled
from dpviz.theory.profile import bisection
from dpviz.theory.tradeoff import Adjacency, TradeoffFunction, checked_adjacency

Sampling = Literal["poisson", "fixed_size", "random_allocation", "shuffled", "full_batch"]
SAMPLINGS = ("poisson", "fixed_size", "random_allocation", "shuffled", "full_batch")
Averaging = Literal["sum", "expected", "sampled"]
AVERAGINGS = ("sum", "expected", "sampled")


@dataclass(frozen=True, repr=False)
class SubsampledGaussian(DelegatingGuarantee):
    """The composition of `steps` Gaussian mechanisms, each on a random sample of records.

    - ``poisson``: every record is in the sample with probability `sampling_rate` independently.
      Under ``add_remove`` (the default, and what accountants of DP-SGD report) both orders, with
      and without the record, are composed and the worse one counts at every FPR. Under
      ``replace_one`` the opposite contribution replaces that of the record
      (:class:`PoissonReplaceOne`).
    - ``fixed_size``, for ``replace_one`` only: samples of a fixed size without replacement,
      `sampling_rate` their share of the records.
    - ``random_allocation``: every record is in `sampling_rate` times `steps` of the steps, drawn
      at random independently of other records: once in each round of ``1 / sampling_rate`` steps
      (balls in bins), or k of t steps. Under ``replace_one`` by group privacy.
    - ``shuffled``: in each epoch the records are shuffled and cut into batches, `sampling_rate`
      the share of records in a full one; a smaller rest is a batch of its own or left out. The
      curve is the guarantee of batches in a known order, which shuffling cannot weaken; a removed
      record leaves an empty place. `theory.known_attacks` has a limit from the other side.
    - ``full_batch``: every record is in every step; `sampling_rate` is 1.

    The noise is added to a sum of clipped gradients. To divide it by a constant (``expected``, an
    expected batch size that is public) changes nothing; to divide it by the size of the batch
    (``sampled``), or by an expected size that is computed from the number of records, shows this
    size in high dimension: if it depends on the record, nothing is guaranteed
    (:func:`~dpviz.theory.known_attacks.averaging_attack`).

    One step, or sampling rate 1, is a closed form; all else is composed as by :class:`Composed`.

    Parameters
    ----------
    noise_multiplier : float, in (0, inf], as of :class:`GaussianMechanism`
    sampling_rate : float, in (0, 1]
    steps : int, from 1 to 10^7
    adjacency : {"add_remove", "replace_one"}
    sampling : {"poisson", "fixed_size", "random_allocation", "shuffled", "full_batch"}
    averaging : {"sum", "expected", "sampled"}

    Examples
    --------
    >>> from dpviz.theory import SubsampledGaussian
    >>> round(SubsampledGaussian(noise_multiplier=1.0, sampling_rate=0.1).epsilon(1e-5), 4)
    1.6845
    """

    noise_multiplier: float
    sampling_rate: float
    steps: int = 1
    _: KW_ONLY
    adjacency: Adjacency = "add_remove"
    sampling: Sampling = "poisson"
    averaging: Averaging = "sum"

    def __post_init__(self) -> None:
        noise = checks.real("noise_multiplier", self.noise_multiplier, 0, np.inf, closed="right")
        rate = checks.real("sampling_rate", self.sampling_rate, 0, 1, closed="right")
        steps = checks.whole("steps", self.steps, 1, 10**7)
        checked_adjacency(self.adjacency)
        checks.choice("sampling", self.sampling, SAMPLINGS)
        checks.choice("averaging", self.averaging, AVERAGINGS)
        self._set_fields(noise_multiplier=noise, sampling_rate=rate, steps=steps)
        if self.sampling == "fixed_size" and self.adjacency != "replace_one":
            rule = "'replace_one' for samples of a fixed size (sampling='fixed_size')"
            raise checks.fail("adjacency", rule, self.adjacency)
        if self.sampling == "full_batch" and rate != 1:
            raise checks.fail("sampling_rate", "1 for sampling='full_batch'", rate)
        share = rate * steps
        if self.sampling == "random_allocation" and abs(share - self._participations) > 1e-6:
            rule = "such that a record is in a whole number of steps for 'random_allocation'"
            way_out = f"{rate:g} of {steps} steps is {share:g}: use {self._participations}/{steps}"
            raise checks.fail("sampling_rate", rule, rate, way_out)

    is_symmetric = True  # either order may occur

    @property
    def _participations(self) -> int:
        """The number of steps that have a record, unless it is random."""
        return max(1, round(self.sampling_rate * self.steps))

    def _replace_one_guarantee(self) -> TradeoffFunction:
        return self.with_parameters(adjacency="replace_one")

    def _mechanism_counts(self) -> Mapping[TradeoffFunction, int]:
        adjacency, rate, noise = self.adjacency, self.sampling_rate, self.noise_multiplier
        mu = SHIFTS[adjacency] / noise
        has_fixed_size = rate == 1 or self.sampling in ("fixed_size", "shuffled")
        is_size_public = adjacency == "replace_one" and has_fixed_size
        if self.averaging == "sampled" and not is_size_public and noise < np.inf:
            return {PureDP(epsilon=np.inf, adjacency=adjacency): 1}
        if rate == 1 or np.isinf(noise):  # a Gaussian mechanism of all steps together
            return {GaussianDP(mu=mu * float(np.sqrt(self.steps)), adjacency=adjacency): 1}
        if self.sampling == "shuffled":
            # A record is in at most one step of an epoch, which has a step for each batch it fills,
            # and perhaps one for the rest. So all steps are in at most this number of epochs.
            epochs = -(-self.steps // batches_per_epoch(rate))
            return {GaussianDP(mu=mu * float(np.sqrt(epochs)), adjacency=adjacency): 1}
        if self.sampling == "random_allocation":
            if adjacency == "add_remove":
                return allocated(mu, self._participations, self.steps)
            added = self.with_parameters(adjacency="add_remove")
            return {group_privacy(added.curve.with_parameters(adjacency=adjacency), size=2): 1}
        if adjacency == "replace_one" and self.sampling == "poisson":
            return {PoissonReplaceOne(mu=1 / noise, sampling_rate=rate): self.steps}
        base = GaussianDP(mu=mu, adjacency=adjacency)
        kind = Subsampled if self.sampling == "fixed_size" else OneWaySubsampled
        return {kind(base=base, sampling_rate=rate, adjacency=adjacency): self.steps}

    def _make_curve(self) -> TradeoffFunction:
        counts = self._mechanism_counts()
        if sum(counts.values()) > 1:
            return compose(counts, either_order=True)
        (curve,) = counts
        return curve.min_symmetrized()


def batches_per_epoch(rate: float) -> int:
    """Return how many batches with this share of all records a shuffled epoch fills."""
    return int(1 / rate * (1 + 1e-9))  # against rounding of 1 / rate


# One step of the Gaussian mechanism on a Poisson sample, when a record is replaced.

LARGE_ARGUMENT = 30.0  # from this x on, sinh x and asinh x are e^x / 2 and log 2x as floats


@dataclass(frozen=True, repr=False)
class PoissonReplaceOne(TradeoffFunction):
    """A DP-SGD step with Poisson sampling under replace-one adjacency."""

    # T((1 - p) N(0, 1) + p N(-mu, 1), (1 - p) N(0, 1) + p N(mu, 1)): in the worst case the two
    # records have opposite gradients. This pair dominates all, also when composed (Schuchardt,
    # Stoian, Kosmala and Günnemann, "Unified Mechanism-Specific Amplification by Subsampling and
    # Group Privacy Amplification", 2024). On samples of a fixed size: Lebeda, Regehr, Kamath and
    # Steinke, "Avoiding Pitfalls for Privacy Accounting of Subsampled Mechanisms under
    # Composition", 2024.
    #
    # The best test compares the output with a threshold t, because the privacy loss
    # ``L(t) = log (1 - p + p e^(mu t - mu^2 / 2)) / (1 - p + p e^(-mu t - mu^2 / 2))`` increases.
    # L is an odd function of t, so the pair is symmetric.

    mu: float  # in (0, inf): what one record can add, divided by the noise
    sampling_rate: float  # p, in (0, 1]
    _: KW_ONLY
    adjacency: Literal["replace_one"] = "replace_one"
    _largest_group = 10  # `_tpr` is a search

    def __post_init__(self) -> None:
        mu = checks.positive("mu", self.mu)
        rate = checks.real("sampling_rate", self.sampling_rate, 0, 1, closed="right")
        self._set_fields(mu=mu, sampling_rate=rate)
        checks.choice("adjacency", self.adjacency, ("replace_one",))

    def _fpr_and_tpr(self, threshold: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return FPR and TPR of the test "member if the output is at least the threshold"."""
        rate = self.sampling_rate
        unsampled = (1 - rate) * ndtr(-threshold)
        sampled = ndtr(-threshold - self.mu), ndtr(self.mu - threshold)
        return unsampled + rate * sampled[0], unsampled + rate * sampled[1]

    def _threshold_of_fpr(self, fpr: FloatArray) -> FloatArray:
        high = -ndtri(fpr)  # the threshold if nobody were sampled
        low = high - self.mu  # if everybody were
        _, high = bisection(lambda t: ~(self._fpr_and_tpr(t)[0] > fpr), low, high, halvings=60)
        return high

    def _threshold_of_loss(self, loss: FloatArray) -> FloatArray:
        """Return the output t at which the privacy loss L(t) is `loss`."""
        # ``mu t = loss / 2 + asinh(c sinh(loss / 2))`` with ``c = (1 - p) / (p e^(-mu^2 / 2))``.
        half, most = np.abs(loss) / 2, LARGE_ARGUMENT
        with np.errstate(divide="ignore"):
            log_c = np.log1p(-self.sampling_rate) - np.log(self.sampling_rate) + self.mu**2 / 2
            log_sinh = np.log(np.sinh(np.minimum(half, most)))
        log_argument = log_c + np.where(half < most, log_sinh, half - np.log(2))
        moved = np.arcsinh(np.exp(np.minimum(log_argument, most)))
        moved = np.where(log_argument < most, moved, log_argument + np.log(2))
        return np.asarray(np.copysign((half + moved) / self.mu, loss))

    def _loss_of_output(self, output: FloatArray) -> FloatArray:
        rate, shift, half = self.sampling_rate, self.mu * output, self.mu**2 / 2
        with np.errstate(divide="ignore"):
            unsampled, sampled = np.log1p(-rate), np.log(rate)
        above = np.logaddexp(unsampled, sampled + shift - half)
        return np.asarray(above - np.logaddexp(unsampled, sampled - shift - half))

    def _beta(self, alpha: FloatArray) -> FloatArray:
        rate, at = self.sampling_rate, self._threshold_of_fpr(alpha)
        return np.asarray((1 - rate) * ndtr(at) + rate * ndtr(at - self.mu))

    def _tpr(self, fpr: FloatArray) -> FloatArray:
        return self._fpr_and_tpr(self._threshold_of_fpr(fpr))[1]

    def _delta(self, epsilon: FloatArray) -> FloatArray:
        fpr, tpr = self._fpr_and_tpr(self._threshold_of_loss(epsilon))
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            allowed = np.where(fpr > 0, np.exp(np.minimum(epsilon + np.log(fpr), 1.0)), 0.0)
        return np.clip(tpr - allowed, 0.0, 1.0)

    def _loss_supremum(self) -> float:
        return np.inf

    def _fpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        return self._fpr_and_tpr(self._threshold_of_loss(epsilon))[0]

    def _tpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        return self._fpr_and_tpr(self._threshold_of_loss(epsilon))[1]

    def _loss_at(self, fpr: FloatArray) -> FloatArray:
        return self._loss_of_output(self._threshold_of_fpr(fpr))
