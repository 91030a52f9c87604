"""Groups of records in rows: a bar for the lower bound of each of the largest."""

from dpviz.analysis import Result
from dpviz.analysis.sentences.bounds import at_least
from dpviz.pictures import theme
from dpviz.pictures.layers.bars import Bar, BarChart, Bars, Kind

MOST_BARS = 12  # groups with the largest bounds; the table has all
LONGEST_NAME = 26  # characters that fit beside a bar
ROOM = 2.0  # length of the axis over its longest finite bar
KINDS = (Kind(color=theme.ATTACK, opacity=0.5),)


def group_bars() -> Bars:
    """One bar for each group, the largest bound first."""
    return Bars(KINDS, _chart, groups_parts)


def groups_parts(result: Result) -> tuple[object, ...]:
    """The parts of a result that decide the bars, and so the axis."""
    return (result.answers.get("slices"), result.claim.delta)


def _chart(result: Result) -> BarChart:
    found = result.answers.get("slices")
    bars = [
        Bar(
            name=_cut(row.group),
            epsilon=None if row.bound is None else row.bound.low,
            text="" if row.bound is None else at_least(row.bound),
        )
        for row in (found.rows[:MOST_BARS] if found else ())
    ]
    return BarChart(rows=bars, delta=result.claim.delta, room=ROOM)


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
