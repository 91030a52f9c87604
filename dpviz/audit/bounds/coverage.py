"""How often each bound exceeded the truth when the truth was known: a measured table.

`benchmarks/coverage.py` makes it: records drawn from laws whose epsilon is known, thousands of
times, at confidence 0.95. The cells of "rank" were judged with critical values that all data sets
of a size share; `lower_bound` simulates anew for each, and is false a little less often.
"""

import json
from dataclasses import dataclass
from functools import cache
from math import inf
from pathlib import Path

from dpviz.audit.intervals import clopper_pearson

TABLE = Path(__file__).with_name("coverage.json")
LEVEL = 0.95


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One method on one law.

    Parameters
    ----------
    law : str
        Of members and non-members, by the names of the benchmark.
    n : int
        Records of each class.
    delta : float
    method : str
        A key of `BOUNDS`.
    truth : float
        The law's epsilon at delta, in the attack's direction; may be inf.
    runs, false : int
        Data sets drawn, and those whose bound exceeded the truth.
    median, mean : float
        Of the bounds.
    """

    law: str
    n: int
    delta: float
    method: str
    truth: float
    runs: int
    false: int
    median: float
    mean: float

    @property
    def false_rate(self) -> float:
        """Share of false bounds; a right method stays at or below 0.05 but for chance."""
        return self.false / self.runs

    @property
    def interval(self) -> tuple[float, float]:
        """Exact 95 % confidence limits of the rate."""
        low, high = clopper_pearson(self.false, self.runs, confidence_level=0.95)
        return low, high


@cache
def measured_coverage() -> tuple[Cell, ...]:
    """All cells of the table, in the order of the benchmark."""
    table = json.loads(TABLE.read_text())
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["cells"]]
    # JSON has no infinity.
    return tuple(
        Cell(**{**row, "truth": inf if row["truth"] is None else row["truth"]}) for row in rows
    )


def worst_cell(method: str) -> Cell:
    """The cell in which a method was false most often.

    Raises
    ------
    KeyError
        If the table does not know the method.
    """
    cells = [cell for cell in measured_coverage() if cell.method == method]
    if not cells:
        raise KeyError(f"no measured coverage of method {method!r}")
    return max(cells, key=lambda cell: cell.false_rate)
