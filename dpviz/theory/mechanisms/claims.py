"""Guarantees as they are usually claimed: (epsilon, delta)-DP, pure epsilon-DP, total variation.

All have the piecewise linear trade-off function of Wasserman and Zhou (2010) and
Kairouz, Oh and Viswanath (2015):
``f(a) = max(0, 1 - delta - e^epsilon a, e^-epsilon (1 - delta - a))``.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.atoms import Atoms, FinitelyManyLosses
from dpviz.theory.outputs import DiscreteOutputs
from dpviz.theory.profile import times_exp
from dpviz.theory.region import PrivacyRegion
from dpviz.theory.tradeoff import Adjacency


@dataclass(frozen=True, init=False, repr=False)
class ApproximateDP(FinitelyManyLosses):
    """The claim that a mechanism is (epsilon, delta)-DP.

    Parameters
    ----------
    epsilon : float, in [0, inf], natural-log units; ``inf`` is "no guarantee" (beta = 0 everywhere)
    delta : float, in [0, 1]; 1 is "no guarantee" too

    Examples
    --------
    >>> from dpviz.theory import ApproximateDP
    >>> round(ApproximateDP(epsilon=1.0, delta=0.05).tpr(0.1), 4)  # 0.05 + e^1 * 0.1
    0.3218
    """

    claimed_epsilon: float
    claimed_delta: float
    adjacency: Adjacency

    def __init__(
        self, epsilon: float, delta: float, *, adjacency: Adjacency = "replace_one"
    ) -> None:
        # `epsilon` and `delta` are methods of every trade-off function, hence the other names.
        epsilon = checks.real("epsilon", epsilon, 0, np.inf)
        delta = checks.real("delta", delta, 0, 1)
        self._set_fields(claimed_epsilon=epsilon, claimed_delta=delta, adjacency=adjacency)

    @property
    def kink(self) -> float:
        """The FPR at the corner of the curve where FPR = FNR.

        The value is ``(1 - delta) / (1 + e^epsilon)``.
        """
        return float((1 - self.claimed_delta) * expit(-self.claimed_epsilon))

    @property
    def kinks(self) -> tuple[float, ...]:
        """The FPRs in (0, 1) at which the curve has a corner.

        The corners are at `kink` and at ``1 - delta``, beyond which the FNR is 0.
        """
        if self.is_vacuous:
            return ()
        return tuple(sorted({x for x in (self.kink, 1 - self.claimed_delta) if 0 < x < 1}))

    def _compute_atoms(self) -> Atoms:
        if self.is_vacuous:
            return Atoms.of(np.array([0.0, 1.0]), np.array([1.0, 0.0]))
        rare, common = self.kink, (1 - self.claimed_delta) * float(expit(self.claimed_epsilon))
        return Atoms.of(
            np.array([0.0, rare, common, self.claimed_delta]),
            np.array([self.claimed_delta, common, rare, 0.0]),
            np.array([np.inf, self.claimed_epsilon, -self.claimed_epsilon, -np.inf]),
        )

    is_symmetric = True

    @property
    def is_vacuous(self) -> bool:
        """Whether the claim allows every attack.

        This is so if epsilon is inf or delta is 1.
        """
        return bool(np.isinf(self.claimed_epsilon)) or self.claimed_delta == 1.0

    def outputs(self) -> DiscreteOutputs:
        """Return outputs that reveal the truth with probability delta, else randomized response."""
        if self.is_vacuous:
            return DiscreteOutputs.without_noise()
        epsilon, delta = self.claimed_epsilon, self.claimed_delta
        common, rare = (1 - delta) * expit(epsilon), (1 - delta) * expit(-epsilon)
        labels: tuple[str, ...] = ("proof: out", "“out”", "“in”", "proof: in")
        p, q = np.array([delta, common, rare, 0.0]), np.array([0.0, rare, common, delta])
        loss = np.array([-np.inf, -epsilon, epsilon, np.inf])
        bars = slice(None) if delta > 0 else slice(1, 3)
        return DiscreteOutputs.of("answer", labels[bars], p[bars], q[bars], loss=loss[bars])

    def admits(self, *, fpr: float, fnr: float) -> bool:
        """Return whether the point (FPR, FNR) lies in the claim's :class:`PrivacyRegion`."""
        region = PrivacyRegion(epsilon=self.claimed_epsilon, delta=self.claimed_delta)
        return bool(region.contains(fpr=fpr, fnr=fnr))

    def _replace_one_guarantee(self) -> ApproximateDP:
        delta = self.claimed_delta  # two records: (2 eps, (1 + e^eps) delta)
        if delta > 0:
            # In logarithms, since e^epsilon may overflow where delta is tiny.
            log_delta = np.log(delta) + np.logaddexp(0, self.claimed_epsilon)
            delta = float(np.exp(min(0.0, log_delta)))
        changes = {"epsilon": 2 * self.claimed_epsilon, "delta": delta}
        changes = {name: changes[name] for name in self.parameters}  # pure DP has no delta
        return self.with_parameters(adjacency="replace_one", **changes)

    def _beta(self, alpha: FloatArray) -> FloatArray:
        if self.is_vacuous:
            return np.zeros_like(alpha)
        flat = 1 - self.claimed_delta
        steep = flat - times_exp(self.claimed_epsilon, alpha)
        shallow = np.exp(-self.claimed_epsilon) * (flat - alpha)
        # Above the kink the steep line is the lower one, but rounds worse.
        lower = np.where((alpha < self.kink) | (alpha == 0), np.maximum(steep, shallow), shallow)
        return cast(FloatArray, np.maximum(lower, 0.0))

    def _advantage(self, fpr: FloatArray) -> FloatArray:
        if self.is_vacuous:
            return 1 - fpr
        # e^epsilon - 1 = e^epsilon (1 - e^-epsilon): exact for small epsilon, finite for large.
        gain = -np.expm1(-self.claimed_epsilon)
        below_kink = self.claimed_delta + gain * times_exp(self.claimed_epsilon, fpr)
        above_kink = (1 - fpr) * gain + np.exp(-self.claimed_epsilon) * self.claimed_delta
        inside = np.where(fpr <= self.kink, below_kink, above_kink)
        return np.where(fpr >= 1 - self.claimed_delta, 1 - fpr, inside)

    def _delta(self, epsilon: FloatArray) -> FloatArray:
        if self.is_vacuous:
            return np.ones_like(epsilon)
        # 1 - f(x) - e^epsilon x is largest at one of three corners, never only at (1, 0).
        e, d = self.claimed_epsilon, self.claimed_delta
        at_diagonal = -expit(e) * np.expm1(np.minimum(epsilon - e, 0.0))
        at_axis = -np.expm1(np.minimum(epsilon, 0.0))
        return d + (1 - d) * np.maximum(at_diagonal, at_axis)

    def _epsilon(self, delta: FloatArray) -> FloatArray:
        if self.is_vacuous:
            return np.where(delta == 1.0, 0.0, np.inf)
        e, d = self.claimed_epsilon, self.claimed_delta
        excess = (delta - d) / ((1 - d) * expit(e))
        inner = e + np.log1p(-np.clip(excess, 0.0, 1 - 1e-16))
        return np.where(excess < 0, np.inf, np.where(excess >= 1, 0.0, np.maximum(0.0, inner)))


@dataclass(frozen=True, init=False, repr=False)
class PureDP(ApproximateDP):
    """The pure epsilon-DP claim: :class:`ApproximateDP` with delta = 0.

    Parameters
    ----------
    epsilon : float, in [0, inf]

    Examples
    --------
    >>> from dpviz.theory import PureDP
    >>> round(PureDP(epsilon=1.0).tpr(0.1), 4)  # e^1 * 0.1
    0.2718
    """

    def __init__(self, epsilon: float, *, adjacency: Adjacency = "replace_one") -> None:
        super().__init__(epsilon=epsilon, delta=0.0, adjacency=adjacency)


@dataclass(frozen=True, init=False, repr=False)
class TotalVariation(ApproximateDP):
    """The claim (0, delta)-DP: no attacker's advantage TPR - FPR exceeds delta.

    Parameters
    ----------
    delta : float, in [0, 1]

    Examples
    --------
    >>> from dpviz.theory import TotalVariation
    >>> TotalVariation(delta=0.1).advantage(0.3)
    0.1
    """

    def __init__(self, delta: float, *, adjacency: Adjacency = "replace_one") -> None:
        super().__init__(epsilon=0.0, delta=delta, adjacency=adjacency)

    def _replace_one_guarantee(self) -> TotalVariation:
        return TotalVariation(delta=min(1.0, 2 * self.claimed_delta))


# Several (epsilon, delta) statements about one mechanism, or points of its privacy profile.


@dataclass(frozen=True, init=False, repr=False)
class Stated(FinitelyManyLosses):
    """The guarantee that several (epsilon, delta) statements give together.

    Its curve is the largest of their curves (Dong, Roth and Su, 2022, proposition 2.12).

    Parameters
    ----------
    statements : array, shape (k, 2); rows epsilon, in [0, inf], and delta, in [0, 1]
    error : float, in [0, 1], bound in FNR on how far this curve is below the exact one, if any

    Examples
    --------
    >>> from dpviz.theory import Stated
    >>> claim = Stated([(1.0, 1e-5), (0.5, 0.01)])
    >>> round(claim.tpr(0.001), 5), round(claim.tpr(0.1), 5)  # by one statement each
    (0.00273, 0.17487)
    """

    statements: tuple[tuple[float, float], ...]
    adjacency: Adjacency
    stated_error: float
    _long_field = "statements", 4, "statements"

    def __init__(
        self, statements: ArrayLike, *, adjacency: Adjacency = "replace_one", error: float = 0.0
    ) -> None:
        table = checks.numeric("statements", statements)
        if table.ndim != 2 or table.shape[1] != 2 or not len(table):
            raise checks.fail("statements", "of shape (k, 2), pairs (epsilon, delta)", table.shape)
        epsilon = checks.reals("epsilon of a statement", table[:, 0], 0, float("inf"))
        delta = checks.reals("delta of a statement", table[:, 1], 0, 1)
        rows = tuple(zip(epsilon.tolist(), delta.tolist(), strict=True))
        error = checks.real("error", error, 0, 1)
        self._set_fields(statements=rows, adjacency=adjacency, stated_error=error)

    is_symmetric = True

    error = property(attrgetter("stated_error"))

    def _compute_atoms(self) -> Atoms:
        return pair_attaining_statements(*checks.numeric("statements", self.statements).T)


NO_PRIVACY = Atoms.of(np.array([0.0, 1.0]), np.array([1.0, 0.0]))
PARALLEL = 1e-14  # relative difference of two epsilons that is rounding


def pair_attaining_statements(epsilon: FloatArray, delta: FloatArray) -> Atoms:
    """Return losses and masses of a pair (P, Q) with the largest TPRs that statements allow."""
    is_line = np.isfinite(epsilon) & (delta < 1)
    if not is_line.any():
        return NO_PRIVACY
    # Lines less steep than the lowest line at the diagonal FPR = FNR matter only beyond it.
    at_diagonal = np.where(is_line, (1 - delta) * expit(-epsilon), -1.0)
    last = int(np.lexsort((epsilon, -at_diagonal))[0])
    is_steeper = is_line & ((epsilon > epsilon[last]) & (delta < delta[last]))
    order = np.lexsort((delta, -epsilon))
    order = np.append(order[is_steeper[order]], last)
    e, d = _lowest_lines(epsilon[order], delta[order])
    # The corners where neighbouring lines meet, and where the last line meets the diagonal.
    share = -1 / np.expm1(-(e[:-1] - e[1:]))  # of the difference in delta
    corner_tpr = np.append(d[:-1] + np.diff(d) * share, d[-1] + (1 - d[-1]) * expit(e[-1]))
    corner_fpr = np.append(np.diff(d) * np.exp(-e[:-1]) * share, (1 - d[-1]) * expit(-e[-1]))
    # Each line is a value epsilon of the loss; its masses are the differences between its corners.
    p = np.maximum(np.diff(corner_fpr, prepend=0.0), 0.0)
    # The mass under Q is e^epsilon p; where p underflows, the difference of the TPRs.
    q = np.where(p > 1e-290, p * np.exp(np.minimum(e, 709.0)), np.diff(corner_tpr, prepend=d[0]))
    half_p, half_q = np.append(0.0, p), np.append(d[0], np.maximum(q, 0.0))
    loss = np.append(np.inf, e)
    return Atoms.of(
        np.concatenate([half_p, half_q]),
        np.concatenate([half_q, half_p]),
        np.concatenate([loss, -loss]),
    )


def _lowest_lines(epsilon: FloatArray, delta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the lines ``delta + e^epsilon fpr`` that are lowest at some FPR, steepest first."""
    kept: list[tuple[float, float]] = []
    for line in zip(epsilon.tolist(), delta.tolist(), strict=True):
        # Of two lines that are parallel up to rounding, that with the smaller delta is the lowest.
        if kept and line[1] >= kept[-1][1] and kept[-1][0] <= line[0] + PARALLEL * max(1, line[0]):
            continue
        while kept and (kept[-1][1] >= line[1] or _is_last_line_superfluous(kept, line)):
            kept.pop()
        kept.append(line)
    e, d = np.array(kept).T
    return e, d


def _is_last_line_superfluous(kept: list[tuple[float, float]], added: tuple[float, float]) -> bool:
    """Return whether, with the line `added`, the last line of `kept` is nowhere the lowest."""
    if len(kept) < 2:
        return False
    (e0, d0), (e1, d1), (e2, d2) = kept[-2], kept[-1], added
    # The last line meets `added` at an FPR (here times e^e1) before it meets its predecessor.
    ahead = (d2 - d1) / -np.expm1(e2 - e1)
    return bool(ahead <= (d1 - d0) * np.exp(e1 - e0) / -np.expm1(e1 - e0))


def equivalent_statements(f: FinitelyManyLosses) -> FloatArray:
    """Return (epsilon, delta) statements that together are equivalent to a symmetric `f`."""
    loss = f.atoms().loss
    epsilon = loss[np.isfinite(loss) & (loss >= 0)]
    return np.column_stack([epsilon, f.delta(epsilon)])
