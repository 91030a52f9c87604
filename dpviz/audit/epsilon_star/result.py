"""The result of an Epsilon* estimate: the maxima of its four ratios."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dpviz import checks
from dpviz.checks import FloatArray

Method = Literal["empirical", "normal", "mixture"]
METHODS = ("empirical", "normal", "mixture")
Clip = float | Literal["paper"] | None
EMPIRICAL_PAPER_CLIP = 1e-3  # for the fitted forms it is delta


@dataclass(frozen=True, kw_only=True)
class RatioMaximum:
    """The maximum of one of m1..m4: log ratio, rates and threshold.

    `threshold` is on the original scale (a loss where losses were given); -inf or inf where the
    maximum is a limit in a tail, nan where there is none. `gap` is an upper bound of the true
    maximum less `log_ratio`: 0 where the search is exact.
    """

    log_ratio: float
    fpr: float
    fnr: float
    threshold: float
    gap: float = 0.0


@dataclass(frozen=True, kw_only=True)
class RatioSuprema:
    """The four maxima over the thresholds that survive the clip, and the value of Epsilon*."""

    maxima: tuple[RatioMaximum, ...]  # of m1..m4
    delta: float
    clip: float | None  # thresholds with FPR or FNR outside (clip, 1 - clip) are left out
    reason: str  # why the value is inf, nan or not certain; empty otherwise

    @property
    def log_ratios(self) -> FloatArray:
        """Logs of the largest m1..m4, shape (4,)."""
        return np.array([maximum.log_ratio for maximum in self.maxima])

    @property
    def value(self) -> float:
        """max(0, largest log ratio); nan when the clip leaves no threshold."""
        return float("nan") if self.is_empty else max(0.0, float(self.log_ratios.max()))

    @property
    def gap(self) -> float:
        """Upper bound of the true value less this one: 0 where the search is exact."""
        if self.is_empty or self.value == np.inf:
            return 0.0
        return max(0.0, max(m.log_ratio + m.gap for m in self.maxima) - self.value)

    @property
    def places(self) -> tuple[tuple[float, float], ...]:
        """(FPR, FNR) of the maxima; none when the clip leaves no threshold."""
        return () if self.is_empty else tuple((m.fpr, m.fnr) for m in self.maxima)

    @property
    def is_empty(self) -> bool:
        """True when no threshold survives the clip."""
        return all(np.isnan(maximum.fpr) for maximum in self.maxima)

    @property
    def cap(self) -> float:
        """The largest possible value under the clip; inf without a clip."""
        if not self.clip:
            return np.inf
        return float(np.log(max(1.0, (1 - self.clip - self.delta) / self.clip)))

    @property
    def active(self) -> int:
        """The index (0..3) of the ratio m1..m4 that gives the value; 0 when that is nan."""
        return 0 if self.is_empty else int(np.argmax(self.log_ratios))

    @property
    def is_member_like(self) -> bool:
        """Whether the active ratio is about the tail that a threshold attack flags as members.

        m1 and m4 compare shares of the losses below a threshold, m2 and m3 of those above it.
        """
        return self.active in (0, 3)

    @property
    def is_against_attack(self) -> bool:
        """Whether the active ratio (m3, m4) has members where the attack flags nobody."""
        return self.active in (2, 3)


@dataclass(frozen=True, kw_only=True)
class Extrapolation:
    """The place of a fit's maximum relative to the data it was fitted to."""

    place: float  # the threshold on the transformed losses
    z_member: float  # its distance from the mean of the class, in standard deviations
    z_nonmember: float
    records: float  # expected beyond it, in the class and the tail with the fewest
    is_outside: bool  # whether it is outside the pooled range of the data

    @property
    def is_beyond_data(self) -> bool:
        """True when the fit expects less than one record there, or the data end before."""
        return self.records < 1 or self.is_outside


@dataclass(frozen=True, kw_only=True, repr=False)
class EpsilonStar:
    """An estimate of Epsilon* of one trained model instance, not a bound.

    Parameters
    ----------
    suprema, unclipped : RatioSuprema, the value at the chosen clip, and the same without a clip
    method : {"empirical", "normal", "mixture"}
    n_members, n_nonmembers : int
    extrapolation : Extrapolation or None
        Where the maximum of a fit lies; None where nothing was fitted or nothing exceeds 0.
    standard_error : float or None
        By the delta method (see `LawRatios.standard_error`); None where it does not apply.
    notes : tuple of str, remarks, such as a fit that was not possible

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> star = audit.epsilon_star(AttackScores(member=[1, 2, 3], nonmember=[0, 1, 2]), delta=0.1)
    >>> round(star.value, 3), star.active, star.suprema.clip
    (0.531, 'm1', 0.001)
    """

    suprema: RatioSuprema
    unclipped: RatioSuprema
    method: Method
    n_members: int
    n_nonmembers: int
    extrapolation: Extrapolation | None = None
    standard_error: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def value(self) -> float:
        """The estimate at the chosen clip: nan or inf come with `reason`."""
        return self.suprema.value

    @property
    def log_ratios(self) -> FloatArray:
        """Logs of the largest m1..m4 at the chosen clip, shape (4,)."""
        return self.suprema.log_ratios

    @property
    def reason(self) -> str:
        """Why the value is inf, nan or not certain; empty otherwise."""
        return self.suprema.reason

    @property
    def active(self) -> str | None:
        """The ratio that gives the value, "m1".."m4"; None where none exceeds 1."""
        return f"m{self.suprema.active + 1}" if self.value > 0 else None

    @property
    def beyond_data(self) -> bool:
        """True when the maximum rests on a fitted tail alone."""
        return self.extrapolation is not None and self.extrapolation.is_beyond_data

    def __repr__(self) -> str:
        return (
            f"EpsilonStar(estimate={self.value:.6g}, clip={self.suprema.clip}, "
            f"cap={self.suprema.cap:.6g}, unclipped={self.unclipped.value:.6g}, "
            f"delta={self.suprema.delta:g}, method={self.method!r}, active={self.active!r}, "
            f"n_members={self.n_members}, n_nonmembers={self.n_nonmembers})"
        )


def resolved_clip(clip: Clip, *, method: Method, delta: float) -> float | None:
    """The number (or None) that a `clip` argument stands for."""
    if clip is None:
        return None
    if clip == "paper":
        return EMPIRICAL_PAPER_CLIP if method == "empirical" else delta
    if isinstance(clip, str):
        raise checks.fail("clip", "a number in [0, 0.5), None or 'paper'", clip)
    return checks.real("clip", clip, 0, 0.5, closed="left")
