"""Measured coverage of the bounds: how often each method's bound exceeded the true epsilon.

`benchmarks/coverage.py` drew thousands of data sets from distributions with a known epsilon, and
computed their bounds at confidence 0.95. For the method "rank" it used the same critical values for
all data sets of one size. For "rank_exact" with more than 100 records of a class it interpolated
between exact bounds.
"""

import json
from dataclasses import dataclass
from functools import cache
from math import inf
from pathlib import Path

from dpviz.audit.roc.intervals import clopper_pearson
from dpviz.value_object import ValueObject

TABLE = Path(__file__).with_name("coverage.json")
TABLE_LEVEL = 0.95  # confidence level of the bounds in the table


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Cell(ValueObject):
    """A cell of the table of measured coverage.

    A cell counts how often the bounds of one method exceeded the true epsilon.

    Parameters
    ----------
    law : str, the distributions of members and non-members, as named in the benchmark
    n : int, records of each class
    delta : float
    method : str, a key of `BOUNDS`
    truth : float, the true epsilon at delta, in the attack's direction; may be inf
    runs, false : int, data sets drawn, and how many of their bounds exceeded `truth`
    median, mean : float, of the bounds

    Examples
    --------
    >>> from dpviz.audit.bounds import measured_coverage
    >>> measured_coverage()[0].false_rate
    0.046
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
        """The share of bounds that exceeded the true epsilon.

        For a valid method the expected share is at most 0.05.
        """
        return self.false / self.runs

    @property
    def interval(self) -> tuple[float, float]:
        """The Clopper-Pearson 95 % confidence interval of `false_rate`."""
        low, high = clopper_pearson(self.false, self.runs, confidence_level=0.95)
        return low, high


@cache
def measured_coverage() -> tuple[Cell, ...]:
    """Return all cells of the coverage table, in the order of the benchmark.

    Examples
    --------
    >>> from dpviz.audit.bounds import measured_coverage
    >>> len(measured_coverage()), sorted({cell.n for cell in measured_coverage()})
    (330, [100, 1000, 10000])
    """
    table = json.loads(TABLE.read_text())
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["cells"]]
    # JSON has no infinity.
    return tuple(
        Cell(**{**row, "truth": inf if row["truth"] is None else row["truth"]}) for row in rows
    )


def coverage_of_method(method: str) -> list[Cell]:
    """Return the coverage table's cells for `method`; KeyError if the table lacks this method."""
    cells = [cell for cell in measured_coverage() if cell.method == method]
    if not cells:
        listed = ", ".join(sorted({cell.method for cell in measured_coverage()}))
        raise KeyError(f"method must be one of {listed} in the coverage table, got {method!r}")
    return cells


def worst_cell(method: str) -> Cell:
    """Return the cell of the coverage table in which a method has the largest `false_rate`.

    Parameters
    ----------
    method : str, a key of `BOUNDS`

    Raises
    ------
    KeyError, if the method was not measured

    Examples
    --------
    >>> from dpviz.audit.bounds import worst_cell
    >>> worst_cell("e_process").false_rate
    0.009
    """
    return max(coverage_of_method(method), key=lambda cell: cell.false_rate)
