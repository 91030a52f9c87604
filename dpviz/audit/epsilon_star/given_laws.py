"""Epsilon* of given laws: exact for Normal laws, certified for mixtures and others."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.audit.law_ratios import LawPair, Supremum
from dpviz.audit.laws import FrozenLaw, Law, Mixture, Normal
from dpviz.audit.normal_ratios import normal_suprema
from dpviz.audit.ratios import (
    RatioMaximum,
    RatioSuprema,
)

UNDEFINED = RatioMaximum(log_ratio=np.nan, fpr=np.nan, fnr=np.nan, threshold=np.nan)


@dataclass(frozen=True, kw_only=True)
class LawRatios(RatioSuprema):
    """The four maxima of two given laws; thresholds are in the unit of the laws.

    Parameters
    ----------
    pair : LawPair
        The laws.
    """

    pair: LawPair = field(compare=False, repr=False)

    def standard_error(self, *, n_nonmembers: int, n_members: int) -> float | None:
        """Standard error of the value, had the laws been fitted to samples of these sizes.

        By the delta method, if both laws are Normal, fitted by maximum likelihood, and the samples
        independent draws from Normal laws. None where it does not apply: other laws, a value of 0,
        or a maximum that is no stationary point of its ratio (at the clip, or a limit). It takes
        the active ratio for the only one: not to be used where another comes near.
        """
        checks.whole("n_nonmembers", n_nonmembers, 1)
        checks.whole("n_members", n_members, 1)
        p, q = self.pair.nonmember, self.pair.member
        if not (isinstance(p, Normal) and isinstance(q, Normal)) or not self.value > 0:
            return None
        x = self.maxima[self.active].threshold
        low, high = surviving_window(self.pair, self.clip)
        if not low < x < high:
            return None
        bottom = (p.log_cdf, q.log_sf, p.log_sf, q.log_cdf)[self.active]
        density = (p, q, p, q)[self.active].log_pdf
        slope = float(np.exp(density(np.array(x)) - bottom(np.array(x))))
        variances = [
            law.sd**2 * (1 + ((x - law.mean) / law.sd) ** 2 / 2) / n
            for law, n in ((p, n_nonmembers), (q, n_members))
        ]
        return slope * float(np.sqrt(sum(variances)))


def epsilon_star_of_normals(
    *,
    nonmember: tuple[float, float],
    member: tuple[float, float],
    delta: float,
    clip: float | None = None,
) -> LawRatios:
    """Epsilon* of two Normal laws of losses, "member" said when ``loss <= threshold``.

    Parameters
    ----------
    nonmember, member : tuple of (mean, sd)
        sd > 0.
    delta : float
        In [0, 1]. At 0, two different laws give inf: their likelihood ratio has no limit.
    clip : float, optional
        In [0, 0.5): only thresholds with FPR and FNR inside [clip, 1 - clip].

    Returns
    -------
    LawRatios
        `.value`, `.log_ratios` and the place of each maximum; exact to about 1e-13.
    """
    laws = []
    for name, law in (("nonmember", nonmember), ("member", member)):
        mean, sd = _parts(name, law, ("mean", "sd"))
        try:
            laws.append(Normal(mean=mean, sd=sd))
        except ValueError as error:
            raise ValueError(f"{name} {error}") from error
    return _of_laws(laws, delta=delta, clip=clip)


def epsilon_star_of_mixtures(
    *, nonmember: Any, member: Any, delta: float, clip: float | None = None
) -> LawRatios:
    """Epsilon* of two mixtures of Normal laws of losses.

    Parameters
    ----------
    nonmember, member : tuple of (weights, means, sds)
        Three arrays of one shape: weights in (0, 1] with sum 1, sds > 0.
    delta, clip
        As in `epsilon_star_of_normals`; at delta 0 the value is finite where the same component
        rules the same tail of both mixtures.

    Returns
    -------
    LawRatios
        Each maximum is polished to about 1e-12 and carries a certified `gap`: no threshold reaches
        more than that above it. It is at most 1e-4 for what fits to data look like; a ratio that
        stays flat over hundreds of e-folds of a tail, with delta below 1e-8, leaves more.
    """
    names = ("weights", "means", "sds")
    laws = [
        Mixture(*_parts(name, law, names))
        for name, law in (("nonmember", nonmember), ("member", member))
    ]
    return _of_laws(laws, delta=delta, clip=clip)


def epsilon_star_of(
    *, nonmember: Any, member: Any, delta: float, clip: float | None = None
) -> LawRatios:
    """Epsilon* of two continuous laws of losses from scipy.stats.

    Parameters
    ----------
    nonmember, member : frozen distribution
        Such as ``scipy.stats.gamma(2, scale=5)``.
    delta, clip
        As in `epsilon_star_of_normals`. At delta 0, without a clip, a ratio that still grows where
        floats end counts as unbounded.

    Returns
    -------
    LawRatios
        As `epsilon_star_of_mixtures`; `gap` is inf where scipy's tails end before the ratio's
        maximum is certain.

    Raises
    ------
    TypeError
        If a law is not such a distribution.
    """
    laws = [FrozenLaw(law) for law in (nonmember, member)]
    return _of_laws(laws, delta=delta, clip=clip)


def ratios_of_laws(pair: LawPair, *, delta: float, clip: float | None) -> LawRatios:
    """The four maxima of two laws over the thresholds that survive the clip."""
    low, high = surviving_window(pair, clip)
    if low > high:
        reason = f"no threshold has both FPR and FNR inside ({clip:g}, {1 - (clip or 0):g})"
        return LawRatios(maxima=(UNDEFINED,) * 4, delta=delta, clip=clip, reason=reason, pair=pair)
    if isinstance(pair.nonmember, Normal) and isinstance(pair.member, Normal):
        found = normal_suprema(pair.nonmember, pair.member, delta=delta, low=low, high=high)
    else:
        found = pair.suprema(delta=delta, low=low, high=high)
    maxima = tuple(
        _maximum(pair, supremum, far_end=end)
        for supremum, end in zip(found, (np.inf, -np.inf, -np.inf, np.inf), strict=True)
    )
    reason = ""
    if any(maximum.log_ratio == np.inf for maximum in maxima):
        if delta > 0:
            reason = "one law has a share above delta where the other has none"
        elif any(maximum.log_ratio == maximum.gap == np.inf for maximum in maxima):
            reason = "at delta = 0 the ratio still grows where floats end: taken as unbounded"
        else:
            reason = "at delta = 0 the ratio of the two laws grows without limit"
    elif any(maximum.gap == np.inf for maximum in maxima):
        reason = "larger ratios are possible in tails that were not searched"
    return LawRatios(maxima=maxima, delta=delta, clip=clip, reason=reason, pair=pair)


def surviving_window(pair: LawPair, clip: float | None) -> tuple[float, float]:
    """Thresholds whose rates under both laws are in [clip, 1 - clip]; low > high when none is."""
    if not clip:
        return -np.inf, np.inf
    if clip > 0.5:  # the paper's clip at a large delta
        return np.inf, -np.inf
    laws, rate = (pair.nonmember, pair.member), np.array(clip)
    low = max(float(law.quantile(rate)) for law in laws)
    return low, min(float(law.upper_quantile(rate)) for law in laws)


def _parts(name: str, law: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
    """What a law is given as, if it has as many parts as names."""
    if not isinstance(law, Sequence | np.ndarray) or len(law) != len(names):
        raise checks.fail(name, f"({', '.join(names)})", law)
    return tuple(law)


def _of_laws(laws: Sequence[Law], *, delta: float, clip: float | None) -> LawRatios:
    nonmember, member = laws
    delta = checks.real("delta", delta, 0, 1)
    if clip is not None:
        clip = checks.real("clip", clip, 0, 0.5, closed="left")
    return ratios_of_laws(LawPair(nonmember, member), delta=delta, clip=clip)


def _maximum(pair: LawPair, found: Supremum, *, far_end: float) -> RatioMaximum:
    x = np.array(far_end if found.x is None else found.x)
    return RatioMaximum(
        log_ratio=found.log_ratio,
        fpr=min(1.0, float(np.exp(pair.nonmember.log_cdf(x)))),
        fnr=min(1.0, float(np.exp(pair.member.log_sf(x)))),
        threshold=float(x),
        gap=found.gap,
    )
