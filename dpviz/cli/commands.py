"""The commands ``dpviz compare``, ``certify``, ``formats``, ``register`` and ``facts``."""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from functools import partial
from textwrap import TextWrapper, fill
from typing import Any

from dpviz import checks
from dpviz.analysis import Spec
from dpviz.analysis.facts.answers import empty_facts_toml
from dpviz.analysis.topic import Table
from dpviz.analysis.topics.certificate import assumptions_sentence, certificate_sentence
from dpviz.audit.bounds.certify import certify
from dpviz.audit.bounds.result import APPLIES_TO, SAMPLINGS
from dpviz.claims.read import read_claim
from dpviz.claims.readers.plain import TEXT_FORMS
from dpviz.cli.text import WIDTH
from dpviz.data.conventions import conventions
from dpviz.data.read import formats
from dpviz.reports.compare import RECORDS, compare_reports
from dpviz.reports.formats import COMPARISONS
from dpviz.reports.receipt import METHODS, Receipt
from dpviz.reports.write import report
from dpviz.theory.tradeoff import ADJACENCIES

NewCommand = Callable[..., ArgumentParser]
CHANGED = 1  # exit code of a comparison
ABOUT_FACTS = """\
Print the validity checklist as a TOML file to fill in, for dpviz audit --facts.
Its questions are about facts that scores do not show.
"""
ABOUT_COMPARE = """\
List the differences between two JSON reports, and whether each number differs
by more than chance.
"""
EXIT_CODES_OF_COMPARE = """\
exit codes:
  0    nothing changed: numbers differ by no more than chance
  1    the answer, a setting or the provenance differs, or a number differs by
       more than chance; --ignore-provenance leaves out the provenance
  2    bad input
"""
ABOUT_CERTIFY = """\
Compute a lower bound on epsilon from one published number of an attack and the
numbers of records, without scores. A printed number stands for all numbers that
round to it, 0.60 for 0.595 to 0.605; the bound holds for each of these.
"""
EXAMPLES_OF_CERTIFY = """\
examples:
  dpviz certify --auc 0.60 --members 1000 --nonmembers 1000
  dpviz certify --tpr 4.2% --fpr 0.1% --members 9000 --nonmembers 9000
  dpviz certify --precision 0.95 --k 100 --members 5000 --nonmembers 5000
"""
ABOUT_REGISTER = """\
Write a receipt of a planned audit: claim, method, confidence level, numbers of
records, and a hash that shows if the receipt is changed later. A receipt has no
date: give its hash to the readers of the audit before the scores exist.
"""
EXAMPLES_OF_REGISTER = """\
examples:
  dpviz register --claim 1,1e-5 --attack "loss threshold" --n 500 -o plan.json
  dpviz audit losses.csv --protocol plan.json
"""


def add_compare(new_command: NewCommand) -> None:
    """Call `new_command` to create the parser of ``dpviz compare``, and add its options."""
    summary = "list the differences between two audits"
    command = new_command(
        "compare", run_compare, summary, ABOUT_COMPARE, epilog=EXIT_CODES_OF_COMPARE
    )
    for name in ("first", "second"):
        command.add_argument(name, metavar=name.upper(), help="a file of dpviz audit --json")
    meaning = (
        "whether both audits have the same records, or records drawn independently; default no "
        "assumption, which gives wider intervals"
    )
    command.add_argument("--records", choices=RECORDS, help=meaning)
    meaning = (
        "do not count differences in files, hashes, numbers of records, version of dpviz and "
        "statements of people"
    )
    command.add_argument("--ignore-provenance", action="store_true", help=meaning)
    meaning = f"also write the comparison to a file: {', '.join(COMPARISONS)}"
    command.add_argument("--report", metavar="PATH", action="append", default=[], help=meaning)


def run_compare(chosen: Namespace) -> int:
    """Print the differences between two audits, and write them to files; return 1 if any exist."""
    comparison = compare_reports(chosen.first, chosen.second, records=chosen.records)
    for path in chosen.report:
        report(comparison, path)
    parts = ["\n".join(fill(text, WIDTH) for text in (comparison.headline, *comparison.said))]
    parts += [_table_text(t) for t in (comparison.numbers, comparison.settings) if t.rows]
    changed = comparison.changed
    changed += () if chosen.ignore_provenance else comparison.provenance
    parts.append(fill(f"Changed: {', '.join(changed) or 'nothing'}.", WIDTH))
    sys.stdout.write("\n\n".join(parts) + "\n")
    return CHANGED if changed else 0


def _table_text(table: Table) -> str:
    lines = [table.caption]
    for name, first, second, *more in table.rows:
        colon = "" if name.endswith("?") else ":"
        lines.append(_wrapped_text(f"{name}{colon} {first} -> {second}", 2))
        lines += [_wrapped_text(text, 6) for text in more if text]
    return "\n".join(lines)


def _wrapped_text(text: str, indent: int, width: int = WIDTH, *, break_words: bool = True) -> str:
    first, rest = " " * indent, " " * (indent + 2)
    wrap = TextWrapper(width, first, rest, break_long_words=break_words, break_on_hyphens=False)
    return wrap.fill(text)


def add_certify(new_command: NewCommand) -> None:
    """Call `new_command` to create the parser of ``dpviz certify``, and add its options."""
    summary = "bound epsilon with a published number"
    more = {"epilog": EXAMPLES_OF_CERTIFY}
    command = new_command("certify", run_certify, summary, ABOUT_CERTIFY, **more)
    # Numbers stay texts, whose printed digits say how precise they are.
    number = command.add_argument_group("one published number, with all its digits")
    for name, meaning in (
        ("auc", "area under the ROC curve"),
        ("advantage", "largest TPR - FPR"),
        ("accuracy", "share of right guesses among all records"),
        ("tpr", "true positive rate of a threshold, with --fpr"),
        ("fpr", "false positive rate, with --tpr"),
        (
            "precision",
            "share of members among the K highest scores, with --k; the order of equal scores must "
            "not depend on membership",
        ),
    ):
        number.add_argument(f"--{name}", metavar="NUMBER", help=meaning)
    meaning = "the TPR may be interpolated between thresholds, as on the convex hull of the ROC"
    number.add_argument("--interpolated", action="store_true", help=meaning)
    number.add_argument("--k", metavar="K", type=int, help="number of the highest scores")
    sizes = command.add_argument_group("the records behind this number")
    for name in ("members", "nonmembers"):
        sizes.add_argument(f"--{name}", metavar="COUNT", type=int, required=True)
    meaning = "whether the AUC may count equal scores one half; default %(default)s"
    sizes.add_argument("--ties", choices=("half", "none"), default="half", help=meaning)
    ask = partial(command.add_argument_group("question").add_argument, type=float)
    ask("--delta", default=0.0, help="delta of the bound, in [0, 1]; default %(default)s")
    meaning = "confidence of the bound, in [0.5, 1); default %(default)s"
    ask("--confidence-level", metavar="LEVEL", default=0.95, help=meaning)


def run_certify(chosen: Namespace) -> int:
    """Print the bound that a published number certifies, and its conditions; return exit code 0."""
    numbers = ("auc", "advantage", "accuracy", "tpr", "fpr", "precision", "k")
    options = (*numbers, "interpolated", "delta", "confidence_level", "ties")
    given = {name: getattr(chosen, name) for name in options}
    bound = certify(n_members=chosen.members, n_nonmembers=chosen.nonmembers, **given)
    sys.stdout.write(f"{certificate_sentence(bound)}\n{assumptions_sentence(bound)}\n")
    return 0


def add_formats(new_command: NewCommand) -> None:
    """Call `new_command` to create the parser of ``dpviz formats``, which has no options."""
    about = "List the files and fields that can be read."
    new_command("formats", print_formats, "list the files that can be read", about)


def print_formats(_chosen: Namespace) -> int:
    """Print the file formats, Python objects and field names that dpviz can read; return 0."""
    files = [(each.name, " ".join(each.suffixes)) for each in formats() if each.suffixes]
    objects = [(each.name, "") for each in formats() if not each.suffixes]
    fields = [(each.name, each.keys) for each in conventions()]
    parts = [
        _list_text("Files and the endings of their names", files),
        _list_text("Other sources, for dpviz.read_scores", objects),
        _list_text("Fields by which files and objects of other tools are recognised", fields),
    ]
    sys.stdout.write("\n".join(parts))
    return 0


def _list_text(title: str, rows: list[tuple[str, str]]) -> str:
    lines = [f"{title}:"]
    for name, more in rows:
        lines.append(_wrapped_text(name, 2, WIDTH - 1, break_words=False))
        if more:
            lines.append(_wrapped_text(more, 6, WIDTH - 1, break_words=False))
    return "\n".join(lines) + "\n"


def add_register(new_command: NewCommand) -> None:
    """Call `new_command` to create the parser of ``dpviz register``, and add its options."""
    summary = "register a planned audit before the scores exist"
    more = {"epilog": EXAMPLES_OF_REGISTER}
    add = new_command("register", register_audit_plan, summary, ABOUT_REGISTER, **more).add_argument
    default = Spec()
    add("--claim", metavar="CLAIM", required=True, help=f"{TEXT_FORMS}, or a file")
    add("--attack", required=True, help="the attack, in words")
    add("--n", type=int, required=True, help="planned number of members")
    add("--n-nonmembers", type=int, metavar="N", help="planned number of non-members; default --n")
    meaning = "method of the bound or test; default that of dpviz audit for such a claim"
    add("--method", choices=METHODS, metavar="METHOD", help=meaning)
    add("--delta", type=float, help="delta of the lower bound; default the claim's")
    level: dict[str, Any] = {"metavar": "LEVEL", "default": default.confidence_level}
    add("--confidence-level", type=float, help="level in [0.5, 1); default %(default)s", **level)
    add("--applies-to", choices=APPLIES_TO, help="see dpviz audit --help")
    add("--sampling", choices=SAMPLINGS, metavar="HOW", help="see dpviz audit --help")
    add("--neighbours", choices=ADJACENCIES, help="see dpviz audit --help")
    add("-o", "--output", metavar="PATH", help="a new file; default standard output")


def register_audit_plan(chosen: Namespace) -> int:
    """Print the receipt of a planned audit, or write it to the file --output and print its hash."""
    names = ("attack", "delta", "confidence_level", "applies_to", "sampling", "neighbours")
    receipt = Receipt(
        claim=read_claim(chosen.claim).guarantee,
        n_members=chosen.n,
        n_nonmembers=chosen.n if chosen.n_nonmembers is None else chosen.n_nonmembers,
        method=chosen.method or "",
        **{name: getattr(chosen, name) for name in names},
    )
    # Without a file, standard output has the receipt, whose text contains the hash.
    if chosen.output is None:
        sys.stdout.write(receipt.text())
        return 0
    # A receipt is never replaced, for its hash may already be known to others.
    if os.path.exists(chosen.output):
        raise checks.fail("output", "a file that does not exist yet", chosen.output)
    with open(chosen.output, "x", encoding="utf-8") as file:
        file.write(receipt.text())
    sys.stdout.write(f"SHA-256 of the protocol: {receipt.sha256}\n")
    return 0


def add_facts(new_command: NewCommand) -> None:
    """Call `new_command` to create the parser of ``dpviz facts``, which has no options."""
    summary = "print the validity checklist to fill in"
    new_command("facts", print_empty_checklist, summary, ABOUT_FACTS)


def print_empty_checklist(_chosen: Namespace) -> int:
    """Print the validity checklist as a TOML file to be filled in; return 0."""
    sys.stdout.write(empty_facts_toml())
    return 0
