"""One table of many models: a column that names the model, and columns of what is said of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.fleet_models import FleetModel
from dpviz.audit.groups import factorised
from dpviz.checks import FloatArray
from dpviz.data.formats.cells import read_numbers
from dpviz.data.formats.columns import Columns, choose_column, choose_columns
from dpviz.data.formats.dropped import Dropped
from dpviz.data.formats.format import Missing, ReadError, ReadOptions, quoted
from dpviz.data.formats.labels import read_labels
from dpviz.data.formats.table import Table

if TYPE_CHECKING:
    import pandas as pd

MODEL_COLUMNS = ("model", "model_name")
ABOUT = {
    "strategy": ("strategy",),
    "utility": ("utility",),
    "repeat": ("repeat",),
    "epsilon": ("epsilon",),
    "delta": ("delta",),
    "stage": ("stage", "epochs", "epoch"),
}
"""What may be said of a model, and the columns that are recognised as saying it."""
Rows = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class FleetColumns:
    """Positions of the columns that are read: of scores, of the model's name, and about it."""

    scores: Columns
    model: int
    about: Mapping[str, int]
    names: Sequence[str]

    @classmethod
    def choose(
        cls,
        names: Sequence[str],
        options: ReadOptions,
        named: Mapping[str, str | None],
        where: str,
    ) -> "FleetColumns":
        """Choose by name, as `choose_columns` does; `named` are those the caller named.

        Raises
        ------
        ReadError
            If a column is missing or ambiguous, or serves two roles.
        """
        names = [name.strip() for name in names]
        scores = choose_columns(names, options, where)
        found = {"score": scores.score, "member": scores.member}
        for role, known in {"model": MODEL_COLUMNS, **ABOUT}.items():
            column, is_known = named.get(role), any(name.casefold() in known for name in names)
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
        about = {role: found[role] for role in ABOUT if role in found}
        return cls(scores=scores, model=found["model"], about=about, names=names)

    @property
    def positions(self) -> list[int]:
        """Of all columns that are read; the first two are those of `Columns.positions`."""
        return [*self.scores.positions, self.model, *self.about.values()]

    @property
    def texts(self) -> list[int]:
        """Of those that hold text even where it looks like numbers."""
        return [self.model, *([self.about["strategy"]] if "strategy" in self.about else [])]


@dataclass(frozen=True, kw_only=True)
class FoundModels:
    """Models that could be read, and (name, message) of those that could not."""

    models: tuple[FleetModel, ...]
    errors: tuple[tuple[str, str], ...]


def models_of(
    cells: "Sequence[pd.Series[Any]]",
    rows: Rows,
    *,
    columns: FleetColumns,
    where: str,
    missing: Missing,
) -> FoundModels:
    """The models of a table, in order of appearance.

    Parameters
    ----------
    cells : sequence of Series
        Of `columns.positions`.
    rows : array of int
        The number of each row, as the source counts.
    columns : FleetColumns
    where : str
        What the source is called in messages.
    missing : {"refuse", "drop"}
        Rows without a model's name, and within a model, as in `read_scores`.

    Raises
    ------
    ReadError
        If the table has no rows, a name is missing or malformed, or what is said of a model is
        malformed, out of range or differs between its rows.
    """
    if rows.size == 0:
        raise ReadError(f"{where}: expected rows, got none")
    table = _Rows(cells=list(cells), rows=rows, columns=columns, where=where)
    labels = read_labels(table.column(columns.model))
    table.refuse(labels.malformed, columns.model, "the name of a model")
    if labels.missing.any():
        if missing == "refuse":
            table.refuse(labels.missing, columns.model, "the name of a model")
        dropped = Dropped(where)
        dropped.add(int((~labels.missing).sum()), rows[labels.missing].tolist())
        dropped.warn()
    named = np.flatnonzero(~labels.missing)
    if named.size == 0:
        raise ReadError(f"{where}: expected rows with a model, got none")
    names, codes = factorised(labels.values[named])
    order = named[np.argsort(codes, kind="stable")]
    ends = np.cumsum(np.bincount(codes))
    about = {role: _of_each_model(table, role, order, ends, names) for role in columns.about}
    models, errors = [], []
    for i, (name, of_model) in enumerate(zip(names, np.split(order, ends[:-1]), strict=True)):
        said = {role: values[i] for role, values in about.items() if values[i] is not None}
        its_where = f"{where}, model {quoted(name)}"
        try:
            scores = Table.of(
                [series.iloc[of_model] for series in table.cells[:2]],
                where=its_where,
                columns=columns.scores,
                rows=rows[of_model],
            ).scores(missing)
        except ValueError as error:
            errors.append((name, str(error)))
            continue
        try:
            models.append(FleetModel(name=name, scores=scores, **said))
        except ValueError as error:
            raise ReadError(f"{its_where}: {error}") from None
    return FoundModels(models=tuple(models), errors=tuple(errors))


@dataclass(frozen=True, kw_only=True)
class _Rows:
    """The cells that were read, with what messages need."""

    cells: "list[pd.Series[Any]]"
    rows: Rows
    columns: FleetColumns
    where: str

    def column(self, position: int) -> "pd.Series[Any]":
        return self.cells[self.columns.positions.index(position)]

    def refuse(self, bad: NDArray[np.bool], position: int, expected: str) -> None:
        """Raise for the first cell of a column that is bad, if there is one."""
        if bad.any():
            first = int(np.argmax(bad))
            raise ReadError(
                f"{self.where}, row {self.rows[first]}, column "
                f"{quoted(self.columns.names[position])}: expected {expected}, "
                f"got {quoted(self.column(position).iloc[first])}"
            )


def _of_each_model(
    table: _Rows, role: str, order: Rows, ends: Rows, names: Sequence[str]
) -> list[Any]:
    """What a column says of each model, None where all its rows are silent."""
    position = table.columns.about[role]
    if role == "strategy":
        labels = read_labels(table.column(position))
        table.refuse(labels.malformed, position, "a label")
        texts, codes = factorised(labels.values)
        values: FloatArray = np.where(labels.missing, np.nan, codes)
    else:
        numbers = read_numbers(table.column(position))
        table.refuse(numbers.malformed, position, "a number")
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
