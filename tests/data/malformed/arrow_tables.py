"""Parquet and Feather files."""

import io
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import feather, parquet

from tests.data.malformed.case import (
    A_NUMBER,
    CODED,
    DROP,
    LIBRARY,
    NO_SCORE,
    RANGE,
    RECODE,
    Case,
    file,
)

NUMBER = 'column "loss": expected a number, got'
UNREADABLE = f": not a readable file: {LIBRARY}"


def as_parquet(table: pa.Table) -> bytes:
    """The bytes of a Parquet file."""
    stream = io.BytesIO()
    parquet.write_table(table, stream)
    return stream.getvalue()


def as_feather(table: pa.Table, **options: Any) -> bytes:
    """The bytes of a Feather file."""
    stream = io.BytesIO()
    feather.write_feather(table, stream, **options)
    return stream.getvalue()


def as_arrow(table: pa.Table, new: Callable[..., Any]) -> bytes:
    """The bytes of an Arrow file or stream, which may have columns that Feather has not."""
    stream = io.BytesIO()
    with new(stream, table.schema) as writer:
        writer.write_table(table)
    return stream.getvalue()


def columns(score: Any, member: Any = (1, 0), names: tuple[str, ...] = ("loss", "member")) -> Any:
    """A table of two columns."""
    return pa.Table.from_arrays([pa.array(score), pa.array(member)], names)


def badly_encoded() -> pa.Array:
    """Text that claims to be UTF-8 and is not."""
    offsets = pa.py_buffer(np.array([0, 1, 2], np.int32))
    return pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"\xff\xfe")])


GOOD = columns([0.5, 0.7])
PARQUET, FEATHER = as_parquet(GOOD), as_feather(GOOD, compression="uncompressed")
STREAM = as_arrow(GOOD, pa.ipc.new_stream)
TWICE = pa.Table.from_arrays(
    [pa.array([0.5, 0.7]), pa.array([0.5, 0.7]), pa.array([1, 0])], ["loss", " loss", "member"]
)


def cut(name: str, table: pa.Table, message: str, **options: Any) -> list[Case]:
    """The same table in a Parquet and in a Feather file."""
    return [
        file(f"{name} in Parquet", "s.parquet", lambda: as_parquet(table), message, **options),
        file(
            f"{name} in Feather",
            "s.feather",
            lambda: as_arrow(table, pa.ipc.new_file),
            message,
            **options,
        ),
    ]


def zeroed(content: bytes, begin: int, end: int) -> bytes:
    """Some bytes made zero."""
    return content[:begin] + bytes(end - begin) + content[end:]


def unreadable(name: str, filename: str, content: bytes) -> Case:
    """A file that the library refuses."""
    return file(name, filename, content, UNREADABLE)


# In Thrift's compact protocol: whether the column may be empty, and its name. One that is never
# empty has one level of definition, but the numbers of two are kept.
MAY_BE_EMPTY, NEVER_EMPTY = b"\x25\x02\x18\x04loss", b"\x25\x00\x18\x04loss"
BROKEN = [
    file(
        "Parquet at which pyarrow ends the process",
        "s.parquet",
        PARQUET.replace(MAY_BE_EMPTY, NEVER_EMPTY, 1),
        f": not a readable file: the process that read it ended with SIGABRT: {LIBRARY} that "
        "memory_limit allows for a piece",
    ),
    *(
        unreadable(f"Parquet cut off after {n} bytes", "s.parquet", PARQUET[:n])
        for n in (0, 3, 4, 8, 12, 50, len(PARQUET) // 2, len(PARQUET) - 8, len(PARQUET) - 1)
    ),
    unreadable("Parquet without the last mark", "s.parquet", PARQUET[:-4] + b"XXXX"),
    unreadable("encrypted Parquet", "s.parquet", PARQUET[:-4] + b"PARE"),
    unreadable("a footer of 2 GiB", "s.parquet", PARQUET[:-8] + b"\xff\xff\xff\x7fPAR1"),
    unreadable("a footer of nothing", "s.parquet", PARQUET[:-8] + bytes(4) + b"PAR1"),
    unreadable("pages made zero", "s.parquet", zeroed(PARQUET, 4, 40)),
    unreadable("a line after the end", "s.parquet", PARQUET + b"\n"),
    unreadable("CSV called .parquet", "s.parquet", b"loss,member\n0.5,1\n"),
    unreadable("Feather called .parquet", "s.parquet", FEATHER),
    *(
        unreadable(f"Feather cut off after {n} bytes", "s.feather", FEATHER[:n])
        for n in (0, 4, 8, 20, len(FEATHER) // 2, len(FEATHER) - 10, len(FEATHER) - 1)
    ),
    unreadable("Feather of version 1", "s.feather", b"FEA1" + bytes(40) + b"FEA1"),
    *(
        unreadable(f"an Arrow stream cut off after {n} bytes", "s.arrow", STREAM[:n])
        for n in (50, len(STREAM) - 20)
    ),
    unreadable(
        "a Feather name that is no UTF-8", "s.feather", FEATHER.replace(b"loss", b"\xffoss")
    ),
    unreadable(
        "a Parquet name that is no UTF-8", "s.parquet", PARQUET.replace(b"loss", b"\xffoss")
    ),
    unreadable("Parquet called .feather", "s.feather", PARQUET),
    unreadable("CSV called .feather", "s.feather", b"loss,member\n0.5,1\n"),
]

TABLES = [
    *cut("no rows", GOOD.slice(0, 0), ": expected rows, got none"),
    *cut(
        "no columns",
        pa.table({}),
        f": no score column recognised, columns found: none; {NO_SCORE}",
    ),
    *cut("a name twice", TWICE, ': column names must be unique, got "loss" repeated'),
    *cut(
        "a blank name",
        columns([0.5, 0.7], names=("", "member")),
        f': no score column recognised, columns found: "", "member"; {NO_SCORE}',
    ),
    *cut(
        "a NUL in a name",
        columns([0.5, 0.7], names=("lo\0ss", "member")),
        f': no score column recognised, columns found: "lo\\u0000ss", "member"; {NO_SCORE}',
    ),
    *cut(
        "another column",
        GOOD,
        ': no column "x" for score, columns found: "loss", "member"',
        score="x",
    ),
    *cut("lists", columns([[0.5], [0.7]]), f", row 0, {NUMBER} array([0.5])"),
    *cut("structures", columns([{"a": 0.5}, {"a": 0.7}]), f", row 0, {NUMBER} {{'a': 0.5}}"),
    *cut("words", columns(["0.5", "<b>"]), f', row 1, {NUMBER} "<b>"'),
    *cut("bytes", columns([b"0.5", b"0.7"]), f", row 0, {NUMBER} b'0.5'"),
    *cut("text that is no UTF-8", columns(badly_encoded()), UNREADABLE),
    *cut("truth values", columns([True, False]), f", row 0, {NUMBER} True"),
    *cut(
        "moments",
        columns([datetime(2024, 1, 1), datetime(2024, 1, 2)]),
        f", row 0, {NUMBER} Timestamp('2024-01-01 00:00:00')",
    ),
    *cut("days", columns([date(2024, 1, 1), None]), f", row 0, {NUMBER} datetime.date(2024, 1, 1)"),
    *cut(
        "durations",
        columns(pa.array([1, 2], pa.duration("us"))),
        f", row 0, {NUMBER} Timedelta('0 days 00:00:00.000001')",
    ),
    *cut(
        "nan",
        columns([0.5, np.nan]),
        f', row 1, column "loss": {A_NUMBER} nan (1 such row; {DROP})',
    ),
    *cut(
        "nothing but gaps",
        columns(pa.nulls(2, pa.float64())),
        f', row 0, column "loss": {A_NUMBER} nan (2 such rows; {DROP})',
    ),
    *cut(
        "gaps without a type",
        columns(pa.nulls(2)),
        f', row 0, column "loss": {A_NUMBER} None (2 such rows; {DROP})',
    ),
    *cut(
        "a number too large",
        columns([0.5, -1e301]),
        f', row 1, column "loss": {RANGE} -1e+301 (1 such row)',
    ),
    *cut(
        "-1 as membership",
        columns([0.5, 0.7], [1, -1]),
        f', row 1, column "member": {CODED} -1{RECODE}',
    ),
    *cut(
        "a half as membership",
        columns([0.5, 0.7], [1, 0.5]),
        f', row 1, column "member": {CODED} 0.5',
    ),
    *cut(
        "an unknown word in a dictionary",
        columns([0.5, 0.7], pa.array(["train", "dev"]).dictionary_encode()),
        f', row 1, column "member": {CODED} "dev"',
    ),
    *cut(
        "a gap in a dictionary",
        columns([0.5, 0.7], pa.array(["train", None]).dictionary_encode()),
        f', row 1, column "member": {CODED} nan (1 such row; {DROP})',
    ),
    *cut(
        "a gap in truth values",
        columns([0.5, 0.7], [True, None]),
        f', row 1, column "member": {CODED} None (1 such row; {DROP})',
    ),
    *cut(
        "a moment as membership",
        columns([0.5, 0.7], [datetime(1970, 1, 1), datetime(1970, 1, 2)]),
        f", row 0, column \"member\": {CODED} Timestamp('1970-01-01 00:00:00')",
    ),
    *cut(
        "one class",
        columns([0.5, 0.7], [0, 0]),
        ', column "member": expected members and non-members, got 0 members and 2 non-members',
    ),
]

CASES = (*BROKEN, *TABLES)
