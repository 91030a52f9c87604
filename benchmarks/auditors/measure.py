"""Check the lower bounds of published libraries, and write the page about them.

In an environment of its own, which `.ci/prove auditors` makes, with dpviz and the libraries::

    python -m benchmarks.auditors.measure                # what auditors.json lacks: hours
    python -m benchmarks.auditors.measure --only opake   # measures this method again
    python -m benchmarks.auditors.measure --page         # only writes file and page again

Every method is called on the same scores, so medians compare. A row of the file is a method in a
case: how many of how many bounds were false, how many calls raised or returned NaN. It is written
when it is measured.
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
from dpviz.testing import check_auditor
from dpviz.testing.auditors.cases import CASES
from dpviz.testing.auditors.result import CaseOutcome

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


def measured(method: Method, case: str) -> dict[str, Any]:
    """What the file says of a method in a case."""
    checked = check_auditor(
        method.auditor,
        takes=method.takes,
        cases=[case],
        n_runs=method.runs,
        n_compared=0,
        confidence_level=LEVEL,
        time_limit=TIME_LIMIT,
        rng=SEED,
    )
    return row_of(checked.outcomes[0])


def described(method: Method) -> dict[str, Any]:
    """What the file says of a method in all cases."""
    names = ("library", "name", "takes", "supposes", "states", "link")
    return {name: getattr(method, name) for name in names}


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
    texts = []
    for key in (key for key in METHODS if key in table["methods"]):
        told = table["methods"][key]
        head = {**described(METHODS[key]), "version": told["version"]}
        rows = sorted(told["cases"], key=lambda row: [*CASES].index(row["case"]))
        lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        begin = json.dumps(head, ensure_ascii=False).removesuffix("}")
        texts.append(f'{json.dumps(key)}: {begin}, "cases": [\n{lines}\n]}}')
    methods = ",\n".join(texts)
    FILE.write_text(
        f'{{"about": {json.dumps(table["about"])},\n"methods": {{\n{methods}\n}}}}\n', "utf-8"
    )


def add(key: str, row: dict[str, Any]) -> None:
    """Write a row into the file; another process may have written to it since."""
    table = load()
    version = installed(METHODS[key].library)
    told = table["methods"].setdefault(key, {"cases": []})
    is_same_version = told.get("version", version) == version
    kept = [x for x in told["cases"] if x["case"] != row["case"] and is_same_version]
    table["methods"][key] = {"version": version, "cases": [*kept, row]}
    save(table)


def main() -> None:
    """Measure, and write the file and the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[], choices=METHODS)
    parser.add_argument("--page", action="store_true")
    wanted = parser.parse_args()
    for key in [] if wanted.page else wanted.only or METHODS:
        method = METHODS[key]
        for case in method.cases if wanted.only else page.missing(key, load()):
            if installed(method.library):
                print(f"{key}: {case}", flush=True)
                add(key, measured(method, case))
    save(load())
    page.write(load())


if __name__ == "__main__":
    main()
