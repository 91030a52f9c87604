"""JSON from text; messages name the line and the column of a fault."""

import json
from itertools import count
from typing import Any

from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.data.sources.options import ReadError, quoted
from dpviz.data.sources.progress import with_progress
from dpviz.data.sources.text_blocks import BYTE_ORDER_MARK

PICKLE = b"\x80"
LONG = 2**20  # bytes: shorter texts are parsed before anyone could cancel
STEP = 2**12  # numbers and objects between two looks at `progress`
BYTES_OF_A_STEP = 2**16  # of text, roughly


def parsed(
    content: bytes,
    where: str,
    *,
    line: int = 1,
    lines: bool = False,
    progress: Progress | None = None,
) -> Any:
    """Parse JSON in UTF-8; NaN and Infinity are numbers, as Python writes them.

    For messages, `line` is the number of the first line, and `lines` whether the text is one line
    of many. An object that has one key twice is rejected. `progress` can cancel in a long text.
    """
    is_long = progress is not None and len(content) > LONG
    decoder = _cancellable(len(content), progress) if is_long and progress else DECODER
    try:
        return decoder.decode(content.removeprefix(BYTE_ORDER_MARK).decode())
    except UnicodeDecodeError as error:
        before = content[: error.start]
        row, column = line + before.count(b"\n"), error.start - before.rfind(b"\n")
        also = " (a pickle, which is never opened)" if content.startswith(PICKLE) else ""
        raise ReadError(
            f"{where}, line {row}, column {column}: expected JSON in UTF-8, got byte "
            f"0x{content[error.start]:02x}{also}"
        ) from None
    except json.JSONDecodeError as error:
        place = f"{where}, line {line + error.lineno - 1}, column {error.colno}"
        rest = error.doc[error.pos : error.pos + 20]
        got = quoted(rest) if rest else "the end"
        also = ""
        if error.msg == "Extra data" and not lines:
            also = "; a file with a value in every line is called .jsonl"
        raise ReadError(f"{place}: not JSON: {error.msg}, got {got}{also}") from None
    except _RepeatedError as error:
        raise ReadError(f"{_in_line(where, line, lines)}: key {error} is there twice") from None
    except RecursionError:
        raise ReadError(f"{_in_line(where, line, lines)}: nested too deeply") from None
    except ValueError:  # Python's limit to the digits of an integer
        raise ReadError(
            f"{_in_line(where, line, lines)}: a whole number has too many digits"
        ) from None


def _in_line(where: str, line: int, lines: bool) -> str:
    return f"{where}, line {line}" if lines else where


class _RepeatedError(Exception):
    """One key occurs twice in an object."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise _RepeatedError(quoted(name))
            seen.add(name)
    return values


def _cancellable(size: int, progress: Progress) -> json.JSONDecoder:
    """A decoder that looks at `progress`, and lets other threads run, at numbers and objects."""
    looks = with_progress(count(1), max(1, size // BYTES_OF_A_STEP), progress)
    n = 0

    def step() -> None:
        nonlocal n
        n += 1
        if n % STEP == 0:
            next(looks)

    def number(text: str) -> float:
        step()
        return float(text)

    def whole(text: str) -> int:
        step()
        return int(text)

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        step()
        return _unique(pairs)

    return json.JSONDecoder(object_pairs_hook=unique, parse_float=number, parse_int=whole)


DECODER = json.JSONDecoder(object_pairs_hook=_unique)  # one for all: a file may have many lines
