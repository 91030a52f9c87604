"""Sentences about both sides of Theorem 2: averaged rates, and each model's Epsilon*."""

import math

from dpviz.analysis.number_format import short
from dpviz.audit.models.averaged import BothSides

CAPTION = "Conditions of Theorem 2."
HEAD = ("condition", "met", "why")
INFINITE = " Lines and points at the upper edge are infinite: some rate there is 0."
MET = {True: "yes", False: "no", None: "not known"}


def lead(found: BothSides) -> str:
    """The two sides, and which is never the larger."""
    return (
        f"Rates averaged over {_models(found)} give ε-bar = {short(found.left)}: by Theorem 2 at "
        f"most {short(found.right)}, the log of the models' mean e^ε* (estimates)."
    )


def summary(found: BothSides) -> str:
    """What each side says of the training method, and where the rates are from."""
    grid = ", ".join(short(t) for t in found.averaged.grid)
    return (
        "With exact rates ε-bar, equation 19 of the Epsilon* paper, is at most the ε of the "
        "training method. The log of the mean of e^ε* bounds that ε in neither direction. Each "
        f"model is measured at FPR {grid}, without a clip."
    ) + (INFINITE if math.isinf(found.right) else "")


def table(found: BothSides) -> list[tuple[str, ...]]:
    """One row for each condition, under `HEAD`."""
    return [(each.name, MET[each.met], each.text) for each in found.conditions]


def _models(found: BothSides) -> str:
    n = len(found.models)
    return f"{n} model{'' if n == 1 else 's'}"
