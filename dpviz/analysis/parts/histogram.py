"""Histograms of both classes on common bins."""

import numpy as np

from dpviz.analysis.parts.parts import HistogramPart
from dpviz.audit.scores.base import Scores
from dpviz.audit.scores.ordered_sample import OrderedSample
from dpviz.checks import FloatArray, read_only

BINS = 60  # of the histograms of members and of non-members


def histogram(scores: Scores) -> HistogramPart:
    """Shares per bin between the pooled 0.1 % and 99.9 % points; the end bins hold the rest."""
    member, nonmember = (
        sample.negated() if scores.kind == "loss" else sample
        for sample in (scores.members, scores.nonmembers)
    )
    low = min(_quantile(member, 0.001), _quantile(nonmember, 0.001))
    high = max(_quantile(member, 0.999), _quantile(nonmember, 0.999))
    edges = bin_edges(low, high)
    beyond = [x.below(edges[0]) + x.size - x.upto(edges[-1]) for x in (member, nonmember)]
    return HistogramPart(
        edges=edges,
        member=read_only(shares(member, edges)),
        nonmember=read_only(shares(nonmember, edges)),
        n_beyond=int(sum(beyond)),
        kind=scores.kind,
    )


def bin_edges(low: float, high: float) -> FloatArray:
    """Equal bins; a little room around data that are all equal."""
    if low == high:
        margin = max(0.5, 1e-6 * abs(low))
        low, high = low - margin, high + margin
    return read_only(np.linspace(low, high, BINS + 1))


def shares(sample: OrderedSample, edges: FloatArray) -> FloatArray:
    """Share of the sample per bin; the first and last bin take everything beyond the edges."""
    inner = sample.below(edges[1:-1])
    return np.diff(np.concatenate([[0], inner, [sample.size]])) / sample.size


def _quantile(sample: OrderedSample, share: float) -> float:
    return float(sample.at(round(share * (sample.size - 1))))
