"""`main`: from arguments to an exit code; what goes wrong becomes one line."""

import os
import sys
import traceback
from collections.abc import Sequence
from io import TextIOWrapper

from dpviz.cli.options import parser
from dpviz.data.sources.options import ColumnError, plain

BAD_INPUT = 2  # 1 is an answer: a claim is contradicted
FAILED = 3  # an error of dpviz itself, with its traceback
INTERRUPTED = 130  # as shells say it: 128 and the number of the signal, here SIGINT
BROKEN_PIPE = 141  # SIGPIPE


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    arguments : sequence of str, optional
        Left out: those of the process.

    Returns
    -------
    int
        The exit code; ``dpviz audit --help`` says what each means.
    """
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may not know Greek
    try:
        chosen = parser().parse_args(arguments)
        code: int = chosen.run(chosen)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader has gone; Python would try to write the rest at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except (ValueError, OSError, ImportError) as error:
        sys.stderr.write(f"dpviz: error: {_on_one_line(error)}\n")
        return BAD_INPUT
    except Exception:  # Python would exit with 1, which is an answer
        traceback.print_exc()
        return FAILED


def _on_one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno is not None and error.filename is not None:
        return f"{plain(os.fsdecode(error.filename))}: {os.strerror(error.errno)}"
    said = " ".join(str(error).split())
    if isinstance(error, ColumnError):
        answer = "|".join(error.choices) if error.role == "kind" else "COLUMN"
        said += f" (here: --{error.role} {answer})"
    return said
