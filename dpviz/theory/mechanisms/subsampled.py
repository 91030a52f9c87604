"""Subsampling: a mechanism on a random sample of the records."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any, Self

import numpy as np
from scipy.special import betaln, expit, logsumexp, xlog1py

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory import profile, tradeoff
from dpviz.theory.atoms import Atoms
from dpviz.theory.derived import min_symmetrized
from dpviz.theory.mechanisms.renyi import softplus
from dpviz.theory.privacy_loss import PrivacyLoss
from dpviz.theory.tradeoff import Adjacency, Breaks, LossFunction, TradeoffFunction

MOST_SUMMED = 1024  # largest order of binomial sums; at larger orders the base's bound is used


@dataclass(frozen=True, repr=False)
class _SampledMechanism(TradeoffFunction):
    """The mechanism `base` on a sample that contains a record with chance `sampling_rate`."""

    base: TradeoffFunction
    sampling_rate: float  # in (0, 1]
    _: KW_ONLY
    adjacency: Adjacency = "replace_one"

    def __post_init__(self) -> None:
        rate = checks.real("sampling_rate", self.sampling_rate, 0, 1, closed="right")
        self._set_fields(sampling_rate=rate)
        if tradeoff.checked_tradeoff("base", self.base).adjacency != self.adjacency:
            raise checks.fail("base", f"a guarantee for {self.adjacency} adjacency", self.base)

    error = property(attrgetter("base.error"))

    def with_parameters(self, **changes: Any) -> Self:
        """Return a copy with the parameters `changes`; its base has the adjacency of the copy."""
        base = tradeoff.checked_tradeoff("base", changes.pop("base", self.base))
        base = base.with_parameters(adjacency=changes.get("adjacency", self.adjacency))
        return super().with_parameters(base=base, **changes)

    def _loss_before_sampling(self, epsilon: FloatArray) -> FloatArray:
        """Return the base's loss that sampling turns into `epsilon`; -inf if there is none."""
        rate = self.sampling_rate
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            small = np.log1p(np.maximum(np.expm1(epsilon) / rate, -1.0))
            without = (1 - rate) * np.exp(np.minimum(-epsilon, 700.0))
            far = epsilon - np.log(rate) + np.log1p(np.maximum(-without, -1.0))
        return np.where((epsilon > -1) & (epsilon < 30), small, far)

    def _epsilon(self, delta: FloatArray) -> FloatArray:
        whole = np.minimum(delta / self.sampling_rate, 1.0)
        return np.maximum(0.0, self._loss_after_sampling(self.base._epsilon(whole)))

    def _loss_after_sampling(self, loss: FloatArray) -> FloatArray:
        """Return ``log(1 - p + p e^loss)``, the privacy loss after sampling at rate p."""
        rate = self.sampling_rate
        with np.errstate(divide="ignore", over="ignore"):
            small = np.log1p(rate * np.expm1(np.minimum(loss, 1.0)))
            far = np.logaddexp(loss + np.log(rate), np.log1p(-rate))
        return np.where(np.abs(loss) < 1, small, far)


@dataclass(frozen=True, repr=False)
class OneWaySubsampled(_SampledMechanism):
    """The trade-off function of P and a mixture of P and Q.

    For a base T(P, Q) and a sampling rate p, this is T(P, (1 - p) P + p Q).
    ``f_p(a) = p f(a) + (1 - p) (1 - a)`` is exact for Poisson sampling in one order: P is without
    the record. For both orders `min_symmetrized` is the guarantee, :class:`Subsampled`.

    Examples
    --------
    >>> from dpviz.theory import GaussianDP, OneWaySubsampled
    >>> OneWaySubsampled(base=GaussianDP(mu=1.0), sampling_rate=0.1).is_symmetric
    False
    """

    @property
    def is_symmetric(self) -> bool:
        """Whether the curve stays the same if the two data sets exchange their roles."""
        return self.sampling_rate == 1 and self.base.is_symmetric

    kinks = property(attrgetter("base.kinks"))

    def atoms(self) -> Atoms | None:
        """Return the values of the privacy loss after sampling, with their masses.

        The result is None if the loss of the base has infinitely many values.
        """
        atoms = self.base.atoms()
        if atoms is None:
            return None
        mixed = (1 - self.sampling_rate) * atoms.p + self.sampling_rate * atoms.q
        return Atoms.of(atoms.p, mixed, self._loss_after_sampling(atoms.loss))

    def min_symmetrized(self) -> TradeoffFunction:
        """Return one guarantee for (P, Q) and (Q, P): `Subsampled` if the base is symmetric."""
        if not self.base.is_symmetric:
            return super().min_symmetrized()
        return Subsampled(**self.parameters, adjacency=self.adjacency)

    def _beta(self, alpha: FloatArray) -> FloatArray:
        rate = self.sampling_rate
        return rate * self.base._beta(alpha) + (1 - rate) * (1 - alpha)

    def _tpr(self, fpr: FloatArray) -> FloatArray:
        return self.sampling_rate * self.base._tpr(fpr) + (1 - self.sampling_rate) * fpr

    def _delta(self, epsilon: FloatArray) -> FloatArray:
        loss = self._loss_before_sampling(epsilon)
        inside = self.sampling_rate * self.base._delta(loss)
        return np.where(np.isneginf(loss), -np.expm1(np.minimum(epsilon, 0.0)), inside)

    def _delta_of_inverse(self, epsilon: FloatArray) -> FloatArray:
        loss = self._loss_before_sampling(-epsilon)
        with np.errstate(invalid="ignore"):
            scale = np.exp(np.minimum(epsilon + loss, 0.0))
            above = self.sampling_rate * scale * self.base._delta_of_inverse(-loss)
        below = 1 - np.exp(np.minimum(epsilon, 0.0)) * (1 - self._delta(-epsilon))
        return np.where(epsilon < 0, below, np.where(np.isneginf(loss), 0.0, above))

    def _loss_supremum(self) -> float:
        return float(self._loss_after_sampling(np.array(self.base._loss_supremum())))

    def _loss_infimum(self) -> float:
        return float(self._loss_after_sampling(np.array(self.base._loss_infimum())))

    def _renyi_bounds(self, orders: FloatArray) -> FloatArray:
        if self.atoms() is not None or not self.base.is_symmetric:
            return super()._renyi_bounds(orders)
        # Exact at whole orders. The log moment is convex in the order, so below the chord between
        # whole orders; at order 1 it is 0.
        at = np.minimum(orders, MOST_SUMMED)
        whole = np.unique(np.concatenate([np.floor(at.ravel()), np.ceil(at.ravel()), [2]]))
        logs = [self._log_ratio_moment(int(order)) for order in whole]
        chord = np.interp(at, np.append(1.0, whole), np.append(0.0, logs))
        sampled = np.where(at > 1, chord / np.maximum(at - 1, 1e-300), self._log_ratio_moment(2))
        of_base = self.base._renyi_bounds(orders)  # sampling only brings the distributions nearer
        return np.where(orders <= MOST_SUMMED, np.minimum(sampled, of_base), of_base)

    def _log_ratio_moment(self, order: int) -> float:
        """Return ``log E_P[(dQ/dP)^order]`` for an integer `order`: a sum of the base's moments."""
        # Mironov, Talwar and Zhang (arXiv 1908.10530), section 3.3. By their theorem 5 the moment
        # of the other order is smaller if the base is symmetric.
        k = np.arange(2, order + 1)
        log_weights = -np.log(order + 1) - betaln(order - k + 1, k + 1)
        log_weights += k * np.log(self.sampling_rate) + xlog1py(order - k, -self.sampling_rate)
        grown = (k - 1) * self.base._renyi_bounds(k.astype(np.float64))
        with np.errstate(divide="ignore"):  # moments minus 1: the weights sum to 1
            log_excess = logsumexp(log_weights + grown + np.log(-np.expm1(-grown)))
        return float(softplus(np.asarray(log_excess)))

    def _smallest_rho(self) -> float:
        return min(super()._smallest_rho(), self.base._smallest_rho())

    def _fpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        loss = self._loss_before_sampling(epsilon)
        return np.where(np.isneginf(loss), 1.0, self.base._fpr_of_loss(loss))

    def _expectation(self, function: LossFunction, *, member: bool, breaks: Breaks) -> float:
        base = PrivacyLoss(self.base)
        # The function of the loss after sampling has its corners elsewhere.
        at = self._loss_before_sampling(np.array(breaks, dtype=np.float64))
        corners = tuple(at[np.isfinite(at)].tolist())

        def function_of_base_loss(losses: FloatArray) -> FloatArray:
            return function(self._loss_after_sampling(losses))

        without = base.expectation(function_of_base_loss, member=False, breaks=corners)
        if not member:
            return without
        within = base.expectation(function_of_base_loss, member=True, breaks=corners)
        return (1 - self.sampling_rate) * without + self.sampling_rate * within

    def _tpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        loss, rate = self._loss_before_sampling(epsilon), self.sampling_rate
        mixed = rate * self.base._tpr_of_loss(loss) + (1 - rate) * self.base._fpr_of_loss(loss)
        return np.where(np.isneginf(loss), 1.0, mixed)

    def _loss_at(self, fpr: FloatArray) -> FloatArray:
        return self._loss_after_sampling(self.base._loss_at(fpr))


@dataclass(frozen=True, repr=False)
class Subsampled(_SampledMechanism):
    """The guarantee of a mechanism on a random sample of the records.

    The base f must be symmetric. The guarantee ``C_p(f)`` at the sampling rate p holds for (P, Q)
    and (Q, P). ``C_p(f)`` is the convexified ``min(f_p, f_p^-1)`` with ``f_p = p f + (1 - p) Id``
    (Dong, Roth and Su, definition 4.1), for uniform sampling without replacement under replace_one
    and for Poisson sampling under add_remove. If the base is (epsilon, delta)-DP, ``C_p(f)`` is
    ``(log(1 + p (e^epsilon - 1)), p delta)``-DP.

    Examples
    --------
    >>> from dpviz.theory import PureDP, Subsampled
    >>> round(Subsampled(base=PureDP(epsilon=1.0), sampling_rate=0.1).epsilon(0.0), 4)
    0.1586
    """

    _largest_group = 10  # `_tpr` is a search

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.base.is_symmetric:
            raise checks.fail("base", "symmetric, such as base.min_symmetrized()", self.base)

    @cached_property
    def _one_way(self) -> OneWaySubsampled:
        """The guarantee of the order (P, Q), with the same curve where the slope is below -1."""
        base, rate = self.base, self.sampling_rate
        while isinstance(base, Subsampled):  # nested sampling rates multiply
            rate, base = rate * base.sampling_rate, base.base
        return OneWaySubsampled(base=base, sampling_rate=rate, adjacency=self.adjacency)

    @cached_property
    def _fpr_range_of_slope_minus_1(self) -> tuple[float, float]:
        """The FPRs between which the curve has slope -1."""
        base, rate = self._one_way.base, self._one_way.sampling_rate
        start = base.fpr_of_loss(0.0)
        if start > tradeoff.SMALLEST_RATE:
            return start, self._one_way.beta(start)
        # The steep half lies at FPRs below every float.
        missed = 1 - float(base._tpr_of_loss(np.array(0.0)))
        return 0.0, rate * missed + 1 - rate

    @cached_property
    def kinks(self) -> tuple[float, ...]:
        """The FPRs at which the curve has a corner.

        These are both ends of the segment of slope -1, and the corners on both sides of this
        segment.
        """
        start, end = self._fpr_range_of_slope_minus_1
        steep = {x for x in (*self._one_way.kinks, start) if x <= start}
        mirrored = {self._one_way.beta(x) for x in (0.0, *steep)}
        return tuple(sorted(x for x in {*steep, end, *mirrored} if 0 < x < 1))

    def atoms(self) -> Atoms | None:
        return self._cached_atoms

    @cached_property
    def _cached_atoms(self) -> Atoms | None:
        return None if self.base.atoms() is None else min_symmetrized(self._one_way).atoms()

    def _mechanism_counts(self) -> Mapping[TradeoffFunction, int]:
        # With Poisson sampling every step has the same order of the pair. Samples of a fixed size
        # differ in two records, and no single order is the worst one in a composition.
        if self.adjacency != "add_remove":
            return {self: 1}
        return {OneWaySubsampled(**self.parameters, adjacency=self.adjacency): 1}

    def _beta(self, alpha: FloatArray) -> FloatArray:
        start, end = self._fpr_range_of_slope_minus_1
        beta = np.where(alpha <= start, self._one_way._beta(alpha), start + (end - alpha))
        back = alpha > end
        beta[back] = expit(self._log_odds_of_one_way_fpr(1 - alpha[back]))
        return beta

    def _tpr(self, fpr: FloatArray) -> FloatArray:
        start, end = self._fpr_range_of_slope_minus_1
        tpr = np.where(fpr <= start, self._one_way._tpr(fpr), (1 - end) + (fpr - start))
        back = fpr > end
        tpr[back] = expit(-self._log_odds_of_one_way_fpr(1 - fpr[back]))
        return tpr

    def _log_odds_of_one_way_fpr(self, tpr: FloatArray) -> FloatArray:
        """Return the log-odds of the least FPR at which `_one_way` has this TPR; -inf for FPR 0."""
        back = profile.least_log_odds_where(lambda x: self._one_way._tpr(x) >= tpr, tpr.shape)
        return np.where(self._one_way._tpr(np.zeros_like(tpr)) >= tpr, -np.inf, back)

    def _delta(self, epsilon: FloatArray) -> FloatArray:
        size = np.abs(epsilon)
        above = self._one_way._delta(size)
        return np.where(epsilon >= 0, above, -np.expm1(-size) + np.exp(-size) * above)

    def _fpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        return self._rate_of_loss(epsilon, self._one_way._fpr_of_loss, self._one_way._tpr_of_loss)

    def _tpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        return self._rate_of_loss(epsilon, self._one_way._tpr_of_loss, self._one_way._fpr_of_loss)

    def _rate_of_loss(
        self, epsilon: FloatArray, one_way_rate: LossFunction, mirrored_rate: LossFunction
    ) -> FloatArray:
        with np.errstate(over="ignore"):
            # Losses up to 0 are the mirror image: L under Q is -L under P.
            above = mirrored_rate(np.nextafter(np.abs(epsilon), np.inf))
        return np.where(epsilon > 0, one_way_rate(np.maximum(epsilon, 0.0)), 1 - above)

    def _loss_at(self, fpr: FloatArray) -> FloatArray:
        start, end = self._fpr_range_of_slope_minus_1
        back = self._one_way._loss_at(self._beta(fpr))
        steep = self._one_way._loss_at(np.minimum(fpr, start))
        return np.where(fpr < start, steep, np.where(fpr < end, 0.0, -back))
