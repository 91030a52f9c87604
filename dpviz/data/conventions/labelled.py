"""Arrays of one length as the columns of a table: scores and memberships."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dpviz.audit.scores.base import ScoreKind, Scores
from dpviz.data.conventions.convention import Convention, names_by_tool
from dpviz.data.sources.options import ReadError, ReadOptions, quoted
from dpviz.data.tables.cells import CellsOfRows
from dpviz.data.tables.columns import LOSS_COLUMNS, MEMBER_COLUMNS, SCORE_COLUMNS
from dpviz.data.tables.fields import Fields
from dpviz.data.tables.table_source import TableSource, read_table


@dataclass(frozen=True)
class Known:
    """Names of a tool's two arrays, and the unit of the scores."""

    tool: str
    score: str
    member: str
    kind: ScoreKind = "score"


KNOWN = (
    Known("ML Privacy Meter", "scores", "memberships"),
    Known("LeakPro", "signal_values", "true_labels"),
    Known("LeakPro", "signal_values", "true"),
    Known("LeakPro", "primitives.signal_values", "primitives.true_labels"),
    Known("ART", "attack_proba", "attack_true"),
    Known("Microsoft", "score", "challenge_bit"),
    Known("Microsoft", "score", "challenge_bits"),
    Known("Microsoft", "mi_signal", "challenge_bit"),
    Known("Microsoft", "mi_signal", "challenge_bits"),
    Known("SACRO-ML", "individual.member_prob", "individual.member"),
)
ARRAYS = "arrays of equal length"


class FieldsTable(TableSource):
    """Fields as columns, loaded on request; rows count from 0."""

    def __init__(self, fields: Fields) -> None:
        self.where = fields.where
        self.file = fields.file
        self.names = list(fields.names)
        self._fields = fields

    def cells(self, positions: Sequence[int]) -> Iterator[CellsOfRows]:
        """All rows; the first column is the score."""
        import pandas as pd  # slow to import

        score, *others = (self.names[position] for position in positions)
        cells = [pd.Series(self._score(score), name=score)]
        cells += [pd.Series(self._fields.cells(name), name=name) for name in others]
        for name, column in zip(others, cells[1:], strict=True):
            if len(column) != len(cells[0]):
                raise ReadError(
                    f"{self._fields.place(name)}: expected as many values as {quoted(score)} has, "
                    f"{len(cells[0])}, got {len(column)}"
                )
        yield cells, range(len(cells[0]))

    def _score(self, name: str) -> Any:
        array = self._fields.reals(name)
        if array.ndim == 2 and array.shape[1] == 1:
            return array[:, 0]
        if array.ndim == 2:
            raise ReadError(
                f"{self._fields.place(name)}: expected one score per record, got shape "
                f"{array.shape}; choose a column, such as [:, 1] for the probability of a member"
            )
        return self._fields.numbers(name)


def _known(fields: Fields) -> Known | None:
    """The names of a tool, unless other fields have names of scores or memberships too."""
    found = (known for known in KNOWN if fields.has(known.score, known.member))
    return next((known for known in found if not _has_others(fields, known)), None)


def _has_others(fields: Fields, known: Known) -> bool:
    names = {name.casefold() for name in fields.names} - {known.score, known.member}
    return bool(names.intersection((*SCORE_COLUMNS, *LOSS_COLUMNS, *MEMBER_COLUMNS)))


def _is_named(fields: Fields) -> bool:
    names = {name.casefold() for name in fields.names}
    is_scored = names.intersection((*SCORE_COLUMNS, *LOSS_COLUMNS))
    return bool(is_scored and names.intersection(MEMBER_COLUMNS))


def _accepts(fields: Fields) -> bool:
    return _known(fields) is not None or _is_named(fields)


def _read(fields: Fields, options: ReadOptions) -> Scores:
    known = _known(fields)
    if known is None:
        return read_table(FieldsTable(fields), options, ARRAYS)
    named = replace(
        options,
        score=options.score or known.score,
        member=options.member or known.member,
        kind=options.kind or (known.kind if options.score is None else None),
    )
    return read_table(FieldsTable(fields), named, known.tool)


LABELLED = Convention(
    name="scores and memberships of equal length",
    keys=names_by_tool((known.tool, known.score, known.member) for known in KNOWN),
    accepts=_accepts,
    read=_read,
)

TABLE = Convention(
    name=ARRAYS,
    keys="a score and a membership, called as columns of a table are",
    accepts=lambda fields: bool(fields.names),
    read=lambda fields, options: read_table(FieldsTable(fields), options, ARRAYS),
)
