"""The rows of both benchmarks of statements: in files, and as a table in the documentation."""

import json
from math import sqrt
from pathlib import Path
from typing import Any

from benchmarks.pages import write_table

EXPECTED = 10
Row = list[Any]


def excess(row: Row) -> float:
    """Standard errors by which a row is false more often than it says."""
    level, runs, false = 1 - row[5], row[6], row[7]
    return (false / runs - level) / sqrt(level * (1 - level) / runs)


def load(file: Path) -> list[Row]:
    """The rows of a table."""
    return json.loads(file.read_text("utf-8"))["cells"] if file.exists() else []


def save(file: Path, rows: list[Row], columns: tuple[str, ...]) -> None:
    """One row a line."""
    lines = ",\n".join(json.dumps(row) for row in rows)
    file.write_text(f'{{"columns": {json.dumps(columns)}, "cells": [\n{lines}\n]}}\n', "utf-8")


def write_page(page: Path, measured: list[Row], enumerated: list[Row]) -> None:
    """Replace the rows between the markers: a line for each statement.

    Its worst cell is that with the largest share of what is allowed, among those that may be false
    in `EXPECTED` runs: less often, one false run more or less decides.
    """
    lines = [
        "| statement | simulated | false at worst | enumerated | false at worst |",
        "|---|---|---|---|---|",
    ]
    for name in sorted({row[0] for row in (*measured, *enumerated)}):
        simulated = [row for row in measured if row[0] == name]
        exact = [row for row in enumerated if row[0] == name]
        cells = [str(len(simulated)), "", str(len(exact)), ""]
        often = [row for row in simulated if row[6] * (1 - row[5]) >= EXPECTED]
        if often:
            worst = max(often, key=lambda row: row[7] / row[6] / (1 - row[5]))
            cells[1] = _percent(worst[7] / worst[6], 1 - worst[5])
        if exact:
            worst = max(exact, key=lambda row: row[6] / (1 - row[4]))
            cells[3] = _percent(worst[6], 1 - worst[4])
        lines.append(f"| {name} | {' | '.join(cells)} |")
    write_table(page, "statements", lines)


def _percent(found: float, level: float) -> str:
    return f"{100 * found:.3g} % of {100 * level:.4g} %"
