"""Fast reading of a block of CSV: by pyarrow where it is installed, otherwise by pandas."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from dpviz.data.sources.text_blocks import BYTE_ORDER_MARK

if TYPE_CHECKING:
    import pandas as pd

    Cells = list[pd.Series[Any]]


@dataclass(frozen=True, kw_only=True)
class CsvCells:
    """Some columns of CSV without a header."""

    content: bytes
    n_columns: int  # of the file
    delimiter: str
    positions: Sequence[int]  # of the columns that are read
    texts: Sequence[int] = ()  # those of them that hold text although it may look like numbers

    def read(self) -> "Cells | None":
        """The columns; None where a row is malformed, so that reading cell by cell finds it."""
        # pyarrow would skip a byte order mark that is not at the beginning of a file.
        content = self.content
        if not content or content.isspace() or content.startswith(BYTE_ORDER_MARK):
            return None
        if find_spec("pyarrow") and not self.may_be_hexadecimal:
            return self.by_pyarrow()
        return self.by_pandas()

    @property
    def may_be_hexadecimal(self) -> bool:
        """Whether "0x" may begin a cell, which pyarrow takes for a number."""
        # A search for one character is fast, one for two is not.
        return any(x in self.content and b"0" + x in self.content for x in (b"x", b"X"))

    def by_pyarrow(self) -> "Cells | None":
        """Read with pyarrow; None where it raises."""
        import pyarrow as pa  # optional: dpviz[parquet]
        from pyarrow import csv

        names = [str(position) for position in range(self.n_columns)]
        wanted = [names[position] for position in self.positions]
        try:
            table = csv.read_csv(
                pa.BufferReader(self.content),
                # One thread and one chunk: other threads read other blocks.
                read_options=csv.ReadOptions(
                    column_names=names, use_threads=False, block_size=len(self.content) + 1
                ),
                parse_options=csv.ParseOptions(
                    delimiter=self.delimiter, newlines_in_values=b'"' in self.content
                ),
                convert_options=csv.ConvertOptions(
                    include_columns=list(dict.fromkeys(wanted)),
                    column_types={names[position]: pa.string() for position in self.texts},
                    null_values=[""],
                    strings_can_be_null=True,
                ),
            )
        except (pa.ArrowInvalid, pa.ArrowKeyError):
            return None
        return [table.column(name).to_pandas() for name in wanted]

    def by_pandas(self) -> "Cells | None":
        """Read with pandas; None where it raises or a row has too many cells."""
        import pandas as pd  # slow to import

        # One column more than there should be: it stays empty unless a row has too many cells.
        names = [str(position) for position in range(self.n_columns + 1)]
        beyond = names[self.n_columns]
        # pandas reads floats exactly on request; from 3.1 on always, and the request is deprecated.
        major, minor = pd.__version__.split(".")[:2]
        always_exact = (int(major), int(minor)) >= (3, 1)
        try:
            frame = pd.read_csv(
                io.BytesIO(self.delimiter.join(names).encode() + b"\n" + self.content),
                sep=self.delimiter,
                usecols=[*(names[position] for position in self.positions), beyond],
                dtype={names[position]: str for position in self.texts} or None,
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
        return [frame[names[position]] for position in self.positions]
