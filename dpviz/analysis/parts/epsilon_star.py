"""Epsilon* with its ratio curves, and what rounded scores hide of it."""

import numpy as np

from dpviz.analysis.parts.parts import EpsilonStarPart, RoundingPart
from dpviz.audit import AttackCurve, EpsilonStar
from dpviz.audit.epsilon_star.empirical import empirical_epsilon_star
from dpviz.audit.epsilon_star.fits import FittedLaws
from dpviz.audit.epsilon_star.fitted import parametric_epsilon_star
from dpviz.audit.epsilon_star.ratio_curves import FITTED_DECADES, counted_curves, with_fitted
from dpviz.audit.epsilon_star.result import Clip
from dpviz.audit.epsilon_star.rounding_gap import gap_of
from dpviz.audit.roc.threshold_blocks import CountedBlocks
from dpviz.audit.roc.threshold_search import ThresholdBlocks

LOWEST_LOG_RATIO = -2.0  # where the axis of log ratios begins


def epsilon_star_part(
    curve: AttackCurve,
    blocks: ThresholdBlocks,
    *,
    delta: float,
    clip: Clip,
    fits: FittedLaws | None,
) -> EpsilonStarPart:
    """Epsilon* of the counts, or of fitted distributions, with both ratio curves."""
    counted = empirical_epsilon_star(blocks, delta=delta, clip=clip)
    star = counted if fits is None else parametric_epsilon_star(fits, delta=delta, clip=clip)
    number = star.suprema.clip
    curves = counted_curves(curve, delta=delta, clip=number, at=counted.suprema.places)
    if fits is not None:
        curves = with_fitted(curves, fits, delta=delta, clip=number)
    decades = float(np.ceil(np.log10(curve.n_nonmembers + 1)))
    tops = [values[:, 1].max() for values in (*curves.counted, *curves.curves) if len(values)]
    highest = float(np.ceil(max([3.0, *tops, *star.log_ratios[np.isfinite(star.log_ratios)]])))
    return EpsilonStarPart(
        star=star,
        curves=curves,
        decades=decades if curves.fitted is None else FITTED_DECADES,
        log_ratio_range=(LOWEST_LOG_RATIO, highest + 0.25),
        rounding=_rounding(blocks, star) if fits is None else None,
    )


def _rounding(blocks: ThresholdBlocks, star: EpsilonStar) -> RoundingPart | None:
    if not isinstance(blocks, CountedBlocks):
        return None
    gap = gap_of(blocks, delta=star.suprema.delta, clip=star.suprema.clip)
    return RoundingPart(n_thresholds=blocks.scores.distinct().size, gap=gap)
