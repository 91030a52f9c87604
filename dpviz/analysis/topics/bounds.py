"""Lower bounds on epsilon by all methods, as bars with lines for the ceiling and the claim."""

import math
import re
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np

from dpviz import checks
from dpviz.analysis.result import ClaimPart, Result
from dpviz.analysis.topic import Table, answer_topic
from dpviz.analysis.topics.checklist import limiting_choices
from dpviz.audit import lower_bound
from dpviz.audit.bounds import BOUNDS, DEFAULT, EpsilonBound
from dpviz.audit.bounds.coverage import TABLE_LEVEL, coverage_of_method, worst_cell
from dpviz.audit.bounds.lower_bound import ceiling
from dpviz.audit.bounds.rank import SHARED_LEAKS, SIMULATED_P_VALUES_NOTE
from dpviz.audit.bounds.result import checked_applies_to, default_method
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.scores.base import Sampling, Scores
from dpviz.drawing import EPSILON_AXIS, ROW_AXIS, Layer, Scene, theme
from dpviz.drawing.layers import Bar, BarChartData, BarKind, Bars
from dpviz.drawing.marks import NOTHING, Line, Points
from dpviz.number_format import lower, percent, percent_at_most, short, short_above

Directions = Literal["attack", "both"]


@dataclass(frozen=True, kw_only=True)
class BoundsQuestion:
    """The checked arguments of `dpviz.audit.lower_bound` that all methods have in common."""

    delta: float = 1e-5
    confidence_level: float = 0.95
    sampling: Sampling | None = None
    directions: Directions = "attack"
    threshold: float | None = None  # chosen without the scores; None: no method that needs one

    def __post_init__(self) -> None:
        level = checks.confidence_level(self.confidence_level)
        checked_applies_to(None, self.sampling)
        checks.choice("directions", self.directions, ("attack", "both"))
        legal = {"delta": checks.real("delta", self.delta, 0, 1), "confidence_level": level}
        if self.threshold is not None:
            legal["threshold"] = checks.real("threshold", self.threshold)
        for name, value in legal.items():
            object.__setattr__(self, name, value)

    @property
    def method(self) -> str:
        """The default method for this sampling, chosen without a look at the scores."""
        return default_method(self.sampling)

    @property
    def methods(self) -> tuple[str, ...]:
        """The usable methods: the default method first, methods with further assumptions last."""
        usable = {
            name: method
            for name, method in BOUNDS.items()
            if (self.threshold is not None or not method.needs_threshold)
            and (self.sampling is None or self.sampling in method.samplings)
        }
        is_last = {name: bool(m.further_assumption(self.sampling)) for name, m in usable.items()}
        return tuple(sorted(usable, key=lambda name: (name != self.method, is_last[name])))


@dataclass(frozen=True, kw_only=True, eq=False)
class BoundsPart:
    """Lower bounds on epsilon, and the reasons why other methods give no bound (`refusals`)."""

    question: BoundsQuestion
    bounds: tuple[EpsilonBound, ...] = ()
    refusals: tuple[tuple[str, str], ...] = ()
    ceiling: float | None = None  # the default method's bound for a perfect attack

    @property
    def chosen_bound(self) -> EpsilonBound | None:
        """The bound by the default method; None if that method gave no bound."""
        return next((bound for bound in self.bounds if bound.method == self.question.method), None)


def lower_bounds(
    scores: Scores, question: BoundsQuestion, *, progress: Progress = iter
) -> BoundsPart:
    """Compute the lower bound by each method; `progress` wraps the loop over the methods."""
    bounds, refusals = [], []
    for i in progress(range(len(question.methods))):
        method = question.methods[i]
        # Beside the bounds of one model, those of a mechanism if coins had been tossed.
        sampling = "fair_coins" if BOUNDS[method].requires_fair_coins else question.sampling
        arguments = asdict(question) | {"method": method, "sampling": sampling}
        try:
            bounds.append(lower_bound(scores, **arguments))
        except ValueError as error:
            refusals.append((method, str(error)))
    most = _perfect_attack_bound(scores, question)
    return BoundsPart(
        question=question, bounds=tuple(bounds), refusals=tuple(refusals), ceiling=most
    )


def _perfect_attack_bound(scores: Scores, question: BoundsQuestion) -> float | None:
    """Return the default method's bound for a perfect attack; None if the method gives no bound."""
    # Two directions share the allowed error probability: half of it is for each.
    level = question.confidence_level
    level = (1 + level) / 2 if question.directions == "both" else level
    with suppress(ValueError):
        return ceiling(
            n_members=scores.n_members,
            n_nonmembers=scores.n_nonmembers,
            delta=question.delta,
            confidence_level=level,
            method=question.method,
            sampling=question.sampling,
        )
    return None


def lead(part: BoundsPart, result: Result) -> str:
    """Say how many methods give a bound above the claimed epsilon."""
    if not part.bounds:
        return "No method gives a bound for these scores and settings."
    above = sum(bound.low > result.claim.epsilon for bound in part.bounds)
    return (
        f"{above} of {len(part.bounds)} lower bounds exceed the claimed ε. Only the bound of a "
        "method chosen before looking at the data is valid."
    )


def summary(part: BoundsPart, result: Result) -> str:
    """Say the default bound, its assumptions, and whether the bound contradicts the claim."""
    bound, method = part.chosen_bound, part.question.method
    if bound is None:
        reason = dict(part.refusals).get(method)
        return f"No bound by {BOUNDS[method].label}: {reason}." if reason else ""
    return f"{bound_sentences(bound)} {_comparison_with_claim(bound, result.claim)}"


OWNERS = {"instance": "this trained model", "mechanism": "the training method"}


def bound_sentences(bound: EpsilonBound) -> str:
    """Return sentences about a lower bound: its value, confidence, direction and assumptions."""
    nothing = "" if bound.low > 0 else ": these records show no ε above 0"
    text = (
        f"Lower bound: ε ≥ {bound_text(bound)} at δ = {short(bound.delta)} "
        f"({percent(bound.confidence_level)} confidence, {BOUNDS[bound.method].label} over all "
        f"thresholds){nothing}. A lower bound cannot show that ε is small. The bound is for the ε "
        f"of {OWNERS[bound.applies_to]}. The bound comes from {bound.n_members} members and "
        f"{bound.n_nonmembers} non-members."
    )
    if bound.direction != "attack":
        text += " It uses the records that the attack calls “non-member”: the scores look reversed."
    text += f" Assumed: {bound.sampling}."
    return " ".join(filter(None, [text, other_delta_sentence(bound), _seed_sentence(bound)]))


def other_delta_sentence(bound: EpsilonBound) -> str:
    """Say, at a large delta, that another delta may certify a slightly larger epsilon; else ""."""
    leaks = bound.delta * (bound.n_members + bound.n_nonmembers)
    if bound.method != DEFAULT or leaks <= SHARED_LEAKS or bound.delta == 1:
        return ""
    return (
        "Here each δ has its own test, so the certified ε may rise slightly with δ; the true ε "
        "cannot."
    )


def _seed_sentence(bound: EpsilonBound) -> str:
    """Say how much the lower bound depends on the random seed; "" without such dependence."""
    if bound.seed is None:
        return ""
    spread = short(bound.seed_spread or 0.0)
    if bound.method == DEFAULT:
        varies = f" (standard deviation of the bound: {spread})" if bound.seed_spread else ""
        if SIMULATED_P_VALUES_NOTE in bound.warnings:
            return f"The p-values are simulated with the fixed seed {bound.seed}{varies}."
        return f"Tied records are ranked at random, with a seed from their numbers{varies}."
    if not bound.seed_spread:
        return ""
    return (
        f"The bound depends slightly on the random seed, here {bound.seed} (standard deviation "
        f"{spread}). Report the bound of the first seed: the largest of several bounds is not "
        "valid."
    )


def _comparison_with_claim(bound: EpsilonBound, claim: ClaimPart) -> str:
    """Say whether the bound contradicts the claimed epsilon."""
    converted = ", converted to replace-one adjacency," if claim.converted else ""
    claimed = f"The claim ε = {short(claim.epsilon, digits=6)}{converted}"
    margin = bound.low - claim.epsilon
    if margin <= 0:
        return f"{claimed} is not contradicted, which does not confirm it."
    about = ", read as a claim about this trained model," * (bound.applies_to == "instance")
    return (
        f"{claimed} is below the bound by at least {short(lower(margin))}: these records "
        f"contradict the claim{about} at this confidence."
    )


def bound_text(bound: EpsilonBound, claimed: float = math.inf) -> str:
    """Return the bound as text, rounded down, with enough digits to compare it with `claimed`."""
    return short_above(bound.low, claimed)


def cautions(part: BoundsPart, result: Result) -> str:
    """Return the default method's warnings and, at a fixed threshold, effects of stated facts."""
    texts = [warning_sentence(part.chosen_bound.warnings)] if part.chosen_bound else []
    if part.question.threshold is not None:
        limits = limiting_choices(result.spec, "fixed threshold")
        texts += [choice.effect for choice in limits.values()]
    return " ".join(filter(None, texts))


def warning_sentence(warnings: tuple[str, ...]) -> str:
    """Return warnings as one sentence, without the note that p-values are simulated."""
    others = [each for each in warnings if each != SIMULATED_P_VALUES_NOTE]
    return f"Caution: {'; '.join(others)}." if others else ""


EACH_ALONE = (
    "Choose the method before looking at the data. Each bound holds alone at its confidence; the "
    "largest of several bounds is not valid."
)

UNFIT = re.compile(r"scores must have (.*) for method '\w+', got (.*)")
COVERAGE_HEAD = f"false bounds at {percent(TABLE_LEVEL)} confidence"
HEAD = ("method", "ε at least", "further assumption", "whose ε", COVERAGE_HEAD)


def table(part: BoundsPart) -> Table:
    """Return the table of methods with their bounds and assumptions."""
    cells = {
        method: ("no bound", "Does not apply: " + UNFIT.sub(r"needs \1 (\2)", reason), "")
        for method, reason in part.refusals
    }
    for bound in part.bounds:
        further = BOUNDS[bound.method].further_assumption(part.question.sampling) or "none"
        cells[bound.method] = (bound_text(bound), further, OWNERS[bound.applies_to])
    methods = [method for method in part.question.methods if method in cells]
    rows = [(method_label(m), *cells[m], simulated_false_rate_text(m)) for m in methods]
    return Table(EACH_ALONE, HEAD, rows)


def method_label(method: str) -> str:
    """Return the name of a method, followed by "(default)" for the default method."""
    name = BOUNDS[method].label
    return f"{name} (default)" if method == DEFAULT else name


def simulated_false_rate_text(method: str) -> str:
    """Return, as text, a method's share of false bounds in the worst of the simulated settings."""
    # The largest of many rates exceeds the allowed error rate by chance alone.
    try:
        cell, cells = worst_cell(method), len(coverage_of_method(method))
    except KeyError:
        return "not measured"
    low, high = cell.interval
    limits = f"{percent(lower(low))} to {percent_at_most(high)}"
    share = f"false in {percent(cell.false_rate)} ({limits}) of {cell.runs} runs"
    if not cell.false:
        return f"{share}, worst of {cells} settings"
    return f"{share}, worst of {cells} settings: {cell.law}, n = {cell.n}, δ = {short(cell.delta)}"


AXIS_FACTOR = 2.0  # length of the axis over that of the longest bar
CEILING_FACTOR = 1.1  # length of the axis over the ceiling, at least
ABOVE = 0.35  # rows from the upper end of the axis to the name of the claim's line
KINDS = (
    BarKind(color=theme.ATTACK, opacity=0.5),
    BarKind(color=theme.SELECTION, opacity=0, label="conditional"),
)

# Parts of a result on which the bars and their axis depend.
OF_BARS = ("answers.bounds", "answers.bounds_question", "claim.delta")


def _bounds_part(result: Result) -> BoundsPart:
    question = result.answers.get("bounds_question") or BoundsQuestion(delta=result.claim.delta)
    return result.answers.get("bounds") or BoundsPart(question=question)


def _chart(result: Result) -> BarChartData:
    """Return a chart of lower bounds; bars of methods with further assumptions are hollow."""
    part = _bounds_part(result)
    bounds = {bound.method: bound for bound in part.bounds}
    rows = []
    for method in part.question.methods:
        is_conditional = bool(BOUNDS[method].further_assumption(part.question.sampling))
        bound = bounds.get(method)
        text = f"≥ {bound_text(bound)}" if bound else ""
        # In brackets, so that they differ without colour too.
        text = f"({text})" if is_conditional else text
        low = bound.low if bound else None
        rows.append(
            Bar(name=method_label(method), epsilon=low, text=text, kind=int(is_conditional))
        )
    # The axis has room for the ceiling, unless that is infinite.
    most = part.ceiling
    reach = 0.0 if most is None or np.isinf(most) else CEILING_FACTOR * most
    return BarChartData(rows=rows, delta=part.question.delta, room=AXIS_FACTOR, reach=reach)


class CeilingAcrossBars(Layer):
    """The bound of a perfect attack on the same number of records, as a vertical line."""

    of = OF_BARS
    line = Line(color=theme.SELECTION, dash="dash_dotted", width=1.5, label="ceiling")

    def draw(self, result: Result) -> None:
        ceiling = _bounds_part(result).ceiling
        self.line.draw(NOTHING if ceiling is None else self.frame.ends_of_vertical_line(ceiling))


class ClaimAcrossBars(Layer):
    """A vertical line at the claimed epsilon, with the number beside the line."""

    line = Line(color=theme.LEVEL, width=2.5)
    name = Points(color=theme.LEVEL, size=5)

    def __init__(self, axis_parts: tuple[str, ...]) -> None:
        self.of = ("claim", *axis_parts)

    def draw(self, result: Result) -> None:
        epsilon = result.answer.claimed
        if epsilon is None:
            self.hide()
            return
        self.line.draw(self.frame.ends_of_vertical_line(epsilon))
        beyond = " →" if epsilon > self.x.high else ""
        at = np.array([[self.x.clamp(epsilon), self.y.high - ABOVE]])
        self.name.draw(at, texts=[f"claimed ε = {short(epsilon)}{beyond}"])


LOWER_BOUNDS = Scene(
    title="What do other methods show?",
    needs="bounds",
    x=EPSILON_AXIS,
    y=ROW_AXIS,
    left=200,
    layers=lambda: [Bars(KINDS, _chart, OF_BARS), CeilingAcrossBars(), ClaimAcrossBars(OF_BARS)],
)

TOPIC = answer_topic(LOWER_BOUNDS, lead, summary, table, cautions=cautions)
