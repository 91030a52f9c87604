"""Distributions fitted to the losses, tests of the fits, and quantile plots."""

from dataclasses import dataclass

import numpy as np

from dpviz.analysis.result import SamplePart
from dpviz.analysis.topic import TextWriter, Topic
from dpviz.analysis.topics.epsilon_star import fitted_threshold_text, rejected_fits_clause
from dpviz.analysis.topics.scores import bin_edges, bin_shares
from dpviz.analysis.words import NOT_LOADED, capitalised
from dpviz.audit.epsilon_star import GoodnessOfFit, fits
from dpviz.audit.scores.base import ScoreKind
from dpviz.checks import FloatArray, read_only
from dpviz.drawing import NOTHING, AxisSpec, Line, Points, SampleLayer, Scene, theme
from dpviz.number_format import short
from dpviz.value_object import ValueObject

DENSITY_VERTICES = 301  # of a fitted density


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FitPart(ValueObject):
    """Histograms of the transformed losses, fitted densities, quantiles, and tests of the fits."""

    # Densities have columns loss and density; quantiles have columns fit and data, in standard
    # deviations of the data. Without a fit these four have no rows.

    method: fits.FitMethod
    transform: fits.Transform
    edges: FloatArray  # of the bins of two histogram densities, the next two
    member: FloatArray
    nonmember: FloatArray
    member_density: FloatArray
    nonmember_density: FloatArray
    member_quantiles: FloatArray
    nonmember_quantiles: FloatArray
    goodness: GoodnessOfFit | None  # on held-out losses; None if Epsilon* is counted
    extreme_loss: fits.ExtremeLoss | None  # the one that extends the range more
    kind: ScoreKind
    notes: tuple[str, ...]


def fit_part(fitted: fits.FittedLaws, goodness: GoodnessOfFit | None) -> FitPart:
    """Return histograms and quantiles of the data, with the fitted densities and quantiles."""
    sample = fitted.sample
    classes = (sample.member, sample.nonmember)
    # Bins over the whole range: the tails are what matters for Epsilon*.
    edges = bin_edges(min(x.smallest for x in classes), max(x.largest for x in classes))
    widths = np.diff(edges)
    densities, quantiles = [NOTHING, NOTHING], [NOTHING, NOTHING]
    if fitted.pair is not None:
        laws = (fitted.pair.member, fitted.pair.nonmember)
        x = np.linspace(edges[0], edges[-1], DENSITY_VERTICES)
        densities = [read_only(np.column_stack([x, np.exp(law.log_pdf(x))])) for law in laws]
        pairs = zip(classes, laws, strict=True)
        quantiles = [read_only(fits.quantile_pairs(data, law)) for data, law in pairs]
    return FitPart(
        method=fitted.method,
        transform=sample.transform.form,
        edges=edges,
        member=read_only(bin_shares(sample.member, edges) / widths),
        nonmember=read_only(bin_shares(sample.nonmember, edges) / widths),
        member_density=densities[0],
        nonmember_density=densities[1],
        member_quantiles=quantiles[0],
        nonmember_quantiles=quantiles[1],
        goodness=goodness,
        extreme_loss=None if fitted.pair is None else fits.extreme_loss(sample.scores),
        kind=sample.scores.kind,
        notes=fitted.notes,
    )


def lead(sample: SamplePart) -> str:
    """Say whether the fitted distributions are rejected."""
    part = sample.fit
    if not len(part.member_density):
        return "No distribution can be fitted to these records."
    if part.goodness is None:
        return "Normal distributions are for comparison only: here Epsilon* comes from counts."
    if part.goodness.member is None or part.goodness.nonmember is None:
        return "There are too few records to test these fits."
    if not part.goodness.rejected:
        return "No fit is rejected (5 % level), but the tests have little power in the tails."
    return f"{capitalised(rejected_fits_clause(part.goodness.rejected))} (5 % level)."


def quantiles_lead(sample: SamplePart) -> str:
    """Say how to read the quantile plot, or that no distribution can be fitted."""
    if not len(sample.fit.member_quantiles):
        return "No distribution can be fitted to these records."
    return "Points far from the line show where the fit is poor."


FITTED_TO = {"paper": "the transformed losses", "none": "the losses themselves"}


def fits_and_tests_text(sample: SamplePart) -> str:
    """Say which distributions were fitted, and the results of tests on held-out losses."""
    part = sample.fit
    if not len(part.member_density):
        return f"No fit: {part.notes[0]}."
    if part.goodness is None:
        return (
            f"Normal distributions are fitted to {FITTED_TO[part.transform]} for comparison only: "
            "Epsilon* comes from counts. Fits are tested only if Epsilon* comes from them."
        )
    fitted = "Mixtures of Normal" if part.method == "mixture" else "Normal"
    notes = f" ({'; '.join(part.notes)})" if part.notes else ""
    text = f"{fitted} distributions are fitted to {FITTED_TO[part.transform]}{notes}."
    return f"{text} {_p_value_sentences(part)}"


def _p_value_sentences(part: FitPart) -> str:
    """Say the p-values of the tests of both fits, and which fits are rejected."""
    goodness = part.goodness
    if goodness is None or goodness.member is None or goodness.nonmember is None:
        return "There are too few losses to hold some out for a test."
    tested = [("members", goodness.member), ("non-members", goodness.nonmember)]
    p_values = " and ".join(
        f"p = {short(test.p_value)} for {name} ({test.n_held_out} losses)" for name, test in tested
    )
    of_paper = " and ".join(f"p = {short(t.two_sample_p_value)} ({name})" for name, t in tested)
    end = (
        "No fit is rejected (5 % level). This does not show that the fits are right: the tests "
        "have little power in the tails, where Epsilon* lies."
    )
    if goodness.rejected:
        end = f"{capitalised(rejected_fits_clause(goodness.rejected))} (5 % level)."
    return (
        f"Kolmogorov-Smirnov tests of the fits on held-out losses give {p_values}. The "
        f"tests of the Epsilon* paper, against draws from the fits, give {of_paper}. {end}"
    )


def threshold_or_no_fit_text(sample: SamplePart) -> str:
    """Say how far the threshold of a fitted Epsilon* is from the means, or why no fit exists."""
    if not len(sample.fit.member_quantiles):
        return f"No fit: {sample.fit.notes[0]}."
    return fitted_threshold_text(sample.epsilon_star.star, sample.histogram.kind)


class FittedDensities(SampleLayer):
    """Histograms of members and non-members as densities, and the fitted densities over them."""

    of = ("sample.fit",)

    def add_marks(self) -> None:
        self._data = self.add_each(
            "data",
            Line(color=theme.NONMEMBER, steps=True, width=1, fill=0.2),
            Line(color=theme.MEMBER, steps=True, width=1, fill=0.4),
        )
        self._fits = self.add_each(
            "fit",
            Line(color=theme.NONMEMBER, width=2.5, label="fit of non-members"),
            Line(color=theme.MEMBER, dash="dashed", width=2.5, label="fit of members"),
        )

    def draw_sample(self, sample: SamplePart) -> None:
        part = sample.fit
        edges, bars = part.edges, (part.nonmember, part.member)
        self.x.set_range(float(edges[0]), float(edges[-1]))
        # The data set the height: a density far narrower than a bin leaves the picture.
        self.y.set_range(0.0, 1.25 * float(max(b.max() for b in bars)))
        what = "transformed" if part.transform == "paper" else "rescaled"
        self.x.set_label(self.frame.naming.axis_label(f"{what} {part.kind} (low = member-like)"))
        for line, heights in zip(self._data, bars, strict=True):
            # The last height is held up to the end of the last bin.
            line.draw(np.column_stack([edges, np.append(heights, heights[-1])]))
        self._fits[0].draw(part.nonmember_density)
        self._fits[1].draw(part.member_density)


class EpsilonStarThreshold(SampleLayer):
    """A vertical line at the threshold of the fitted Epsilon*, the largest log ratio of rates."""

    of = ("sample.epsilon_star", "sample.fit")  # the fit sets the axes
    line = Line(color=theme.SELECTION, dash="dash_dotted", width=1.5, label="place of Epsilon*")
    name = Points(color=theme.SELECTION, marker="diamond")

    def draw_sample(self, sample: SamplePart) -> None:
        at = sample.epsilon_star.star.extrapolation
        if not at:  # without a fit, or if no ratio exceeds 1, there is no maximum
            self.hide()
            return
        x, y = self.x, self.y
        self.line.draw(self.frame.ends_of_vertical_line(at.place))
        beyond = "" if x.low <= at.place <= x.high else " (beyond the axis)"
        name = f"extrapolated{beyond}" if at.is_beyond_data else ""
        place = np.array([[x.clamp(at.place), y.low + 0.93 * (y.high - y.low)]])
        self.name.draw(place, texts=[name])


LEAST_REACH = 4.0  # standard deviations to which the axes reach at least
MOST_REACH = 12.0  # and at most: points farther out stand at the edge


class QuantilePlot(SampleLayer):
    """The Q-Q plot of the data against the fit, with the threshold of Epsilon* on the diagonal."""

    of = ("sample.fit", "sample.epsilon_star")
    diagonal = Line(color=theme.SELECTION, dash="dashed", label="perfect fit")

    def add_marks(self) -> None:
        super().add_marks()
        self._points = self.add_each(
            "points",
            Points(color=theme.NONMEMBER, size=16, label="non-members"),
            Points(color=theme.MEMBER, marker="triangle-up", size=16, label="members"),
        )
        first = Points(color=theme.NONMEMBER, marker="diamond", label="place of Epsilon*")
        self._maxima = self.add_each("maximum", first, Points(color=theme.MEMBER, marker="diamond"))

    def draw_sample(self, sample: SamplePart) -> None:
        part, at = sample.fit, sample.epsilon_star.star.extrapolation
        if not len(part.member_quantiles):
            self.hide()
            return
        pairs = (part.nonmember_quantiles, part.member_quantiles)
        places = (at.z_nonmember, at.z_member) if at else ()
        # Both axes reach as far as the data and the maximum, within limits.
        farthest = max(float(np.abs(np.concatenate(pairs)).max()), *np.abs(places), LEAST_REACH)
        reach = float(np.ceil(min(farthest, MOST_REACH)))
        self.x.set_range(-reach, reach)
        self.y.set_range(-reach, reach)
        self.diagonal.draw(np.array([[-reach, -reach], [reach, reach]]))
        for points, pair in zip(self._points, pairs, strict=True):
            points.draw(np.clip(pair, -reach, reach))
        for i, mark in enumerate(self._maxima):
            at_edge = np.clip(places[i : i + 1], -reach, reach)
            mark.draw(np.column_stack([at_edge, at_edge]))


FIT = Scene(
    title="Do the fitted distributions match the losses?",
    topic="fit",
    needs="scores",
    x=AxisSpec(label="transformed loss"),
    y=AxisSpec(label="density"),
    layers=lambda: [FittedDensities(), EpsilonStarThreshold()],
)

QUANTILES = Scene(
    title="Do the fitted tails match?",
    shape="square",
    topic="quantiles",
    needs="scores",
    x=AxisSpec(label="quantile of the fit (standard deviations)", low=-4, high=4),
    y=AxisSpec(label="quantile of the data", low=-4, high=4),
    layers=lambda: [QuantilePlot()],
)

TOPIC = Topic(
    sentences={
        "fit_lead": TextWriter(lead, "fit", "sample", NOT_LOADED, lead=True),
        "fit": TextWriter(fits_and_tests_text, "fit", "sample", NOT_LOADED),
        "quantiles": TextWriter(quantiles_lead, "quantiles", "sample", NOT_LOADED, lead=True),
        "maximum_place": TextWriter(threshold_or_no_fit_text, "quantiles", "sample"),
    },
    scenes={"fit": FIT, "quantiles": QUANTILES},
)
