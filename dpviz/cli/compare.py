"""``dpviz compare``: what changed between two audits."""

import sys
from argparse import Namespace
from textwrap import fill

from dpviz.analysis.sentences.registered import Table
from dpviz.reports.compare import compare_reports
from dpviz.reports.write import report

WIDTH = 80  # columns of a terminal


def run(chosen: Namespace) -> int:
    """Print what changed.

    Raises ValueError, OSError if a file is no audit, or cannot be read or written.
    """
    found = compare_reports(chosen.first, chosen.second, records=chosen.records)
    for path in chosen.report:
        report(found, path)
    parts = ["\n".join(fill(text, WIDTH) for text in (found.headline, *found.said))]
    parts += [_table(table) for table in (found.numbers, found.settings) if table.rows]
    sys.stdout.write("\n\n".join(parts) + "\n")
    return 0


def _table(table: Table) -> str:
    """One entry a row: the number of both audits, and below it what is known of the difference."""
    lines = [table.caption]
    for name, first, second, *more in table.rows:
        colon = "" if name.endswith("?") else ":"
        lines.append(_wrapped(f"{name}{colon} {first} -> {second}", 2))
        lines += [_wrapped(text, 6) for text in more if text]
    return "\n".join(lines)


def _wrapped(text: str, columns: int) -> str:
    start = " " * columns
    return fill(
        text,
        WIDTH,
        initial_indent=start,
        subsequent_indent=f"{start}  ",
        break_on_hyphens=False,
    )
