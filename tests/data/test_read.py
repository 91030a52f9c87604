"""What `read_scores` takes and gives."""

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from dpviz import AttackScores, audit
from dpviz.audit.scores.base import ScoreKind
from dpviz.data import ReadError, read_scores
from dpviz.data.formats.csv import CsvBlock

CONTENT = "loss,member\n0.5,1\n0.25,1\n2.0,0\n"
FINITE = arrays.arrays(
    np.float64,
    st.integers(1, 30),
    elements=st.floats(-1e300, 1e300),
)


def losses(scores: AttackScores) -> tuple[list[float], list[float]]:
    assert scores.kind == "loss"
    return (-scores.member).tolist(), (-scores.nonmember).tolist()


EXPECTED = ([0.5, 0.25], [2.0])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "scores.csv"
    file.write_text(CONTENT)
    return file


def test_a_path(path: Path) -> None:
    assert losses(read_scores(path)) == EXPECTED
    assert losses(read_scores(str(path))) == EXPECTED
    upper = path.rename(path.with_name("SCORES.CSV"))
    assert losses(read_scores(upper)) == EXPECTED


def test_an_open_file(path: Path) -> None:
    with path.open() as text, path.open("rb") as binary:
        assert losses(read_scores(text)) == EXPECTED
        assert losses(read_scores(binary)) == EXPECTED
    assert losses(read_scores(io.StringIO(CONTENT))) == EXPECTED
    assert losses(read_scores(io.BytesIO(CONTENT.encode()))) == EXPECTED


@pytest.mark.parametrize("make", [bytes, bytearray, memoryview])
def test_bytes(make: type) -> None:
    assert losses(read_scores(make(CONTENT.encode()))) == EXPECTED


@pytest.mark.parametrize(
    "content",
    [
        "\ufeff" + CONTENT,
        CONTENT.replace("\n", "\r\n"),
        CONTENT.replace("\n", "\r"),
        "\n\n" + CONTENT.replace("\n", "\n\n") + "\n  \n",
        CONTENT.rstrip("\n"),
        "LOSS , Member\n 0.5 , 1\n0.25,1 \n2.0, 0\n",
        '"loss","member"\n"0.5","1"\n"0.25","1"\n"2.0","0"\n',
        ",loss,label,member\n0,0.5,9,1\n1,.25,9,1\n2,2.,x,0\n",
        'note,loss,member\n"a, b",0.5,1\n"two\nlines",+0.25,1\n,2e0,0\n',
        "loss,member\n0.5,1,\n0.25,1,\n2.0,0,\n",
    ],
    ids=[
        "BOM",
        "CRLF",
        "CR",
        "blank lines",
        "no end",
        "blanks",
        "quoted",
        "index",
        "commas",
        "tail",
    ],
)
def test_the_same_scores_written_otherwise(content: str) -> None:
    assert losses(read_scores(content.encode())) == EXPECTED


@pytest.mark.parametrize(
    ("yes", "no"),
    [
        *[("1", "0"), ("1.0", "0.0"), ("True", "False"), ("true", "false"), ("yes", "no")],
        *[("member", "nonmember"), ("member", "non-member"), ("train", "test"), ("in", "out")],
        *[("TRUE", "FALSE"), ("Member", "Non-Member"), (" train ", "test  "), ("IN", " 0")],
    ],
)
def test_membership_codings(yes: str, no: str) -> None:
    content = CONTENT.replace(",1", f",{yes}").replace(",0\n", f",{no}\n")
    assert losses(read_scores(content.encode())) == EXPECTED
    frame = pd.DataFrame({"loss": [0.5, 0.25, 2.0], "member": [yes, yes, no]})
    assert losses(read_scores(frame)) == EXPECTED


@pytest.mark.parametrize("dtype", [bool, int, float, object, "boolean", "Int64", "Float64"])
def test_membership_and_loss_dtypes(dtype: str | type) -> None:
    frame = pd.DataFrame({"loss": [1, 2, 4], "member": pd.Series([1, 1, 0]).astype(dtype)})
    assert losses(read_scores(frame)) == ([1.0, 2.0], [4.0])
    assert losses(read_scores(frame.astype({"loss": "Float32"}))) == ([1.0, 2.0], [4.0])
    assert losses(read_scores(frame.astype({"member": "category"}))) == ([1.0, 2.0], [4.0])


@pytest.mark.parametrize("column", ["loss", "losses", "nll", "xent", "cross_entropy", "LOSS"])
def test_columns_of_losses(column: str) -> None:
    scores = read_scores(CONTENT.replace("loss", column).encode())
    assert losses(scores) == EXPECTED


@pytest.mark.parametrize("column", ["score", "scores", "llr", "mi_signal", "signal_values", "LLR"])
def test_columns_of_scores(column: str) -> None:
    scores = read_scores(CONTENT.replace("loss", column).encode())
    assert (scores.kind, scores.member.tolist()) == ("score", [0.5, 0.25])


@pytest.mark.parametrize(
    "column",
    [
        *["is_member", "member", "membership", "memberships", "in_train", "train", "split"],
        *["challenge_bit", "challenge_bits", "keep", "in_out", "Is_Member"],
    ],
)
def test_columns_of_membership(column: str) -> None:
    assert losses(read_scores(CONTENT.replace("member", column).encode())) == EXPECTED


def test_named_columns_beat_recognised_ones() -> None:
    content = b"loss,score,member,label,signal\n9,0.5,0,1,3\n9,0.25,0,1,2\n9,2,1,0,1\n"
    assert losses(read_scores(content, score="score", member="label", kind="loss")) == EXPECTED
    scores = read_scores(content, score="signal", member="label", kind="score")
    assert (scores.kind, scores.member.tolist()) == ("score", [3.0, 2.0])


def test_kind_beats_the_name_of_the_column() -> None:
    assert read_scores(CONTENT.encode(), kind="score").member.tolist() == [0.5, 0.25]


def test_a_frame_keeps_its_values_whatever_its_index() -> None:
    frame = pd.DataFrame(
        {"read": 0, "loss": [0.5, 0.25, 2.0], "member": [1, 1, 0]}, index=[7, 7, 7]
    )
    before = frame.copy()
    assert losses(read_scores(frame)) == EXPECTED
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize("make", [list, tuple, np.array, pd.Series])
def test_a_pair(make: type) -> None:
    pair = make([0.5, 0.25]), make([2.0])
    assert losses(read_scores(pair)) == EXPECTED
    assert losses(read_scores(list(pair), kind="loss")) == EXPECTED
    scores = read_scores(pair, kind="score")
    assert (scores.kind, scores.member.tolist()) == ("score", [0.5, 0.25])


def test_scores_pass_through() -> None:
    scores = AttackScores.from_losses(member=[0.5], nonmember=[2.0])
    assert read_scores(scores) is scores
    assert read_scores(scores, kind="loss") is scores


@pytest.mark.filterwarnings("ignore:the .* look reversed")
@given(member=FINITE, nonmember=FINITE, kind=st.sampled_from(["loss", "score"]))
def test_round_trip(member: np.ndarray, nonmember: np.ndarray, kind: str) -> None:
    rows = [f"{x!r},1" for x in member.tolist()] + [f"{x!r},0" for x in nonmember.tolist()]
    content = "\n".join([f"{kind},member", *rows])
    for read in (content.encode(), pd.read_csv(io.StringIO(content), dtype=str)):
        scores = read_scores(read)
        sign = -1 if kind == "loss" else 1
        assert (np.sort(sign * scores.member) == np.sort(member)).all()
        assert (np.sort(sign * scores.nonmember) == np.sort(nonmember)).all()


def test_a_good_file_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def read_again(*_: object) -> None:
        raise AssertionError("read cell by cell")

    monkeypatch.setattr(CsvBlock, "read_columns", read_again)
    for content in (CONTENT, CONTENT.replace(",1", ",in").replace(",0\n", ",out\n")):
        assert losses(read_scores(content.encode())) == EXPECTED
    with pytest.raises(AssertionError, match="cell by cell"):
        read_scores(CONTENT.replace("2.0", "x").encode())


def test_dropped_rows_are_announced() -> None:
    content = b"loss,member\n0.5,1\n,1\nNaN,0\n\n0.25,1\n7, \n2.0,0\n"
    said = r"^a\.csv: dropped 3 of 6 rows with a missing value \(rows 3, 4, 7\)$"
    with pytest.warns(UserWarning, match=said) as caught:
        scores = read_scores(content, missing="drop", name="a.csv")
    assert losses(scores) == EXPECTED
    assert [warning.filename for warning in caught] == [__file__]


def test_dropped_rows_of_a_frame_and_a_pair() -> None:
    frame = pd.DataFrame({"loss": [0.5, None, 0.25, 2.0], "member": [1, 1, 1, 0]})
    with pytest.warns(UserWarning, match=r"^the data frame: dropped 1 of 4 .* \(row 1\)$"):
        assert losses(read_scores(frame, missing="drop")) == EXPECTED
    many = [0.5, 0.25] + [np.nan] * 6
    said = r"^member losses: dropped 6 of 8 .* \(rows 2, 3, 4, 5, 6, \.\.\.\)$"
    with pytest.warns(UserWarning, match=said):
        assert losses(read_scores((many, [2.0]), missing="drop")) == EXPECTED
    with pytest.warns(UserWarning, match="^nonmember scores: dropped 1 of 2"):
        read_scores(([0.5], pd.Series([2.0, None])), kind="score", missing="drop")


def test_nothing_to_drop_is_silent() -> None:
    assert losses(read_scores(CONTENT.encode(), missing="drop")) == EXPECTED


def test_a_text_is_a_path(tmp_path: Path) -> None:
    for text in (CONTENT, CONTENT * 1000, str(tmp_path / "none.csv"), str(tmp_path / "none.npz")):
        with pytest.raises(FileNotFoundError):
            read_scores(text)


@pytest.mark.parametrize(("name", "got"), [("scores.xls", '".xls"'), ("scores", "no extension")])
def test_other_files(tmp_path: Path, name: str, got: str) -> None:
    (tmp_path / name).write_text(CONTENT)
    expected = rf"^{name}: expected a file that can be read \(\.csv, .*\), got {got}$"
    with pytest.raises(ReadError, match=expected):
        read_scores(tmp_path / name)


def test_a_directory(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").mkdir()
    with pytest.raises(
        ReadError, match=r"^scores\.csv: expected a file \(\.csv, .*got a directory$"
    ):
        read_scores(tmp_path / "scores.csv")


def test_the_registry_names_what_is_read() -> None:
    for source, shown in ((np.zeros((2, 5)), "got one array of shape (2, 5)"), (3, "got a int")):
        with pytest.raises(ReadError, match=r"see python -m dpviz formats\), got ") as caught:
            read_scores(source)
        assert str(caught.value).endswith(shown)


def test_pandas_stays_asleep_until_it_is_needed() -> None:
    code = (
        "import sys; from dpviz.data import read_scores; "
        "read_scores(([1.0], [2.0])); print('pandas' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


GROUPED = "loss,member,class\n0.5,1,cat\n0.25,1, dog\n2.0,0,cat\n"


def groups(scores: AttackScores) -> tuple[list[str], list[str]]:
    assert scores.member_groups is not None
    assert scores.nonmember_groups is not None
    return scores.member_groups.tolist(), scores.nonmember_groups.tolist()


@pytest.mark.parametrize("slow", [False, True])
def test_a_column_of_groups(slow: bool) -> None:
    # A cell that pandas cannot read as a number makes the file be read cell by cell.
    content = GROUPED.replace("2.0", " 2.0 ") if slow else GROUPED
    for source in (content.encode(), pd.read_csv(io.StringIO(content))):
        scores = read_scores(source, group="class")
        assert losses(scores) == EXPECTED
        assert groups(scores) == (["cat", "dog"], ["cat"])
        assert scores.groups == ("cat", "dog")


def test_groups_are_never_recognised() -> None:
    for name in ("class", "group", "label"):
        scores = read_scores(GROUPED.replace("class", name).encode())
        assert (scores.groups, scores.member_groups) == ((), None)


def test_groups_of_scores() -> None:
    scores = read_scores(GROUPED.replace("loss", "llr").encode(), group=" class ")
    assert (scores.kind, scores.group("cat").member.tolist()) == ("score", [0.5])


@pytest.mark.parametrize(
    ("written", "read"),
    [("3", "3"), ("3.0", "3"), ("-3.", "-3"), ("3.5", "3.5"), ("007", "007"), ("1e3", "1e3")],
)
def test_numbers_as_labels_of_a_file(written: str, read: str) -> None:
    for loss in ("2.0", " 2.0 "):  # fast and cell by cell
        content = GROUPED.replace("cat", written).replace("2.0", loss)
        assert groups(read_scores(content.encode(), group="class")) == ([read, "dog"], [read])
        numbers = content.replace("dog", "12").encode()
        assert groups(read_scores(numbers, group="class")) == ([read, "12"], [read])


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([3, 10, 3], ["3", "10", "3"]),
        ([3.0, 10.0, 0.5], ["3", "10", "0.5"]),
        (np.array([3, 10, 3], np.float32), ["3", "10", "3"]),
        ([True, False, True], ["True", "False", "True"]),
        (["a", 1, 1.0], ["a", "1", "1"]),
        ([(3.0,), "3.0", " b"], ["(3.0,)", "3", "b"]),
        ([True, 1, 1.0], ["True", "1", "1"]),
        (pd.Series([3, 10, 3], dtype="Int64"), ["3", "10", "3"]),
        (pd.Series(["a", "b", "a"], dtype="category"), ["a", "b", "a"]),
        (pd.Series(["a", "b", "a"], dtype="string"), ["a", "b", "a"]),
        (pd.cut(pd.Series([1, 7, 2]), [0, 5, 10]), ["(0, 5]", "(5, 10]", "(0, 5]"]),
    ],
)
def test_labels_of_a_frame(cells: object, expected: list[str]) -> None:
    frame = pd.DataFrame({"loss": [0.5, 0.25, 2.0], "member": [1, 1, 0], "g": cells})
    assert groups(read_scores(frame, group="g")) == (expected[:2], expected[2:])


def test_rows_without_a_label_are_dropped_if_asked_to() -> None:
    content = GROUPED + "7,1,\n8,0,nan\n,0,cat\n"
    said = r"^the uploaded file: dropped 3 of 6 rows with a missing value \(rows 5, 6, 7\)$"
    with pytest.warns(UserWarning, match=said):
        scores = read_scores(content.encode(), group="class", missing="drop")
    assert (losses(scores), groups(scores)) == (EXPECTED, (["cat", "dog"], ["cat"]))
    frame = pd.DataFrame(
        {"loss": [0.5, 0.25, 9, 2.0], "member": [1, 1, 1, 0], "g": [3, 4, None, 3]}
    )
    with pytest.warns(UserWarning, match=r"^the data frame: dropped 1 of 4 .* \(row 2\)$"):
        scores = read_scores(frame, group="g", missing="drop")
    assert (losses(scores), groups(scores)) == (EXPECTED, (["3", "4"], ["3"]))
    # Without the column its gaps do not matter.
    assert read_scores(frame).n_members == 3


def test_a_good_file_with_groups_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def read_again(*_: object) -> None:
        raise AssertionError("read cell by cell")

    monkeypatch.setattr(CsvBlock, "read_columns", read_again)
    assert groups(read_scores(GROUPED.encode(), group="class")) == (["cat", "dog"], ["cat"])


@pytest.mark.parametrize("n", [300, 40_000])
def test_reversed_scores_are_announced_with_the_number(n: int) -> None:
    rng = np.random.default_rng(0)
    losses_of_members, others = rng.normal(1, 1, n), rng.normal(0, 1, n)
    area = audit.auc(AttackScores.from_losses(member=losses_of_members, nonmember=others))
    said = rf"^the losses look reversed: AUC {area:.3f}; .* read them with kind='score'; if "
    with pytest.warns(UserWarning, match=said) as caught:
        scores = read_scores((losses_of_members, others))
    assert [warning.filename for warning in caught] == [__file__]
    assert (scores.member == -losses_of_members).all()  # nothing is flipped
    assert audit.auc(read_scores((losses_of_members, others), kind="score")) == 1 - area


@pytest.mark.parametrize(
    ("kind", "fix"),
    [
        ("loss", "if a high number means member, read them with kind='score'"),
        ("score", "if a low number means member, read them with kind='loss'"),
    ],
)
def test_what_is_said_of_reversed_scores_turns_them(kind: ScoreKind, fix: str) -> None:
    high, low = np.arange(300) + 200.0, np.arange(300) + 0.0
    pair = (high, low) if kind == "loss" else (low, high)  # members first
    with pytest.warns(UserWarning, match=rf"; {fix}; if members and non-members are swapped, "):
        read_scores(pair, kind=kind)


def test_a_pair_of_sets_is_refused() -> None:
    numbers = set(np.linspace(0, 1, 50).tolist())
    with pytest.raises(ValueError, match="must be an array or a list, got a set"):
        read_scores((numbers, {2 * each for each in numbers}))


def test_code_without_a_module_gets_the_warning() -> None:
    code = "import numpy\nread((numpy.arange(50.0) + 40, numpy.arange(50.0)))"
    with pytest.warns(UserWarning, match="look reversed"):
        exec(code, {"read": read_scores})


@pytest.mark.parametrize("n", [5, 300, 40_000])
def test_chance_does_not_look_reversed(n: int) -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        read_scores((rng.normal(size=n), rng.normal(size=n)))
