"""Options of ``dpviz audit``, and what its ``--help`` says."""

from argparse import ArgumentParser

from dpviz.analysis import NAMINGS, Spec
from dpviz.audit.bounds.result import APPLIES_TO
from dpviz.audit.scores.base import SCORE_KINDS
from dpviz.claims.readers.text import FORMS, named, parameters_of
from dpviz.data.sources.options import MISSING_CHOICES
from dpviz.reports import ABOUT as STATABLE
from dpviz.reports.compare import RECORDS
from dpviz.reports.formats.registry import FORMATS
from dpviz.theory.tradeoff import ADJACENCIES

ABOUT = """\
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
EXAMPLES = """\
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
        f"  {key:<20}{', '.join(parameters_of(make))}" for key, make in named().items()
    )
    return f"{CLAIMS}{guarantees}\n\n{EXAMPLES}"


def add_options(command: ArgumentParser) -> None:
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
