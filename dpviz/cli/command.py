"""The command ``dpviz``: its parser, and `main`, which turns arguments into an exit code."""

import os
import re
import sys
import traceback
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import partial
from importlib.metadata import version
from io import TextIOWrapper
from typing import Any, NoReturn

from dpviz.cli.audit import add_audit
from dpviz.cli.commands import add_certify, add_compare, add_facts, add_formats, add_register
from dpviz.cli.exit_code import (
    EXIT_BAD_INPUT,
    EXIT_BROKEN_PIPE,
    EXIT_CODES_HELP,
    EXIT_INTERNAL_ERROR,
    EXIT_INTERRUPTED,
)
from dpviz.cli.plan import add_plan
from dpviz.data.sources.options import ColumnError, printable

# The commands in the order of the help. A new one is a function that adds it, and a name here.
COMMANDS = (
    *(add_audit, add_plan, add_compare, add_certify),
    *(add_formats, add_register, add_facts),
)
# Options by what others call them.
OTHER_WORDS = {
    **dict.fromkeys(("epsilon", "eps"), "claim"),
    **{"alpha": "confidence-level", "adjacency": "neighbours", "power": "min-power"},
}
DESCRIPTION = """\
Differential privacy as a hypothesis test, without a notebook.
"""
EXAMPLES = """\
examples:
  dpviz audit losses.parquet --claim 1.0,1e-5
  dpviz audit --help
  dpviz plan --claim 1.0,1e-5 --must-detect 4
  dpviz certify --auc 0.60 --members 1000 --nonmembers 1000
  dpviz facts > facts.toml
  dpviz register --help
  dpviz formats
"""


class RaisingParser(ArgumentParser):
    """An argument parser that raises its errors as ValueError, for `main` to print."""

    def error(self, message: str) -> NoReturn:
        """Raise ValueError with the `message`; `argparse` itself would end the process."""
        raise ValueError(f"{message}; see {self.prog} --help")


def parser() -> ArgumentParser:
    """Return the parser of all commands; it stores the function of the chosen command as `run`."""
    layout = partial(RawDescriptionHelpFormatter, max_help_position=28, width=80)
    common: dict[str, Any] = {"formatter_class": layout, "allow_abbrev": False}
    epilog = f"{EXAMPLES}\n{EXIT_CODES_HELP}"
    top = RaisingParser(prog="dpviz", description=DESCRIPTION, epilog=epilog, **common)
    top.add_argument("--version", action="version", version=f"dpviz {version('dpviz')}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def new_command(
        name: str, run: Callable[[Namespace], int], summary: str, about: str, *, epilog: str = ""
    ) -> ArgumentParser:
        texts: dict[str, Any] = {"help": summary, "description": about, "epilog": epilog or None}
        command = commands.add_parser(name, **texts, **common)
        command.set_defaults(run=run, parser=command)
        return command

    for add in COMMANDS:
        add(new_command)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command with `arguments`, by default those of the process, and return its exit code."""
    if isinstance(sys.stdout, TextIOWrapper):
        # A terminal may not know Greek letters.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        chosen, unknown = parser().parse_known_args(arguments)
        if unknown:
            chosen.parser.error(_unknown_arguments_text(chosen.parser, unknown))
        code: int = chosen.run(chosen)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader has gone; Python would try to write the rest at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_BROKEN_PIPE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except (ValueError, OSError, ImportError) as error:
        sys.stderr.write(f"dpviz: error: {_error_line(error)}\n")
        return EXIT_BAD_INPUT
    # Python would exit with 1, which is an answer of an audit.
    except Exception:
        traceback.print_exc()
        return EXIT_INTERNAL_ERROR


def _unknown_arguments_text(command: ArgumentParser, unknown: Sequence[str]) -> str:
    """Return an error message on unknown arguments; it suggests a similar option, if any."""
    options = re.findall(r"--([a-z-]+)", command.format_usage())
    given = unknown[0].partition("=")[0].removeprefix("--")
    similar = [OTHER_WORDS.get(given, ""), *get_close_matches(given, options, 1)]
    hints = [f"; did you mean --{name}?" for name in similar if name in options]
    return f"unrecognized arguments: {' '.join(unknown)}{hints[0] if hints else ''}"


def _error_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno is not None and error.filename is not None:
        return f"{printable(os.fsdecode(error.filename))}: {os.strerror(error.errno)}"
    message = " ".join(str(error).split())
    if isinstance(error, ColumnError):
        answer = "|".join(error.choices) if error.role == "kind" else "COLUMN"
        message += f" (here: --{error.role} {answer})"
    return message
