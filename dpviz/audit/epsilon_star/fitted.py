"""Epsilon* of distributions fitted to losses, with thresholds on the original scale."""

from dataclasses import replace

import numpy as np

from dpviz import checks
from dpviz.audit.epsilon_star.empirical import empirical_suprema
from dpviz.audit.epsilon_star.fits import FittedLaws
from dpviz.audit.epsilon_star.given_laws import LawRatios, ratios_of_laws
from dpviz.audit.epsilon_star.result import (
    Clip,
    EpsilonStar,
    Extrapolation,
    RatioSuprema,
    resolved_clip,
)
from dpviz.audit.roc.threshold_blocks import threshold_blocks


def parametric_epsilon_star(fits: FittedLaws, *, delta: float, clip: Clip = "paper") -> EpsilonStar:
    """Epsilon* of fitted distributions.

    Where a class has no spread to fit, it is computed from counts; where all losses are equal, the
    value is 0.
    """
    delta = checks.real("delta", delta, 0, 1)
    clip = resolved_clip(clip, method=fits.method, delta=delta)
    sample = fits.sample
    n_members, n_nonmembers = sample.member.size, sample.nonmember.size
    if fits.pair is None:
        blocks = threshold_blocks(sample.scores)
        unclipped = empirical_suprema(blocks, delta=delta, clip=None)
        all_equal = sample.transform.low == sample.transform.high
        return EpsilonStar(
            suprema=replace(unclipped, clip=clip)
            if all_equal
            else empirical_suprema(blocks, delta=delta, clip=clip),
            unclipped=unclipped,
            method=fits.method,
            n_members=n_members,
            n_nonmembers=n_nonmembers,
            notes=fits.notes,
        )
    found = ratios_of_laws(fits.pair, delta=delta, clip=clip)
    return EpsilonStar(
        suprema=_in_unit(found, fits),
        unclipped=_in_unit(ratios_of_laws(fits.pair, delta=delta, clip=None), fits),
        method=fits.method,
        extrapolation=_extrapolation(found, fits),
        standard_error=_trusted_error(found, fits),
        n_members=n_members,
        n_nonmembers=n_nonmembers,
        notes=fits.notes,
    )


def _trusted_error(found: LawRatios, fits: FittedLaws) -> float | None:
    """The standard error, unless another ratio or 0 is within two of it of the maximum."""
    if fits.method != "normal":
        return None
    n_members, n_nonmembers = fits.sample.member.size, fits.sample.nonmember.size
    error = found.standard_error(n_nonmembers=n_nonmembers, n_members=n_members)
    second = max(0.0, float(np.sort(found.log_ratios)[-2]))
    return error if error is not None and found.value - second > 2 * error else None


def _in_unit(found: LawRatios, fits: FittedLaws) -> RatioSuprema:
    maxima = [
        replace(maximum, threshold=fits.sample.threshold_in_unit(maximum.threshold))
        for maximum in found.maxima
    ]
    return RatioSuprema(
        maxima=tuple(maxima), delta=found.delta, clip=found.clip, reason=found.reason
    )


def _extrapolation(found: LawRatios, fits: FittedLaws) -> Extrapolation | None:
    if not found.value > 0:
        return None
    x, sample = found.maxima[found.active].threshold, fits.sample
    at = np.array(x)
    classes = ((sample.member, found.pair.member), (sample.nonmember, found.pair.nonmember))
    expected = [
        data.size * float(np.exp(min(law.log_cdf(at), law.log_sf(at)))) for data, law in classes
    ]
    pooled_low = min(sample.member.smallest, sample.nonmember.smallest)
    pooled_high = max(sample.member.largest, sample.nonmember.largest)
    moments = (sample.member.moments, sample.nonmember.moments)
    z_member, z_nonmember = ((x - mean) / sd for mean, sd in moments)
    return Extrapolation(
        place=x,
        z_member=z_member,
        z_nonmember=z_nonmember,
        records=min(expected),
        is_outside=not pooled_low <= x <= pooled_high,
    )
