"""The picture of a fit: transformed losses, the laws fitted to them, and how well they do."""

import numpy as np

from dpviz.analysis.histogram import bin_edges, shares
from dpviz.analysis.result import FitPart
from dpviz.audit import GoodnessOfFit
from dpviz.audit.fits import FittedLaws
from dpviz.audit.goodness_of_fit import quantile_pairs, range_end
from dpviz.audit.laws import Law
from dpviz.checks import FloatArray, read_only

DENSITY_VERTICES = 301
NOTHING = np.empty((0, 2))


def fit_part(fits: FittedLaws, goodness: GoodnessOfFit | None) -> FitPart:
    """Histograms and densities over the whole range of the data, and quantiles of both."""
    sample = fits.sample
    ends = [(x[0], x[-1]) for x in (sample.member, sample.nonmember)]
    edges = bin_edges(float(min(end[0] for end in ends)), float(max(end[1] for end in ends)))
    widths = np.diff(edges)
    densities, quantiles = [NOTHING, NOTHING], [NOTHING, NOTHING]
    if fits.pair is not None:
        classes = (
            (sample.member, fits.pair.member),
            (sample.nonmember, fits.pair.nonmember),
        )
        densities = [read_only(_density(law, edges)) for _, law in classes]
        quantiles = [read_only(quantile_pairs(x, law)) for x, law in classes]
    return FitPart(
        method=fits.method,
        transform=sample.transform.form,
        edges=edges,
        member=read_only(shares(sample.member, edges) / widths),
        nonmember=read_only(shares(sample.nonmember, edges) / widths),
        member_density=densities[0],
        nonmember_density=densities[1],
        member_quantiles=quantiles[0],
        nonmember_quantiles=quantiles[1],
        goodness=goodness,
        range_end=range_end(sample.scores),
        kind=sample.scores.kind,
        notes=fits.notes,
    )


def _density(law: Law, edges: FloatArray) -> FloatArray:
    x = np.linspace(edges[0], edges[-1], DENSITY_VERTICES)
    return np.column_stack([x, np.exp(law.log_pdf(x))])
