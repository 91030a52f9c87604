"""Tables of libraries, rows, wide tables and parts: the same losses whatever holds them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from dask import dataframe as dask_frame

from dpviz import AttackScores, BinnedScores, ReadError, read_scores

LOSSES = np.array([0.5, 0.25, 2.0, 3.0, 0.75])
IS_MEMBER = np.array([1, 1, 0, 0, 1])
FRAME = pd.DataFrame({"x": 9.0, "member": IS_MEMBER, "loss": LOSSES})
WIDE = {"train_loss": [0.5, 0.25, 0.75], "test_loss": [2.0, 3.0, np.nan]}


def losses(scores: Any) -> tuple[list[float], list[float]]:
    assert isinstance(scores, AttackScores)
    assert scores.kind == "loss"
    return (-scores.member).tolist(), (-scores.nonmember).tolist()


EXPECTED = ([0.5, 0.25, 0.75], [2.0, 3.0])


def test_only_a_long_run_of_rows_without_the_columns_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dpviz.data.formats.json.EMPTY_ROW_RUN", 3)
    path, other = tmp_path / "losses.jsonl", 3 * ['{"note": 1}']
    member, nonmember = '{"loss": 0.5, "member": 1}', '{"loss": 2, "member": 0}'
    path.write_text("\n".join([member, *other, nonmember, *other]))
    with pytest.warns(UserWarning, match="dropped 6 of 8 rows"):
        assert losses(read_scores(path, missing="drop")) == ([0.5], [2.0])
    path.write_text("\n".join([member, nonmember, *other, *other]))
    with pytest.raises(ReadError, match=r"row 6: .* more than 3 objects one after another"):
        read_scores(path, missing="drop")


def test_quotes_in_texts_do_not_change_the_number_of_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dpviz.data.formats.json.BLOCK", 100)  # bytes: a row or two
    path = tmp_path / "losses.jsonl"
    rows = [f'{{"loss": 1, "member": {i % 2}, "note": "5\\" disk"}}' for i in range(7)]
    path.write_text("\n".join([*rows, "[]"]))
    with pytest.raises(ReadError, match="row 8: expected an object"):
        read_scores(path)


class LazyFrame:
    """What polars' LazyFrame does: columns are chosen, and computed on request in batches."""

    asked: ClassVar[list[list[str]]] = []

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def collect_schema(self) -> Any:
        class Schema:
            names = staticmethod(lambda: list(self._frame.columns))

        return Schema()

    def select(self, names: list[str]) -> "LazyFrame":
        self.asked.append(names)
        return LazyFrame(self._frame[names])

    def collect(self) -> pa.Table:
        return pa.Table.from_pandas(self._frame, preserve_index=False)


class Dataset:
    """What a Dataset of Hugging Face does: Arrow tables of some columns, some rows at a time."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame, self.column_names = frame, list(frame.columns)

    def select_columns(self, names: list[str]) -> "Dataset":
        return Dataset(self._frame[names])

    def with_format(self, name: str) -> "Dataset":
        assert name == "arrow"
        return self

    def iter(self, batch_size: int) -> Iterator[pa.Table]:
        for begin in range(0, len(self._frame), min(batch_size, 2)):
            yield pa.Table.from_pandas(self._frame.iloc[begin : begin + 2], preserve_index=False)


TABLES = {
    "pandas": lambda frame: frame,
    "arrow reader": lambda frame: pa.Table.from_pandas(frame).to_reader(),
    "lazy": LazyFrame,
    "dask": lambda frame: dask_frame.from_pandas(frame, npartitions=2),
    "Hugging Face": Dataset,
    "structured": lambda frame: frame.to_records(index=False),
    "rows": lambda frame: frame.to_dict("records"),
}


@pytest.mark.parametrize("kind", TABLES)
def test_the_records_are_those_of_the_data_frame(kind: str) -> None:
    assert losses(read_scores(TABLES[kind](FRAME))) == EXPECTED


@pytest.mark.parametrize("kind", ["lazy", "dask", "Hugging Face"])
def test_a_table_beyond_memory_is_counted_piece_by_piece(kind: str) -> None:
    scores = read_scores(TABLES[kind](FRAME), memory_limit=0, progress=iter)
    assert isinstance(scores, BinnedScores)
    assert (scores.n_members, scores.n_nonmembers) == (3, 2)
    assert scores.count_at_least(-0.6) == (2, 0)


def test_only_the_chosen_columns_are_computed() -> None:
    LazyFrame.asked.clear()
    read_scores(LazyFrame(FRAME))
    assert LazyFrame.asked == [["loss", "member"]]


@pytest.mark.parametrize("kind", ["lazy", "dask", "Hugging Face"])
def test_a_fault_in_any_piece_is_found_at_its_row(kind: str) -> None:
    bad = FRAME.assign(loss=["0.5", "1", "2", "3", "high"])
    with pytest.raises(
        ReadError, match='table, row 4, column "loss": expected a number, got "high"'
    ):
        read_scores(TABLES[kind](bad))


def test_an_error_of_the_library_is_one_line() -> None:
    class Broken(LazyFrame):
        def select(self, names: list[str]) -> LazyFrame:
            raise RuntimeError("line one\nline two")

    said = r"^the tests table: expected a table, got one that gives no rows: line one line two$"
    with pytest.raises(ReadError, match=said):
        read_scores(Broken(FRAME))


@pytest.mark.parametrize("kind", ["pandas", "lazy", "Hugging Face"])
@pytest.mark.parametrize(
    "names", [("train", "test"), ("train", "validation"), ("member", "nonmember")]
)
def test_two_splits_are_members_and_nonmembers(kind: str, names: tuple[str, str]) -> None:
    sides = (FRAME[FRAME.member == 1], FRAME[FRAME.member == 0])
    splits = {n: TABLES[kind](side[["loss"]]) for n, side in zip(names, sides, strict=True)}
    assert losses(read_scores(splits)) == EXPECTED
    plain = {n: {"loss": side["loss"].tolist()} for n, side in zip(names, sides, strict=True)}
    if names == ("train", "test"):
        assert losses(read_scores(plain)) == EXPECTED


def test_the_columns_of_two_splits_say_what_they_are() -> None:
    scores = read_scores(
        {"train": pd.DataFrame({"score": [1.0]}), "test": pd.DataFrame({"score": [0]})}
    )
    assert scores.kind == "score"
    one, other = pd.DataFrame({"score": [1.0]}), pd.DataFrame({"loss": [0.0]})
    with pytest.raises(
        ReadError, match=r'key "test", column "loss" holds losses and .* scores; pass kind='
    ):
        read_scores({"train": one, "test": other})
    assert read_scores({"train": one, "test": other}, kind="loss").kind == "loss"


def test_a_wide_table_has_a_column_for_each_class(tmp_path: Path) -> None:
    """Classes of two sizes are padded, which is missing values and so refused or dropped."""
    frame = pd.DataFrame(WIDE)
    frame.to_csv(tmp_path / "wide.csv", index=False)
    frame.to_parquet(tmp_path / "wide.parquet")
    full = pd.DataFrame({"Member_Loss": [0.5, 0.25, 0.75], "Nonmember_Loss": [2.0, 3.0, 4.0]})
    assert losses(read_scores(full)) == ([0.5, 0.25, 0.75], [2.0, 3.0, 4.0])
    for source in (frame, LazyFrame(frame), tmp_path / "wide.csv", tmp_path / "wide.parquet"):
        with pytest.raises(
            ReadError, match=r'column "test_loss": expected a number, got nan \(1 missing'
        ):
            read_scores(source)
        with pytest.warns(UserWarning, match="dropped 1 of 3 rows"):
            scores = read_scores(source, missing="drop")
        assert losses(scores) == EXPECTED
    # With a column of losses, a row is a record.
    long = FRAME.assign(train_loss=1.0, test_loss=1.0)
    assert losses(read_scores(long)) == EXPECTED


def test_a_folder_and_a_glob_are_one_table(tmp_path: Path) -> None:
    FRAME[:2].to_parquet(tmp_path / "part-1.parquet")
    FRAME[2:].to_parquet(tmp_path / "part-2.parquet")
    (tmp_path / "_SUCCESS").touch()
    for source in (tmp_path, f"{tmp_path}/part-*.parquet", f"{tmp_path}/part-[12].parquet"):
        assert losses(read_scores(source)) == EXPECTED
    counted = read_scores(tmp_path, memory_limit=0, progress=iter)
    assert (counted.n_members, counted.count_at_least(-0.6)) == (3, (2, 0))
    assert losses(read_scores((tmp_path, tmp_path))) == ([*LOSSES], [*LOSSES])
    FRAME.to_csv(tmp_path / "part-1.csv", index=False)
    FRAME[:2].drop(columns="x").to_parquet(tmp_path / "part-1.parquet")
    with pytest.raises(ReadError, match=r"^part-1\.parquet: expected the columns of part-1\.csv"):
        read_scores(f"{tmp_path}/part-1*")
    (tmp_path / "a.pkl").touch()
    with pytest.raises(
        ReadError, match=r"^a\.pkl: expected a table \(.*\) in each file of a glob, got .pkl"
    ):
        read_scores(f"{tmp_path}/a.*")
    with pytest.raises(FileNotFoundError):
        read_scores(f"{tmp_path}/none-*.parquet")


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_a_delimiter_that_is_not_a_comma_is_read_from_the_header(
    delimiter: str, quote: str
) -> None:
    header = delimiter.join(f"{quote}{name}{quote}" for name in ("loss", "member"))
    rows = "\n".join(f"{a}{delimiter}{b}" for a, b in zip(LOSSES, IS_MEMBER, strict=True))
    text = f"\n{header}\n{rows}\n".encode()
    assert losses(read_scores(text, name="x.csv")) == EXPECTED
    assert losses(read_scores(text, name="x.tsv")) == EXPECTED


@pytest.mark.parametrize("word", ["val", "Validation", "test"])
def test_validation_records_are_no_members(word: str) -> None:
    splits = np.where(IS_MEMBER == 1, "train", word)
    assert losses(read_scores(pd.DataFrame({"loss": LOSSES, "split": splits}))) == EXPECTED


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".jsonl", ".npz"])
@pytest.mark.parametrize("limit", [None, 0])
def test_infinite_losses_in_files_are_the_ends_of_the_ranking(
    tmp_path: Path, suffix: str, limit: int | None
) -> None:
    frame = pd.DataFrame({"loss": [-np.inf, 0.5, np.inf, 1.0], "member": [1, 1, 0, 0]})
    path = tmp_path / f"losses{suffix}"
    if suffix == ".csv":
        frame.to_csv(path, index=False)
    elif suffix == ".parquet":
        frame.to_parquet(path)
    elif suffix == ".npz":
        np.savez(path, loss=frame.loss, member=frame.member)
    else:
        path.write_text(
            "".join(
                f'{{"loss": {a}, "member": {b}}}\n'
                for a, b in zip(["-Infinity", 0.5, "Infinity", 1.0], frame.member, strict=True)
            )
        )
    scores = (
        read_scores(path, memory_limit=limit, progress=iter)
        if suffix != ".npz"
        else read_scores(path)
    )
    assert (scores.n_infinite, scores.count_at_least(np.inf), scores.count_at_least(-0.6)) == (
        2,
        (1, 0),
        (2, 0),
    )
    assert scores.distinct_scores()[[0, -1]].tolist() == [-np.inf, np.inf]
    assert "2 of 4 losses are infinite: tied at the ends" in str(scores)
