"""Rules for all tables: how columns are chosen, and how cells become scores and memberships."""

import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.audit.scores.base import LARGEST_SCORE, SCORE_KINDS, ScoreKind
from dpviz.checks import as_float64, naming_foreign_errors, warn_caller
from dpviz.data.collect import Records
from dpviz.data.sources.options import (
    ColumnError,
    Missing,
    ReadError,
    ReadOptions,
    mismatch,
    plural_of,
    quoted,
    quoted_names,
)

if TYPE_CHECKING:
    import pandas as pd

Cells = list["pd.Series[Any]"]  # columns
Rows = NDArray[np.int64] | range  # the row numbers in the source
CellBlock = tuple[Cells, Rows]
MEMBER_WORDS = ("true", "yes", "member", "train", "in")
NONMEMBER_WORDS = ("false", "no", "nonmember", "non-member", "test", "val", "validation", "out")
MEMBERSHIP_CODING = (
    "1/0, true/false, yes/no, member/nonmember, member/non-member, train/test, train/val or in/out"
)
OTHER_CODES = (-1.0, 2.0)  # of memberships; nobody can know which number means what
# Types that `float` converts although they are not numbers.
NOT_NUMBERS = (bool, np.bool, complex, np.complexfloating, bytes, bytearray, np.datetime64)
MISSING_WORDS = ("", "nan")
INFINITE_WORDS = ("inf", "+inf", "-inf", "infinity", "+infinity", "-infinity")
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?", re.ASCII | re.IGNORECASE)
WHOLE_NUMBER = re.compile(r"(-?[0-9]+)\.0*", re.ASCII)
NO_LABEL = ""
SCORE_RANGE = f"a number in [-{LARGEST_SCORE:g}, {LARGEST_SCORE:g}] or inf"
LONGEST_CACHED_LABEL = 1000  # characters of a label


@dataclass(frozen=True)
class ParsedCells:
    """The values of one column, with masks of the missing and of the malformed cells."""

    values: NDArray[Any]
    missing: NDArray[np.bool]
    malformed: NDArray[np.bool]


def read_numbers(cells: "pd.Series[Any]") -> ParsedCells:
    """Return cells as numbers, which may be infinite; truth values count as malformed."""
    if cells.dtype.kind in "iuf":
        values = as_float64(cells.to_numpy(na_value=np.nan))
        return ParsedCells(values, np.isnan(values), np.zeros(values.size, dtype=np.bool))
    return _values_and_masks(map(_number_or_nan_if_missing, _list_of_cells(cells)), len(cells))


def read_membership(cells: "pd.Series[Any]") -> ParsedCells:
    """Return cells as 1.0 (member) or 0.0 (non-member); see `MEMBERSHIP_CODING` for the words."""
    if cells.dtype.kind in "biuf":
        numbers = cells.to_numpy(dtype=np.float64, na_value=np.nan)
        missing = np.isnan(numbers)
        return ParsedCells(numbers, missing, ~missing & (numbers != 0) & (numbers != 1))
    found = _list_of_cells(cells)
    if set(map(type, found)) == {str}:  # few distinct words
        words = {word: _membership_in_cell(word) for word in set(found)}
        return _values_and_masks(map(words.__getitem__, found), len(found))
    return _values_and_masks(map(_membership_in_cell, found), len(found))


def read_labels(cells: "pd.Series[Any]") -> ParsedCells:
    """Return cells as text; whole numbers are written without the ".0" of floats."""
    found = [_label_in_cell(cell) for cell in _list_of_cells(cells)]
    malformed = np.array([label is None for label in found], dtype=np.bool)
    # As objects: in an array of text, each label takes the memory of the longest.
    values = np.array([label or NO_LABEL for label in found], dtype=object)
    return ParsedCells(values, (values == NO_LABEL) & ~malformed, malformed)


def _list_of_cells(cells: "pd.Series[Any]") -> list[Any]:
    """Return all cells as a list; equal cells of a categorical column are the same object."""
    import pandas as pd  # slow to import

    if not isinstance(cells.dtype, pd.CategoricalDtype):
        return cells.tolist()
    categories = [*cells.cat.categories.tolist(), None]  # code -1: no category
    return [categories[code] for code in cells.cat.codes.tolist()]


def _values_and_masks(values: Iterable[float | None], n_cells: int) -> ParsedCells:
    """Return parsed cells from values; NaN stands for a missing cell, None for a malformed cell."""
    found = np.fromiter(values, dtype=object, count=n_cells)
    malformed = np.fromiter((value is None for value in found), dtype=np.bool, count=n_cells)
    numbers = np.where(malformed, 0.0, found).astype(np.float64)
    return ParsedCells(numbers, np.isnan(numbers), malformed)


def _number_or_nan_if_missing(cell: object) -> float | None:
    if isinstance(cell, str):
        text = cell.strip().casefold()
        if text in MISSING_WORDS:
            return np.nan
        if text in INFINITE_WORDS:
            return float(text)
        return _clamped_to_finite(float(text)) if NUMBER.fullmatch(text) else None
    if _is_null_object(cell):
        return np.nan
    if isinstance(cell, NOT_NUMBERS):
        return None
    try:
        number = float(cell)  # type: ignore[arg-type]
        return number if cell == number or np.isnan(number) else _clamped_to_finite(number)
    except OverflowError:
        return sys.float_info.max
    except Exception:  # any error of an object, such as a tensor of two numbers
        return None


def _clamped_to_finite(number: float) -> float:
    """Return the number, or the largest float of its sign if it is infinite."""
    return math.copysign(sys.float_info.max, number) if math.isinf(number) else number


def _membership_in_cell(cell: object) -> float | None:
    if isinstance(cell, str):
        word = cell.strip().casefold()
        if word in MEMBER_WORDS:
            return 1.0
        if word in NONMEMBER_WORDS:
            return 0.0
    number = float(cell) if isinstance(cell, bool | np.bool) else _number_or_nan_if_missing(cell)
    return number if number is None or number in (0, 1) or np.isnan(number) else None


def _is_null_object(cell: object) -> bool:
    import pandas as pd  # slow to import

    return cell is None or cell is pd.NA or cell is pd.NaT


def _label_in_cell(cell: object) -> str | None:
    """Return a cell's label: `NO_LABEL` for a missing cell, None for a malformed one."""
    try:
        is_long = isinstance(cell, str) and len(cell) > LONGEST_CACHED_LABEL
        return _cached_label.__wrapped__(cell) if is_long else _cached_label(cell)
    except TypeError:  # not hashable, such as a list
        return None


@lru_cache(maxsize=1024, typed=True)
def _cached_label(cell: object) -> str:
    # Only NaN, a missing number, differs from itself.
    if _is_null_object(cell) or cell != cell:
        return NO_LABEL
    if isinstance(cell, float | np.floating) and float(cell).is_integer():
        return str(int(cell))
    text = str(cell).strip()
    if text.casefold() in MISSING_WORDS:
        return NO_LABEL
    number = WHOLE_NUMBER.fullmatch(text)
    return number[1] if number else text


# Warnings about rows that were dropped.

MOST_SHOWN_ROWS = 5  # dropped rows whose numbers a warning lists
MOST_DROPPED = 2**24  # dropped rows in succession; a small file may hold any number of rows
MOST_DROPPED_OF_TEXT = 2**20  # the same for text, where each row takes microseconds


class DroppedRows:
    """Counts of rows kept, and of rows dropped because a value was missing."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._first: list[int] = []
        self._n_since_kept = 0
        self._last = 0
        self.n = self.n_kept = 0

    def add(self, n_kept: int, dropped_rows: Sequence[int]) -> None:
        """Count `n_kept` kept rows, and the dropped rows, which are given by their numbers."""
        self.n += len(dropped_rows)
        self.n_kept += n_kept
        self._n_since_kept = 0 if n_kept else self._n_since_kept + len(dropped_rows)
        self._first += dropped_rows[: MOST_SHOWN_ROWS - len(self._first)]
        self._last = dropped_rows[-1] if len(dropped_rows) else self._last

    def reject_long_run(self, most: int) -> None:
        """Raise ReadError if more than `most` rows in succession were dropped."""
        if self._n_since_kept > most:
            got = f"more than {most} rows with a missing value one after another"
            raise mismatch(f"{self._where}, row {self._last}", "a record", got)

    @property
    def text(self) -> str:
        """The number of dropped rows and the first row numbers, as text; "" without such rows."""
        first = f"row{'' if self.n == 1 else 's'} {', '.join(map(str, self._first))}"
        return dropped_text(self.n, self.n + self.n_kept, first) if self.n else ""

    def warn(self) -> None:
        """Warn the user with `text` if a row was dropped."""
        if self.n:
            warn_caller(f"{self._where}: {self.text}")


def dropped_text(n_dropped: int, n_rows: int, first_rows: str) -> str:
    """Return "dropped 2 of 9 rows ..."; the text `first_rows` lists the first dropped rows."""
    more = ", ..." if n_dropped > MOST_SHOWN_ROWS else ""
    return f"dropped {n_dropped} of {n_rows} rows with a missing value ({first_rows}{more})"


# Choice of the columns with scores, memberships and group labels.

LOSS_COLUMNS = ("loss", "losses", "nll", "xent", "cross_entropy", "ppl", "perplexity", "entropy")
# "prob", "logit" and "confidence" are not listed: in many files they belong to one class.
SCORE_COLUMNS = ("score", "scores", "llr", "mi_signal", "signal_values", "attack_proba")
MEMBER_COLUMNS = (
    *("is_member", "member", "membership", "memberships", "in_train", "is_train", "train", "split"),
    *("challenge_bit", "challenge_bits", "keep", "in_out"),
)
# The class of a record in most files, but the membership beside scores that only attacks have.
LABEL_COLUMNS = ("label", "labels", "y_true")
ATTACK_COLUMNS = ("llr", "mi_signal", "signal_values", "attack_proba")
# Columns of group labels, which are offered first for an uploaded table.
GROUP_COLUMNS = ("group", "groups", "subgroup", "class", "class_id", "class_label", *LABEL_COLUMNS)
# Numbers about many records, so that a table of them has no scores.
RATE_COLUMNS = ("fpr", "tpr", "roc_auc", "auc", "auroc", "advantage")


@dataclass(frozen=True, kw_only=True)
class ColumnRoles:
    """The columns of the scores, the memberships and, if requested, the group labels."""

    positions: list[int]
    names: list[str]
    kind: ScoreKind  # of the scores

    @property
    def description(self) -> str:
        """The columns from which scores, memberships and groups were read, as text."""
        roles = zip((plural_of(self.kind), "membership", "groups"), self.names, strict=False)
        return ", ".join(f"{role} from column {quoted(name)}" for role, name in roles)


def choose_columns(names: Sequence[str], options: ReadOptions, where: str) -> ColumnRoles:
    """Return the column of each role: the one that `options` name, or one with a known name."""
    # Blanks around a name do not count. Raises ReadError if a name occurs twice, if a role has no
    # column or several, if a column has two roles, or if the kind of score is unknown.
    names = [name.strip() for name in names]
    repeated = quoted_names(sorted(name for name, n in Counter(names).items() if name and n > 1))
    if repeated:
        raise ReadError(f"{where}: column names must be unique, got {repeated} repeated")
    caller = options.caller
    known_scores = (*LOSS_COLUMNS, *SCORE_COLUMNS)
    found = {name.casefold() for name in names}
    # A table of rates is an error of its own: no choice of columns helps.
    rates = [name for name in names if name.casefold() in RATE_COLUMNS]
    if rates and options.score is None and not found.intersection(known_scores):
        raise only_rates_error(where, rates)
    score = choose_column("score", options.score, known_scores, names, where, caller)
    # Labels are memberships only beside scores that attacks alone have.
    known_members: tuple[str, ...] = MEMBER_COLUMNS
    if names[score].casefold() in ATTACK_COLUMNS and not found.intersection(MEMBER_COLUMNS):
        known_members = LABEL_COLUMNS
    member = choose_column("member", options.member, known_members, names, where, caller)
    places = {"score": score, "member": member}
    if options.group is not None:
        places["group"] = choose_column("group", options.group, (), names, where, caller)
    reject_shared_column(places, names, where)
    # Whether low or high means member follows from the name, or has to be said.
    kind = options.kind or kind_of_column(names[score])
    if kind is None:
        raise ColumnError(
            f"{where}: column {quoted(names[score])} may hold losses or scores; "
            'pass kind="loss" (low = member) or kind="score" (high = member)',
            role="kind",
            choices=SCORE_KINDS,
        )
    chosen = list(places.values())
    return ColumnRoles(positions=chosen, names=[names[i] for i in chosen], kind=kind)


def only_rates_error(where: str, rates: Iterable[str], hint: str = "") -> ReadError:
    """Return the error that a source has only rates, such as FPR and TPR, and no scores."""
    return ReadError(
        f"{where}: expected scores, got rates only ({quoted_names(rates)}): without the numbers "
        "of records behind them nothing can be bounded; dpviz needs the score and the membership "
        f"of each record{hint}"
    )


# Names that a library gives where there are none: they say nothing of what a column is.
WRITE_WITH_NAMES = {
    "arr_0": "name the arrays: np.savez(path, member=..., nonmember=...)",
    "columns": 'write a row with names for each record: frame.to_json(path, orient="records")',
}


def choose_column(
    role: str,
    chosen_name: str | None,
    known_names: Collection[str],
    names: Sequence[str],
    where: str,
    caller: str = "read_scores",
) -> int:
    """Return the position of the column for a role, such as "score"."""
    # It is the column `chosen_name`, or else the only one of `names` in `known_names`. ColumnError
    # if none or several are; it advises to choose by the argument `role` of the function `caller`.
    names = list(names)
    found = quoted_names(names) or "none"
    if chosen_name is not None:
        if chosen_name.strip() not in names or not chosen_name.strip():
            missing = f"no column {quoted(chosen_name)} for {role}"
            raise ReadError(f"{where}: {missing}, columns found: {found}")
        return names.index(chosen_name.strip())
    candidates = [name for name in names if name.casefold() in known_names]
    if len(candidates) == 1:
        return names.index(candidates[0])
    if candidates:
        raise ColumnError(
            f"{where}: several columns could be the {role} column: {quoted_names(candidates)}; "
            f"choose one: {caller}(..., {role}={quoted(candidates[0])})",
            role=role,
            choices=candidates,
        )
    also = ', kind="loss" or "score"' if role == "score" else ""
    name_it = f"name it: {caller}(..., {role}=<column name>{also})"
    way_out = next((way for name, way in WRITE_WITH_NAMES.items() if name in names), name_it)
    raise ColumnError(
        f"{where}: no {role} column recognised, columns found: {found}; {way_out}",
        role=role,
        choices=names,
    )


def reject_shared_column(places: Mapping[str, int], names: Sequence[str], where: str) -> None:
    """Raise ReadError if two roles have the same column; `places` are the columns by role."""
    for one, other in combinations(places, 2):
        if places[one] == places[other]:
            got = f"got {quoted(names[places[one]])} for both"
            raise ReadError(f"{where}: {one} and {other} must be different columns, {got}")


def kind_of_column(name: str) -> ScoreKind | None:
    """Return the kind of score that a column's name shows, or None if the name is unknown."""
    if name.casefold() in LOSS_COLUMNS:
        return "loss"
    return "score" if name.casefold() in SCORE_COLUMNS else None


# The cells of the chosen columns, which become records: how they are read, and what is expected.

CELL_RULES: tuple[tuple[Callable[["pd.Series[Any]"], ParsedCells], str], ...] = (
    (read_numbers, "a number"),
    (read_membership, MEMBERSHIP_CODING),
    (read_labels, "a label"),
)


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoreTable:
    """The score, membership and group columns of a source, for all rows or some of them."""

    where: str  # name of the source in messages
    columns: ColumnRoles
    cells: "Sequence[pd.Series[Any]]"  # scores, memberships and, if requested, group labels
    rows: Rows  # the row numbers in the source
    is_part: bool = False  # whether the source has other rows

    def scores(self, missing: Missing) -> AttackScores:
        """Return the attack scores of all rows, without groups; `missing` as in `read_scores`."""
        found = self.records(missing)
        dropped = DroppedRows(self.where)
        dropped.add(len(found.is_member), found.dropped)
        dropped.warn()
        (member, _), (nonmember, _) = found.by_membership()
        reject_single_class(member.size, len(found.is_member), self.where, self.columns)
        build = AttackScores.from_losses if self.columns.kind == "loss" else AttackScores
        return build(member=member, nonmember=nonmember)

    def records(self, missing: Missing) -> Records:
        """Return the records; a row with a missing cell is dropped if `missing` is "drop"."""
        with naming_foreign_errors(f"each cell of {self.where}", self.cells):
            return self.records_if_clean or self._records_after_full_check(missing)

    @cached_property
    def records_if_clean(self) -> Records | None:
        """The records if a fast check shows that no cell is missing or malformed, else None."""
        score, member, *group = self.cells
        if not isinstance(score.dtype, np.dtype) or score.dtype.kind not in "iuf":
            return None
        values = score.to_numpy()
        if values.dtype.kind == "f" and not _are_in_score_range(values):
            return None
        is_member = _memberships_if_clean(member)
        if is_member is None:
            return None
        labels = [read_labels(cells) for cells in group]
        if any(read.missing.any() or read.malformed.any() for read in labels):
            return None
        values_of_group = labels[0].values if labels else None
        return Records(values=values, is_member=is_member, labels=values_of_group)

    def _records_after_full_check(self, missing: Missing) -> Records:
        columns = [read(cells) for cells, (read, _) in zip(self.cells, CELL_RULES, strict=False)]
        for i, column in enumerate(columns):
            if column.malformed.any():
                raise self._first_cell_error(column.malformed, i, CELL_RULES[i][1])
        self._reject_missing_and_huge(columns, missing)
        keep = ~np.any([column.missing for column in columns], axis=0)
        numbers, membership, *labels = (column.values[keep] for column in columns)
        return Records(
            values=numbers,
            is_member=membership == 1,
            labels=labels[0] if labels else None,
            dropped=[self.rows[i] for i in np.flatnonzero(~keep).tolist()],
        )

    def _reject_missing_and_huge(self, columns: list[ParsedCells], missing: Missing) -> None:
        scores = columns[0].values
        huge = np.isfinite(scores) & (np.abs(scores) > LARGEST_SCORE)
        hint = ""
        if missing == "refuse" and any(column.missing.any() for column in columns):
            hint = '; missing="drop" drops rows with a missing value'
        for i, column in enumerate(columns):
            bad = column.missing if missing == "refuse" else np.zeros_like(huge)
            bad = bad | huge if i == 0 else bad
            n = int(bad.sum())
            if n:
                many = f"at least {n}" if self.is_part else f"{n}"
                note = f" ({many} such row{'' if n == 1 else 's'}{hint})"
                is_huge = i == 0 and huge[np.argmax(bad)]
                expected = SCORE_RANGE if is_huge else CELL_RULES[i][1]
                raise self._first_cell_error(bad, i, expected, note)

    def _first_cell_error(
        self, bad: NDArray[np.bool], column: int, expected: str, note: str = ""
    ) -> ReadError:
        """Return the error about the first `bad` cell in the column `cells[column]`."""
        position, name = int(np.argmax(bad)), quoted(self.columns.names[column])
        place = f"{self.where}, row {self.rows[position]}, column {name}"
        cell = self.cells[column].iloc[position]
        if expected == "a number" and isinstance(cell, str) and "," in cell:
            expected = "a number with a decimal point"
        if expected == MEMBERSHIP_CODING and _number_or_nan_if_missing(cell) in OTHER_CODES:
            note = "; recode the column: 1 = member, 0 = non-member"
        return mismatch(place, expected, f"{quoted(cell)}{note}")


def _memberships_if_clean(cells: "pd.Series[Any]") -> NDArray[np.bool] | None:
    if isinstance(cells.dtype, np.dtype) and cells.dtype.kind in "biu":
        member = cells.to_numpy()
        if member.dtype.kind == "b":
            return member
        is_member = member == 1
        return is_member if (is_member | (member == 0)).all() else None
    read = read_membership(cells)
    return None if read.missing.any() or read.malformed.any() else read.values == 1


def _are_in_score_range(values: NDArray[np.floating[Any]]) -> bool:
    """Return whether all numbers are at most `LARGEST_SCORE` in absolute value, and not NaN."""
    if values.size == 0:
        return True
    low, high = values.min(), values.max()
    # Shorter floats are in range if they are finite.
    if values.dtype.itemsize < np.dtype(np.float64).itemsize:
        return bool(np.isfinite(low) and np.isfinite(high))
    return bool(low >= -LARGEST_SCORE and high <= LARGEST_SCORE)


def reject_single_class(n_members: int, n_records: int, where: str, columns: ColumnRoles) -> None:
    """Raise ReadError if all records are members, or all are non-members."""
    if min(n_members, n_records - n_members) == 0:
        place = f"{where}, column {quoted(columns.names[1])}"
        got = f"{n_members} members and {n_records - n_members} non-members"
        raise mismatch(place, "members and non-members", got)
