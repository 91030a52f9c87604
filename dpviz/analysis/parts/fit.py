"""A fit: transformed losses, the distributions fitted to them, and tests of the fit."""

import numpy as np

from dpviz.analysis.parts.histogram import bin_edges, shares
from dpviz.analysis.parts.parts import FitPart
from dpviz.audit import GoodnessOfFit
from dpviz.audit.epsilon_star.fits import FittedLaws
from dpviz.audit.epsilon_star.goodness_of_fit import quantile_pairs, range_end
from dpviz.audit.epsilon_star.laws import Law
from dpviz.checks import FloatArray, read_only

DENSITY_VERTICES = 301  # of a fitted density
NOTHING = np.empty((0, 2))


def fit_part(fits: FittedLaws, goodness: GoodnessOfFit | None) -> FitPart:
    """Histograms and densities over the whole range of the data, and quantiles of both."""
    sample = fits.sample
    classes = (sample.member, sample.nonmember)
    edges = bin_edges(min(x.smallest for x in classes), max(x.largest for x in classes))
    widths = np.diff(edges)
    densities, quantiles = [NOTHING, NOTHING], [NOTHING, NOTHING]
    if fits.pair is not None:
        laws = (fits.pair.member, fits.pair.nonmember)
        densities = [read_only(_density(law, edges)) for law in laws]
        quantiles = [
            read_only(quantile_pairs(x, law)) for x, law in zip(classes, laws, strict=True)
        ]
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
