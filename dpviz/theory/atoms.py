"""Pairs of distributions (P, Q) whose privacy loss takes finitely many values.

The trade-off function is then piecewise linear, with one segment per value l of the loss: length p
along the FPR axis, drop q = e^l p along the FNR axis, steepest first (Neyman-Pearson).
"""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from dpviz import checks
from dpviz.checks import FloatArray, read_only
from dpviz.theory.polyline import thinned_curve
from dpviz.theory.tradeoff import SLACK, TradeoffFunction

LARGEST_TABLE = 4_000_000  # floats: 32 MB
SAME_LOSS_TOLERANCE = 1e-12  # losses this near (relative) are one value: they differ by rounding


@dataclass(frozen=True, eq=False, kw_only=True)
class Atoms:
    """The values of the privacy loss in descending order, with their masses under P and Q."""

    p: FloatArray
    q: FloatArray
    loss: FloatArray  # +inf where p is 0, and -inf where q is 0

    def __post_init__(self) -> None:
        for part in (self.p, self.q, self.loss):
            read_only(part)

    @classmethod
    def of(
        cls, p: FloatArray, q: FloatArray, loss: FloatArray | None = None, merge_gap: float = 0.0
    ) -> "Atoms":
        """Return the atoms with masses `p` and `q`, after equal losses are merged."""
        present = (p > 0) | (q > 0)
        p, q = p[present], q[present]
        with np.errstate(divide="ignore"):
            loss = np.log(q) - np.log(p) if loss is None else loss[present]
        order = np.argsort(-loss, kind="stable")
        p, q, loss = p[order], q[order], loss[order]
        with np.errstate(invalid="ignore", over="ignore"):
            gap = loss[:-1] - loss[1:]  # inf - inf: the same value
        size = np.where(np.isfinite(loss), np.abs(loss), 0.0)
        limit = np.maximum(SAME_LOSS_TOLERANCE * np.maximum(size[:-1], size[1:]), merge_gap)
        starts = np.flatnonzero(np.concatenate([[True], gap > limit]))
        return cls(p=np.add.reduceat(p, starts), q=np.add.reduceat(q, starts), loss=loss[starts])

    @cached_property
    def fpr(self) -> FloatArray:
        """The FPRs at the knots of the trade-off curve, from 0 to 1."""
        return _cumulative_masses(self.p)

    @cached_property
    def tpr(self) -> FloatArray:
        """The TPRs at the knots of the trade-off curve, from 0 to 1."""
        return _cumulative_masses(self.q)

    @cached_property
    def tnr(self) -> FloatArray:
        """The TNRs at the knots of the trade-off curve, accurate also where they are small."""
        return _cumulative_masses(self.p[::-1])[::-1]

    @cached_property
    def fnr(self) -> FloatArray:
        """The FNRs at the knots of the trade-off curve, accurate also where they are small."""
        return _cumulative_masses(self.q[::-1])[::-1]

    @cached_property
    def n_infinite(self) -> int:
        """The number of losses that are +inf: 0 or 1."""
        return int(np.isposinf(self.loss[0]))

    @cached_property
    def knots(self) -> FloatArray:
        """The corners (FPR, FNR) of the trade-off curve, in ascending order of FPR."""
        corners = np.column_stack([self.fpr, self.fnr])
        if not np.isposinf(self.loss[0]):
            return corners
        corners[1, 0] = 0.0  # an output of infinite loss adds no FPR, whatever rounding says
        return corners[1:]

    def swapped(self) -> "Atoms":
        """Return the atoms of the reversed pair (Q, P)."""
        return Atoms(p=self.q[::-1].copy(), q=self.p[::-1].copy(), loss=-self.loss[::-1])

    def composed(self, other: "Atoms") -> "Atoms":
        """Return the atoms of the composition with another pair; losses add and masses multiply."""
        with np.errstate(invalid="ignore"):
            loss = np.add.outer(self.loss, other.loss)  # inf - inf: of no mass, dropped
        p = np.multiply.outer(self.p, other.p)
        q = np.multiply.outer(self.q, other.q)
        largest = max(np.max(np.abs(a.loss[np.isfinite(a.loss)]), initial=0) for a in (self, other))
        return Atoms.of(p.ravel(), q.ravel(), loss.ravel(), merge_gap=1e-14 * float(largest))


def _cumulative_masses(masses: FloatArray) -> FloatArray:
    """Return the cumulative sums of `masses`; the first is exactly 0 and the last exactly 1."""
    sums = np.concatenate([[0.0], np.minimum(np.cumsum(masses), 1.0)])
    sums[-1] = 1.0
    return read_only(sums)


class FinitelyManyLosses(TradeoffFunction):
    """A guarantee whose privacy loss has finitely many values, so that all rates are exact sums."""

    # A field, how many of its entries `repr` lists at most, and what they are called.
    _long_field: ClassVar[tuple[str, int, str]] = "", 0, ""

    @abstractmethod
    def _compute_atoms(self) -> Atoms:
        """Compute the atoms of the privacy loss without the use of a cache."""

    def atoms(self) -> Atoms:
        """Return the values of the privacy loss with their masses under P and Q."""
        return self.cached_atoms

    @cached_property
    def cached_atoms(self) -> Atoms:
        """The atoms of the privacy loss, computed at the first access."""
        return self._compute_atoms()

    @property
    def knots(self) -> FloatArray:
        """The corners of the curve from FPR 0 to 1; shape (k, 2), columns FPR and FNR."""
        return self.atoms().knots

    @property
    def is_symmetric(self) -> bool:
        """Whether the pair (Q, P) has the same losses and masses as (P, Q)."""
        a, b = self.atoms(), self.atoms().swapped()
        return len(a.p) == len(b.p) and np.allclose([a.p, a.q], [b.p, b.q], rtol=1e-12, atol=0)

    @property
    def kinks(self) -> tuple[float, ...]:
        """The FPRs in (0, 1) at which the curve has a corner."""
        return tuple(x for x in self.knots[:, 0].tolist() if 0 < x < 1)

    def draw(self, n: int = 512) -> FloatArray:
        """Return at most `n` of the corners (FPR, FNR) of the curve."""
        return thinned_curve(self.knots, checks.whole("n", n, 2))

    def __repr__(self) -> str:
        field, most, entries = self._long_field
        size = len(getattr(self, field, ()))
        return f"{type(self).__name__}({size} {entries})" if size > most else super().__repr__()

    def _beta(self, alpha: FloatArray) -> FloatArray:
        # From both ends of a segment, without differences of FNRs: small ones keep their digits.
        atoms = self.atoms()
        right = np.clip(np.searchsorted(atoms.fpr, alpha, side="right"), 1, len(atoms.p))
        start, end = atoms.fpr[right - 1], atoms.fpr[right]
        with np.errstate(invalid="ignore", divide="ignore"):
            ahead = np.where(end > start, (end - alpha) / (end - start), 0.0)
            behind = np.where(end > start, (alpha - start) / (end - start), 1.0)
        inside = ahead * atoms.fnr[right - 1] + behind * atoms.fnr[right]
        inside = np.where(alpha == 0, atoms.fnr[atoms.n_infinite], inside)
        return np.minimum(np.where(alpha == 1, 0.0, inside), 1.0)  # sums round up

    def _tpr(self, fpr: FloatArray) -> FloatArray:
        atoms = self.atoms()
        inside = np.interp(fpr, atoms.fpr, atoms.tpr)
        # At FPR 0 only an infinite loss counts, not one so large that its mass under P is 0 too.
        return np.where(fpr == 0, atoms.tpr[atoms.n_infinite], inside)

    def _delta(self, epsilon: FloatArray) -> FloatArray:
        atoms = self.atoms()
        finite = np.isfinite(atoms.loss)
        beyond = atoms.q[np.isposinf(atoms.loss)].sum()
        loss, q = atoms.loss[finite], atoms.q[finite]
        flat = epsilon.ravel()
        total = np.full_like(flat, beyond)
        # delta = E_Q[max(0, 1 - e^(epsilon - loss))], for some epsilons at a time to save memory.
        size = max(1, LARGEST_TABLE // max(1, q.size))
        for rows in (slice(start, start + size) for start in range(0, flat.size, size)):
            gain = -np.expm1(np.minimum(flat[rows, None] - loss, 0.0))
            total[rows] += (gain * q).sum(axis=1)  # `@` rounds differently for each shape
        return np.minimum(total, 1.0).reshape(epsilon.shape)

    def _epsilon(self, delta: FloatArray) -> FloatArray:
        atoms = self.atoms()
        # Logs of the FPR from masses under Q, because those under P may be below every float.
        with np.errstate(divide="ignore", invalid="ignore"):
            log_fpr = np.logaddexp.accumulate(np.log(atoms.q) - atoms.loss)
            log_fpr = np.where(atoms.q > 0, log_fpr, np.log(atoms.fpr[1:]))
            excess = atoms.tpr[1:] - delta[..., None]
            exceeds = excess > SLACK * delta[..., None]
            implied = np.where(exceeds, np.log(excess) - log_fpr, -np.inf)
        implied[delta == 0] = atoms.loss  # exactly, where the ratio would round
        return np.asarray(np.maximum(0.0, implied.max(axis=-1)))

    def _loss_infimum(self) -> float:
        return float(self.atoms().loss[-1])

    def _fpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        atoms = self.atoms()
        return atoms.fpr[np.searchsorted(-atoms.loss, -epsilon, side="right")]

    def _tpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        atoms = self.atoms()
        return atoms.tpr[np.searchsorted(-atoms.loss, -epsilon, side="right")]

    def _loss_at(self, fpr: FloatArray) -> FloatArray:
        atoms = self.atoms()
        right = np.searchsorted(atoms.fpr, fpr, side="right")
        return atoms.loss[np.clip(right, 1, len(atoms.p)) - 1]
