"""Sentences about what a mechanism would need, so that no attack may do more than is wanted."""

from dpviz.analysis.number_format import lower, percent, short, upper
from dpviz.analysis.parts.for_risk import Need, RiskNeeds, RiskQuestion
from dpviz.analysis.sentences.claim import SYMBOLS, name
from dpviz.theory.for_risk import PARAMETERS

CAPTION = "One number changed at a time; all others stay as they are."
HEAD = ("change", "now", "enough")
ABOUT = (
    "Each number is the least private one that is enough, rounded to the safe side, with all "
    "others as they are, in the adjacency of the claim. More noise or a smaller rate also costs "
    "accuracy, which is not shown here."
)
NO_NUMBERS = (
    "This claim has no number that can be changed: choose a mechanism, such as Gaussian noise or "
    "DP-SGD."
)


def wish(question: RiskQuestion) -> str:
    """What is wanted, as a condition."""
    limit, fpr = percent(question.limit), percent(question.fpr)
    return {
        "tpr": f"catching at most {limit} of members at FPR {fpr}",
        "advantage": f"TPR - FPR at most {limit}",
        "ppv": f"PPV at most {limit} at prior {percent(question.prior)} and FPR {fpr}",
        "guess": f"guessing right at most {limit}, from {percent(question.kappa)}",
    }[question.wish]


def lead(part: RiskNeeds) -> str:
    """What is enough for the wish."""
    if part.impossible:
        return f"Nothing is enough: {part.impossible}."
    if not part.needs:
        return NO_NUMBERS
    if not part.possible:
        return f"No number of this claim is enough for {wish(part.question)}."
    enough = " or ".join(f"{_symbol(need)} = {number(need)}" for need in part.possible)
    return f"For {wish(part.question)}: {enough}."


def about(part: RiskNeeds) -> str:
    """What was changed, and what is assumed."""
    return f"The claim is {name(part.question.claim)}. {ABOUT}"


def table(part: RiskNeeds) -> list[tuple[str, ...]]:
    """One row for each number of the claim, under `HEAD`."""
    return [
        (_symbol(need), short(need.now), number(need) if need.enough else need.reason)
        for need in part.needs
    ]


def number(need: Need) -> str:
    """The number that is enough, rounded to its safe side."""
    if need.enough is None:
        return "none"
    value = need.enough.parameters[need.parameter]
    if need.is_whole:
        return str(int(value))
    return short(upper(value) if PARAMETERS[need.parameter].hides else lower(value))


def _symbol(need: Need) -> str:
    return SYMBOLS.get(need.parameter, need.parameter)
