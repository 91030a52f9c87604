"""``dpviz audit``: read scores, compute the audit, print and write it."""

import os
import sys
from argparse import Namespace
from io import TextIOWrapper
from pathlib import Path

from dpviz import checks
from dpviz.cli.audited import audited, spec_of
from dpviz.cli.protocol import with_protocol
from dpviz.cli.text import text
from dpviz.replace_file import replace_file
from dpviz.reports.formats.registry import FORMATS, format_of
from dpviz.reports.make import report_of

STANDARD_OUTPUT = "-"
CONTRADICTED, NOT_AS_REGISTERED = 1, 4  # exit codes
WHAT_ARE_THE_RECORDS = (
    "the claim is about one record added or removed, and is converted for one that is replaced: "
    "--applies-to instance says that the records are of one model's training and hold-out data; if "
    "they are one canary in and out of independent trainings, give --applies-to mechanism"
)


def run(chosen: Namespace) -> int:
    """Print what the scores show; 1 if they contradict the claim, 4 if not as registered, else 0.

    Raises ValueError, OSError, ImportError if an option is out of range, the scores cannot be read,
    or the claim cannot be tested.
    """
    leaves_open = chosen.protocol is chosen.applies_to is chosen.neighbours is None
    chosen = with_protocol(chosen)
    spec = spec_of(chosen)
    if leaves_open and spec.claim.adjacency == "add_remove":
        sys.stderr.write(f"dpviz: note: {WHAT_ARE_THE_RECORDS}\n")
    formats = {path: format_of(Path(path).suffix, FORMATS) for path in chosen.report}
    if chosen.json is not None:
        formats[chosen.json] = FORMATS[".json"]
    for path in formats:
        for each in (*chosen.source, *(given.partition("=")[2] for given in chosen.compare)):
            _refuse_overwriting(path, each)
    made = audited(chosen, spec)
    if formats:
        report = report_of(made)
        for path, write in formats.items():
            _write(path, write(report))
    if chosen.json != STANDARD_OUTPUT:
        sys.stdout.write(text(made, full=chosen.full))
    if made.contradicted:
        return CONTRADICTED
    compared = made.result.answers.get("protocol")
    return NOT_AS_REGISTERED if compared is not None and compared.differences else 0


def _refuse_overwriting(path: str, source: str) -> None:
    if path == STANDARD_OUTPUT or not (os.path.exists(path) and os.path.exists(source)):
        return
    if os.path.samefile(path, source):
        raise checks.fail("path", "another file than the scores", path)


def _write(path: str, content: bytes) -> None:
    if path != STANDARD_OUTPUT:
        replace_file(path, content)
        return
    # JSON is UTF-8, whatever the encoding of the terminal.
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.stdout.write(content.decode())
