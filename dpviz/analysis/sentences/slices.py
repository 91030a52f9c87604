"""Sentences about groups of records: the worst, corrected for the search, and a table."""

from dpviz.analysis.number_format import lower, percent, short, upper
from dpviz.analysis.sentences.bounds import WHOSE, at_least
from dpviz.audit.bounds import BOUNDS
from dpviz.audit.bounds.slices import Slice, Slices

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
