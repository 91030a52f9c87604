"""JSON Lines: an object in every line, read block by block."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dpviz.audit.binned_scores import Scores
from dpviz.data.formats.file import File, has_suffix
from dpviz.data.formats.format import Format, ReadError, ReadOptions
from dpviz.data.formats.json_text import parsed
from dpviz.data.formats.row_objects import Row, cells_of, names_of
from dpviz.data.formats.table_file import CellTable, read_table
from dpviz.data.formats.text_blocks import TextBlock, text_blocks

if TYPE_CHECKING:
    from dpviz.data.formats.table_file import CellsOfRows

SUFFIXES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
BLOCK = 8 * 2**20
"""Bytes; what Python makes of them takes several times as much."""
MEMORY_PER_BYTE = 6
"""Of reading at once, over bytes of the file; ten times as much packed."""


class JsonlFile(CellTable):
    """A file with an object in every line, the first block of which has been read.

    Rows are counted as lines, from 1; blank ones count.

    Raises
    ------
    ReadError
        If there is no row, or a line of the first block is no object.
    """

    file: File

    def __init__(self, file: File) -> None:
        self.file = file
        self.where = file.where
        size = file.size * (10 if file.suffix.endswith(".gz") else 1)
        self.memory = size * MEMORY_PER_BYTE
        self.n_pieces = max(1, -(-size // BLOCK))
        first = next(text_blocks(file, quotes=False, size=BLOCK), None)
        rows = [] if first is None else [row for row, _ in _rows(first, self.where)]
        if not rows:
            raise ReadError(f"{self.where}: expected an object in every line, got an empty file")
        self.names = names_of(rows)

    def cells(self, positions: Sequence[int]) -> "Iterator[CellsOfRows]":
        """A block at a time."""
        names = [self.names[position] for position in positions]
        for block in text_blocks(self.file, quotes=False, size=BLOCK):
            found = list(_rows(block, self.where))
            rows, numbers = [row for row, _ in found], [number for _, number in found]
            yield cells_of(rows, names), np.array(numbers, np.int64)


def _rows(block: TextBlock, where: str) -> Iterator[tuple[Row, int]]:
    if not block.content.strip():
        return  # perhaps millions of blank lines
    for number, line in enumerate(block.content.split(b"\n"), start=block.n_before + 1):
        if not line.strip():
            continue
        row = parsed(line, where, line=number, lines=True)
        if not isinstance(row, dict):
            raise ReadError(
                f"{where}, row {number}: expected an object such as "
                f'{{"loss": 0.5, "member": 1}}, got a {type(row).__name__}'
            )
        yield row, number


def _read(source: File, options: ReadOptions) -> Scores:
    return read_table(JsonlFile(source), options, JSONL.name)


JSONL = Format(
    name="JSON Lines, a row per line",
    accepts=has_suffix(SUFFIXES),
    read=_read,
    suffixes=SUFFIXES,
)
