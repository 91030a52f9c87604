"""Lower bounds on epsilon for groups of records, corrected for the number of groups."""

from dpviz.analysis.result import Result
from dpviz.analysis.topic import Table, answer_topic
from dpviz.analysis.topics.bounds import OWNERS, ClaimAcrossBars, bound_text
from dpviz.audit.bounds import BOUNDS
from dpviz.audit.bounds.slices import Slice, Slices
from dpviz.drawing import EPSILON_AXIS, ROW_AXIS, Scene, theme
from dpviz.drawing.layers import Bar, BarChartData, BarKind, Bars, abbreviated
from dpviz.number_format import lower, percent, short, upper


def lead(part: Slices) -> str:
    """Say which group has the largest lower bound."""
    if not part.n_tested:
        return "No group has both members and non-members."
    level = f"{percent(part.confidence_level)} confidence for all {part.n_tested} groups together"
    worst = part.worst
    if worst is None or worst.bound is None:
        return f"No group certifies an ε above 0 ({level}). This does not show that ε is small."
    return f"Group {worst.group} has the largest bound: ε ≥ {bound_text(worst.bound)} ({level})."


def summary(part: Slices) -> str:
    """Say which group has the largest lower bound, how many records it has, and the confidence."""
    tested = next((row.bound for row in part.rows if row.bound is not None), None)
    left_out, skipped = len(part.rows) - part.n_tested, ""
    if left_out:
        skipped = f" Groups left out for lack of members or non-members: {left_out}."
    if tested is None:
        return f"No group has both members and non-members.{skipped}"
    level = (
        f"at δ = {short(tested.delta)} ({percent(part.confidence_level)} confidence for all "
        f"{part.n_tested} groups together, {part.correction}; "
        f"method: {BOUNDS[tested.method].label})"
    )
    worst = part.worst
    if worst is None or worst.bound is None:
        largest = most_certifiable_group(part)
        return (
            f"No group certifies an ε above 0 {level}. This does not show that ε is small. Even a "
            f"perfect attack on the largest group, {largest.group}, certifies at most ε = "
            f"{short(upper(largest.ceiling or 0.0))}.{skipped}"
        )
    return (
        f"The largest bound is that of group {worst.group}, with {worst.n_members} members and "
        f"{worst.n_nonmembers} non-members: the ε of {OWNERS[worst.bound.applies_to]} there is at "
        f"least {bound_text(worst.bound)} {level}.{skipped}"
    )


def most_certifiable_group(part: Slices) -> Slice:
    """Return the group in which a perfect attack would certify the largest lower bound."""
    tested = [row for row in part.rows if row.bound is not None]
    # It is the group with most records, or the group whose smaller class is largest.
    sizes = {row.group: sorted([row.n_members, row.n_nonmembers]) for row in tested}
    largest = max(tested, key=lambda row: sum(sizes[row.group]))
    even = max(tested, key=lambda row: sizes[row.group])
    return max(largest, even, key=lambda row: row.ceiling or 0.0)


CAPTION = (
    "The bounds of all groups hold jointly if the groups were fixed before anyone looked at the "
    "scores. So the worst group may be selected afterwards. AUC and advantage are estimates."
)
HEAD = ("group", "members", "non-members", "ε at least", "AUC", "advantage")


def table(part: Slices) -> Table:
    """Return the table of groups, with numbers of records, lower bound, AUC and advantage."""
    rows: list[tuple[str, ...]] = []
    for row in part.rows:
        sizes = (row.group, str(row.n_members), str(row.n_nonmembers))
        if row.bound is None:
            rows.append((*sizes, f"no bound: {row.reason}", "", ""))
        else:
            estimates = ("" if x is None else short(x) for x in (row.auc, row.advantage))
            rows.append((*sizes, short(lower(row.bound.low)), *estimates))
    return Table(CAPTION, HEAD, rows)


MOST_BARS = 12  # groups with the largest bounds; the table has all
LONGEST_NAME = 26  # characters that fit beside a bar
AXIS_FACTOR = 2.0  # length of the axis divided by the longest finite bar
KINDS = (BarKind(color=theme.ATTACK, opacity=0.5),)

# Parts of a result on which the bars and their axis depend.
OF_BARS = ("answers.slices", "claim.delta")


def _bar_chart(result: Result) -> BarChartData:
    groups: Slices | None = result.answers.get("slices")
    bars = []
    for row in groups.rows[:MOST_BARS] if groups else ():
        name = abbreviated(row.group, LONGEST_NAME)
        text = bound_text(row.bound) if row.bound else ""
        bars.append(Bar(name=name, epsilon=row.bound.low if row.bound else None, text=text))
    return BarChartData(rows=bars, delta=result.claim.delta, room=AXIS_FACTOR)


SLICES = Scene(
    title="Which group is exposed most?",
    needs="slices",
    x=EPSILON_AXIS,
    y=ROW_AXIS,
    left=200,
    layers=lambda: [Bars(KINDS, _bar_chart, OF_BARS), ClaimAcrossBars(OF_BARS)],
)

TOPIC = answer_topic(SLICES, lead, summary, table, user_text=True)
