"""Files that would take all memory, or for ever, if they were believed.

    python -m tests.data.malformed.dangerous FOLDER

reads each with little memory and prints a line of JSON: its name, how it was refused, and by how
many bytes the process grew above `memory_limit`. After them come `RANDOM` inputs of
`benchmarks/fuzz.py`, and a line that says how many of them were taken or refused. An input that
takes `MOST_CPU` seconds of the processor ends the process.
"""

import gzip
import io
import json
import resource
import signal
import struct
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow as pa
from pyarrow import feather, parquet

from benchmarks.fuzz import ended
from benchmarks.fuzz_targets import Target, document_targets, file_targets, message_targets
from tests.data.malformed.arrays import SHAPED, header, npy, zipped
from tests.data.malformed.case import CODED, LIBRARY, NO_SCORE, file

MEMORY = 2**30
"""Bytes of address space, beyond what the libraries take; threads reserve more than they use."""
RANDOM = 1000
LIMIT = 2**28  # bytes: the `memory_limit` of cases that have none
MOST_CPU = 2  # a limit of work, as the system enforces it: seconds
MIB = 2**20
GIB = 2**30
WITHOUT = (
    'expected "loss", "member", got more than 131072 objects one after another without any of them'
)
ENDLESS = ", record 2: expected at most 16 MiB, got a longer record"


def packed(content: bytes, times: int) -> bytes:
    """Gzip of a content that is repeated."""
    return gzip.compress(content, mtime=0) * times


def zip_bomb(n_bytes: int) -> bytes:
    """A .npz file of some KiB with an honest array of zeros of many GiB."""
    start = header(SHAPED % f"({n_bytes // 8},)")
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = compressor.compress(start) + compressor.flush(zlib.Z_FULL_FLUSH)
    # What lies between two full flushes may be repeated.
    piece = compressor.compress(bytes(16 * MIB)) + compressor.flush(zlib.Z_FULL_FLUSH)
    body += piece * (n_bytes // (16 * MIB)) + compressor.flush()
    files = central = b""
    for name in (b"member.npy", b"nonmember.npy"):
        about = struct.pack(
            "<HHHHHIIIHH", 20, 0, 8, 0, 33, 0, len(body), len(start) + n_bytes, len(name), 0
        )
        place = struct.pack("<I", len(files))
        central += b"PK\x01\x02\x14\x00" + about + bytes(10) + place + name
        files += b"PK\x03\x04" + about + name + body
    end = struct.pack("<HHHHIIH", 0, 0, 2, 2, len(central), len(files), 0)
    return files + central + b"PK\x05\x06" + end


def lying_feather() -> bytes:
    """A Feather file with a compressed column that claims to take a tebibyte."""
    stream = io.BytesIO()
    numbers = [0.0] * 1000
    feather.write_feather(pa.table({"loss": numbers, "member": numbers}), stream, compression="lz4")
    size = struct.pack("<q", 8 * len(numbers))
    return stream.getvalue().replace(
        size + b"\x04\x22\x4d\x18", struct.pack("<q", 2**40) + b"\x04\x22\x4d\x18"
    )


def feather_of(columns: dict[str, Any]) -> bytes:
    """A Feather file of one batch, packed by zstd."""
    stream = io.BytesIO()
    table = pa.table(columns)
    feather.write_feather(table, stream, compression="zstd", chunksize=table.num_rows)
    return stream.getvalue()


def parquet_of(columns: dict[str, Any]) -> bytes:
    """A Parquet file that does not say that texts were coded."""
    stream = io.BytesIO()
    parquet.write_table(pa.table(columns), stream, compression="zstd", store_schema=False)
    return stream.getvalue()


def coded(text: str, n: int = 1) -> Any:
    """One text in each of some rows, by its number in a dictionary."""
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, np.int32)), pa.array([text]))


def nested(depth: int, inner: dict[str, Any]) -> dict[str, Any]:
    """A mapping in a mapping in a mapping ..."""
    for _ in range(depth):
        inner = {"a": inner}
    return inner


CASES = (
    file(
        "10 GiB of zeros",
        "scores.csv.gz",
        lambda: packed(bytes(16 * MIB), 640),
        ", row 1: expected a .csv.gz file in UTF-8, got binary content",
    ),
    file(
        "a line of 10 GiB",
        "scores.csv.gz",
        lambda: packed(b"loss,member\n", 1) + packed(b"1" * 16 * MIB, 640),
        ENDLESS,
    ),
    file(
        "a quote of 10 GiB",
        "scores.csv.gz",
        lambda: packed(b'loss,member\n"', 1) + packed(b"1\n" * 8 * MIB, 640),
        ENDLESS,
    ),
    file(
        "a line of JSON of 10 GiB",
        "scores.jsonl.gz",
        lambda: packed(b'{"loss": 1, "member": 1}\n', 1) + packed(b"[" * 16 * MIB, 640),
        ENDLESS,
    ),
    file(
        "millions of blank lines",
        "scores.csv.gz",
        lambda: packed(b"loss,member\n", 1) + packed(b"\n" * 16 * MIB, 640),
        f", record {LIBRARY}: expected a record, got more than 64 MiB of blank lines",
    ),
    file(
        "a million columns",
        "scores.csv",
        lambda: ",".join(f"c{i}" for i in range(10**6)).encode(),
        ", row 1: expected at most 10000 columns, got 1000000",
    ),
    file(
        "millions of cells",
        "scores.csv",
        lambda: b"loss,member\n1" + b",1" * 4 * MIB + b"\n",
        f", row 2: expected 2 columns, got {4 * MIB + 1}; the row begins {LIBRARY}",
    ),
    file(
        "a header of 20 MiB",
        "scores.csv",
        lambda: b"x" * 20 * MIB,
        ", record 1: expected at most 16 MiB, got a longer record",
    ),
    file(
        "lists in lists in a megabyte",
        "scores.json",
        lambda: b"[" * MIB,
        ": the values are nested too deeply",
    ),
    file(
        "a whole number of a million digits",
        "scores.json",
        lambda: b'{"loss": [' + b"9" * 10**6 + b"]}",
        ": a whole number has too many digits",
    ),
    file(
        "a hundred thousand keys",
        "scores.json",
        lambda: json.dumps([dict.fromkeys(map(str, range(10**5)), 1)]).encode(),
        ": no score column recognised, columns found: "
        f"{', '.join(f'{chr(34)}{i}{chr(34)}' for i in range(20))} and 99980 more; {NO_SCORE}",
    ),
    file(
        "JSON larger than the memory",
        "scores.json",
        lambda: b'{"loss": [' + b"1," * 16 * MIB + b"1]}",
        ": JSON is read as a whole, which takes about 96 MiB, more than the 64 MiB of "
        f"memory_limit; {LIBRARY}",
        memory_limit=64 * MIB,
    ),
    file(
        "a shape of 80 MB and no entries",
        "scores.npy",
        lambda: header(
            "{'descr': [('loss', '<f8')], 'fortran_order': False, 'shape': (10000000,), }"
        ),
        ": expected 80000000 bytes for \"[('loss', '<f8')]\" of shape (10000000,), got 0: cut off "
        "or damaged",
    ),
    file(
        "a header of 4 GiB",
        "scores.npy",
        lambda: b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}",
        ": not a readable .npy array: the header has 4294967295 bytes, more than 65536",
    ),
    file(
        "a zip bomb of 3 GiB",
        "scores.npz",
        lambda: zip_bomb(3 * GIB),
        ', key "member": reading takes 12288 MiB, more than the 512 MiB of memory_limit; '
        '.npy files are streamed: read_scores(("member.npy", "nonmember.npy"))',
        memory_limit=512 * MIB,
    ),
    file(
        "a shape that lies in a zip file",
        "scores.npz",
        lambda: zipped(
            ("member.npy", header(SHAPED % f"({2**50},)")), ("nonmember.npy", npy([0.5]))
        ),
        f', key "member": expected {2**53} bytes for "float64" of shape ({2**50},), got 0: cut off '
        "or damaged",
    ),
    file(
        "a column that claims a tebibyte",
        "scores.feather",
        lying_feather,
        f", record batch 0: unpacking takes more than the {LIBRARY}",
    ),
    file(
        "a batch of ten million zeros",
        "scores.feather",
        lambda: feather_of({"loss": np.zeros(10**7), "member": np.zeros(10**7, np.bool)}),
        ", record batch 0: unpacking takes more than the 64 MiB that memory_limit allows "
        "for a piece; write "
        "smaller batches: pyarrow.feather.write_feather(..., chunksize=2**16)",
        memory_limit=MIB,
    ),
    file(
        "a coded text of 38 MiB",
        "scores.feather",
        lambda: feather_of({"loss": [1.0], "member": coded("a" * 40_000_000)}),
        ", record batch 0: unpacking takes 76 MiB, more than the 64 MiB that memory_limit allows "
        "for a piece; write "
        "smaller batches: pyarrow.feather.write_feather(..., chunksize=2**16)",
        memory_limit=MIB,
    ),
    file(
        "a text of 38 MiB in a dictionary",
        "scores.parquet",
        lambda: parquet_of({"loss": [1.0], "member": coded("a" * 40_000_000)}),
        ", row group 0: unpacking takes more than the 64 MiB that memory_limit allows "
        "for a piece; write "
        "smaller row groups and pages: pyarrow.parquet.write_table(..., row_group_size=2**20)",
        memory_limit=MIB,
    ),
    file(
        "one text in a hundred thousand rows",
        "scores.parquet",
        lambda: parquet_of({"loss": np.zeros(10**5), "member": coded("a" * 20_000, 10**5)}),
        f', row 0, column "member": {CODED} "{"a" * 60}..."',
        memory_limit=MIB,
    ),
    file(
        "one long text among short ones",
        "scores.json",
        lambda: json.dumps({"loss": [1.0] * 3000, "member": ["a" * 10**6, *["1"] * 2999]}).encode(),
        f', row 0, column "member": {CODED} "{"a" * 60}..."',
    ),
    file(
        "two million empty lists",
        "scores.json",
        lambda: b'{"member_losses":[' + b",".join([b"[]"] * 2 * MIB) + b"]}",
        f": JSON is read as a whole, which takes more than the 256 MiB of memory_limit; {LIBRARY}",
        memory_limit=256 * MIB,
    ),
    file(
        "three hundred thousand keys, the last one twice",
        "scores.json",
        lambda: b'{"last":0,' + b"".join(b'"%d":1,' % i for i in range(300_000)) + b'"last":1}',
        ': keys must be unique, got "last" twice',
    ),
    file(
        "mappings in mappings, each with all keys",
        "scores.json",
        lambda: json.dumps(nested(900, dict.fromkeys(map(str, range(10**5)), 1))).encode(),
        ": the values are nested too deeply",
    ),
    file(
        "a million digits that are no number",
        "scores.jsonl",
        lambda: b'{"loss": "' + b"9" * 10**6 + b'e", "member": 1}\n',
        f', row 1, column "loss": expected a number, got "{"9" * 60}..."',
    ),
    file(
        "empty objects",
        "scores.jsonl.gz",
        lambda: packed(b'{"loss": 1, "member": 1}\n', 1) + packed(b"{}\n" * 4 * MIB, 160),
        f", row {LIBRARY}: {WITHOUT}",
        missing="drop",
    ),
    file(
        "objects with another cell",
        "scores.jsonl.gz",
        lambda: packed(b'{"loss": 1, "member": 1}\n', 1) + packed(b'{"x":0}\n' * 2 * MIB, 160),
        f", row {LIBRARY}: {WITHOUT}",
        missing="drop",
    ),
)


def status(name: str) -> int:
    """Bytes of this process, as Linux counts them."""
    line = Path("/proc/self/status").read_text().partition(f"{name}:")[2]
    return int(line.split()[0]) * 1024


def limited(read: Callable[[], object]) -> tuple[str, int]:
    """What a reading gives, and by how many bytes the process grew for a while."""
    Path("/proc/self/clear_refs").write_text("5")  # the peak is what is in memory now
    before = status("VmRSS")
    signal.setitimer(signal.ITIMER_PROF, MOST_CPU)
    try:
        got = repr(read())
    except Exception as error:
        got = f"{type(error).__name__}: {error}"
    signal.setitimer(signal.ITIMER_PROF, 0)
    return got, status("VmHWM") - before


def random_inputs() -> Iterator[tuple[Target, Any]]:
    """Inputs of all targets in turn."""
    every = [*file_targets(), *document_targets(), *message_targets()]
    for number in range(RANDOM):
        target = every[number % len(every)]
        yield target, target.input(1, number)


def main(folder: Path) -> None:
    """Make all, read all, and say how each was refused."""
    from dpviz.data import read_scores

    sources = []
    for i, case in enumerate(CASES):
        (folder / str(i)).mkdir()
        sources.append(case.make(folder / str(i)))
    given = list(random_inputs())
    for target, _ in given[:40]:  # loads the libraries
        ended(target, target.valid[0])
    limit = psutil.Process().memory_info().vms + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    for case, source in zip(CASES, sources, strict=True):
        options = {"memory_limit": LIMIT} | case.options
        got, grown = limited(partial(read_scores, source, **options))
        print(json.dumps([case.name, got, grown - options["memory_limit"]]), flush=True)  # noqa: T201
    ends: Counter[str] = Counter()
    grown = 0
    for target, content in given:
        got, more = limited(partial(ended, target, content))
        ends[got] += 1
        grown = max(grown, more)
    print(json.dumps([dict(ends), grown]))  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]))
