"""Sentences about averages at several zoom levels: their sensitivity and their epsilon."""

from dpviz.analysis.number_format import short, upper
from dpviz.theory.zoom_levels import ZoomLevels

CAPTION = "Each zoom level alone: one record moves the average of its region."
HEAD = ("regions", "records in each, at least", "sensitivity (L1, L2, L∞)", "ε")


def lead(levels: ZoomLevels) -> str:
    """The epsilon of the coarsest and the finest level, and of all."""
    first, *_, last = (*levels.regions, levels.regions[-1])
    each = [short(upper(float(epsilon))) for epsilon in levels.epsilons]
    finest = "" if len(levels.regions) == 1 else f" and ε = {each[-1]} with {last}"
    return (
        f"With equal noise, averages have ε = {each[0]} with {_regions(first)}{finest}; all maps "
        f"together have ε = {short(upper(levels.epsilon))}."
    )


def summary(levels: ZoomLevels) -> str:
    """The sensitivities of all averages together, and what they assume."""
    l1, l2, linf = (short(upper(levels.sensitivity(norm))) for norm in ("l1", "l2", "linf"))
    return (
        f"All averages together have sensitivity {l1} in L1, {l2} in L2 and {linf} in L∞. Laplace "
        f"noise of scale {short(levels.scale)} gives ε = L1 sensitivity / scale. Values are "
        f"clipped to {short(levels.low)} to {short(levels.high)}. A record gets another value and "
        "stays in its regions; it moves one average of each map."
    )


def table(levels: ZoomLevels) -> list[tuple[str, ...]]:
    """One row for each level, under `HEAD`."""
    rows = zip(levels.regions, levels.smallest, levels.changes, levels.epsilons, strict=True)
    return [
        (str(n), str(m), short(upper(float(change))), short(upper(float(epsilon))))
        for n, m, change, epsilon in rows
    ]


def _regions(n: int) -> str:
    return f"{n} region{'' if n == 1 else 's'}"
