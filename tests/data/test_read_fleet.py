"""Scores of many models: a folder of files, or one table."""

import io
import json
import math
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpviz import AttackScores
from dpviz.audit.models.fleet import Fleet
from dpviz.data import ReadError
from dpviz.data.read_fleet import read_fleet

TABLE = """model,strategy,repeat,member,loss,utility,epsilon,delta,epochs
a,dp,1,1,0.5,0.75,8,1e-5,3
a,dp,1,0,2,0.75,8,1e-5,3
b,dp,2,1,0.25,,,,
b,dp,2,0,4,,,,
a,dp,1,0,3,0.75,8,1e-5,3
2.0,,,1,1,0.9,inf,0,1
2,,,0,5,,,,
"""


def losses(fleet: Fleet, name: str) -> tuple[list[float], list[float]]:
    scores = next(model for model in fleet.models if model.name == name).read()
    assert scores.kind == "loss"
    return (-scores.member).tolist(), (-scores.nonmember).tolist()


def check_table(found: Fleet) -> None:
    assert found.names == ("a", "b", "2")
    assert [losses(found, name) for name in found.names] == [
        ([0.5], [2, 3]),
        ([0.25], [4]),
        ([1], [5]),
    ]
    a, b, two = found.models
    assert (a.strategy, a.repeat, a.utility, a.epsilon, a.delta, a.stage) == (
        "dp",
        1,
        0.75,
        8,
        1e-5,
        3,
    )
    assert (b.strategy, b.repeat, b.utility, b.epsilon, b.delta, b.stage) == (
        "dp",
        2,
        None,
        None,
        None,
        None,
    )
    assert (two.strategy, two.repeat, two.utility, two.epsilon) == ("", None, 0.9, math.inf)
    assert found.errors == ()


def test_a_table_is_read_from_wherever_it_comes(tmp_path: Path) -> None:
    path = tmp_path / "fleet.csv"
    path.write_text(TABLE)
    sources: list[Any] = [path, str(path), TABLE.encode(), io.StringIO(TABLE)]
    for source in sources:
        check_table(read_fleet(source))
    check_table(read_fleet(pd.read_csv(io.StringIO(TABLE), dtype={"model": str})))
    check_table(read_fleet(pd.read_csv(io.StringIO(TABLE), dtype=str)))


def test_every_kind_of_table_is_read(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet, feather = (pytest.importorskip(f"pyarrow.{name}") for name in ("parquet", "feather"))
    frame = pd.read_csv(io.StringIO(TABLE), dtype={"model": str})
    table = pa.Table.from_pandas(frame)
    for suffix in (".csv", ".csv.gz"):
        frame.to_csv(tmp_path / f"f{suffix}", index=False)
    for suffix in (".tsv", ".tsv.gz"):
        frame.to_csv(tmp_path / f"f{suffix}", index=False, sep="\t")
    for suffix in (".parquet", ".pq"):
        parquet.write_table(table, tmp_path / f"f{suffix}", row_group_size=2)
    feather.write_feather(table, tmp_path / "f.feather", chunksize=2)
    rows = [
        {name: cell for name, cell in row.items() if not pd.isna(cell)}
        for row in frame.to_dict("records")
    ]
    lines = "\n\n".join(map(json.dumps, rows))  # infinity as Python writes it
    (tmp_path / "f.jsonl").write_text(lines)
    for path in sorted(tmp_path.iterdir()):
        check_table(read_fleet(path))
    check_table(read_fleet(table))
    check_table(read_fleet((tmp_path / "f.pq").read_bytes()))
    with (tmp_path / "f.feather").open("rb") as file:
        check_table(read_fleet(file))


def test_a_wrong_cell_is_found_in_later_pieces_too(tmp_path: Path) -> None:
    pa, feather = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.feather")
    columns = {"model": ["a", "a", None], "loss": [1.0, 2.0, 3.0], "member": [1, 0, 1]}
    feather.write_feather(pa.table(columns), tmp_path / "f.feather", chunksize=1)
    said = r'^f\.feather, row 2, column "model": expected the name of a model'
    with pytest.raises(ReadError, match=said):
        read_fleet(tmp_path / "f.feather")
    feather.write_feather(pa.table(columns).slice(0, 0), tmp_path / "empty.feather")
    with pytest.raises(ReadError, match=r"^empty\.feather: expected rows, got none$"):
        read_fleet(tmp_path / "empty.feather")
    lines = ['{"model": "a", "loss": 1, "member": 1}', "", '{"loss": 2, "member": 0}']
    with pytest.raises(ReadError, match=r'^f\.jsonl, row 3, column "model"'):
        read_fleet("\n".join(lines).encode(), name="f.jsonl")


def test_a_parquet_file_is_read_or_the_extra_is_named(tmp_path: Path) -> None:
    path = tmp_path / "fleet.parquet"
    try:
        pd.read_csv(io.StringIO(TABLE), dtype={"model": str}).to_parquet(path)
    except ImportError:
        path.write_bytes(b"PAR1")
        with pytest.raises(ImportError, match=re.escape("pip install 'dpviz[parquet]'")):
            read_fleet(path)
        return
    check_table(read_fleet(path))
    path.write_bytes(b"PAR1 no")
    with pytest.raises(ReadError, match=r"^fleet\.parquet: not a readable file"):
        read_fleet(path)


def test_without_pyarrow_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "f.parquet").write_bytes(b"")
    with pytest.raises(ImportError, match=re.escape("need pyarrow: pip install 'dpviz[parquet]'")):
        read_fleet(tmp_path / "f.parquet")


def test_columns_may_be_named() -> None:
    content = b"run,kind,acc,t,truth,x\nr1,s,0.5,2,1,1\nr1,s,0.5,2,0,2\n"
    found = read_fleet(
        content,
        model="run",
        strategy="kind",
        utility="acc",
        stage="t",
        member="truth",
        score="x",
        kind="score",
    )
    (model,) = found.models
    assert (model.name, model.strategy, model.utility, model.stage) == ("r1", "s", 0.5, 2)
    assert (model.read().member.tolist(), model.read().nonmember.tolist()) == ([1], [2])


def test_names_that_look_like_numbers_stay_as_they_are() -> None:
    found = read_fleet(b"model,loss,member\n007,1,1\n007,2,0\n7,3,1\n7,4,0\n")
    assert found.names == ("007", "7")


def test_a_silent_row_takes_what_other_rows_of_the_model_say() -> None:
    found = read_fleet(b"model,loss,member,utility,strategy\na,1,1,,\na,2,0,0.5,s\n")
    assert (found.models[0].utility, found.models[0].strategy) == (0.5, "s")


def test_a_folder_has_a_model_per_file_in_natural_order(tmp_path: Path) -> None:
    for i in (10, 2, 1):
        (tmp_path / f"run {i}.csv").write_text(f"loss,member\n{i},1\n0,0\n")
    (tmp_path / ".hidden").write_text("not looked at")
    for source in (tmp_path, str(tmp_path)):
        found = read_fleet(source)
        assert found.names == ("run 1", "run 2", "run 10")
        assert [losses(found, name) for name in found.names] == [([i], [0]) for i in (1, 2, 10)]
        assert found.errors == ()


def test_a_file_that_cannot_be_read_is_reported_and_the_others_are_kept(tmp_path: Path) -> None:
    (tmp_path / "good.csv").write_text("loss,member\n1,1\n2,0\n")
    (tmp_path / "one class.csv").write_text("loss,member\n1,1\n2,1\n")
    (tmp_path / "good.CSV").write_text("loss,member\n1,1\n2,0\n")
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / "sub").mkdir()
    with pytest.warns(UserWarning, match=r"left out 4 of 5 models, see Fleet\.errors") as warned:
        found = read_fleet(tmp_path)
    assert warned[0].filename == __file__
    assert len(found.models) == 1
    messages = dict(found.errors)
    assert messages["one class.csv"].endswith("got 2 members and 0 non-members")
    assert messages["notes.txt"].startswith("notes.txt: expected a file that can be read (.csv,")
    assert messages["sub"].endswith(", got a directory")
    assert "has the same model name" in (messages.get("good.csv") or messages["good.CSV"])


@pytest.mark.slow
def test_files_may_be_read_again_instead_of_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    for i in range(3):
        rows = [f"{x},{k % 2}" for k, x in enumerate(rng.normal(0, 1, 40))]
        (tmp_path / f"m{i}.csv").write_text("loss,member\n" + "\n".join(rows) + "\n")
    (tmp_path / "bad.csv").write_text("loss,member\nx,1\n")
    monkeypatch.chdir(tmp_path.parent)
    with pytest.warns(UserWarning, match="left out 1 of 4 models"):
        lazy = read_fleet(tmp_path.name, lazy=True)
    monkeypatch.chdir(os.sep)
    with pytest.warns(UserWarning, match="left out 1 of 4 models"):
        kept = read_fleet(tmp_path)
    assert not any(isinstance(model.scores, AttackScores) for model in lazy.models)
    assert lazy.estimates(delta=0.1, processes=2).estimates == kept.estimates(delta=0.1).estimates


def test_a_model_of_a_table_with_one_class_is_reported_by_name() -> None:
    content = b"model,loss,member\na,1,1\n<b>,1,0\na,2,0\n<b>,2,0\n"
    with pytest.warns(UserWarning, match="left out 1 of 2 models") as warned:
        found = read_fleet(content, name="f.csv")
    assert warned[0].filename == __file__
    assert found.names == ("a",)
    assert found.errors == (
        (
            "<b>",
            'f.csv, model "<b>", column "member": expected members and non-members, '
            "got 0 members and 2 non-members",
        ),
    )


def test_a_bad_score_costs_its_model_alone_and_names_the_row_of_the_file() -> None:
    content = b"model,loss,member\n\na,1,1\nb,x,0\na,2,0\nb,2,1\n"
    with pytest.warns(UserWarning, match="left out 1 of 2 models"):
        found = read_fleet(content, name="f.csv")
    assert found.errors == (
        ("b", 'f.csv, model "b", row 4, column "loss": expected a number, got "x"'),
    )


def test_rows_with_a_missing_value_are_dropped_if_asked_to() -> None:
    content = b"model,loss,member\na,1,1\n,5,0\na,2,0\na,,0\n"
    with pytest.warns(UserWarning, match="dropped 1 of") as warned:
        found = read_fleet(content, name="f.csv", missing="drop")
    assert [str(each.message) for each in warned] == [
        "f.csv: dropped 1 of 4 rows with a missing value (row 3)",
        'f.csv, model "a": dropped 1 of 3 rows with a missing value (row 5)',
    ]
    assert losses(found, "a") == ([1], [2])


def table(row: str, header: str = "model,loss,member") -> bytes:
    return f"{header}\n{row}\n".replace(" | ", "\n").encode()


ABOUT = "model,loss,member,utility,epsilon,delta,repeat,epochs,strategy"


def about(first: str, second: str) -> bytes:
    return table(f"a,1,1,{first} | a,2,0,{second}", ABOUT)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "f.csv: expected a header and rows, got an empty file"),
        (b"model,loss,member\n", "f.csv: expected rows, got none"),
        (table("1,1", "loss,member"), "f.csv: no model column recognised, columns found"),
        (table("1,1", "loss,member"), "name it: read_fleet(..., model=<column name>)"),
        (table("a,1", "model,member"), "no score column recognised"),
        (table("a,1,1,1", "model,nll,loss,member"), "choose one: read_fleet(..., score="),
        (table("a,b,1,1", "model,model_name,loss,member"), "several columns could be the model"),
        (table("a,1,1,2,3", "model,loss,member,stage,epochs"), "could be the stage column"),
        (table("a,a,1,1", "model,model,loss,member"), "column names must be unique"),
        (table("a,1,1 | ,2,0"), 'f.csv, row 3, column "model": expected the name of a model'),
        (table("a,1,1,7"), "f.csv, row 2: expected 3 columns, got 4"),
        (table('a,1,1 | "a,2,0'), "f.csv, row 3: not a readable row of CSV: a quote is"),
        (b"model,loss,member\na,\xff,1\n", "expected a .csv file in UTF-8"),
        (b"\0\0", "got binary content"),
        (
            about(".5,,,,,", ".6,,,,,"),
            'f.csv, model "a", column "utility": expected the same value in all rows of a model, '
            "got 0.5 and 0.6",
        ),
        (about(",,,,,s", ",,,,,<i>"), 'model "a", column "strategy": expected the same'),
        (
            about(",,,,1,", ",,,,2,"),
            'column "epochs": expected the same value in all rows of a model',
        ),
        (about("x,,,,,", ",,,,,"), 'row 2, column "utility": expected a number, got "x"'),
        (about("inf,,,,,", "inf,,,,,"), 'model "a": utility must be in (-inf, inf), got inf'),
        (about(",-1,,,,", ",,,,,"), 'f.csv, model "a": epsilon must be in [0, inf], got -1.0'),
        (about(",,2,,,", ",,,,,"), 'f.csv, model "a": delta must be in [0, 1], got 2.0'),
        (about(",,,1.5,,", ",,,,,"), 'model "a": repeat must be a whole number'),
        (
            table("a,1,1 | b,2,0"),
            'f.csv: none of 2 models could be read; the first: f.csv, model "a", column "member"',
        ),
        (
            table("dp,1,1, | dp,2,0, | b,1,1,dp | b,2,0,dp", "model,loss,member,strategy"),
            "f.csv: model 'dp' must have a strategy",
        ),
    ],
)
def test_what_a_table_cannot_be(content: bytes, said: str) -> None:
    with pytest.raises(ReadError, match=re.escape(said)):
        read_fleet(content, name="f.csv")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"source": 3}, "source must be one of: a folder of files with scores"),
        ({"source": ([1.0], [2.0])}, "got a tuple"),
        ({"source": {"a": 1}}, "got a dict"),
        ({"source": b"{}", "name": "f.json"}, "(.csv, .tsv, .csv.gz, .tsv.gz, .parquet, "),
        (
            {"source": b"{}", "name": "f.json"},
            "a table of pandas, polars, pyarrow, Dask, Hugging Face or NumPy; got f.json",
        ),
        ({"kind": "probability"}, "kind must be one of"),
        ({"missing": "guess"}, "missing must be one of"),
        ({"model": 3}, "model must be the name of a column, got 3"),
        ({"model": "nope"}, 'no column "nope" for model'),
        ({"utility": "nope"}, 'no column "nope" for utility'),
        ({"utility": "loss"}, 'score and utility must be different columns, got "loss" for both'),
        ({"model": "member"}, 'member and model must be different columns, got "member" for both'),
        ({"lazy": True}, "lazy must be False for a table"),
    ],
)
def test_what_cannot_be_asked(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        read_fleet(**{"source": TABLE.encode(), **arguments})


def test_a_folder_is_read_behind_a_bar_that_can_stop_it(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.csv").write_text("loss,member\n0.5,1\n2,0\n")
    seen: list[int] = []

    def rounds(whole: range) -> Iterator[int]:
        for i in whole:
            seen.append(i)
            if len(seen) > 4:
                raise KeyboardInterrupt
            yield i

    assert read_fleet(tmp_path, progress=rounds).names == ("a", "b", "c")
    assert seen == [0, 1, 2]
    with pytest.raises(KeyboardInterrupt):
        read_fleet(tmp_path, progress=rounds)


def test_a_folder_that_cannot_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    with pytest.raises(FileNotFoundError):
        read_fleet(folder)
    with pytest.raises(FileNotFoundError):
        read_fleet(tmp_path / "gone.parquet")
    folder.mkdir()
    with pytest.raises(ReadError, match=r"^runs: expected files with scores, got an empty folder$"):
        read_fleet(folder)
    (folder / "a.csv").write_text("loss\n1\n")
    with pytest.raises(ReadError, match=r"^runs: none of 1 model could be read; the first: a\.csv"):
        read_fleet(folder)
    with pytest.raises(ReadError, match="utility must be left out for the folder runs"):
        read_fleet(folder, utility="acc")


def test_rows_of_a_data_frame_are_counted_by_position() -> None:
    frame = pd.DataFrame(
        {"model": ["a", "a", None], "loss": [1.0, 2, 3], "member": [1, 0, 1]}, index=[7, 8, 9]
    )
    with pytest.raises(
        ReadError, match=r'^the data frame, row 2, column "model": expected the name'
    ):
        read_fleet(frame)
    frame = pd.DataFrame(
        {"model": [1, 1], "loss": [1.0, 2], "member": [True, False], "utility": [[1], 2]}
    )
    with pytest.raises(ReadError, match='row 0, column "utility": expected a number'):
        read_fleet(frame)


def test_many_rows_of_many_models_are_grouped_as_pandas_groups_them() -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "model": rng.integers(0, 30, 20_000).astype(str),
            "loss": rng.normal(0, 1, 20_000),
            "member": rng.integers(0, 2, 20_000),
        }
    )
    found = read_fleet(frame.to_csv(index=False).encode())
    for name, rows in frame.groupby("model"):
        assert losses(found, str(name)) == (
            rows.loss[rows.member == 1].tolist(),
            rows.loss[rows.member == 0].tolist(),
        )
    assert found.names == tuple(frame.model.drop_duplicates())


GRID = "model,batch,rate,member,loss,utility\n" + "".join(
    f"{name},{batch},{rate},{is_member},{loss},{utility}\n"
    for name, batch, rate, utility in (
        ("a", 64, "1e-1", 0.5),
        ("b", 64, "1e-1", 0.7),
        ("c", 512, "1e-1", 0.9),
        ("d", "", "", 0.8),
    )
    for is_member, loss in ((1, 0.5), (0, 2.0))
)


def test_models_that_share_their_hyperparameters_are_one_strategy() -> None:
    fleet = read_fleet(GRID.encode(), name="grid.csv", hyperparameters=["batch", "rate"])
    assert fleet.models[0].hyperparameters == (("batch", "64"), ("rate", "1e-1"))
    places = fleet.estimates(delta=0.0).landscape().strategies
    assert [(each.name, each.n, each.utility) for each in places] == [
        ("batch 64, rate 1e-1", 2, pytest.approx(0.6)),
        ("batch 512, rate 1e-1", 1, 0.9),
        ("d", 1, 0.8),
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("batch", 'hyperparameters must be names of columns, got "batch"'),
        (["lr"], 'grid.csv: no column "lr" for hyperparameter "lr"'),
        (["member"], 'member and hyperparameter "member" must be different columns'),
        (["utility"], 'utility and hyperparameter "utility" must be different columns'),
        (["loss"], 'score and hyperparameter "loss" must be different columns'),
    ],
)
def test_illegal_hyperparameters_are_named(given: Any, message: str) -> None:
    with pytest.raises(ReadError, match=re.escape(message)):
        read_fleet(GRID.encode(), name="grid.csv", hyperparameters=given)


def test_a_hyperparameter_is_the_same_in_all_rows_of_a_model(tmp_path: Path) -> None:
    with pytest.raises(
        ReadError, match='model "a", column "batch": expected the same value in all'
    ):
        read_fleet(GRID.replace("a,64", "a,65", 1).encode(), hyperparameters=["batch"])
    with pytest.raises(ReadError, match="hyperparameters must be left out for a folder"):
        read_fleet(tmp_path, hyperparameters=["batch"])
