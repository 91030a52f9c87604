"""Sentences about the number of records that an audit needs."""

from dpviz.analysis.number_format import percent, percent_with_error, short
from dpviz.analysis.parts.plan import PlanPart
from dpviz.audit import Plan

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
