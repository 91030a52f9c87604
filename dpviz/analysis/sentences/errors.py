"""Errors of numbers that a user typed, as people speak: the one place for these words.

Python's messages name the argument: "prior must be in (0, 1), got 0.0". Beside a box the same error
reads "Prior p must be more than 0 and less than 1 (you typed 0)."; the browser fills in the same
words (`js/src/state/scale.ts`).
"""

import re

from dpviz.analysis.claims.menu import ENTRIES
from dpviz.analysis.number_format import exact
from dpviz.analysis.spec import CONTROLS
from dpviz.checks import ConditionError

OTHERS = {
    "confidence_level": "Confidence",
    "fnr": "FNR of the point",
    "clip": "Clip",
    "threshold": "Threshold",
    "n": "Number of records",
}
INTERVAL = re.compile(r"in ([\[(])(\S+), (\S+)([\])])")
DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*,\d+\s*%?\s*")


def called(label: str) -> str:
    """Return a control's label as it begins a sentence: "Prior p", "ε"."""
    return label[0].upper() + label[1:] if label[:1].isascii() else label


NAMES = {  # errors name a parameter, or the label of its box
    **{
        key: called(typed.label)
        for entry in ENTRIES.values()
        for name, typed in entry.parameters.items()
        for key in (name, typed.label)
    },
    **{name: called(control.label) for name, control in CONTROLS.items()},
    **OTHERS,
}


def in_words(condition: str) -> str:
    """Return the condition of an interval without brackets: "more than 0 and less than 1"."""
    found = INTERVAL.fullmatch(condition)
    if found is None:
        return condition
    opening, low, high, closing = found.groups()
    if high == "inf":
        return f"{low} or more" if opening == "[" else f"more than {low}"
    if opening == "[" and closing == "]":
        return f"from {low} to {high}"
    at_least = f"at least {low}" if opening == "[" else f"more than {low}"
    return f"{at_least} and " + (f"at most {high}" if closing == "]" else f"less than {high}")


def for_people(error: Exception) -> str:
    """Return the words that stand beside a box; other errors keep their own."""
    broken = error if isinstance(error, ConditionError) else error.__cause__  # of a `SpecError`
    if not isinstance(broken, ConditionError) or broken.argument not in NAMES:
        return str(error)
    value = broken.value
    if isinstance(value, str):
        if DECIMAL_COMMA.fullmatch(value):
            return f"Write {value.strip().replace(',', '.')} with a point."
        typed = value.strip() or "nothing"
    elif isinstance(value, int | float):
        typed = exact(value)
    else:
        return str(error)
    name = NAMES[broken.argument]
    return f"{name} must be {in_words(broken.condition)} (you typed {typed})."
