"""The headline of an audit, in one of six states, and the ruler: one axis with all epsilons."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from dpviz.analysis.attacks import FIRST_ATTACK
from dpviz.analysis.result import AuditPart, Result, SamplePart
from dpviz.analysis.spec import Spec
from dpviz.analysis.topic import TextWriter, Topic
from dpviz.analysis.topics import at_most, attacks, checklist
from dpviz.analysis.topics.bounds import OWNERS, bound_text, other_delta_sentence
from dpviz.analysis.topics.claim import NUMBERS_ONLY, SYMBOLS, name_template, short_name
from dpviz.analysis.topics.risk import risk_at_point
from dpviz.analysis.words import WORDS, capitalised, counted
from dpviz.audit.bounds.registry import BOUNDS
from dpviz.audit.bounds.result import default_method
from dpviz.drawing import AxisSpec, Layer, Scene, rectangle, theme
from dpviz.drawing.axes import rounded_axis_end
from dpviz.drawing.labels import text_width
from dpviz.drawing.layers import abbreviated
from dpviz.drawing.marks import NOTHING, Area, DrawnLines, DrawnPoints, Line, Points
from dpviz.number_format import lower, percent, percent_at_most, short, short_above, upper
from dpviz.theory import ApproximateDP, GaussianDP, TradeoffFunction, ZeroConcentratedDP
from dpviz.theory.tradeoff import Adjacency

AnswerState = Literal[
    "contradicted", "not contradicted", "cannot decide", "no claim", "computing", "promise"
]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The outcome of an audit, and epsilons at `delta`: the claimed epsilon, bounds, estimates.

    `state` is "contradicted"; "not contradicted", which does not confirm the claim; "cannot decide"
    (even a perfect attack on this many records could not contradict it, or the claim cannot be
    tested); "no claim" (there are scores, but the claim allows every attack); "computing" (the
    test is not finished); or "promise" (there are no scores).

    `claimed` is the epsilon of the claim, or the smallest that it implies at `delta`, perhaps inf;
    None for a claim that allows every attack. `certified` is the lower bound, and `ceiling` is the
    bound that a perfect attack on as many records would give. `at_most` is the limit from above of
    what this attack reaches, if finite. `estimate` is Epsilon*, which is not a bound. `chance` is
    the 95 % quantile of Epsilon* over random labellings of these records, None if Epsilon* comes
    from fitted distributions. Numbers not yet computed are None. `attacks` has the name and the
    lower bound of each compared attack; these bounds hold jointly.
    """

    state: AnswerState
    delta: float
    claimed: float | None
    certified: float | None = None
    estimate: float | None = None
    chance: float | None = None
    ceiling: float | None = None
    at_most: float | None = None
    attacks: tuple[tuple[str, float], ...] = ()

    @property
    def largest_found(self) -> float:
        """The largest finite epsilon of the answer other than `claimed`; 0 if none is computed."""
        others = (low for _, low in self.attacks)
        numbers = (self.certified, self.estimate, self.chance, self.ceiling, self.at_most, *others)
        return max((x for x in numbers if x is not None and math.isfinite(x)), default=0.0)


def answer_of(result: Result) -> Answer:
    """Return the outcome of an audit and its epsilons; an epsilon not computed yet is None."""
    claim, sample = result.claim, result.sample
    claimed = claim.epsilon if result.is_tested else None
    if sample is None:
        return Answer(state="promise", delta=claim.delta, claimed=claimed)
    audit = sample.audit
    is_counted = result.spec.method == "empirical"
    bounds = audit.best_of.bounds if audit.best_of else {}
    limit = audit.at_most.epsilon.high if audit.at_most else math.inf
    return Answer(
        state=_outcome_with_scores(result, sample),
        delta=claim.delta,
        claimed=claimed,
        certified=audit.bound.low if audit.bound else None,
        estimate=sample.epsilon_star.star.value,
        chance=audit.null.quantile("epsilon_star") if audit.null and is_counted else None,
        ceiling=audit.ceiling,
        at_most=limit if math.isfinite(limit) else None,
        attacks=tuple((name, bound.low) for name, bound in bounds.items() if name != FIRST_ATTACK),
    )


def perfect_attack_result_text(audit: AuditPart) -> str:
    """Say why even a perfect attack cannot refute the claim; "" if such an attack can."""
    test, ceiling = audit.test, audit.claim_ceiling
    if test is None:
        return ""
    if test.smallest_p_value is not None and test.smallest_p_value > 1 - test.confidence_level:
        return f"gives p = {short(upper(test.smallest_p_value))}"
    if ceiling is not None and ceiling <= test.claim.parameters["epsilon"]:
        return f"certifies at most ε = {short(upper(ceiling))}"
    return ""


def _outcome_with_scores(result: Result, sample: SamplePart) -> AnswerState:
    """Return the outcome of the audit, a value of `Answer.state`, for a result with scores."""
    audit = sample.audit
    if not result.is_tested:
        return "no claim"
    if audit.test is None:
        return "cannot decide" if "test" in dict(audit.refused) else "computing"
    if audit.test.outcome == "contradicted":
        return "contradicted"
    # Without the ceiling it is open why the claim is not contradicted.
    if "claim_ceiling" in dict(audit.pending):
        return "computing"
    return "cannot decide" if perfect_attack_result_text(audit) else "not contradicted"


ADJACENCIES = {"replace_one": "replace-one", "add_remove": "add/remove"}


def original_adjacency(spec: Spec) -> Adjacency:
    """Return the adjacency of the claim as stated; a spec can set it if no mechanism is named."""
    is_open = type(spec.claim) in NUMBERS_ONLY and spec.neighbours == "add_remove"
    return "add_remove" if is_open else spec.claim.adjacency


def is_adjacency_stated(spec: Spec) -> bool:
    """Return whether the claim, the spec or the checklist states which data sets are neighbours."""
    is_said = type(spec.claim) not in NUMBERS_ONLY or spec.claim.adjacency == "add_remove"
    stated = spec.facts.get("adjacency")
    return is_said or spec.neighbours is not None or bool(stated and stated.answer)


def adjacency_phrase(result: Result) -> str:
    """Return the adjacency in which the claim is tested, as a phrase: "under replace-one"."""
    if result.claim.converted:
        return "under replace-one (converted from add/remove)"
    return f"under {ADJACENCIES[original_adjacency(result.spec)]}"


def adjacency_sentence(result: Result) -> str:
    """Say under which adjacency the claim is tested, and the outcome under the other adjacency."""
    if result.sample is None or not result.is_tested:
        return ""
    claim, given = result.claim, result.spec.claim
    # A mechanism has an adjacency of its own; only mere numbers can be read in two ways.
    if type(given) not in NUMBERS_ONLY:
        if claim.converted:
            return (
                "The claim is for add/remove adjacency. It is converted to replace-one adjacency, "
                "in which one record replaces another."
            )
        text = f"The claim is tested under {ADJACENCIES[given.adjacency]} adjacency"
        is_other = result.spec.neighbours not in (None, given.adjacency)
        return f"{text}{', on data with one record more or less' * is_other}."
    here = ADJACENCIES[original_adjacency(result.spec)]
    (there,) = {*ADJACENCIES.values()} - {here}
    if claim.other_reading is None:
        other = "" if result.spec.is_one_run else f"; under {there}, the answer is the same"
        return f"The claim is tested under {here} adjacency{other}."
    text = f"The claim is read as {here}"
    if claim.converted:
        allowed = claim_numbers_text(claim.claim, claim.delta)
        text += f", so it allows {allowed} if a record is replaced"
    allowed = claim_numbers_text(claim.other_reading, claim.delta)
    allowed += " for a replaced record" * (here == "replace-one")
    other = f"Read as {there}, it allows {allowed}"
    return f"{text}. {other}; {_other_adjacency_clause(result.sample)}."


def outcome_depends_on_adjacency(result: Result) -> bool:
    """Return whether the scores contradict the claim under exactly one of the two adjacencies."""
    if result.sample is None or result.claim.other_reading is None:
        return False
    audit = result.sample.audit
    if audit.test is None or audit.other_contradicted is None:
        return False
    return (audit.test.outcome == "contradicted") != audit.other_contradicted


def _other_adjacency_clause(sample: SamplePart) -> str:
    """Return a clause on whether the scores contradict the claim under the other adjacency."""
    test, contradicted = sample.audit.test, sample.audit.other_contradicted
    if test is None or contradicted is None:
        return "this reading is not tested yet"
    is_same = (test.outcome == "contradicted") == contradicted
    if contradicted:
        return "that is contradicted" + ", too" * is_same
    return "that is not contradicted" + ", either" * is_same


def claim_numbers_text(claim: TradeoffFunction, delta: float) -> str:
    """Return the numbers of a claim: "ε = 2, δ = 1e-5", "μ = 1", or else its epsilon at `delta`."""
    if isinstance(claim, ApproximateDP):
        epsilon, delta = claim.claimed_epsilon, claim.claimed_delta
        return f"ε = {short(upper(epsilon), digits=6)}, δ = {short(delta)}"
    if isinstance(claim, GaussianDP | ZeroConcentratedDP):
        ((name, number),) = claim.parameters.items()
        return f"{SYMBOLS[name]} = {short(upper(number))}"
    return f"ε = {short(upper(claim.epsilon(delta)))}, δ = {short(delta)}"


def assumptions_sentence(result: Result, sample: SamplePart) -> str:
    """Say whether low or high scores mean membership, and which adjacency the claim has."""
    have = "have low losses" if sample.histogram.kind == "loss" else "have high scores"
    if not result.is_tested:
        return f"Assumed: members {have}."
    how = ". Stated:" if is_adjacency_stated(result.spec) else ";"
    neighbours = ADJACENCIES[original_adjacency(result.spec)]
    return f"Assumed: members {have}{how} {neighbours} adjacency."


SUBJECTS = {
    "instance": "this trained model, not about the training method",
    "mechanism": "the training method, if membership was drawn at random as declared",
}


def headline(result: Result) -> str:
    """Return the headline: whether the scores contradict the claim, or what the claim promises."""
    sample, claim = result.sample, short_claim_text(result)
    if sample is not None:
        state = "untested" if result.is_claimed and not result.is_tested else result.answer.state
        return WORDS[f"answer.{state}"].format(kind=scores_phrase(sample), claim=claim)
    if not result.is_claimed:
        return WORDS["answer.nothing"].format(claim=capitalised(claim))
    caught = percent_at_most(result.claim.claim.tpr(result.fpr))
    return WORDS["answer.promise"].format(fpr=percent(result.fpr), claim=claim, tpr=caught)


def headline_reasons(result: Result) -> str:
    """Say why the headline holds, which epsilon is certified, and from how many records."""
    sample = result.sample
    if sample is None:
        converted = ", converted to replace-one" if result.claim.converted else ""
        return (
            f"This limit follows from the claim{converted}. A test of the claim needs the scores "
            "of an attack on a trained model."
        )
    area = sample.rates.auc
    texts = [
        _certified_epsilon_sentence(sample, result.claim.epsilon),
        _sample_sentence(result, sample),
        assumptions_sentence(result, sample),
    ]
    if area.high < 0.5:
        texts.append(f"The {scores_word(sample)} look reversed (AUC {short(area.value)}).")
    texts.append(checklist.audit_limits_phrase(result.spec))
    # The reason for the outcome stands first: a p-value, or why nothing is decided.
    test = sample.audit.test
    if test is not None and test.p_value is not None and test.outcome == "contradicted":
        level, p_value = percent(1 - test.confidence_level), short(upper(test.p_value))
        texts.insert(0, f"A test rejects the claim at the {level} level (p = {p_value}).")
    if result.answer.state == "cannot decide":
        reason = dict(sample.audit.refused).get("test") or (
            f"even a perfect attack on so few records {perfect_attack_result_text(sample.audit)}"
        )
        texts.insert(0, f"{capitalised(reason)}.")
    return " ".join(filter(None, texts))


def _sample_sentence(result: Result, sample: SamplePart) -> str:
    """Say how many records there are, and the largest epsilon that so many can certify."""
    at, most = sample.at_fpr, sample.audit.ceiling
    members, others = counted(at.n_members, "member"), counted(at.n_nonmembers, "non-member")
    records = f"Sample: {members}, {others}"
    # The reason has said it where nothing is decided; the outcome of a second reading needs room.
    is_left_out = result.answer.state == "cannot decide" or outcome_depends_on_adjacency(result)
    if most is None or not math.isfinite(most) or is_left_out:
        return f"{records}."
    if most == 0:
        return f"{records}, too few to certify any ε above 0."
    return f"{records}, enough to certify up to ε = {short(upper(most))}."


def headline_caveats(result: Result) -> str:
    """Say the limits and the assumptions of the headline."""
    sample = result.sample
    if sample is None:
        return (
            "The limit holds for every attack, known or unknown. dpviz does not check whether the "
            "mechanism satisfies the claim."
        )
    return (
        f"The result is about {SUBJECTS[result.spec.applies_to]}. A lower bound cannot show that ε "
        f"is small: another attack may show a larger ε. {sampling_sentence(result.spec)} "
        f"{checklist.limits_and_missing_facts_text(result.spec)}"
    ).rstrip()


def sampling_sentence(spec: Spec) -> str:
    """Say how records must have been drawn for the bounds and tests of an audit to hold."""
    return f"Assumed: {BOUNDS[default_method(spec.sampling)].conditions(spec.sampling)}."


def tpr_at_one_percent_sentence(result: Result) -> str:
    """Say the attack's TPR at FPR 1 %, and the largest TPR that the claim allows there."""
    sample = result.sample
    if sample is None:
        return ""
    if not result.is_tested:
        return f"{tpr_at_one_percent_clause(sample)}."
    most, place = result.claim.claim.tpr(0.01), fpr_of_clearest_contradiction(result)
    clearest = ""
    if place is not None and sample.at_one_percent.tpr <= most:
        clearest = WORDS["at_one_percent.clearest"].format(fpr=percent(place))
    return WORDS["at_one_percent"].format(
        measured=tpr_at_one_percent_clause(sample), tpr=percent_at_most(most), clearest=clearest
    )


def fpr_of_clearest_contradiction(result: Result) -> float | None:
    """Return the FPR at which scores contradict the claim most clearly; None if they do not."""
    test = result.sample.audit.test if result.sample is not None else None
    if test is None or test.place is None or result.answer.state != "contradicted":
        return None
    return test.place.fpr


def tpr_at_one_percent_clause(sample: SamplePart) -> str:
    """Return the share of members that the attack detects at FPR 1 %, as a clause."""
    at = sample.at_one_percent
    counts = f"{at.true_positives} of {at.n_members}, an estimate"
    return f"At FPR 1 % this attack catches {percent(at.tpr)} of the members ({counts})"


def prior_and_posterior_odds_sentence(result: Result) -> str:
    """Say the prior odds of membership, and the largest posterior odds that the claim allows."""
    prior, at = result.spec.prior, risk_at_point(result)
    before, fpr, ppv = _odds_text(prior / (1 - prior)), percent(at.fpr), at.ppv
    if ppv >= 1:
        return f"For a record flagged at FPR {fpr}, the claim allows any odds."
    return (
        f"Before the attack the odds of membership are {before}. For a record flagged at FPR "
        f"{fpr}, the claim allows odds of at most {_odds_text(upper(ppv / (1 - ppv)))}."
    )


def large_delta_warning(sample: SamplePart, result: Result) -> str:
    """Return a warning if delta is at least 1/n for the n members of one model; otherwise ""."""
    delta, n = result.claim.delta, sample.at_fpr.n_members
    if delta * n < 1 or result.spec.applies_to != "instance":
        return ""
    return (
        f"For {n} members, δ should be below 1/{n}. A mechanism that publishes one random record "
        f"of the {n} training records satisfies (0, 1/{n})-DP."
    )


def ruler_sentence(result: Result) -> str:
    """List the claimed, certified and estimated epsilons on the ruler, in one sentence."""
    answer, claimed = result.answer, result.answer.claimed
    texts = ["nothing claimed" if claimed is None else f"claimed {short(upper(claimed))}"]
    if answer.certified is not None:
        texts.append(f"certified at least {short_above(answer.certified, claimed or 0.0)}")
    texts += [f"{name} certifies at least {short(lower(low))}" for name, low in answer.attacks]
    if answer.chance is not None:
        texts.append(f"chance alone gives an Epsilon* of up to {short(upper(answer.chance))}")
    if answer.estimate is not None:
        texts.append(f"Epsilon* {short(answer.estimate)}, an estimate")
    if answer.ceiling is not None:
        texts.append(f"a perfect attack certifies at most {short(upper(answer.ceiling))}")
    if answer.at_most is not None:
        texts.append(f"this attack reaches at most {short(upper(answer.at_most))}")
    return f"ε at δ = {short(answer.delta)}: {'; '.join(texts)}."


def _certified_epsilon_sentence(sample: SamplePart, claimed: float) -> str:
    """Say the certified epsilon, "The losses certify ε ≥ 1", or why there is no lower bound."""
    test = sample.audit.test
    bound = test.bound if test is not None and test.bound is not None else sample.audit.bound
    if bound is None:
        reason, known = map(dict(sample.audit.refused).get, ("bound", "test"))
        # The headline has the reason of the test.
        return f"No lower bound: {reason}." if reason and reason != known else ""
    level = f"({percent(bound.confidence_level)} confidence, δ = {short(bound.delta)})"
    if bound.applies_to == "mechanism":  # how membership was drawn, in short
        level = f"({bound.sampling.partition(':')[0]}; {level[1:]}"
    subject = f"The {scores_word(sample)}"
    if bound.low <= 0:
        return f"{subject} certify no ε above 0 {level}."
    least, owner = bound_text(bound, claimed), OWNERS[bound.applies_to]
    text = f"{subject} certify ε ≥ {least} for {owner} {level}."
    # Below one expected leak the bounds of two deltas differ too little to be noticed.
    is_large = bound.delta * (bound.n_members + bound.n_nonmembers) >= 1
    return " ".join(filter(None, [text, other_delta_sentence(bound) if is_large else ""]))


def scores_word(sample: SamplePart) -> str:
    """Return the word for the numbers that the attack gave to records: "losses" or "scores"."""
    return "losses" if sample.histogram.kind == "loss" else "scores"


def scores_phrase(sample: SamplePart) -> str:
    """Return "losses" or "scores", and how many duplicate records the analysis leaves out."""
    word, copies = scores_word(sample), sample.histogram.copies
    return f"{word} ({copies}, and do not count)" if copies else word


def short_claim_text(result: Result) -> str:
    """Return the claim without its delta: "ε = 2", or the short name of a mechanism."""
    given = result.spec.claim
    if isinstance(given, ApproximateDP) and "epsilon" in given.parameters:
        return f"ε = {short(given.claimed_epsilon, digits=6)}{_adjacency_suffix(given)}"
    return short_name(given)


def short_claim_template(claim: TradeoffFunction) -> str:
    """Return the short name of a claim with slots for numbers, which the browser fills."""
    if isinstance(claim, ApproximateDP) and "epsilon" in claim.parameters:
        return "ε = {epsilon}" + _adjacency_suffix(claim)
    return name_template(claim) + _adjacency_suffix(claim)


def _adjacency_suffix(claim: TradeoffFunction) -> str:
    return "" if claim.adjacency == "replace_one" else " (add/remove)"


def _odds_text(odds: float) -> str:
    return f"{short(odds)} to 1" if odds >= 1 else f"1 to {short(lower(1 / odds))}"


# Heights in pixels, from below; lines to other labels do not reach down to that of the claim.
CLAIMED_ROW, CLAIMED_END = 8.0, 29.0
CERTIFIED, STARS = (15.5, 20.5), 24.0  # of the bar; of the diamonds and the line between them
RULER_HEIGHT, FIRST_ROW, ROW, ROWS = 72.0, 36.0, 14.0, 3  # a label is nearly 14 pixels high
LONGEST_NAME = 16  # letters of an attack
TICK_WIDTH = 3.5  # of the claim's tick, in pixels
AXIS_FACTOR = 1.08  # length of the axis over the largest number
CLAIM_ONLY_FACTOR = 1.25  # the least length where there is only a claim
FAR_CLAIM_FACTOR = 4.0  # a claim this many times as large as all else is at the end of the axis

# In pixels: the axis of a narrow picture, and from a label to its line, to other lines and labels.
USUAL_WIDTH, TO_OWN_LINE, TO_LINES, TO_LABELS = 340.0, 5.0, 3.0, 18.0


@dataclass(frozen=True)
class RulerLabel:
    """A label of the ruler: its text, its row from below, and its position on the axis."""

    text: str
    share: float  # of the length of the axis, from its lower end
    row: int = 0
    to_the_left: bool = False

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The left end and the right end of the label, in pixels."""
        x, long = self.share * USUAL_WIDTH, TO_OWN_LINE + text_width(self.text)
        return (x - long, x - TO_OWN_LINE) if self.to_the_left else (x + TO_OWN_LINE, x + long)

    def is_in_conflict(self, other: "RulerLabel") -> bool:
        """Return whether one of two labels covers the other label or the line to that label."""
        (left, right), (a, b) = self.ends, other.ends
        x, other_x = self.share * USUAL_WIDTH, other.share * USUAL_WIDTH
        meets = self.row == other.row and left < b + TO_LABELS and a < right + TO_LABELS
        is_crossed = self.row <= other.row and left - TO_LINES < other_x < right + TO_LINES
        return meets or is_crossed or (other.row <= self.row and a - TO_LINES < x < b + TO_LINES)


def _tick_label_marker(color: str, width: float) -> Points:
    """Return a marker that is as wide as a tick (`width` pixels) and carries the tick's label."""
    return Points(color=color, size=round(math.pi * width**2 / 4))


class Ruler(Layer):
    """The ruler's marks on an axis of epsilon: lower bounds, ceiling and Epsilon*."""

    of = (
        *("claim", "sample.epsilon_star", "spec.method", "sample.audit.bound"),
        *("sample.audit.ceiling", "sample.audit.null", "sample.audit.best_of"),
        "sample.audit.at_most",
    )
    certified = Area(color=theme.ATTACK, opacity=1, outline=False)
    bracket = Line(color=theme.SELECTION, width=1.5)

    def add_marks(self) -> None:
        super().add_marks()
        attack, other = theme.ATTACK, theme.SELECTION
        colors = {"chance": other, "certified": attack, "estimate": attack, "ceiling": other}
        self._ticks: dict[str, DrawnLines] = {}
        self._labels: dict[str, DrawnPoints] = {}
        lines = {name: Line(color=color, width=1) for name, color in colors.items()}
        for i, (dash, width) in enumerate(theme.ATTACKS):  # as their curves
            lines[f"attack {i}"] = Line(color=attack, dash=dash, width=width)
        for name, line in lines.items():
            self._ticks[name] = self.add(f"tick of {name}", line)
            self._labels[name] = self.add(f"label of {name}", _tick_label_marker(line.color, 1))
        star = Points(color=attack, marker="diamond", size=70, outline=2)
        by_chance = Points(color=other, marker="diamond", size=40, outline=1.5)
        self._stars = {
            "estimate": self.add("estimate", star),
            "chance": self.add("estimate by chance", by_chance),
        }
        self._beyond = self.add("what this attack does not reach", Line(color=attack, width=2))
        self._limit = self.add("limit of this attack", _tick_label_marker(attack, 1))

    def draw(self, result: Result) -> None:
        answer = result.answer
        end = largest_epsilon_on_ruler(answer)
        # Numbers beyond the axis stand at its end.
        numbers = _labelled_epsilons(answer)
        places = {name: min(value, end) for name, (value, _) in numbers.items()}
        named = [RulerLabel(numbers[name][1], place / end) for name, place in places.items()]
        labels = dict(zip(places, labels_in_rows(named), strict=True))
        for name in self._labels.keys() - labels.keys():
            self._labels[name].draw(NOTHING)
            self._ticks[name].draw(NOTHING)
        for name, at in labels.items():
            y = FIRST_ROW + ROW * (at.row % ROWS)
            # The line to a label begins at its diamond, or beside the bar.
            foot = {"certified": CERTIFIED[1], "ceiling": CERTIFIED[0]}.get(name, STARS)
            x = places[name]
            self._ticks[name].draw(np.array([[x, foot], [x, y]]))
            self._labels[name].draw(np.array([[x, y]]), texts=[at.text])
        # The bar is a bound, diamonds are estimates; a line joins Epsilon* and what chance gives.
        certified = places.get("certified", 0.0)
        self.certified.draw(rectangle(0.0, certified, *CERTIFIED) if certified else NOTHING)
        for name, star in self._stars.items():
            star.draw(np.array([[places[name], STARS]]) if name in places else NOTHING)
        ends = [[places[name], STARS] for name in self._stars if name in places]
        self.bracket.draw(np.array(ends) if len(ends) > 1 else NOTHING)
        # A bracket from the right: this attack reaches no epsilon beyond its limit.
        if answer.at_most is None:
            self._beyond.draw(NOTHING)
            self._limit.draw(NOTHING)
            return
        limit, (low, high) = min(answer.at_most, end), CERTIFIED
        y = (low + high) / 2
        self._beyond.draw(np.array([[end, y], [limit, y], [limit, low], [limit, high]]))
        text = f"this attack ≤ {short(upper(answer.at_most))}"
        self._limit.draw(np.array([[end, y]]), texts=[text])


class ClaimedTick(Layer):
    """The axis of the ruler, and a tick at the claimed epsilon if anything is claimed."""

    closed_form = True
    of = ("claim", "spec.method", "sample.audit", "sample.epsilon_star")
    line = Line(color=theme.CLAIM, width=TICK_WIDTH)
    label = _tick_label_marker(theme.CLAIM, TICK_WIDTH)

    def draw(self, result: Result) -> None:
        answer = result.answer
        self.x.set_range(0.0, largest_epsilon_on_ruler(answer))
        self.x.set_label(f"ε at δ = {short(answer.delta)}")
        if answer.claimed is None:
            self.hide()
            return
        x = self.x.clamp(answer.claimed)
        self.line.draw(np.array([[x, 0.0], [x, CLAIMED_END]]))
        is_beyond = x < answer.claimed < math.inf
        text = f"claimed {short(upper(answer.claimed))}{' →' if is_beyond else ''}"
        self.label.draw(np.array([[x, CLAIMED_ROW]]), texts=[text])


def largest_epsilon_on_ruler(answer: Answer) -> float:
    """Return the upper end of the ruler's axis, which only a very large claimed epsilon exceeds."""
    # A claim far beyond all measured numbers would press them together.
    measured, claimed = answer.largest_found, answer.claimed or 0.0
    if not measured:
        return rounded_axis_end(CLAIM_ONLY_FACTOR * claimed) if 1e-300 < claimed < 1e300 else 1.0
    is_near = measured < claimed <= FAR_CLAIM_FACTOR * measured
    return AXIS_FACTOR * (claimed if is_near else measured)


def labels_in_rows(labels: Sequence[RulerLabel]) -> list[RulerLabel]:
    """Place labels in rows, left or right of their epsilons, without overlaps if possible."""
    order = sorted(range(len(labels)), key=lambda i: -labels[i].share)
    found: list[tuple[RulerLabel, ...]] = [()]  # arrangements of the labels so far, from the right
    for i in order:
        sides = [replace(labels[i], to_the_left=is_left) for is_left in (False, True)]
        tried = [replace(each, row=row) for row in range(ROWS) for each in sides]
        found = [
            (*taken, each)
            for taken in found
            for each in tried
            if each.ends[0] >= 0 and each.ends[1] <= USUAL_WIDTH
            if not any(map(each.is_in_conflict, taken))
        ][:60]  # of more, few are of use
    in_turn = (
        replace(labels[i], row=n, to_the_left=labels[i].share > 0.5) for n, i in enumerate(order)
    )
    chosen = found[0] if found else tuple(in_turn)
    return [chosen[order.index(i)] for i in range(len(labels))]


def _labelled_epsilons(answer: Answer) -> dict[str, tuple[float, str]]:
    """Return (epsilon, text of the label) of each mark on the ruler, by the name of the mark."""
    certified = short_above(answer.certified or 0.0, answer.claimed or 0.0)
    chance = None if answer.attacks else answer.chance
    numbers: dict[str, tuple[float | None, str]] = {
        "certified": (answer.certified, f"certified ≥ {certified}"),
        "chance": (chance, f"chance ≤ {short(upper(answer.chance or 0.0))}"),
        "estimate": (answer.estimate, f"Epsilon* ≈ {short(answer.estimate or 0.0)}"),
        "ceiling": (answer.ceiling, f"ceiling {short(upper(answer.ceiling or 0.0))}"),
    }
    for i, (name, low) in enumerate(answer.attacks):
        text = f"{abbreviated(name, LONGEST_NAME)} ≥ {short(lower(low))}"
        numbers[f"attack {i}"] = (low or None, text)
    return {
        name: (value, text)
        for name, (value, text) in numbers.items()
        if value is not None and not math.isnan(value)
    }


RULER = Scene(
    title="What is claimed, and what is certified?",
    shape="strip",
    topic="answer",
    x=AxisSpec(label="ε"),
    y=AxisSpec(label="", high=RULER_HEIGHT, visible=False),
    layers=lambda: [Ruler(), ClaimedTick()],
)

TOPIC = Topic(
    sentences={
        "answer": TextWriter(headline, "answer", lead=True),
        "answer_detail": TextWriter(headline_reasons, "answer"),
        "reading": TextWriter(adjacency_sentence, "answer", about_claim=True),
        "at_one_percent": TextWriter(
            tpr_at_one_percent_sentence, "answer", about_claim=True, without_claim=True
        ),
        "answer_limits": TextWriter(headline_caveats, "answer"),
        "at_most": TextWriter(at_most.accuracy_sentence, "answer", "sample"),
        "large_delta": TextWriter(large_delta_warning, "answer", "sample"),
        "best_of": TextWriter(attacks.best_attack_sentence, "answer", "sample", user_text=True),
        "odds": TextWriter(prior_and_posterior_odds_sentence, "answer", about_claim=True),
    },
    scenes={"ruler": RULER},
)
