"""Epsilon* of given distributions: exact for Normal ones, certified for mixtures and others."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.audit.epsilon_star.certified_suprema import LawPair, Supremum
from dpviz.audit.epsilon_star.laws import FrozenLaw, Law, Mixture, Normal
from dpviz.audit.epsilon_star.normal_suprema import normal_suprema
from dpviz.audit.epsilon_star.result import RatioMaximum, RatioSuprema

UNDEFINED = RatioMaximum(log_ratio=np.nan, fpr=np.nan, fnr=np.nan, threshold=np.nan)


@dataclass(frozen=True, kw_only=True)
class LawRatios(RatioSuprema):
    """The four maxima of two given distributions; thresholds are on their scale."""

    pair: LawPair = field(compare=False, repr=False)

    def standard_error(self, *, n_nonmembers: int, n_members: int) -> float | None:
        """Standard error of the value, had the distributions been fitted to samples of these sizes.

        By the delta method, for Normal distributions fitted by maximum likelihood to independent
        draws. None where it does not apply: other distributions, a value of 0, or a maximum that is
        no stationary point of its ratio (at the clip, or a limit). Not valid where another ratio is
        close to the active one.
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
    """Epsilon* of two Normal distributions of losses; low losses are flagged as members.

    Parameters
    ----------
    nonmember, member : tuple of (mean, sd), sd > 0
    delta : float
        In [0, 1]. At 0, two different distributions give inf: their likelihood ratio is unbounded.
    clip : float, optional, in [0, 0.5): only thresholds with FPR and FNR inside [clip, 1 - clip]

    Returns
    -------
    LawRatios
        `.value`, `.log_ratios` and the place of each maximum; exact to about 1e-13.

    Raises
    ------
    ValueError
        If an argument leaves its range.

    Examples
    --------
    >>> from dpviz import audit
    >>> round(audit.epsilon_star_of_normals(nonmember=(1, 1), member=(0, 1), delta=0.1).value, 4)
    1.1603
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
    """Epsilon* of two mixtures of Normal distributions of losses.

    Parameters
    ----------
    nonmember, member : tuple of (weights, means, sds)
        Three arrays of one shape: weights in (0, 1] with sum 1, sds > 0.
    delta, clip
        As of `epsilon_star_of_normals`; at delta 0 the value is finite where the same component
        dominates the same tail of both mixtures.

    Returns
    -------
    LawRatios
        Each maximum is precise to about 1e-12 and has a certified `gap`: no threshold exceeds it by
        more. It is at most 1e-4 for typical fits; a ratio that stays flat over hundreds of e-folds
        of a tail, with delta below 1e-8, leaves more.

    Examples
    --------
    >>> from dpviz import audit
    >>> p, q = ([0.5, 0.5], [0, 2], [1, 1]), ([0.5, 0.5], [0, 1], [1, 1])
    >>> round(audit.epsilon_star_of_mixtures(nonmember=p, member=q, delta=1e-5).value, 3)
    4.208
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
    """Epsilon* of two continuous distributions of losses from scipy.stats.

    Parameters
    ----------
    nonmember, member : frozen distribution, such as ``scipy.stats.gamma(2, scale=5)``
    delta, clip
        As of `epsilon_star_of_normals`. At delta 0, without a clip, a ratio that still grows where
        floats end counts as unbounded.

    Returns
    -------
    LawRatios
        As of `epsilon_star_of_mixtures`; `gap` is inf where scipy's tails end before the maximum is
        certain.

    Raises
    ------
    TypeError
        If one is not such a distribution.

    Examples
    --------
    >>> from dpviz import audit
    >>> from scipy.stats import gamma
    >>> round(audit.epsilon_star_of(nonmember=gamma(3), member=gamma(2), delta=0.01).value, 3)
    2.035
    """
    laws = [FrozenLaw(law) for law in (nonmember, member)]
    return _of_laws(laws, delta=delta, clip=clip)


def ratios_of_laws(pair: LawPair, *, delta: float, clip: float | None) -> LawRatios:
    """The four maxima of two distributions over the thresholds that survive the clip."""
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
            reason = "one distribution has a share above delta where the other has none"
        elif any(maximum.log_ratio == maximum.gap == np.inf for maximum in maxima):
            reason = "at delta = 0 the ratio still grows where floats end: taken as unbounded"
        else:
            reason = "at delta = 0 the ratio of the two distributions grows without limit"
    elif any(maximum.gap == np.inf for maximum in maxima):
        reason = "larger ratios are possible in tails that were not searched"
    return LawRatios(maxima=maxima, delta=delta, clip=clip, reason=reason, pair=pair)


def surviving_window(pair: LawPair, clip: float | None) -> tuple[float, float]:
    """Ends of the thresholds with both rates in [clip, 1 - clip]; low > high if there are none."""
    if not clip:
        return -np.inf, np.inf
    if clip > 0.5:  # the paper's clip at a large delta
        return np.inf, -np.inf
    laws, rate = (pair.nonmember, pair.member), np.array(clip)
    low = max(float(law.quantile(rate)) for law in laws)
    return low, min(float(law.upper_quantile(rate)) for law in laws)


def _parts(name: str, law: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
    """The parameters of a distribution; ValueError unless there is one for each name."""
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
