"""JSON from text; messages name the line and the column of a fault."""

import json
from typing import Any

from dpviz.data.sources.options import ReadError, quoted
from dpviz.data.sources.text_blocks import BYTE_ORDER_MARK

PICKLE = b"\x80"


def parsed(content: bytes, where: str, *, line: int = 1, lines: bool = False) -> Any:
    """Parse JSON in UTF-8; NaN and Infinity are numbers, as Python writes them.

    For messages, `line` is the number of the first line, and `lines` whether the text is one line
    of many. An object that has one key twice is rejected.
    """
    try:
        return DECODER.decode(content.removeprefix(BYTE_ORDER_MARK).decode())
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


DECODER = json.JSONDecoder(object_pairs_hook=_unique)  # one for all: a file may have many lines
