"""Groups of records: a lower bound for each, corrected for the number of groups."""

from dpviz.analysis.result import Result
from dpviz.analysis.topic import Table, Topic, of_answer
from dpviz.analysis.topics.bounds import WHOSE, ClaimAcrossBars, at_least
from dpviz.audit.bounds import BOUNDS
from dpviz.audit.bounds.slices import Slice, Slices
from dpviz.drawing import theme
from dpviz.drawing.layers import EPSILON, NAMES, Bar, BarChart, Bars, Kind
from dpviz.drawing.scene import Scene
from dpviz.number_format import lower, percent, short, upper


def lead(found: Slices) -> str:
    """The group with the largest bound."""
    if not found.n_tested:
        return "No group has both members and non-members."
    level = f"{percent(found.confidence_level)} confidence for all {found.n_tested} groups together"
    worst = found.worst
    if worst is None or worst.bound is None:
        return f"No group shows an ε above 0 ({level}); that does not show that ε is small."
    return f"Largest bound: group {worst.group}, ε ≥ {at_least(worst.bound)} ({level})."


# Sentences about groups of records: the worst, corrected for the search, and a table.

CAPTION = (
    "Each bound holds together with all others: the worst group may be picked afterwards, if the "
    "groups were fixed before the scores were looked at. AUC and advantage are estimates."
)
HEAD = ("group", "members", "non-members", "ε at least", "AUC", "advantage")


def summary(found: Slices) -> str:
    """The group with the largest bound, or that no group has one above 0."""
    tested = next((row.bound for row in found.rows if row.bound is not None), None)
    left_out = len(found.rows) - found.n_tested
    skipped = (
        f" Groups without members or without non-members, left out: {left_out}." if left_out else ""
    )
    if tested is None:
        return f"No group has both members and non-members.{skipped}"
    level = (
        f"at δ = {short(tested.delta)} ({percent(found.confidence_level)} confidence for all "
        f"{found.n_tested} groups together, {found.correction}; "
        f"method: {BOUNDS[tested.method].label})"
    )
    worst = found.worst
    if worst is None or worst.bound is None:
        largest = largest_group(found)
        return (
            f"No group shows an ε above 0 {level}; that does not show that ε is small. Even a "
            f"perfect attack on the largest group, {largest.group}, certifies at most ε = "
            f"{short(upper(largest.ceiling or 0.0))}.{skipped}"
        )
    return (
        f"The largest bound is that of group {worst.group}, with {worst.n_members} members and "
        f"{worst.n_nonmembers} non-members: the ε of {WHOSE[worst.bound.applies_to]} there is at "
        f"least {at_least(worst.bound)} {level}.{skipped}"
    )


def largest_group(found: Slices) -> Slice:
    """The group with a bound that could certify the most, or nearly so.

    That is the one with the most records, or that whose smaller class is the largest.
    """
    tested = [row for row in found.rows if row.bound is not None]
    sizes = {row.group: sorted([row.n_members, row.n_nonmembers]) for row in tested}
    largest = max(tested, key=lambda row: sum(sizes[row.group]))
    even = max(tested, key=lambda row: sizes[row.group])
    return max(largest, even, key=lambda row: row.ceiling or 0.0)


def table(found: Slices) -> list[tuple[str, ...]]:
    """One row for each group, under `HEAD`."""
    return [_row(row) for row in found.rows]


def _row(row: Slice) -> tuple[str, ...]:
    sizes = (row.group, str(row.n_members), str(row.n_nonmembers))
    if row.bound is None:
        return (*sizes, f"no bound: {row.reason}", "", "")
    estimates = (row.auc, row.advantage)
    shown = ("" if value is None else short(value) for value in estimates)
    return (*sizes, short(lower(row.bound.low)), *shown)


# Groups of records in rows: a bar for the lower bound of each of the largest.

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


SLICES = Scene(
    title="Which group is exposed most?",
    topic="slices",
    needs="slices",
    x=EPSILON,
    y=NAMES,
    left=200,
    layers=lambda: [group_bars(), ClaimAcrossBars(groups_parts)],
)


TOPIC = Topic(
    sentences={
        "slices_lead": of_answer("slices", lambda p, _: lead(p), lead=True, quotes=True),
        "slices": of_answer("slices", lambda p, _: summary(p), quotes=True),
    },
    tables={
        "slices": of_answer("slices", lambda p, _: Table(CAPTION, HEAD, table(p)), quotes=True),
    },
    scenes={
        "slices": SLICES,
    },
)
