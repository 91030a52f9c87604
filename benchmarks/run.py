"""Run all benchmarks and write their rows as one table into `benchmarks/README.md`.

Run with what they compare with, and Chromium, installed (``make bench``)::

    python -m benchmarks.run                  # all, some twenty minutes on an idle machine
    QUICK=1 python -m benchmarks.run          # small sizes, without servers; the table is printed
    python -m benchmarks.run theory bounds    # some, only printed
"""

import importlib
import os
import platform
import re
import sys
from pathlib import Path

from benchmarks.harness import HEAD, QUICK

README = Path(__file__).parent / "README.md"
MARKED = re.compile(r"(<!-- results -->\n).*(<!-- /results -->)", re.DOTALL)
BENCHMARKS = (
    *("load", "theory", "bounds", "epsilon_star", "audit", "fleet", "views", "data"),
    *("rows", "reports"),
)
SERVERS = ("data_dask", "slider", "face", "embed")


def main(names: list[str]) -> None:
    """Print each row when it is measured; all of them go into the README."""
    load = os.getloadavg()[0]
    chosen = names or [*BENCHMARKS, *(() if QUICK else SERVERS)]
    lines = HEAD.splitlines()
    print(HEAD)
    for name in chosen:
        for row in importlib.import_module(f"benchmarks.{name}").rows():
            lines.append(str(row))
            print(row, flush=True)
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}, load {load:.1f} before"
    lines += ["", f"{machine} and {os.getloadavg()[0]:.1f} after."]
    if not names and not QUICK:
        text = "\n".join(lines)
        README.write_text(
            MARKED.sub(lambda found: f"{found[1]}{text}\n{found[2]}", README.read_text())
        )


if __name__ == "__main__":
    main(sys.argv[1:])
