"""Distributions on finitely many outputs, drawn as bars of width 1."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from dpviz.checks import FloatArray, read_only
from dpviz.theory.outputs.laws import Decision, OutputLaws, Rule

MOST_BARS = 120  # more outputs than that are not drawn
SAME_SHARE = 1e-12  # shares of a bar nearer than this to 0 or 1 are rounding


@dataclass(frozen=True, kw_only=True, eq=False)
class Bars(OutputLaws):
    """Finitely many outputs, numbered from `first` on; `loss` is log Q/P of each.

    An output without mass under P and Q has the loss of its right neighbour.
    """

    name: str
    labels: tuple[str, ...]
    p: FloatArray
    q: FloatArray
    loss: FloatArray
    first: int = 0

    @classmethod
    def of(
        cls,
        name: str,
        labels: tuple[str, ...],
        p: FloatArray,
        q: FloatArray,
        *,
        loss: FloatArray | None = None,
        first: int = 0,
    ) -> "Bars":
        """The distributions with these masses; losses from them where they are not known better."""
        if loss is None:
            with np.errstate(divide="ignore", invalid="ignore"):
                loss = np.log(q) - np.log(p)
        loss = loss.copy()
        for k in np.flatnonzero((p == 0) & (q == 0) & np.isnan(loss))[::-1]:
            loss[k] = loss[k + 1] if k + 1 < len(loss) else np.inf
        p, q, loss = (read_only(np.array(part, dtype=np.float64)) for part in (p, q, loss))
        return cls(name=name, labels=labels, p=p, q=q, loss=loss, first=first)

    @classmethod
    def without_noise(cls) -> "Bars":
        """Two outputs that reveal membership with certainty."""
        return cls.of("output", ("out", "in"), np.array([1.0, 0.0]), np.array([0.0, 1.0]))

    @cached_property
    def is_monotone(self) -> bool:
        losses = self._ranked
        return bool(np.all(losses[1:] >= losses[:-1]))

    @property
    def span(self) -> tuple[float, float]:
        return float(self.first), float(self.first + len(self.p))

    def cdf(self, x: FloatArray, *, member: bool) -> FloatArray:
        return (1 - self._beyond(x)) @ self._masses(member)

    def survival(self, x: FloatArray, *, member: bool) -> FloatArray:
        return self._beyond(x) @ self._masses(member)

    def log_ratio(self, x: FloatArray) -> FloatArray:
        number = np.floor(x).astype(int) - self.first
        return np.asarray(self.loss[np.clip(number, 0, len(self.loss) - 1)])

    def outline(self, low: float, high: float, *, member: bool) -> FloatArray:
        left = self.first + np.arange(len(self.p), dtype=np.float64)
        ends = np.clip(np.column_stack([left, left + 1]), low, high)
        heights = np.repeat(self._masses(member), 2)
        shown = np.repeat(ends[:, 0] < ends[:, 1], 2)
        return np.asarray(np.column_stack([ends.ravel(), heights])[shown])

    def sample(self, rng: Generator, n: int, *, member: bool) -> FloatArray:
        masses = self._masses(member)
        drawn = rng.choice(len(masses), n, p=masses / masses.sum())
        return (self.first + drawn).astype(np.float64)

    @cached_property
    def _ranked(self) -> FloatArray:
        """Losses rounded to twelve digits, because smaller differences are rounding errors."""
        return np.array([float(f"{loss:.12g}") for loss in self.loss])

    def _masses(self, member: bool) -> FloatArray:
        return self.q if member else self.p

    def _beyond(self, x: FloatArray) -> FloatArray:
        """Share of each bar right of each x."""
        ends = self.first + 1 + np.arange(len(self.p), dtype=np.float64)
        return np.clip(ends - np.asarray(x)[..., None], 0.0, 1.0)

    def _test(self, fpr: float, rule: Rule) -> Decision:
        numbers = np.arange(len(self.p))
        # Among equal losses the larger output first, so that one threshold does where it can.
        order = np.lexsort([-numbers, -self._ranked]) if rule == "best" else numbers[::-1]
        shares = np.empty(len(self.p))
        shares[order] = self._spent(fpr, order)
        fnr = float((1 - shares) @ self.q)
        return Decision(intervals=self._intervals(shares), fpr=fpr, fnr=fnr)

    def _spent(self, fpr: float, order: NDArray[np.intp]) -> FloatArray:
        """How much of each bar is flagged at an FPR, bar by bar in this order."""
        p = self.p[order]
        before = np.concatenate([[0.0], np.cumsum(p)[:-1]])
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            shares = np.clip((fpr - before) / p, 0.0, 1.0)
        # At FPR 0 only proof is free, not a loss so large that its mass under P is 0 too.
        is_proof = np.isposinf(self.loss[order])
        free = np.logical_and.accumulate((p > 0) | (fpr > 0) | is_proof)
        paid = (before <= fpr * (1 + SAME_SHARE)) & free
        shares = np.where((p > 0) & ~is_proof, shares, paid)
        shares[shares < SAME_SHARE] = 0.0
        shares[(shares > 1 - SAME_SHARE) | (fpr == 1)] = 1.0
        return shares

    def _intervals(self, shares: FloatArray) -> tuple[tuple[float, float], ...]:
        """The flagged parts are the right ends of their bars; touching ones are one interval."""
        found: list[tuple[float, float]] = []
        last = self.span[1]
        for k in np.flatnonzero(shares):
            end = float(self.first + k + 1)
            begin = end - float(shares[k])
            if found and found[-1][1] == begin:
                begin = found.pop()[0]
            found.append((begin, end))
        if not found or found[-1][1] < last:
            return tuple(found) or ((last, np.inf),)
        return (*found[:-1], (found[-1][0], np.inf))
