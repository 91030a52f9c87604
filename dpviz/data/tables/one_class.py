"""The numbers of one class, members or non-members, and attack scores from both classes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from dpviz.audit.scores.base import SCORE_KINDS, Provenance, ScoreKind, Scores
from dpviz.data.collect import RecordCollector, Records
from dpviz.data.sources.file import File, path_and_sha256
from dpviz.data.sources.options import (
    ColumnError,
    Missing,
    ReadError,
    ReadOptions,
    mismatch,
    plural_of,
    quoted,
)
from dpviz.data.sources.progress import with_progress
from dpviz.data.sources.real_arrays import Reals, reals_of, vector_of
from dpviz.data.tables import table as table_rules
from dpviz.data.tables.table import DroppedRows, Rows, read_numbers
from dpviz.data.tables.table_source import TableSource

MEMORY_PER_NUMBER = 24  # bytes: the value, the score, and a copy for sorting
# Scores or losses (NaN: missing) of some members or of some non-members, and their row numbers.
NumberBlock = tuple[Reals, Rows]


@dataclass(frozen=True, kw_only=True, eq=False)
class MembersOrNonmembers:
    """The scores or losses of all members, or of all non-members, read block by block."""

    where: str  # name of the source in messages
    blocks: Callable[[], Iterator[NumberBlock]]  # starts to read from the first number
    column: str | None = None  # of a table; without a column, messages give positions, not rows
    memory: int = 0  # bytes that all numbers need; 0 for numbers that are in memory already
    n_blocks: int = 1  # expected number of blocks
    kind: ScoreKind | None = None  # the unit, if the column's name shows it

    @classmethod
    def of(cls, values: Any, where: str) -> "MembersOrNonmembers":
        """Return the numbers in a list, a one-dimensional array or a tensor as one block."""
        array = vector_of(reals_of(values, where), where)
        return cls(where=where, blocks=lambda: iter([(array, range(array.size))]))

    @property
    def name(self) -> str:
        """The name of these numbers in messages: the source and, for a table, the column."""
        return self.where if self.column is None else f"{self.where}, column {quoted(self.column)}"

    def place_text(self, row: int) -> str:
        """Return the text by which messages locate the number in row `row`."""
        if self.column is None:
            return f"{self.where}, position {row}"
        return f"{self.where}, row {row}, column {quoted(self.column)}"

    def records(self, is_member: bool, missing: Missing) -> Iterator[Records]:
        """Yield records by block; ReadError for NaN unless missing="drop"."""
        for values, rows in self.blocks():
            lost = np.isnan(values)
            if lost.any() and missing == "refuse":
                n = sum(np.count_nonzero(np.isnan(each)) for each, _ in self.blocks())
                place = self.place_text(int(rows[int(np.argmax(lost))]))
                raise mismatch(place, "a number", f'nan ({n} missing; missing="drop" drops them)')
            kept = values[~lost] if lost.any() else values
            yield Records(
                values=kept,
                is_member=np.full(kept.size, is_member),
                dropped=[int(rows[i]) for i in np.flatnonzero(lost)],
            )


def scores_of_sides(
    member: MembersOrNonmembers,
    nonmember: MembersOrNonmembers,
    options: ReadOptions,
    *,
    kind: ScoreKind,
    source: str,
    loader: str,
    understood: str,
    file: File | None = None,
) -> Scores:
    """Return the scores of members and non-members: exact values, or counts to save memory."""
    collector = RecordCollector(kind, member.memory + nonmember.memory, options, source)
    sides = ((member, True), (nonmember, False))

    def records_of(side: MembersOrNonmembers, is_member: bool) -> Iterator[Records]:
        records = side.records(is_member, options.missing)
        return with_progress(records, side.n_blocks, collector.progress)

    n_dropped, texts = 0, []
    for side, is_member in sides:
        dropped = DroppedRows(side.name)
        for records in records_of(side, is_member):
            collector.add(records)
            dropped.add(records.values.size, records.dropped)
        if dropped.n_kept == 0:
            raise mismatch(side.name, "numbers", "only missing values")
        dropped.warn()
        n_dropped += dropped.n
        texts += [f"{side.name}: {dropped.text}"] if dropped.n else []
    provenance = Provenance(
        source=source,
        loader=loader,
        understood=understood,
        n_rows=sum(collector.class_sizes) + n_dropped,
        n_dropped=n_dropped,
        dropped="; ".join(texts),
        **path_and_sha256(file),
    )
    return collector.scores(provenance, lambda: chain(*(records_of(*side) for side in sides)))


def origins_text(kind: ScoreKind, of_members: str, of_nonmembers: str) -> str:
    """Return "losses of members from `of_members`, of non-members from `of_nonmembers`"."""
    return f"{plural_of(kind)} of members from {of_members}, of non-members from {of_nonmembers}"


def common_kind(member: MembersOrNonmembers, nonmember: MembersOrNonmembers) -> ScoreKind | None:
    """Return the kind of score that the column names show, or None; ColumnError for two kinds."""
    if {member.kind, nonmember.kind} == {"loss", "score"}:
        losses, scores = (member, nonmember) if member.kind == "loss" else (nonmember, member)
        advice = 'pass kind="loss" or kind="score" for both'
        message = f"{losses.name} holds losses and {scores.name} scores; {advice}"
        raise ColumnError(message, role="kind", choices=SCORE_KINDS)
    return member.kind or nonmember.kind


# One column of a table as the numbers of the members or of the non-members.


def numbers_of_column(table: TableSource, column: str | None, memory: int) -> MembersOrNonmembers:
    """Return the numbers in `column`, by default the only column or one with a known name."""
    # A CSV file whose first row is a number is read as one column without a header. Raises
    # ReadError if a piece takes more than `memory` bytes.
    names = [name.strip() for name in table.names]
    if not names:
        raise mismatch(table.where, "a column of numbers", "no columns")
    has_header = not (column is None and all(map(_is_text_of_number, names)))
    if not has_header and len(names) > 1:
        raise ReadError(
            f"{table.where}: expected one column of numbers, got {len(names)} unnamed "
            "columns; for predictions of a model, give the true classes too: "
            'read_scores({"probs_train": ..., "labels_train": ..., "probs_test": ..., '
            '"labels_test": ...})'
        )
    position = 0
    if has_header and (column is not None or len(names) > 1):
        known = (*table_rules.LOSS_COLUMNS, *table_rules.SCORE_COLUMNS)
        position = table_rules.choose_column("score", column, known, names, table.where)
    table.piece_memory = memory
    name = names[position]
    called = name if has_header else "1"

    def blocks() -> Iterator[NumberBlock]:
        if not has_header:
            yield np.array([float(name)]), range(1, 2)
        for (cells,), rows in table.read_columns([position]):
            found = read_numbers(cells)
            if found.malformed.any():
                i = int(np.argmax(found.malformed))
                place = f"{table.where}, row {rows[i]}, column {quoted(called)}"
                raise mismatch(place, "a number", quoted(cells.iloc[i]))
            yield found.values, rows

    kind = table_rules.kind_of_column(name) if has_header else None
    side = partial(MembersOrNonmembers, where=table.where, column=called, blocks=blocks, kind=kind)
    return side(memory=table.memory, n_blocks=table.n_pieces)


def _is_text_of_number(text: str) -> bool:
    word = text.casefold()
    return word in (*table_rules.INFINITE_WORDS, "nan") or bool(table_rules.NUMBER.fullmatch(word))
