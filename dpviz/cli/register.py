"""``dpviz register``: write down what will be done, before the scores exist."""

import os
import sys
from argparse import ArgumentParser, Namespace

from dpviz import checks
from dpviz.analysis import Spec
from dpviz.audit.bounds.result import APPLIES_TO
from dpviz.claims.read import read_claim
from dpviz.claims.readers.text import FORMS
from dpviz.reports.receipt import METHODS, Receipt
from dpviz.theory.tradeoff import ADJACENCIES

ABOUT = """\
Write a receipt: claim, method, level and numbers of an audit that is planned,
with a hash that tells if they are changed later. A receipt has no date: give
its hash, before the scores exist, to those who are to believe it.
"""
EXAMPLES = """\
examples:
  dpviz register --claim 1,1e-5 --attack "loss threshold" --n 500 -o plan.json
  dpviz audit losses.csv --protocol plan.json
"""


def add_options(command: ArgumentParser) -> None:
    """Options, and the function that the command calls."""
    default = Spec()
    command.set_defaults(run=run)
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


def run(chosen: Namespace) -> int:
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
