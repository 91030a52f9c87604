"""JSON Lines: an object in every line, read block by block."""

from collections.abc import Iterator, Sequence

import numpy as np

from dpviz.data.formats.format import Format
from dpviz.data.sources.file import File
from dpviz.data.sources.json_text import parsed
from dpviz.data.sources.options import ReadError, listed
from dpviz.data.sources.text_blocks import TextBlock, text_blocks
from dpviz.data.tables.cells import CellsOfRows
from dpviz.data.tables.dropped import MOST_DROPPED_OF_TEXT
from dpviz.data.tables.row_objects import Row, cells_of_rows, names_of
from dpviz.data.tables.table_source import TableSource

BLOCK = 2**19  # bytes of text; its Python objects may take a hundred times as much
MOST_WITHOUT = 2**17  # objects without a wanted cell, one after another
MEMORY_PER_BYTE = 6  # bytes of reading at once for a byte of text


class JsonlFile(TableSource):
    """A file with an object in every line, of which the first block has been read.

    Rows are numbered as lines, from 1; blank lines count.
    """

    file: File
    most_dropped = MOST_DROPPED_OF_TEXT

    def __init__(self, file: File) -> None:
        self.file = file
        self.where = file.where
        self.memory = file.text_size * MEMORY_PER_BYTE
        self.n_pieces = max(1, -(-file.text_size // BLOCK))
        first = next(text_blocks(file, quotes=False, size=BLOCK), None)
        rows = [] if first is None else [row for row, _ in _rows(first, self.where)]
        if not rows:
            raise ReadError(f"{self.where}: expected an object in every line, got an empty file")
        self.names = names_of(rows)

    def cells(self, positions: Sequence[int]) -> Iterator[CellsOfRows]:
        """A block at a time."""
        names = [self.names[position] for position in positions]
        n_without = 0
        for block in text_blocks(self.file, quotes=False, size=BLOCK):
            rows: list[Row] = []
            numbers: list[int] = []
            for row, number in _rows(block, self.where):
                n_without = 0 if any(name in row for name in names) else n_without + 1
                if n_without > MOST_WITHOUT:
                    raise ReadError(
                        f"{self.where}, row {number}: expected {listed(names)}, got more than "
                        f"{MOST_WITHOUT} objects one after another without any of them"
                    )
                rows.append(row)
                numbers.append(number)
            yield cells_of_rows(rows, names), np.array(numbers, np.int64)


def _rows(block: TextBlock, where: str) -> Iterator[tuple[Row, int]]:
    if not block.content.strip():
        return  # there may be millions of blank lines
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


JSONL = Format(
    name="JSON Lines, a row per line",
    suffixes=(".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"),
    table=JsonlFile,
)
