"""Objects and files made to stop a reader: each is refused in one line, and the cause is kept."""

import gzip
import io
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from dpviz import AttackScores, Spec, read_claim, read_scores
from dpviz.data import ReadError
from dpviz.data.formats import json as jsonl
from dpviz.data.formats.csv import CsvFile
from dpviz.data.formats.json import JsonlFile
from dpviz.data.sources import file as files
from dpviz.data.sources import text_blocks
from dpviz.data.sources.progress import with_progress
from dpviz.data.tables.table_source import TableSource

LONG = "long " * 200_000


class Endless(io.RawIOBase):
    """An open file without an end, which gives so many bytes at a time."""

    def __init__(self, piece: int) -> None:
        self.piece = piece

    def read(self, size: int = -1) -> bytes:
        return b"0" * self.piece


@pytest.mark.parametrize("piece", [1, 2**16])
def test_an_open_file_without_an_end(monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 2**20)
    monkeypatch.setattr(files, "MOST_READS", 1000)
    with pytest.raises(ReadError, match=r"^endless\.csv: expected at most 1 MiB and 1000 pieces"):
        read_scores(Endless(piece), name="endless.csv")


class Failing:
    """An object whose methods fail with a long message."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__.get("names", ()):
            return self.fail
        raise AttributeError(name)

    def fail(self, *args: object, **keys: object) -> Any:
        raise RuntimeError(LONG)

    def __repr__(self) -> str:
        raise KeyError(LONG)


class Watched:
    """An object that fails when it is asked for any attribute."""

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("__") and name != "__arrow_c_stream__":
            return object.__getattribute__(self, name)
        raise RuntimeError(LONG)


class Frame(Failing):
    """A table of another library that fails when it is read."""

    columns = ()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        raise pa.ArrowInvalid(LONG)


class Objecting:
    """An object that fails in every way, or leaves the program, when somebody looks at it."""

    def __init__(self, error: type[BaseException]) -> None:
        object.__setattr__(self, "error", error)

    def __getattribute__(self, name: str) -> Any:
        raise object.__getattribute__(self, "error")(LONG)

    __float__ = __array__ = __iter__ = __fspath__ = __len__ = __getattribute__  # type: ignore[assignment]


class EndlessNames(Mapping[str, Any]):
    """A mapping that says it has two names, and has names without end; or fails."""

    def __init__(self, *, fails: bool = False) -> None:
        self.fails = fails

    def __getitem__(self, name: str) -> Any:
        if self.fails:
            raise RuntimeError(LONG)
        return [1.0]

    def __iter__(self) -> Iterator[str]:
        return map(str, count())

    def __len__(self) -> int:
        return 2


BAD_TEXT = pa.Array.from_buffers(
    pa.string(), 2, [None, pa.py_buffer(np.array([0, 1, 2], np.int32)), pa.py_buffer(b"\xff\xfe")]
)
PLACES: dict[str, Callable[[Any], object]] = {
    "source": read_scores,
    "pair": lambda each: read_scores((each, [1.0])),
    "list": lambda each: read_scores(([each], [1.0])),
    "value": lambda each: read_scores({"member": each, "nonmember": [1.0]}),
    "scores": lambda each: AttackScores(member=each, nonmember=[1.0]),
    "claim": read_claim,
    "epsilon": lambda each: read_claim((each, 1e-5)),
    "prior": lambda each: Spec.of(prior=each),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("error", [RuntimeError, KeyError, SystemExit])
def test_what_objects_of_others_raise_is_one_sentence_with_its_cause(
    place: str, error: type[BaseException]
) -> None:
    with pytest.raises(ValueError, match=r"(must be|expected)") as refused:
        PLACES[place](Objecting(error))
    said = str(refused.value)
    assert len(said) < 700
    assert "\n" not in said
    assert error.__name__ in said or "Objecting" in said


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (EndlessNames(), "the mapping: expected at most 100000 names, got more"),
        (EndlessNames(fails=True), "the mapping must be an object that dpviz can read, got a End"),
        (pa.table({"loss": BAD_TEXT, "member": [1, 0]}), "each cell of the pyarrow table must be"),
        (pa.table({"loss": [1.0, 2.0], "member": BAD_TEXT}), "each cell of the pyarrow table"),
        ("x" * 5000 + ".csv", "[Errno 2] No such file (a str is a path; read_sample(name) returns"),
    ],
    ids=["endless", "mapping", "text", "membership", "path"],
)
def test_tables_and_paths_of_others_are_refused_in_one_short_line(
    source: object, message: str
) -> None:
    with pytest.raises((ValueError, FileNotFoundError)) as refused:
        read_scores(source)
    assert str(refused.value).startswith(message)
    assert len(str(refused.value)) < 700
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("source", "message", "cause"),
    [
        (Failing("read"), "x: expected an open file, got one whose read() failed", RuntimeError),
        (Failing("detach"), "source must be a pair ", None),
        (([Failing()], [1.0]), "member losses must be numbers, got a Failing", None),
        (Watched(), "x: expected a source with readable attributes, got a tests.", RuntimeError),
        (Frame(), "x: expected a table, got one that gives no rows: long", pa.ArrowInvalid),
        ({LONG: {"a": 1}, f"{LONG}.a": 2}, 'x: keys must be different texts, got "long', ReadError),
    ],
    ids=["read", "detach", "repr", "attributes", "arrow", "key"],
)
def test_errors_of_others_are_one_short_line(
    source: object, message: str, cause: type[Exception] | None
) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011, the message is compared
        read_scores(source, name="x") if cause else read_scores(source)
    said = str(refused.value)
    assert said.startswith(message)
    assert len(said) < 700
    assert "\n" not in said
    if cause not in (None, ReadError):
        assert isinstance(refused.value.__cause__, cause)


def test_no_memory_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object, **options: object) -> None:
        raise MemoryError

    monkeypatch.setattr("dpviz.data.formats.json.parse_json", full)
    with pytest.raises(
        ReadError, match=r"^a\.json: reading needs more memory than is free"
    ) as said:
        read_scores(b'{"loss": [1, 2], "member": [1, 0]}', name="a.json")
    assert isinstance(said.value.__cause__, MemoryError)


def test_a_long_label_is_kept_once() -> None:
    label = "a" * 10**6
    rows = f"1,1,{label}\n" + "2,0,b\n" * 50_000 + f"2,0,{label}\n" * 3
    scores = read_scores(f"loss,member,g\n{rows}".encode(), group="g")
    assert isinstance(scores, AttackScores)
    assert scores.member_groups is not None
    assert scores.nonmember_groups is not None
    assert scores.nonmember_groups.nbytes == 8 * 50_003
    labels = [*scores.member_groups, *scores.nonmember_groups]
    assert {len(each) for each in labels} == {1, 10**6}
    assert len({id(each) for each in labels}) == 2
    assert set(scores.groups) == {label, "b"}


def test_labels_count_as_memory() -> None:
    rows = "".join(f"{i % 2},{i % 2},{i:0>10000}\n" for i in range(1000))
    with pytest.raises(ReadError, match="group must be left out if the records need more memory"):
        read_scores(
            gzip.compress(f"loss,member,g\n{rows}".encode()),
            name="a.csv.gz",
            group="g",
            memory_limit=8 * 2**20,
        )


@pytest.mark.parametrize(
    ("source", "name", "first", "row"),
    [
        (JsonlFile, "a.jsonl", '{"loss":1,"member":1}\n', '{"loss":null,"member":1}\n'),
        (CsvFile, "a.csv", "loss,member\n1,1\n", "1,\n"),
    ],
    ids=["jsonl", "csv"],
)
def test_rows_without_a_record_have_a_limit(
    monkeypatch: pytest.MonkeyPatch, source: type[TableSource], name: str, first: str, row: str
) -> None:
    monkeypatch.setattr(source, "most_dropped", 10**4)
    for each in (text_blocks, jsonl):
        monkeypatch.setattr(each, "BLOCK", 2**14)
    rows = gzip.compress((first + row * 20_000).encode())
    with pytest.raises(
        ReadError, match=r"^a\.\w+\.gz, row 1\d+: expected a record, got more than 1"
    ):
        read_scores(rows, name=f"{name}.gz", missing="drop")


def test_more_pieces_than_expected_can_be_cancelled() -> None:
    class CancelledError(Exception):
        pass

    seen: list[int] = []
    called = count(1)

    def progress(rounds: range) -> Iterator[int]:
        for i in rounds:
            if next(called) > 5:
                raise CancelledError
            yield i

    items = with_progress(iter(range(1, 100)), 2, progress)
    with pytest.raises(CancelledError):
        seen.extend(items)
    assert seen == [1, 2, 3, 4, 5]
    assert list(with_progress(iter("abc"), 2, lambda rounds: iter(()))) == ["a", "b", "c"]


@pytest.mark.parametrize(("expected", "steps"), [(5, [0, 1, 2, 3, 4]), (3, [0, 1, 2])])
def test_a_bar_ends_at_its_end_if_there_are_fewer_pieces(expected: int, steps: list[int]) -> None:
    made: list[int] = []

    def progress(rounds: range) -> Iterator[int]:
        for i in rounds:
            made.append(i)
            yield i

    assert list(with_progress(iter("abc"), expected, progress)) == ["a", "b", "c"]
    assert made == steps


ENCODINGS: tuple[dict[str, Any], ...] = (
    {},
    {"compression": "zstd", "row_group_size": 1000},
    {"data_page_version": "2.0", "data_page_size": 500},
    {"use_dictionary": False, "write_statistics": False},
    {"use_dictionary": False, "column_encoding": {"split": "DELTA_BYTE_ARRAY"}},
    {"use_dictionary": False, "column_encoding": {"split": "DELTA_LENGTH_BYTE_ARRAY"}},
    {"use_dictionary": ["split"], "column_encoding": {"loss": "BYTE_STREAM_SPLIT"}},
)


@pytest.mark.parametrize("how", ENCODINGS, ids=str)
def test_pages_of_any_encoding_are_measured(tmp_path: Path, how: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    losses = rng.normal(size=5000)
    splits = np.where(rng.random(5000) < 0.5, "train", "test")
    path = tmp_path / "a.parquet"
    table = pa.table({"loss": losses, "split": splits, "other": [[1.0, 2.0]] * 5000})
    parquet.write_table(table, path, **how)
    scores = read_scores(path)
    assert isinstance(scores, AttackScores)
    np.testing.assert_array_equal(scores.member, -losses[splits == "train"])


def test_damaged_headers_of_pages(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"loss": [0.5, 1.0], "member": [1, 0]}), path)
    content = path.read_bytes()
    path.write_bytes(content[:4] + b"\xff" * 40 + content[44:])
    with pytest.raises(ReadError, match=r"^a\.parquet: not a readable file: "):
        read_scores(path)


def test_streams_of_arrow_are_measured_too() -> None:
    sink = io.BytesIO()
    member = np.arange(4 * 10**6) % 10 == 0
    table = pa.table({"loss": np.zeros(4 * 10**6), "member": member})
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    # A child that has read the same stream has given its memory back.
    assert read_scores(sink.getvalue(), name="a.arrow").n_members == 4 * 10**5
    with pytest.raises(ReadError, match=r"^a\.arrow, record batch 0: unpacking takes more than"):
        read_scores(sink.getvalue(), name="a.arrow", memory_limit=0)


def test_a_long_json_text_can_be_cancelled() -> None:
    class CancelledError(Exception):
        pass

    def progress(rounds: range) -> Iterator[int]:
        yield from rounds[:3]
        raise CancelledError

    numbers = b"1.5," * 10**6
    for content in (b'{"loss":[' + numbers + b"1]}", b"[" + b'{"loss":1},' * 10**5 + b"{}]"):
        with pytest.raises(CancelledError):
            read_scores(content, name="a.json", progress=progress)


ROWS = gzip.compress(b"loss,member\n0.5,1\n0.4,0\n")
NAMED = b"\x1f\x8b\x08\x08\0\0\0\0\0\xff"  # a header that a file name follows


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (NAMED + b"A" * 10**7 + b"\0" + ROWS[10:], 2),
        (NAMED + b"A" * 10**7, "not a readable file: the compressed content is cut off"),
        (gzip.compress(b"") * 10_000 + ROWS, 2),
        (ROWS + b"\0" * 100_000, 2),
        (ROWS + b"\0" * 100_000 + gzip.compress(b"0.3,0\n"), 3),
        (ROWS + b"more", "not a readable file: .* incorrect header check"),
        (ROWS[:-9], "not a readable file: the compressed content is cut off"),
        (ROWS[:-8] + b"\0" * 4 + ROWS[-4:], "not a readable file: .* incorrect data check"),
    ],
    ids=range(8),
)
def test_gzip_files_with_odd_headers_and_ends(content: bytes, expected: int | str) -> None:
    if isinstance(expected, int):
        scores = read_scores(content, name="a.csv.gz")
        assert scores.n_members + scores.n_nonmembers == expected
    else:
        with pytest.raises(ReadError, match=expected):
            read_scores(content, name="a.csv.gz")


@pytest.mark.parametrize("size", [1000, 2**14, 10**6])
def test_gzip_content_is_that_of_python(size: int) -> None:
    rng = np.random.default_rng(0)
    texts = [rng.bytes(n) * 3 for n in (0, 1, 20_000, 50_000)] + [b"0" * 10**6]
    content = b"".join(map(gzip.compress, texts))
    stream, pieces = text_blocks.GzipStream(io.BytesIO(content)), []
    while piece := stream.read(size):
        pieces.append(piece)
    assert b"".join(pieces) == gzip.decompress(content)
    assert {len(piece) for piece in pieces[:-1]} <= {size}
