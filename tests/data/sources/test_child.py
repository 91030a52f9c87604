"""Reading in a child process: what it may take, how it may end, and that the next file is read."""

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from dpviz import AttackScores, BinnedScores, read_scores
from dpviz.data import ReadError
from dpviz.data.sources import child
from dpviz.data.sources.child import ChildError, run_in_child
from dpviz.data.sources.parquet_arrow_json import _arrow_streams
from tests.slow import parametrize

MIB = 2**20


def pieces(n: int, size: int) -> Iterator[bytes]:
    """Some pieces of zeros."""
    for _ in range(n):
        yield bytes(size)


def taken(size: int) -> Iterator[bytes]:
    """How much memory could be taken."""
    yield str(len(bytearray(size))).encode()


def too_much() -> Iterator[bytes]:
    """A reading that says where the memory did not suffice."""
    raise MemoryError("row group 7", 5)
    yield b""


def failing() -> Iterator[bytes]:
    """A reading that fails after a piece."""
    yield b"first"
    raise ValueError("no file of mine")


def ended(number: int) -> Iterator[bytes]:
    """A reading at which the process ends."""
    yield b"first"
    os.kill(os.getpid(), number)


def slow() -> Iterator[bytes]:
    """A reading that takes for ever."""
    signal.pause()
    yield b""


def holding(size: int) -> Iterator[bytes]:
    """A reading that takes memory, and keeps it."""
    kept = b"\1" * size
    signal.pause()
    yield kept


def leaking(size: int) -> Iterator[bytes]:
    """A reading that leaves memory behind, as the pools of libraries do."""
    sys.modules["left"] = bytearray(size)  # type: ignore[assignment]
    yield b""


def numbers_of_processes() -> Iterator[bytes]:
    """The child's own number."""
    yield str(os.getpid()).encode()


def number() -> int:
    """The number of the child that reads next."""
    return int(b"".join(run_in_child(numbers_of_processes, memory=512 * MIB)))


def test_pieces_arrive_whole_and_the_child_is_kept() -> None:
    first = number()
    assert list(run_in_child(pieces, 3, 5 * MIB, memory=64 * MIB)) == [bytes(5 * MIB)] * 3
    assert first == number() != os.getpid()


def test_a_batch_of_records_and_its_copy_have_to_fit() -> None:
    batch = pa.record_batch({"loss": np.zeros(1000)})  # 8000 bytes
    [stream] = _arrow_streams(iter([batch]), "row group 0", 16_000)
    assert pa.ipc.open_stream(stream).read_all().num_rows == 1000
    with pytest.raises(MemoryError) as refused:
        list(_arrow_streams(iter([batch]), "row group 0", 15_999))
    assert refused.value.args == ("row group 0", 16_000)


def test_no_more_than_the_limit_is_taken() -> None:
    before = number()
    assert list(run_in_child(taken, 64 * MIB, memory=128 * MIB)) == [b"%d" % (64 * MIB)]
    with pytest.raises(MemoryError):
        list(run_in_child(taken, 128 * MIB, memory=64 * MIB))
    with pytest.raises(MemoryError) as refused:
        list(run_in_child(too_much, memory=512 * MIB))
    assert refused.value.args == ("row group 7", 5)
    assert number() == before


@pytest.mark.slow
def test_what_a_reading_leaves_behind_is_not_used_beyond_a_small_limit() -> None:
    before = number()
    list(run_in_child(leaking, 4 * MIB, memory=512 * MIB))
    assert number() == before  # an eighth of 512 MiB is more than it has kept
    after = int(b"".join(run_in_child(numbers_of_processes, memory=16 * MIB)))
    assert after != before


def test_errors_of_the_child() -> None:
    read = run_in_child(failing, memory=MIB)
    assert next(read) == b"first"
    with pytest.raises(ChildError, match=r"^no file of mine$"):
        next(read)


@pytest.mark.slow
@parametrize("how", [signal.SIGKILL, signal.SIGABRT, signal.SIGSEGV], slow_but=[signal.SIGSEGV])
def test_a_child_that_ends_is_an_error_and_the_next_file_is_read(how: signal.Signals) -> None:
    before = number()
    with pytest.raises(ChildError, match=rf"ended with {how.name}: it is damaged, or takes more"):
        list(run_in_child(ended, int(how), memory=MIB))
    assert number() != before


def test_a_reading_that_is_left_early() -> None:
    before = number()
    short, long = (run_in_child(pieces, n, 10, memory=64 * MIB) for n in (1, 2))
    next(short)
    short.close()
    assert number() == before
    next(long)
    long.close()
    assert number() != before


def test_whoever_waits_may_cancel() -> None:
    class CancelledError(Exception):
        pass

    def cancel() -> None:
        raise CancelledError

    before = number()
    with pytest.raises(CancelledError):
        list(run_in_child(slow, memory=MIB, on_wait=cancel))
    assert number() != before


@pytest.mark.slow
def test_two_readings_at_a_time_have_two_children() -> None:
    first, second = (run_in_child(numbers_of_processes, memory=MIB) for _ in range(2))
    assert next(first) != next(second)
    assert list(first) == list(second) == []


def test_a_child_is_watched_where_the_system_does_not_limit_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(child, "IS_ENFORCED", False)
    before = number()
    with pytest.raises(ChildError, match=r"ended with SIGKILL: .* more than the 256 MiB"):
        list(run_in_child(holding, 600 * MIB, memory=256 * MIB))
    monkeypatch.undo()
    assert number() != before


def test_without_children_files_are_read_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(child, "HAS_CHILDREN", False)
    monkeypatch.setattr("dpviz.data.formats.json.HAS_CHILDREN", False)
    assert number() == os.getpid()
    with pytest.raises(ChildError, match="no file of mine"):
        list(run_in_child(failing, memory=MIB))
    parquet.write_table(pa.table({"loss": [0.5, 1.0], "member": [1, 0]}), tmp_path / "a.parquet")
    assert read_scores(tmp_path / "a.parquet").n_members == 1
    content = json.dumps({"member_losses": [0.5] * 1000, "nonmember_losses": [1.0]}).encode()
    assert read_scores(content, name="a.json").n_members == 1000
    with pytest.raises(ReadError, match=r"^a\.json: JSON is read as a whole, .* up to 0 MiB, more"):
        read_scores(content, name="a.json", memory_limit=2**15)


@pytest.mark.slow
def test_no_child_outlives_its_process() -> None:
    code = (
        "from tests.data.sources.test_child import number, child\n"
        "print(number(), len(child._idle_children))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    place, n_idle = map(int, ran.stdout.split())
    assert n_idle == 1
    with pytest.raises(ProcessLookupError):
        os.kill(place, 0)


@pytest.mark.slow
def test_a_row_group_larger_than_the_limit_is_read_in_parts() -> None:
    n = 3 * 10**6
    stream = io.BytesIO()
    numbers = np.random.default_rng(0).normal(size=n)
    parquet.write_table(
        pa.table({"loss": numbers, "member": np.arange(n) % 2}), stream, row_group_size=n
    )
    scores = read_scores(stream.getvalue(), name="a.parquet", memory_limit=0, progress=iter)
    assert isinstance(scores, BinnedScores)
    assert scores.n_members == n // 2


@pytest.mark.slow
def test_long_texts_are_read_a_few_rows_at_a_time() -> None:
    n = 10**5
    stream = io.BytesIO()
    words = [f"{i:0>1000}" for i in range(n)]
    table = pa.table({"loss": np.arange(n) / n, "member": np.arange(n) % 2, "g": words})
    parquet.write_table(table, stream, use_dictionary=False)  # 100 MB in one row group
    scores = read_scores(stream.getvalue(), name="a.parquet", group="g", memory_limit=2**28)
    assert isinstance(scores, AttackScores)
    assert scores.n_members == n // 2


@pytest.mark.slow
def test_json_that_may_be_too_large_is_looked_at_first() -> None:
    honest = json.dumps({"member_losses": [0.123456] * 10**6, "nonmember_losses": [1.0]}).encode()
    limit = 20 * len(honest)
    scores = read_scores(honest, name="a.json", memory_limit=limit)
    assert scores.n_members == 10**6
    hostile = b'{"member_losses":[' + b",".join([b"[]"] * (limit // 60)) + b"]}"
    with pytest.raises(
        ReadError, match=r"^a\.json: JSON is read as a whole, which takes more than"
    ):
        read_scores(hostile, name="a.json", memory_limit=limit)
    with pytest.raises(ReadError, match=r"^a\.json, line 1, column \d+: not JSON: "):
        read_scores(honest[:-1], name="a.json", memory_limit=limit)


def test_looking_at_json_can_be_cancelled() -> None:
    class CancelledError(Exception):
        pass

    def progress(rounds: range) -> Iterator[int]:
        yield from rounds[:1]
        raise CancelledError

    content = b'{"loss":[' + b"1.5," * 10**6 + b"1]}"
    with pytest.raises(CancelledError):
        read_scores(content, name="a.json", memory_limit=60 * len(content), progress=progress)
