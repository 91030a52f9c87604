"""Functions that a child process runs to read Parquet, Feather and large JSON files.

The child process imports nothing of dpviz (see `child.py`). The arguments of a MemoryError are the
place in the file that took too much memory and, if known, the bytes needed there.
"""

import io
import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import count, repeat
from typing import IO, Any

Source = str | bytes  # a path, or the content of a file
PIECE_ROWS = 2**20  # largest number of rows of a piece
BUFFER = 2**18  # bytes of a column that are read at once
MEMORY_DIVISOR = 32  # 1/32 of the memory is for rows read at once: pyarrow needs 10 times as much


def parquet_header_json(source: Source) -> Iterator[bytes]:
    """Yield one JSON text: [column names, number of rows]."""
    from pyarrow import parquet  # optional: dpviz[parquet]

    with _open_source(source) as stream:
        footer = parquet.read_metadata(stream)
    yield json.dumps([footer.schema.to_arrow_schema().names, footer.num_rows]).encode()


def parquet_pieces(source: Source, names: list[str], memory: int) -> Iterator[bytes]:
    """Yield the columns `names` as Arrow streams of a million rows, or fewer if rows are long."""
    from pyarrow import parquet  # optional: dpviz[parquet]

    with _open_source(source) as stream:
        footer = parquet.read_metadata(stream)
        opened = parquet.ParquetFile(
            stream,
            metadata=footer,
            pre_buffer=False,  # those bytes would stay in memory until the file is closed
            buffer_size=BUFFER,  # without it, all packed pages of a column are read at once
            read_dictionary=dictionary_encoded_columns(footer, names),
        )
        for groups in row_groups_read_together(row_group_sizes(footer), PIECE_ROWS):
            n_rows = _n_rows_at_once(footer, groups, names, memory)
            wanted = {"row_groups": groups, "columns": names, "use_threads": False}
            batches = opened.iter_batches(n_rows, **wanted)
            chosen = (batch.select(names) for batch in batches)
            yield from _arrow_streams(chosen, f"row group {groups[0]}", memory)


def arrow_header_json(source: Source) -> Iterator[bytes]:
    """Yield one JSON text: [column names, number of batches (0 for an Arrow stream)]."""
    with _open_source(source) as stream:
        opened = _open_arrow(stream)
        n_batches = getattr(opened, "num_record_batches", 0)
        yield json.dumps([opened.schema.names, n_batches]).encode()


def arrow_pieces(source: Source, names: list[str], memory: int) -> Iterator[bytes]:
    """Yield the columns `names` as Arrow streams of at most a million rows."""
    with _open_source(source) as stream:
        opened = _open_arrow(stream)
        n_batches = getattr(opened, "num_record_batches", None)
        batches = iter(opened) if n_batches is None else map(opened.get_batch, range(n_batches))
        for place in count():
            where = f"record batch {place}"
            try:
                batch = next(batches, None)
            except MemoryError:
                raise MemoryError(where) from None
            if batch is None:
                return
            begins = range(0, max(1, batch.num_rows), PIECE_ROWS)
            slices = map(batch.select(names).slice, begins, repeat(PIECE_ROWS))
            yield from _arrow_streams(slices, where, memory)


def check_json_fits_in_memory(source: Source) -> Iterator[bytes]:
    """Parse JSON, and yield nothing; raise MemoryError if the values do not fit in memory."""
    with _open_source(source) as stream, suppress(ValueError, RecursionError):
        json.load(stream)  # the parent process finds such faults again
    yield from ()


def leaf_columns(footer: Any, names: Collection[str]) -> dict[int, Any]:
    """Return {index: leaf column} of the columns `names`; a nested column has several leaves."""
    leaves = {i: footer.schema.column(i) for i in range(footer.num_columns)}
    return {
        i: leaf
        for i, leaf in leaves.items()
        if leaf.path in names or leaf.path.partition(".")[0] in names
    }


def dictionary_encoded_columns(footer: Any, names: Collection[str]) -> list[str]:
    """Return the paths of leaf columns with dictionary encoding and without delta encoding."""
    groups = [footer.row_group(i) for i in range(footer.num_row_groups)]
    kinds = {
        leaf.path: " ".join(kind for each in groups for kind in each.column(i).encodings)
        for i, leaf in leaf_columns(footer, names).items()
    }
    return [path for path, kind in kinds.items() if "DICTIONARY" in kind and "DELTA" not in kind]


def _open_source(source: Source) -> IO[bytes]:
    return open(source, "rb") if isinstance(source, str) else io.BytesIO(source)


def _open_arrow(stream: IO[bytes]) -> Any:
    """Return a reader of Arrow data, which may be in Arrow's file format or stream format."""
    import pyarrow  # optional: dpviz[parquet]

    try:
        return pyarrow.ipc.open_file(stream)
    except pyarrow.ArrowInvalid as not_a_file:
        stream.seek(0)
        try:
            return pyarrow.ipc.open_stream(stream)
        except (pyarrow.ArrowException, OSError, MemoryError):  # any 4 bytes may be a length
            raise not_a_file from None


def row_group_sizes(footer: Any) -> list[int]:
    """Return the number of rows of each row group."""
    return [footer.row_group(i).num_rows for i in range(footer.num_row_groups)]


def row_groups_read_together(sizes: Sequence[int], fewest_rows: int) -> Iterator[list[int]]:
    """Yield lists of neighbouring row groups; all but the last have at least `fewest_rows` rows."""
    groups: list[int] = []
    n_rows = 0
    for group, size in enumerate(sizes):
        groups.append(group)
        n_rows += size
        if n_rows >= fewest_rows or group == len(sizes) - 1:
            yield groups
            groups, n_rows = [], 0


def _n_rows_at_once(footer: Any, row_groups: list[int], names: list[str], memory: int) -> int:
    """Estimate how many rows of `row_groups` take `memory` / `MEMORY_DIVISOR` bytes."""
    n_rows = n_bytes = 0
    for group in map(footer.row_group, row_groups):
        n_rows += group.num_rows
        n_bytes += sum(group.column(i).total_uncompressed_size for i in leaf_columns(footer, names))
    room = memory // MEMORY_DIVISOR
    return PIECE_ROWS if n_bytes <= room else max(1, min(PIECE_ROWS, room * n_rows // n_bytes))


def _arrow_streams(batches: Iterator[Any], place: str, memory: int) -> Iterator[bytes]:
    """Check record batches, join them, and yield Arrow streams of at most a million rows each."""
    import pyarrow  # optional: dpviz[parquet]

    gathered: list[Any] = []
    n_rows = n_bytes = 0
    try:
        for batch in batches:
            if 2 * batch.nbytes > memory:  # one copy in this process and one in the parent process
                raise MemoryError(place, 2 * batch.nbytes)
            # Rejects text that is not UTF-8, and offsets beyond a buffer before they are followed.
            batch.validate(full=True)
            # A stream is complete before it has too many rows or takes too much memory.
            if n_rows + batch.num_rows > PIECE_ROWS or 8 * (n_bytes + batch.nbytes) > memory:
                if gathered:
                    yield _arrow_stream(pyarrow, gathered)
                gathered, n_rows, n_bytes = [], 0, 0
            gathered.append(batch)
            n_rows += batch.num_rows
            n_bytes += batch.nbytes
        if gathered:
            yield _arrow_stream(pyarrow, gathered)
    except MemoryError as error:
        raise MemoryError(*(error.args if error.args[:1] == (place,) else (place,))) from None


def _arrow_stream(pyarrow: Any, batches: list[Any]) -> Any:
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, batches[0].schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return sink.getvalue()
