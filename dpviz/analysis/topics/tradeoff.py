"""The trade-off between the two errors: linear, as ROC curve, and at low FPRs."""

from dataclasses import replace

import numpy as np

from dpviz.analysis.result import LOW_FPR, Result, SamplePart
from dpviz.analysis.topic import SLIDE, Registered, Topic, as_claim_lead
from dpviz.analysis.topics import attacks, claim
from dpviz.analysis.topics.attacks import (
    AttackCurveLayer,
    AttackPoint,
    ComparedAttacks,
    ComparedBands,
    RuledOut,
    attack_band,
    compared_tail,
    null_band,
    of_attacks,
    on_attack,
    on_attack_roc,
    on_steps,
)
from dpviz.analysis.topics.claim import (
    LOWEST,
    ClaimCurve,
    ClaimRegion,
    ClaimRoc,
    GuaranteePart,
    Overlays,
    as_roc,
    as_tail,
    as_tail_point,
    conversion,
    on_axes,
    on_curve,
    on_roc,
    the_claim,
)
from dpviz.analysis.topics.region import DeltaBand
from dpviz.analysis.topics.scores import caught
from dpviz.analysis.words import WORDS
from dpviz.checks import FloatArray
from dpviz.drawing import theme
from dpviz.drawing.axes import AxisSpec
from dpviz.drawing.layer import ClaimLayer, SampleLayer
from dpviz.drawing.layers import (
    FNR,
    FPR,
    ExampleFpr,
    GuessingPoint,
    SelectedFpr,
    add_random_guessing,
)
from dpviz.drawing.marks import NOTHING, Handle, Line, Points
from dpviz.drawing.scene import Scene
from dpviz.number_format import lower, percent, short, tidy_rate, upper

RANDOMNESS = (
    "The claim's probabilities are over the noise of the mechanism alone: both data sets are "
    "fixed, and it holds for every pair of neighbours. The confidence of a measured number is "
    "over the draw of the records."
)


def about(result: Result) -> str:
    """What the claim permits at the selected FPR, and what the attack did."""
    return conversion(result) + permitted(result) + attack_at_fpr(result)


def permitted(result: Result) -> str:
    """The largest TPR that the claim permits at the selected FPR."""
    fpr, claim = result.fpr, result.claim.claim
    tpr = percent(upper(claim.tpr(fpr)))
    text = WORDS["tradeoff"].format(claim=the_claim(result), fpr=percent(fpr), tpr=tpr)
    if claim.error > 0:
        text += (
            " Computed numerically: a lower bound of the exact curve, by estimate at most "
            f"{short(upper(claim.error))} below it."
        )
    return text


def attack_at_fpr(result: Result) -> str:
    """What the attack did at the selected FPR."""
    if result.sample is None:
        return ""
    at = result.sample.at_fpr
    return (
        f" This attack caught {percent(at.tpr)} ({caught(at)}) at a realised FPR of "
        f"{percent(at.fpr)}: an estimate from this sample."
    )


def lead(result: Result) -> str:
    """The smallest FNR that the claim requires at the FPR of the point, and that of the attack."""
    fpr = _fpr_as_in_the_region(result)
    least = percent(lower(float(result.claim.claim.beta(fpr))))
    return WORDS["tradeoff_lead"].format(fpr=percent(fpr), least=least) + attack_misses(result)


def lead_without_claim(result: Result) -> str:
    """How many members this attack misses at the FPR of the point."""
    fpr = percent(_fpr_as_in_the_region(result))
    return WORDS["at_fpr.no_claim"].format(fpr=fpr) + attack_misses(result)


def _fpr_as_in_the_region(result: Result) -> float:
    return result.point.fpr if result.point.source == "attack" else result.fpr


def attack_misses(result: Result) -> str:
    """The end of the lead of the trade-off: how many members this attack misses."""
    if result.sample is None:
        return "."
    at = result.sample.at_fpr
    return f"; this one misses {at.n_members - at.true_positives} of {at.n_members}."


def tail_lead(result: Result) -> str:
    """The largest TPR that the claim allows at a low FPR, and that of the attack."""
    most = percent(upper(result.claim.claim.tpr(LOW_FPR)))
    return WORDS["tail_lead"].format(fpr=percent(LOW_FPR), tpr=most) + attack_catches(result)


def tail_without_claim(result: Result) -> str:
    """How many members this attack detects at a low FPR."""
    return WORDS["at_fpr.no_claim"].format(fpr=percent(LOW_FPR)) + attack_catches(result)


def attack_catches(result: Result) -> str:
    """The end of the lead of low FPRs: how many members this attack detects there."""
    if result.sample is None:
        return "."
    at = result.sample.at_low_fpr
    return f"; this one catches {at.true_positives} of {at.n_members}."


# Sentences of slides: what guessing gives, and what a claim allows whatever an attack reached.


def guessing(result: Result) -> str:
    """What an attacker reaches without a look at the records."""
    return WORDS["guessing"].format(fpr=percent(result.fpr))


def allowed(result: Result) -> str:
    """The least FNR that the claim allows, at the FPR of examples."""
    fpr = result.example_fpr
    least = percent(lower(result.claim.claim.beta(fpr)))
    return WORDS["tradeoff_lead"].format(fpr=percent(fpr), least=least) + "."


# The log-log picture of TPR against FPR; rates of 0 stand at the edge and are named there.
#
# A logarithmic axis has no 0 and bqplot draws no finite axis with one, so every rate is at least
# `LOWEST` here.


class ClaimTail(ClaimLayer):
    """The largest TPR that the claim allows at each FPR, and the line of random guessing."""

    closed_form = True

    def add_marks(self) -> None:
        add_random_guessing(self.frame, np.array([[LOWEST, LOWEST], [1.0, 1.0]]))
        mark = Line(color=theme.CLAIM, width=2.5, label="limit of the claim")
        self._curve = self.add("curve", mark)

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.drawn,)

    def draw(self, result: Result) -> None:
        self._curve.draw(on_axes(result.drawn.tail))


class AttackTail(SampleLayer):
    """The TPR of the attack as steps over the FPR; a marker for the rates that are 0."""

    def add_marks(self) -> None:
        label = "this attack (95 % band)"
        self._steps = self.add(
            "steps", Line(color=theme.ATTACK, dash="dashed", steps=True, label=label)
        )
        zero = Points(color=theme.ATTACK, marker="diamond")
        self._zero_fpr, self._zero_tpr = self.add_each("zero", zero, zero)

    def sample_parts(self, sample: SamplePart) -> tuple[object, ...]:
        return (sample.attack,)

    def draw_sample(self, sample: SamplePart) -> None:
        tail, at = sample.attack.tail, sample.at_fpr
        steps = on_axes(tail)
        # Steps left of the axes leave their last vertex at the edge.
        first = max(int(np.searchsorted(tail[:, 0], LOWEST, side="right")) - 1, 0)
        self._steps.draw(steps[first:])
        notes = f"FPR 0 (< 1/{at.n_nonmembers})", f"TPR 0 (< 1/{at.n_members})"
        fpr_note, tpr_note = map(self.frame.naming.renamed, notes)
        detects = tail[0, 1] > 0
        self._zero_fpr.draw(steps[:1] if detects else NOTHING, texts=[fpr_note])
        zero_tpr = tail[tail[:, 1] == 0][-1:]
        self._zero_tpr.draw(NOTHING if detects else on_axes(zero_tpr), texts=[tpr_note])


def on_tail(overlay: GuaranteePart, i: int) -> tuple[float, float]:
    """Place of the i-th overlay's name: on its line, from FPR 1e-4 to the right."""
    fpr = 10.0 ** (-4 + 0.6 * i)
    x, y = on_axes(overlay.tail).T
    return fpr, float(np.interp(fpr, x, y))


# Reading epsilon off a curve: the steepest line from 1 - delta that stays below it.

LINE = Line(
    color=theme.LEVEL, dash="dash_dotted", width=1.5, label="line that reads ε off the curve"
)


class ClaimSlope(ClaimLayer):
    """The lines of slopes -e^epsilon and -e^-epsilon of a claim that has a delta of its own.

    The first begins at (0, 1 - delta); the second has the two errors exchanged.
    """

    closed_form = True

    def add_marks(self) -> None:
        steep, flat = (replace(LINE, label=f"slope {s}", extra=True) for s in ("-e^ε", "-e^-ε"))
        self._line, self._back = self.add("line", steep), self.add("back", flat)

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.claim,)

    def draw(self, result: Result) -> None:
        vertices = _vertices(result) if _has_delta(result) else NOTHING
        self._line.draw(vertices)
        self._back.draw(vertices[::-1, ::-1])


class SupportingLine(ClaimLayer):
    """The same line of any other claim, which touches its curve; it is upright at infinite epsilon.

    Its upper end is dragged along FPR = 0 to choose delta.
    """

    def add_marks(self) -> None:
        self._line = self.add("line", LINE)
        self._handle = self.add(
            "handle",
            Handle(
                color=theme.LEVEL,
                marker="diamond",
                only="y",
                on_move=lambda _, fnr: self.change(delta=tidy_rate(1 - fnr)),
            ),
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.claim,)

    def draw(self, result: Result) -> None:
        if _has_delta(result):
            self.hide()
        else:
            self._line.draw(_vertices(result))
            delta = result.claim.delta
            self._handle.place(0.0, 1 - delta, text=f"δ = {short(delta)}")


def _has_delta(result: Result) -> bool:
    return "delta" in result.claim.claim.parameters


def _vertices(result: Result) -> FloatArray:
    top = 1 - result.claim.delta
    return np.array([[0.0, top], [top * float(np.exp(-result.claim.implied)), 0.0]])


# What a claim allows and what an attack reaches, in the plane of both error rates.

GUESSING = Scene(
    title="What if the attacker only guesses?",
    shape="square",
    x=FPR,
    y=FNR,
    layers=lambda: [GuessingPoint(), SelectedFpr()],
)

ALLOWED = Scene(
    title="What does the claim allow?",
    shape="square",
    x=FPR,
    y=FNR,
    layers=lambda: [ClaimRegion(), DeltaBand(), ExampleFpr()],
)

TRADEOFF = Scene(
    title="How do the two errors trade off?",
    title_with_scores="How close does the attack come to the limit?",
    shape="square",
    topic="tradeoff",
    x=FPR,
    y=FNR,
    layers=lambda: [
        RuledOut(),
        null_band(),
        attack_band(),
        ComparedBands(),
        ClaimCurve(),
        Overlays(lambda overlay: overlay.curve, on_curve),
        AttackCurveLayer(),
        ComparedAttacks(lambda attack: attack.curve, on_attack),
        SelectedFpr(),
        AttackPoint(),
        ClaimSlope(),
        SupportingLine(),
    ],
)

ROC = Scene(
    title="How many are caught, and how many wrongly accused?",
    shape="square",
    topic="tradeoff",
    x=FPR,
    y=AxisSpec(label="members caught (TPR)", is_rate=True),
    layers=lambda: [
        RuledOut(as_roc, beyond=0.0),
        null_band(as_roc),
        attack_band(as_roc),
        ComparedBands(as_roc),
        ClaimRoc(),
        Overlays(lambda overlay: as_roc(overlay.curve), on_roc),
        AttackCurveLayer(as_roc),
        ComparedAttacks(lambda attack: as_roc(attack.curve), on_attack_roc),
        SelectedFpr(),
        AttackPoint(as_roc),
    ],
)

TAIL = Scene(
    title="How many are caught where few are wrongly accused?",
    shape="square",
    topic="tradeoff",
    lead_topic="tail",
    x=AxisSpec(
        label="non-members wrongly accused (FPR, log scale)", low=LOWEST, scale="log", is_rate=True
    ),
    y=AxisSpec(label="members caught (TPR, log scale)", low=LOWEST, scale="log", is_rate=True),
    layers=lambda: [
        RuledOut(as_tail, beyond=LOWEST),
        null_band(as_tail),
        attack_band(as_tail),
        ComparedBands(as_tail),
        ClaimTail(),
        Overlays(lambda overlay: on_axes(overlay.tail), on_tail),
        AttackTail(),
        ComparedAttacks(compared_tail, on_steps, steps=True),
        SelectedFpr(),
        AttackPoint(as_tail_point),
    ],
)


TOPIC = Topic(
    sentences={
        "tradeoff_lead": as_claim_lead(lead, "tradeoff", lead_without_claim),
        "tail_lead": as_claim_lead(tail_lead, "tail", tail_without_claim),
        "tradeoff": Registered(about, "tradeoff", about_claim=True),
        "naming": Registered(
            lambda result: result.naming.hypotheses, "tradeoff", quotes=True, fixed=True
        ),
        "randomness": Registered(lambda _: RANDOMNESS, "tradeoff", fixed=True, about_claim=True),
        "lowest": of_attacks(attacks.lowest, "tradeoff", in_sight=True),
        "differences": of_attacks(attacks.differences, "tradeoff"),
        "comparison": Registered(claim.comparison, "tradeoff", about_claim=True),
        "guessing": Registered(guessing, SLIDE),
        "allowed": Registered(allowed, SLIDE, about_claim=True),
    },
    scenes={
        "tradeoff": TRADEOFF,
        "roc": ROC,
        "tail": TAIL,
    },
)
