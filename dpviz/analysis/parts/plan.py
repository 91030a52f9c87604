"""How many records would certify the claim's epsilon, with an attack like the measured one."""

from dataclasses import dataclass

from dpviz import checks
from dpviz.audit import Plan, fewest_records, plan
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.scores.base import Scores

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
