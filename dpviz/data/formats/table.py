"""Columns of cells -> attack scores; the rules that every table shares."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.groups import Labels
from dpviz.audit.scores import AttackScores
from dpviz.checks import FloatArray
from dpviz.data.formats.cells import (
    MEMBERSHIP_CODING,
    ReadCells,
    read_membership,
    read_numbers,
)
from dpviz.data.formats.columns import Columns
from dpviz.data.formats.dropped import warn_dropped
from dpviz.data.formats.format import Missing, ReadError, quoted
from dpviz.data.formats.labels import ReadLabels, read_labels

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """The chosen columns of a source.

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
    rows : array of int
        The number of each row, as the source counts.
    """

    where: str
    columns: Columns
    score: "pd.Series[Any]"
    member: "pd.Series[Any]"
    rows: NDArray[np.int64]
    group: "pd.Series[Any] | None" = None

    @classmethod
    def of(
        cls,
        cells: "Sequence[pd.Series[Any]]",
        *,
        where: str,
        columns: Columns,
        rows: NDArray[np.int64],
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
        )

    def scores(self, missing: Missing) -> AttackScores:
        """Check every cell, drop rows with a missing one if asked to, and split by membership.

        Raises
        ------
        ReadError
            If a cell is malformed, infinite or (unless dropped) missing, or a class is empty.
        """
        if self.rows.size == 0:
            raise ReadError(f"{self.where}: expected rows, got none")
        columns = self._read()
        self._refuse_malformed(columns)
        self._refuse_not_finite(columns, missing)
        keep = ~np.any([column.cells.missing for column in columns], axis=0)
        if not keep.all():
            warn_dropped(self.where, self.rows[~keep].tolist(), keep.size)
        numbers, membership, *labels = (column.cells.values[keep] for column in columns)
        return self._split(numbers, membership == 1, labels[0] if labels else None)

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

    def _refuse_malformed(self, columns: list["_Column"]) -> None:
        for column in columns:
            if column.cells.malformed.any():
                raise self._cell_error(column.cells.malformed, column, column.expected)

    def _refuse_not_finite(self, columns: list["_Column"], missing: Missing) -> None:
        infinite = np.isinf(columns[0].cells.values)
        hint = ""
        if missing == "refuse" and any(column.cells.missing.any() for column in columns):
            hint = '; missing="drop" drops rows with a missing value'
        for column in columns:
            is_score = column is columns[0]
            bad = column.cells.missing if missing == "refuse" else np.zeros_like(infinite)
            bad = bad | infinite if is_score else bad
            n = int(bad.sum())
            if n:
                note = f" ({n} such row{'' if n == 1 else 's'}{hint})"
                expected = "a finite number" if is_score else column.expected
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

    def _split(
        self,
        values: FloatArray,
        is_member: NDArray[np.bool],
        labels: Labels | None,
    ) -> AttackScores:
        n_members = int(is_member.sum())
        n_nonmembers = is_member.size - n_members
        if min(n_members, n_nonmembers) == 0:
            raise ReadError(
                f"{self.where}, column {quoted(self.columns.member_name)}: expected members and "
                f"non-members, got {n_members} members and {n_nonmembers} non-members"
            )
        # Losses are turned once, by `from_losses`.
        build = AttackScores.from_losses if self.columns.kind == "loss" else AttackScores
        return build(
            member=values[is_member],
            nonmember=values[~is_member],
            member_groups=None if labels is None else labels[is_member],
            nonmember_groups=None if labels is None else labels[~is_member],
        )


@dataclass(frozen=True, eq=False)
class _Column:
    """One column: its name, what was found in it, what was read, and what is expected there."""

    name: str
    found: "pd.Series[Any]"
    cells: ReadCells | ReadLabels
    expected: str
