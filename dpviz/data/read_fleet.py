"""`read_fleet`: the attack scores of many models, from a folder of files or from one table."""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.models.fleet import Fleet, FleetModel
from dpviz.audit.scores.base import ScoreKind, factorise, natural_sort_key
from dpviz.checks import FloatArray, warn_caller
from dpviz.data.formats.objects import FRAME
from dpviz.data.formats.registry import table_of, table_suffixes
from dpviz.data.read import opened_if_file, read_scores
from dpviz.data.sources.file import File
from dpviz.data.sources.options import Missing, ReadError, ReadOptions, mismatch, printable, quoted
from dpviz.data.tables import table as table_rules
from dpviz.data.tables.table import CellBlock, ColumnRoles, ScoreTable, read_labels, read_numbers

if TYPE_CHECKING:
    import pandas as pd

MODEL_COLUMNS = ("model", "model_name")
# Properties of a model in a table, and the names by which their columns are recognised.
ABOUT: dict[str, tuple[str, ...]] = {
    **{name: (name,) for name in ("strategy", "utility", "repeat", "epsilon", "delta")},
    "stage": ("stage", "epochs", "epoch"),
}
NAMES_BY_ROLE = {"model": MODEL_COLUMNS, **ABOUT}
Positions = NDArray[np.int64]
Names = Sequence[str]
ByRole = Mapping[str, str | None]  # from a role, such as "model", to a column's name
# The models that were read, and (name, error message) of each model that was not.
ModelsAndReadErrors = tuple[list[FleetModel], list[tuple[str, str]]]


@dataclass(frozen=True, kw_only=True)
class FleetColumns:
    """Positions of the columns that hold the scores, the names and the properties of models."""

    scores: ColumnRoles
    model: int
    about: Mapping[str, int]  # from a property, such as "epsilon", to a position
    hyperparameters: Mapping[str, int]  # from a column's name to its position
    names: Sequence[str]

    @classmethod
    def choose(
        cls, names: Names, options: ReadOptions, chosen: ByRole, hyperparameters: Names, where: str
    ) -> "FleetColumns":
        """Return the columns of all roles: chosen by the user, or else by known names."""
        names = [name.strip() for name in names]
        scores = table_rules.choose_columns(names, options, where)
        found = dict(zip(("score", "member"), scores.positions, strict=True))
        wanted = {role: (chosen.get(role), known) for role, known in NAMES_BY_ROLE.items()}
        own = {name: f"hyperparameter {quoted(name)}" for name in hyperparameters}
        wanted |= {role: (name, ()) for name, role in own.items()}
        for role, (column, known) in wanted.items():
            is_known = any(name.casefold() in known for name in names)
            if column is None and not is_known and role != "model":
                continue
            choose = table_rules.choose_column
            found[role] = choose(role, column, known, names, where, options.caller)
        table_rules.reject_shared_column(found, names, where)
        return cls(
            scores=scores,
            model=found["model"],
            about={role: found[role] for role in ABOUT if role in found},
            hyperparameters={name: found[role] for name, role in own.items()},
            names=names,
        )

    @property
    def positions(self) -> list[int]:
        """The positions of all columns that are read."""
        described = (*self.about.values(), *self.hyperparameters.values())
        return [*self.scores.positions, self.model, *described]

    @property
    def text_positions(self) -> list[int]:
        """The positions of columns to be read as text even if the text looks like numbers."""
        strategy = [self.about["strategy"]] if "strategy" in self.about else []
        return [self.model, *strategy, *self.hyperparameters.values()]


def models_of(
    pieces: Iterable[CellBlock], columns: FleetColumns, where: str, missing: Missing
) -> ModelsAndReadErrors:
    """Return the models of a table in order of appearance, and errors of malformed models."""
    # A malformed name, or rows that describe a model differently, raise ReadError.
    table = _FleetCells(pieces, columns, where)
    rows = table.rows
    labels = read_labels(table.column(columns.model))
    table.reject_cells(labels.malformed, columns.model, "the name of a model")
    if labels.missing.any():
        if missing == "refuse":
            table.reject_cells(labels.missing, columns.model, "the name of a model")
        dropped = table_rules.DroppedRows(where)
        dropped.add(int((~labels.missing).sum()), rows[labels.missing].tolist())
        dropped.warn()
    named = np.flatnonzero(~labels.missing)
    if named.size == 0:
        raise mismatch(where, "at least one row with the name of a model", "none")
    # Rows by model: `order` sorts them, and `ends` says where each model ends.
    names, codes = factorise(labels.values[named])
    order = named[np.argsort(codes, kind="stable")]
    ends = np.cumsum(np.bincount(codes))
    value = partial(_one_value_per_model, table, rows_by_model=order, model_ends=ends, names=names)
    about, chosen = (
        {name: value(position) for name, position in positions.items()}
        for positions in (columns.about, columns.hyperparameters)
    )
    models: list[FleetModel] = []
    errors: list[tuple[str, str]] = []
    for i, (name, of_model) in enumerate(zip(names, np.split(order, ends[:-1]), strict=True)):
        described = {role: each[i] for role, each in about.items() if each[i] is not None}
        settings = {name: each[i] for name, each in chosen.items() if each[i] is not None}
        described["hyperparameters"] = settings
        its_where = f"{where}, model {quoted(name)}"
        # Malformed scores are an error of this model, a malformed description one of the table.
        try:
            parts, its_rows = [each.iloc[of_model] for each in table.cells[:2]], rows[of_model]
            its = ScoreTable(where=its_where, columns=columns.scores, cells=parts, rows=its_rows)
            scores = its.scores(missing)
        except ValueError as error:
            errors.append((name, str(error)))
            continue
        try:
            models.append(FleetModel(name=name, scores=scores, **described))
        except ValueError as error:
            raise ReadError(f"{its_where}: {error}") from None
    return models, errors


class _FleetCells:
    """The columns of a table of models, with row numbers and column names for messages."""

    def __init__(self, pieces: Iterable[CellBlock], columns: FleetColumns, where: str) -> None:
        import pandas as pd  # slow to import

        found = [piece for piece in pieces if len(piece[1])]
        if not found:
            raise mismatch(where, "rows", "none")
        parts_by_column = zip(*(cells for cells, _ in found), strict=True)
        self.cells: list[pd.Series[Any]] = [
            pd.concat(parts, ignore_index=True) for parts in parts_by_column
        ]
        numbers = (rows for _, rows in found)
        ranges = [np.arange(n.start, n.stop) if isinstance(n, range) else n for n in numbers]
        self.rows: Positions = np.concatenate(ranges)
        self.columns, self.where = columns, where

    def column(self, position: int) -> "pd.Series[Any]":
        return self.cells[self.columns.positions.index(position)]

    def reject_cells(self, is_bad: NDArray[np.bool], position: int, expected: str) -> None:
        """Raise ReadError about the first cell where `is_bad` is true, if there is one."""
        if is_bad.any():
            first = int(np.argmax(is_bad))
            name = quoted(self.columns.names[position])
            place = f"{self.where}, row {self.rows[first]}, column {name}"
            raise mismatch(place, expected, quoted(self.column(position).iloc[first]))


def _one_value_per_model(
    table: _FleetCells, position: int, rows_by_model: Positions, model_ends: Positions, names: Names
) -> list[Any]:
    """Return each model's value in a column, None if empty; ReadError if a model has two values."""
    if position in table.columns.text_positions:
        labels = read_labels(table.column(position))
        table.reject_cells(labels.malformed, position, "a label")
        texts, codes = factorise(labels.values)
        values: FloatArray = np.where(labels.missing, np.nan, codes)
    else:
        numbers = read_numbers(table.column(position))
        table.reject_cells(numbers.malformed, position, "a number")
        texts, values = [], np.where(numbers.missing, np.nan, numbers.values)
    # The smallest and the largest value of each model differ where its rows do.
    starts = np.concatenate([[0], model_ends[:-1]])
    low, high = (extreme.reduceat(values[rows_by_model], starts) for extreme in (np.fmin, np.fmax))
    shown: list[Any] = [
        None if np.isnan(value) else texts[int(value)] if texts else value for value in low.tolist()
    ]
    for i in np.flatnonzero(low < high)[:1].tolist():
        other = texts[int(high[i])] if texts else float(high[i])
        name = quoted(table.columns.names[position])
        place = f"{table.where}, model {quoted(names[i])}, column {name}"
        got = f"{quoted(shown[i])} and {quoted(other)}"
        raise mismatch(place, "the same value in all rows of a model", got)
    return shown


def read_fleet(
    source: Any,
    *,
    member: str | None = None,
    score: str | None = None,
    kind: ScoreKind | None = None,
    missing: Missing = "refuse",
    name: str | None = None,
    model: str | None = None,
    strategy: str | None = None,
    utility: str | None = None,
    repeat: str | None = None,
    epsilon: str | None = None,
    delta: str | None = None,
    stage: str | None = None,
    hyperparameters: Sequence[str] = (),
    lazy: bool = False,
    progress: Progress = iter,
) -> Fleet:
    """Return the attack scores of many models, from a folder of files or from one table.

    There is at least one model. `Fleet.errors` has every file or model that could not be read, and
    why.

    Parameters
    ----------
    source : str, path, open file, bytes or table
        A folder, in which every file is a model: its name is the file's without the suffix, and
        `read_scores` reads it (files that begin with a dot are ignored). Otherwise a table with a
        row per model and record: a file of CSV, TSV, JSON Lines, Parquet or Feather (the last two
        need ``dpviz[parquet]``), or a table of pandas, polars or pyarrow.
    member, score, kind, missing, name
        As in `read_scores`, for every file or for the table.
    model, strategy, utility, repeat, epsilon, delta, stage : str, optional
        Columns of a table: the model's name, and its description (see `FleetModel`), the same in
        all its rows or empty. Left out, they are recognised by these names, the model also by
        model_name, the stage also by epochs or epoch.
    hyperparameters : sequence of str
        Columns of a table with hyper-parameters, numbers or text, the same in all rows of a model.
        Models with different values are not repeats of one strategy.
    lazy : bool
        For a folder: check every file once, and read it again on each use, so that memory holds one
        model at a time. A file that changes meanwhile changes the results.
    progress : callable
        Called with the range of the files, such as `tqdm.tqdm`; it may raise to cancel.

    Raises
    ------
    ReadError, a ValueError: if nothing can be read, columns are not recognised, or the description
        of a model is malformed, out of range or differs between its rows
    FileNotFoundError, if there is nothing at the path
    ImportError, if a table needs pyarrow and it is not installed
    ValueError, if an option is not one of its choices

    Warns
    -----
    UserWarning, if models were left out: how many of how many, and the first reason

    Examples
    --------
    >>> import pandas as pd
    >>> from dpviz import read_fleet
    >>> table = {"model": [1, 1, 2, 2], "member": [1, 0, 1, 0], "loss": [0.5, 2, 1, 3]}
    >>> [model.name for model in read_fleet(pd.DataFrame(table)).models]
    ['1', '2']
    """
    columns: dict[str, Any] = {"member": member, "score": score, "name": name}
    options = ReadOptions(kind=kind, missing=missing, caller="read_fleet", **columns)
    chosen_columns = {"model": model, "strategy": strategy, "utility": utility, "repeat": repeat}
    chosen_columns |= {"epsilon": epsilon, "delta": delta, "stage": stage}
    for role, column in chosen_columns.items():
        if column is not None and not isinstance(column, str):
            raise ReadError(f"{role} must be the name of a column, got {quoted(column)}")
    is_text = isinstance(hyperparameters, str)
    if is_text or not all(isinstance(column, str) for column in hyperparameters):
        raise ReadError(f"hyperparameters must be names of columns, got {quoted(hyperparameters)}")
    chosen = tuple(dict.fromkeys(hyperparameters))
    path = os.fsdecode(source) if isinstance(source, str | os.PathLike) else None
    if path is not None and os.path.isdir(path):
        where = printable(name or os.path.basename(os.path.abspath(path)) or path)
        if chosen:
            raise ReadError(f"hyperparameters must be left out for a folder, got {chosen}")
        models, errors = _read_folder(
            path, options, chosen_columns, where, lazy=lazy, progress=progress
        )
    else:
        if lazy:
            raise ReadError("lazy must be False for a table, got True; lazy reading is for folders")
        where, (models, errors) = _read_table(source, options, chosen_columns, chosen)
    n = len(errors)
    if not models:
        failed = f"none of {n} model{'' if n == 1 else 's'} could be read"
        raise ReadError(f"{where}: {failed}; the first: {errors[0][1]}")
    if errors:
        left_out = f"left out {n} of {n + len(models)} models, see Fleet.errors"
        warn_caller(f"{where}: {left_out}; the first: {errors[0][1]}")
    try:
        return Fleet(models=tuple(models), errors=tuple(errors))
    except ValueError as error:  # a model with the name of a strategy
        raise ReadError(f"{where}: {error}") from None


def _read_folder(
    path: str, options: ReadOptions, chosen: ByRole, where: str, *, lazy: bool, progress: Progress
) -> ModelsAndReadErrors:
    for role, column in chosen.items():
        if column is not None:
            got = quoted(column)
            raise ReadError(f"{role} must be left out for the folder {where}, got {got}")
    files = [entry for entry in sorted(os.listdir(path), key=natural_sort_key) if entry[0] != "."]
    if not files:
        raise mismatch(where, "files with scores", "an empty folder")
    reading = {name: getattr(options, name) for name in ("member", "score", "kind", "missing")}
    models: dict[str, tuple[str, FleetModel]] = {}
    errors = []
    for i in progress(range(len(files))):
        file = files[i]
        stem = os.path.splitext(file)[0]
        # An absolute path: the working directory may change before it is read again.
        read = partial(read_scores, os.path.abspath(os.path.join(path, file)), **reading)
        try:
            scores = read()
            if stem in models:
                other = printable(models[stem][0])
                raise ReadError(f"{printable(file)}: the file {other} has the same model name")
            models[stem] = file, FleetModel(name=stem, scores=read if lazy else scores)
        except (ValueError, OSError) as error:
            errors.append((file, str(error)))
    return [model for _, model in models.values()], errors


def _read_table(
    source: Any, options: ReadOptions, chosen: ByRole, hyperparameters: Names
) -> tuple[str, ModelsAndReadErrors]:
    """Return the name for messages and the models of a table, which is a file or a data frame."""
    opened_source = opened_if_file(source, options.name)
    table = table_of(opened_source, options.name)
    if table is None:
        is_file = isinstance(opened_source, File)
        got = opened_source.where if is_file else f"a {type(source).__name__}"
        raise ReadError(
            "source must be one of: a folder of files with scores, a file with a table "
            f"({', '.join(table_suffixes())}), {FRAME.name}; got {got}"
        )
    columns = FleetColumns.choose(table.names, options, chosen, hyperparameters, table.where)
    table.piece_memory = options.memory
    fast = table.read_columns_fast(columns.positions, columns.text_positions)
    if fast is not None:
        # A fault is found again below, at its place and with its text.
        with suppress(ReadError):
            models, errors = models_of(fast, columns, table.where, "refuse")
            if not errors:
                return table.where, (models, errors)
    cells = table.read_columns_unparsed(columns.positions)
    return table.where, models_of(cells, columns, table.where, options.missing)
