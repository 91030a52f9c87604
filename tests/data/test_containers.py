"""Mappings, objects, tensors, NumPy's and JSON's files: what is read and what is refused."""

import io
import json
import re
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.audit import AttackScores, BinnedScores
from dpviz.data import ReadError, read_scores

MEMBER, NONMEMBER = [0.5, 0.25, 1.5], [2.0, 0.75]
PAIR = {"member_losses": MEMBER, "nonmember_losses": NONMEMBER}
DROP = 'missing="drop" drops them'


def losses(scores: AttackScores | BinnedScores) -> tuple[list[float], list[float]]:
    assert isinstance(scores, AttackScores)
    assert scores.kind == "loss"
    return (-scores.member).tolist(), (-scores.nonmember).tolist()


def refused(source: Any, message: str, **options: Any) -> None:
    with pytest.raises(ReadError, match=f"^{re.escape(message)}"):
        read_scores(source, **options)


def npz(**arrays: Any) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def npy(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


class Tensor:
    """What a tensor of torch can do, as far as a reader needs it."""

    def __init__(self, values: Any, *, on: str = "cuda", grad: bool = True) -> None:
        self._values, self._on, self._grad = np.asarray(values), on, grad

    def detach(self) -> "Tensor":
        return Tensor(self._values, on=self._on, grad=False)

    def cpu(self) -> "Tensor":
        return Tensor(self._values, on="cpu", grad=self._grad)

    def numpy(self) -> np.ndarray:
        if self._grad or self._on != "cpu":
            raise TypeError("can't convert")
        return self._values


class Brain(Tensor):
    """A tensor of a type that numpy does not have."""

    def detach(self) -> "Brain":
        return self

    cpu = detach

    def numpy(self) -> np.ndarray:
        raise TypeError("Got unsupported ScalarType BFloat16")

    def float(self) -> Tensor:
        return Tensor(self._values.astype(np.float32), on="cpu", grad=False)


class Jax:
    """What an array of jax can do."""

    def __init__(self, values: Any) -> None:
        self._values = np.asarray(values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self._values


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        np.array,
        pd.Series,
        Tensor,
        Brain,
        Jax,
        lambda x: np.array(x, np.float16),
        lambda x: np.array(x, np.float32),
        lambda x: np.array(x, np.longdouble),
        lambda x: np.array(x, ">f4"),
        lambda x: pd.Series(x, dtype="Float32"),
        lambda x: [Tensor(each) for each in x],
        lambda x: [np.float32(each) for each in x],
        lambda x: np.array(x)[:, None][:, 0],
    ],
)
def test_whatever_holds_numbers(make: Any) -> None:
    pair = {"member_losses": make(MEMBER), "nonmember_losses": make(NONMEMBER)}
    assert losses(read_scores(pair)) == (MEMBER, NONMEMBER)
    assert losses(read_scores(tuple(pair.values()))) == (MEMBER, NONMEMBER)
    table = {"loss": make([*MEMBER, *NONMEMBER]), "is_member": make([1, 1, 1, 0, 0])}
    assert losses(read_scores(table)) == (MEMBER, NONMEMBER)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (["a", "b"], ': expected numbers, got text, the first "a"'),
        ([0.5, "a"], ', position 1: expected a number, got "a"'),
        ([0.5, True], ", position 1: expected a number, got True"),
        ([True, False], ": expected numbers, got truth values, the first True"),
        (np.array([True]), ": expected numbers, got truth values, the first True"),
        ([0.5, 1j], ", position 1: expected a number, got 1j"),
        (np.array([1j]), ": expected numbers, got complex numbers, the first 1j"),
        (np.array([0.5, None]), ": expected numbers, got objects"),
        (np.array(["2020"], "M8[Y]"), ": expected numbers, got dates, the first"),
        (np.ma.masked_less([0.5, 1], 1), ": expected numbers, got a masked array"),
        ([[0.5], [1.0, 2.0]], ": expected rows of equal length, got 1 in row 0 and 2 in row 1"),
        ([0.5, [1.0]], ": expected rows of equal shape, got () in row 0 and (1,) in row 1"),
        ([[0.5, 1.0]], ": expected a one-dimensional array, got shape (1, 2)"),
        (np.zeros((2, 3)), ": expected a one-dimensional array, got shape (2, 3)"),
        (0.5, ": expected a one-dimensional array, got a single value"),
        ("scores.csv", ": expected numbers, got text"),
        ([], ": expected numbers, got none"),
        ([0.5, 10**400], ", position 1: expected a number up to 1.8e308, got a whole number of"),
        ([0.5, None], f", position 1: expected a number, got nan (1 missing; {DROP})"),
        ([np.nan, 1, np.nan], f", position 0: expected a number, got nan (2 missing; {DROP})"),
        ({"a": 1}, ": expected keys"),
    ],
)
def test_what_holds_no_numbers(bad: Any, message: str) -> None:
    if isinstance(bad, dict):
        refused(PAIR | {"member_losses": bad}, "the mapping: no score column recognised")
        return
    refused(PAIR | {"member_losses": bad}, f'the mapping, key "member_losses"{message}')


def test_numbers_beyond_the_scale() -> None:
    refused(PAIR | {"member_losses": [1e301]}, "the mapping: member losses must be in [-1e+300")


def test_missing_numbers_of_a_mapping_are_dropped_if_asked_to() -> None:
    source = {"member_losses": [0.5, None, 0.25, np.nan, 1.5], "nonmember_losses": NONMEMBER}
    said = r'^here, key "member_losses": dropped 2 of 5 rows with a missing value \(rows 1, 3\)$'
    with pytest.warns(UserWarning, match=said) as caught:
        scores = read_scores(source, missing="drop", name="here")
    assert losses(scores) == (MEMBER, NONMEMBER)
    assert [warning.filename for warning in caught] == [__file__]
    assert scores.provenance is not None
    assert (scores.provenance.n_rows, scores.provenance.n_dropped) == (7, 2)
    said = 'the mapping, key "member_losses": expected numbers, got only missing values'
    refused(PAIR | {"member_losses": [np.nan]}, said, missing="drop")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({}, "the mapping: expected keys with values, got none"),
        ({"a": None}, "the mapping: expected keys with values, got none"),
        ({"a": [1.0], "b": [2.0]}, "the mapping: no score column recognised, columns found: "),
        (
            {"arr_0": [1.0], "arr_1": [2.0]},
            'the mapping: no score column recognised, columns found: "arr_0", "arr_1"; name the',
        ),
        ({"a": {"b": 1}, "a.b": 2}, 'the mapping: keys must be different texts, got "a.b" twice'),
        (
            {"loss": [1, 2, 3], "member": [1, 0]},
            'the mapping, key "member": expected as many values as "loss" has, 3, got 2',
        ),
        (
            {"loss": [1, 2], "member": [1, 2]},
            'the mapping, row 1, column "member": expected 1/0, ',
        ),
        (
            {"loss": [1, 2], "member": [1, 1]},
            'the mapping, column "member": expected members and non-members',
        ),
    ],
)
def test_mappings_that_are_refused(source: dict[str, Any], message: str) -> None:
    refused(source, message)


def test_a_mapping_of_columns() -> None:
    table = {"loss": [0.5, 2.0, 0.25], "split": ["train", "test", "train"], "class": [3, 3, 4]}
    scores = read_scores(table, group="class")
    assert losses(scores) == ([0.5, 0.25], [2.0])
    assert isinstance(scores, AttackScores)
    assert scores.groups == ("3", "4")
    nested = {"run": {"x": [1.0, 2.0], "who": np.array([True, False])}, "note": "a"}
    scores = read_scores(nested, score="run.x", member="run.who", kind="score")
    assert scores.kind == "score"


def test_deep_nesting_is_refused() -> None:
    deep: Any = {"x": 1}
    flat: Any = [1.0]
    for _ in range(5000):
        deep, flat = {"x": deep}, [1.0, flat]
    refused(deep, "the mapping: the values are nested too deeply")
    refused(PAIR | {"member_losses": flat}, "the mapping: the values are nested too deeply")
    nested: Any = 1.0
    for _ in range(100):
        nested = [nested]
    said = (
        'the mapping, key "member_losses": expected a list of numbers, got lists nested over 8 deep'
    )
    refused(PAIR | {"member_losses": nested}, said)


def test_objects_that_are_no_tools_are_refused() -> None:
    class Mine:
        loss_train, loss_test = MEMBER, NONMEMBER

    refused(Mine(), "source must be a pair ")


# --- .npz ---


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz(tmp_path: Path, save: Any) -> None:
    path = tmp_path / "scores.npz"
    save(path, member_losses=np.array(MEMBER, np.float32), nonmember_losses=NONMEMBER)
    content = path.read_bytes()
    for source in (path, content, io.BytesIO(content)):
        assert losses(read_scores(source)) == (MEMBER, NONMEMBER)
    with np.load(path) as loaded:
        assert losses(read_scores(loaded)) == (MEMBER, NONMEMBER)
    scores = read_scores(path)
    assert scores.provenance is not None
    assert (scores.provenance.path, scores.provenance.source) == (str(path), "scores.npz")


def test_npz_loads_only_what_is_asked_for() -> None:
    other = np.array([{"pickled": 1}], dtype=object)
    content = npz(**PAIR, config=other, huge=np.zeros(10**6))
    assert losses(read_scores(content, memory_limit=10**6)) == (MEMBER, NONMEMBER)
    with np.load(io.BytesIO(content)) as loaded:
        assert losses(read_scores(loaded)) == (MEMBER, NONMEMBER)
    with np.load(io.BytesIO(npz(member=other, nonmember=other))) as loaded:
        refused(loaded, 'the mapping, key "member": Object arrays cannot be loaded')


def test_npz_never_opens_a_pickle(tmp_path: Path) -> None:
    class Bomb:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (tmp_path / "exploded",))

    bomb = np.array([Bomb()], dtype=object)
    refused(
        npz(member_losses=bomb, nonmember_losses=NONMEMBER),
        'the uploaded file, key "member_losses": expected numbers, got pickled Python '
        "objects, which are never opened",
    )
    (tmp_path / "bomb.npy").write_bytes(npy(bomb))
    refused(tmp_path / "bomb.npy", "bomb.npy: expected numbers, got pickled Python objects")
    refused(
        (tmp_path / "bomb.npy", [1.0]), "bomb.npy: expected numbers, got pickled Python objects"
    )
    assert not (tmp_path / "exploded").exists()


def zipped(header: str, data: bytes, name: str = "member_losses.npy") -> bytes:
    """A .npz file whose first array has a header of one's own."""
    padded = header.encode() + b" " * (-(len(header) + 11) % 64) + b"\n"
    array = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(padded)) + padded + data
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, array)
        archive.writestr("nonmember_losses.npy", npy(np.array(NONMEMBER)))
    return buffer.getvalue()


def header(shape: str, descr: str = "'<f8'") -> str:
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}"


def test_a_header_of_ones_own_is_read_when_it_is_true() -> None:
    content = zipped(header("(3,)"), np.array(MEMBER).tobytes())
    assert losses(read_scores(content)) == (MEMBER, NONMEMBER)


@pytest.mark.parametrize(
    ("shape", "descr", "message"),
    [
        ("(1000000000000,)", "'<f8'", 'expected 8000000000000 bytes for "float64" of shape'),
        ("(2,)", "'<f8'", 'expected 16 bytes for "float64" of shape (2,), got 24: cut off or'),
        ("(-3,)", "'<f8'", "expected a shape without negative numbers, got (-3,)"),
        ("(10**18,)", "'<f8'", "not a readable .npy array: "),
        ("(1000000000000000000,)", "'V0'", "expected numbers, got entries of 0 bytes"),
        ("(3,)", "'|O'", "expected numbers, got pickled Python objects"),
        ("(3,)", "'<zz'", "not a readable .npy array: "),
        ("(3,)", "__import__('os').system('true')", "not a readable .npy array: "),
        ("(3,)", "'|V8'", "expected numbers, got entries of a type that NumPy"),
    ],
)
def test_npz_headers_that_lie(shape: str, descr: str, message: str) -> None:
    content = zipped(header(shape, descr), np.array(MEMBER).tobytes())
    refused(content, f'the uploaded file, key "member_losses": {message}')


def test_npz_that_would_take_too_much_memory() -> None:
    content = zipped(header("(10000000,)"), bytes(80_000_000))
    assert len(content) < 10**5
    refused(
        content,
        'the uploaded file, key "member_losses": reading takes 305 MiB, more than the 1 MiB of '
        'memory_limit; .npy files are streamed: read_scores(("member.npy", "nonmember.npy"))',
        memory_limit=2**20,
    )


def test_npz_files_that_are_broken() -> None:
    content = npz(**PAIR)
    where = "a.npz"
    for broken in (b"", content[:-30], b"PK\x03\x04", content.replace(b"PK\x01\x02", b"XXXX")):
        refused(broken, f"{where}: not a readable .npz file: ", name=where)
    at = content.index(np.array(MEMBER).tobytes())
    flipped = content[:at] + b"\x01" + content[at + 1 :]
    refused(flipped, 'a.npz, key "member_losses": not a readable .npz file: Bad CRC', name=where)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("archive/data.pkl", b"\x80\x04")
    refused(
        buffer.getvalue(),
        'a.npz: expected arrays (.npy) in the file, got "archive/data.pkl"',
        name=where,
    )
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.npy", npy(np.zeros(1)))
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a.npy", npy(np.zeros(1)))
    refused(buffer.getvalue(), 'a.npz: names must be unique, got "a.npy" twice', name=where)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("member.npy", b"not an array")
        archive.writestr("nonmember.npy", npy(np.zeros(1)))
    refused(buffer.getvalue(), 'a.npz, key "member": not a readable .npy array: ', name=where)


@given(at=st.integers(0, 10**4), byte=st.integers(0, 255))
def test_a_damaged_npz_is_read_or_refused(at: int, byte: int) -> None:
    content = bytearray(npz(**PAIR))
    content[at % len(content)] = byte
    try:
        read_scores(bytes(content), name="a.npz")
    except ReadError as error:
        assert str(error).startswith("a.npz")  # noqa: PT017 - any damage, any reason


# --- .npy ---


def test_npy_with_fields_is_a_table(tmp_path: Path) -> None:
    dtype = [("loss", ">f4"), ("member", "?"), ("class", "U3")]
    rows = [(0.5, 1, "cat"), (2.0, 0, "dog"), (0.25, 1, "dog")]
    path = tmp_path / "table.npy"
    np.save(path, np.array(rows, dtype))
    scores = read_scores(path, group="class")
    assert losses(scores) == ([0.5, 0.25], [2.0])
    assert isinstance(scores, AttackScores)
    assert scores.groups == ("cat", "dog")
    assert losses(read_scores(path.read_bytes())) == ([0.5, 0.25], [2.0])
    with_a_gap = np.array([(0.5, 1), (np.nan, 0), (2, 0)], [("loss", ">f4"), ("member", ">i4")])
    with pytest.warns(UserWarning, match=r"dropped 1 of 3 .* \(row 1\)$"):
        assert losses(read_scores(npy(with_a_gap), missing="drop")) == ([0.5], [2.0])
    n = 2**20 + 2
    many = np.zeros(n, [("loss", "f4"), ("member", "?")])
    many["loss"], many["member"] = np.arange(n) % 7, np.arange(n) % 2
    np.save(path, many)
    counted = read_scores(path, memory_limit=0, progress=iter)
    assert isinstance(counted, BinnedScores)
    # The mean of equal scores in a cell is the score, exactly.
    assert counted.member_means is not None
    assert counted.member_means.tolist() == [-6, -5, -4, -3, -2, -1, 0]
    assert counted.n_members == n // 2
    many["loss"][-1] = np.nan
    refused(npy(many), f'the uploaded file, row {n - 1}, column "loss": expected a number')
    nested = np.zeros(3, [("loss", "f8", (2,)), ("member", "?")])
    refused(npy(nested), "the uploaded file: expected a one-dimensional array with one value per")


def test_a_plain_npy_is_one_class(tmp_path: Path) -> None:
    refused(
        npy(np.array(MEMBER)),
        "the uploaded file: an array without named fields holds only one class; pass the files "
        'of both classes: read_scores(("member.npy", "nonmember.npy"))',
    )
    member, nonmember = tmp_path / "member.npy", tmp_path / "nonmember.npy"
    np.save(member, np.array(MEMBER, ">f4"))
    np.save(nonmember, np.array(NONMEMBER))
    scores = read_scores((member, str(nonmember)))
    assert losses(scores) == (MEMBER, NONMEMBER)
    assert scores.provenance is not None
    assert scores.provenance.source == "member.npy and nonmember.npy"
    assert losses(read_scores((member.read_bytes(), NONMEMBER))) == (MEMBER, NONMEMBER)
    with member.open("rb") as file:
        assert losses(read_scores((file, Tensor(NONMEMBER)))) == (MEMBER, NONMEMBER)
    assert read_scores((member, nonmember), kind="score").kind == "score"


def test_a_pair_of_npy_too_large_for_memory_is_counted(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    pair = [rng.normal(size=1_500_000), rng.normal(1, size=300_000)]
    paths = [tmp_path / "member.npy", tmp_path / "nonmember.npy"]
    for path, values in zip(paths, pair, strict=True):
        np.save(path, values)
    rounds: list[int] = []

    def progress(pieces: range) -> range:
        rounds.append(len(pieces))
        return pieces

    scores = read_scores(tuple(paths), memory_limit=2**20, progress=progress)
    assert isinstance(scores, BinnedScores)
    assert (scores.n_members, scores.n_nonmembers) == (1_500_000, 300_000)
    assert {2, 1} <= set(rounds)
    for i in (100, scores.thresholds.size // 2):
        at_least = scores.member_counts[i:].sum(), scores.nonmember_counts[i:].sum()
        assert at_least == tuple((-values >= scores.thresholds[i]).sum() for values in pair)
    pair[0][-1] = np.nan
    np.save(paths[0], pair[0])
    refused(tuple(paths), "member.npy, position 1499999: expected a number, got nan (1 missing")


@pytest.mark.parametrize(
    ("member", "message"),
    [
        (npy(np.zeros((2, 2))), "the file of members: expected a one-dimensional array, got shape"),
        (npy(np.zeros(0)), "the file of members: expected numbers, got none"),
        (npy(np.array([True])), "the file of members: expected numbers, got truth values"),
        (npy(np.array([0.5, np.nan])), "the file of members, position 1: expected a number"),
        (npy(np.zeros(9))[:-1], "the file of members: expected 72 bytes for"),
        (
            npz(**PAIR),
            "the file of members: expected a type of .npy, ",
        ),
        (b"loss\n1\nx\n", 'the file of members, row 3, column "loss": expected a number, got "x"'),
        (b"a,b\n1,2\n", 'the file of members: no score column recognised, columns found: "a", "b"'),
        (
            b"1,2\n3,4\n",
            "the file of members: expected one column of numbers, got 2 unnamed columns",
        ),
    ],
)
def test_pairs_of_files_that_are_refused(member: bytes, message: str) -> None:
    refused((member, [1.0]), message)


def test_a_pair_of_tables(tmp_path: Path) -> None:
    frames = [pd.DataFrame({"id": range(len(x)), "loss": x}) for x in (MEMBER, NONMEMBER)]
    for suffix, write in (
        ("csv", "to_csv"),
        ("parquet", "to_parquet"),
        ("feather", "to_feather"),
    ):
        paths = tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"
        for frame, path in zip(frames, paths, strict=True):
            getattr(frame, write)(path)
        scores = read_scores(paths)
        assert losses(scores) == (MEMBER, NONMEMBER)
        assert scores.provenance is not None
        assert scores.provenance.understood == (
            f'losses of members from a.{suffix}, column "loss", of non-members from b.{suffix}, '
            'column "loss"'
        )
    lines = [frame.to_json(orient="records", lines=True) for frame in frames]
    paths = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    for path, text in zip(paths, lines, strict=True):
        path.write_text(text)
    assert losses(read_scores(paths)) == (MEMBER, NONMEMBER)
    assert losses(read_scores(tuple(frames))) == (MEMBER, NONMEMBER)
    assert losses(read_scores((frames[0], NONMEMBER))) == (MEMBER, NONMEMBER)
    named = tuple(frame.rename(columns={"loss": "x"}) for frame in frames)
    assert losses(read_scores(named, score="x")) == (MEMBER, NONMEMBER)
    mixed = frames[0], frames[1].rename(columns={"loss": "score"})
    refused(mixed, 'the table of members, column "loss" holds losses and')
    refused(frames, "member must be left out for a table of one class, got", member="id")
    with pytest.warns(
        UserWarning, match=r'^the file of members, column "loss": dropped 1 of 3 .* \(row 3\)$'
    ):
        scores = read_scores((b'loss\n0.5\n""\n\n0.25\n', [2.0]), missing="drop")
    assert losses(scores) == ([0.5, 0.25], [2.0])


# --- JSON ---


def test_json_objects(tmp_path: Path) -> None:
    path = tmp_path / "scores.json"
    for text in (json.dumps(PAIR), "\ufeff" + json.dumps(PAIR, indent=2)):
        path.write_text(text, encoding="utf-8")
        assert losses(read_scores(path)) == (MEMBER, NONMEMBER)
        assert losses(read_scores(text.encode())) == (MEMBER, NONMEMBER)
    frame = pd.DataFrame({"loss": [0.5, 2.0, 0.25], "member": [1, 0, 1]})
    for orient in ("records", "columns", "list"):
        if orient == "list":
            path.write_text(json.dumps(frame.to_dict(orient="list")))
        else:
            frame.to_json(path, orient=orient)
        assert losses(read_scores(path)) == ([0.5, 0.25], [2.0])
    rows = '[{"loss": 0.5, "member": true}, {"member": false, "loss": 2, "note": []}]'
    assert losses(read_scores(rows.encode(), name="a.json")) == ([0.5], [2.0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ": expected an object such as"),
        ("null", ": expected an object such as"),
        ("[1.0, 2.0]", ", row 0: expected an object such as"),
        ("[]", ": expected rows, got none"),
        ('{"member_losses": [1.0,', ", line 1, column 24: not JSON: Expecting value, got the end"),
        ('{"a": 1,\n "b": 0x1}', ", line 2, column 8: not JSON: Expecting ',' delimiter, got"),
        ('{"a": 1}\n{"a": 2}', ", line 2, column 1: not JSON: Extra data, got"),
        ('{"a": 1, "a": 2}', ': keys must be unique, got "a" twice'),
        ("[" * 100_000, ": the values are nested too deeply"),
        ('{"a": ' * 100_000, ": the values are nested too deeply"),
        ('{"member": [1' + 5000 * "0" + '], "nonmember": [1]}', ": a whole number has too many"),
        (
            '{"member": [1' + 400 * "0" + '], "nonmember": [1]}',
            ', key "member", position 0: expected a number up to 1.8e308',
        ),
        (
            '{"member": [0.5, null], "nonmember": [1]}',
            ', key "member", position 1: expected a number, got nan (1 missing; missing=',
        ),
        (
            '[{"loss": 1, "member": 1}, {"member": 0}]',
            ', row 1, column "loss": expected a number, got None (1 such row; missing=',
        ),
        (
            '[{"loss": 1, "member": 1}, {"loss": "x", "member": 0}]',
            ', row 1, column "loss": expected a number, got "x"',
        ),
        (
            '[{"loss": 1, "member": 1}, {"loss": true, "member": 0}]',
            ', row 1, column "loss": expected a number, got True',
        ),
        (
            '[{"loss": 1, "member": 1}, {"loss": 1' + 400 * "0" + ', "member": 0}]',
            ', row 1, column "loss": expected a number in [-1e+300, 1e+300] or inf, got 1',
        ),
    ],
)
def test_json_that_is_refused(text: str, message: str) -> None:
    refused(text.encode(), f"a.json{message}", name="a.json")


def test_json_that_is_no_text() -> None:
    refused(
        '{"a":\n "é"}'.encode("latin-1"),
        "a.json, line 2, column 3: expected JSON in UTF-8, got byte 0xe9",
        name="a.json",
    )
    refused(
        "{}".encode("utf-16"), "a.json, line 1, column 1: expected JSON in UTF-8", name="a.json"
    )


def test_json_that_would_take_too_much_memory() -> None:
    content = json.dumps({"member": [0.125] * 100_000, "nonmember": [1.0]}).encode()
    # A number and its place take 32 bytes, which half of the limit is for.
    said = "a.json: JSON is read as a whole, which takes more than the 4 MiB of memory_limit"
    refused(content, said, name="a.json", memory_limit=2**22)


# --- JSON Lines ---


LINES = '{"loss": 0.5, "member": 1}\n\n{"member": 0, "loss": 2}\r\n{"loss": 0.25, "member": 1}'


def test_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text(LINES)
    assert losses(read_scores(path)) == ([0.5, 0.25], [2.0])
    assert losses(read_scores(("\ufeff" + LINES).encode())) == ([0.5, 0.25], [2.0])
    packed = tmp_path / "scores.jsonl.gz"
    pd.DataFrame({"loss": [0.5, 2.0], "member": [1, 0]}).to_json(
        packed, orient="records", lines=True
    )
    assert losses(read_scores(packed)) == ([0.5], [2.0])
    counted = read_scores(path, memory_limit=0, progress=iter)
    assert isinstance(counted, BinnedScores)
    assert (counted.n_members, counted.n_nonmembers) == (2, 1)
    assert counted.nonmember_counts.tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[1, 2]", ", row 5: expected an object such as "),
        ("7", ", row 5: expected an object such as "),
        ('{"loss": 1,', ", line 5, column 12: not JSON: "),
        ('{"loss": 1, "loss": 2, "member": 1}', ', line 5: keys must be unique, got "loss" twice'),
        ('{"a": ' * 100_000, ", line 5: the values are nested too deeply"),
        ('{"loss": "x", "member": 1}', ', row 5, column "loss": expected a number, got "x"'),
        ('{"loss": NaN, "member": 1}', ', row 5, column "loss": expected a number, got nan'),
        ('{"loss": 1, "member": 2}', ', row 5, column "member": expected 1/0'),
        ('{"loss": 1}', ', row 5, column "member": expected 1/0'),
    ],
)
def test_json_lines_that_are_refused(line: str, message: str) -> None:
    refused(f"{LINES}\n{line}\n".encode(), f"a.jsonl{message}", name="a.jsonl")


def test_json_lines_without_a_row() -> None:
    for content in (b"", b"\n \n"):
        message = "a.jsonl: expected an object in every line, got an empty file"
        refused(content, message, name="a.jsonl")
