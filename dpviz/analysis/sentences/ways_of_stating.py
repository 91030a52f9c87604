"""Sentences about one guarantee in every way of stating it."""

from dpviz.analysis.number_format import percent, short, upper
from dpviz.analysis.parts.ways_of_stating import WaysPart
from dpviz.analysis.sentences.claim import name
from dpviz.theory import GaussianDP, PureDP, Statement, ZeroConcentratedDP

ABOUT = (
    "Each statement follows from the claim: it allows every attack that the claim allows, and "
    "most allow more. Numbers are the smallest that hold, rounded up. μ is stated where FPR and "
    "FNR are at least 1e-6. “Through Rényi” is the ε that follows from Rényi "
    "divergences alone, which is what an accountant of Rényi DP knows."
)
CAPTION = "The same claim in every way of stating it."
HEAD = ("stated as", "TPR at most", "more than the claim")
SAME = 5e-4  # of a TPR: a difference that three digits do not show
NOTHING = {
    "gaussian_dp": "no μ",
    "renyi": "no Rényi divergence is known to be finite",
    "zero_concentrated": "no ρ",
    "approximate": "no finite ε at this δ",
    "approximate_of_renyi": "no ε through Rényi",
    "pure": "no finite ε at δ = 0",
}


def label(statement: Statement) -> str:
    """A statement with its number, rounded up."""
    claim = statement.claim
    if statement.way == "itself":
        return "the claim itself"
    if claim is None:
        return NOTHING[statement.way]
    if statement.way == "renyi":
        return "Rényi DP at many orders"
    if isinstance(claim, GaussianDP):
        return f"μ = {short(upper(claim.mu))}"
    if isinstance(claim, ZeroConcentratedDP):
        return f"ρ = {short(upper(claim.rho))} (zCDP)"
    epsilon = short(upper(claim.parameters["epsilon"]))
    if isinstance(claim, PureDP):
        return f"ε = {epsilon} (pure)"
    pair = f"ε = {epsilon}, δ = {short(claim.parameters['delta'])}"
    return f"{pair} through Rényi" if statement.way == "approximate_of_renyi" else pair


def lead(part: WaysPart) -> str:
    """What the guarantee allows, and what the statement that allows most does."""
    known = [
        (allowed, label(each))
        for each, allowed in zip(part.statements, part.allowed, strict=True)
        if allowed is not None
    ]
    most, stated = max(known, key=lambda each: each[0])
    at = f"At FPR {percent(part.fpr)} at most {percent(upper(part.itself))} of members are caught"
    if most - part.itself < SAME:
        return f"{at}, in whichever way the claim is stated."
    return f"{at}; known only as {stated}, up to {percent(upper(most))}."


def about(part: WaysPart) -> str:
    """What the statements are of, and how they are meant."""
    return f"Stated here: {name(part.given)}. {ABOUT}"


def table(part: WaysPart) -> list[tuple[str, ...]]:
    """One row for each way, under `HEAD`."""
    return [
        (label(each), *_allowed(allowed, part.itself))
        for each, allowed in zip(part.statements, part.allowed, strict=True)
    ]


def _allowed(tpr: float | None, itself: float) -> tuple[str, str]:
    if tpr is None:
        return ("-", "-")
    return (percent(upper(tpr)), percent(upper(max(tpr - itself, 0.0))))
