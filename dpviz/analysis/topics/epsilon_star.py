"""Epsilon*, the largest log ratio of an attack's rates: curves, estimates, variation by chance."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpviz.analysis.result import Result, SamplePart
from dpviz.analysis.topic import IN_TITLE, TextWriter, Topic
from dpviz.analysis.topics.claim import LogOddsAxisRange, SelectedFpr
from dpviz.analysis.words import NOT_LOADED, RATIOS, capitalised
from dpviz.audit import AttackCurve
from dpviz.audit.epsilon_star import Bootstrap, EpsilonStar, PermutationTest, RatioCurves, estimate
from dpviz.audit.epsilon_star.fits import FittedLaws
from dpviz.audit.epsilon_star.ratio_curves import add_fitted_curves, measured_ratio_curves
from dpviz.audit.roc.threshold_search import BinnedBlocks, ScoreBlocks
from dpviz.audit.scores.base import ScoreKind, negated_if_loss
from dpviz.checks import FloatArray
from dpviz.drawing import LOG_ODDS_AXIS, ClaimLayer, Layer, SampleLayer, Scene, rectangle, theme
from dpviz.drawing.axes import AxisSpec, log10_odds_of
from dpviz.drawing.marks import NOTHING, Area, Line, Points
from dpviz.number_format import percent, short, short_above, upper
from dpviz.value_object import ValueObject

DECADES_OF_STEPS = 2  # powers of ten among which steps between round thresholds are sought
LOWEST_LOG_RATIO = -2.0  # lower end of the axis of log ratios


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class EpsilonStarPart(ValueObject):
    """Epsilon*, the curves of log ratios of error rates, and the range of the vertical axis."""

    star: EpsilonStar
    curves: RatioCurves
    log_ratio_range: tuple[float, float]  # it contains every finite maximum of a curve
    rounding_gap: float | None  # how much larger it may be over thresholds inside bins, perhaps inf
    thresholds: tuple[tuple[float, str], ...]  # the result of `round_number_thresholds`


def epsilon_star_part(
    curve: AttackCurve,
    blocks: ScoreBlocks,
    *,
    delta: float,
    clip: estimate.Clip,
    fits: FittedLaws | None,
) -> EpsilonStarPart:
    """Return Epsilon* and its curves, from the distributions `fits` or, if None, from counts."""
    # Counted ratios are always drawn; fitted ones are drawn over them.
    star = counted = estimate.empirical_epsilon_star(blocks, delta=delta, clip=clip)
    gap: float | None = None
    if fits is not None:
        star = estimate.parametric_epsilon_star(fits, delta=delta, clip=clip)
    at: dict[str, Any] = {"delta": delta, "clip": star.suprema.clip}
    curves = measured_ratio_curves(curve, **at, also_at=counted.suprema.rates_at_maxima)
    if fits is not None:
        curves = add_fitted_curves(curves, fits, **at)
    elif isinstance(blocks, BinnedBlocks):
        gap = estimate.rounding_gap_of_blocks(blocks, **at)
    # The axes have room for every count and for every finite maximum.
    tops = [values[:, 1].max() for values in (*curves.counted, *curves.curves) if len(values)]
    highest = float(np.ceil(max([3.0, *tops, *star.log_ratios[np.isfinite(star.log_ratios)]])))
    return EpsilonStarPart(
        star=star,
        curves=curves,
        log_ratio_range=(LOWEST_LOG_RATIO, highest + 0.25),
        rounding_gap=gap,
        thresholds=round_number_thresholds(curve),
    )


def round_number_thresholds(curve: AttackCurve) -> tuple[tuple[float, str], ...]:
    """Return (log10 odds of the FPR, text) of round thresholds, multiples of large steps first."""
    # Both ends, found without an array as long as the sample.
    first = int(np.searchsorted(curve.false_positives, 0, side="right"))
    first += int(np.isinf(curve.thresholds[first]))  # an infinite score
    last = int(np.searchsorted(curve.false_positives, curve.n_nonmembers, side="left")) - 1
    if last < first:
        return ()
    inner = curve.thresholds[[first, last]]
    ends = sorted(negated_if_loss(float(end), curve.kind) for end in inner)
    power = math.floor(math.log10(max(ends[1] - ends[0], 1e-9 * max(map(abs, ends)), 1e-300)))
    found: dict[float, float] = {}
    for step in (f * 10.0 ** (power - i) for i in range(DECADES_OF_STEPS) for f in (10, 5, 2, 1)):
        for number in range(math.ceil(ends[0] / step), math.floor(ends[1] / step) + 1):
            threshold = float(f"{number * step:.12g}") + 0.0  # + 0.0: no "-0"
            at = curve.at_threshold(negated_if_loss(threshold, curve.kind))
            if 0 < at.false_positives < at.n_nonmembers:
                found.setdefault(threshold, float(log10_odds_of(np.array(at.fpr))))
    return tuple((place, short(threshold, digits=6)) for threshold, place in found.items())


NAME = "Epsilon*: an estimate for this trained model"
SUBTITLE = "Log ratios of rates (estimates)"


def title(sample: SamplePart, result: Result) -> str:
    """Return the title: Epsilon*, with its value by chance or a warning of a rejected fit."""
    star, chance = sample.epsilon_star.star, epsilon_star_quantile_by_chance(result)
    if star.suprema.is_empty:
        return "Epsilon* is undefined: the clip leaves no threshold"
    value = f"Epsilon* {short(star.value)}"
    if rejected_fits(sample):
        return f"{value}; fit rejected"
    return value if chance is None else f"{value}; chance up to {short(upper(chance))}"


def epsilon_star_quantile_by_chance(result: Result) -> float | None:
    """Return the 95 % quantile of Epsilon* under random membership; None if unknown."""
    level = result.answer.chance
    return None if level is None or math.isnan(level) else level


def lead(sample: SamplePart) -> str:
    """Say the value of Epsilon*, that it is an estimate, and which fits are rejected."""
    star, rejected = sample.epsilon_star.star, rejected_fits(sample)
    if star.suprema.is_empty:
        return "Epsilon* is undefined for this trained model: the clip leaves no threshold."
    doubt = f" {capitalised(rejected_fits_clause(rejected))} (5 % level)." if rejected else ""
    return (
        f"Epsilon* ≈ {short(star.value)} at δ = {short(star.suprema.delta)}: an estimate "
        f"(largest log ratio), not a bound.{doubt}"
    )


def epsilon_star_sentences(sample: SamplePart) -> str:
    """Say Epsilon* with and without its clip, and which ratio of error rates gives the value."""
    star = sample.epsilon_star.star
    notes = [f"{capitalised(note)}." for note in star.notes]
    if sample.epsilon_star.rounding_gap is not None:
        notes.append(_possible_rise_without_binning_in_words(sample))
    if star.suprema.is_empty:
        undefined = f"Epsilon* is undefined for this trained model: {star.reason}."
        return " ".join([undefined, _unclipped_value_sentence(star), *notes])
    error = ""
    if star.standard_error is not None:
        error = (
            f" (standard error {short(star.standard_error)}, if both distributions are Normal and "
            "the samples independent)"
        )
    parts = [
        f"Epsilon* ≈ {short(star.value)}{error} at δ = {short(star.suprema.delta)}: an estimate "
        f"for this trained model from {FORMS[star.method]}, not a bound."
    ]
    if star.reason:
        infinite = "It is infinite because " if math.isinf(star.value) else "Not certain: "
        parts.append(f"{infinite}{star.reason}.")
    elif star.suprema.gap > 0:
        gap = short(upper(star.suprema.gap))
        parts.append(f"The exact Epsilon* of these fits is at most {gap} larger.")
    parts.append(_clip_in_words(star))
    if star.value > 0:
        parts.append(_largest_ratio_in_words(star, sample.histogram.kind))
    if star.beyond_data:
        parts += [
            fitted_threshold_text(star, sample.histogram.kind),
            "The value is extrapolated: it depends on the fitted tail alone.",
        ]
    return " ".join([*parts, *notes])


FORMS = {
    "empirical": "counts",
    "normal": "Normal fits",
    "mixture": "mixtures of Normal distributions",
}

# Where the scores are that make the ratio m1, m2, m3 or m4 large; `near` is the end that the
# threshold attack flags as members.
RATIO_MEANINGS = (
    "from the {near}, which members have more often than non-members",
    "from the {far}, which non-members have more often than members",
    "from the {far}, which members have more often than non-members",
    "from the {near}, which non-members have more often than members",
)

ENDS = {
    "loss": {"near": "low losses", "far": "high losses"},
    "score": {"near": "high scores", "far": "low scores"},
}


def _largest_ratio_in_words(star: EpsilonStar, kind: ScoreKind) -> str:
    """Say which ratio of rates, at low or at high scores, gives the value of Epsilon*."""
    ratio, where = (of[star.suprema.index_of_largest] for of in (RATIOS, RATIO_MEANINGS))
    where = where.format(**ENDS[kind])
    text = f"The value comes {where} (the ratio {ratio}, {star.active} in the paper)"
    if star.suprema.is_of_reversed_attack:
        return f"{text}. This ratio is of the reversed attack: Epsilon* tries both directions."
    is_plain = star.suprema.is_about_low_losses
    return text + ("." if is_plain else ". There the attacker learns who was not a member.")


def _clip_in_words(star: EpsilonStar) -> str:
    """Say which thresholds the clip leaves out, and the largest Epsilon* that the clip allows."""
    clip, cap = star.suprema.clip, star.suprema.cap
    if clip is None:
        return "No clip: every threshold counts."
    if clip == 0:
        left_out = "With clip 0, only thresholds that flag nobody or everybody are left out."
        return f"{left_out} {_unclipped_value_sentence(star)}"
    most = f"cannot exceed {short(cap)}" if cap > 0 else "is always 0 where δ is this large"
    return (
        f"Thresholds with FPR or FNR below {percent(clip)} or above {percent(1 - clip)} are left "
        f"out (clip {short(clip)}), so Epsilon* {most}. {_unclipped_value_sentence(star)}"
    )


def _unclipped_value_sentence(star: EpsilonStar) -> str:
    if star.suprema.clip is None:
        return ""
    shown = "infinite" if math.isinf(star.unclipped.value) else short(star.unclipped.value)
    shown += ", too" if star.value == star.unclipped.value == 0 else ""
    reason = f": {star.unclipped.reason}" if star.unclipped.reason else ""
    return f"Without the clip, Epsilon* would be {shown}{reason}."


def _possible_rise_without_binning_in_words(sample: SamplePart) -> str:
    """Say by how much Epsilon* over all thresholds may exceed Epsilon* of the binned scores."""
    gap = sample.epsilon_star.rounding_gap or 0.0
    more = f"is at most {short(upper(gap))} larger" if gap > 0 else "is the same"
    return (
        f"The scores are rounded, so Epsilon* uses only {sample.scores.n_distinct} thresholds. "
        "At all thresholds of the scores before rounding, Epsilon* "
        + ("may be larger by an unknown amount." if math.isinf(gap) else f"{more}.")
    )


def fitted_threshold_text(star: EpsilonStar, kind: ScoreKind) -> str:
    """Say how far the threshold of Epsilon* is from the mean losses; "" if nothing is fitted."""
    at = star.extrapolation
    if at is None:
        return ""
    if math.isinf(at.place):
        return "Epsilon* is the limit of the log ratio at the end of the tail, beyond all data."
    outside = ", outside the range of all the data" if at.is_outside else ""
    return (
        f"The threshold of Epsilon* is {short(abs(at.z_member))} standard deviations from the "
        f"members' mean and {short(abs(at.z_nonmember))} from the non-members' mean{outside}. "
        f"Beyond it, at the {ENDS[kind][at.tail[1]]}, the expected number of {at.tail[0]} under "
        f"the fit is {short(at.records)}."
    )


def rejected_fits(sample: SamplePart) -> tuple[str, ...]:
    """Return the classes whose fit is rejected; () if Epsilon* is counted."""
    goodness = sample.fit.goodness
    return () if goodness is None else goodness.rejected


def rejected_fits_clause(classes: tuple[str, ...]) -> str:
    """Return a clause on the rejected fits of one or two classes: "both fits are rejected"."""
    return "both fits are rejected" if classes[1:] else f"the fit of the {classes[0]} is rejected"


def fit_warnings(sample: SamplePart, result: Result) -> str:
    """Say why a fitted Epsilon* is doubtful; "" without a reason, or without a fit."""
    if result.spec.method == "empirical":
        return ""
    fit, star, reasons = sample.fit, sample.epsilon_star.star, []
    if rejected := rejected_fits(sample):
        reasons.append(f"{rejected_fits_clause(rejected)} on held-out losses (p ≤ 0.05)")
    end = fit.extreme_loss
    if end is not None and end.is_influential and fit.transform == "paper":
        reasons.append(
            f"a single {fit.kind}, {short(end.loss)}, accounts for {percent(end.share)} of the "
            "range that scales the transform"
        )
    if star.beyond_data:
        reasons.append("the maximum is extrapolated: it lies beyond the data")
    return f"Caution: {'; '.join(reasons)}." if reasons else ""


def permutation_test_sentence(test: PermutationTest, star: EpsilonStar) -> str:
    """Return the p-value of a permutation test of Epsilon* in a sentence."""
    # The p-value is (1 + permutations that reach the value) / (1 + all permutations).
    count = round(test.p_value * (test.permuted.size + 1)) - 1
    often = {0: "never", 1: "once"}.get(count, f"{count} times")
    return (
        f"In {test.permuted.size} random permutations of membership, Epsilon* {often} reached "
        f"{_epsilon_star_text(test.observed)}: p = {short(test.p_value)} (permutation test, "
        f"{_estimator_text(star)}; exact if members and non-members are exchangeable when nothing "
        "leaks)."
    )


def bootstrap_text(spread: Bootstrap, star: EpsilonStar) -> str:
    """Say how far Epsilon* spreads over bootstrap samples, which give no confidence interval."""
    return (
        f"In {spread.resampled.size} bootstrap samples, the central "
        f"{percent(spread.confidence_level)} of Epsilon* lie between "
        f"{_epsilon_star_text(spread.low)} and {_epsilon_star_text(spread.high)} "
        f"({_estimator_text(star)}): {spread.warning}."
    )


def _epsilon_star_text(value: float) -> str:
    return "undefined (the clip leaves no threshold)" if math.isnan(value) else short(value)


def _estimator_text(star: EpsilonStar) -> str:
    clip = star.suprema.clip
    clipped = "no clip" if clip is None else f"clip {short(clip)}"
    return f"{FORMS[star.method]}, δ = {short(star.suprema.delta)}, {clipped}"


LABEL_SIZE = 1  # of the invisible marker that carries the label of a line
APART = 0.17  # least distance of thresholds on the top axis, as a share of its length


class ClaimedEpsilon(ClaimLayer):
    """The claimed epsilon as a horizontal line; hidden if the y axis ends below the epsilon."""

    closed_form = True
    of = ("claim", "sample.epsilon_star")  # Epsilon* sets the axes
    line = Line(color=theme.CLAIM, width=2)
    label = Points(color=theme.CLAIM, size=LABEL_SIZE, labelled_first=True)

    def draw(self, result: Result) -> None:
        epsilon = result.claim.epsilon
        if epsilon > self.y.high:
            self.hide()
            return
        self.line.draw(self.frame.ends_of_horizontal_line(epsilon))
        text = f"{'claimed' if result.is_tested else 'ε ='} {short(upper(epsilon))}"
        self.label.draw(np.array([[self.x.high, epsilon]]), texts=[text])


class ClippedAreas(SampleLayer):
    """Shaded areas over the FPRs that the clip of Epsilon* leaves out."""

    of = ("sample.epsilon_star", "odds_decades")

    def add_marks(self) -> None:
        label = "left out by the clip"
        left = Area(color=theme.SHADE, opacity=0.2, outline=False, label=label, extra=True)
        self._sides = self.add_each("side", left, replace(left, label=""))

    def draw_sample(self, sample: SamplePart) -> None:
        part = sample.epsilon_star
        # Where no threshold is left, both areas meet in the middle.
        low, high = 0.0, 0.0
        if not np.isnan(part.curves.window[0]):
            decades = log10_odds_of(np.array(part.curves.window))
            low, high = np.clip(decades, self.x.low, self.x.high)
        ends = (self.x.low, low), (high, self.x.high)
        for side, (a, b) in zip(self._sides, ends, strict=True):
            side.draw(rectangle(a, b, *part.log_ratio_range) if b > a else NOTHING)


class ChanceBand(Layer):
    """The area below the 95 % quantile of Epsilon* under random membership; not drawn for a fit."""

    of = ("sample.audit.null", "spec.method", "sample.epsilon_star")
    area = Area(color=theme.SHADE, opacity=0.3, outline=False)
    label = Points(color=theme.SELECTION, size=LABEL_SIZE)

    def draw(self, result: Result) -> None:
        level = epsilon_star_quantile_by_chance(result)
        if level is None:
            self.hide()
            return
        top = min(level, self.y.high)
        self.area.draw(rectangle(self.x.low, self.x.high, 0.0, top))
        self.label.draw(np.array([[self.x.high, top / 2]]), texts=["chance"])


class CertifiedEpsilon(Layer):
    """A horizontal line at the certified bound; hidden if the bound is 0 or off the y axis."""

    of = ("claim", "sample.audit.bound", "sample.epsilon_star")
    line = Line(color=theme.ATTACK, width=1.5, labelled_first=True)

    def draw(self, result: Result) -> None:
        low, claimed = result.answer.certified, result.answer.claimed
        if low is None or not 0 < low <= self.y.high:
            self.hide()
            return
        self.line.set_label(f"certified ≥ {short_above(low, claimed or 0.0)}")
        self.line.draw(self.frame.ends_of_horizontal_line(low))


class EpsilonStarAxes(SampleLayer):
    """A layer without marks that sets the range of the y axis, and thresholds on the top axis."""

    of = ("sample.epsilon_star", "sample.histogram", "odds_decades")

    def draw_sample(self, sample: SamplePart) -> None:
        part = sample.epsilon_star
        self.y.set_range(*part.log_ratio_range)
        low, high = self.x.low, self.x.high
        # The name of the top axis stands at its left end, like a tick.
        texts = {low: f"{sample.histogram.kind} t"}
        for place, text in part.thresholds:
            apart = min(abs(place - other) for other in texts)
            if place <= high and apart >= APART * (high - low):
                texts[place] = text
        self.frame.top.set_ticked_range(low, high, texts)


NAMED = 2  # largest maxima that have a name; the others are often near to each other


class RatioCurvesLayer(SampleLayer):
    """The four log ratios of rates against the FPR (log-odds axis), each with its maximum."""

    of = ("sample.epsilon_star", "odds_decades")

    def add_marks(self) -> None:
        thin = [Line(color=color, width=0.8, extra=True) for color in theme.RATIO_COLORS]
        thin[0] = replace(thin[0], label="thin line: counts")
        self._counted = self.add_each("counted", *thin)
        looks = zip(theme.RATIO_COLORS, theme.RATIO_DASHES, strict=True)
        self._lines = self.add_each("line", *(Line(color=c, dash=dash) for c, dash in looks))
        maxima = (Points(color=color, marker="diamond") for color in theme.RATIO_COLORS)
        self._maxima = self.add_each("maximum", *maxima)
        star = Points(color=theme.ATTACK, marker="diamond", size=90, outline=2)
        self._star = self.add("star", star)

    def draw_sample(self, sample: SamplePart) -> None:
        part, curves = sample.epsilon_star, sample.epsilon_star.curves
        for line, curve in zip(self._lines, curves.curves, strict=True):
            line.draw(self._on_log_odds_axis(curve))
        for line, curve in zip(self._counted, curves.counted, strict=True):
            line.draw(NOTHING if curves.fitted is None else self._on_log_odds_axis(curve))
        # The largest maxima have a name, and the one that is Epsilon* has its number.
        suprema = part.star.suprema
        self._star.hide()
        named = np.argsort(suprema.log_ratios)[-NAMED:]
        for i, maximum in enumerate(suprema.maxima):
            if not maximum.log_ratio > self.y.low:
                self._maxima[i].hide()
                continue
            x = self.x.clamp(float(log10_odds_of(np.array(maximum.fpr))))
            # An infinite maximum is drawn below the top.
            low, high, y = self.y.low, self.y.high, maximum.log_ratio
            place = np.array([[x, high - 0.08 * (i + 1) * (high - low) if np.isinf(y) else y]])
            if i == suprema.index_of_largest:
                self._maxima[i].hide()
                self._star.draw(place, texts=[f"Epsilon* {short(max(0.0, maximum.log_ratio))}"])
            else:
                text = self.frame.naming.renamed(RATIOS[i]) if i in named else ""
                self._maxima[i].draw(place, texts=[text])

    def _on_log_odds_axis(self, curve: FloatArray) -> FloatArray:
        decades = np.clip(log10_odds_of(curve[:, 0]), self.x.low, self.x.high)
        return np.column_stack([decades, curve[:, 1]])


EPSILON_STAR = Scene(
    title=NAME,
    title_sentence="epsilon_star_title",
    subtitle_sentence="epsilon_star_subtitle",
    topic="epsilon_star",
    needs="scores",
    x=LOG_ODDS_AXIS,
    y=AxisSpec(label="implied ε (log ratio)", low=-2, high=4),
    has_top=True,
    right=26,  # half of a last tick of 99.99 %
    layers=lambda: [
        LogOddsAxisRange(),
        EpsilonStarAxes(),
        ChanceBand(),
        ClippedAreas(),
        RatioCurvesLayer(),
        ClaimedEpsilon(),
        CertifiedEpsilon(),
        SelectedFpr(),
    ],
)

TOPIC = Topic(
    sentences={
        "epsilon_star_title": TextWriter(title, IN_TITLE, "sample", NAME),
        "epsilon_star_subtitle": TextWriter(lambda _: SUBTITLE, IN_TITLE, fixed=True),
        "epsilon_star_lead": TextWriter(lead, "epsilon_star", "sample", NOT_LOADED, lead=True),
        "epsilon_star": TextWriter(epsilon_star_sentences, "epsilon_star", "sample", NOT_LOADED),
        "warnings": TextWriter(fit_warnings, "epsilon_star", "sample"),
    },
    scenes={"epsilon_star": EPSILON_STAR},
)
