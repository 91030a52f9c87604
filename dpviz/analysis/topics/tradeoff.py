"""Pictures of FPR and FNR: trade-off curve, ROC curve, and the tail of low FPRs on log axes."""

from dataclasses import replace

import numpy as np

from dpviz.analysis.result import LOW_FPR, Result, SamplePart
from dpviz.analysis.topic import IN_TITLE, ON_SLIDE, TextWriter, Topic
from dpviz.analysis.topics import attacks
from dpviz.analysis.topics import claim as claims
from dpviz.analysis.topics.region import ClaimRegion, DeltaBand
from dpviz.analysis.topics.risk import attack_title_template_key
from dpviz.analysis.words import WORDS, capitalised, listed
from dpviz.audit.roc import OperatingPoint
from dpviz.checks import FloatArray
from dpviz.drawing import LOG_ODDS_AXIS, PLANE, AxisSpec, Scene, theme
from dpviz.drawing.axes import WIDEST_ODDS, as_log10_odds, log10_odds_of
from dpviz.drawing.layer import ClaimLayer, SampleLayer
from dpviz.drawing.layers import DIAGONAL, FNR_AXIS, FPR_AXIS, OverRandomGuessing
from dpviz.drawing.marks import NOTHING, Handle, Line, Points
from dpviz.number_format import lower, percent, percent_at_most, short, tidy_rate, upper
from dpviz.theory.dominance import Dominance


def title(result: Result) -> str:
    """Return the title: the FNR of the attack, and the least FNR that the claim allows."""
    at = None if result.sample is None else result.sample.at_fpr
    if at is None and not result.is_claimed:
        return WORDS["title.no_claim"]
    fpr = result.fpr if at is None else at.fpr
    kind = "promise" if at is None else attack_title_template_key(result)
    return WORDS[f"tradeoff_title.{kind}"].format(
        fpr=percent(fpr),
        fnr=percent(at.fnr) if at else "",
        least=percent(lower(float(result.claim.claim.beta(fpr)))),
    )


SUBTITLE = "Trade-off of the two errors"
BOTH_ENDS_SUBTITLE = "Both errors on log-odds axes"


def lead(result: Result) -> str:
    """Say the least FNR under the claim, and how many members the measured attack misses."""
    fpr = result.point.fpr if result.point.source == "attack" else result.fpr
    no_claim = WORDS["at_fpr.no_claim"].format(fpr=percent(fpr))
    least = _least_fnr_clause(result, fpr) if result.is_claimed else no_claim
    return least + missed_clause(result)


def _least_fnr_clause(result: Result, fpr: float) -> str:
    least = percent(lower(float(result.claim.claim.beta(fpr))))
    return WORDS["tradeoff_lead"].format(fpr=percent(fpr), least=least)


def missed_clause(result: Result) -> str:
    """Return a clause on the members that the attack misses, or "." if there are no scores."""
    if result.sample is None:
        return "."
    at = result.sample.at_fpr
    missed = at.n_members - at.true_positives
    return f"; this attack misses {percent(at.fnr)} ({missed} of {at.n_members})."


def low_fpr_lead(result: Result) -> str:
    """Say the largest TPR under the claim at FPR 0.1 %, and how many members the attack detects."""
    most = percent_at_most(result.claim.claim.tpr(LOW_FPR))
    words = WORDS["tail_lead" if result.is_claimed else "at_fpr.no_claim"]
    return words.format(fpr=percent(LOW_FPR), tpr=most) + low_fpr_tpr_clause(result)


def low_fpr_tpr_clause(result: Result) -> str:
    """Return a clause on the members detected at FPR 0.1 %, or "." if there are no scores."""
    if result.sample is None:
        return "."
    at = result.sample.at_low_fpr
    return f"; this attack catches {percent(at.tpr)} ({at.true_positives} of {at.n_members})."


def tradeoff_text(result: Result) -> str:
    """Say the largest TPR that the claim allows at the selected FPR, and the attack's TPR."""
    fpr, claim = result.fpr, result.claim.claim
    tpr = percent_at_most(claim.tpr(fpr))
    text = WORDS["tradeoff"].format(claim=claims.claim_in_words(result), fpr=percent(fpr), tpr=tpr)
    if claim.error > 0:
        text += (
            " The curve is computed numerically. It is nowhere above the exact curve and at most "
            f"{short(upper(claim.error))} below it (an estimate of the numerical error)."
        )
    return claims.conversion_sentence(result) + text + attack_tpr_sentence(result)


def attack_tpr_sentence(result: Result) -> str:
    """Say the attack's TPR at the selected FPR; "" without scores."""
    if result.sample is None:
        return ""
    at = result.sample.at_fpr
    return (
        f" This attack catches {percent(at.tpr)} ({detected_in_words(at)}) at a realised FPR of "
        f"{percent(at.fpr)}: an estimate from this sample."
    )


def detected_in_words(at: OperatingPoint) -> str:
    """Return how many members the attack detects, as text: "5 of 300 members"."""
    return f"{at.true_positives} of {at.n_members} members"


RANDOMNESS = (
    "The claim's probabilities are over the randomness of the mechanism alone. The two "
    "neighbouring data sets are fixed, and the claim holds for every such pair. The confidence of "
    "a measured number comes from the sampling of the records."
)

MOST_CROSSINGS = 3  # crossings that a sentence lists before "and ... more"


def comparison_sentence(result: Result) -> str:
    """Say whether the claim or the first overlay is more private, or where the two curves cross."""
    dominance = result.comparison
    if not result.overlays:
        return ""
    claim, other = map(claims.short_name, (result.spec.claim, result.overlays[0].original))
    if dominance is None:
        return (
            f"{capitalised(claim)} and {other} are not compared: one is for add/remove adjacency, "
            "the other for replace-one."
        )
    # Guarantees with equal short names are called the claim and the first overlay.
    if claim == other and dominance.relation != "equal":
        claim, other = f"the claim ({claim})", f"the first overlay ({other})"
    how, both = "" if dominance.is_exact else ", compared numerically", f"{claim} and {other}"
    match dominance.relation:
        case "equal":
            return f"{capitalised(both)} allow the same attacks{how}."
        case "dominates":
            return _dominance_sentence(claim, other, dominance.better_at, how)
        case "dominated":
            return _dominance_sentence(other, claim, dominance.worse_at, how)
        case "incomparable":
            where = _crossings_clause(claim, other, dominance)
            return f"Neither guarantee is more private at every FPR{how}: {where}."
        case "undecided":
            return (
                f"{capitalised(both)} differ by no more than the stated error of a computed curve. "
                "This does not decide whether one of them is more private at every FPR."
            )


def _dominance_sentence(stronger: str, weaker: str, fpr: float | None, ending: str) -> str:
    """Say that `stronger` is at least as private as `weaker`; their curves differ most at `fpr`."""
    most = "" if fpr is None else f", most of all {_at_fpr_phrase(fpr)}"
    return (
        f"{capitalised(stronger)} is at least as private as {weaker} at every FPR, and more "
        f"private at some{most}{ending}."
    )


def _crossings_clause(claim: str, other: str, dominance: Dominance) -> str:
    """Say at which FPRs `claim` is more private than `other`, and at which FPRs less private."""
    # Of more than two crossings only the FPRs are listed.
    crossings = dominance.crossings
    better, worse = dominance.better_at or 0.0, dominance.worse_at or 0.0
    most = f"{claim} is more private {_at_fpr_phrase(better)}, {other} {_at_fpr_phrase(worse)}"
    if not any(crossings):  # the order changes nearer to an end than any FPR that is shown
        return most
    if len(crossings) == 1:
        below, above = (claim, other) if better < worse else (other, claim)
        return f"{below} is more private below FPR {percent(crossings[0])}, {above} above this FPR"
    if len(crossings) == 2:
        low, high = crossings
        inner, outer = (claim, other) if low < better < high else (other, claim)
        between = f"is more private between FPR {percent(low)} and {percent(high)}"
        return f"{inner} {between}, {outer} at other FPRs"
    places = [percent(place) for place in crossings[:MOST_CROSSINGS]]
    if len(crossings) > MOST_CROSSINGS:
        places.append(f"{len(crossings) - MOST_CROSSINGS} more")
    return f"{most}; the curves cross at FPR {listed(places)}"


def _at_fpr_phrase(fpr: float | None) -> str:
    """Return "at FPR 1 %" for 0.01, and "at the smallest FPRs" for 0 or None."""
    return f"at FPR {percent(fpr)}" if fpr else "at the smallest FPRs"


MAX_LINE_VERTICES = 256  # vertices of a line; the two lines of a band have 512
MOST_LINE_CORNERS = 166  # vertices at corners of a curve: enough for limits at 160 thresholds


def to_roc_axes(curve: FloatArray) -> FloatArray:
    """Return a curve with columns FPR and TPR from a curve with columns FPR and FNR."""
    return np.column_stack([curve[:, 0], 1 - curve[:, 1]])


def to_log_axes(curve: FloatArray) -> FloatArray:
    """Return (FPR, TPR) for log axes from a curve (FPR, FNR), with 1e-5 for smaller rates."""
    # Straight lines bend on these axes, so vertices on a log grid are added to the corners.
    corners = np.unique(curve[:, 0])
    corners = corners[corners > claims.MIN_RATE]
    corners = corners[:: -(-corners.size // MOST_LINE_CORNERS)]
    fpr = np.union1d(np.geomspace(claims.MIN_RATE, 1.0, MAX_LINE_VERTICES - corners.size), corners)
    # Of a vertical piece the lower end counts, so that a lower limit is drawn no higher than it is.
    last = np.append(np.diff(curve[:, 0]) > 0, True)
    fnr = np.interp(fpr, curve[last, 0], curve[last, 1])
    return claims.at_least_min_rate(np.column_stack([fpr, 1 - fnr]))


def log_axes_label_point(overlay: claims.GuaranteePart, index: int) -> tuple[float, float]:
    """Return the point (FPR, TPR) on the curve at which the name of an overlay is drawn."""
    fpr = 10.0 ** (-4 + 0.6 * index)
    x, y = claims.at_least_min_rate(overlay.log_axes_curve).T
    return fpr, float(np.interp(fpr, x, y))


def attack_log_axes_label_point(attack: attacks.AttackPart, index: int) -> tuple[float, float]:
    """Return the point (FPR, TPR) on the curve at which an attack's name is drawn."""
    corners = claims.at_least_min_rate(attack.log_axes_curve)
    at = int(np.searchsorted(corners[:, 0], 10.0 ** (-1 - 0.4 * index), side="right")) - 1
    return float(corners[max(at, 0), 0]), float(corners[max(at, 0), 1])


def log_odds_label_point(overlay: claims.GuaranteePart, index: int) -> tuple[float, float]:
    """Return the log10 odds of FPR and FNR at which the name of an overlay is drawn."""
    decades = -3 + 0.6 * index
    return decades, float(np.interp(decades, *overlay.log_odds_curve.T))


class ClaimRoc(claims.ClaimCurve):
    """The largest TPR that the claim allows at each FPR, and the line of random guessing."""

    guessing = to_roc_axes(DIAGONAL)

    def curve_on_axes(self, result: Result) -> FloatArray:
        return to_roc_axes(result.claim.curve)


class ClaimTail(claims.ClaimCurve):
    """The claim's largest TPR at each FPR, and the line of random guessing, on log axes."""

    of = ("drawn",)
    guessing = np.array([[claims.MIN_RATE, claims.MIN_RATE], [1.0, 1.0]])

    def curve_on_axes(self, result: Result) -> FloatArray:
        return claims.at_least_min_rate(result.drawn.log_axes_curve)


class ClaimOdds(claims.ClaimCurve):
    """The claim's least FNR at each FPR, and the line of random guessing, on log-odds axes."""

    of = ("drawn", "odds_decades")
    guessing = np.array([[-1.0, 1.0], [1.0, -1.0]]) * WIDEST_ODDS

    def curve_on_axes(self, result: Result) -> FloatArray:
        return result.drawn.log_odds_curve


class AttackTail(SampleLayer):
    """The attack's ROC curve as steps on log axes, with a marker where the FPR or the TPR is 0."""

    of = ("sample.attack", "sample.band")
    steps = Line(color=theme.ATTACK, dash="dashed", steps=True)

    def add_marks(self) -> None:
        super().add_marks()
        zero = Points(color=theme.ATTACK, marker="diamond")
        self._zero_fpr, self._zero_tpr = self.add_each("zero", zero, zero)

    def draw_sample(self, sample: SamplePart) -> None:
        tail, at = sample.attack.log_axes_curve, sample.at_fpr
        steps = claims.at_least_min_rate(tail)
        # Of the steps left of the axes, only the last is drawn, at the edge.
        first = max(int(np.searchsorted(tail[:, 0], claims.MIN_RATE, side="right")) - 1, 0)
        self.steps.set_label(attacks.attack_curve_label(sample.band))
        self.steps.draw(steps[first:])
        notes = f"FPR 0 (< 1/{at.n_nonmembers})", f"TPR 0 (< 1/{at.n_members})"
        fpr_note, tpr_note = map(self.frame.naming.renamed, notes)
        detects = tail[0, 1] > 0
        self._zero_fpr.draw(steps[:1] if detects else NOTHING, texts=[fpr_note])
        zero_tpr = tail[tail[:, 1] == 0][-1:]
        self._zero_tpr.draw(
            NOTHING if detects else claims.at_least_min_rate(zero_tpr), texts=[tpr_note]
        )


TANGENT = Line(
    color=theme.LEVEL, dash="dash_dotted", width=1.5, label="line that reads ε off the curve"
)


class ClaimSlope(ClaimLayer):
    """The two lines with slopes -e^epsilon and -e^-epsilon that bound an (epsilon, delta) claim."""

    of = ("claim",)
    closed_form = True

    def add_marks(self) -> None:
        steep, flat = (replace(TANGENT, label=f"slope {s}", extra=True) for s in ("-e^ε", "-e^-ε"))
        self._line, self._back = self.add("line", steep), self.add("back", flat)

    def draw(self, result: Result) -> None:
        has_delta = "delta" in result.claim.claim.parameters
        vertices = _tangent_ends(result) if has_delta else NOTHING
        self._line.draw(vertices)
        # Exchanging FPR and FNR (columns) gives the mirror image; FPRs (rows) stay ascending.
        self._back.draw(vertices[::-1, ::-1])


class SupportingLine(ClaimLayer):
    """The tangent of slope -e^epsilon to the claim's curve; the end at FPR 0 can be dragged."""

    of = ("claim",)
    line = TANGENT

    def add_marks(self) -> None:
        super().add_marks()

        def select_delta(_: float, fnr: float) -> None:
            self.change(delta=tidy_rate(1 - fnr))

        handle = Handle(color=theme.LEVEL, marker="diamond", only="y", on_move=select_delta)
        self._handle = self.add("handle", handle)

    def draw(self, result: Result) -> None:
        if "delta" in result.claim.claim.parameters:
            self.hide()
        else:
            self.line.draw(_tangent_ends(result))
            delta = result.claim.delta
            self._handle.place(0.0, 1 - delta, text=f"δ = {short(delta)}")


def _tangent_ends(result: Result) -> FloatArray:
    """Return the points where the line FNR = 1 - delta - e^epsilon FPR meets the two axes."""
    top = 1 - result.claim.delta
    return np.array([[0.0, top], [top * float(np.exp(-result.claim.implied)), 0.0]])


TRADEOFF = replace(
    PLANE,
    title="How do the two errors trade off?",
    title_sentence="tradeoff_title",
    subtitle_sentence="tradeoff_subtitle",
    topic="tradeoff",
    layers=lambda: [
        attacks.RuledOutArea(),
        attacks.null_band(),
        attacks.attack_band(),
        attacks.OtherAttackBands(),
        claims.ClaimCurve(),
        claims.Overlays(lambda overlay: overlay.curve, claims.overlay_label_point),
        attacks.AttackCurveLayer(),
        attacks.OtherAttackCurves(lambda attack: attack.curve, attacks.attack_label_point),
        claims.SelectedFpr(),
        attacks.AttackPoint(),
        ClaimSlope(),
        SupportingLine(),
    ],
)

BOTH_ENDS = replace(
    TRADEOFF,
    shape="wide",
    subtitle_sentence="both_ends_subtitle",
    x=LOG_ODDS_AXIS,
    left=78,  # for the tick label 99.99 %
    label_offset="5.5em",
    y=replace(LOG_ODDS_AXIS, label=FNR_AXIS.label.replace("(FNR)", "(FNR, log-odds scale)")),
    right=26,  # for half of the tick label 99.99 %
    layers=lambda: [
        claims.LogOddsAxisRange(),
        attacks.RuledOutArea(as_log10_odds, edge_y=WIDEST_ODDS),
        attacks.null_band(as_log10_odds),
        attacks.attack_band(as_log10_odds),
        attacks.OtherAttackBands(as_log10_odds),
        ClaimOdds(),
        claims.Overlays(lambda overlay: overlay.log_odds_curve, log_odds_label_point),
        attacks.AttackCurveLayer(as_log10_odds),
        attacks.OtherAttackCurves(
            lambda attack: as_log10_odds(attack.curve), attacks.attack_label_point, log10_odds_of
        ),
        attacks.AttackPoint(log10_odds_of),
        claims.SelectedFpr(),
    ],
)

ROC = Scene(
    title="How many members and non-members are flagged?",
    shape="square",
    topic="tradeoff",
    x=FPR_AXIS,
    y=AxisSpec(label="members caught (TPR)", is_rate=True),
    layers=lambda: [
        attacks.RuledOutArea(to_roc_axes, edge_y=0.0),
        attacks.null_band(to_roc_axes),
        attacks.attack_band(to_roc_axes),
        attacks.OtherAttackBands(to_roc_axes),
        ClaimRoc(),
        claims.Overlays(
            lambda overlay: to_roc_axes(overlay.curve), claims.overlay_label_point, to_roc_axes
        ),
        attacks.AttackCurveLayer(to_roc_axes),
        attacks.OtherAttackCurves(
            lambda attack: to_roc_axes(attack.curve), attacks.attack_label_point, to_roc_axes
        ),
        claims.SelectedFpr(),
        attacks.AttackPoint(to_roc_axes),
    ],
)

TAIL = Scene(
    title="How many members are caught at low FPRs?",
    shape="square",
    topic="tradeoff",
    lead_topic="tail",
    x=replace(
        FPR_AXIS,
        label="non-members wrongly accused (FPR, log scale)",
        low=claims.MIN_RATE,
        scale="log",
    ),
    y=AxisSpec(
        label="members caught (TPR, log scale)", low=claims.MIN_RATE, scale="log", is_rate=True
    ),
    layers=lambda: [
        attacks.RuledOutArea(to_log_axes, edge_y=claims.MIN_RATE),
        attacks.null_band(to_log_axes),
        attacks.attack_band(to_log_axes),
        attacks.OtherAttackBands(to_log_axes),
        ClaimTail(),
        claims.Overlays(
            lambda overlay: claims.at_least_min_rate(overlay.log_axes_curve), log_axes_label_point
        ),
        AttackTail(),
        attacks.OtherAttackCurves(
            lambda attack: claims.at_least_min_rate(attack.log_axes_curve),
            attack_log_axes_label_point,
            steps=True,
        ),
        claims.SelectedFpr(),
        attacks.AttackPoint(lambda points: claims.at_least_min_rate(to_roc_axes(points))),
    ],
)


class GuessingPoint(OverRandomGuessing):
    """A point at the selected FPR, on the dotted line of random guessing."""

    of = ("risk_point",)
    closed_form = True
    point = Points(color=theme.SELECTION, size=150)

    def draw(self, result: Result) -> None:
        self.point.draw(np.array([[result.fpr, 1 - result.fpr]]))


GUESSING = replace(
    PLANE,
    title="What if the attacker only guesses?",
    layers=lambda: [GuessingPoint(), claims.SelectedFpr()],
)

ALLOWED = replace(
    GUESSING,
    title="What does the claim allow?",
    layers=lambda: [ClaimRegion(), DeltaBand(), claims.SelectedFpr()],
)

TOPIC = Topic(
    sentences={
        "tradeoff_title": TextWriter(title, IN_TITLE),
        "tradeoff_subtitle": TextWriter(lambda _: SUBTITLE, IN_TITLE, fixed=True),
        "both_ends_subtitle": TextWriter(lambda _: BOTH_ENDS_SUBTITLE, IN_TITLE, fixed=True),
        "tradeoff_lead": TextWriter(
            lead, "tradeoff", lead=True, about_claim=True, without_claim=True
        ),
        "tail_lead": TextWriter(
            low_fpr_lead, "tail", lead=True, about_claim=True, without_claim=True
        ),
        "tradeoff": TextWriter(tradeoff_text, "tradeoff", about_claim=True),
        "naming": TextWriter(
            lambda result: result.naming.hypotheses, "tradeoff", user_text=True, fixed=True
        ),
        "randomness": TextWriter(lambda _: RANDOMNESS, "tradeoff", fixed=True, about_claim=True),
        "lowest": TextWriter(
            attacks.lowest_curve_sentence,
            "tradeoff",
            "sample.attacks",
            in_sight=True,
            user_text=True,
        ),
        "differences": TextWriter(
            attacks.differences_sentences, "tradeoff", "sample.attacks", user_text=True
        ),
        "comparison": TextWriter(comparison_sentence, "tradeoff", about_claim=True),
        "guessing": TextWriter(
            lambda result: WORDS["guessing"].format(fpr=percent(result.fpr)), ON_SLIDE
        ),
        "slide_claim": TextWriter(claims.claim_with_epsilon_in_words, IN_TITLE, about_claim=True),
        "allowed": TextWriter(
            lambda result: f"{_least_fnr_clause(result, result.fpr)}.", ON_SLIDE, about_claim=True
        ),
    },
    scenes={"tradeoff": TRADEOFF, "both_ends": BOTH_ENDS, "roc": ROC, "tail": TAIL},
)
