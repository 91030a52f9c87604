"""The measured attack and other attacks: curves, bands, differences and lower bounds."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import groupby
from typing import cast

import numpy as np

from dpviz.analysis.attacks import FIRST_ATTACK, MOST_COMPARED
from dpviz.analysis.result import Result, SamplePart
from dpviz.analysis.topic import Table, TextWriter, Topic
from dpviz.analysis.words import capitalised
from dpviz.audit import AttackCurve
from dpviz.audit.comparison import Difference, Stretch, TprDifference
from dpviz.audit.evidence.null import NullBand
from dpviz.audit.roc import CurveBand, OperatingPoint
from dpviz.audit.scores.base import Scores
from dpviz.checks import FloatArray, read_only
from dpviz.drawing import Area, Layer, Line, Points, SampleLayer, theme
from dpviz.drawing.axes import HALF_PIXEL, without_close_vertices
from dpviz.drawing.frame import MOST_VERTICES
from dpviz.drawing.layers import NamedLines, point_at_fnr
from dpviz.number_format import lower, percent, short, upper
from dpviz.value_object import ValueObject

MARKED_FPRS = (1e-3, 1e-2, 1e-1)  # always vertices of the drawn curve
MOST_CORNERS = 512  # of a drawn hull
MAX_TAIL_STEPS = 120  # of a curve on logarithmic axes, along each axis


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AttackPart(ValueObject):
    """The curves of one attack for drawing: measured, on log axes, and the lower convex hull."""

    curve: FloatArray  # columns FPR and FNR
    log_axes_curve: FloatArray  # columns FPR and TPR
    hull: FloatArray  # columns FPR and FNR


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ComparedAttack(ValueObject):
    """An attack compared with the first attack; differences are first attack minus this attack."""

    name: str
    scores: Scores
    attack: AttackPart
    band: CurveBand
    at_fpr: OperatingPoint
    auc: float
    auc_difference: Difference
    tpr_difference: TprDifference


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AttackComparison(ValueObject):
    """The compared attacks, and the ranges of the FPR in which an attack has the lowest curve."""

    compared: tuple[ComparedAttack, ...]
    stretches: tuple[Stretch, ...]


def attack_part(curve: AttackCurve) -> AttackPart:
    """Return the curves of an attack for drawing, from its exact measured curve."""
    # At most `MOST_CORNERS` corners of the hull, both ends among them.
    hull = curve.hull_indices
    corners = hull[np.linspace(0, hull.size - 1, min(hull.size, MOST_CORNERS)).round().astype(int)]
    return AttackPart(
        curve=read_only(curve.draw(at=MARKED_FPRS)),
        log_axes_curve=_log_axes_curve(curve),
        hull=read_only(np.column_stack([curve.fpr[corners], curve.fnr[corners]])),
    )


def _log_axes_curve(curve: AttackCurve) -> FloatArray:
    """Return a thinned ROC curve (columns FPR and TPR), with evenly spread vertices on log axes."""
    # Vertices whose count is the first to reach a number of a log grid; at each FPR the last.
    wanted = [
        np.searchsorted(counts, np.unique(np.geomspace(1, n, MAX_TAIL_STEPS).astype(np.int64)))
        for counts, n in (
            (curve.false_positives, curve.n_nonmembers),
            (curve.true_positives, curve.n_members),
        )
    ]
    some = curve.false_positives[np.unique(np.concatenate([[0], *wanted]))]
    last = np.unique(np.searchsorted(curve.false_positives, some, side="right") - 1)
    return read_only(np.column_stack([curve.fpr[last], curve.tpr[last]]))


def are_same_records(one: Scores, other: Scores) -> bool:
    """Return whether two attacks scored the same records, as far as their files show."""
    read = [each.provenance for each in (one, other) if not each.is_binned]
    known = [each for each in read if each is not None and each.n_dropped == 0]
    tables = {(each.sha256, each.understood.partition("membership from ")[2]) for each in known}
    return len(known) == 2 and len(tables) == 1 and all(all(table) for table in tables)


def has_other_attacks(result: Result) -> bool:
    """Return whether the result has other attacks to compare with the first."""
    return result.sample is not None and result.sample.attacks is not None


MOST_STRETCHES = 3  # stretches of FPRs that a sentence lists


def lowest_curve_sentence(part: AttackComparison, result: Result) -> str:
    """Say which attack has the lowest measured curve, and in which ranges of the FPR."""
    names = [FIRST_ATTACK, *(each.name for each in part.compared)]
    runs = [(each.lowest, each.end) for each in part.stretches]
    # Adjacent stretches of the same attack are joined; those where all are equal are left out.
    known = [(index, end) for index, end in runs if index is not None]
    merged = [(names[index], [*run][-1][1]) for index, run in groupby(known, lambda run: run[0])]
    if not merged:
        return "All measured curves are equal: no attack catches more members than another."
    if len(merged) == 1:
        ((best, _),) = merged
        best = capitalised(best) if best == FIRST_ATTACK else best
        # Convex hulls are compared; they lie below the steps that pictures show.
        return (
            f"{best} has the lowest measured curve. If each attack may choose between two "
            "thresholds at random, no other compared attack catches more members at any FPR."
        )
    *others, (last, _) = [(name, _fpr_text(result, end)) for name, end in merged]
    if len(merged) <= MOST_STRETCHES:
        leads = ", ".join(f"{name} up to {end}" for name, end in others)
        return f"Attack with the lowest measured curve: {leads}, {last} above."
    here = next(name for name, end in merged if result.fpr <= end)
    return (
        f"At {_fpr_text(result, result.fpr)} {here} has the lowest measured curve; the lead "
        f"changes {len(others)} times between {others[0][1]} and {others[-1][1]}."
    )


ONE_RUN_INTERVALS = (
    " Intervals assume independent scores, but the scores of one training run depend on each other."
)


def differences_sentences(part: AttackComparison, result: Result) -> str:
    """Say how each other attack differs from the first in TPR and AUC, with confidence limits."""
    texts = [text for each in part.compared for text in _difference_sentences(each, result)]
    level = percent(part.compared[0].tpr_difference.confidence_level)
    rate = result.naming.renamed("TPR")
    texts.append(
        f"Each {rate} difference has an interval with {level} confidence, also in small samples."
    )
    if any(not each.tpr_difference.paired for each in part.compared):
        texts.append(
            "It is unknown whether the attacks scored the same records in the same order. The "
            "comparison is valid even if they did not: it uses an interval for each attack, with "
            "half of the error probability."
        )
    return " ".join(texts) + ONE_RUN_INTERVALS * result.spec.is_one_run


def _difference_sentences(attack: ComparedAttack, result: Result) -> list[str]:
    """Return sentences on how an attack differs from the first attack in TPR and in AUC."""
    tpr, area = attack.tpr_difference, attack.auc_difference
    paired = ""
    if tpr.paired:
        paired = (
            f"; of {attack.at_fpr.n_members} members, {tpr.only_first} are caught by this attack "
            f"alone and {tpr.only_second} by “{attack.name}” alone"
        )
    p_value = "" if area.p_value is None else f", p = {short(upper(area.p_value))}"
    between = "difference {} ({} to {})"
    large = " (DeLong, approximate in small samples)" if area.note.startswith("approx") else ""
    rate, rates = result.naming.renamed("TPR"), between.format(*difference_texts(tpr))
    areas = between.format(*difference_texts(area))
    at = f"At {_fpr_text(result, result.fpr)}"
    return [
        f"{at}, {_who_is_ahead_clause(tpr, attack.name)}: {rate} {rates}{paired}.",
        f"By the AUC, {_who_is_ahead_clause(area, attack.name)}: {areas}{p_value}{large}.",
    ]


def _who_is_ahead_clause(difference: Difference, other_attack: str) -> str:
    if difference.sign == 0:
        return f"neither this attack nor {other_attack} is significantly better"
    return f"{FIRST_ATTACK if difference.sign > 0 else other_attack} is better"


def best_attack_sentence(sample: SamplePart, result: Result) -> str:
    """Say which epsilon the best of several attacks certifies, corrected for the choice."""
    if sample.attacks is None:
        return ""
    best, n = sample.audit.best_of, len(sample.attacks.compared) + 1
    if best is None:
        reason = dict(sample.audit.refused).get("best_of", "not computed yet")
        return f"The best of {n} attacks: {reason}."
    level, alone = percent(best.confidence_level), percent(best.level_of_each)
    paid = f"{level} confidence; each attack is tested at {alone} because the best is chosen"
    if best.low <= 0:
        return f"None of the {n} attacks certifies an ε above 0 ({paid})."
    claim, delta = result.claim.claim, result.claim.delta
    text = f"Best of {n} attacks: {best.name} certifies ε ≥ {short(lower(best.low))} ({paid})."
    allowed = claim.epsilon(delta)
    if best.low <= allowed:
        return text
    return text + (
        f" This bound contradicts the claim, which allows at most ε = {short(upper(allowed))} at δ "
        f"= {short(delta)}."
    )


DIFFERENCE_HEAD = "lead of this attack"
HEAD = ("attack", "AUC", "TPR", f"{DIFFERENCE_HEAD}: AUC", f"{DIFFERENCE_HEAD}: TPR", "ε at least")


def table(sample: SamplePart, result: Result) -> Table:
    """Return the table of attacks, with the first attack in the first row."""
    best = sample.audit.best_of
    bounds = {name: short(lower(bound.low)) for name, bound in best.bounds.items()} if best else {}
    rows = [(FIRST_ATTACK, short(sample.rates.auc.value), percent(sample.at_fpr.tpr), "", "")]
    cell = "{} [{}, {}]"
    for each in _compared_attacks(result):
        leads = (each.auc_difference, each.tpr_difference)
        area, tpr = (cell.format(*difference_texts(lead)) for lead in leads)
        rows.append((each.name, short(each.auc), percent(each.at_fpr.tpr), area, tpr))
    level = percent(result.spec.confidence_level)
    caption = (
        f"Attacks at FPR {percent(result.fpr)}. Each interval holds at {level} confidence; the "
        f"lower bounds of ε hold jointly at {level}."
    )
    return Table(caption, HEAD, [(*row, bounds.get(row[0], "not computed")) for row in rows])


def _fpr_text(result: Result, fpr: float) -> str:
    return result.naming.renamed(f"FPR {percent(fpr)}")


def difference_texts(difference: Difference) -> tuple[str, str, str]:
    """Return as texts a measured difference and its confidence limits, rounded outwards."""
    write = percent if isinstance(difference, TprDifference) else short
    # Outwards: a negative limit is rounded as its absolute value, in the other direction.
    low, high = (
        sign * (lower(end) if end >= 0 else -upper(-end))
        for sign, end in ((1, difference.low), (-1, -difference.high))
    )
    return write(difference.value), write(low), write(high)


FnrLimits = CurveBand | NullBand  # `lower` and `upper` are curves with columns FPR and FNR
# A function that maps a curve with columns FPR and FNR to the coordinates of a picture; for a
# picture whose axes are FPR and FNR, `np.asarray`.
CurveMap = Callable[[FloatArray], FloatArray]


class MappedCurves(Layer):
    """A layer of curves (FPR, FNR), which `to_axes` maps to the coordinates of the picture."""

    def __init__(self, to_axes: CurveMap = np.asarray) -> None:
        self._to_axes = to_axes

    def on_axes(self, curve: FloatArray) -> FloatArray:
        """Return a curve (FPR, FNR) in the picture's coordinates, within the range of the axes."""
        return self.frame.cropped(self._to_axes(curve))


class FnrBand(MappedCurves):
    """A layer that shades the area between the lower and the upper limits of the FNR."""

    def __init__(self, limits_path: str, area: Area, to_axes: CurveMap) -> None:
        super().__init__(to_axes)
        self.of = (limits_path, "odds_decades")
        self._mark, self.label = area, area.label

    def add_marks(self) -> None:
        self._area = self.add("area", self._mark)

    def draw(self, result: Result) -> None:
        limits, _ = self.needed_parts(result)
        if limits is None:
            self.hide()
        else:
            self._area.draw(band_outline(cast(FnrLimits, limits), self.on_axes))


def band_outline(limits: FnrLimits, to_axes: CurveMap) -> FloatArray:
    """Return the outline of a band: along its lower limits, then back along its upper limits."""
    # On log-odds axes vertices one or two pixels apart are merged.
    lines = [to_axes(limits.lower), to_axes(limits.upper)[::-1]]
    outline, cell = np.vstack(lines), HALF_PIXEL
    while len(outline) > MOST_VERTICES:
        cell *= 1.1
        outline = np.vstack([without_close_vertices(line, (cell, cell)) for line in lines])
    return outline


def attack_band(to_axes: CurveMap = np.asarray) -> FnrBand:
    """Return a layer that draws the attack's simultaneous confidence band."""
    return FnrBand("sample.band", Area(color=theme.ATTACK, opacity=0.16, outline=False), to_axes)


def null_band(to_axes: CurveMap = np.asarray) -> FnrBand:
    """Return a layer of the band in which 95 % of measured curves lie under random membership."""
    label = "what chance alone gives (95 %)"
    area = Area(color=theme.SHADE, opacity=0.28, outline=False, label=label, extra=True)
    return FnrBand("sample.audit.null_band", area, to_axes)


class RuledOutArea(MappedCurves, SampleLayer):
    """The area above the upper FNR limits; a claim whose curve enters this area is refuted."""

    of = ("sample.band", "spec.is_one_run")
    label = "a claim here is contradicted"
    area = Area(color=theme.SHADE, opacity=0.12, outline=False, label=label, extra=True)

    def __init__(self, to_axes: CurveMap = np.asarray, *, edge_y: float = 1.0) -> None:
        super().__init__(to_axes)
        self._edge_y = edge_y

    def draw(self, result: Result) -> None:
        # Scores of one training run depend on each other: there the band contradicts no claim.
        if result.spec.is_one_run:
            self.hide()
        else:
            super().draw(result)

    def draw_sample(self, sample: SamplePart) -> None:
        limit = self.on_axes(sample.band.upper)
        ends = np.array([[limit[-1, 0], self._edge_y], [limit[0, 0], self._edge_y]])
        self.area.draw(self.frame.cropped(np.vstack([limit, ends])))


class UpperBandEdge(SampleLayer):
    """The upper edge of the simultaneous confidence band: the upper limits of the FNR."""

    of = ("sample.band",)
    line = Line(color=theme.LIMIT, dash="dotted", width=1.5, extra=True)

    def draw_sample(self, sample: SamplePart) -> None:
        self.line.set_label(f"upper edge of the {percent(sample.band.confidence_level)} band")
        self.line.draw(sample.band.upper)


class AttackCurveLayer(MappedCurves, SampleLayer):
    """The measured curve of the attack."""

    of = ("sample.attack", "sample.band", "odds_decades")
    curve = Line(color=theme.ATTACK, width=2.5)

    def draw_sample(self, sample: SamplePart) -> None:
        self.curve.set_label(attack_curve_label(sample.band))
        self.curve.draw(self.on_axes(sample.attack.curve))


def attack_curve_label(band: CurveBand) -> str:
    """Return the label of the attack's curve, with the confidence level of the band around it."""
    return f"this attack ({percent(band.confidence_level)} band)"


class AttackHull(SampleLayer):
    """The lower convex hull of the measured curve: what random mixes of two thresholds reach."""

    of = ("sample.attack",)
    edge = Line(
        color=theme.ATTACK, width=1.5, dash="dashed", label="mixing two thresholds", extra=True
    )

    def draw_sample(self, sample: SamplePart) -> None:
        self.edge.draw(sample.attack.hull)


class AttackPoint(MappedCurves, SampleLayer):
    """The attack's operating point at the selected FPR."""

    of = ("sample.at_fpr",)
    point = Points(color=theme.ATTACK)

    def draw_sample(self, sample: SamplePart) -> None:
        at = sample.at_fpr
        ((x, y),) = self._to_axes(np.array([[at.fpr, at.fnr]]))
        self.point.draw(np.array([[self.x.clamp(x), self.y.clamp(y)]]))


class OtherAttackCurves(NamedLines[AttackPart]):
    """The measured curves of the other attacks, with their names."""

    styles = tuple((theme.ATTACK, dash, width) for dash, width in theme.ATTACKS)

    def needed_parts(self, result: Result) -> tuple[object, ...]:
        return tuple(part for _, part in self.named_parts(result))

    def named_parts(self, result: Result) -> list[tuple[str, AttackPart]]:
        return [(each.name, each.attack) for each in _compared_attacks(result)]


class OtherAttackBands(MappedCurves):
    """Confidence bands of the other attacks; each band but the first is an optional mark."""

    def add_marks(self) -> None:
        first = Area(color=theme.ATTACK, opacity=0.1, outline=False)
        others = [replace(first, extra=True)] * (MOST_COMPARED - 1)
        self._areas = self.add_each("band", first, *others)

    def needed_parts(self, result: Result) -> tuple[object, ...]:
        return tuple(each.band for each in _compared_attacks(result))

    def draw(self, result: Result) -> None:
        bands = [each.band for each in _compared_attacks(result)]
        for area in self._areas[len(bands) :]:
            area.hide()
        for area, band in zip(self._areas, bands, strict=False):
            area.draw(band_outline(band, self.on_axes))


def _compared_attacks(result: Result) -> tuple[ComparedAttack, ...]:
    sample = result.sample
    return () if sample is None or sample.attacks is None else sample.attacks.compared


def attack_label_point(attack: AttackPart, index: int) -> tuple[float, float]:
    """Return the point (FPR, FNR) on an attack's curve at which the attack's name is drawn."""
    return point_at_fnr(attack.curve, 0.45 - 0.08 * index)


def band_sentence(sample: SamplePart, result: Result) -> str:
    """Say what the confidence band around the attack's curve means."""
    level = percent(sample.band.confidence_level)
    if result.spec.is_one_run:
        return (
            f"The band ({level} confidence) assumes independent scores. The scores of one training "
            "run depend on each other, so the band contradicts no claim here."
        )
    text = (
        f"The band covers the attack's true curve at all thresholds at once ({level} confidence). "
        "A claim whose curve rises above the band, into the light grey area, is contradicted. A "
        "claim whose curve stays below the area is not confirmed."
    )
    null = sample.audit.null_band
    if null is None:
        return text
    return text + (
        " If nothing leaked, the measured curve of this many records would lie inside the darker "
        f"grey band in {percent(null.share)} of audits (simulated)."
    )


TOPIC = Topic(
    tables={"attacks": TextWriter(table, of="sample", when=has_other_attacks, user_text=True)},
)
