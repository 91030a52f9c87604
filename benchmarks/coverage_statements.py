"""Measure how often the audit's statements are false, where it is hardest for them.

Run with dpviz installed::

    python -m benchmarks.coverage_statements               # some 40 minutes of one core
    python -m benchmarks.coverage_statements --only Stream --minutes 8

`benchmarks.coverage` varies distributions and numbers of records of the lower bounds at confidence
0.95. Here deltas, confidence levels, class sizes and ties vary one at a time, and other statements
are asked, too: those that `benchmarks.statements` lists. Distributions are those that use up what a
guarantee allows. The rows are kept in `coverage_statements.json`; what is there is not run again,
so a run can be interrupted: delete rows whose statement has changed. At the end the table in
docs/appendix/coverage.md is written from it and from `coverage_enumerated.json`.
"""

import argparse
import time
from pathlib import Path

from benchmarks import coverage_enumerated
from benchmarks.coverage import PAGE
from benchmarks.statements import at_the_truth, bounds, intervals, tests_of_claims
from benchmarks.statements.statement import RUNS, Statement
from benchmarks.statements.table import Row, excess, load, save, write_page

FILE = Path(__file__).with_suffix(".json")
COLUMNS = ("statement", "law", "n", "m", "delta", "confidence", "runs", "false")


def all_statements() -> list[Statement]:
    """The quick ones first."""
    rooms = (intervals, at_the_truth, bounds, tests_of_claims)
    return [each for room in rooms for each in room.statements()]


def rows_of(statement: Statement, runs: int) -> list[Row]:
    """Measure it: one row for each confidence level."""
    at = statement.setting
    counts = zip(statement.levels, statement.false(runs), strict=True)
    head = [statement.name, at.law, at.n, at.m, at.delta]
    return [[*head, level, runs, false] for level, false in counts]


def main() -> None:
    """Fill the file, statement by statement."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--only", default="", help="beginning of the statements' names")
    arguments.add_argument("--minutes", type=float, default=1e9)
    arguments.add_argument("--runs", type=int, default=RUNS)
    arguments.add_argument("--file", type=Path, default=FILE)
    given = arguments.parse_args()
    end = time.monotonic() + 60 * given.minutes
    rows = load(given.file)
    known = {tuple(row[:6]) for row in rows}
    for statement in all_statements():
        at = statement.setting
        key = (statement.name, at.law, at.n, at.m, at.delta)
        is_known = all((*key, level) in known for level in statement.levels)
        if is_known or not statement.name.startswith(given.only) or time.monotonic() > end:
            continue
        begin = time.process_time()
        found = rows_of(statement, given.runs)
        rows += found
        save(given.file, rows, COLUMNS)
        seconds = time.process_time() - begin
        for row in found:
            print(*row, f"{excess(row):+.2f} standard errors, {seconds:.0f} s", flush=True)
    if given.file == FILE:
        write_page(PAGE, rows, load(coverage_enumerated.FILE))


if __name__ == "__main__":
    main()
