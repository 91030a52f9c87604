"""``dpviz formats``: what is read."""

import sys
from argparse import Namespace
from textwrap import fill

from dpviz.data.conventions.registry import conventions
from dpviz.data.formats.all_sources import formats

WIDTH = 79  # columns of a terminal, less one


def run(_chosen: Namespace) -> int:
    """Print files, objects of Python, and names of fields that are recognised."""
    files = [(each.name, " ".join(each.suffixes)) for each in formats() if each.suffixes]
    objects = [(each.name, "") for each in formats() if not each.suffixes]
    fields = [(each.name, each.keys) for each in conventions()]
    parts = [
        _listed("Files and the endings of their names", files),
        _listed("Other sources, for dpviz.read_scores", objects),
        _listed("Fields by which files and objects of other tools are recognised", fields),
    ]
    sys.stdout.write("\n".join(parts))
    return 0


def _listed(title: str, rows: list[tuple[str, str]]) -> str:
    lines = [f"{title}:"]
    for name, more in rows:
        lines.append(_wrapped(name, 2))
        if more:
            lines.append(_wrapped(more, 6))
    return "\n".join(lines) + "\n"


def _wrapped(text: str, indent: int) -> str:
    return fill(
        text,
        WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + 2),
        break_long_words=False,
        break_on_hyphens=False,
    )
