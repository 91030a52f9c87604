"""Fast readers of CSV against the slow one: what they take, it takes, as the same numbers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpviz.data import ReadError
from dpviz.data.formats.csv import CsvBlock, CsvFile
from dpviz.data.sources.file import File
from dpviz.data.sources.options import ReadOptions
from dpviz.data.tables.table import ScoreTable, choose_columns
from tests.slow import examples

NUMBER = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**25), 10**25).map(str),
    st.sampled_from(
        ["", "nan", "NA", "inf", "0x1", "1_0", " 1", "+1", "1.", ".5", "1e5", "1E-400"]
    ),
    st.sampled_from(["True", "1,5", "١", "1d5", "-", "2020-01-01", "12:30", "1e", "0b1", "1.5f"]),
)
MEMBER = st.sampled_from(
    ["1", "0", "1.0", "0.0", "true", "False", "TRUE", "yes", "no", "in", "out", "train", " 1", "+1"]
)
ODD = st.sampled_from(["", "2", "-1", "t", "f", "nan", "00", "1e0", "0x1", "member "])
ROW = st.tuples(NUMBER, st.one_of(MEMBER, MEMBER, ODD))
READERS = {"pyarrow": CsvBlock.read_by_pyarrow, "pandas": CsvBlock.read_by_pandas}


def quoted(cell: str) -> str:
    return f'"{cell}"' if "," in cell else cell


def outcome(table: Callable[[], ScoreTable]) -> Any:
    try:
        found = table().records("refuse")
    except ReadError as error:
        return str(error)
    return found.values.astype(np.float64).tolist(), found.is_member.tolist()


@pytest.mark.parametrize("reader", READERS)
@given(rows=st.lists(ROW, min_size=1, max_size=6))
@example(rows=[("1", "1"), ("0x1", "0")])
@example(rows=[("9007199254740993", "1"), ("1", "0")])
@examples(1.5)
def test_what_a_fast_reader_takes_is_what_the_slow_one_reads(
    reader: str, rows: list[tuple[str, str]]
) -> None:
    content = "".join(f"{quoted(x)},{quoted(y)}\n" for x, y in rows).encode()
    file = CsvFile(File(where="f.csv", suffix=".csv", content=b"loss,member\n" + content))
    columns = choose_columns(file.names, ReadOptions(), file.where)
    (block,) = file.blocks()
    cells, numbers = block.read_columns(columns.positions)
    slow = outcome(lambda: ScoreTable(cells=cells, where="f.csv", columns=columns, rows=numbers))
    if block.may_hold_hexadecimal and reader == "pyarrow":
        return  # read by pandas
    fast = READERS[reader](block, columns.positions)
    if fast is None:
        return
    taken = ScoreTable(
        cells=fast, where="f.csv", columns=columns, rows=range(len(fast[0]))
    ).records_if_clean
    if taken is not None:
        assert slow == (taken.values.astype(np.float64).tolist(), taken.is_member.tolist())


def test_good_columns_are_taken_by_both() -> None:
    file = CsvFile(File(where="f.csv", suffix=".csv", content=b"id,x,y\na,0.25,1\nb,-1e-3,0\n"))
    (block,) = file.blocks()
    for read in READERS.values():
        fast = read(block, [1, 2])
        assert fast is not None
        assert [list(column) for column in fast] == [[0.25, -1e-3], [1, 0]]
