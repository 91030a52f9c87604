"""The fast way through a block of CSV: pyarrow where it is installed, else pandas."""

import io
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from dpviz.data.formats.text_blocks import BYTE_ORDER_MARK

if TYPE_CHECKING:
    import pandas as pd

    Cells = list[pd.Series[Any]]


def read_fast(
    content: bytes,
    *,
    n_columns: int,
    delimiter: str,
    positions: Sequence[int],
    texts: Sequence[int],
) -> "Cells | None":
    """Some columns of text without a header, those of `texts` as text, the others as they look.

    None where a row is malformed or a reader is not sure; whoever asks then reads cell by cell.
    """
    # A mark that is no beginning of a file is text, which pyarrow would skip.
    if not content or content.isspace() or content.startswith(BYTE_ORDER_MARK):
        return None
    read = _by_pyarrow if find_spec("pyarrow") and not _may_be_hexadecimal(content) else _by_pandas
    return read(content, n_columns, delimiter, positions, texts)


def _may_be_hexadecimal(content: bytes) -> bool:
    """Whether digits may begin with "0x", which pyarrow takes for a number."""
    # One character is found at once, two together are not.
    return any(x in content and b"0" + x in content for x in (b"x", b"X"))


def _by_pyarrow(
    content: bytes,
    n_columns: int,
    delimiter: str,
    positions: Sequence[int],
    texts: Sequence[int],
) -> "Cells | None":
    import pyarrow as pa
    from pyarrow import csv

    names = [str(position) for position in range(n_columns)]
    wanted = [names[position] for position in positions]
    try:
        table = csv.read_csv(
            pa.BufferReader(content),
            # One thread and one chunk: other threads read other blocks.
            read_options=csv.ReadOptions(
                column_names=names, use_threads=False, block_size=len(content) + 1
            ),
            parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=b'"' in content),
            convert_options=csv.ConvertOptions(
                include_columns=list(dict.fromkeys(wanted)),
                column_types={names[position]: pa.string() for position in texts},
                null_values=[""],
                strings_can_be_null=True,
            ),
        )
    except (pa.ArrowInvalid, pa.ArrowKeyError):
        return None
    return [table.column(name).to_pandas() for name in wanted]


def _by_pandas(
    content: bytes,
    n_columns: int,
    delimiter: str,
    positions: Sequence[int],
    texts: Sequence[int],
) -> "Cells | None":
    import pandas as pd

    # One column more than there should be: it stays empty unless a row has too many cells.
    names = [str(position) for position in range(n_columns + 1)]
    beyond = names[n_columns]
    # pandas reads floats exactly when asked to; from 3.1 on always, and asking is deprecated.
    major, minor = pd.__version__.split(".")[:2]
    always_exact = (int(major), int(minor)) >= (3, 1)
    try:
        frame = pd.read_csv(
            io.BytesIO(delimiter.join(names).encode() + b"\n" + content),
            sep=delimiter,
            usecols=[*(names[position] for position in positions), beyond],
            dtype={names[position]: str for position in texts} or None,
            index_col=False,
            keep_default_na=False,
            na_values=[""],
            low_memory=False,
            float_precision=None if always_exact else "round_trip",
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError):
        return None
    if frame[beyond].notna().any():
        return None
    return [frame[names[position]] for position in positions]
