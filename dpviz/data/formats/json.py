"""JSON files and JSON Lines; messages name the line and the column of a fault."""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, count
from typing import Any

import numpy as np

from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.scores.base import Scores
from dpviz.data.conventions import read_any_table, read_named_values
from dpviz.data.formats.format import Format
from dpviz.data.formats.objects import named_values_of
from dpviz.data.sources.child import HAS_CHILDREN, ChildError, run_in_child
from dpviz.data.sources.file import File
from dpviz.data.sources.options import ReadError, ReadOptions, mismatch, quoted, quoted_names
from dpviz.data.sources.parquet_arrow_json import check_json_fits_in_memory
from dpviz.data.sources.progress import with_progress
from dpviz.data.sources.text_blocks import BYTE_ORDER_MARK, text_blocks
from dpviz.data.tables.frame import Row, columns_of_rows, rows_as_table
from dpviz.data.tables.table import MOST_DROPPED_OF_TEXT, CellBlock
from dpviz.data.tables.table_source import TableSource

PICKLE_START = b"\x80"
LONGEST_UNCANCELLED = 2**20  # bytes: shorter texts are parsed too fast to be cancelled
VALUES_PER_STEP = 2**12  # numbers and objects between two steps of `progress`
BYTES_OF_A_STEP = 2**16  # rough size of their text


def parse_json(
    content: bytes,
    where: str,
    *,
    first_line: int = 1,
    is_json_lines: bool = False,
    progress: Progress | None = None,
) -> Any:
    """Return the values of JSON text in UTF-8, with NaN and Infinity as numbers."""
    # Messages number the lines from `first_line` on. With `is_json_lines`, the text is one line of
    # a JSON Lines file. A repeated key is an error. `progress` can cancel a long parse.
    in_line = f"{where}, line {first_line}" if is_json_lines else where
    is_long = progress is not None and len(content) > LONGEST_UNCANCELLED
    decoder = _cancellable_decoder(len(content), progress) if is_long and progress else DECODER
    try:
        return decoder.decode(content.removeprefix(BYTE_ORDER_MARK).decode())
    except UnicodeDecodeError as error:
        before = content[: error.start]
        row, column = first_line + before.count(b"\n"), error.start - before.rfind(b"\n")
        also = " (a pickle, which is never opened)" if content.startswith(PICKLE_START) else ""
        got = f"byte 0x{content[error.start]:02x}{also}"
        raise mismatch(f"{where}, line {row}, column {column}", "JSON in UTF-8", got) from None
    except json.JSONDecodeError as error:
        place = f"{where}, line {first_line + error.lineno - 1}, column {error.colno}"
        rest = error.doc[error.pos : error.pos + 20]
        got = quoted(rest) if rest else "the end"
        is_many = error.msg == "Extra data" and not is_json_lines
        also = "; a file with a value in every line is called .jsonl" if is_many else ""
        raise ReadError(f"{place}: not JSON: {error.msg}, got {got}{also}") from None
    except _RepeatedKeyError as error:
        raise ReadError(f"{in_line}: keys must be unique, got {error} twice") from None
    except RecursionError:
        raise ReadError(f"{in_line}: the values are nested too deeply") from None
    except ValueError:  # Python's limit to the digits of an integer
        raise ReadError(f"{in_line}: a whole number has too many digits") from None


class _RepeatedKeyError(Exception):
    """The error that a JSON object has a key twice; the message is the quoted key."""


def _dict_of_unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        raise _RepeatedKeyError(quoted(counts.most_common(1)[0][0]))
    return values


def _clamped_float(text: str) -> float:
    """Return the number in a text; a number too large for a float becomes the largest float."""
    return min(max(float(text), -sys.float_info.max), sys.float_info.max)


def _cancellable_decoder(size: int, progress: Progress) -> json.JSONDecoder:
    """Return a JSON decoder that advances `progress`; an error of `progress` cancels decoding."""
    steps = with_progress(count(1), max(1, size // BYTES_OF_A_STEP), progress)
    n = count(1)

    def advancing_progress(parse: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def parse_and_advance(value: Any) -> Any:
            if next(n) % VALUES_PER_STEP == 0:
                next(steps)
            return parse(value)

        return parse_and_advance

    return json.JSONDecoder(
        object_pairs_hook=advancing_progress(_dict_of_unique_keys),
        parse_float=advancing_progress(_clamped_float),
        parse_int=advancing_progress(int),
    )


# Shared, because a file may have many lines.
DECODER = json.JSONDecoder(object_pairs_hook=_dict_of_unique_keys, parse_float=_clamped_float)
# Bytes of memory per byte of text: at least the byte, its decoded copy and its value; at most those
# of lists in lists, which take 44 bytes for each bracket.
LEAST_PER_BYTE, MOST_PER_BYTE = 3, 64
EXPECTED_JSON = (
    'expected an object such as {"member_losses": [...], "nonmember_losses": [...]} or a list of '
    "rows"
)


def _reject_if_beyond_memory(file: File, memory: int, progress: Progress | None) -> None:
    """Raise ReadError if a child process needs over half of `memory` to parse the file."""
    if not HAS_CHILDREN:
        raise _too_large_error(file, memory, f"up to {file.size * MOST_PER_BYTE // 2**20} MiB, ")
    steps = with_progress(count(1), 1, progress or iter)
    try:
        half, step = memory // 2, partial(next, steps)
        for _ in run_in_child(check_json_fits_in_memory, file.source, memory=half, on_wait=step):
            pass
    except (MemoryError, ChildError) as error:
        raise _too_large_error(file, memory) from error


def _too_large_error(file: File, memory: int, needed_text: str = "") -> ReadError:
    return ReadError(
        f"{file.where}: JSON is read as a whole, which takes {needed_text}more than the "
        f"{memory // 2**20} MiB of memory_limit; .jsonl (a row per line), CSV and Parquet are "
        "streamed"
    )


def _read_json(source: File, options: ReadOptions) -> Scores:
    memory, least = options.memory, source.size * LEAST_PER_BYTE
    # Raise an error if the least possible need is too much; test in a child if only the most is.
    if least > memory:
        raise _too_large_error(source, memory, f"about {least // 2**20} MiB, ")
    if source.size * MOST_PER_BYTE > memory:
        _reject_if_beyond_memory(source, memory, options.progress)
    with source.open() as stream:
        content = stream.read(source.size)  # it may have grown
    if not content.strip():
        raise ReadError(f"{source.where}: {EXPECTED_JSON}, got an empty file")
    value = parse_json(content, source.where, progress=options.progress)
    if isinstance(value, dict):
        return read_named_values(named_values_of(value, source.where, source), options)
    if not isinstance(value, list):
        raise ReadError(f"{source.where}: {EXPECTED_JSON}, got a {type(value).__name__}")
    for i, row in enumerate(value):
        if not isinstance(row, dict):
            got = f"a list with an entry of type {type(row).__name__}"
            raise ReadError(f"{source.where}, row {i}: {EXPECTED_JSON}, got {got}")
    if not value:
        raise mismatch(source.where, "rows", "none")
    return read_any_table(rows_as_table(value, source.where, source), options, JSON.name)


JSON = Format(
    name="JSON: an object of arrays or a list of rows", suffixes=(".json",), reader=_read_json
)

# JSON Lines: an object in every line, read block by block.

BLOCK = 2**19  # bytes of text; its Python objects may take a hundred times as much
EMPTY_ROW_RUN = 2**17  # objects in succession without any of the chosen keys
MEMORY_PER_BYTE = 6  # bytes of memory per byte of text, all read at once


class JsonlFile(TableSource):
    """A JSON Lines file as a table whose columns are the keys in the first block of lines."""

    file: File
    most_dropped = MOST_DROPPED_OF_TEXT

    def __init__(self, file: File) -> None:
        self.file = file
        self.where = file.where
        self.memory = file.text_size * MEMORY_PER_BYTE
        self.n_pieces = max(1, -(-file.text_size // BLOCK))
        first = next(text_blocks(file, has_quotes=False, size=BLOCK), (b"", 0))
        rows = [row for row, _ in _parsed_lines(*first, self.where)]
        if not rows:
            raise mismatch(self.where, "an object in every line", "an empty file")
        self.names = list(dict.fromkeys(chain.from_iterable(rows)))

    def read_columns(self, positions: Sequence[int]) -> Iterator[CellBlock]:
        names = [self.names[position] for position in positions]
        n_without = 0
        for block in text_blocks(self.file, has_quotes=False, size=BLOCK):
            rows: list[Row] = []
            numbers: list[int] = []
            for row, number in _parsed_lines(*block, self.where):
                n_without = 0 if any(name in row for name in names) else n_without + 1
                if n_without > EMPTY_ROW_RUN:
                    got = f"more than {EMPTY_ROW_RUN} objects one after another without any of them"
                    raise mismatch(f"{self.where}, row {number}", quoted_names(names), got)
                rows.append(row)
                numbers.append(number)
            yield columns_of_rows(rows, names), np.array(numbers, np.int64)


def _parsed_lines(content: bytes, n_before: int, where: str) -> Iterator[tuple[Row, int]]:
    if not content.strip():
        return  # there may be millions of blank lines
    for number, line in enumerate(content.split(b"\n"), start=n_before + 1):
        if not line.strip():
            continue
        row = parse_json(line, where, first_line=number, is_json_lines=True)
        if not isinstance(row, dict):
            raise ReadError(
                f"{where}, row {number}: expected an object such as "
                f'{{"loss": 0.5, "member": 1}}, got a {type(row).__name__}'
            )
        yield row, number


JSONL = Format(
    name="JSON Lines, a row per line",
    suffixes=(".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"),
    table=JsonlFile,
)
