"""One table of many models: a column names the model, others describe it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.models.fleet import FleetModel
from dpviz.audit.scores.base import factorised
from dpviz.checks import FloatArray
from dpviz.data.sources.options import Missing, ReadError, ReadOptions, quoted
from dpviz.data.tables.table import (
    Columns,
    Dropped,
    Table,
    choose_column,
    choose_columns,
    read_labels,
    read_numbers,
)

if TYPE_CHECKING:
    import pandas as pd

MODEL_COLUMNS = ("model", "model_name")
# What a table may tell of a model, and the names of the columns that tell it.
ABOUT = {
    "strategy": ("strategy",),
    "utility": ("utility",),
    "repeat": ("repeat",),
    "epsilon": ("epsilon",),
    "delta": ("delta",),
    "stage": ("stage", "epochs", "epoch"),
}
ROLES = {"model": MODEL_COLUMNS, **ABOUT}
Positions = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class FleetColumns:
    """Positions of the columns of scores, of the model's name and of what describes the model.

    `about` has them by role, `hyperparameters` by the name of the column.
    """

    scores: Columns
    model: int
    about: Mapping[str, int]
    hyperparameters: Mapping[str, int]
    names: Sequence[str]

    @classmethod
    def choose(
        cls,
        names: Sequence[str],
        options: ReadOptions,
        named: Mapping[str, str | None],
        hyperparameters: Sequence[str],
        where: str,
    ) -> "FleetColumns":
        """Choose columns by name, as `choose_columns`; no column serves two roles.

        `named` maps roles to the caller's choice; `hyperparameters` are the caller's columns.
        """
        names = [name.strip() for name in names]
        scores = choose_columns(names, options, where)
        found = {"score": scores.score, "member": scores.member}
        wanted = {role: (named.get(role), known) for role, known in ROLES.items()}
        own = {name: f"hyperparameter {quoted(name)}" for name in hyperparameters}
        wanted |= {role: (name, ()) for name, role in own.items()}
        for role, (column, known) in wanted.items():
            is_known = any(name.casefold() in known for name in names)
            if column is None and not is_known and role != "model":
                continue
            place = choose_column(role, column, known, names, where, options.caller)
            other = next((r for r, p in found.items() if p == place), None)
            if other is not None:
                raise ReadError(
                    f"{where}: {other} and {role} must be two columns, got {quoted(names[place])} "
                    "for both"
                )
            found[role] = place
        return cls(
            scores=scores,
            model=found["model"],
            about={role: found[role] for role in ABOUT if role in found},
            hyperparameters={name: found[role] for name, role in own.items()},
            names=names,
        )

    @property
    def positions(self) -> list[int]:
        """Positions of all columns that are read, first those of `Columns.positions`."""
        described = (*self.about.values(), *self.hyperparameters.values())
        return [*self.scores.positions, self.model, *described]

    @property
    def texts(self) -> list[int]:
        """Positions of the columns that hold text even if it looks like numbers."""
        strategy = [self.about["strategy"]] if "strategy" in self.about else []
        return [self.model, *strategy, *self.hyperparameters.values()]


@dataclass(frozen=True, kw_only=True)
class FoundModels:
    """Models that were read, and (name, message) of each that could not be."""

    models: tuple[FleetModel, ...]
    errors: tuple[tuple[str, str], ...]


def models_of(
    cells: "Sequence[pd.Series[Any]]",
    rows: Positions,
    *,
    columns: FleetColumns,
    where: str,
    missing: Missing,
) -> FoundModels:
    """Return the models of a table, in order of appearance.

    `cells` are those of `columns.positions`, `rows` their numbers as the source counts. `missing`
    applies to rows without the name of a model too. Malformed scores are an error of one model;
    a malformed name, or a description that differs between the rows of a model, of the table.
    """
    if rows.size == 0:
        raise ReadError(f"{where}: expected rows, got none")
    table = _FleetCells(cells=list(cells), rows=rows, columns=columns, where=where)
    labels = read_labels(table.column(columns.model))
    table.reject(labels.malformed, columns.model, "the name of a model")
    if labels.missing.any():
        if missing == "refuse":
            table.reject(labels.missing, columns.model, "the name of a model")
        dropped = Dropped(where)
        dropped.add(int((~labels.missing).sum()), rows[labels.missing].tolist())
        dropped.warn()
    named = np.flatnonzero(~labels.missing)
    if named.size == 0:
        raise ReadError(f"{where}: expected rows with a model, got none")
    names, codes = factorised(labels.values[named])
    order = named[np.argsort(codes, kind="stable")]
    ends = np.cumsum(np.bincount(codes))
    about, chosen = (
        {
            name: _of_each_model(table, position, order, ends, names)
            for name, position in positions.items()
        }
        for positions in (columns.about, columns.hyperparameters)
    )
    models, errors = [], []
    for i, (name, of_model) in enumerate(zip(names, np.split(order, ends[:-1]), strict=True)):
        described = {role: each[i] for role, each in about.items() if each[i] is not None}
        described["hyperparameters"] = {
            name: each[i] for name, each in chosen.items() if each[i] is not None
        }
        its_where = f"{where}, model {quoted(name)}"
        try:
            scores = Table(
                cells=[series.iloc[of_model] for series in table.cells[:2]],
                where=its_where,
                columns=columns.scores,
                rows=rows[of_model],
            ).scores(missing)
        except ValueError as error:
            errors.append((name, str(error)))
            continue
        try:
            models.append(FleetModel(name=name, scores=scores, **described))
        except ValueError as error:
            raise ReadError(f"{its_where}: {error}") from None
    return FoundModels(models=tuple(models), errors=tuple(errors))


@dataclass(frozen=True, kw_only=True)
class _FleetCells:
    """The cells that were read, and their place for messages."""

    cells: "list[pd.Series[Any]]"
    rows: Positions
    columns: FleetColumns
    where: str

    def column(self, position: int) -> "pd.Series[Any]":
        return self.cells[self.columns.positions.index(position)]

    def reject(self, bad: NDArray[np.bool], position: int, expected: str) -> None:
        """Raise for the first cell of a column that is bad, if there is one."""
        if bad.any():
            first = int(np.argmax(bad))
            raise ReadError(
                f"{self.where}, row {self.rows[first]}, column "
                f"{quoted(self.columns.names[position])}: expected {expected}, "
                f"got {quoted(self.column(position).iloc[first])}"
            )


def _of_each_model(
    table: _FleetCells, position: int, order: Positions, ends: Positions, names: Sequence[str]
) -> list[Any]:
    """The value of a column for each model, None if all its rows are empty."""
    if position in table.columns.texts:
        labels = read_labels(table.column(position))
        table.reject(labels.malformed, position, "a label")
        texts, codes = factorised(labels.values)
        values: FloatArray = np.where(labels.missing, np.nan, codes)
    else:
        numbers = read_numbers(table.column(position))
        table.reject(numbers.malformed, position, "a number")
        texts, values = [], np.where(numbers.missing, np.nan, numbers.values)
    starts = np.concatenate([[0], ends[:-1]])
    low, high = (extreme.reduceat(values[order], starts) for extreme in (np.fmin, np.fmax))
    shown: list[Any] = [
        None if np.isnan(value) else texts[int(value)] if texts else value for value in low.tolist()
    ]
    for i in np.flatnonzero(low < high)[:1].tolist():
        other = texts[int(high[i])] if texts else float(high[i])
        raise ReadError(
            f"{table.where}, model {quoted(names[i])}, column "
            f"{quoted(table.columns.names[position])}: expected one value for all its rows, got "
            f"{quoted(shown[i])} and {quoted(other)}"
        )
    return shown
