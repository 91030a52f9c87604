"""The privacy region (all pairs of FPR and FNR that the claim allows), and one point."""

import math
from dataclasses import replace

import numpy as np

from dpviz.analysis.result import Result, SamplePart
from dpviz.analysis.topic import IN_TITLE, TextWriter, Topic
from dpviz.analysis.topics import attacks
from dpviz.analysis.topics import claim as claims
from dpviz.analysis.topics.answer import short_claim_text
from dpviz.analysis.words import RATIOS, WORDS
from dpviz.drawing import PLANE, rectangle, theme
from dpviz.drawing.layer import ClaimLayer, Layer, SampleLayer
from dpviz.drawing.layers import add_guessing_line
from dpviz.drawing.marks import NOTHING, Area, Handle, Points
from dpviz.number_format import (
    lower,
    percent,
    percent_at_most,
    short,
    short_above,
    tidy_rate,
)
from dpviz.theory.mechanisms.claims import TotalVariation

ROUNDING = 1e-9  # an implied epsilon between minus this and this is 0 with a rounding error

SAME_INEQUALITY = (
    "ε from TPR/FPR is the smallest ε for which 1 - FNR ≤ e^ε × FPR + δ. Papers also write "
    "this inequality as e^ε × FPR + FNR ≥ 1 - δ."
)

FLIPPED = (
    "If an attack flips all its answers, its rates become 1 - FPR and 1 - FNR. The region contains "
    "both points or neither."
)


def title(result: Result) -> str:
    """Return the title: where the attack lies or, without scores, what the claim allows."""
    if result.sample is None and not result.is_claimed:
        return WORDS["title.no_claim"]
    if result.sample is None:
        return WORDS["region_title.promise"].format(claim=short_claim_text(result))
    state = result.answer.state
    has_verdict = state in ("contradicted", "computing", "no claim")
    kind = state if has_verdict or result.is_outside_by_estimate else "inside"
    return WORDS[f"region_title.{kind}"].format(fpr=percent(result.sample.at_fpr.fpr))


def lead(result: Result) -> str:
    """Say where the movable point lies, and whether the claim, if there is one, allows it."""
    point, claim = result.point, result.claim.claim
    least = float(claim.beta(point.fpr))
    if not result.is_claimed and point.source == "claim":
        return WORDS["no_claim"]
    kind: str = point.source
    if not result.is_claimed:
        kind = "measured" if point.source == "attack" else "point"
    # An attack that is nearly always wrong lies above the region.
    elif point.source == "attack" and not point.admitted and point.fnr >= least:
        kind = "above"
    return WORDS[f"region_lead.{kind}"].format(
        fpr=percent(point.fpr),
        fnr=percent(point.fnr),
        least=percent(lower(least)),
        place="inside" if point.admitted else "outside",
        allowing=point_epsilons_clause(result),
    )


def region_text(result: Result) -> str:
    """Say whether the claim allows the movable point, and the least epsilon that allows it."""
    point = result.point
    return claims.conversion_sentence(result) + WORDS[f"region.{point.source}"].format(
        fpr=percent(point.fpr),
        fnr=percent(lower(point.fnr) if point.source == "claim" else point.fnr),
        place="inside" if point.admitted else "outside",
        claim=claims.claim_in_words(result),
        allowing=point_epsilons_clause(result),
        epsilon=short(point.epsilon),
        delta=short(result.claim.delta),
    )


def point_epsilons_clause(result: Result) -> str:
    """Return a clause that says which epsilons allow the movable point."""
    epsilon = result.point.epsilon
    if epsilon < ROUNDING:
        return WORDS["allowing.every"]
    if math.isinf(epsilon):
        return WORDS["allowing.none"]
    return WORDS["allowing.from"].format(epsilon=least_allowing_epsilon_text(result))


def least_allowing_epsilon_text(result: Result) -> str:
    """Return the least epsilon that allows the point, with as many digits as needed."""
    point = result.point
    least = point.epsilon if point.epsilon >= ROUNDING else 0.0
    return short_above(least, math.inf if point.admitted else result.claim.epsilon)


def implied_epsilons_in_words(result: Result) -> str:
    """Say which epsilon the point implies by each inequality that defines (epsilon, delta)-DP."""
    measured = WORDS["implied.measured"] if result.point.source == "attack" else ""
    each = "; ".join(
        f"{short(max(0.0, epsilon))} from {rates}"
        for rates, epsilon in zip(RATIOS, result.point.implied_epsilons, strict=True)
        if epsilon > -ROUNDING
    )
    template = WORDS["implied" if each else "implied.any"]
    return template.format(delta=short(result.claim.delta), measured=measured, each=each)


def confidence_box_sentence(sample: SamplePart, result: Result) -> str:
    """Say the confidence limits of the attack's true FPR and FNR, which are drawn as a box."""
    if result.point.source != "attack":
        return ""
    box = sample.box
    fpr, fnr = (
        f"{percent(lower(low))} to {percent_at_most(high)}"
        for low, high in ((box.fpr_low, box.fpr_high), (box.fnr_low, box.fnr_high))
    )
    return (
        f"The box around the point is a confidence region for both true rates: FPR {fpr}, FNR "
        f"{fnr} ({percent(box.confidence_level)} confidence, valid at all thresholds at once)."
    )


def pinned_point_sentence(result: Result) -> str:
    """Say the smallest epsilons that allow the pinned point and the movable point."""
    kept, moved = result.pinned, result.point
    if kept is None:
        return ""
    more = "equally much"
    if moved.epsilon != kept.epsilon:
        more = "more" if moved.epsilon > kept.epsilon else "less"
    needs, this_needs = (
        "ε = ∞" if math.isinf(one) else f"ε ≥ {short_above(one, other)}"
        for one, other in ((kept.epsilon, moved.epsilon), (moved.epsilon, kept.epsilon))
    )
    measured = " (as measured)" if moved.source == "attack" else ""
    return (
        f"At δ = {short(result.claim.delta)}, the pinned point (FPR {percent(kept.fpr)}, FNR "
        f"{percent(kept.fnr)}) needs {needs}. The current point{measured} needs {this_needs}: the "
        f"current point leaks {more}."
    )


class ClaimRegion(ClaimLayer):
    """The region allowed by the converted claim, or by the original claim if `as_claimed`."""

    of = ("claim",)
    area = Area(color=theme.CLAIM, opacity=0.25, label="allowed by the claim")

    def __init__(self, *, as_claimed: bool = False) -> None:
        self._as_claimed, self.closed_form = as_claimed, not as_claimed

    def draw(self, result: Result) -> None:
        is_other = self._as_claimed and result.claim.converted
        self.area.draw(result.spec.claim.region() if is_other else result.claim.region)


class DeltaBand(ClaimLayer):
    """The area of all (FPR, FNR) with TPR - FPR of at most delta, allowed even at epsilon 0."""

    of = ("claim",)
    closed_form = True
    area = Area(
        color=theme.BAND, opacity=0.45, outline=False, label="allowed by δ alone", extra=True
    )

    def add_marks(self) -> None:
        super().add_marks()
        add_guessing_line(self.frame)

    def draw(self, result: Result) -> None:
        delta = result.claim.claim.parameters.get("delta", 0.0)
        self.area.draw(TotalVariation(delta=delta).region() if delta > 0 else NOTHING)


class FlippedPoint(Layer):
    """The point (1 - FPR, 1 - FNR) of the attack that flips every answer."""

    of = ("point",)
    closed_form = True
    point = Points(color=theme.ATTACK, outline=1.5, label="answers flipped", extra=True)

    def draw(self, result: Result) -> None:
        self.point.draw(np.array([[1 - result.point.fpr, 1 - result.point.fnr]]))


class ConfidenceBox(SampleLayer):
    """A box of simultaneous confidence limits of the attack's true FPR and FNR."""

    of = ("sample.box", "point.source")
    box = Area(color=theme.ATTACK, opacity=0.12, width=1)

    def has_content_for(self, result: Result) -> bool:
        return result.point.source == "attack"

    def draw_sample(self, sample: SamplePart) -> None:
        box = sample.box
        self.box.draw(rectangle(box.fpr_low, box.fpr_high, box.fnr_low, box.fnr_high))


class PinnedPoint(Layer):
    """The pinned point (FPR, FNR) as an open circle, with the smallest epsilon that allows it."""

    of = ("pinned",)
    point = Points(color=theme.ATTACK, size=90, outline=2)

    def draw(self, result: Result) -> None:
        kept = result.pinned
        if kept is None:
            self.point.hide()
        else:
            text = WORDS["point"].format(place="pinned", epsilon=short(lower(kept.epsilon)))
            self.point.draw(np.array([[kept.fpr, kept.fnr]]), texts=[text])


class RegionPoint(Layer):
    """The point (FPR, FNR) that the user drags: a diamond if the claim allows it, else a cross."""

    of = ("point", "claim", "sample.audit")
    closed_form = True

    def add_marks(self) -> None:
        def move_point(fpr: float, fnr: float) -> None:
            self.change(fpr=tidy_rate(fpr, digits=4), fnr=tidy_rate(fnr, digits=4))

        handle = Handle(color=theme.ATTACK, marker="diamond", on_move=move_point)
        self._handle = self.add("handle", handle)

    def draw(self, result: Result) -> None:
        point = result.point
        is_attack = point.source == "attack"
        is_inside = point.admitted or not (result.is_tested if is_attack else result.is_claimed)
        is_open = is_attack and result.is_outside_by_estimate
        if is_attack:
            label = WORDS[f"point.{'measured' if is_inside else result.answer.state}"]
        elif result.is_claimed:
            place = "allowed" if point.admitted else "not allowed"
            label = WORDS["point"].format(place=place, epsilon=least_allowing_epsilon_text(result))
        elif point.source == "chosen":
            label = WORDS["point.chosen"].format(epsilon=least_allowing_epsilon_text(result))
        else:
            label = ""
        marker = "diamond" if is_inside or is_open else "cross"
        self._handle.place(point.fpr, point.fnr, marker=marker, text=label, hollow=is_open)


REGION = replace(
    PLANE,
    title="What does the claim allow?",
    title_sentence="region_title",
    subtitle_sentence="region_subtitle",
    topic="region",
    layers=lambda: [
        ClaimRegion(),
        DeltaBand(),
        attacks.attack_band(),
        claims.Overlays(
            lambda overlay: overlay.region,
            claims.overlay_label_point,
            lambda points: 1 - points,  # on the upper edge
            closed=True,
        ),
        attacks.UpperBandEdge(),
        attacks.AttackHull(),
        attacks.AttackCurveLayer(),
        attacks.OtherAttackCurves(lambda attack: attack.curve, attacks.attack_label_point),
        FlippedPoint(),
        ConfidenceBox(),
        PinnedPoint(),
        RegionPoint(),
    ],
)

TOPIC = Topic(
    sentences={
        "region_title": TextWriter(title, IN_TITLE),
        "region_subtitle": TextWriter(
            lambda result: "Error rates" + "; blue is allowed" * result.is_claimed, IN_TITLE
        ),
        "region_lead": TextWriter(lead, "region", lead=True, about_claim=True, without_claim=True),
        "region": TextWriter(region_text, "region", about_claim=True),
        "implied": TextWriter(implied_epsilons_in_words, "region"),
        "same_inequality": TextWriter(lambda _: SAME_INEQUALITY, "region", fixed=True),
        "flipped": TextWriter(lambda _: FLIPPED, "region", fixed=True),
        "point_box": TextWriter(confidence_box_sentence, "region", "sample"),
        "pinned_point": TextWriter(pinned_point_sentence, "region", in_sight=True),
    },
    scenes={"region": REGION},
)
