"""Epsilon* from counts: the exact maximum over all distinct thresholds."""

import numpy as np

from dpviz import checks
from dpviz.audit.epsilon_star.result import (
    Clip,
    EpsilonStar,
    RatioMaximum,
    RatioSuprema,
    resolved_clip,
)
from dpviz.audit.roc.threshold_search import Reached, ThresholdBlocks
from dpviz.audit.scores.base import in_unit

NO_THRESHOLD = RatioMaximum(log_ratio=-np.inf, fpr=np.nan, fnr=np.nan, threshold=np.nan)


def empirical_epsilon_star(
    blocks: ThresholdBlocks, *, delta: float, clip: Clip = "paper"
) -> EpsilonStar:
    """Epsilon* from blocks of counts; with sorted ones a new delta or clip costs little.

    Without a clip and with delta below 1/n it is +inf on almost every data set, leak or not: the
    single most extreme record is enough. `reason` says so.
    """
    delta = checks.real("delta", delta, 0, 1)
    clip = resolved_clip(clip, method="empirical", delta=delta)
    return EpsilonStar(
        suprema=empirical_suprema(blocks, delta=delta, clip=clip),
        unclipped=empirical_suprema(blocks, delta=delta, clip=None),
        method="empirical",
        n_members=blocks.scores.n_members,
        n_nonmembers=blocks.scores.n_nonmembers,
    )


def empirical_suprema(blocks: ThresholdBlocks, *, delta: float, clip: float | None) -> RatioSuprema:
    """The four maxima over the thresholds whose FPR and FNR are inside (clip, 1 - clip)."""
    reached = blocks.largest_log_ratios(delta=delta, clip=clip)
    if reached is None:
        reason = f"no threshold has both FPR and FNR inside ({clip:g}, {1 - (clip or 0):g})"
        return RatioSuprema(maxima=(NO_THRESHOLD,) * 4, delta=delta, clip=clip, reason=reason)
    maxima = tuple(_maximum(best, blocks) for best in reached)
    reason = ""
    if max(maximum.log_ratio for maximum in maxima) == np.inf:
        reason = "at an end of the data one class stands alone, with a share above delta"
    return RatioSuprema(maxima=maxima, delta=delta, clip=clip, reason=reason)


def _maximum(best: Reached, blocks: ThresholdBlocks) -> RatioMaximum:
    scores = blocks.scores
    return RatioMaximum(
        log_ratio=best.log_ratio,
        fpr=best.false_positives / scores.n_nonmembers,
        fnr=(scores.n_members - best.true_positives) / scores.n_members,
        threshold=in_unit(best.threshold, scores.kind),
    )
