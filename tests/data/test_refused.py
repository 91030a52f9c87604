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

CODING = "1/0, true/false, yes/no, member/nonmember, member/non-member, train/test or in/out"
CODED = f"expected {CODING}"
FINITE = "expected a finite number"
ROW_12 = "loss,member\n" + "0.5,1\n0.7,0\n" * 5 + "n/a,1\n"
DROP = 'missing="drop" drops rows with a missing value'


def csv(rows: str, header: str = "loss,member") -> str:
    return f"{header}\n{rows}\n".replace(" | ", "\n")


MALFORMED = [
    # one cell
    (ROW_12, 'scores.csv, row 12, column "loss": expected a number, got "n/a"'),
    (csv("1,1 | NA,0"), 'scores.csv, row 3, column "loss": expected a number, got "NA"'),
    (csv("1,1 | 1_0,0"), 'scores.csv, row 3, column "loss": expected a number, got "1_0"'),
    (csv("1,1 | 0x1,0"), 'scores.csv, row 3, column "loss": expected a number, got "0x1"'),
    (csv("1,1 | True,0"), 'scores.csv, row 3, column "loss": expected a number, got "True"'),
    (csv("True,1 | False,0"), 'scores.csv, row 2, column "loss": expected a number, got "True"'),
    (csv('1,1 | "0,5",0'), 'scores.csv, row 3, column "loss": expected a number, got "0,5"'),
    (csv("1,1 | ١,0"), 'scores.csv, row 3, column "loss": expected a number, got "١"'),
    (csv("1,1 | <b>,0"), 'scores.csv, row 3, column "loss": expected a number, got "<b>"'),
    (
        csv("1,1 | \u202eevil,0"),
        'scores.csv, row 3, column "loss": expected a number, got "\\u202eevil"',
    ),
    (
        csv("1,1 | " + 80 * "x" + ",0"),
        f'scores.csv, row 3, column "loss": expected a number, got "{60 * "x"}..."',
    ),
    (
        "\nloss,member\n\n1,1\n\nx,0\n",
        'scores.csv, row 6, column "loss": expected a number, got "x"',
    ),
    (
        csv('"a\nb",1,1 | c,x,0', "note,loss,member"),
        'scores.csv, row 3, column "loss": expected a number, got "x"',
    ),
    # a missing or infinite cell
    (
        csv("1,1 | ,0 | ,1"),
        f'scores.csv, row 3, column "loss": expected a finite number, got "" (2 such rows; {DROP})',
    ),
    (
        csv("1,1 | nan,0"),
        f'scores.csv, row 3, column "loss": expected a finite number, got "nan" '
        f"(1 such row; {DROP})",
    ),
    (
        csv("1,1 | -inf,0"),
        'scores.csv, row 3, column "loss": expected a finite number, got "-inf" (1 such row)',
    ),
    (
        csv("1,1 | 1e999,0"),
        'scores.csv, row 3, column "loss": expected a finite number, got "1e999" (1 such row)',
    ),
    (
        csv("1,1 | 2,0 | 3"),
        f'scores.csv, row 4, column "member": expected {CODING}, got "" (1 such row; {DROP})',
    ),
    # membership
    (csv("1,1 | 2,-1"), f'scores.csv, row 3, column "member": expected {CODING}, got "-1"'),
    (csv("1,1 | 2,0 | 3,2"), f'scores.csv, row 4, column "member": expected {CODING}, got "2"'),
    (
        csv("1,train | 2,holdout", "loss,split"),
        f'scores.csv, row 3, column "split": expected {CODING}, got "holdout"',
    ),
    (
        csv("1,1 | 2,1"),
        'scores.csv, column "member": expected members and non-members, '
        "got 2 members and 0 non-members",
    ),
    (
        csv("1,0"),
        'scores.csv, column "member": expected members and non-members, '
        "got 0 members and 1 non-members",
    ),
    # rows
    (
        csv("0,5,1 | 0,7,0"),
        'scores.csv, row 2: expected 2 columns, got 3; the row begins "0,5,1"',
    ),
    (
        csv("5,1 | 1,0,7"),
        'scores.csv, row 3: expected 2 columns, got 3; the row begins "1,0,7"',
    ),
    (
        csv("5,1,NA | 1,0"),
        'scores.csv, row 2: expected 2 columns, got 3; the row begins "5,1,NA"',
    ),
    # the file
    ("", "scores.csv: expected a header and rows, got an empty file"),
    ("\n \n\n", "scores.csv: expected a header and rows, got an empty file"),
    ("\ufeff", "scores.csv: expected a header and rows, got an empty file"),
    ("loss,member", "scores.csv: expected rows, got none"),
    ("loss,member\n\n\n", "scores.csv: expected rows, got none"),
    (csv('1,1 | 2,0 | "x'), "scores.csv: not a readable CSV file: unexpected end of data"),
    # columns
    (
        csv("1,1,1", "loss,member,loss"),
        'scores.csv: column names must be unique, got "loss" repeated',
    ),
    (
        csv("1,1,1", "loss,score,member"),
        'scores.csv: more than one column may be the score column: "loss", "score"; '
        'choose one: read_scores(..., score="loss")',
    ),
    (
        csv("1,1,1", "loss,split,Member"),
        'scores.csv: more than one column may be the member column: "split", "Member"; '
        'choose one: read_scores(..., member="split")',
    ),
    (
        csv("1,1", "loss,label"),
        'scores.csv: no member column recognised, columns found: "loss", "label"; '
        "name it: read_scores(..., member=<column name>)",
    ),
    (
        csv("1;1", "loss;member"),
        'scores.csv: no score column recognised, columns found: "loss;member"; '
        'name it: read_scores(..., score=<column name>, kind="loss" or "score")',
    ),
]
NOT_TEXT = [
    (b"\x80\x04\x95", "scores.csv: expected a .csv file in UTF-8, got byte 0x80 at position 0"),
    (
        "loss,member\n1,1\n".encode("utf-16"),
        "scores.csv: expected a .csv file in UTF-8, got byte 0xff at position 0",
    ),
    (
        "loss,member,Größe\n1,1,2\n".encode("latin-1"),
        "scores.csv: expected a .csv file in UTF-8, got byte 0xf6 at position 14",
    ),
    (b"loss,member\n1,\x00\n", "scores.csv: expected a .csv file in UTF-8, got binary content"),
]


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


@pytest.mark.parametrize(("content", "message"), MALFORMED)
def test_malformed_files(read: Callable[..., AttackScores], content: str, message: str) -> None:
    with pytest.raises(ReadError, match=f"^{re.escape(message)}$"):
        read(content)


@pytest.mark.parametrize(("content", "message"), NOT_TEXT)
def test_files_that_are_not_text(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "scores.csv"
    path.write_bytes(content)
    for source in (path, io.BytesIO(content)):
        with pytest.raises(ReadError, match=f"^{re.escape(message)}$"):
            read_scores(source, name="scores.csv")
    if b"\x00" not in content:
        with path.open(encoding="utf-8") as text, pytest.raises(ReadError, match=r"^scores\.csv: "):
            read_scores(text)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1,1 | n/a,0 | ,1", 'row 3, column "loss": expected a number, got "n/a"'),
        ("1,1 | inf,0 | ,1", 'row 3, column "loss": expected a finite number, got "inf" (1 such '),
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
        ({"score": "x"}, 'the unit of column "x" is unknown; pass kind="loss" (low = member) or'),
        ({"member": "loss"}, 'score and member must be two columns, got "loss" for both'),
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


@pytest.mark.parametrize(
    ("score", "member", "message"),
    [
        ([1, np.nan, 3], [1, 1, 0], f'1, column "loss": {FINITE}, got nan (1 such row; {DROP})'),
        ([1, 2, np.inf], [1, 1, 0], f'2, column "loss": {FINITE}, got inf (1 such row)'),
        ([1, "x", 3], [1, 1, 0], '1, column "loss": expected a number, got "x"'),
        ([1, True, 3], [1, 1, 0], '1, column "loss": expected a number, got True'),
        ([1, [2], 3], [1, 1, 0], '1, column "loss": expected a number, got [2]'),
        ([1, 2, 3], [1, 1, -1], f'2, column "member": {CODED}, got -1'),
        ([1, 2, 3], [1, None, 0], f'1, column "member": {CODED}, got nan (1 such row; {DROP})'),
        ([1, 2, 3], ["in", [1], "out"], f'1, column "member": {CODED}, got [1]'),
        (
            [1, 2, 3],
            pd.array([1, None, 0], "Int64"),
            f'1, column "member": {CODED}, got <NA> (1 such row; {DROP})',
        ),
    ],
)
def test_malformed_frames(score: list[object], member: list[object], message: str) -> None:
    frame = pd.DataFrame({"loss": score, "member": member}, index=[4, 5, 6])
    with pytest.raises(ReadError, match=f"^{re.escape(f'the data frame, row {message}')}$"):
        read_scores(frame)


def test_repeated_columns_of_a_frame() -> None:
    frame = pd.DataFrame([[1, 2, 0]], columns=["loss", "loss", "member"])
    with pytest.raises(ReadError, match="column names must be unique"):
        read_scores(frame)


def test_a_long_list_of_columns_is_cut() -> None:
    frame = pd.DataFrame([range(1000)])
    with pytest.raises(ReadError, match='"18", "19" and 980 more; name it'):
        read_scores(frame)


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (([1.0],), "a pair must be two arrays (member_losses, nonmember_losses), got a tuple of 1"),
        ([[1.0], [2.0], [3.0]], "a pair must be two arrays"),
        (([], [1.0]), "member losses must not be empty"),
        (([1.0], [[2.0]]), "nonmember losses must be one-dimensional"),
        ([1.0, 2.0], "member losses must be one-dimensional"),
        (([1.0, np.nan], [2.0]), "member losses must be finite, got 1 NaN"),
        ((["a"], [2.0]), "member losses must be numbers, got 'a'"),
    ],
)
def test_malformed_pairs(pair: object, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        read_scores(pair)


def test_columns_cannot_be_named_where_there_are_none() -> None:
    scores = AttackScores(member=[1.0], nonmember=[0.0])
    for source in (scores, ([1.0], [2.0])):
        with pytest.raises(ReadError, match=r"^member names a column and .* has none"):
            read_scores(source, member="x")
    with pytest.raises(ReadError, match="is 'score' already, got kind='loss'"):
        read_scores(scores, kind="loss")


def test_a_stream_of_something_else() -> None:
    class Stream:
        def read(self, size: int = -1) -> list[float]:
            return [1.0]

    with pytest.raises(ReadError, match=r"^the uploaded file: expected text or bytes, got list$"):
        read_scores(Stream())


def test_a_file_of_a_tebibyte_does_not_fill_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.truncate(2**40)  # a hole: takes no room on the disk
    with pytest.raises(ReadError, match=r"large\.csv: expected .* UTF-8, got binary content"):
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
        ({"group": "loss"}, 'score and group must be two columns, got "loss" for both'),
        ({"group": "member"}, 'member and group must be two columns, got "member" for both'),
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
        with pytest.raises(ReadError, match=r"^group names a column and .* has none"):
            read_scores(source, group="x")
    with pytest.raises(ValueError, match=r"^group must be a str, got 3$"):
        read_scores(b"loss,member\n1,1\n2,0\n", group=3)  # type: ignore[arg-type]
