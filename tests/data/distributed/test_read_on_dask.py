"""`read_scores(..., engine="dask")`: on a cluster of two processes, one of which is killed."""

import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import dask
import numpy as np
import pyarrow as pa
import pytest
from distributed import Client, LocalCluster
from pyarrow import parquet

from dpviz.audit import BinnedScores
from dpviz.data import ReadError, read_scores
from dpviz.data import distributed as parquet_parts

ROWS = 15_000


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with (
        # A cluster gives up a worker that its nanny has not begun again by then.
        dask.config.set({"distributed.deploy.lost-worker-timeout": "300s"}),
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def here() -> Iterator[None]:
    """Without a cluster, in this thread."""
    with dask.config.set(scheduler="synchronous"):
        yield


def write(path: Path, columns: dict[str, Any], rows: int = ROWS) -> None:
    parquet.write_table(pa.table(columns), path, row_group_size=rows)


def losses(n: int, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    is_member = rng.random(n) < 0.3
    return {"loss": rng.standard_normal(n) + 0.7 * ~is_member, "in_train": is_member}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six files, and all of their rows in one."""
    folder = tmp_path_factory.mktemp("scores")
    parts = [losses(ROWS, seed) for seed in range(6)]
    for i, part in enumerate(parts):
        write(folder / f"part-{i}.parquet", part, rows=1000)
    whole = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    write(folder / "whole.parquet", whole)
    return folder


def same(found: Any, expected: Any) -> None:
    assert isinstance(found, BinnedScores)
    assert isinstance(expected, BinnedScores)
    assert found.kind == expected.kind
    for name in (
        "thresholds",
        *(f"{c}_{w}" for c in ("member", "nonmember") for w in ("counts", "means")),
    ):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)


def local(path: Path) -> Any:
    return read_scores(path, memory_limit=0, progress=iter)


@pytest.mark.slow
def test_a_cluster_counts_what_one_process_counts(client: Client, folder: Path) -> None:
    expected = local(folder / "whole.parquet")
    same(read_scores(f"{folder}/part-*.parquet", engine="dask"), expected)
    files = [folder / f"part-{i}.parquet" for i in (3, 1, 5, 0, 2, 4)]
    same(read_scores(files, engine="dask"), expected)


@pytest.mark.slow
@pytest.mark.parametrize("rows", [2500, 10**6])
def test_how_rows_are_dealt_changes_nothing(
    here: None, folder: Path, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    monkeypatch.setattr(parquet_parts, "ROWS_OF_A_PART", rows)
    same(
        read_scores(f"file://{folder}/part-*.parquet", engine="dask"),
        local(folder / "whole.parquet"),
    )


def test_rates_are_those_of_the_numbers(here: None, folder: Path) -> None:
    found = read_scores(str(folder / "part-0.parquet"), engine="dask")
    numbers = losses(ROWS, 0)
    for threshold in found.distinct_scores()[::500]:
        hit = -numbers["loss"] >= threshold
        members = int((hit & numbers["in_train"]).sum())
        assert found.count_at_least(threshold) == (members, int(hit.sum()) - members)


@pytest.mark.slow
@pytest.mark.parametrize("task", ["counts-", "counts_by_float32-"], ids=["first", "second"])
def test_a_worker_killed_in_either_pass_changes_nothing(
    client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch, task: str
) -> None:
    monkeypatch.setattr(parquet_parts, "ROWS_OF_A_PART", 1000)  # 90 tasks, and those that add up
    before = client.run(os.getpid)
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read_scores, f"{folder}/part-*.parquet", engine="dask")
        victim = busy_worker(client, task, reading.done)
        os.kill(before[victim], signal.SIGKILL)
        assert not reading.done()
        found = reading.result(timeout=300)
    same(found, local(folder / "whole.parquet"))
    client.wait_for_workers(2, timeout=300)
    assert before[victim] not in client.run(os.getpid).values()


def busy_worker(client: Client, task: str, is_done: Callable[[], bool]) -> str:
    """A worker that holds the results of several tasks, and has others to do."""
    while not is_done():
        held, waiting = client.has_what(), client.processing()
        for worker, results in held.items():
            if sum(str(key).startswith(task) for key in results) >= 3 and waiting.get(worker):
                return worker
        time.sleep(0.01)
    raise AssertionError("it was over before a worker was killed")


def test_a_row_group_beyond_the_memory_limit(here: None, tmp_path: Path) -> None:
    losses = np.arange(5_000_000) / 2
    write(tmp_path / "a.parquet", {"loss": losses, "member": losses % 1 > 0}, rows=losses.size)
    with pytest.raises(ReadError, match=r"^a\.parquet, row group 0: unpacking takes \d\d MiB"):
        read_scores(tmp_path / "a.parquet", engine="dask", memory_limit=0)


def test_texts_stay_coded(here: None, tmp_path: Path) -> None:
    """Else 10^5 rows would take 2 GB for one text of the file's dictionary."""
    texts = pa.DictionaryArray.from_arrays(
        pa.array(np.zeros(10**5, np.int32)), pa.array(["a" * 20_000])
    )
    path = tmp_path / "a.parquet"
    table = pa.table({"loss": np.zeros(10**5), "member": texts})
    parquet.write_table(table, path, compression="zstd", store_schema=False)
    pool = pa.default_memory_pool()
    before = pool.bytes_allocated()
    with pytest.raises(ReadError, match='column "member": expected 1/0, true/false'):
        read_scores(path, engine="dask")
    assert pool.max_memory() - before < 2**28


def test_provenance(here: None, folder: Path) -> None:
    found = read_scores(f"{folder}/part-*.parquet", engine="dask").provenance
    assert found is not None
    assert found.source == f"{folder}/part-*.parquet"
    assert found.loader == "Parquet on Dask"
    assert found.understood == (
        'losses from column "loss", membership from column "in_train", in 6 Parquet files'
    )
    assert (found.n_rows, found.n_dropped, found.dropped) == (6 * ROWS, 0, "")
    assert found.path is None
    assert found.sha256 is None


def test_names_of_sources(here: None, folder: Path) -> None:
    first = f"{folder}/part-0.parquet"
    two = [first, f"{folder}/part-1.parquet"]
    assert read_scores(two, engine="dask").provenance.source == f"{first} and 1 more"
    assert read_scores(two, engine="dask", name="run 7").provenance.source == "run 7"


def test_dropped_rows_of_all_parts(
    here: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_parts, "ROWS_OF_A_PART", 2)
    write(tmp_path / "a.parquet", {"loss": [1.0, 2, None, 4, None], "member": [1, 0, 1, 0, 1]}, 2)
    write(tmp_path / "b.parquet", {"loss": [1.0, None], "member": [1, None]}, 2)
    write(tmp_path / "c.parquet", {"loss": [None, None, None, 1.0], "member": [1, 0, 1, 0]}, 1)
    said = (
        "dropped 6 of 11 rows with a missing value (row 2 of a.parquet, row 4 of a.parquet, "
        "row 1 of b.parquet, row 0 of c.parquet, row 1 of c.parquet, ...)"
    )
    with pytest.warns(UserWarning, match=re.escape(said)) as caught:
        found = read_scores(f"{tmp_path}/*.parquet", engine="dask", missing="drop")
    assert caught[0].filename == __file__
    assert (found.n_members, found.n_nonmembers) == (2, 3)
    assert found.provenance.dropped == said
    assert (found.provenance.n_rows, found.provenance.n_dropped) == (11, 6)


GOOD = {"loss": [1.0, 2.0, 3.0, 4.0], "member": [1, 0, 1, 0]}
REFUSED: list[tuple[dict[str, Any], str]] = [
    (
        {"loss": [1.0, 2.0, 3.0, 1e301], "member": [1, 0, 1, 0]},
        'b.parquet, row 3, column "loss": expected a number in [-1e+300, 1e+300] or inf, got 1e+3',
    ),
    (
        {"loss": [1.0, 2.0, 3.0, 4.0], "member": [1, 0, 1, 7]},
        'b.parquet, row 3, column "member": expected 1/0, true/false, ',
    ),
    (
        {"loss": [1.0, 2.0, 3.0, 1e200], "member": [1, 0, 1, 0]},
        "b.parquet: numbers must be in [-3.4e+38, 3.4e+38], or infinite, got ",
    ),
    (
        {"loss": [1.0], "in_train": [1]},
        'b.parquet: expected the columns of a.parquet; missing: "member"; additional: "in_train"',
    ),
]


@pytest.mark.parametrize(("content", "said"), REFUSED, ids=["cell", "member", "large", "columns"])
def test_what_is_refused_says_the_file_and_the_row(
    here: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: dict[str, Any], said: str
) -> None:
    monkeypatch.setattr(parquet_parts, "ROWS_OF_A_PART", 2)
    write(tmp_path / "a.parquet", GOOD, rows=2)
    write(tmp_path / "b.parquet", content, rows=2)
    with pytest.raises(ReadError, match=re.escape(said)):
        read_scores(f"{tmp_path}/*.parquet", engine="dask")


@pytest.mark.slow
def test_errors_come_back_from_other_processes(client: Client, tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"loss": [1.0, None], "member": [1, 0]})
    said = (
        'a.parquet, row 1, column "loss": expected a number, got nan '
        '(1 such row; missing="drop" drops rows with a missing value)'
    )
    with pytest.raises(ReadError) as caught:
        read_scores(tmp_path / "a.parquet", engine="dask")
    assert str(caught.value) == said


def test_what_is_no_parquet_file(here: None, tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1 but not really PAR1")
    with pytest.raises(ReadError, match=r"a\.parquet: not a readable file: "):
        read_scores(f"{tmp_path}/*.parquet", engine="dask")
    with pytest.raises(ReadError, match="not a readable file: "):
        read_scores(str(tmp_path), engine="dask")


def test_a_file_that_changes(here: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a.parquet", GOOD)
    split = parquet_parts.TaskRows.split

    def changed_meanwhile(*given: Any, **chosen: Any) -> Any:
        write(tmp_path / "a.parquet", {"loss": [1.0, 2.0], "member": [1, 0]})
        return split(*given, **chosen)

    monkeypatch.setattr(parquet_parts.TaskRows, "split", changed_meanwhile)
    with pytest.raises(ReadError, match=r"a\.parquet: the file changed while it was read"):
        read_scores(tmp_path / "a.parquet", engine="dask")


def test_no_rows_and_one_class(here: None, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    write(path, {"loss": pa.array([], pa.float64()), "member": pa.array([], pa.int8())})
    with pytest.raises(ReadError, match="expected rows, got none"):
        read_scores(path, engine="dask")
    write(path, {"loss": [1.0, 2.0], "member": [1, 1]})
    with pytest.raises(ReadError, match="got 2 members and 0 non-members"):
        read_scores(path, engine="dask")


def test_sources_that_lead_nowhere(here: None, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="No file matches"):
        read_scores(f"{tmp_path}/*.parquet", engine="dask")
    with pytest.raises(FileNotFoundError, match=r"none\.parquet"):
        read_scores(tmp_path / "none.parquet", engine="dask")
    with pytest.raises(ReadError, match="got an empty list"):
        read_scores([], engine="dask")
    with pytest.raises(ReadError, match="a URL of Parquet files, or a list of them; got a dict"):
        read_scores({"member": [1.0]}, engine="dask")


def test_the_same_file_twice(here: None, tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", GOOD)
    with pytest.raises(ReadError, match=r"given once, got file://.*/a\.parquet 2 times"):
        read_scores([f"{tmp_path}/*.parquet", tmp_path / "a.parquet"], engine="dask")


def test_files_of_one_name_are_told_apart(here: None, tmp_path: Path) -> None:
    for name, content in (("one", GOOD), ("two", {"loss": [np.nan], "member": [1]})):
        (tmp_path / name).mkdir()
        write(tmp_path / name / "part.parquet", content)
    with pytest.raises(ReadError, match=r"two/part\.parquet, row 0, "):
        read_scores(f"{tmp_path}/*/part.parquet", engine="dask")


@pytest.mark.parametrize(
    "option",
    [{"group": "label"}, {"progress": iter}],
    ids=["group", "progress"],
)
def test_options_of_local_reading(here: None, folder: Path, option: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match='must be left out with engine="dask"'):
        read_scores(str(folder / "part-0.parquet"), engine="dask", **option)


def test_passwords_are_not_kept(here: None, tmp_path: Path) -> None:
    """The file system in memory takes any URL."""
    from fsspec.implementations.memory import MemoryFileSystem

    with MemoryFileSystem().open("/user:secret@host/a.parquet", "wb") as file:
        parquet.write_table(pa.table(GOOD), file)
    found = read_scores("memory://user:secret@host/*.parquet", engine="dask")
    assert found.provenance.source == "memory://host/*.parquet"


def test_an_engine_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="engine must be one of"):
        read_scores("a.parquet", engine="spark")  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(ImportError, match=re.escape("pip install 'dpviz[distributed]'")):
        read_scores("a.parquet", engine="dask")
