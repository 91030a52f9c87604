"""Estimates, by resampling, of the number of records with which an audit certifies an epsilon."""

from dataclasses import asdict, dataclass

import numpy as np

from dpviz import checks
from dpviz.analysis.topic import Table, answer_topic
from dpviz.audit import plan
from dpviz.audit.bounds import fewest_records
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.evidence import Plan
from dpviz.audit.evidence.plan import WHOLE_CURVE
from dpviz.audit.scores.base import Scores
from dpviz.drawing import NOTHING, AnswerLayer, AxisSpec, Line, Points, Scene, theme
from dpviz.number_format import percent, percent_with_error, short
from dpviz.theory import TradeoffFunction

POWERS = (0.5, 0.8, 0.9, 0.95)  # in the menu


@dataclass(frozen=True, kw_only=True)
class PlanQuestion:
    """The epsilon to certify at `delta`, and the wanted probability (`power`) of certifying it."""

    epsilon: float = 1.0
    delta: float = 1e-5
    confidence_level: float = 0.95
    power: float = 0.8

    def __post_init__(self) -> None:
        power = checks.real("power", self.power, 0, 1, closed="neither")
        object.__setattr__(self, "power", power)


@dataclass(frozen=True, kw_only=True, eq=False)
class PlanPart:
    """The plan of an audit, or the `reason` why there is no plan."""

    question: PlanQuestion
    plan: Plan | None = None
    fewest: tuple[int, int] | None = None  # members and non-members for a perfect attack
    reason: str = ""
    has_scores: bool = True  # whether the attack is known by its scores, or its curve is assumed


def plan_part(
    attack: Scores | TradeoffFunction,
    question: PlanQuestion,
    *,
    claim: TradeoffFunction | None = None,
    ratio: float | None = None,
    progress: Progress = iter,
) -> PlanPart:
    """Return a plan of an audit to certify an epsilon or, if `claim` is given, to contradict it."""
    has_scores = isinstance(attack, Scores)
    if ratio is None:
        share = attack.n_members / attack.n_nonmembers if isinstance(attack, Scores) else 1.0
        ratio = min(max(share, 1e-3), 1e3)
    goal = asdict(question) | {"ratio": ratio}
    try:
        enough = plan(attack, **goal, claim=claim, progress=progress)
    except ValueError as error:
        return PlanPart(question=question, reason=str(error), has_scores=has_scores)
    del goal["power"]  # which the sizes for a perfect attack do not depend on
    fewest = fewest_records(**goal) if claim is None else None
    return PlanPart(question=question, plan=enough, fewest=fewest, has_scores=has_scores)


def lead(part: PlanPart) -> str:
    """Say how many records are needed to certify the epsilon with the wanted probability."""
    plan, question = part.plan, part.question
    if plan is None:
        return f"No plan: {part.reason}."
    goal = f"to certify ε = {short(question.epsilon, digits=6)}"
    goal = "to contradict the claim" if plan.method == WHOLE_CURVE else goal
    chance = f"with probability {percent(question.power)}"
    if plan.n_members is None:
        most = int(plan.tried_members[-1]) + int(plan.tried_nonmembers[-1])
        return f"Even {most} records are not enough {goal} {chance} with this attack."
    return (
        f"About {plan.n_members} members and {plan.n_nonmembers} non-members are enough {goal} "
        f"{chance} (an optimistic estimate)."
    )


def summary(part: PlanPart) -> str:
    """Say the assumptions behind the number of records, and the simulated chance of success."""
    plan, question = part.plan, part.question
    if plan is None:
        return ""
    simulated = percent(plan.power)
    if plan.power_error:
        simulated = f"{percent_with_error(plan.power, plan.power_error)} (standard error)"
    test = f"the {'test of the curve' if plan.method == WHOLE_CURVE else 'rank test'}"
    fewest = ""
    if part.fewest is not None:
        n, m = part.fewest
        fewest = (
            f" With fewer than {n} members and {m} non-members, even a perfect attack does not "
            "certify such an ε by this test."
        )
    looked_at = " Audit new records: this plan used the present scores." if part.has_scores else ""
    return (
        f"The plan is for δ = {short(question.delta)}, {percent(question.confidence_level)} "
        f"confidence and {test} over all thresholds. The simulated probability at this size is "
        f"{simulated}. The plan is {plan.note}.{looked_at}{fewest}"
    )


CAPTION = "Share of simulated audits whose lower bound reaches this ε, by records (estimates)."
HEAD = ("members", "non-members", "certified in")


def table(part: PlanPart) -> Table:
    """Return the table of numbers of records, and the share of audits that certify the epsilon."""
    plan = part.plan
    if plan is None:
        return Table(CAPTION, HEAD, [])
    columns = (plan.tried_members, plan.tried_nonmembers, plan.tried_powers)
    rows = [
        (str(n), str(m), f"{percent(power)} of the audits")
        for n, m, power in zip(*(column.tolist() for column in columns), strict=True)
    ]
    return Table(CAPTION, HEAD, rows)


LEAST_DECADES = 2.0  # least length of the axis of records


class PowerOverRecordCount(AnswerLayer[PlanPart]):
    """The curve of the power, the probability of certifying epsilon, over the number of records."""

    answer = "plan"
    power = Line(color=theme.ATTACK, dash="dashed", label="simulated (estimate)")
    tried = Points(color=theme.ATTACK, size=30)
    desired = Line(color=theme.SELECTION, dash="dotted", width=1.5, label="desired")
    planned = Points(color=theme.CLAIM, marker="diamond")

    def draw_answer(self, part: PlanPart) -> None:
        plan = part.plan
        if plan is None:
            self.hide()
            return
        sizes = (plan.tried_members + plan.tried_nonmembers).astype(float)
        low, high = np.floor(np.log10(sizes[0])), np.ceil(np.log10(sizes[-1]))
        self.x.set_range(10.0**low, 10.0 ** max(high, low + LEAST_DECADES))
        places = np.column_stack([sizes, plan.tried_powers])
        self.power.draw(places)
        self.tried.draw(places)
        self.desired.draw(self.frame.ends_of_horizontal_line(part.question.power))
        if plan.n_members is None or plan.n_nonmembers is None:
            self.planned.draw(NOTHING)
        else:
            total = plan.n_members + plan.n_nonmembers
            self.planned.draw(np.array([[total, plan.power]]), texts=[f"{total} records"])


PLAN = Scene(
    title="How many records would be enough?",
    needs="plan",
    x=AxisSpec(label="records of both classes (log scale)", low=10, high=1000, scale="log"),
    y=AxisSpec(label="probability of certifying the ε", low=0, high=1.05, is_rate=True),
    layers=lambda: [PowerOverRecordCount()],
)

TOPIC = answer_topic(PLAN, lead, summary, table)
