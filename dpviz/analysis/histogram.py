"""Histograms of both classes on common bins."""

import numpy as np

from dpviz.analysis.result import HistogramPart
from dpviz.audit import AttackScores
from dpviz.audit.scores import in_unit
from dpviz.checks import FloatArray, read_only

BINS = 60


def histogram(scores: AttackScores) -> HistogramPart:
    """Shares per bin between the pooled 0.1 % and 99.9 % points; the end bins hold the rest."""
    member, nonmember = (
        _ascending_in_unit(values, scores)
        for values in (scores.sorted_member, scores.sorted_nonmember)
    )
    low = min(_quantile(member, 0.001), _quantile(nonmember, 0.001))
    high = max(_quantile(member, 0.999), _quantile(nonmember, 0.999))
    edges = bin_edges(low, high)
    below_or_above = [np.sum((v < edges[0]) | (v > edges[-1])) for v in (member, nonmember)]
    return HistogramPart(
        edges=edges,
        member=read_only(shares(member, edges)),
        nonmember=read_only(shares(nonmember, edges)),
        n_beyond=int(sum(below_or_above)),
        kind=scores.kind,
    )


def bin_edges(low: float, high: float) -> FloatArray:
    """Equal bins; a little room around data that are all equal."""
    if low == high:
        margin = max(0.5, 1e-6 * abs(low))
        low, high = low - margin, high + margin
    return read_only(np.linspace(low, high, BINS + 1))


def shares(ascending: FloatArray, edges: FloatArray) -> FloatArray:
    """Share of the sample per bin; the first and last bin take everything beyond the edges."""
    inner = np.searchsorted(ascending, edges[1:-1], side="left")
    return np.diff(np.concatenate([[0], inner, [ascending.size]])) / ascending.size


def _ascending_in_unit(ascending: FloatArray, scores: AttackScores) -> FloatArray:
    values = in_unit(ascending, scores.kind)
    return values[::-1] if scores.kind == "loss" else values


def _quantile(ascending: FloatArray, share: float) -> float:
    return float(ascending[round(share * (ascending.size - 1))])
