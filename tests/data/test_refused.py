"""What `read_scores` refuses, and the sentence it says."""

import io
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpviz import AttackScores
from dpviz.data import ReadError, read_scores

CODING = (
    "1/0, true/false, yes/no, member/nonmember, member/non-member, train/test, train/val or in/out"
)
CODED = f"expected {CODING}"
FINITE = "expected a number"
ROW_12 = "loss,member\n" + "0.5,1\n0.7,0\n" * 5 + "n/a,1\n"
DROP = 'missing="drop" drops rows with a missing value'


def csv(rows: str, header: str = "loss,member") -> str:
    return f"{header}\n{rows}\n".replace(" | ", "\n")


@pytest.fixture(params=["path", "bytes", "text"])
def read(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., AttackScores]:
    def read_from(content: str | bytes, **options: str) -> AttackScores:
        data = content.encode() if isinstance(content, str) else content
        if request.param == "bytes":
            return read_scores(data, name="scores.csv", **options)
        path = tmp_path / "scores.csv"
        path.write_bytes(data)
        if request.param == "path":
            return read_scores(path, **options)
        with path.open(encoding="utf-8", newline="") as file:
            return read_scores(file, **options)

    return read_from


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1,1 | n/a,0 | ,1", 'row 3, column "loss": expected a number, got "n/a"'),
        (
            "1,1 | 1e301,0 | ,1",
            'expected a number in [-1e+300, 1e+300] or inf, got "1e301" (1 such ',
        ),
        ("1,1 | 2,holdout | ,1", f'row 3, column "member": expected {CODING}, got "holdout"'),
        ("1,1 | ,0 | 2,", "got 1 members and 0 non-members"),
        ("1,1 | 2,0 | 3,1,4", "row 4: expected 2 columns, got 3"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*dropped")
def test_dropping_forgives_only_what_is_missing(
    read: Callable[..., AttackScores], rows: str, message: str
) -> None:
    with pytest.raises(ReadError, match=re.escape(message)):
        read(csv(rows), missing="drop")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"score": "a"}, 'no column "a" for score, columns found: "loss", "member", "x"'),
        ({"score": ""}, 'no column "" for score, columns found: "loss", "member", "x"'),
        ({"member": "Member"}, 'no column "Member" for member, columns found: "loss", "member"'),
        (
            {"score": "x"},
            'column "x" may hold losses or scores; pass kind="loss" (low = member) or',
        ),
        ({"member": "loss"}, 'score and member must be different columns, got "loss" for both'),
    ],
)
def test_options_that_do_not_fit_the_columns(
    read: Callable[..., AttackScores], options: dict[str, str], message: str
) -> None:
    with pytest.raises(ReadError, match=re.escape(f"scores.csv: {message}")):
        read(csv("1,1,0.5 | 2,0,0.25", "loss,member,x"), **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"missing": "ignore"}, "missing must be one of 'refuse', 'drop', got 'ignore'"),
        ({"missing": True}, "missing must be one of 'refuse', 'drop', got True"),
        ({"kind": "llr"}, "kind must be one of 'loss', 'score', got 'llr'"),
        ({"score": [0.5]}, "score must be a str, got [0.5]"),
        ({"member": 1}, "member must be a str, got 1"),
    ],
)
def test_options_that_are_never_right(options: dict[str, object], message: str) -> None:
    for source in (b"loss,member\n1,1\n2,0\n", ([1.0], [2.0])):
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            read_scores(source, **options)


def test_the_name_of_the_source(tmp_path: Path) -> None:
    bad = b"loss,member\n"
    path = tmp_path / "own.csv"
    path.write_bytes(bad)
    with path.open("rb") as file:
        for source, name, shown in [
            (path, None, "own.csv"),
            (path, "mine", "mine"),
            (file, None, "own.csv"),
            (bad, None, "the uploaded file"),
            (io.BytesIO(bad), None, "the uploaded file"),
            (bad, "two\nlines", '"two\\nlines"'),
            (pd.DataFrame({"loss": [], "member": []}), None, "the data frame"),
        ]:
            with pytest.raises(ReadError, match=f"^{re.escape(shown)}: expected rows, got none$"):
                read_scores(source, name=name)


def test_columns_cannot_be_named_where_there_are_none() -> None:
    scores = AttackScores(member=[1.0], nonmember=[0.0])
    for source in (scores, ([1.0], [2.0])):
        with pytest.raises(ReadError, match=r"^member must be left out for "):
            read_scores(source, member="x")
    with pytest.raises(ReadError, match="is 'score' already, got kind='loss'"):
        read_scores(scores, kind="loss")


def test_a_file_of_a_tebibyte_does_not_fill_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.truncate(2**40)  # a hole: takes no room on the disk
    with pytest.raises(ReadError, match=r"^large\.csv, row 1: .* got binary content$"):
        read_scores(path)
    with path.open("rb") as file, pytest.raises(ReadError, match="got binary content"):
        read_scores(file)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1,1,a | 2,0,", f'row 3, column "g": expected a label, got "" (1 such row; {DROP})'),
        ("1,1,a | 2,0", f'row 3, column "g": expected a label, got "" (1 such row; {DROP})'),
        (
            "1,1, | 2,0,NaN | 3,0,a",
            f'row 2, column "g": expected a label, got "" (2 such rows; {DROP})',
        ),
    ],
)
def test_missing_labels(read: Callable[..., AttackScores], rows: str, message: str) -> None:
    with pytest.raises(ReadError, match=f"^{re.escape(f'scores.csv, {message}')}$"):
        read(csv(rows, "loss,member,g"), group="g")


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["a", None, "b"], '1, column "g": expected a label, got'),
        ([1, np.nan, 2], f'1, column "g": expected a label, got nan (1 such row; {DROP})'),
        (pd.array([1, None, 2], "Int64"), '1, column "g": expected a label, got <NA> (1 such row'),
        (pd.array(["a", None, "b"], "string"), '1, column "g": expected a label, got <NA>'),
        ([pd.NaT, pd.NaT, pd.NaT], '0, column "g": expected a label, got NaT (3 such rows'),
        (["a", ["x"], "b"], "1, column \"g\": expected a label, got ['x']"),
        (["a", {}, "b"], '1, column "g": expected a label, got {}'),
    ],
)
def test_malformed_labels_of_a_frame(cells: object, message: str) -> None:
    frame = pd.DataFrame({"loss": [1, 2, 3], "member": [1, 1, 0], "g": cells})
    with pytest.raises(ReadError, match=f"^{re.escape(f'the data frame, row {message}')}"):
        read_scores(frame, group="g")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"group": "x"}, 'no column "x" for group, columns found: "loss", "member", "g"'),
        ({"group": ""}, 'no column "" for group, columns found'),
        ({"group": "loss"}, 'score and group must be different columns, got "loss" for both'),
        ({"group": "member"}, 'member and group must be different columns, got "member" for both'),
    ],
)
def test_groups_that_do_not_fit_the_columns(
    read: Callable[..., AttackScores], options: dict[str, str], message: str
) -> None:
    with pytest.raises(ReadError, match=re.escape(f"scores.csv: {message}")):
        read(csv("1,1,a | 2,0,b", "loss,member,g"), **options)


def test_groups_where_there_are_no_columns() -> None:
    scores = AttackScores(member=[1.0], nonmember=[0.0])
    for source in (scores, ([1.0], [2.0])):
        with pytest.raises(ReadError, match=r"^group must be left out for "):
            read_scores(source, group="x")
    with pytest.raises(ValueError, match=r"^group must be a str, got 3$"):
        read_scores(b"loss,member\n1,1\n2,0\n", group=3)  # type: ignore[arg-type]
