"""Chosen columns of cells as numbers and membership: the rules that all tables share."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.audit.scores.base import LARGEST
from dpviz.data.collect.records import Records
from dpviz.data.sources.options import Missing, ReadError, quoted
from dpviz.data.tables.cells import (
    MEMBERSHIP_CODING,
    ReadCells,
    Rows,
    read_labels,
    read_membership,
    read_numbers,
)
from dpviz.data.tables.columns import Columns
from dpviz.data.tables.dropped import Dropped

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """The chosen columns of a source, or of some of its rows."""

    where: str  # name of the source in messages
    columns: Columns
    cells: "Sequence[pd.Series[Any]]"  # scores, membership and, if wanted, labels, as found
    rows: Rows  # the number of each row, as the source counts
    is_part: bool = False  # whether the source has other rows

    def scores(self, missing: Missing) -> AttackScores:
        """Check every cell, drop rows with a missing one if requested, and split by membership."""
        if len(self.rows) == 0:
            raise ReadError(f"{self.where}: expected rows, got none")
        found = self.records(missing)
        dropped = Dropped(self.where)
        dropped.add(len(found.is_member), found.dropped)
        dropped.warn()
        reject_one_class(found.n_members, len(found.is_member), self.where, self.columns)
        member, nonmember = found.split()
        build = AttackScores.from_losses if self.columns.kind == "loss" else AttackScores
        return build(
            member=member.values,
            nonmember=nonmember.values,
            member_groups=member.labels,
            nonmember_groups=nonmember.labels,
        )

    def records(self, missing: Missing) -> Records:
        """Check every cell and drop rows with a missing one if requested, else raise ReadError."""
        return self.clean or self._records(missing)

    @cached_property
    def clean(self) -> Records | None:
        """The records, if a check of whole columns shows that all cells are well-formed."""
        score, member, *group = self.cells
        if not isinstance(score.dtype, np.dtype) or score.dtype.kind not in "iuf":
            return None
        values = score.to_numpy()
        if values.dtype.kind == "f" and not _in_range(values):
            return None
        is_member = _clean_membership(member)
        if is_member is None:
            return None
        labels = [read_labels(cells) for cells in group]
        if any(read.missing.any() or read.malformed.any() for read in labels):
            return None
        return Records(
            values=values, is_member=is_member, labels=labels[0].values if labels else None
        )

    def _records(self, missing: Missing) -> Records:
        columns = self._read()
        for column in columns:
            if column.cells.malformed.any():
                raise self._cell_error(column.cells.malformed, column, column.expected)
        self._reject_not_finite(columns, missing)
        keep = ~np.any([column.cells.missing for column in columns], axis=0)
        numbers, membership, *labels = (column.cells.values[keep] for column in columns)
        return Records(
            values=numbers,
            is_member=membership == 1,
            labels=labels[0] if labels else None,
            dropped=[self.rows[i] for i in np.flatnonzero(~keep).tolist()],
        )

    def _read(self) -> list["_Column"]:
        score, member, *group = self.cells
        names = self.columns
        read = [
            _Column(names.score_name, score, read_numbers(score), "a number"),
            _Column(names.member_name, member, read_membership(member), MEMBERSHIP_CODING),
        ]
        labels = (_Column(names.group_name, each, read_labels(each), "a label") for each in group)
        return [*read, *labels]

    def _reject_not_finite(self, columns: list["_Column"], missing: Missing) -> None:
        scores = columns[0].cells.values
        infinite = np.abs(scores) > LARGEST
        hint = ""
        if missing == "refuse" and any(column.cells.missing.any() for column in columns):
            hint = '; missing="drop" drops rows with a missing value'
        for column in columns:
            is_score = column is columns[0]
            bad = column.cells.missing if missing == "refuse" else np.zeros_like(infinite)
            bad = bad | infinite if is_score else bad
            n = int(bad.sum())
            if n:
                many = f"at least {n}" if self.is_part else f"{n}"
                note = f" ({many} such row{'' if n == 1 else 's'}{hint})"
                expected = _finite(scores[np.argmax(bad)]) if is_score else column.expected
                raise self._cell_error(bad, column, expected, note)

    def _cell_error(
        self, bad: NDArray[np.bool], column: "_Column", expected: str, note: str = ""
    ) -> ReadError:
        position = int(np.argmax(bad))
        return ReadError(
            f"{self.where}, row {self.rows[position]}, column {quoted(column.name)}: "
            f"expected {expected}, got {quoted(column.found.iloc[position])}{note}"
        )


@dataclass(frozen=True, eq=False)
class _Column:
    """One column: its name, its cells as found and as read, and a description of valid cells."""

    name: str
    found: "pd.Series[Any]"
    cells: ReadCells
    expected: str


def _clean_membership(cells: "pd.Series[Any]") -> NDArray[np.bool] | None:
    if isinstance(cells.dtype, np.dtype) and cells.dtype.kind in "biu":
        member = cells.to_numpy()
        if member.dtype.kind == "b":
            return member
        is_member = member == 1
        return is_member if (is_member | (member == 0)).all() else None
    read = read_membership(cells)
    return None if read.missing.any() or read.malformed.any() else read.values == 1


def _in_range(values: NDArray[np.floating[Any]]) -> bool:
    """Whether all numbers can become scores; NaN cannot."""
    if values.size == 0:
        return True
    low, high = values.min(), values.max()
    if values.dtype.itemsize < np.dtype(np.float64).itemsize:
        return bool(np.isfinite(low) and np.isfinite(high))
    return bool(low >= -LARGEST and high <= LARGEST)


def _finite(number: float) -> str:
    """The valid values, for a number that is missing, infinite or too large."""
    return f"a number in [-{LARGEST:g}, {LARGEST:g}]" if np.isfinite(number) else "a finite number"


def reject_one_class(n_members: int, n_records: int, where: str, columns: Columns) -> None:
    """Raise ReadError if there are members only or non-members only."""
    if min(n_members, n_records - n_members) == 0:
        raise ReadError(
            f"{where}, column {quoted(columns.member_name)}: expected members and "
            f"non-members, got {n_members} members and {n_records - n_members} non-members"
        )
