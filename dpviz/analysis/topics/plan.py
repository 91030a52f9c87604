"""How many records would certify the claim's epsilon, with an attack like the measured one."""

from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.analysis.result import Result
from dpviz.analysis.topic import Table, Topic, of_answer
from dpviz.audit import Plan, fewest_records, plan
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.scores.base import Scores
from dpviz.drawing import theme
from dpviz.drawing.axes import AxisSpec
from dpviz.drawing.layer import Layer
from dpviz.drawing.marks import NOTHING, Line, Points
from dpviz.drawing.scene import Scene
from dpviz.number_format import percent, percent_with_error, short

POWERS = (0.5, 0.8, 0.9, 0.95)  # that are offered


@dataclass(frozen=True, kw_only=True)
class PlanQuestion:
    """The epsilon to be certified at `delta`, and the probability with which it should be.

    Raises ValueError if `power` is not in (0, 1).
    """

    epsilon: float = 1.0
    delta: float = 1e-5
    confidence_level: float = 0.95
    power: float = 0.8

    def __post_init__(self) -> None:
        power = checks.real("power", self.power, 0, 1, closed="neither")
        object.__setattr__(self, "power", power)


@dataclass(frozen=True, kw_only=True, eq=False)
class PlanPart:
    """A question with its plan, or the `reason` why there is none.

    `fewest` are the members and non-members below which not even a perfect attack is enough.
    """

    question: PlanQuestion
    plan: Plan | None = None
    fewest: tuple[int, int] | None = None
    reason: str = ""


def record_plan(scores: Scores, question: PlanQuestion, *, progress: Progress = iter) -> PlanPart:
    """Plan an audit whose records are resampled from `scores`, in the same proportion of classes.

    `progress` wraps the range of sizes to try; the search ends before.
    """
    ratio = min(max(scores.n_members / scores.n_nonmembers, 1e-3), 1e3)
    try:
        found = plan(
            scores,
            epsilon=question.epsilon,
            delta=question.delta,
            power=question.power,
            confidence_level=question.confidence_level,
            ratio=ratio,
            progress=progress,
        )
    except ValueError as error:
        return PlanPart(question=question, reason=str(error))
    fewest = fewest_records(
        epsilon=question.epsilon,
        delta=question.delta,
        confidence_level=question.confidence_level,
        ratio=ratio,
    )
    return PlanPart(question=question, plan=found, fewest=fewest)


# Sentences about the number of records that an audit needs.

CAPTION = "Simulated audits: how often so many records certify the ε in question (estimates)."
HEAD = ("members", "non-members", "certified in")


def lead(part: PlanPart) -> str:
    """How many records are enough."""
    plan, question = part.plan, part.question
    if plan is None:
        return f"No plan: {part.reason}."
    goal = f"to certify ε = {short(question.epsilon, digits=6)}"
    chance = f"with probability {percent(question.power)}"
    if plan.n_members is None:
        most = int(plan.tried_members[-1]) + int(plan.tried_nonmembers[-1])
        return f"Even {most} records are not enough {goal} {chance}, with such an attack."
    return (
        f"About {plan.n_members} members and {plan.n_nonmembers} non-members are enough {goal} "
        f"{chance} (an optimistic estimate)."
    )


def summary(part: PlanPart) -> str:
    """What the number assumes."""
    plan, question = part.plan, part.question
    if plan is None:
        return ""
    return (
        f"At δ = {short(question.delta)}, with {percent(question.confidence_level)} confidence and "
        f"the rank test over all thresholds. Simulated at this size: {_simulated(plan)}. It is "
        f"{plan.note}. Use new records: these have been looked at.{_fewest(part)}"
    )


def _simulated(plan: Plan) -> str:
    """The power, with its standard error unless all simulated audits had one result."""
    if not plan.power_error:
        return percent(plan.power)
    return f"{percent_with_error(plan.power, plan.power_error)} (standard error)"


def _fewest(part: PlanPart) -> str:
    """What holds for every attack."""
    if part.fewest is None:
        return ""
    n, m = part.fewest
    return (
        f" With fewer than {n} members and {m} non-members this test certifies no such ε, however "
        "good the attack."
    )


def table(part: PlanPart) -> list[tuple[str, ...]]:
    """One row for each size that was tried, under `HEAD`."""
    plan = part.plan
    if plan is None:
        return []
    columns = (plan.tried_members, plan.tried_nonmembers, plan.tried_powers)
    return [
        (str(n), str(m), f"{percent(power)} of the audits")
        for n, m, power in zip(*(column.tolist() for column in columns), strict=True)
    ]


# The power of an audit over its number of records.

DECADES = 2.0  # at least, on the axis of records


class PowerOverSize(Layer):
    """The sizes that were simulated, the desired power, and the size that reaches it."""

    def add_marks(self) -> None:
        self._power = self.add(
            "power", Line(color=theme.ATTACK, dash="dashed", label="simulated (estimate)")
        )
        self._tried = self.add("tried", Points(color=theme.ATTACK, size=30))
        self._desired = self.add(
            "desired", Line(color=theme.SELECTION, dash="dotted", width=1.5, label="desired")
        )
        self._planned = self.add("planned", Points(color=theme.CLAIM, marker="diamond"))

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.answers.get("plan"),)

    def draw(self, result: Result) -> None:
        part: PlanPart | None = result.answers.get("plan")
        if part is None or part.plan is None:
            self.hide()
            return
        plan = part.plan
        sizes = (plan.tried_members + plan.tried_nonmembers).astype(float)
        low, high = np.floor(np.log10(sizes[0])), np.ceil(np.log10(sizes[-1]))
        self.x.set_range(10.0**low, 10.0 ** max(high, low + DECADES))
        places = np.column_stack([sizes, plan.tried_powers])
        self._power.draw(places)
        self._tried.draw(places)
        self._desired.draw(self.frame.horizontal(part.question.power))
        if plan.n_members is None or plan.n_nonmembers is None:
            self._planned.draw(NOTHING)
        else:
            total = plan.n_members + plan.n_nonmembers
            self._planned.draw(np.array([[total, plan.power]]), texts=[f"{total} records"])


PLAN = Scene(
    title="How many records would be enough?",
    topic="plan",
    needs="plan",
    x=AxisSpec(label="records of both classes (log scale)", low=10, high=1000, scale="log"),
    y=AxisSpec(label="probability to certify the ε", low=0, high=1.05, is_rate=True),
    layers=lambda: [PowerOverSize()],
)


TOPIC = Topic(
    sentences={
        "plan_lead": of_answer("plan", lambda p, _: lead(p), lead=True),
        "plan": of_answer("plan", lambda p, _: summary(p)),
    },
    tables={
        "plan": of_answer("plan", lambda p, _: Table(CAPTION, HEAD, table(p))),
    },
    scenes={
        "plan": PLAN,
    },
)
