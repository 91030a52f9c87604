"""Sentences about several designs of an audit."""

from dpviz.analysis.number_format import percent, percent_with_error, short
from dpviz.analysis.parts.designs import DesignLine, DesignsPart, more_may_show_less
from dpviz.audit.bounds.registry import BOUNDS

CAPTION = "Numbers of records that certify ε with the desired probability (estimates)."
HEAD = ("design", "method", "ε", "records", "probability there", "no attack is enough below")
ABOUT = (
    "“A training for each”: independent records, one canary of each training or records of one "
    "model. “One training for all”: a coin decides for each canary whether it is a member. "
    "“Threshold known”: exact limits at the best threshold, which an audit seldom knows before its "
    "data."
)
LESS = " In one training δ counts for every canary: more of them can show less."
OF_CLAIM = (
    "The attack is the best one that the claim allows. It never shows more than is claimed, so ε "
    "is half of that, or less."
)
OF_SCORES = "The attack is that of these scores, resampled, which is optimistic: use new records."


def lead(part: DesignsPart) -> str:
    """How many records each design needs."""
    if not part.lines:
        return f"No plan: {part.reason}."
    chance = percent(part.question.power)
    each = ", ".join(f"{_records(line)} ({line.name})" for line in part.lines)
    several = part.question.compared == "epsilons"
    epsilon = "each ε" if several else f"ε = {_epsilon(part.lines[0])}"
    return f"Records that certify {epsilon} in {chance} of audits, about: {each}."


def summary(part: DesignsPart) -> str:
    """What the numbers assume, and what cannot be certified at all."""
    if not part.lines:
        return ""
    question = part.question
    by_design = question.compared == "designs"
    about = ABOUT if by_design else "By the default bound."
    exact = ", for a known threshold exact" * by_design
    less = LESS * any(more_may_show_less(line.plan.method, line.plan.delta) for line in part.lines)
    few = "" if part.anything is None else _nothing_below(*part.anything)
    attack = OF_SCORES if question.claim is None else OF_CLAIM
    return (
        f"{about}{less} {attack} Half of the records are members, at "
        f"δ = {short(question.delta)} and {percent(question.confidence_level)} confidence. "
        f"Sizes are tried in steps of 5 %; probabilities are simulated (estimates){exact}. "
        f"Triangles: with fewer records no attack is enough.{few}"
    )


def _nothing_below(n: int, m: int) -> str:
    return f" With fewer than {max(n, m)} of each the rank test certifies no ε at all."


def table(part: DesignsPart) -> list[tuple[str, ...]]:
    """One row for each design, under `HEAD`."""
    return [
        (
            line.name,
            BOUNDS[line.plan.method].label,
            _epsilon(line),
            _records(line),
            percent_with_error(line.plan.power, line.plan.power_error)
            if line.plan.power_error
            else f"{percent(line.plan.power)} (exact)",
            "unknown" if line.fewest is None else str(sum(line.fewest)),
        )
        for line in part.lines
    ]


def _epsilon(line: DesignLine) -> str:
    return short(line.plan.epsilon)


def _records(line: DesignLine) -> str:
    """The planned number, or the largest one that was tried."""
    plan = line.plan
    if plan.n_members is None or plan.n_nonmembers is None:
        beyond = "none found up to" if more_may_show_less(plan.method, plan.delta) else "more than"
        return f"{beyond} {int(plan.tried_members[-1]) + int(plan.tried_nonmembers[-1])}"
    return str(plan.n_members + plan.n_nonmembers)
