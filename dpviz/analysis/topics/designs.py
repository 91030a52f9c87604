"""Audit designs, and the number of records that each design needs to certify an epsilon."""

from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import partial
from math import isinf
from typing import Any, Literal, get_args

import numpy as np

from dpviz import checks
from dpviz.analysis.topic import Table, answer_topic
from dpviz.analysis.topics.plan import PlanQuestion
from dpviz.audit import ceiling, plan
from dpviz.audit.bounds import fewest_records
from dpviz.audit.bounds.registry import BOUNDS
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.evidence import Plan
from dpviz.audit.evidence.plan import largest_provable_epsilon
from dpviz.audit.scores.base import Scores
from dpviz.checks import FloatArray
from dpviz.drawing import NOTHING, AnswerLayer, AxisSpec, Line, Points, Scene, theme
from dpviz.number_format import percent, percent_with_error, short
from dpviz.theory import TradeoffFunction

Compared = Literal["designs", "epsilons"]
COMPARED: tuple[Compared, ...] = get_args(Compared)

# Methods by what an auditor has to do for them; None is the default of `plan`.
METHODS: dict[str, str | None] = {
    "separate trainings": None,
    "one training": "one_run_curve",
    "threshold known": "clopper_pearson",
}

CLAIM_SHARES = (1.0, 0.5, 0.25)  # of the claim's epsilon, to be certified with scores
# Share without scores: if a claim holds, no number of records certifies all of its epsilon.
SHARE_FOR_BEST_ATTACK = 0.5
LARGEST = 50_000  # records of each class
MAX_RECORDS_PERFECT_ATTACK = 5000  # records of each class, with a perfect attack
SIZES_BELOW_BISECTION = 5  # sizes below the result of a bisection that are tried, too
MAX_SIZES_IN_TURN = 100  # sizes that are tried one by one where more records may show less
RUNS = 300  # data sets simulated at each size


@dataclass(frozen=True, kw_only=True)
class DesignsQuestion(PlanQuestion):
    """What an audit is to certify, under which claim, and whether designs or epsilons vary."""

    claim: TradeoffFunction | None = None  # whose best attack is used; None: that of the scores
    compared: Compared = "designs"  # what the plans differ in

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.real("epsilon", self.epsilon, 0)
        checks.choice("compared", self.compared, COMPARED)


@dataclass(frozen=True, kw_only=True, eq=False)
class DesignPlan:
    """An audit design, its plan, and the fewest records that are enough for a perfect attack."""

    name: str
    plan: Plan
    fewest: tuple[int, int] | None

    @property
    def n_records(self) -> int | None:
        """The number of records that is enough; None if every number tried is too small."""
        n, m = self.plan.n_members, self.plan.n_nonmembers
        return None if n is None or m is None else n + m


@dataclass(frozen=True, kw_only=True, eq=False)
class DesignsPart:
    """The plan of each audit design (`lines`), or the `reason` why there is no plan."""

    question: DesignsQuestion
    lines: tuple[DesignPlan, ...] = ()
    fewest: tuple[int, int] | None = None  # with fewer of both the default method certifies nothing
    reason: str = ""


def plan_designs(
    scores: Scores | None, question: DesignsQuestion, *, progress: Progress = iter
) -> DesignsPart:
    """Plan one audit per design, or one per epsilon; in each, half of the records are members."""
    nothing = DesignsPart(question=question)
    attack = scores if question.claim is None else question.claim
    if attack is None:
        return replace(nothing, reason="there is no attack")
    # Only epsilons that the attack shows can be certified, however many records there are.
    shown = largest_provable_epsilon(attack, question.delta)
    most = question.epsilon if question.claim is None else SHARE_FOR_BEST_ATTACK * question.epsilon
    if isinf(most):
        return replace(nothing, reason="nothing is claimed")
    wanted = [epsilon for share in CLAIM_SHARES if 0 < (epsilon := share * most) < shown]
    if not wanted:
        return replace(nothing, reason=f"the attack shows no more than ε = {short(shown)}")
    # Either the methods differ, at one epsilon, or the epsilons, at one method.
    designs = [(name, wanted[0], method) for name, method in METHODS.items()]
    if question.compared == "epsilons":
        designs = [(f"ε = {short(epsilon)}", epsilon, None) for epsilon in wanted]
    search = partial(plan, attack, power=question.power, largest=LARGEST, n_resamples=RUNS)
    delta, level, lines = question.delta, question.confidence_level, []
    for i in progress(range(len(designs))):
        name, epsilon, method = designs[i]
        try:
            enough = search(epsilon=epsilon, delta=delta, confidence_level=level, method=method)
        except ValueError as error:
            return replace(nothing, reason=str(error))
        lines.append(DesignPlan(name=name, plan=enough, fewest=_fewest_records(enough, method)))
    fewest = fewest_records(delta=delta, confidence_level=level)
    return replace(nothing, lines=tuple(lines), fewest=fewest)


def _fewest_records(audit_plan: Plan, method: str | None) -> tuple[int, int] | None:
    """Return the fewest members and non-members that can certify the epsilon; None if unknown."""
    epsilon, delta, level = audit_plan.epsilon, audit_plan.delta, audit_plan.confidence_level
    if method is None:
        return fewest_records(epsilon=epsilon, delta=delta, confidence_level=level)

    def is_enough(records: int) -> bool:
        given: dict[str, Any] = {"n_members": records, "n_nonmembers": records, "delta": delta}
        return ceiling(**given, confidence_level=level, method=method) >= epsilon

    # Bisection fails where more records may certify less: sizes are tried one by one.
    if counts_delta_per_canary(audit_plan):
        fewest = next(
            filter(is_enough, range(1, MAX_SIZES_IN_TURN + 1)), MAX_RECORDS_PERFECT_ATTACK
        )
    else:
        found = bisect_left(range(1, MAX_RECORDS_PERFECT_ATTACK), True, key=is_enough) + 1
        # Counts are whole numbers, so a few more records may certify slightly less.
        fewest = next(filter(is_enough, range(max(1, found - SIZES_BELOW_BISECTION), found)), found)
    return None if fewest == MAX_RECORDS_PERFECT_ATTACK else (fewest, fewest)


def counts_delta_per_canary(plan: Plan) -> bool:
    """Return whether delta is added once per canary, so that more canaries may certify less."""
    return BOUNDS[plan.method].requires_fair_coins and plan.delta > 0


def lead(part: DesignsPart) -> str:
    """Say how many records each design needs."""
    if not part.lines:
        return f"No plan: {part.reason}."
    chance = percent(part.question.power)
    each = ", ".join(f"{_records_text(line)} ({line.name})" for line in part.lines)
    has_several = part.question.compared == "epsilons"
    epsilon = "each ε" if has_several else f"ε = {short(part.lines[0].plan.epsilon)}"
    return f"About this many records certify {epsilon} in {chance} of audits: {each}."


ABOUT_DESIGNS = (
    "“Separate trainings” means independent scores: one canary in each of many trainings, or "
    "records sampled for one fixed model. “One training” means that a coin decides for each canary "
    "whether it is a member. “Threshold known” means that the best threshold is fixed before the "
    "audit, which is seldom possible; its limits of FPR and FNR are exact."
)

LESS = " In one training, δ counts for every canary, so more canaries can certify a smaller ε."
ABOUT_CLAIM = (
    "The attack is the best attack that the claim allows. An audit of any size certifies "
    "less than the claimed ε, so plan to certify at most half of it."
)
ABOUT_SCORES = (
    "The attack is simulated from these scores, so the plan is optimistic. Audit new records."
)


def summary(part: DesignsPart) -> str:
    """Say the assumptions of the designs, and how many records even a perfect attack needs."""
    if not part.lines:
        return ""
    question = part.question
    by_design = question.compared == "designs"
    about = ABOUT_DESIGNS if by_design else "All bounds use the default method."
    exact = ", for a known threshold exact" * by_design
    less = LESS * any(counts_delta_per_canary(line.plan) for line in part.lines)
    attack = ABOUT_SCORES if question.claim is None else ABOUT_CLAIM
    text = (
        f"{about}{less} {attack} Half of the records are members, at δ = {short(question.delta)} "
        f"and {percent(question.confidence_level)} confidence. Sizes are tried in steps of 5 %; "
        f"probabilities are simulated (estimates){exact}. A triangle marks the fewest records with "
        "which a perfect attack certifies the ε."
    )
    if part.fewest is None:
        return text
    return (
        f"{text} With fewer than {max(part.fewest)} members or non-members the rank test certifies "
        "no ε at all."
    )


CAPTION = "Numbers of records that certify ε with the desired probability (estimates)."
HEAD = ("design", "method", "ε", "records", "probability", "too few records below")


def table(part: DesignsPart) -> Table:
    """Return the table of designs, with the number of records that each design needs."""
    rows = []
    for line in part.lines:
        method, rate, error = BOUNDS[line.plan.method].label, line.plan.power, line.plan.power_error
        power = percent_with_error(rate, error) if error else f"{percent(rate)} (exact)"
        fewest = "unknown" if line.fewest is None else str(sum(line.fewest))
        epsilon = short(line.plan.epsilon)
        rows.append((line.name, method, epsilon, _records_text(line), power, fewest))
    return Table(CAPTION, HEAD, rows)


def _records_text(design_plan: DesignPlan) -> str:
    """Return as text the number of records that a design needs, or that no number was found."""
    plan, total = design_plan.plan, design_plan.n_records
    if total is None:
        beyond = "none found up to" if counts_delta_per_canary(plan) else "more than"
        return f"{beyond} {int(plan.tried_members[-1]) + int(plan.tried_nonmembers[-1])}"
    return str(total)


BEFORE, BEYOND = 1.5, 8.0  # the axis goes from fewest / BEFORE to most * BEYOND: room for names


class PowerOfDesigns(AnswerLayer[DesignsPart]):
    """The probability that each design certifies its epsilon, against the number of records."""

    answer = "designs"
    desired = Line(color=theme.SELECTION, dash="dotted", width=1.5, label="desired")

    def add_marks(self) -> None:
        super().add_marks()
        styles = list(zip(theme.RATIO_COLORS, theme.RATIO_DASHES, strict=True))
        self._lines = self.add_each("line", *(Line(color=c, dash=dash) for c, dash in styles))
        self._starts, self._ends = (
            self.add_each(name, *(Points(color=c, marker=marker) for c, _ in styles))
            for name, marker in (("start", "triangle-up"), ("end", "diamond"))
        )

    def draw_answer(self, part: DesignsPart) -> None:
        self.hide()
        if not part.lines:
            return
        paths = [_power_by_record_count(line) for line in part.lines]
        totals = np.concatenate([path[:, 0] for path in paths])
        self.x.set_range(float(totals.min()) / BEFORE, float(totals.max()) * BEYOND)
        self.desired.draw(self.frame.ends_of_horizontal_line(part.question.power))
        for i, (line, path) in enumerate(zip(part.lines, paths, strict=True)):
            self._lines[i].draw(path)
            self._starts[i].draw(NOTHING if line.fewest is None else path[:1])
            end, text = path[-1], line.name
            if (enough := line.n_records) is not None:
                end, text = np.array([enough, line.plan.power]), f"{line.name}: {enough}"
            self._ends[i].draw(end[None], texts=[text])


def _power_by_record_count(design_plan: DesignPlan) -> FloatArray:
    """Return a curve: the number of records, and the probability of certifying the epsilon."""
    plan = design_plan.plan
    path = np.column_stack([plan.tried_members + plan.tried_nonmembers, plan.tried_powers])
    if design_plan.fewest is None:
        return path
    # With fewer records no attack is enough: the line begins there, at probability 0.
    fewest = sum(design_plan.fewest)
    return np.vstack([[fewest, 0.0], path[path[:, 0] > fewest]])


DESIGNS = Scene(
    title="How many records does each audit need?",
    needs="designs",
    x=AxisSpec(label="records, half of them members (log scale)", low=10, high=1000, scale="log"),
    y=AxisSpec(label="probability of certifying the ε", low=0, high=1.05, is_rate=True),
    layers=lambda: [PowerOfDesigns()],
)

TOPIC = answer_topic(DESIGNS, lead, summary, table)
