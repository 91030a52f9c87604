"""Options of the commands, and what ``--help`` says."""

from argparse import ArgumentParser, RawDescriptionHelpFormatter, _SubParsersAction
from functools import partial
from importlib.metadata import version
from typing import Any, NoReturn

from dpviz.cli import audit, audit_options, certify, compare, facts, formats, register
from dpviz.reports.compare import RECORDS
from dpviz.reports.formats.registry import COMPARISONS

STYLE: dict[str, Any] = {
    "formatter_class": partial(RawDescriptionHelpFormatter, max_help_position=28, width=80),
    "allow_abbrev": False,
}
EXIT_CODES = """\
exit codes:
  0    no claim was given, or the records do not contradict it
       (that does not confirm it)
  1    the records contradict the claim
  2    bad input: an option, a file, a claim that cannot be tested, or scores
       that look reversed; one line on standard error says what
  3    dpviz itself failed, which is no answer
  4    the records do not contradict the claim, but something was done
       otherwise than --protocol says
  130  interrupted
"""
ABOUT = """\
Differential privacy as a hypothesis test, without a notebook.
"""
EXAMPLES = """\
examples:
  dpviz audit losses.parquet --claim 1.0,1e-5
  dpviz audit --help
  dpviz certify --auc 0.60 --members 1000 --nonmembers 1000
  dpviz facts > facts.toml
  dpviz register --help
  dpviz formats
"""
ABOUT_FACTS = """\
Print the validity checklist as a TOML file to fill in, for dpviz audit --facts.
It states what only people know: where records are from, what was fixed before.
"""
ABOUT_COMPARE = """\
Say what changed between two audits that were written as JSON, and whether the
difference is more than chance.
"""


ABOUT_CERTIFY = """\
A lower bound on epsilon from one published number of an attack and the numbers
of records, without any scores. The number is read as it is printed: 0.60 stands
for all numbers from 0.595 to 0.605, and what proves least is used.
"""
EXAMPLES_OF_CERTIFY = """\
examples:
  dpviz certify --auc 0.60 --members 1000 --nonmembers 1000
  dpviz certify --tpr 4.2% --fpr 0.1% --members 9000 --nonmembers 9000
  dpviz certify --precision 0.95 --k 100 --members 5000 --nonmembers 5000
"""


class Parser(ArgumentParser):
    """Its errors are those of bad input, without the usage."""

    def error(self, message: str) -> NoReturn:
        """Raise ValueError."""
        raise ValueError(f"{message}; see {self.prog} --help")


def parser() -> ArgumentParser:
    """Of all commands; `run` of what it gives does the work."""
    top = Parser(prog="dpviz", description=ABOUT, epilog=f"{EXAMPLES}\n{EXIT_CODES}", **STYLE)
    top.add_argument("--version", action="version", version=f"dpviz {version('dpviz')}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    audited = commands.add_parser(
        "audit",
        help="say what attack scores show of a claim",
        description=audit_options.ABOUT,
        epilog=f"{audit_options.claims_and_examples()}\n{EXIT_CODES}",
        **STYLE,
    )
    audited.set_defaults(run=audit.run)
    audit_options.add_options(audited)
    _add_compare(commands)
    _add_certify(commands)
    listed = commands.add_parser(
        "formats",
        help="list what can be read",
        description="List the files and fields that can be read.",
        **STYLE,
    )
    listed.set_defaults(run=formats.run)
    register.add_options(
        commands.add_parser(
            "register",
            help="write down what will be tested, before the scores exist",
            description=register.ABOUT,
            epilog=register.EXAMPLES,
            **STYLE,
        )
    )
    checklist = commands.add_parser(
        "facts",
        help="print the validity checklist, to be answered",
        description=ABOUT_FACTS,
        **STYLE,
    )
    checklist.set_defaults(run=facts.run)
    return top


def _add_certify(commands: "_SubParsersAction[Parser]") -> None:
    command = commands.add_parser(
        "certify",
        help="say what a published number proves of epsilon",
        description=ABOUT_CERTIFY,
        epilog=EXAMPLES_OF_CERTIFY,
        **STYLE,
    )
    command.set_defaults(run=certify.run)
    number = command.add_argument_group("the number, one of them, as it is printed")
    for name, meaning in (
        ("auc", "area under the ROC curve"),
        ("advantage", "largest TPR - FPR"),
        ("accuracy", "share of right guesses among all records"),
        ("tpr", "true positive rate, with --fpr"),
        ("fpr", "false positive rate, with --tpr"),
        ("precision", "share of members among the first K records, with --k"),
    ):
        number.add_argument(f"--{name}", metavar="NUMBER", help=meaning)
    number.add_argument("--k", metavar="K", type=int, help="records with the highest scores")
    sizes = command.add_argument_group("the records it was computed from")
    for name in ("members", "nonmembers"):
        sizes.add_argument(f"--{name}", metavar="COUNT", type=int, required=True)
    sizes.add_argument(
        "--ties",
        choices=("half", "none"),
        default="half",
        help="whether an AUC may have counted equal scores one half; default %(default)s",
    )
    asked = command.add_argument_group("question")
    asked.add_argument("--delta", type=float, default=0.0, help="in [0, 1]; default %(default)s")
    asked.add_argument(
        "--confidence-level",
        metavar="LEVEL",
        type=float,
        default=0.95,
        help="of the bound, in (0, 1); default %(default)s",
    )


def _add_compare(commands: "_SubParsersAction[Parser]") -> None:
    command = commands.add_parser(
        "compare",
        help="say what changed between two audits",
        description=ABOUT_COMPARE,
        **STYLE,
    )
    command.set_defaults(run=compare.run)
    for name in ("first", "second"):
        command.add_argument(name, metavar=name.upper(), help="JSON of dpviz audit")
    command.add_argument(
        "--records",
        choices=RECORDS,
        help="whether both scored the same records, or others drawn independently; left out: "
        "nothing is assumed, so that differences have to be larger",
    )
    command.add_argument(
        "--report",
        metavar="PATH",
        action="append",
        default=[],
        help=f"also write the comparison: {', '.join(COMPARISONS)}",
    )
