"""The privacy region, and the point in it."""

import math

import numpy as np

from dpviz.analysis.result import PointPart, Result
from dpviz.analysis.topic import Registered, Topic, as_claim_lead
from dpviz.analysis.topics.attacks import (
    AttackCurveLayer,
    AttackHull,
    ComparedAttacks,
    SurelyReached,
    attack_band,
    on_attack,
)
from dpviz.analysis.topics.claim import ClaimRegion, Overlays, conversion, on_far_edge, the_claim
from dpviz.analysis.words import RATIOS, WORDS
from dpviz.drawing import theme
from dpviz.drawing.frame import rectangle
from dpviz.drawing.layer import ClaimLayer, Layer
from dpviz.drawing.layers import FNR, FPR, add_random_guessing
from dpviz.drawing.marks import NOTHING, Area, Handle, Points
from dpviz.drawing.scene import Scene
from dpviz.number_format import lower, percent, short, short_above, tidy_rate, upper
from dpviz.theory import TotalVariation

NO_LIMIT = -1e-9  # an inequality that implies less allows every epsilon; 0 has rounding errors
SAME_INEQUALITY = (
    "TPR/FPR stands for two published inequalities, which are one: e^ε FPR + FNR ≥ 1 - δ says the "
    "same as 1 - FNR ≤ e^ε FPR + δ."
)
FLIPPED = (
    "An attack that flips all its answers has the rates 1 - FPR and 1 - FNR instead: the region "
    "allows both points or neither."
)


def about(result: Result) -> str:
    """Whether the claim allows the point, and the epsilon it implies."""
    point = result.point
    return conversion(result) + WORDS[f"region.{point.source}"].format(
        fpr=percent(point.fpr),
        fnr=percent(lower(point.fnr) if point.source == "claim" else point.fnr),
        place="inside" if point.admitted else "outside",
        claim=the_claim(result),
        allowing=allowing(result),
        epsilon=short(point.epsilon),
        delta=short(result.claim.delta),
    )


def implied(result: Result) -> str:
    """The epsilon each of the four inequalities implies for the point."""
    measured = WORDS["implied.measured"] if result.point.source == "attack" else ""
    each = "; ".join(
        f"{rates}: {short(max(0.0, epsilon))}"
        for rates, epsilon in zip(RATIOS, result.point.implied_epsilons, strict=True)
        if epsilon > NO_LIMIT
    )
    template = WORDS["implied" if each else "implied.any"]
    return template.format(delta=short(result.claim.delta), measured=measured, each=each)


def point_box(result: Result) -> str:
    """The limits of both true rates that are drawn around the attack's point."""
    if result.sample is None or result.point.source != "attack":
        return ""
    box = result.sample.box
    fpr, fnr = (
        f"{percent(lower(low))} to {percent(upper(high))}"
        for low, high in ((box.fpr_low, box.fpr_high), (box.fnr_low, box.fnr_high))
    )
    return (
        f"The box around the point has limits of both true rates, FPR {fpr} and FNR {fnr}, which "
        f"hold at every threshold at once ({percent(box.confidence_level)} confidence)."
    )


def pinned_point(result: Result) -> str:
    """Which of two points leaks more: the one that is kept, or the one that moves."""
    kept, moved = result.pinned, result.point
    if kept is None:
        return ""
    more = f"this one {_leaks_than(moved.epsilon, kept.epsilon)}"
    measured = " (as measured)" if moved.source == "attack" else ""
    return (
        f"The pinned point (FPR {percent(kept.fpr)}, FNR {percent(kept.fnr)}) needs "
        f"{_from(kept, moved)}, this one {_from(moved, kept)}{measured} at δ = "
        f"{short(result.claim.delta)}: {more}."
    )


def _from(point: PointPart, other: PointPart) -> str:
    if math.isinf(point.epsilon):
        return "more than any finite ε"
    return f"ε ≥ {short_above(point.epsilon, other.epsilon)}"


def _leaks_than(one: float, other: float) -> str:
    if one == other:
        return "leaks as much"
    return "leaks more" if one > other else "leaks less"


def allowing(result: Result) -> str:
    """Which epsilons allow the point."""
    epsilon = result.point.epsilon
    if epsilon == 0:
        return WORDS["allowing.every"]
    if math.isinf(epsilon):
        return WORDS["allowing.none"]
    return WORDS["allowing.from"].format(epsilon=needed(result))


def needed(result: Result) -> str:
    """The least epsilon that allows the point; more than claimed where the claim does not."""
    point = result.point
    return short_above(point.epsilon, math.inf if point.admitted else result.claim.epsilon)


def lead(result: Result) -> str:
    """Where the point lies, beside what the claim allows at its FPR."""
    point, claim = result.point, result.claim.claim
    least = float(claim.beta(point.fpr))
    kind = point.source
    # An attack that is wrong too often lies outside above the region.
    above = kind == "attack" and not point.admitted and point.fnr >= least
    return WORDS["region_lead.above" if above else f"region_lead.{kind}"].format(
        fpr=percent(point.fpr),
        fnr=percent(point.fnr),
        tpr=percent(upper(claim.tpr(point.fpr))),
        least=percent(lower(least)),
        place="inside" if point.admitted else "outside",
        allowing=allowing(result),
    )


def lead_without_claim(result: Result) -> str:
    """Where the point lies."""
    point = result.point
    if point.source == "claim":
        return WORDS["no_claim"]
    kind = "measured" if point.source == "attack" else "point"
    return WORDS[f"region_lead.{kind}"].format(
        fpr=percent(point.fpr), fnr=percent(point.fnr), allowing=allowing(result)
    )


# A point that is kept in the region, beside the one that moves.


class PinnedPoint(Layer):
    """The kept (FPR, FNR), an open circle with what it needs."""

    def add_marks(self) -> None:
        self._point = self.add("point", Points(color=theme.ATTACK, size=90, outline=2))

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.pinned,)

    def draw(self, result: Result) -> None:
        kept = result.pinned
        if kept is None:
            self._point.hide()
        else:
            text = WORDS["point"].format(place="pinned", epsilon=short(lower(kept.epsilon)))
            place = np.array([[kept.fpr, kept.fnr]])
            self._point.draw(place, texts=[text])


# The limits of the true rates at the attack's threshold, around its point.


class PointBox(Layer):
    """Clopper-Pearson limits of both rates, at the level at which all thresholds' limits hold.

    So they hold wherever the point is, even where the data chose it.
    """

    def add_marks(self) -> None:
        self._box = self.add("box", Area(color=theme.ATTACK, opacity=0.12, width=1))

    def parts(self, result: Result) -> tuple[object, ...]:
        is_counted = result.sample is not None and result.point.source == "attack"
        return (result.sample.box,) if result.sample is not None and is_counted else ()

    def draw(self, result: Result) -> None:
        shown = self.parts(result)
        if not shown or result.sample is None:
            self.hide()
        else:
            box = result.sample.box
            self._box.draw(rectangle(box.fpr_low, box.fpr_high, box.fnr_low, box.fnr_high))


# The point in the region: dragged to see what an attack with these errors would need.


class FlippedPoint(Layer):
    """The point of the attack that gives the opposite answers."""

    closed_form = True

    def add_marks(self) -> None:
        self._point = self.add(
            "point", Points(color=theme.ATTACK, outline=1.5, label="answers flipped", extra=True)
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.point,)

    def draw(self, result: Result) -> None:
        self._point.draw(np.array([[1 - result.point.fpr, 1 - result.point.fnr]]))


class RegionPoint(Layer):
    """A draggable (FPR, FNR): a diamond where the claim allows it, a cross where it does not."""

    closed_form = True

    def add_marks(self) -> None:
        self._handle = self.add(
            "handle",
            Handle(
                color=theme.ATTACK,
                marker="diamond",
                on_move=lambda fpr, fnr: self.change(
                    fpr=tidy_rate(fpr, digits=4), fnr=tidy_rate(fnr, digits=4)
                ),
            ),
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.point, result.claim)

    def draw(self, result: Result) -> None:
        point = result.point
        # Of measured rates the label says no epsilon and no place: a cross that chance alone may
        # put outside must not read as the answer.
        if point.source == "attack":
            label = WORDS["point.measured"]
        elif result.is_claimed:
            place = "allowed" if point.admitted else "not allowed"
            label = WORDS["point"].format(place=place, epsilon=needed(result))
        elif point.source == "chosen":
            label = WORDS["point.chosen"].format(epsilon=needed(result))
        else:
            label = ""
        marker = "diamond" if point.admitted else "cross"
        self._handle.place(point.fpr, point.fnr, marker=marker, text=label)


# The errors that delta allows by itself.


class DeltaBand(ClaimLayer):
    """Every (FPR, FNR) of an attacker with advantage at most delta: allowed even at epsilon 0."""

    closed_form = True

    def add_marks(self) -> None:
        label = "allowed by δ alone"
        self._area = self.add(
            "area", Area(color=theme.BAND, opacity=0.45, outline=False, label=label, extra=True)
        )
        add_random_guessing(self.frame)

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.claim,)

    def draw(self, result: Result) -> None:
        # Only a claim with a delta of its own has this band.
        delta = result.claim.claim.parameters.get("delta", 0.0)
        self._area.draw(TotalVariation(delta=delta).region() if delta > 0 else NOTHING)


REGION = Scene(
    title="What does the claim allow?",
    title_with_scores="Does the attack leave what is promised?",
    title_without_claim="Which errors does the attack make?",
    shape="square",
    topic="region",
    x=FPR,
    y=FNR,
    layers=lambda: [
        ClaimRegion(),
        DeltaBand(),
        attack_band(),
        Overlays(lambda overlay: overlay.region, on_far_edge, closed=True),
        SurelyReached(),
        AttackHull(),
        AttackCurveLayer(),
        ComparedAttacks(lambda attack: attack.curve, on_attack),
        FlippedPoint(),
        PointBox(),
        PinnedPoint(),
        RegionPoint(),
    ],
)


TOPIC = Topic(
    sentences={
        "region_lead": as_claim_lead(lead, "region", lead_without_claim),
        "region": Registered(about, "region", about_claim=True),
        "implied": Registered(implied, "region"),
        "same_inequality": Registered(lambda _: SAME_INEQUALITY, "region", fixed=True),
        "flipped": Registered(lambda _: FLIPPED, "region", fixed=True),
        "point_box": Registered(point_box, "region"),
        "pinned_point": Registered(pinned_point, "region", in_sight=True),
    },
    scenes={
        "region": REGION,
    },
)
