"""The ruler in text: one row a number, all on one axis of epsilon."""

import math

from dpviz.analysis.number_format import short, short_above, upper
from dpviz.analysis.parts.answer import Answer
from dpviz.pictures.layers.ruler import reach

NAMES = 12  # characters of a name
LENGTH = 48  # characters of the axis


def ruler_lines(answer: Answer) -> list[str]:
    """Lines with a mark and a number each, then the axis; what is not known is left out."""
    end = reach(answer)
    rows = []
    if answer.claimed is not None:
        rows.append(("claimed", "|", answer.claimed, short(upper(answer.claimed))))
    if answer.certified is not None:
        least = short_above(answer.certified, answer.claimed or 0.0)
        rows.append(("certified", "=", answer.certified, f"at least {least}"))
    if answer.chance is not None:
        most = short(upper(answer.chance))
        rows.append(("chance alone", "-", answer.chance, f"up to about {most}"))
    if answer.estimate is not None:
        rows.append(("Epsilon*", "o", answer.estimate, f"{short(answer.estimate)}, an estimate"))
    if answer.ceiling is not None:
        rows.append(("ceiling", "|", answer.ceiling, f"{short(upper(answer.ceiling))}"))
    lines = [
        f"{name:<{NAMES}} {_bar(mark, value / end):<{LENGTH}} {text}"
        for name, mark, value, text in rows
        if not math.isnan(value)
    ]
    return [*lines, f"{'ε':<{NAMES}} 0{short(end):>{LENGTH - 1}}"]


def _bar(mark: str, share: float) -> str:
    """A bar of `=` or `-` from 0, or one sign at its place; beyond the axis at its end."""
    at = round(min(share, 1.0) * (LENGTH - 1))
    return mark * at if mark in "=-" else " " * at + mark
