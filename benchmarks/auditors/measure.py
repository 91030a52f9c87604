"""Check the lower bounds of published libraries, and write the page about them.

In an environment of its own, which `.ci/prove auditors` makes, with dpviz and the libraries::

    python -m benchmarks.auditors.measure                # methods that auditors.json lacks: hours
    python -m benchmarks.auditors.measure --only opake   # measures this method again
    python -m benchmarks.auditors.measure --page         # only writes the page again

Every method is called on the same scores, so medians compare. A row of the file is a method in a
case: how many of how many bounds were false, and what were no bounds.
"""

import argparse
import json
import platform
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from benchmarks.auditors import page
from benchmarks.auditors.methods import METHODS, Method
from benchmarks.auditors.packages import installed
from dpviz.testing import CaseOutcome, check_auditor

FILE = Path(__file__).parent.with_suffix(".json")
LEVEL, SEED = 0.95, 0
FIRST = 100  # runs of which the median is written, if there are as many
TIME_LIMIT = 600.0  # seconds for one call
COUNTS = ("n_runs", "n_judged", "n_false", "n_raised", "n_nan", "n_negative", "n_infinite")


def row_of(outcome: CaseOutcome) -> dict[str, Any]:
    """What the file says of a case; the median is of the first runs, which all methods share."""
    first = outcome.bounds[:FIRST]
    first = np.maximum(first[~np.isnan(first)], 0.0)
    return {
        "case": outcome.name,
        **{name: getattr(outcome, name) for name in COUNTS},
        "median": round(float(np.median(first)), 4) if first.size else None,
        "message": outcome.message[:120],
    }


def measured(method: Method, runs: int | None = None) -> dict[str, Any]:
    """What the file says of a method."""
    checked = check_auditor(
        method.auditor,
        takes=method.takes,
        cases=method.cases,
        n_runs=runs or method.runs,
        n_compared=0,
        confidence_level=LEVEL,
        time_limit=TIME_LIMIT,
        rng=SEED,
    )
    return {
        "library": method.library,
        "version": installed(method.library),
        "method": method.name,
        "takes": method.takes,
        "supposes": method.supposes,
        "states": method.states,
        "link": method.link,
        "cases": [row_of(outcome) for outcome in checked.outcomes],
    }


def load() -> dict[str, Any]:
    """The file; without methods if there is none."""
    if FILE.exists():
        found: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
        return found
    return {"about": about(), "methods": {}}


def about() -> dict[str, Any]:
    """With what it was measured."""
    return {
        "confidence_level": LEVEL,
        "seed": SEED,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }


def save(table: dict[str, Any]) -> None:
    """Write the file, a line for each case."""
    lines = []
    for key in (key for key in METHODS if key in table["methods"]):
        told = dict(table["methods"][key])
        cases = ",\n".join(json.dumps(row, ensure_ascii=False) for row in told.pop("cases"))
        head = json.dumps(told, ensure_ascii=False).removesuffix("}")
        lines.append(f'{json.dumps(key)}: {head}, "cases": [\n{cases}\n]}}')
    methods = ",\n".join(lines)
    FILE.write_text(
        f'{{"about": {json.dumps(table["about"])},\n"methods": {{\n{methods}\n}}}}\n', "utf-8"
    )


def main() -> None:
    """Measure, and write the file and the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[], choices=METHODS)
    parser.add_argument("--page", action="store_true")
    wanted = parser.parse_args()
    table = load()
    missing = [key for key in METHODS if key not in table["methods"]]
    for key in [] if wanted.page else wanted.only or missing:
        if installed(METHODS[key].library):
            print(key, flush=True)
            found = measured(METHODS[key])
            table = load()  # again: another process may have written meanwhile
            table["methods"][key] = found
            save(table)
    page.write(load())


if __name__ == "__main__":
    main()
