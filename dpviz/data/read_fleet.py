"""`read_fleet`: the one entry for the scores of many models."""

import os
from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from dpviz.audit.fleet import Fleet
from dpviz.audit.fleet_models import FleetModel
from dpviz.audit.groups import natural_order
from dpviz.audit.resampling import Progress
from dpviz.audit.scores import ScoreKind
from dpviz.data.formats.csv import CsvFile
from dpviz.data.formats.file import File
from dpviz.data.formats.fleet_table import FleetColumns, FoundModels, models_of
from dpviz.data.formats.format import Missing, ReadError, ReadOptions, plain, quoted
from dpviz.data.formats.frame import FRAME
from dpviz.data.formats.tables import SUFFIXES, table_of
from dpviz.data.read import opened, read_scores
from dpviz.warn import warn_caller

if TYPE_CHECKING:
    from dpviz.data.formats.table_file import CellsOfRows


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
    lazy: bool = False,
    progress: Progress = iter,
) -> Fleet:
    """Read the scores of many models: a folder with a file for each, or one table.

    Parameters
    ----------
    source : str, path, open file, bytes or table
        A folder: every file in it is read by `read_scores` and is a model by the file's name,
        without its ending (files that begin with a dot are not looked at). Otherwise a table with a
        row per model and record: a file of CSV, TSV, JSON Lines, Parquet or Feather (the last two
        need ``dpviz[parquet]``), or a table of pandas, polars or pyarrow.
    member, score, kind, missing, name
        As of `read_scores`, for every file or for the table.
    model, strategy, utility, repeat, epsilon, delta, stage : str, optional
        Columns of a table: the model's name, and what is said of it (see `FleetModel`), the same in
        all its rows; rows may be silent. Left out, they are recognised by these names, the model
        also by model_name, the stage also by epochs or epoch.
    lazy : bool
        Of a folder: read every file once to check it, and again whenever its scores are asked for.
        Memory then holds one model at a time; a file that changes meanwhile changes the answers.
    progress : callable
        Wraps the range of the files of a folder; `tqdm.tqdm` shows a bar, one that raises cancels.

    Returns
    -------
    Fleet
        At least one model. `Fleet.errors` has every file or model that could not be read, and why.

    Raises
    ------
    ReadError
        A ValueError. If nothing can be read, columns are not recognised, or what a table says of a
        model is malformed, out of range or differs between its rows.
    FileNotFoundError
        If there is nothing at the path.
    ImportError
        If a table needs pyarrow and it is not installed.
    ValueError
        If an option is not one of its choices.

    Warns
    -----
    UserWarning
        If models were left out: how many of how many, and the first reason.
    """
    options = ReadOptions(
        member=member, score=score, kind=kind, missing=missing, name=name, caller="read_fleet"
    )
    named = {
        "model": model,
        "strategy": strategy,
        "utility": utility,
        "repeat": repeat,
        "epsilon": epsilon,
        "delta": delta,
        "stage": stage,
    }
    for role, column in named.items():
        if column is not None and not isinstance(column, str):
            raise ReadError(f"{role} must be the name of a column, got {quoted(column)}")
    path = os.fsdecode(source) if isinstance(source, str | os.PathLike) else None
    if path is not None and os.path.isdir(path):
        where = plain(name or os.path.basename(os.path.abspath(path)) or path)
        found = _read_folder(path, options, named, where, lazy=lazy, progress=progress)
    else:
        if lazy:
            raise ReadError("lazy must be False for a table: only the files of a folder are reread")
        where, found = _read_table(source, options, named)
    if not found.models:
        n = len(found.errors)
        raise ReadError(
            f"{where}: none of {n} model{'' if n == 1 else 's'} could be read; the first: "
            f"{found.errors[0][1]}"
        )
    if found.errors:
        n = len(found.errors)
        warn_caller(
            f"{where}: left out {n} of {n + len(found.models)} models, see Fleet.errors; "
            f"the first: {found.errors[0][1]}"
        )
    try:
        return Fleet(models=found.models, errors=found.errors)
    except ValueError as error:  # a model with the name of a strategy
        raise ReadError(f"{where}: {error}") from None


def _read_folder(
    path: str,
    options: ReadOptions,
    named: Mapping[str, str | None],
    where: str,
    *,
    lazy: bool,
    progress: Progress,
) -> FoundModels:
    for role, column in named.items():
        if column is not None:
            raise ReadError(
                f"{role} names a column of a table and {where} is a folder, got "
                f"{role}={quoted(column)}"
            )
    files = [entry for entry in sorted(os.listdir(path), key=natural_order) if entry[0] != "."]
    if not files:
        raise ReadError(f"{where}: expected files with scores, got an empty folder")
    models: dict[str, tuple[str, FleetModel]] = {}
    errors = []
    for i in progress(range(len(files))):
        file = files[i]
        stem = os.path.splitext(file)[0]
        # An absolute path: the working directory may change before it is read again.
        read = partial(
            read_scores,
            os.path.abspath(os.path.join(path, file)),
            member=options.member,
            score=options.score,
            kind=options.kind,
            missing=options.missing,
        )
        try:
            scores = read()
            if stem in models:
                raise ReadError(
                    f"{plain(file)}: the model of {plain(models[stem][0])} has its name"
                )
            models[stem] = file, FleetModel(name=stem, scores=read if lazy else scores)
        except (ValueError, OSError) as error:
            errors.append((file, str(error)))
    return FoundModels(models=tuple(model for _, model in models.values()), errors=tuple(errors))


def _read_table(
    source: Any, options: ReadOptions, named: Mapping[str, str | None]
) -> tuple[str, FoundModels]:
    """What the table is called in messages, and its models."""
    found = opened(source, options.name)
    table = table_of(found, options.name)
    if table is None:
        got = found.where if isinstance(found, File) else f"a {type(found).__name__}"
        raise ReadError(
            "source must be one of: a folder of files with scores, a file with a table "
            f"({', '.join(SUFFIXES)}), {FRAME.name}; got {got}"
        )
    columns = FleetColumns.choose(table.names, options, named, table.where)
    if isinstance(table, CsvFile):
        return table.where, _models_of_csv(table, columns, options.missing)
    return table.where, _models_of(
        table.cells(columns.positions), columns, table.where, options.missing
    )


def _models_of_csv(file: CsvFile, columns: FleetColumns, missing: Missing) -> FoundModels:
    """As it is read fast; cell by cell, to say where it is wrong, only if something is."""
    positions = columns.positions
    fast = [block.cells_fast(positions, texts=columns.texts) for block in file.blocks()]
    clean = [cells for cells in fast if cells is not None]
    if len(clean) == len(fast):
        try:
            found = _models_of(
                ((cells, range(len(cells[0]))) for cells in clean), columns, file.where, "refuse"
            )
        except ReadError:
            pass
        else:
            if not found.errors:
                return found
    slow = (block.cells(positions) for block in file.blocks())
    return _models_of(slow, columns, file.where, missing)


def _models_of(
    pieces: "Iterable[CellsOfRows]", columns: FleetColumns, where: str, missing: Missing
) -> FoundModels:
    import pandas as pd

    found = [piece for piece in pieces if len(piece[1])]
    if not found:
        raise ReadError(f"{where}: expected rows, got none")
    cells = [
        pd.concat(parts, ignore_index=True)
        for parts in zip(*(cells for cells, _ in found), strict=True)
    ]
    rows = np.concatenate(
        [np.arange(n.start, n.stop) if isinstance(n, range) else n for _, n in found]
    )
    return models_of(cells, rows, columns=columns, where=where, missing=missing)
