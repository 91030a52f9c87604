"""Epsilon* in its parametric form: Normal laws, exact suprema, any delta down to 1e-300."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from dpviz import checks
from dpviz.audit.fits import LossTransform, Normal
from dpviz.audit.normal_ratios import largest_tail_ratio
from dpviz.audit.ratios import Clip, EpsilonStar, RatioMaximum, RatioSuprema, resolved_clip
from dpviz.audit.scores import AttackScores, ScoreKind, in_unit

UNDEFINED = RatioMaximum(log_ratio=np.nan, fpr=np.nan, fnr=np.nan, threshold=np.nan)


@dataclass(frozen=True, kw_only=True)
class NormalFits:
    """Normal laws fitted to ``-phi`` of the losses (fits.LossTransform): low = member-like.

    The paper fits phi itself, which decreases in the loss: the same Epsilon*, but the names m1/m3
    and m2/m4 change places. `member` or `nonmember` is None where a sample has no spread.
    """

    member: Normal | None
    nonmember: Normal | None
    transform: LossTransform
    kind: ScoreKind
    n_members: int
    n_nonmembers: int

    def threshold(self, x: float) -> float:
        """The threshold at `x` in the unit the numbers came in; outside the data where none is."""
        loss = self.transform.inverse(-x)
        return in_unit(-loss, self.kind)


def fit_normals(scores: AttackScores) -> NormalFits:
    """Maximum-likelihood Normal fits (standard deviation with ddof = 0) to transformed losses."""
    transform = LossTransform.of(member=-scores.member, nonmember=-scores.nonmember)

    def fit(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Normal | None:
        phi = transform(-values)
        sd = float(phi.std())
        # Below this the spread is rounding of equal numbers.
        has_spread = sd > 1e-12 and values.min() < values.max()
        return Normal(mean=float(-phi.mean()), sd=sd) if has_spread else None

    return NormalFits(
        member=fit(scores.member),
        nonmember=fit(scores.nonmember),
        transform=transform,
        kind=scores.kind,
        n_members=scores.n_members,
        n_nonmembers=scores.n_nonmembers,
    )


def normal_epsilon_star(fits: NormalFits, *, delta: float, clip: Clip = "paper") -> EpsilonStar:
    """Epsilon* of the fitted laws. Thresholds are turned back into the unit the numbers came in."""
    delta = checks.real("delta", delta, 0, 1)
    clip = resolved_clip(clip, method="normal", delta=delta)
    return EpsilonStar(
        suprema=_suprema_of_fits(fits, delta=delta, clip=clip),
        unclipped=_suprema_of_fits(fits, delta=delta, clip=None),
        method="normal",
        n_members=fits.n_members,
        n_nonmembers=fits.n_nonmembers,
    )


def epsilon_star_of_normals(
    *,
    nonmember: tuple[float, float],
    member: tuple[float, float],
    delta: float,
    clip: float | None = None,
) -> RatioSuprema:
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
    RatioSuprema
        `.value`, `.log_ratios` and the place of each maximum; exact to about 1e-13.
    """
    laws = [Normal(mean=mean, sd=sd) for mean, sd in (nonmember, member)]
    delta = checks.real("delta", delta, 0, 1)
    if clip is not None:
        clip = checks.real("clip", clip, 0, 0.5, closed="left")
    return _suprema(*laws, delta=delta, clip=clip)


def surviving_window(p: Normal, q: Normal, clip: float | None) -> tuple[float, float]:
    """Thresholds whose rates under both laws are in [clip, 1 - clip]; low > high when none is."""
    if not clip:
        return -np.inf, np.inf
    reach = -float(ndtri(clip))
    low = max(p.mean - reach * p.sd, q.mean - reach * q.sd)
    return low, min(p.mean + reach * p.sd, q.mean + reach * q.sd)


def _suprema_of_fits(fits: NormalFits, *, delta: float, clip: float | None) -> RatioSuprema:
    if fits.member is None or fits.nonmember is None:
        reason = "a Normal fit needs a spread of losses in both classes"
        return RatioSuprema(maxima=(UNDEFINED,) * 4, delta=delta, clip=clip, reason=reason)
    found = _suprema(fits.nonmember, fits.member, delta=delta, clip=clip)
    if found.is_empty:
        return found
    maxima = [
        RatioMaximum(
            log_ratio=maximum.log_ratio,
            fpr=maximum.fpr,
            fnr=maximum.fnr,
            threshold=fits.threshold(maximum.threshold),
        )
        for maximum in found.maxima
    ]
    return RatioSuprema(maxima=tuple(maxima), delta=delta, clip=clip, reason=found.reason)


def _suprema(p: Normal, q: Normal, *, delta: float, clip: float | None) -> RatioSuprema:
    # In units of P, so that squares neither overflow nor vanish.
    unit = p
    p, q = Normal(mean=0.0, sd=1.0), Normal(mean=(q.mean - p.mean) / p.sd, sd=q.sd / p.sd)
    low, high = surviving_window(p, q, clip)
    if low > high:
        reason = f"no threshold has both FPR and FNR inside ({clip:g}, {1 - (clip or 0):g})"
        return RatioSuprema(maxima=(UNDEFINED,) * 4, delta=delta, clip=clip, reason=reason)
    p_flipped, q_flipped = Normal(mean=-p.mean, sd=p.sd), Normal(mean=-q.mean, sd=q.sd)
    # m1..m4 as ratios of left tails: swap the laws, reflect the line, or both.
    found = [
        (1, *largest_tail_ratio(p, q, delta=delta, low=low, high=high)),
        (-1, *largest_tail_ratio(q_flipped, p_flipped, delta=delta, low=-high, high=-low)),
        (-1, *largest_tail_ratio(p_flipped, q_flipped, delta=delta, low=-high, high=-low)),
        (1, *largest_tail_ratio(q, p, delta=delta, low=low, high=high)),
    ]
    maxima = [
        _maximum(q, unit, log_ratio, sign * (np.inf if x is None else x))
        for sign, log_ratio, x in found
    ]
    diverges = any(maximum.log_ratio == np.inf for maximum in maxima)
    reason = (
        "at delta = 0 the ratio of two different Normal laws grows without limit"
        if diverges
        else ""
    )
    return RatioSuprema(maxima=tuple(maxima), delta=delta, clip=clip, reason=reason)


def _maximum(q: Normal, unit: Normal, log_ratio: float, z: float) -> RatioMaximum:
    """The maximum at `z`, a threshold in units of the non-members' law `unit`."""
    return RatioMaximum(
        log_ratio=log_ratio,
        fpr=float(ndtr(z)),
        fnr=float(ndtr(-(z - q.mean) / q.sd)),
        threshold=unit.mean + unit.sd * z,
    )
