"""Tables in pieces: blocks of text, counts instead of records, and what both say of faults."""

import csv
import gzip
import io
import tracemalloc
from collections.abc import Callable, Iterator
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather, parquet

from dpviz import AttackScores, read_scores
from dpviz.audit import BinnedScores
from dpviz.audit.scores.base import ScoreKind
from dpviz.data import ReadError, collect
from dpviz.data.collect import BinCounts, Records
from dpviz.data.distributed import TaskCounts
from dpviz.data.formats.csv import CsvFile
from dpviz.data.sources import text_blocks as blocks_module
from dpviz.data.sources.file import File
from dpviz.data.sources.text_blocks import text_blocks
from tests.slow import examples

N = 3000


def table() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    member = rng.random(N) < 0.4
    loss = rng.normal(np.where(member, 0.0, 0.7), 1.0)
    loss[:5] = [0.0, -0.0, 1e-42, -1e-42, 3e38]
    return pd.DataFrame({"note": "a", "loss": loss, "is_member": member})


def write_stream(frame: pd.DataFrame, path: Path) -> None:
    """As datasets of Hugging Face are saved: no file in Arrow's sense, a stream."""
    whole = pa.Table.from_pandas(frame, preserve_index=False)
    with pa.ipc.new_stream(path, whole.schema) as writer:
        writer.write_table(whole, max_chunksize=700)


WRITERS: dict[str, Callable[[pd.DataFrame, Path], object]] = {
    ".csv": lambda frame, path: frame.to_csv(path, index=False),
    ".tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    ".csv.gz": lambda frame, path: frame.to_csv(path, index=False),
    ".parquet": lambda frame, path: frame.to_parquet(path, row_group_size=700),
    ".feather": lambda frame, path: feather.write_feather(frame, path, chunksize=700),
    ".arrow": lambda frame, path: write_stream(frame, path),
}


@pytest.mark.slow
@pytest.mark.parametrize("suffix", WRITERS)
def test_a_streamed_table_is_the_table_counted(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"losses{suffix}"
    WRITERS[suffix](table(), path)
    in_memory = read_scores(path)
    assert isinstance(in_memory, AttackScores)
    assert np.isin(in_memory.member, -table().loss[table().is_member]).all()
    counted, streamed = BinnedScores.of(in_memory), read_scores(path, memory_limit=0, progress=iter)
    assert isinstance(streamed, BinnedScores)
    assert streamed.n_members == in_memory.n_members
    assert streamed.provenance == in_memory.provenance
    for threshold in counted.thresholds:  # more than counted: some cells were counted again
        of_table = (in_memory.member >= threshold).sum()
        assert streamed.members.count_at_least(np.array([threshold]))[0] == of_table


def test_many_records_in_memory_are_counted_as_in_a_stream(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collect, "MOST_EXACT", N - 1)
    frame = table()
    frame.to_parquet(tmp_path / "losses.parquet")
    pair = frame.loss[frame.is_member].to_numpy(), frame.loss[~frame.is_member].to_numpy()
    streamed = read_scores(tmp_path / "losses.parquet", memory_limit=0, progress=iter)
    assert isinstance(streamed, BinnedScores)
    as_lists = pair[0].tolist(), pair[1].tolist()
    for source in (pair, as_lists, frame, tmp_path / "losses.parquet"):
        counted = read_scores(source)
        assert isinstance(counted, BinnedScores)
        assert counted.kind == "loss"
        for name in ("thresholds", "member_counts", "nonmember_means"):
            np.testing.assert_array_equal(getattr(counted, name), getattr(streamed, name))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble, np.int8])
def test_arrays_of_any_type_are_counted_as_their_float64_values(
    monkeypatch: pytest.MonkeyPatch, dtype: type
) -> None:
    kind: ScoreKind = "loss" if dtype is np.float32 else "score"
    sign = -1 if kind == "loss" else 1
    rng = np.random.default_rng(3)
    pair = tuple((sign * 20 * rng.normal(mean, 1, N)).astype(dtype) for mean in (1, 0))
    exact = AttackScores(*(sign * values.astype(np.float64) for values in pair)).shown_as(kind)
    monkeypatch.setattr(collect, "MOST_EXACT", N)
    counted, expected = read_scores(pair, kind=kind), collect.binned_if_many(exact)
    assert isinstance(counted, BinnedScores)
    assert isinstance(expected, BinnedScores)
    assert counted.kind == kind
    names = ("thresholds", "member_counts", "nonmember_counts", "member_means", "nonmember_means")
    for name in names:
        np.testing.assert_array_equal(getattr(counted, name), getattr(expected, name))


def test_counting_arrays_takes_less_than_a_byte_for_each_record(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(collect, "MOST_EXACT", 3)

    def peak(n: int) -> int:
        pair = np.linspace(0, 1, n, dtype=np.float32), np.linspace(0.5, 2, n, dtype=np.float32)
        tracemalloc.start()
        try:
            read_scores(pair)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    few, many = 2**17, 2**21  # both of more than one piece
    assert peak(many) - peak(few) < 2 * (many - few)


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ([np.array([1.0, np.nan, 3.0]), np.ones(3)], "^member losses must be numbers, got 1 NaN"),
        ([np.ones(4), np.ones(0)], "^nonmember losses must not be empty"),
        ([np.ones((2, 2)), np.ones(4)], "^member losses must be one-dimensional"),
        ([np.ones(4), np.array([1e301])], r"^nonmember losses must be in \[-1e\+300, 1e\+300\]"),
    ],
)
def test_a_fault_of_many_records_is_that_of_few(
    monkeypatch: pytest.MonkeyPatch, pair: list[np.ndarray], message: str
) -> None:
    monkeypatch.setattr(collect, "MOST_EXACT", 3)
    with pytest.raises(ValueError, match=message):
        read_scores(tuple(pair))


def test_many_records_stay_exact_where_that_is_wanted_or_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(collect, "MOST_EXACT", 3)
    pair = ([1.0, 2.0, 1e200], [2.0, 3.0])
    scores = AttackScores(member=[1, 2, 3], nonmember=[2, 3])
    frame = pd.DataFrame({"loss": [1, 2, 3, 4], "is_member": [1, 1, 0, 0], "label": list("aabb")})
    for source, options in (
        (([1, 2, 3], [2, 3]), {"memory_limit": 2**30}),
        (pair, {}),  # counts have no score of that size
        (scores, {}),
        (frame, {"group": "label"}),
    ):
        assert isinstance(read_scores(source, **options), AttackScores)
    assert isinstance(read_scores(([1, 2, 3], [2, 3])), BinnedScores)


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_fault_is_found_in_any_piece(tmp_path: Path, suffix: str) -> None:
    frame = table()
    frame.loc[2900, "loss"] = 1e301
    path = tmp_path / f"losses{suffix}"
    WRITERS[suffix](frame, path)
    row = 2902 if "sv" in suffix else 2900
    said = rf'^losses\{suffix}, row {row}, column "loss": expected a number in .*, got "?1e\+301'
    for limit in (None, 0):
        with pytest.raises(ReadError, match=said):
            read_scores(path, memory_limit=limit, progress=iter)


def test_dropped_rows_of_all_pieces_are_counted(tmp_path: Path) -> None:
    frame = table()
    frame.loc[[7, 1500, 2999], "loss"] = np.nan
    frame.to_parquet(tmp_path / "losses.parquet", row_group_size=700)
    with pytest.warns(UserWarning, match=r"dropped 3 of 3000 .* \(rows 7, 1500, 2999\)$"):
        scores = read_scores(
            tmp_path / "losses.parquet", missing="drop", memory_limit=0, progress=iter
        )
    assert scores.provenance is not None
    assert (scores.provenance.n_rows, scores.provenance.n_dropped) == (3000, 3)


def test_groups_need_memory(tmp_path: Path) -> None:
    table().to_csv(tmp_path / "losses.csv", index=False)
    with pytest.raises(ReadError, match=r'group must be left out if .*, got "note"; give a larger'):
        read_scores(tmp_path / "losses.csv", group="note", memory_limit=0)


def test_whoever_shows_the_progress_may_cancel(tmp_path: Path) -> None:
    table().to_parquet(tmp_path / "losses.parquet")

    def cancelled(rounds: range) -> Iterator[int]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read_scores(tmp_path / "losses.parquet", memory_limit=0, progress=cancelled)


def test_numbers_beyond_the_grid_are_refused(tmp_path: Path) -> None:
    (tmp_path / "losses.csv").write_text("loss,member\n1,1\n-1e39,0\n")
    assert read_scores(tmp_path / "losses.csv").n_members == 1
    with pytest.raises(ReadError, match=r"losses\.csv: numbers must be in .*, got -1e\+39"):
        read_scores(tmp_path / "losses.csv", memory_limit=0, progress=iter)


CELL = st.text(st.sampled_from('a",\n\r é0'), max_size=6)


@given(
    rows=st.lists(st.lists(CELL, min_size=1, max_size=3), min_size=1, max_size=12),
    size=st.integers(8, 60),
    ending=st.sampled_from(["\n", "\r\n"]),
)
@examples(1.5)
def test_blocks_hold_whole_records(rows: list[list[str]], size: int, ending: str) -> None:
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator=ending).writerows(rows)
    file = File(where="f", suffix=".csv", content=text.getvalue().encode())
    # The writer's own parity: what the standard library reads back from the whole text.
    lines = text.getvalue().replace("\r\n", "\n").replace("\r", "\n")
    whole = list(csv.reader(io.StringIO(lines, newline="\n"), strict=True))
    read: list[list[str]] = []
    for content, n_before in text_blocks(file, size=size):
        assert n_before == len(read)
        read += csv.reader(io.StringIO(content.decode(), newline="\n"), strict=True)
    assert read == whole


def test_a_csv_file_in_many_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "losses.csv"
    frame = table()
    frame["note"] = 'a "quoted"\nline'
    frame.to_csv(path, index=False)
    whole = read_scores(path)
    monkeypatch.setattr(blocks_module, "BLOCK", 999)
    assert len(list(CsvFile(File.of(path, None)).blocks())) > 50
    pieces = read_scores(path)
    assert isinstance(whole, AttackScores)
    assert isinstance(pieces, AttackScores)
    assert (whole.member == pieces.member).all()
    assert (whole.nonmember == pieces.nonmember).all()


def test_a_record_without_an_end_is_refused(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "bomb.csv.gz", "wb") as file:
        for _ in range(40):
            file.write(b"," * 2**20)
    with pytest.raises(ReadError, match=r"record 1: expected at most 16 MiB, got a longer record"):
        read_scores(tmp_path / "bomb.csv.gz")


LARGEST = float(np.finfo(np.float32).max)
NUMBERS = st.lists(
    st.tuples(st.floats(-LARGEST, LARGEST, width=32), st.booleans()), min_size=1, max_size=30
)


@pytest.mark.slow
@given(parts=st.lists(NUMBERS, min_size=1, max_size=4), kind=st.sampled_from(["loss", "score"]))
def test_parts_may_come_in_any_order(parts: list[list[tuple[float, bool]]], kind: Any) -> None:
    def counted(some: list[tuple[float, bool]], dtype: type) -> BinCounts:
        bins = BinCounts(kind)
        values, is_member = zip(*some, strict=True)
        bins.add(Records(values=np.array(values, dtype), is_member=np.array(is_member)))
        return bins

    at_once = counted([each for part in parts for each in part], np.float64)
    each = [TaskCounts.of(counted(part, np.float32), ()) for part in reversed(parts)]
    merged = reduce(add, each).to_bin_counts(kind)
    assert merged.class_sizes == at_once.class_sizes
    assert (merged.counts == at_once.counts).all()
    assert (merged.offset_sums == at_once.offset_sums).all()


def test_the_mean_of_a_cell_is_that_of_its_records() -> None:
    values = np.array([1.0, 1.0001, 1.0002, -3.0, -3.0003, 0.0], np.float32)
    bins = BinCounts("score")
    bins.add(Records(values=values, is_member=np.ones(6, np.bool)))
    bins.add(Records(values=values[:1], is_member=np.zeros(1, np.bool)))
    scores = bins.scores()
    assert scores.member_means is not None
    # Negative cells end with the numbers of few digits that positive ones begin with.
    groups = [values[3:5], values[5:6], values[:3]]
    expected = [group.astype(np.float64).mean() for group in groups]
    assert scores.member_means == pytest.approx(expected, rel=1e-12)


def test_feather_and_parquet_hold_other_types(tmp_path: Path) -> None:
    columns = {
        "loss": pa.array(np.array([0.5, 2.0, 0.25], np.float16)),
        "split": pa.array(["train", "test", "train"]).dictionary_encode(),
    }
    parquet.write_table(pa.table(columns), tmp_path / "a.parquet")
    scores = read_scores(tmp_path / "a.parquet")
    assert isinstance(scores, AttackScores)
    assert (scores.member.tolist(), scores.nonmember.tolist()) == ([-0.5, -0.25], [-2.0])


def test_faults_are_counted_where_they_were_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = table()
    frame.loc[[5, 2900], "loss"] = np.nan
    frame.to_csv(tmp_path / "a.csv", index=False)
    feather.write_feather(frame, tmp_path / "a.feather", chunksize=700)
    with pytest.raises(ReadError, match=r"row 7, .* \(2 such rows; missing"):
        read_scores(tmp_path / "a.csv")
    with pytest.raises(ReadError, match=r"row 5, .* \(at least 1 such row; missing"):
        read_scores(tmp_path / "a.feather")
    monkeypatch.setattr("dpviz.data.sources.text_blocks.BLOCK", 999)
    monkeypatch.setattr("dpviz.data.formats.csv.BLOCK", 999)
    with pytest.raises(ReadError, match=r"row 7, .* \(at least 1 such row; missing"):
        read_scores(tmp_path / "a.csv")
