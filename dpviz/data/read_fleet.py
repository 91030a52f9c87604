"""`read_fleet`: the attack scores of many models."""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.models.fleet import Fleet, FleetModel
from dpviz.audit.scores.base import ScoreKind, natural_order
from dpviz.checks import warn_caller
from dpviz.data.formats.objects import FRAME
from dpviz.data.formats.registry import table_of, table_suffixes
from dpviz.data.read import opened, read_scores
from dpviz.data.sources.file import File
from dpviz.data.sources.options import Missing, ReadError, ReadOptions, plain, quoted
from dpviz.data.tables.fleet_table import FleetColumns, FoundModels, models_of
from dpviz.data.tables.table import CellsOfRows


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
    """Return the attack scores of many models: of the files of a folder, or of one table.

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
        Models that differ in them are no repeats of one strategy.
    lazy : bool
        For a folder: check every file once, and read it again on each use, so that memory holds one
        model at a time. A file that changes meanwhile changes the results.
    progress : callable
        Wraps the range of the files of a folder: `tqdm.tqdm` shows a bar. It cancels by raising.

    Returns
    -------
    Fleet
        At least one model. `Fleet.errors` has every file or model that could not be read, and why.

    Raises
    ------
    ReadError
        A ValueError: if nothing can be read, columns are not recognised, or the description of a
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

    Examples
    --------
    >>> import pandas as pd
    >>> from dpviz import read_fleet
    >>> table = {"model": [1, 1, 2, 2], "member": [1, 0, 1, 0], "loss": [0.5, 2, 1, 3]}
    >>> [model.name for model in read_fleet(pd.DataFrame(table)).models]
    ['1', '2']
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
    is_text = isinstance(hyperparameters, str)
    if is_text or not all(isinstance(column, str) for column in hyperparameters):
        raise ReadError(f"hyperparameters must be names of columns, got {quoted(hyperparameters)}")
    chosen = tuple(dict.fromkeys(hyperparameters))
    path = os.fsdecode(source) if isinstance(source, str | os.PathLike) else None
    if path is not None and os.path.isdir(path):
        where = plain(name or os.path.basename(os.path.abspath(path)) or path)
        if chosen:
            raise ReadError(f"hyperparameters must be left out for a folder, got {chosen}")
        found = _read_folder(path, options, named, where, lazy=lazy, progress=progress)
    else:
        if lazy:
            raise ReadError("lazy must be False for a table: only the files of a folder are reread")
        where, found = _read_table(source, options, named, chosen)
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
    source: Any,
    options: ReadOptions,
    named: Mapping[str, str | None],
    hyperparameters: Sequence[str],
) -> tuple[str, FoundModels]:
    """The name of the table in messages, and its models."""
    opened_source = opened(source, options.name)
    table = table_of(opened_source, options.name)
    if table is None:
        is_file = isinstance(opened_source, File)
        got = opened_source.where if is_file else f"a {type(source).__name__}"
        raise ReadError(
            "source must be one of: a folder of files with scores, a file with a table "
            f"({', '.join(table_suffixes())}), {FRAME.name}; got {got}"
        )
    columns = FleetColumns.choose(table.names, options, named, hyperparameters, table.where)
    table.piece_memory = options.memory
    fast = table.fast_cells(columns.positions, columns.texts)
    if fast is not None:
        # A fault is found again below, at its place and with its text.
        with suppress(ReadError):
            found = _models_of(fast, columns, table.where, "refuse")
            if not found.errors:
                return table.where, found
    cells = table.text_cells(columns.positions)
    return table.where, _models_of(cells, columns, table.where, options.missing)


def _models_of(
    pieces: Iterable[CellsOfRows], columns: FleetColumns, where: str, missing: Missing
) -> FoundModels:
    import pandas as pd  # slow to import

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
