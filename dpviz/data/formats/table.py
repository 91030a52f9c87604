"""Two columns of cells -> attack scores; the rules that every table shares."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

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

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """The two chosen columns of a source.

    Parameters
    ----------
    where : str
        What the source is called in messages.
    columns : Columns
        What was chosen.
    score, member : Series
        Cells, as found.
    rows : array of int
        The number of each row, as the source counts.
    """

    where: str
    columns: Columns
    score: "pd.Series[Any]"
    member: "pd.Series[Any]"
    rows: NDArray[np.int64]

    def scores(self, missing: Missing) -> AttackScores:
        """Check every cell, drop rows with a missing one if asked to, and split by membership.

        Raises
        ------
        ReadError
            If a cell is malformed, infinite or (unless dropped) missing, or a class is empty.
        """
        if self.rows.size == 0:
            raise ReadError(f"{self.where}: expected rows, got none")
        numbers, membership = read_numbers(self.score), read_membership(self.member)
        self._refuse_malformed(numbers, membership)
        self._refuse_not_finite(numbers, membership, missing)
        keep = ~(numbers.missing | membership.missing)
        if not keep.all():
            warn_dropped(self.where, self.rows[~keep].tolist(), keep.size)
        return self._split(numbers.values[keep], membership.values[keep] == 1)

    def _refuse_malformed(self, numbers: ReadCells, membership: ReadCells) -> None:
        for bad, column, cells, expected in (
            (numbers.malformed, self.columns.score_name, self.score, "a number"),
            (membership.malformed, self.columns.member_name, self.member, MEMBERSHIP_CODING),
        ):
            if bad.any():
                raise self._cell_error(bad, column, cells, expected)

    def _refuse_not_finite(
        self, numbers: ReadCells, membership: ReadCells, missing: Missing
    ) -> None:
        bad = np.isinf(numbers.values)
        hint = ""
        if missing == "refuse" and (numbers.missing.any() or membership.missing.any()):
            bad = bad | numbers.missing
            hint = '; missing="drop" drops rows with a missing value'
        for rows, column, cells, expected in (
            (bad, self.columns.score_name, self.score, "a finite number"),
            (membership.missing, self.columns.member_name, self.member, MEMBERSHIP_CODING),
        ):
            n = int(rows.sum())
            if n and (missing == "refuse" or rows is bad):
                note = f" ({n} such row{'' if n == 1 else 's'}{hint})"
                raise self._cell_error(rows, column, cells, expected, note)

    def _cell_error(
        self,
        bad: NDArray[np.bool],
        column: str,
        cells: "pd.Series[Any]",
        expected: str,
        note: str = "",
    ) -> ReadError:
        position = int(np.argmax(bad))
        return ReadError(
            f"{self.where}, row {self.rows[position]}, column {quoted(column)}: "
            f"expected {expected}, got {quoted(cells.iloc[position])}{note}"
        )

    def _split(self, values: FloatArray, is_member: NDArray[np.bool]) -> AttackScores:
        n_members = int(is_member.sum())
        n_nonmembers = is_member.size - n_members
        if min(n_members, n_nonmembers) == 0:
            raise ReadError(
                f"{self.where}, column {quoted(self.columns.member_name)}: expected members and "
                f"non-members, got {n_members} members and {n_nonmembers} non-members"
            )
        member, nonmember = values[is_member], values[~is_member]
        if self.columns.kind == "loss":
            return AttackScores.from_losses(member=member, nonmember=nonmember)
        return AttackScores(member=member, nonmember=nonmember, kind="score")
