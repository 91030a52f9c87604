"""The mechanism of a claim: its two output distributions, a test, and the privacy loss."""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from dpviz.analysis.result import ClaimPart, Result
from dpviz.analysis.topic import TextWriter, Topic
from dpviz.analysis.topics.claim import ClaimCurve, SelectedFpr
from dpviz.analysis.words import WORDS
from dpviz.checks import FloatArray, read_only
from dpviz.drawing import PLANE, AnswerLayer, AxisSpec, CursorLayer, Scene, theme
from dpviz.drawing.marks import NOTHING, Area, Line, Points
from dpviz.number_format import percent, short, tidy_rate
from dpviz.theory import PrivacyLoss, TradeoffFunction
from dpviz.theory.outputs import DiscreteOutputs, MembershipTest, OutputLaws, Rule

LOSS_GRID_SIZE = 200  # losses on an even grid; a curve has at most 512 vertices, with its jumps
RARE_DELTA = 1e-5  # an unbounded privacy loss is drawn up to the epsilon at this delta


@dataclass(frozen=True, kw_only=True, eq=False)
class DensitiesPart:
    """Outlines of the densities of a mechanism's output, without the record and with the record."""

    laws: OutputLaws | None  # None if no outputs are known
    nonmember: FloatArray
    member: FloatArray
    span: tuple[float, float]  # the drawn range
    top: float  # the largest density


@dataclass(frozen=True, kw_only=True, eq=False)
class MembershipTestPart:
    """A membership test at the selected FPR, and outlines of areas whose sizes are FPR and FNR."""

    decision: MembershipTest | None  # None if no outputs are known: rates are then on the curve
    fpr: float
    fnr: float
    best_fnr: float  # the smallest FNR of any test with this FPR
    fpr_area: FloatArray
    fnr_area: FloatArray

    @property
    def excess_fnr(self) -> float:
        """The FNR of the test minus the FNR of the best test with the same FPR."""
        return max(0.0, self.fnr - self.best_fnr)


@dataclass(frozen=True, kw_only=True, eq=False)
class PrivacyLossPart:
    """The privacy profile delta(x), and the tail probabilities P(L >= x) of the privacy loss L."""

    # L is the log of the output's density with the record over its density without the record.

    epsilon: float  # where the next three numbers are
    delta: float
    member_tail: float
    nonmember_tail: float
    deltas: FloatArray
    member_tails: FloatArray
    nonmember_tails: FloatArray
    span: tuple[float, float]  # of losses
    floor: float  # below which curves end


@dataclass(frozen=True, kw_only=True, eq=False)
class MechanismPart:
    """A claim's output distributions, privacy loss and a membership test, for pictures."""

    claim: TradeoffFunction
    laws: DensitiesPart
    decision: MembershipTestPart
    loss: PrivacyLossPart


@lru_cache(maxsize=16)
def mechanism_part(claim: ClaimPart, *, fpr: float, rule: Rule = "best") -> MechanismPart:
    """Return a claim's output distributions, its privacy loss, and a test at `fpr`."""
    return MechanismPart(
        claim=claim.claim,
        laws=output_densities(claim.claim),
        decision=_test_at_fpr(claim.claim, fpr, rule),
        loss=_privacy_loss_part(claim.claim, claim.epsilon),
    )


@lru_cache(maxsize=16)
def output_densities(claim: TradeoffFunction) -> DensitiesPart:
    """Return the output distributions of a claim as curves."""
    return densities_part(claim.outputs())


@lru_cache(maxsize=16)
def _test_at_fpr(claim: TradeoffFunction, fpr: float, rule: Rule) -> MembershipTestPart:
    """Return the test with the least FNR at this FPR, among the tests that `rule` allows."""
    laws, best_fnr = output_densities(claim).laws, claim.beta(fpr)
    decision = None if laws is None else laws.test(fpr, rule)
    inside = () if decision is None else decision.intervals
    return MembershipTestPart(
        decision=decision,
        fpr=fpr,
        fnr=best_fnr if decision is None else decision.fnr,
        best_fnr=best_fnr,
        fpr_area=read_only(_area_outlines(laws, inside, member=False)),
        fnr_area=read_only(_area_outlines(laws, _complement(inside), member=True)),
    )


@lru_cache(maxsize=16)
def _privacy_loss_part(claim: TradeoffFunction, epsilon: float) -> PrivacyLossPart:
    """Return the privacy profile and tails of the privacy loss: curves, and values at `epsilon`."""
    loss = PrivacyLoss(claim)
    high = _upper_end_of_loss_axis(claim, epsilon)
    low = -high if claim.is_symmetric else -_upper_end_of_loss_axis(claim.inverse(), 0.0)
    losses = _plotted_losses(claim, low, high)
    delta, tail = claim.delta(epsilon) + 0.0, loss.tail(epsilon)  # + 0.0: no "-0"
    # The axis begins at a power of ten below both probabilities.
    smallest = min([rate for rate in (delta, tail) if rate > 0], default=1.0)
    floor = float(10.0 ** np.floor(np.log10(np.clip(smallest / 10, 1e-12, 1e-3))))

    def tails(*, member: bool) -> FloatArray:
        # Each loss x has two points: P(L >= x) and P(L > x).
        probabilities = (loss.tail, loss.above)
        both = np.column_stack([p(losses, member=member) for p in probabilities])
        return _cut_at_floor(floor, np.repeat(losses, 2), both.ravel())

    return PrivacyLossPart(
        epsilon=epsilon,
        delta=delta,
        member_tail=tail,
        nonmember_tail=loss.tail(epsilon, member=False),
        deltas=read_only(_cut_at_floor(floor, losses, claim.delta(losses))),
        member_tails=read_only(tails(member=True)),
        nonmember_tails=read_only(tails(member=False)),
        span=(low, high),
        floor=floor,
    )


def densities_part(laws: OutputLaws | None) -> DensitiesPart:
    """Return the densities of two output distributions as outlines; empty if `laws` is None."""
    if laws is None:
        return DensitiesPart(laws=None, nonmember=NOTHING, member=NOTHING, span=(0.0, 1.0), top=1.0)
    curves = [laws.outline(*laws.span, member=member) for member in (False, True)]
    return DensitiesPart(
        laws=laws,
        nonmember=read_only(_area_below_curve(curves[0])),
        member=read_only(_area_below_curve(curves[1])),
        span=laws.span,
        top=float(max(curve[:, 1].max() for curve in curves)),
    )


def _cut_at_floor(floor: float, x: FloatArray, heights: FloatArray) -> FloatArray:
    """Return a falling curve as points (x, height), cut off where height first reaches `floor`."""
    end = np.count_nonzero(heights > floor) + 1
    return np.column_stack([x, np.maximum(heights, floor)])[:end]


def _upper_end_of_loss_axis(claim: TradeoffFunction, epsilon: float) -> float:
    """Return the upper end of the axis of losses, above epsilon and the largest finite loss."""
    largest = claim.epsilon(0.0)
    atoms = claim.atoms()
    # If losses are infinite, the axis shows the largest finite loss, or up to a rare loss.
    if np.isinf(largest) and atoms is not None:
        largest = max(atoms.loss[np.isfinite(atoms.loss)], default=1.0)
    elif np.isinf(largest):
        largest = claim.epsilon(RARE_DELTA)
    finite = [x for x in (largest, epsilon) if np.isfinite(x)]
    return float(np.clip(1.2 * min(max(finite, default=1.0), 1e6), 0.5, 1e6))


def _plotted_losses(claim: TradeoffFunction, low: float, high: float) -> FloatArray:
    """Return privacy losses to draw: an even grid, and up to 56 losses of positive probability."""
    atoms = claim.atoms()
    ends = np.array([claim.epsilon(0.0), -claim.inverse().epsilon(0.0)])
    # A curve jumps at a loss of positive probability.
    jumps = ends if atoms is None else atoms.loss
    jumps = jumps[(jumps >= low) & (jumps <= high)]
    most = 256 - LOSS_GRID_SIZE
    jumps = jumps[:: max(1, -(-len(jumps) // most))]
    return np.union1d(np.linspace(low, high, LOSS_GRID_SIZE), jumps)


def _complement(intervals: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
    """Return the complement of a union of ascending intervals, as intervals."""
    ends = [-np.inf, *(end for interval in intervals for end in interval), np.inf]
    pairs = zip(ends[::2], ends[1::2], strict=True)
    return tuple((low, high) for low, high in pairs if low < high)


def _area_outlines(
    laws: OutputLaws | None, intervals: tuple[tuple[float, float], ...], *, member: bool
) -> FloatArray:
    """Return outlines of areas below one density (of members or non-members) over `intervals`."""
    if laws is None or not intervals:
        return NOTHING
    drawn = [(low, high) for low, high in np.clip(intervals, *laws.span).tolist() if low < high]
    pieces = [_area_below_curve(laws.outline(low, high, member=member)) for low, high in drawn]
    return np.concatenate(pieces) if pieces else NOTHING


def _area_below_curve(curve: FloatArray) -> FloatArray:
    """Return the outline of the area between a curve and the x axis."""
    return np.concatenate([[[curve[0, 0], 0.0]], curve, [[curve[-1, 0], 0.0]]])


def outputs_lead(part: MechanismPart) -> str:
    """Say how many non-members the test flags, and how many members it misses, in percent."""
    at = part.decision
    test = "this test" if height_above_curve_in_words(at) else "the best attack"
    return (
        f"At FPR {percent(at.fpr)} {test} wrongly accuses {percent(at.fpr)} of the non-members "
        f"and misses {percent(at.fnr)} of the members."
    )


CONVERTED = "The claim is for add/remove adjacency and is converted to replace-one. "


def outputs_sentence(part: MechanismPart, result: Result) -> str:
    """Say which outputs the test flags, and the error rates of this test and of the best test."""
    at, laws = part.decision, part.laws.laws
    prefix = CONVERTED * result.claim.converted
    if at.decision is None or laws is None:
        return (
            f"{prefix}{WORDS['no_outputs']} At FPR = {percent(at.fpr)} a best attack misses FNR = "
            f"{percent(at.fnr)} of the members."
        )
    above, best = height_above_curve_in_words(at), "no test with that FPR misses fewer"
    if above:
        best = (
            f"the best test with that FPR misses {percent(at.best_fnr)}: the point lies {above} "
            "above the curve"
        )
    rule = _flagged_outputs_sentence(laws, at.decision)
    return (
        f"{prefix}{rule} The attack flags FPR = {percent(at.fpr)} of the non-members and misses "
        f"FNR = {percent(at.fnr)} of the members; {best}."
    )


def _flagged_outputs_sentence(laws: OutputLaws, decision: MembershipTest) -> str:
    """Say which outputs the test flags."""
    if not isinstance(laws, DiscreteOutputs):
        if decision.threshold is None:
            raise RuntimeError("decision must be a threshold test for continuous outputs")
        return f"The threshold is t = {short(decision.threshold)}."
    always, by_coin = surely_and_randomly_flagged_outputs(laws, decision)
    cases = [f"when the {laws.name} is {' or '.join(always)}"] if always else []
    for label, share in by_coin:
        output = "it" if cases else f"the {laws.name}"
        cases.append(f"with probability {percent(share)} when {output} is {label}")
    if not cases:
        return "The attack never says “member”."
    return f"The attack says “member” {', and '.join(cases)}."


def surely_and_randomly_flagged_outputs(
    laws: DiscreteOutputs, decision: MembershipTest
) -> tuple[list[str], list[tuple[str, float]]]:
    """Return outputs that are always flagged, and (output, chance) of outputs flagged at random."""
    always: list[str] = []
    by_coin: list[tuple[str, float]] = []
    # Each bar is one output; a test that flags a share of a bar randomises.
    for low, high in np.clip(decision.intervals, *laws.span) - laws.first:
        begin, end = int(np.ceil(low)), int(high)
        if begin > low:
            by_coin.append((laws.labels[begin - 1], float(begin - low)))
        if begin < end:
            is_end = end == len(laws.labels)
            always.append(_range_text(laws.labels[begin:end], includes_last=is_end))
    return always, by_coin


def _range_text(labels: tuple[str, ...], *, includes_last: bool) -> str:
    if len(labels) <= 2:
        return " or ".join(labels)
    is_number = labels[0].lstrip("-").isdigit()
    return f"{labels[0]} or more" if includes_last and is_number else f"{labels[0]} to {labels[-1]}"


def decision_lead(part: MechanismPart) -> str:
    """Say how far above the claim's trade-off curve the test is."""
    above = height_above_curve_in_words(part.decision)
    if above:
        return f"This test lies {above} above the curve; the likelihood-ratio test lies on it."
    return "Likelihood-ratio tests lie on the curve; no test lies below the curve."


def decision_sentence(part: MechanismPart) -> str:
    """Say the FPR and FNR of the chosen test, and its height above the trade-off curve."""
    above = height_above_curve_in_words(part.decision)
    where = f"{above} above" if above else "on"
    return f"This test is the point {error_rates_label(part.decision)}, {where} the curve."


def error_rates_label(at: MembershipTestPart) -> str:
    """Return the FPR and FNR of the test as text."""
    return f"FPR {percent(at.fpr)}, FNR {percent(at.fnr)}"


def height_above_curve_in_words(at: MembershipTestPart) -> str:
    """Say how many percentage points above the trade-off curve the test is; "" if on the curve."""
    return f"{short(100 * at.excess_fnr)} percentage points" if at.excess_fnr > 1e-9 else ""


def privacy_loss_lead(part: MechanismPart) -> str:
    """Say how probable a privacy loss of epsilon or more is, and the delta at that epsilon."""
    loss = part.loss
    return (
        f"A member's privacy loss is at least ε = {short(loss.epsilon)} with probability "
        f"{short(loss.member_tail)}. At this ε, δ is {short(loss.delta)}."
    )


def privacy_loss_sentence(part: MechanismPart) -> str:
    """Say P(L >= epsilon) and the delta at epsilon, and why the two numbers differ."""
    loss = part.loss
    tail, delta = short(loss.member_tail), short(loss.delta)
    text = (
        f"The privacy loss of a member's output is at least ε = {short(loss.epsilon)} with "
        f"probability {tail} (for a non-member's output: {short(loss.nonmember_tail)}). At this ε, "
        f"δ is {delta}"
    )
    if loss.delta < loss.member_tail and tail != delta:
        return (
            f"{text}, which is smaller: δ = E[(1 - e^(ε - L))+] gives less weight to losses L "
            "closer to ε. So “a loss of ε or more has probability at most δ” is sufficient for (ε, "
            "δ)-DP, but not necessary."
        )
    return f"{text}: here δ equals the probability."


class ErrorAreas(AnswerLayer[MembershipTestPart]):
    """The FPR and the FNR of the test, as areas below the two densities."""

    answer = "mechanism.decision"
    fpr = Area(color=theme.ATTACK, opacity=0.2, outline=False, label="wrongly accused (FPR)")
    fnr = Area(color=theme.MEMBER, opacity=0.2, outline=False, label="missed (FNR)")

    def draw_answer(self, part: MembershipTestPart) -> None:
        self.fpr.draw(part.fpr_area)
        self.fnr.draw(part.fnr_area)


class OutputCurves(AnswerLayer[DensitiesPart]):
    """The curves of two output densities, or bars of discrete outputs, with given labels."""

    def __init__(
        self,
        answer: str = "mechanism.laws",
        *,
        nonmember: str = "non-member (P)",
        member: str = "member (Q)",
    ) -> None:
        self.answer, self._names = answer, (nonmember, member)

    def add_marks(self) -> None:
        nonmember, member = self._names
        self._nonmember = self.add("non-member", Line(color=theme.NONMEMBER, label=nonmember))
        self._member = self.add("member", Line(color=theme.MEMBER, dash="dashed", label=member))

    def draw_answer(self, part: DensitiesPart) -> None:
        x, y = self.x, self.y
        if isinstance(part.laws, DiscreteOutputs):
            x.set_bar_names(part.laws.labels, left_end=part.laws.first)
        else:
            x.set_range(*part.span)
        y.set_range(0.0, 1.08 * part.top)
        x.set_label("output" if part.laws is None else part.laws.name)
        y.set_label("probability" if isinstance(part.laws, DiscreteOutputs) else "density")
        self._nonmember.draw(part.nonmember)
        self._member.draw(part.member)


STEPS_PER_BAR = 20  # steps of the randomisation as the threshold is dragged over a bar


class OutputThreshold(CursorLayer):
    """The test's threshold as a line to drag; without a threshold, the flagged intervals' ends."""

    of = ("answers.mechanism.decision", "answers.mechanism.laws")  # these set the axis
    ends = Line(color=theme.SELECTION, dash="dashed", width=1.5)

    def add_marks(self) -> None:
        super().add_marks()
        self.add_cursor("threshold t", self._select_threshold)

    def draw(self, result: Result) -> None:
        part: MechanismPart = result.answers["mechanism"]
        x, y = self.x, self.y
        decision, self._laws = part.decision.decision, part.laws.laws
        if decision is not None and decision.threshold is not None:
            self.ends.hide()
            self.place_cursor(decision.threshold)
            return
        self.hide_cursor()
        ends = [] if decision is None else np.ravel(decision.intervals).tolist()
        inside = [end for end in ends if x.low < end < x.high]
        # One polyline goes up and down at each end, and along the axis between the ends.
        corners = [(end, height) for end in inside for height in (y.low, y.high, y.low)]
        self.ends.draw(np.array(corners) if corners else NOTHING)

    def _select_threshold(self, x: float) -> None:
        laws = self._laws
        if isinstance(laws, DiscreteOutputs):
            at = round(x * STEPS_PER_BAR) / STEPS_PER_BAR
            self.change(fpr=min(1.0, laws.at_least(at).fpr))
        elif laws is not None:
            self.change(fpr=tidy_rate(laws.at_least(x).fpr))


class DecisionPoint(AnswerLayer[MembershipTestPart]):
    """The point (FPR, FNR) of the test, and a vertical line down to the trade-off curve."""

    answer = "mechanism.decision"
    gap = Line(color=theme.ATTACK, dash="dotted", width=2.5)
    point = Points(color=theme.ATTACK, marker="diamond", size=120, label="this test")

    def draw_answer(self, at: MembershipTestPart) -> None:
        gap = np.array([[at.fpr, at.best_fnr], [at.fpr, at.fnr]])
        self.gap.draw(gap if at.excess_fnr > 0 else NOTHING)
        self.point.draw(gap[1:], texts=[error_rates_label(at)])


class PrivacyLossTails(AnswerLayer[PrivacyLossPart]):
    """P(L >= x) for members and non-members, and delta(x), against the privacy loss x."""

    answer = "mechanism.loss"

    def add_marks(self) -> None:
        self._curves = self.add_each(
            "curve",
            Line(color=theme.NONMEMBER, label="P(L ≥ x), non-member"),
            Line(color=theme.MEMBER, dash="dashed", label="P(L ≥ x), member"),
            Line(color=theme.CLAIM, width=2.5, label="δ(x)"),
        )
        self._line = self.add("line", Line(color=theme.LEVEL, dash="dash_dotted"))
        points = (Points(color=color, marker="diamond") for color in (theme.MEMBER, theme.CLAIM))
        self._points = self.add_each("point", *points)
        self._name = self.add("name", Points(color=theme.LEVEL, marker="diamond", size=14))

    def draw_answer(self, part: PrivacyLossPart) -> None:
        x, y = self.x, self.y
        x.set_range(*part.span)
        y.set_range(part.floor, 1.0)
        curves = (part.nonmember_tails, part.member_tails, part.deltas)
        for curve, vertices in zip(self._curves, curves, strict=True):
            curve.draw(vertices)
        # An epsilon beyond the axis is drawn at its end.
        place = x.clamp(part.epsilon)
        is_inside = place == part.epsilon
        self._line.draw(self.frame.ends_of_vertical_line(place))
        for mark, height in zip(self._points, (part.member_tail, part.delta), strict=True):
            mark.draw(np.array([[place, y.clamp(height)]]) if is_inside else NOTHING)
        name = f"ε = {short(part.epsilon)}{'' if is_inside else ' →'}"
        self._name.draw(np.array([[place, part.floor**0.5]]), texts=[name])


OUTPUTS = Scene(
    title="What is released?",
    topic="outputs",
    needs="mechanism",
    of_claim=True,
    x=AxisSpec(label="output"),
    y=AxisSpec(label="density"),
    layers=lambda: [ErrorAreas(), OutputCurves(), OutputThreshold()],
)

DECISION = replace(
    PLANE,
    title="Where is this test on the trade-off curve?",
    topic="decision",
    needs="mechanism",
    of_claim=True,
    layers=lambda: [ClaimCurve(), SelectedFpr(), DecisionPoint()],
)

PRIVACY_LOSS = Scene(
    title="How large can the privacy loss be?",
    topic="privacy_loss",
    needs="mechanism",
    of_claim=True,
    x=AxisSpec(label="privacy loss L = log Q/P"),
    y=AxisSpec(label="probability (log scale)", low=1e-6, scale="log"),
    layers=lambda: [PrivacyLossTails()],
)

MECHANISM = "answers.mechanism"
TOPIC = Topic(
    sentences={
        "outputs_lead": TextWriter(outputs_lead, "outputs", MECHANISM, lead=True, about_claim=True),
        "outputs": TextWriter(outputs_sentence, "outputs", MECHANISM, about_claim=True),
        "decision_lead": TextWriter(
            decision_lead, "decision", MECHANISM, lead=True, about_claim=True
        ),
        "decision": TextWriter(decision_sentence, "decision", MECHANISM, about_claim=True),
        "privacy_loss_lead": TextWriter(
            privacy_loss_lead, "privacy_loss", MECHANISM, lead=True, about_claim=True
        ),
        "privacy_loss": TextWriter(
            privacy_loss_sentence, "privacy_loss", MECHANISM, about_claim=True
        ),
    },
    scenes={"outputs": OUTPUTS, "decision": DECISION, "privacy_loss": PRIVACY_LOSS},
)
