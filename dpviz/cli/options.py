"""Options of the commands, and what ``--help`` says."""

from argparse import ArgumentParser, RawDescriptionHelpFormatter, _SubParsersAction
from functools import partial
from importlib.metadata import version
from typing import Any, NoReturn

from dpviz.analysis import NAMINGS, Spec
from dpviz.audit.bounds.result import APPLIES_TO
from dpviz.audit.scores.base import SCORE_KINDS
from dpviz.claims.readers.plain import FORMS, built_from_numbers, parameters_of
from dpviz.cli import audit
from dpviz.cli import commands as certify
from dpviz.cli import commands as compare
from dpviz.cli import commands as facts
from dpviz.cli import commands as formats
from dpviz.cli import commands as register
from dpviz.data.sources.options import MISSING_CHOICES
from dpviz.reports import ABOUT as STATABLE
from dpviz.reports.compare import RECORDS
from dpviz.reports.formats import COMPARISONS, FORMATS
from dpviz.theory.tradeoff import ADJACENCIES

ABOUT_AUDIT = """\
Say what the explorer says about attack scores, in sentences and numbers: one
score or loss per record, and whether the record was in the training set.
Estimates are called so; only the lower bound is a bound.
"""

CLAIMS = """\
claims:
  1.0,1e-5            epsilon 1 and delta 1e-5
  gaussian_dp:mu=1.2  a guarantee by its name, with its numbers and if need be
                      adjacency=add_remove
  report.json         the claim of a report or a state that dpviz wrote
names and numbers:
"""

ABOUT_OTHERS = """\
The answer and the exit code are about SCORES. The bound of the best of all
attacks stands below the answer, at a confidence that pays for the choice.
"""

EXAMPLES_OF_AUDIT = """\
examples:
  dpviz audit losses.csv
  dpviz audit losses.parquet --delta 1e-5 --claim 1.0,1e-5 --prior 0.01
  dpviz audit scores.csv --score confidence --kind score --member in_train
  dpviz audit losses.csv --claim 8,1e-5 --json audit.json || exit 1
  dpviz audit losses.csv --claim 1.0,1e-5 --report report.html
  dpviz audit losses.csv --json - | jq .epsilon.lower_bound.value
  dpviz audit train.npy test.npy --claim 1.0,1e-5
  dpviz audit losses.csv --compare LiRA=lira.csv --records same
"""


def claims_and_examples() -> str:
    """Return what stands below the options: how a claim is written, and examples."""
    guarantees = "\n".join(
        f"  {key:<20}{', '.join(parameters_of(make))}" for key, make in built_from_numbers().items()
    )
    return f"{CLAIMS}{guarantees}\n\n{EXAMPLES_OF_AUDIT}"


def add_audit_options(command: ArgumentParser) -> None:
    """Give the command its options."""
    default = Spec()
    command.add_argument(
        "source",
        metavar="SCORES",
        nargs="+",
        help="a file or a folder, see dpviz formats; or two files, the first of members, the "
        "second of non-members",
    )
    asked = command.add_argument_group("question")
    asked.add_argument("--claim", metavar="CLAIM", help=f"{FORMS}, or a file: see below")
    asked.add_argument(
        "--delta",
        type=float,
        help=f"delta of the lower bound and of Epsilon*, in [0, 1]; left out: that of the claim, "
        f"else {default.delta:g}",
    )
    asked.add_argument(
        "--prior",
        type=float,
        default=default.prior,
        help="probability that a record is a member, in (0, 1), for the precision of flagged "
        "records (PPV); default %(default)s",
    )
    asked.add_argument(
        "--fpr",
        type=float,
        default=default.fpr,
        help="share of non-members the attack may flag, in [0, 1]; left out: that of the strongest "
        "evidence against the claim",
    )
    asked.add_argument(
        "--confidence-level",
        metavar="LEVEL",
        type=float,
        help=f"of the bound and of every interval, in (0, 1); default {default.confidence_level:g}",
    )
    asked.add_argument(
        "--applies-to",
        choices=APPLIES_TO,
        help="what the records are: train and hold-out losses of one model (instance), or one "
        f"canary in and out of independent trainings (mechanism); default {default.applies_to}",
    )
    asked.add_argument(
        "--neighbours",
        choices=ADJACENCIES,
        help="what the compared data sets differ in: one record more or less (add_remove), or a "
        "record that is replaced (replace_one), for which a claim for add_remove is converted; "
        "left out: replace_one for an instance, what the claim says for a mechanism",
    )
    asked.add_argument(
        "--naming",
        metavar="NAMING",
        choices=NAMINGS,
        default=default.naming,
        help="names of the two errors in every text: statistics (α and β), or a source; "
        f"one of {', '.join(NAMINGS)}; default %(default)s",
    )
    asked.add_argument(
        "--facts",
        metavar="PATH",
        help="a TOML or YAML file with answers to the validity checklist; see dpviz facts",
    )
    asked.add_argument(
        "--protocol",
        metavar="PATH",
        help="a receipt of dpviz register: options that are left out are as planned there, and "
        "what was done otherwise is listed",
    )
    _add_reading(command)
    _add_compared(command)
    written = command.add_argument_group("what is written")
    written.add_argument(
        "--full", action="store_true", help="all sentences and numbers, below the answer"
    )
    written.add_argument(
        "--json",
        metavar="PATH",
        help='also write everything as JSON, schema "dpviz/audit/2"; "-" is standard output, and '
        "then nothing else is printed there; equal input gives equal bytes where SOURCE_DATE_EPOCH "
        "is set",
    )
    written.add_argument(
        "--report",
        metavar="PATH",
        action="append",
        default=[],
        help=f"also write a report, with page one for people; the ending of the name chooses the "
        f"format: {', '.join(FORMATS)}; may be given several times",
    )
    written.add_argument(
        "--about",
        metavar="PATH",
        help="a TOML or YAML file with what only people know, for the report: "
        f"tables {', '.join(STATABLE)}; see dpviz.reports.ABOUT",
    )


def _add_reading(command: ArgumentParser) -> None:
    reading = command.add_argument_group("how the file is read")
    reading.add_argument("--score", metavar="COLUMN", help="column of the scores or losses")
    reading.add_argument("--member", metavar="COLUMN", help="column of the membership")
    reading.add_argument(
        "--kind", choices=SCORE_KINDS, help="a low loss, or a high score, means member"
    )
    reading.add_argument(
        "--swap", action="store_true", help="exchange members and non-members after reading"
    )
    reading.add_argument(
        "--as-is",
        action="store_true",
        help="test a claim although the scores look reversed",
    )
    reading.add_argument(
        "--missing",
        choices=MISSING_CHOICES,
        default="refuse",
        help="what to do with rows that lack a value; default %(default)s",
    )
    reading.add_argument("--group", metavar="COLUMN", help="column of labels")
    reading.add_argument(
        "--memory-limit",
        metavar="BYTES",
        type=int,
        help="what reading may take; a file that would take more is streamed; left out: a quarter "
        "of the free memory",
    )


def _add_compared(command: ArgumentParser) -> None:
    others = command.add_argument_group(
        "other attacks on the same model",
        ABOUT_OTHERS,
    )
    others.add_argument(
        "--compare",
        metavar="NAME=PATH",
        action="append",
        default=[],
        help="a name and the file with its scores, whose membership is read as that of SCORES; "
        "may be given several times",
    )
    for option, value in (("--score-of", "COLUMN"), ("--kind-of", "KIND")):
        others.add_argument(
            option,
            metavar=f"NAME={value}",
            action="append",
            default=[],
            help=f"{option.removesuffix('-of')} of that file",
        )
    others.add_argument(
        "--records",
        choices=RECORDS,
        help="whether all attacks scored the same records in the same order, or others; left out: "
        "the same in columns of one file, else nothing is assumed",
    )


# Options of the commands, and what ``--help`` says.

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
        description=ABOUT_AUDIT,
        epilog=f"{claims_and_examples()}\n{EXIT_CODES}",
        **STYLE,
    )
    audited.set_defaults(run=audit.run)
    add_audit_options(audited)
    _add_compare(commands)
    _add_certify(commands)
    listed = commands.add_parser(
        "formats",
        help="list what can be read",
        description="List the files and fields that can be read.",
        **STYLE,
    )
    listed.set_defaults(run=formats.print_formats)
    register.add_register_options(
        commands.add_parser(
            "register",
            help="write down what will be tested, before the scores exist",
            description=register.ABOUT_REGISTER,
            epilog=register.EXAMPLES_OF_REGISTER,
            **STYLE,
        )
    )
    checklist = commands.add_parser(
        "facts",
        help="print the validity checklist, to be answered",
        description=ABOUT_FACTS,
        **STYLE,
    )
    checklist.set_defaults(run=facts.print_facts)
    return top


def _add_certify(commands: "_SubParsersAction[Parser]") -> None:
    command = commands.add_parser(
        "certify",
        help="say what a published number proves of epsilon",
        description=ABOUT_CERTIFY,
        epilog=EXAMPLES_OF_CERTIFY,
        **STYLE,
    )
    command.set_defaults(run=certify.certify_number)
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
    command.set_defaults(run=compare.compare)
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
