"""Distributions of a mechanism's output, and the tests that tell members from non-members.

The record is no member (P), or it is one (Q). Outputs are real numbers with a density (noise on a
query), or finitely many. Output k then is the bar ``[k, k + 1]``, and a test that decides "member"
at k with probability s flags the share s of this bar. So every test is a set of intervals.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from dpviz import checks
from dpviz.checks import FloatArray, read_only
from dpviz.theory.tradeoff import TradeoffFunction, checked_tradeoff

Rule = Literal["best", "threshold"]
RULES = ("best", "threshold")


@dataclass(frozen=True, kw_only=True)
class MembershipTest:
    """A test that answers "member" for outputs in the disjoint, ascending `intervals`."""

    intervals: tuple[tuple[float, float], ...]
    fpr: float
    fnr: float

    @property
    def threshold(self) -> float | None:
        """The threshold t of a test "member if the output is at least t"; None for other tests."""
        first = self.intervals[0]
        return first[0] if len(self.intervals) == 1 and np.isposinf(first[1]) else None


class OutputLaws(ABC):
    """The distributions of a mechanism's output for a non-member (P) and a member (Q)."""

    name: str

    @property
    @abstractmethod
    def is_monotone(self) -> bool:
        """Whether the loss never falls as the output grows, so that threshold tests are best."""

    @property
    @abstractmethod
    def span(self) -> tuple[float, float]:
        """An interval with nearly all mass of both distributions."""

    @abstractmethod
    def cdf(self, x: FloatArray, *, member: bool) -> FloatArray:
        """Return the probability of an output below each x, under Q if `member`, else under P."""

    @abstractmethod
    def survival(self, x: FloatArray, *, member: bool) -> FloatArray:
        """Return the probability of an output above each x, accurate also where it is small."""

    @abstractmethod
    def log_ratio(self, x: FloatArray) -> FloatArray:
        """Return the privacy loss log dQ/dP at the outputs x."""

    @abstractmethod
    def outline(self, low: float, high: float, *, member: bool) -> FloatArray:
        """Return points (output, density) for a graph of the density from `low` to `high`."""

    @abstractmethod
    def sample(self, rng: Generator, n: int, *, member: bool) -> FloatArray:
        """Draw n random outputs, under Q if `member`, else under P."""

    @abstractmethod
    def _best_test(self, fpr: float, rule: Rule) -> MembershipTest:
        """Return the test of least FNR at this FPR; the arguments are already checked."""

    def at_least(self, threshold: float) -> MembershipTest:
        """Return the test "member if the output is at least `threshold`"."""
        t = checks.real("threshold", threshold)
        fpr = float(self.survival(np.array(t), member=False))
        fnr = float(self.cdf(np.array(t), member=True))
        return MembershipTest(intervals=((t, np.inf),), fpr=fpr, fnr=fnr)

    def test(self, fpr: float, rule: Rule = "best") -> MembershipTest:
        """Return the test of least FNR at this FPR, among the tests that `rule` allows."""
        checks.choice("rule", rule, RULES)
        return self._best_test(checks.real("fpr", fpr, 0, 1), rule)


def output_laws(f: TradeoffFunction) -> OutputLaws | None:
    """Return output distributions whose trade-off function is exactly f.

    The answer is None if f names no mechanism, or one whose outputs are too many or not on a line.

    Parameters
    ----------
    f : TradeoffFunction

    Examples
    --------
    >>> from dpviz.theory import LaplaceMechanism
    >>> from dpviz.theory.outputs import output_laws
    >>> round(output_laws(LaplaceMechanism(epsilon=1.0)).test(fpr=0.1).threshold, 3)
    1.609
    """
    return checked_tradeoff("f", f).outputs()


# Distributions on finitely many outputs, drawn as bars of width 1.

MOST_BARS = 120  # pairs with more outputs have no `DiscreteOutputs`
SAME_SHARE = 1e-12  # shares of a bar nearer than this to 0 or 1 become 0 or 1


@dataclass(frozen=True, kw_only=True, eq=False)
class DiscreteOutputs(OutputLaws):
    """Distributions on finitely many outputs, numbered from `first` and named by `labels`."""

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
    ) -> "DiscreteOutputs":
        """Return the distributions with masses p and q; the default of `loss` is log(q / p)."""
        if loss is None:
            with np.errstate(divide="ignore", invalid="ignore"):
                loss = np.log(q) - np.log(p)
        loss = loss.copy()  # an output without mass has the loss of its right neighbour
        for k in np.flatnonzero((p == 0) & (q == 0) & np.isnan(loss))[::-1]:
            loss[k] = loss[k + 1] if k + 1 < len(loss) else np.inf
        p, q, loss = (read_only(np.array(part, dtype=np.float64)) for part in (p, q, loss))
        return cls(name=name, labels=labels, p=p, q=q, loss=loss, first=first)

    @classmethod
    def without_noise(cls) -> "DiscreteOutputs":
        """Return distributions without noise: the output, "out" or "in", reveals membership."""
        return cls.of("output", ("out", "in"), np.array([1.0, 0.0]), np.array([0.0, 1.0]))

    @cached_property
    def is_monotone(self) -> bool:
        losses = self._rounded_losses
        return bool(np.all(losses[1:] >= losses[:-1]))

    @property
    def span(self) -> tuple[float, float]:
        return float(self.first), float(self.first + len(self.p))

    def cdf(self, x: FloatArray, *, member: bool) -> FloatArray:
        return (1 - self._shares_of_bars_above(x)) @ self._masses(member)

    def survival(self, x: FloatArray, *, member: bool) -> FloatArray:
        return self._shares_of_bars_above(x) @ self._masses(member)

    def log_ratio(self, x: FloatArray) -> FloatArray:
        number = np.floor(x).astype(int) - self.first
        return np.asarray(self.loss[np.clip(number, 0, len(self.loss) - 1)])

    def outline(self, low: float, high: float, *, member: bool) -> FloatArray:
        left = self.first + np.arange(len(self.p), dtype=np.float64)
        ends = np.clip(np.column_stack([left, left + 1]), low, high)
        heights = np.repeat(self._masses(member), 2)
        is_inside = np.repeat(ends[:, 0] < ends[:, 1], 2)
        return np.asarray(np.column_stack([ends.ravel(), heights])[is_inside])

    def sample(self, rng: Generator, n: int, *, member: bool) -> FloatArray:
        masses = self._masses(member)
        bars = rng.choice(len(masses), n, p=masses / masses.sum())
        return (self.first + bars).astype(np.float64)

    @cached_property
    def _rounded_losses(self) -> FloatArray:
        """The losses rounded to twelve digits, so that equal losses compare as equal."""
        return np.array([float(f"{loss:.12g}") for loss in self.loss])

    def _masses(self, member: bool) -> FloatArray:
        return self.q if member else self.p

    def _shares_of_bars_above(self, x: FloatArray) -> FloatArray:
        ends = self.first + 1 + np.arange(len(self.p), dtype=np.float64)
        return np.clip(ends - np.asarray(x)[..., None], 0.0, 1.0)

    def _best_test(self, fpr: float, rule: Rule) -> MembershipTest:
        numbers = np.arange(len(self.p))
        # Among equal losses the larger output first, so that the test has few intervals.
        ranking = np.lexsort([-numbers, -self._rounded_losses]) if rule == "best" else numbers[::-1]
        shares = np.empty(len(self.p))
        shares[ranking] = self._probabilities_of_member_answer(fpr, ranking)
        fnr = float((1 - shares) @ self.q)
        return MembershipTest(intervals=self._member_intervals(shares), fpr=fpr, fnr=fnr)

    def _probabilities_of_member_answer(self, fpr: float, ranking: NDArray[np.intp]) -> FloatArray:
        """Return, for each output, the probability that a test of this FPR answers "member"."""
        p = self.p[ranking]
        before = np.concatenate([[0.0], np.cumsum(p)[:-1]])
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            shares = np.clip((fpr - before) / p, 0.0, 1.0)
        # At FPR 0 only infinite losses are flagged, not those whose mass under P underflows.
        is_proof = np.isposinf(self.loss[ranking])
        is_allowed = np.logical_and.accumulate((p > 0) | (fpr > 0) | is_proof)
        is_whole = (before <= fpr * (1 + SAME_SHARE)) & is_allowed
        shares = np.where((p > 0) & ~is_proof, shares, is_whole)
        shares[shares < SAME_SHARE] = 0.0
        shares[(shares > 1 - SAME_SHARE) | (fpr == 1)] = 1.0
        return shares

    def _member_intervals(self, probabilities: FloatArray) -> tuple[tuple[float, float], ...]:
        """Return intervals: the last `probabilities[k]` of the unit interval of each output k."""
        intervals: list[tuple[float, float]] = []
        last = self.span[1]
        for k in np.flatnonzero(probabilities):
            end = float(self.first + k + 1)
            begin = end - float(probabilities[k])
            if intervals and intervals[-1][1] == begin:
                begin = intervals.pop()[0]
            intervals.append((begin, end))
        # An interval that reaches the end of the last bar ends at inf.
        if not intervals or intervals[-1][1] < last:
            return tuple(intervals) or ((last, np.inf),)
        return (*intervals[:-1], (intervals[-1][0], np.inf))


# Noise on a query as a pair of output distributions.

JUMP_WIDTH = 1e-9  # a jump of a density at x is drawn as a line from x - this to x + this


@dataclass(frozen=True, kw_only=True)
class NoiseDistribution:
    """A noise distribution, symmetric about 0, in units of its scale."""

    density: Callable[[FloatArray], FloatArray]
    cdf: Callable[[FloatArray], FloatArray]
    quantile: Callable[[float], float]
    loss: Callable[[FloatArray, float], FloatArray]  # at outputs, if a record shifts the query
    draw: Callable[[Generator, int], FloatArray]
    reach: float  # the density is drawn from -reach to reach
    corners: tuple[float, ...] = ()  # the places of its jumps and kinks


@dataclass(frozen=True, kw_only=True)
class NoisyQuery(OutputLaws):
    """A query plus noise; the query is 0 without the record and `shift` with the record."""

    name: str
    noise: NoiseDistribution
    shift: float

    is_monotone = True  # for log-concave noise

    @property
    def span(self) -> tuple[float, float]:
        return -self.noise.reach, self.shift + self.noise.reach

    def cdf(self, x: FloatArray, *, member: bool) -> FloatArray:
        return self.noise.cdf(x - self._centre(member))

    def survival(self, x: FloatArray, *, member: bool) -> FloatArray:
        return self.noise.cdf(self._centre(member) - x)

    def log_ratio(self, x: FloatArray) -> FloatArray:
        return self.noise.loss(x, self.shift)

    def outline(self, low: float, high: float, *, member: bool) -> FloatArray:
        """Return points (output, density) from `low` to `high`, also on both sides of each jump."""
        around = np.linspace(-self.noise.reach, self.noise.reach, 201)
        corners = np.array(self.noise.corners)
        around = np.concatenate([around, corners - JUMP_WIDTH, corners + JUMP_WIDTH])
        grid = np.union1d(around, around + self.shift)
        x = np.concatenate([[low], grid[(grid > low) & (grid < high)], [high]])
        return np.column_stack([x, self.noise.density(x - self._centre(member))])

    def sample(self, rng: Generator, n: int, *, member: bool) -> FloatArray:
        return self.noise.draw(rng, n) + self._centre(member)

    def _centre(self, member: bool) -> float:
        return self.shift if member else 0.0

    def _best_test(self, fpr: float, rule: Rule) -> MembershipTest:
        t = -self.noise.quantile(fpr) + 0.0  # no "-0"
        fnr = float(self.noise.cdf(np.array(t - self.shift)))
        return MembershipTest(intervals=((t, np.inf),), fpr=fpr, fnr=fnr)


def noisy_query(name: str, noise: NoiseDistribution, shift: float) -> OutputLaws:
    """Return the output distributions of a noisy query that a record moves by `shift`."""
    if np.isinf(shift):
        return DiscreteOutputs.without_noise()
    return NoisyQuery(name=name, noise=noise, shift=shift)
