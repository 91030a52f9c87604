"""The commands beside `audit`: certify, compare, facts, formats and register."""

import os
import sys
from argparse import ArgumentParser, Namespace
from textwrap import fill

from dpviz import checks
from dpviz.analysis import Spec
from dpviz.analysis.facts.read_facts import template
from dpviz.analysis.topic import Table
from dpviz.analysis.topics.certificate import certificate, conditions
from dpviz.audit.bounds.certify import certify
from dpviz.audit.bounds.result import APPLIES_TO
from dpviz.claims.read import read_claim
from dpviz.claims.readers.plain import FORMS
from dpviz.data.conventions import conventions
from dpviz.data.read import formats
from dpviz.reports.compare import compare_reports
from dpviz.reports.receipt import METHODS, Receipt
from dpviz.reports.write import report
from dpviz.theory.tradeoff import ADJACENCIES


def certify_number(chosen: Namespace) -> int:
    """Print the bound; 0, since a number alone contradicts no claim.

    Raises ValueError if the number is impossible, or an option is out of range.
    """
    given = ("auc", "advantage", "accuracy", "tpr", "fpr", "precision", "k")
    found = certify(
        **{name: getattr(chosen, name) for name in given},
        n_members=chosen.members,
        n_nonmembers=chosen.nonmembers,
        delta=chosen.delta,
        confidence_level=chosen.confidence_level,
        ties=chosen.ties,
    )
    sys.stdout.write(f"{certificate(found)}\n{conditions(found)}\n")
    return 0


# ``dpviz compare``: what changed between two audits.

WIDTH = 80  # columns of a terminal


def compare(chosen: Namespace) -> int:
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
        lines.append(_indented(f"{name}{colon} {first} -> {second}", 2))
        lines += [_indented(text, 6) for text in more if text]
    return "\n".join(lines)


def _indented(text: str, columns: int) -> str:
    start = " " * columns
    return fill(
        text,
        WIDTH,
        initial_indent=start,
        subsequent_indent=f"{start}  ",
        break_on_hyphens=False,
    )


# ``dpviz facts``: the validity checklist, to be answered.


def print_facts(_chosen: Namespace) -> int:
    """Print an empty file of facts."""
    sys.stdout.write(template())
    return 0


# ``dpviz formats``: what is read.

NARROW = 79  # columns of a terminal, less one


def print_formats(_chosen: Namespace) -> int:
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
        NARROW,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + 2),
        break_long_words=False,
        break_on_hyphens=False,
    )


# ``dpviz register``: write down what will be done, before the scores exist.

ABOUT_REGISTER = """\
Write a receipt: claim, method, level and numbers of an audit that is planned,
with a hash that tells if they are changed later. A receipt has no date: give
its hash, before the scores exist, to those who are to believe it.
"""

EXAMPLES_OF_REGISTER = """\
examples:
  dpviz register --claim 1,1e-5 --attack "loss threshold" --n 500 -o plan.json
  dpviz audit losses.csv --protocol plan.json
"""


def add_register_options(command: ArgumentParser) -> None:
    """Options, and the function that the command calls."""
    default = Spec()
    command.set_defaults(run=register)
    command.add_argument("--claim", metavar="CLAIM", required=True, help=f"{FORMS}, or a file")
    command.add_argument("--attack", required=True, help="the attack, in words")
    command.add_argument("--n", type=int, required=True, help="planned number of members")
    command.add_argument(
        "--n-nonmembers", type=int, metavar="N", help="of non-members; left out: as many"
    )
    command.add_argument(
        "--method",
        choices=METHODS,
        metavar="METHOD",
        help="of the bound or test; left out: the one that dpviz audit uses for such a claim",
    )
    command.add_argument("--delta", type=float, help="of the lower bound; left out: the claim's")
    command.add_argument(
        "--confidence-level",
        type=float,
        metavar="LEVEL",
        default=default.confidence_level,
        help="default %(default)s",
    )
    command.add_argument(
        "--applies-to",
        choices=APPLIES_TO,
        default=default.applies_to,
        help="whose epsilon; default %(default)s",
    )
    command.add_argument("--neighbours", choices=ADJACENCIES, help="see dpviz audit --help")
    command.add_argument(
        "-o", "--output", metavar="PATH", help="a new file; left out: standard output"
    )


def register(chosen: Namespace) -> int:
    """Write a receipt; its hash is printed, to be given to others.

    Raises ValueError if an option leaves its range, or the file exists.
    """
    receipt = Receipt(
        claim=read_claim(chosen.claim).guarantee,
        attack=chosen.attack,
        n_members=chosen.n,
        n_nonmembers=chosen.n if chosen.n_nonmembers is None else chosen.n_nonmembers,
        method=chosen.method or "",
        delta=chosen.delta,
        confidence_level=chosen.confidence_level,
        applies_to=chosen.applies_to,
        neighbours=chosen.neighbours,
    )
    if chosen.output is None:
        sys.stdout.write(receipt.text())
        return 0
    if os.path.exists(chosen.output):
        raise checks.fail("output", "a file that is not there yet", chosen.output)
    with open(chosen.output, "x", encoding="utf-8") as file:
        file.write(receipt.text())
    sys.stdout.write(f"SHA-256 of the protocol: {receipt.sha256}\n")
    return 0
