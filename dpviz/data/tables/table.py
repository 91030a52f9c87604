"""Columns of cells -> numbers and membership; the rules that every table shares."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.scores import LARGEST, AttackScores
from dpviz.data.formats.cells import (
    MEMBERSHIP_CODING,
    ReadCells,
    read_membership,
    read_numbers,
)
from dpviz.data.formats.columns import Columns
from dpviz.data.formats.dropped import Dropped
from dpviz.data.formats.format import Missing, ReadError, quoted
from dpviz.data.formats.labels import ReadLabels, read_labels
from dpviz.data.formats.records import Records

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """The chosen columns of a source, or of some of its rows.

    Parameters
    ----------
    where : str
        What the source is called in messages.
    columns : Columns
        What was chosen.
    score, member : Series
        Cells, as found.
    group : Series, optional
        Cells of labels.
    rows : array of int or range
        The number of each row, as the source counts.
    is_part : bool
        Whether the source has other rows, which are not looked at here.
    """

    where: str
    columns: Columns
    score: "pd.Series[Any]"
    member: "pd.Series[Any]"
    rows: NDArray[np.int64] | range
    group: "pd.Series[Any] | None" = None
    is_part: bool = False

    @classmethod
    def of(
        cls,
        cells: "Sequence[pd.Series[Any]]",
        *,
        where: str,
        columns: Columns,
        rows: NDArray[np.int64] | range,
        is_part: bool = False,
    ) -> "Table":
        """From the cells of `Columns.positions`."""
        score, member, *group = cells
        return cls(
            where=where,
            columns=columns,
            score=score,
            member=member,
            group=group[0] if group else None,
            rows=rows,
            is_part=is_part,
        )

    def scores(self, missing: Missing) -> AttackScores:
        """Check every cell, drop rows with a missing one if asked to, and split by membership.

        Raises
        ------
        ReadError
            If a cell is malformed, infinite or (unless dropped) missing, or a class is empty.
        """
        if len(self.rows) == 0:
            raise ReadError(f"{self.where}: expected rows, got none")
        found = self.records(missing)
        dropped = Dropped(self.where)
        dropped.add(len(found.is_member), found.dropped)
        dropped.warn()
        refuse_one_class(found.n_members, len(found.is_member), self.where, self.columns)
        member, nonmember = found.split()
        # Losses are turned once, by `from_losses`.
        build = AttackScores.from_losses if self.columns.kind == "loss" else AttackScores
        return build(
            member=member.values,
            nonmember=nonmember.values,
            member_groups=member.labels,
            nonmember_groups=nonmember.labels,
        )

    def records(self, missing: Missing) -> Records:
        """Check every cell and drop rows with a missing one if asked to.

        Raises
        ------
        ReadError
            If a cell is malformed, infinite or (unless dropped) missing.
        """
        return self.clean or self._records(missing)

    @cached_property
    def clean(self) -> Records | None:
        """The rows, if columns of numbers show at a glance that nothing is wrong with any."""
        if not isinstance(self.score.dtype, np.dtype) or self.score.dtype.kind not in "iuf":
            return None
        values = self.score.to_numpy()
        if values.dtype.kind == "f" and not _in_range(values):
            return None
        is_member = self._clean_membership()
        if is_member is None:
            return None
        labels = None
        if self.group is not None:
            read = read_labels(self.group)
            if read.missing.any() or read.malformed.any():
                return None
            labels = read.values
        return Records(values=values, is_member=is_member, labels=labels)

    def _clean_membership(self) -> NDArray[np.bool] | None:
        if isinstance(self.member.dtype, np.dtype) and self.member.dtype.kind in "biu":
            member = self.member.to_numpy()
            if member.dtype.kind == "b":
                return member
            is_member = member == 1
            return is_member if (is_member | (member == 0)).all() else None
        read = read_membership(self.member)
        return None if read.missing.any() or read.malformed.any() else read.values == 1

    def _records(self, missing: Missing) -> Records:
        columns = self._read()
        for column in columns:
            if column.cells.malformed.any():
                raise self._cell_error(column.cells.malformed, column, column.expected)
        self._refuse_not_finite(columns, missing)
        keep = ~np.any([column.cells.missing for column in columns], axis=0)
        numbers, membership, *labels = (column.cells.values[keep] for column in columns)
        return Records(
            values=numbers,
            is_member=membership == 1,
            labels=labels[0] if labels else None,
            dropped=[self.rows[i] for i in np.flatnonzero(~keep).tolist()],
        )

    def _read(self) -> list["_Column"]:
        """Scores, membership and, if wanted, labels."""
        names = self.columns
        read = [
            _Column(names.score_name, self.score, read_numbers(self.score), "a number"),
            _Column(
                names.member_name, self.member, read_membership(self.member), MEMBERSHIP_CODING
            ),
        ]
        if self.group is not None:
            read.append(_Column(names.group_name, self.group, read_labels(self.group), "a label"))
        return read

    def _refuse_not_finite(self, columns: list["_Column"], missing: Missing) -> None:
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
        self,
        bad: NDArray[np.bool],
        column: "_Column",
        expected: str,
        note: str = "",
    ) -> ReadError:
        position = int(np.argmax(bad))
        return ReadError(
            f"{self.where}, row {self.rows[position]}, column {quoted(column.name)}: "
            f"expected {expected}, got {quoted(column.found.iloc[position])}{note}"
        )


@dataclass(frozen=True, eq=False)
class _Column:
    """One column: its name, what was found in it, what was read, and what is expected there."""

    name: str
    found: "pd.Series[Any]"
    cells: ReadCells | ReadLabels
    expected: str


def _in_range(values: NDArray[np.floating[Any]]) -> bool:
    """Whether scores can be made of all numbers; NaN is no number."""
    if values.size == 0:
        return True
    low, high = values.min(), values.max()
    if values.dtype.itemsize < np.dtype(np.float64).itemsize:
        return bool(np.isfinite(low) and np.isfinite(high))
    return bool(low >= -LARGEST and high <= LARGEST)


def _finite(number: float) -> str:
    """What was expected of a number that is missing, infinite or too large."""
    return f"a number in [-{LARGEST:g}, {LARGEST:g}]" if np.isfinite(number) else "a finite number"


def refuse_one_class(n_members: int, n_records: int, where: str, columns: Columns) -> None:
    """Refuse records of one class only."""
    if min(n_members, n_records - n_members) == 0:
        raise ReadError(
            f"{where}, column {quoted(columns.member_name)}: expected members and "
            f"non-members, got {n_members} members and {n_records - n_members} non-members"
        )
