"""One class of records, and scores from two of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.binned_scores import Scores
from dpviz.audit.provenance import Provenance
from dpviz.audit.scores import ScoreKind
from dpviz.data.formats.dropped import Dropped
from dpviz.data.formats.file import File
from dpviz.data.formats.format import Missing, ReadError, ReadOptions, quoted
from dpviz.data.formats.intake import Intake
from dpviz.data.formats.progress import announced
from dpviz.data.formats.real_arrays import Reals, one_dimensional, reals_of
from dpviz.data.formats.records import Records

MEMORY_PER_NUMBER = 24
"""Bytes: the number, its score, and a copy while it is sorted."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Block:
    """Some numbers of one class.

    Parameters
    ----------
    values : array, one-dimensional
        Real numbers, NaN where one is missing.
    rows : array of int or range
        The number of each, as the source counts.
    """

    values: Reals
    rows: NDArray[np.int64] | range


@dataclass(frozen=True, kw_only=True, eq=False)
class Side:
    """The numbers of the members, or of the non-members.

    Parameters
    ----------
    where : str
        What messages call the source.
    blocks : callable
        Gives the numbers from the first on.
    column : str, optional
        Of a table. Left out: numbers have positions, not rows.
    memory : int
        Bytes that all of them take at once; 0 for what is in memory already.
    n_blocks : int
        How many blocks there will be, roughly.
    kind : {"loss", "score"}, optional
        The unit, where its name tells.
    """

    where: str
    blocks: Callable[[], Iterator[Block]]
    column: str | None = None
    memory: int = 0
    n_blocks: int = 1
    kind: ScoreKind | None = None

    @classmethod
    def of(cls, values: Any, where: str) -> "Side":
        """From an array, a list or a tensor; positions count from 0.

        Raises
        ------
        ReadError
            If it is not one-dimensional or does not hold real numbers.
        """
        array = one_dimensional(reals_of(values, where), where)
        block = Block(values=array, rows=range(array.size))
        return cls(where=where, blocks=lambda: iter([block]))

    @property
    def name(self) -> str:
        """Of the source and the column."""
        return self.where if self.column is None else f"{self.where}, column {quoted(self.column)}"

    def place(self, row: int) -> str:
        """What messages call one number."""
        if self.column is None:
            return f"{self.where}, position {row}"
        return f"{self.where}, row {row}, column {quoted(self.column)}"

    def records(self, is_member: bool, missing: Missing) -> Iterator[Records]:
        """What is there.

        Raises
        ------
        ReadError
            If a number is infinite or (unless dropped) missing.
        """
        for block in self.blocks():
            values = block.values
            bad = _not_finite(values, missing)
            if bad.any():
                raise self._error(block, int(np.argmax(bad)), missing)
            lost = np.isnan(values)
            kept = values[~lost] if lost.any() else values
            yield Records(
                values=kept,
                is_member=np.full(kept.size, is_member),
                dropped=[int(block.rows[i]) for i in np.flatnonzero(lost)],
            )

    def _error(self, block: Block, i: int, missing: Missing) -> ReadError:
        n = sum(int(_not_finite(each.values, missing).sum()) for each in self.blocks())
        hint = '; missing="drop" drops them' if np.isnan(block.values[i]) else ""
        return ReadError(
            f"{self.place(int(block.rows[i]))}: expected a finite number, got "
            f"{float(block.values[i])!r} ({n} such{hint})"
        )


def _not_finite(values: Reals, missing: Missing) -> NDArray[np.bool]:
    return np.isinf(values) if missing == "drop" else ~np.isfinite(values)


def scores_of_sides(
    member: Side,
    nonmember: Side,
    options: ReadOptions,
    *,
    kind: ScoreKind,
    source: str,
    loader: str,
    understood: str,
    file: File | None = None,
) -> Scores:
    """Scores of two classes: exact values, or exact counts where they would take too much memory.

    Parameters
    ----------
    member, nonmember : Side
    options : ReadOptions
        Of which `missing`, `memory` and `progress` are looked at.
    kind : {"loss", "score"}
    source, loader, understood : str
        For the `Provenance`.
    file : File, optional
        The one file both come from.

    Raises
    ------
    ReadError
        If a number is not finite (unless dropped), or a class is empty.

    Warns
    -----
    UserWarning
        If numbers were dropped.
    """
    intake = Intake(kind, member.memory + nonmember.memory, options, source)
    sides = ((member, True), (nonmember, False))

    def read(side: Side, is_member: bool) -> Iterator[Records]:
        return announced(side.records(is_member, options.missing), side.n_blocks, intake.progress)

    n_dropped, said = 0, []
    for side, is_member in sides:
        dropped, n_kept = Dropped(side.name), 0
        for records in read(side, is_member):
            intake.add(records)
            dropped.add(records.values.size, records.dropped)
            n_kept += records.values.size
        if n_kept == 0:
            raise ReadError(f"{side.name}: expected numbers, got none but missing ones")
        dropped.warn()
        n_dropped += dropped.n
        said += [f"{side.name}: {dropped.said}"] if dropped.n else []
    provenance = Provenance(
        source=source,
        loader=loader,
        understood=understood,
        n_rows=sum(intake.sizes) + n_dropped,
        n_dropped=n_dropped,
        dropped="; ".join(said),
        path=None if file is None else file.path,
        sha256=None if file is None else file.sha256,
    )
    return intake.scores(provenance, lambda: chain(*(read(*side) for side in sides)))
