"""Several attacks on one model: curves and bands, where each is lowest, their differences."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dpviz.analysis.attacks import FIRST, MOST_COMPARED
from dpviz.analysis.result import Result, SamplePart
from dpviz.analysis.topic import Registered, Table, Topic
from dpviz.analysis.topics.claim import as_it_is, attack_tail, on_axes
from dpviz.audit import AttackCurve, CurveBand, Difference, OperatingPoint, Stretch, TprDifference
from dpviz.audit.scores.base import Counts, Scores
from dpviz.checks import FloatArray, read_only
from dpviz.drawing import theme
from dpviz.drawing.layer import Layer, SampleLayer
from dpviz.drawing.layers import NamedLines, at_height
from dpviz.drawing.marks import Area, Line, Points
from dpviz.number_format import lower, percent, short, upper

MARKED_FPRS = (1e-3, 1e-2, 1e-1)  # vertices of the drawn curve, whatever else is left out


MOST_CORNERS = 512  # of a drawn hull


@dataclass(frozen=True, kw_only=True, eq=False)
class AttackPart:
    """What an attack reached: its drawn curve, columns FPR and FNR.

    `tail` holds corners of its steps, columns FPR and TPR, dense where either is small. `hull` has
    those of the convex curve below it, columns FPR and FNR: what random choices between two
    thresholds reach, too.
    """

    curve: FloatArray
    tail: FloatArray
    hull: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class ComparedAttack:
    """Another attack: its curve and band, and how far the first attack is ahead of it.

    The differences are first minus other; `paired` where both scored the same records.
    """

    name: str
    scores: Scores
    attack: AttackPart
    band: CurveBand
    at_fpr: OperatingPoint
    auc: float
    auc_difference: Difference
    tpr_difference: TprDifference


@dataclass(frozen=True, kw_only=True, eq=False)
class AttacksPart:
    """The compared attacks, and which curve is the lowest where: index 0 is the first attack."""

    compared: tuple[ComparedAttack, ...]
    stretches: tuple[Stretch, ...]


def attack_part(curve: AttackCurve) -> AttackPart:
    """Return what is drawn of an attack, exact at the marked FPRs."""
    corners = _thinned(curve.hull)
    return AttackPart(
        curve=read_only(curve.draw(at=MARKED_FPRS)),
        tail=attack_tail(curve),
        hull=read_only(np.column_stack([curve.fpr[corners], curve.fnr[corners]])),
    )


def are_same_records(one: Scores, other: Scores) -> bool:
    """Whether two scores are known to be of the same records in the same order.

    They are where both are columns of one table with the same column of membership, and no row was
    dropped.
    """
    read = [each.provenance for each in (one, other) if not each.is_binned]
    known = [each for each in read if each is not None and each.n_dropped == 0]
    tables = {(each.sha256, each.understood.partition("membership from ")[2]) for each in known}
    return len(known) == 2 and len(tables) == 1 and all(all(table) for table in tables)


def _thinned(corners: Counts) -> Counts:
    """At most `MOST_CORNERS` of the corners, both ends among them."""
    kept = np.linspace(0, corners.size - 1, min(corners.size, MOST_CORNERS)).round()
    return np.asarray(corners[kept.astype(int)])


# Several attacks: which curve is the lowest where, their differences, the bound of the best.
#
# Names of attacks are words of users: the naming of the rates is applied to all but them.

MOST_STRETCHES = 3  # that a sentence lists


HEAD = (
    "attack",
    "AUC",
    "TPR",
    "lead of this attack: AUC",
    "lead of this attack: TPR",
    "ε at least",
)


NOT_COMPUTED = "not computed"


# The curves that are compared are convex: below the steps that pictures show.
MIXED = ", once random choices between two of its thresholds are allowed"


UNKNOWN = (
    "It is not known that both scored the same records in the same order: their two intervals are "
    "compared, each at half the error probability, which holds either way."
)


def with_attacks(result: Result) -> bool:
    """Return whether attacks are compared."""
    return result.sample is not None and result.sample.attacks is not None


def lowest(result: Result) -> str:
    """Which measured curve is the lowest at which FPRs, and where the curves cross."""
    part = _part(result)
    names = [FIRST, *(each.name for each in part.compared)]
    runs = [(each.start, each.end, each.lowest) for each in part.stretches]
    merged: list[tuple[float, float, int]] = []  # without stretches on which all are equal
    for start, end, index in runs:
        if index is not None and merged and merged[-1][2] == index:
            merged[-1] = (merged[-1][0], end, index)
        elif index is not None:
            merged.append((start, end, index))
    if not merged:
        return "All measured curves are the same: no attack catches more members than another."
    if len(merged) == 1:
        best = _first(names[merged[0][2]])
        return f"{best} has the lowest measured curve: at every FPR no other catches more{MIXED}."
    *others, last = [(names[index], _at(result, end)) for _, end, index in merged]
    if len(merged) <= MOST_STRETCHES:
        leads = ", ".join(f"{name} up to {end}" for name, end in others)
        return f"The lowest measured curve: {leads}, {last[0]} above."
    here = next(names[index] for _, end, index in merged if result.fpr <= end)
    return (
        f"At {_at(result, result.fpr)} {here} has the lowest measured curve; the lead changes "
        f"{len(others)} times, from {others[0][1]} to {others[-1][1]}."
    )


def differences(result: Result) -> str:
    """How far each attack is ahead of the first one or behind it, and how sure that is."""
    part = _part(result)
    said = [text for each in part.compared for text in _difference(each, result)]
    some = next(iter(part.compared))
    level = percent(some.tpr_difference.confidence_level)
    rate = result.naming.renamed("TPR")
    said.append(f"Each limit of the {rate} holds at {level} confidence and at every sample size.")
    if any(not each.tpr_difference.paired for each in part.compared):
        said.append(UNKNOWN)
    return " ".join(said)


def _difference(attack: ComparedAttack, result: Result) -> list[str]:
    tpr, area = attack.tpr_difference, attack.auc_difference
    paired = (
        f"; of {attack.at_fpr.n_members} members {tpr.only_first} are caught by this attack alone, "
        f"{tpr.only_second} by {attack.name} alone"
        if tpr.paired
        else ""
    )
    p_value = "" if area.p_value is None else f", p = {short(upper(area.p_value))}"
    large = " (approximate: DeLong, large samples)" if area.note.startswith("approx") else ""
    return [
        f"At {_at(result, result.fpr)}, {_ahead(tpr, attack.name)}: "
        f"{result.naming.renamed('TPR')} {_limits(tpr)}{paired}.",
        f"In the AUC, {_ahead(area, attack.name)}: {_limits(area)}{p_value}{large}.",
    ]


def best_of(result: Result) -> str:
    """The bound of the best of all attacks, and what the choice among them costs."""
    if result.sample is None or result.sample.attacks is None:
        return ""
    audit, n = result.sample.audit, len(result.sample.attacks.compared) + 1
    found = audit.best_of
    if found is None:
        reason = dict(audit.refused).get("best_of", "not computed yet")
        return f"The best of {n} attacks: {reason}."
    level, each = percent(found.confidence_level), percent(found.each)
    paid = f"{level} confidence, each attack tested at {each} to pay for the choice"
    if found.low <= 0:
        return f"None of the {n} attacks certifies an ε above 0 ({paid})."
    claim, delta = result.claim.claim, result.claim.delta
    allowed = claim.epsilon(delta)
    against = (
        f" That contradicts the claim, which allows at most ε = {short(upper(allowed))} at "
        f"δ = {short(delta)}."
        if found.low > allowed
        else ""
    )
    low = short(lower(found.low))
    return f"Best of {n} attacks: {found.name} certifies ε ≥ {low} ({paid}).{against}"


def table(result: Result) -> list[tuple[str, ...]]:
    """A row for each attack, the first one on top."""
    part, sample = _part(result), result.sample
    if sample is None:
        return []
    bounds = sample.audit.best_of.bounds if sample.audit.best_of else {}
    low = {name: short(lower(bound.low)) for name, bound in bounds.items()}
    area, at = sample.rates.auc.value, sample.at_fpr
    first = (FIRST, short(area), percent(at.tpr), "", "", low.get(FIRST, NOT_COMPUTED))
    rows: list[tuple[str, ...]] = [first]
    for each in part.compared:
        rows.append(
            (
                each.name,
                short(each.auc),
                percent(each.at_fpr.tpr),
                _cell(each.auc_difference),
                _cell(each.tpr_difference),
                low.get(each.name, NOT_COMPUTED),
            )
        )
    return rows


def caption(result: Result) -> str:
    """What the rows are about."""
    level = percent(result.spec.confidence_level)
    return (
        f"Attacks at FPR {percent(result.fpr)}; limits at {level} confidence each, the lower "
        f"bounds of ε at {level} all together."
    )


def _at(result: Result, fpr: float) -> str:
    return result.naming.renamed(f"FPR {percent(fpr)}")


def _part(result: Result) -> AttacksPart:
    if result.sample is None or result.sample.attacks is None:
        raise ValueError("compare must have attacks for a sentence about them, got none")
    return result.sample.attacks


def _ahead(difference: Difference, name: str) -> str:
    """Which attack is ahead for sure, if one is."""
    if difference.sign == 0:
        return f"neither this attack nor {name} is surely ahead"
    return f"{FIRST if difference.sign > 0 else name} is ahead"


def _limits(difference: Difference) -> str:
    """The measured lead of the first attack, with its limits."""
    return "difference {} (between {} and {})".format(*_written(difference))


def _cell(difference: Difference) -> str:
    """The same for a table."""
    return "{} [{}, {}]".format(*_written(difference))


def _written(difference: Difference) -> tuple[str, str, str]:
    """The measured value and its limits, rounded outwards."""
    write = percent if isinstance(difference, TprDifference) else short
    low, high = _down(difference.low), -_down(-difference.high)
    return write(difference.value), write(low), write(high)


def _down(value: float) -> float:
    """Three significant digits, no larger than the value, which may be negative."""
    return lower(value) if value >= 0 else -upper(-value)


def _first(text: str) -> str:
    return text[0].upper() + text[1:] if text.startswith(FIRST) else text


# Areas between two curves: the attack's confidence band, and the band of no leakage.


class Limits(Protocol):
    """Two curves with columns FPR and FNR; `lower` is nowhere above `upper`."""

    @property
    def lower(self) -> FloatArray:
        """Lower limits of the FNR."""

    @property
    def upper(self) -> FloatArray:
        """Upper limits of the FNR."""


# From a curve with columns FPR and FNR to the coordinates of a picture.
OnAxes = Callable[[FloatArray], FloatArray]


class Band(Layer):
    """The area between two limits of a curve; None where a result has none."""

    def __init__(
        self,
        limits: Callable[[Result], Limits | None],
        *,
        color: str,
        opacity: float,
        label: str = "",
        extra: bool = False,
        on_axes: OnAxes,
    ) -> None:
        self._limits, self._on_axes = limits, on_axes
        self._mark = Area(color=color, opacity=opacity, outline=False, label=label, extra=extra)

    @property
    def label(self) -> str:
        """Its row in the legend."""
        return self._mark.label

    def add_marks(self) -> None:
        self._area = self.add("area", self._mark)

    def parts(self, result: Result) -> tuple[object, ...]:
        return (self._limits(result),)

    def draw(self, result: Result) -> None:
        limits = self._limits(result)
        if limits is None:
            self.hide()
        else:
            outline = [self._on_axes(limits.lower), self._on_axes(limits.upper)[::-1]]
            self._area.draw(np.vstack(outline))


def attack_band(on_axes: OnAxes = as_it_is) -> Band:
    """The confidence band of the attack's true curve, valid at all thresholds at once."""
    return Band(
        lambda result: None if result.sample is None else result.sample.band,
        color=theme.ATTACK,
        opacity=0.16,
        on_axes=on_axes,
    )


def null_band(on_axes: OnAxes = as_it_is) -> Band:
    """The band of measured curves of as many records when nothing leaks."""
    return Band(
        lambda result: None if result.sample is None else result.sample.audit.null_band,
        color=theme.SHADE,
        opacity=0.28,
        label="what chance alone gives (95 %)",
        extra=True,
        on_axes=on_axes,
    )


class RuledOut(SampleLayer):
    """The part of the picture, to its edge at height `beyond`, in which a claim is contradicted.

    The confidence is that of the band.
    """

    def __init__(self, on_axes: OnAxes = as_it_is, *, beyond: float = 1.0) -> None:
        self._on_axes, self._beyond = on_axes, beyond

    def add_marks(self) -> None:
        label = "a claim here is contradicted"
        self._area = self.add(
            "area", Area(color=theme.SHADE, opacity=0.12, outline=False, label=label, extra=True)
        )

    def sample_parts(self, sample: SamplePart) -> tuple[object, ...]:
        return (sample.band,)

    def draw_sample(self, sample: SamplePart) -> None:
        limit = self._on_axes(sample.band.upper)
        ends = np.array([[limit[-1, 0], self._beyond], [limit[0, 0], self._beyond]])
        self._area.draw(np.vstack([limit, ends]))


class SurelyReached(SampleLayer):
    """The upper limit of the attack's curve, as a line in the region."""

    def add_marks(self) -> None:
        label = "upper edge of the 95 % band"
        self._line = self.add(
            "line", Line(color=theme.LIMIT, dash="dotted", width=1.5, label=label, extra=True)
        )

    def sample_parts(self, sample: SamplePart) -> tuple[object, ...]:
        return (sample.band,)

    def draw_sample(self, sample: SamplePart) -> None:
        self._line.draw(sample.band.upper)


# The attack's measured curve.


class AttackCurveLayer(SampleLayer):
    """The empirical curve of the scores."""

    def __init__(self, on_axes: OnAxes = as_it_is) -> None:
        self._on_axes = on_axes

    def add_marks(self) -> None:
        mark = Line(color=theme.ATTACK, width=2.5, label="this attack (95 % band)")
        self._curve = self.add("curve", mark)

    def sample_parts(self, sample: SamplePart) -> tuple[object, ...]:
        return (sample.attack,)

    def draw_sample(self, sample: SamplePart) -> None:
        self._curve.draw(self._on_axes(sample.attack.curve))


# The edge of the region that an attack reaches, random choices between two thresholds included.


class AttackHull(SampleLayer):
    """The convex hull of the measured (FPR, FNR), towards the best corner: a mark behind "⋯".

    It lies below the measured curve, so on its own it would make the attack look stronger.
    """

    def add_marks(self) -> None:
        mark = Line(
            color=theme.ATTACK, width=1.5, dash="dashed", label="mixing two thresholds", extra=True
        )
        self._edge = self.add("edge", mark)

    def sample_parts(self, sample: SamplePart) -> tuple[object, ...]:
        return (sample.attack,)

    def draw_sample(self, sample: SamplePart) -> None:
        self._edge.draw(sample.attack.hull)


# The attack at the selected FPR.


class AttackPoint(SampleLayer):
    """The attack at the selected FPR."""

    def __init__(self, on_axes: OnAxes = as_it_is) -> None:
        self._on_axes = on_axes

    def add_marks(self) -> None:
        self._point = self.add("point", Points(color=theme.ATTACK))

    def sample_parts(self, sample: SamplePart) -> tuple[object, ...]:
        return (sample.at_fpr,)

    def draw_sample(self, sample: SamplePart) -> None:
        at = sample.at_fpr
        self._point.draw(self._on_axes(np.array([[at.fpr, at.fnr]])))


# Other attacks beside the first: their curves and bands, each told apart by dash and name.


class ComparedAttacks(NamedLines[AttackPart]):
    """The measured curves of the attacks that are compared with the first one."""

    styles = tuple((theme.ATTACK, dash, width) for dash, width in theme.ATTACKS)

    def parts(self, result: Result) -> tuple[object, ...]:
        return tuple(part for _, part in self.named(result))

    def named(self, result: Result) -> list[tuple[str, AttackPart]]:
        return [(each.name, each.attack) for each in _compared(result)]


class ComparedBands(Layer):
    """The confidence band of each compared attack; all but the first only among all marks."""

    def __init__(self, on_axes: OnAxes = as_it_is) -> None:
        self._on_axes = on_axes

    def add_marks(self) -> None:
        marks = [
            Area(color=theme.ATTACK, opacity=0.1, outline=False, extra=i > 0)
            for i in range(MOST_COMPARED)
        ]
        self._areas = self.add_each("band", *marks)

    def parts(self, result: Result) -> tuple[object, ...]:
        return tuple(each.band for each in _compared(result))

    def draw(self, result: Result) -> None:
        bands = [each.band for each in _compared(result)]
        for area in self._areas[len(bands) :]:
            area.hide()
        for area, band in zip(self._areas, bands, strict=False):
            limits = self._on_axes(band.lower), self._on_axes(band.upper)[::-1]
            area.draw(np.vstack(limits))


def on_attack(attack: AttackPart, i: int) -> tuple[float, float]:
    """Place of the i-th name: on the curve, from FNR 0.45 downwards."""
    return at_height(attack.curve, 0.45 - 0.08 * i)


def on_attack_roc(attack: AttackPart, i: int) -> tuple[float, float]:
    """The same with the members that are detected."""
    fpr, fnr = on_attack(attack, i)
    return fpr, 1 - fnr


def compared_tail(attack: AttackPart) -> FloatArray:
    """The steps of an attack on logarithmic axes."""
    return on_axes(attack.tail)


def on_steps(attack: AttackPart, i: int) -> tuple[float, float]:
    """Place of the i-th name on logarithmic axes: at a corner, from FPR 0.1 to the left."""
    corners = compared_tail(attack)
    at = int(np.searchsorted(corners[:, 0], 10.0 ** (-1 - 0.4 * i), side="right")) - 1
    return float(corners[max(at, 0), 0]), float(corners[max(at, 0), 1])


def _compared(result: Result) -> tuple[ComparedAttack, ...]:
    sample = result.sample
    return () if sample is None or sample.attacks is None else sample.attacks.compared


def of_attacks(
    write: Callable[[Result], str], picture: str, *, in_sight: bool = False
) -> Registered[str]:
    """Return a sentence about several attacks, whose names are words of users."""
    return Registered(
        lambda result: write(result) if with_attacks(result) else "",
        picture,
        in_sight=in_sight,
        quotes=True,
    )


TOPIC = Topic(
    tables={
        "attacks": Registered(
            lambda r: Table(caption(r), HEAD, table(r)),
            when=with_attacks,
            quotes=True,
        ),
    },
)
