"""``dpviz audit``: read scores, compute the audit, print it."""

import os
import sys
from argparse import Namespace
from io import TextIOWrapper

from dpviz import checks
from dpviz.cli.audited import audited, spec_of
from dpviz.cli.document import document
from dpviz.cli.report import report
from dpviz.replace_file import replace_file

STANDARD_OUTPUT = "-"


def run(chosen: Namespace) -> int:
    """Print what the scores show; 1 if they contradict the claim, else 0.

    Raises ValueError, OSError, ImportError if an option is out of range, the scores cannot be read,
    or the claim cannot be tested.
    """
    spec = spec_of(chosen)
    _refuse_overwriting(chosen)
    audit = audited(chosen, spec)
    if chosen.json is not None:
        _write(chosen.json, document(audit))
    if chosen.json != STANDARD_OUTPUT:
        sys.stdout.write(report(audit, full=chosen.full))
    return 1 if audit.contradicted else 0


def _refuse_overwriting(chosen: Namespace) -> None:
    if chosen.json in (None, STANDARD_OUTPUT) or not os.path.exists(chosen.json):
        return
    if os.path.exists(chosen.source) and os.path.samefile(chosen.json, chosen.source):
        raise checks.fail("json", "another file than the scores", chosen.json)


def _write(path: str, text: str) -> None:
    # JSON is UTF-8, whatever the encoding of the terminal.
    if path != STANDARD_OUTPUT:
        replace_file(path, text.encode("utf-8", errors="backslashreplace"))
        return
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.stdout.write(text)
