"""Whatever comes, it is read as finite numbers or refused with one sentence.

FUZZ_EXAMPLES=2000 looks longer than the default.
"""

import gzip
import io
import json
import os
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import feather, parquet

from dpviz import AttackScores, BinnedScores
from dpviz.data import ReadError, read_scores
from dpviz.data.formats.arrays import NPY, NPZ
from dpviz.data.formats.csv import CSV
from dpviz.data.formats.format import Format
from dpviz.data.formats.json import JSON, JSONL
from dpviz.data.formats.lira import LIRA
from dpviz.data.formats.objects import (
    FRAME,
    INPUT_FIELDS,
    LIST_OF_ROWS,
    MAPPING,
    OBJECTS,
    RESULT_FIELDS,
    SCORES,
)
from dpviz.data.formats.pair import PAIR
from dpviz.data.formats.parquet_and_feather import FEATHER, PARQUET
from dpviz.data.formats.parts import PARTS
from dpviz.data.read import formats

LARGEST = 1e300
Rows = list[tuple[float, bool]]
ROWS = st.lists(
    st.tuples(st.floats(-LARGEST, LARGEST, allow_subnormal=True), st.booleans()), min_size=2
).filter(lambda rows: {member for _, member in rows} == {True, False})
SETTINGS = settings(
    max_examples=int(os.environ.get("FUZZ_EXAMPLES", settings().max_examples // 2)),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def frame(rows: Rows) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["loss", "member"])


def classes(rows: Rows) -> tuple[list[float], list[float]]:
    """Losses of members and of non-members."""
    return [loss for loss, is_in in rows if is_in], [loss for loss, is_in in rows if not is_in]


def written(write: Callable[[Any], Any]) -> bytes:
    stream = io.BytesIO()
    write(stream)
    return stream.getvalue()


def as_csv(rows: Rows) -> bytes:
    return frame(rows).to_csv(index=False).encode()


def as_parquet(rows: Rows) -> bytes:
    return written(lambda stream: parquet.write_table(pa.table(frame(rows)), stream))


def as_feather(rows: Rows) -> bytes:
    return written(lambda stream: feather.write_feather(frame(rows), stream))


def as_stream(rows: Rows) -> bytes:
    table = pa.table(frame(rows))

    def write(stream: Any) -> None:
        with pa.ipc.new_stream(stream, table.schema) as writer:
            writer.write_table(table)

    return written(write)


def as_npy(rows: Rows) -> bytes:
    array = np.array(rows, dtype=[("loss", "f8"), ("member", "?")])
    return written(lambda stream: np.save(stream, array))


def as_npz(rows: Rows) -> bytes:
    member, nonmember = classes(rows)
    return written(
        lambda stream: np.savez_compressed(stream, loss_train=member, loss_test=nonmember)
    )


def as_json(rows: Rows) -> bytes:
    member, nonmember = classes(rows)
    return json.dumps({"member_losses": member, "nonmember_losses": nonmember}).encode()


def as_jsonl(rows: Rows) -> bytes:
    lines = (json.dumps({"loss": loss, "member": member}) for loss, member in rows)
    return "\n".join(lines).encode()


@dataclass(frozen=True)
class FileFormat:
    """How a valid file is written, and how files of this kind begin."""

    name: str
    write: Callable[[Rows], bytes]
    start: bytes


FILES: dict[Format, list[FileFormat]] = {
    CSV: [
        FileFormat("s.csv", as_csv, b"loss,member\n"),
        FileFormat(
            "s.csv.gz", lambda rows: gzip.compress(as_csv(rows), mtime=0), b"\x1f\x8b\x08\0"
        ),
        FileFormat("s.tsv", lambda rows: as_csv(rows).replace(b",", b"\t"), b"loss\tmember\n"),
    ],
    PARQUET: [FileFormat("s.parquet", as_parquet, b"PAR1")],
    FEATHER: [
        FileFormat("s.feather", as_feather, b"ARROW1\0\0"),
        FileFormat("s.arrow", as_stream, b"\xff\xff\xff\xff"),
    ],
    NPZ: [FileFormat("s.npz", as_npz, b"PK\x03\x04")],
    NPY: [FileFormat("s.npy", as_npy, b"\x93NUMPY\x01\x00")],
    JSON: [FileFormat("s.json", as_json, b"{")],
    JSONL: [FileFormat("s.jsonl", as_jsonl, b'{"loss"')],
}
EACH_FILE = [each for kinds in FILES.values() for each in kinds]
NAMES = """
    loss member nonmember members nonmembers scores memberships keep g predictions fpr FN FP TN TP
    loss_train loss_test logits_train labels_train logits_test labels_test probs_train probs_test
    df_train_user df_test_user
"""
KEYS = st.sampled_from(NAMES.split())
NUMBERS = st.floats() | st.integers() | st.integers(-(10**400), 10**400) | st.just(1e301)
ODD = (
    st.none() | st.booleans() | st.text(max_size=3) | st.sampled_from(["1", "nan", "train", "out"])
)
LEAVES = NUMBERS | ODD
DOCUMENTS = st.recursive(
    LEAVES | st.lists(NUMBERS, max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=20,
)
CELLS = LEAVES | st.sampled_from(
    [Decimal("1.5"), Decimal("sNaN"), b"1", 1j, [1], {}, pd.NaT, pd.NA, np.float32(2), np.int8(-3)]
)
TYPES = st.sampled_from(
    ["f2", "f4", "f8", "g", "i1", "u8", "?", "c8", "U3", "S3", "M8[s]", "m8[D]", "V2"]
)


@st.composite
def arrays(draw: st.DrawFn) -> Any:
    """Arrays of all types and up to two dimensions, from random bytes."""
    dtype = np.dtype(draw(TYPES))
    shape = tuple(draw(st.lists(st.integers(0, 3), max_size=2)))
    n_bytes = dtype.itemsize * int(np.prod(shape))
    content = draw(st.binary(min_size=n_bytes, max_size=n_bytes))
    if dtype.kind == "U":
        return np.full(shape, draw(st.text(max_size=3)), dtype)
    return np.frombuffer(content, dtype).reshape(shape)


@st.composite
def columns(draw: st.DrawFn) -> pd.DataFrame:
    """A frame whose columns may be of any type."""
    n = draw(st.integers(0, 5))
    names = draw(st.lists(KEYS | st.sampled_from([" loss", 1, None, "split"]), max_size=4))
    return pd.DataFrame(
        {
            i: pd.Series(draw(st.lists(CELLS, min_size=n, max_size=n)), dtype=object)
            for i in range(len(names))
        }
    ).set_axis(names, axis=1)


NAMED = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=5
)
VALUES = DOCUMENTS | arrays() | columns()


@st.composite
def folders(draw: st.DrawFn) -> dict[str, bytes]:
    """Files of a LiRA folder, perhaps damaged."""
    n = draw(st.integers(1, 4))
    keep = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    scores = np.array(draw(st.lists(st.floats(), min_size=2 * n, max_size=2 * n)))
    files = {
        "keep.npy": written(lambda stream: np.save(stream, keep)),
        "scores/1.npy": written(lambda stream: np.save(stream, scores.reshape(n, 2))),
        "logits/1.npy": written(lambda stream: np.save(stream, scores.reshape(n, 1, 2))),
    }
    kept = draw(st.sets(st.sampled_from(sorted(files))))
    return {name: draw(damaged(files[name])) for name in kept}


def attributes(names: tuple[str, ...]) -> st.SearchStrategy[SimpleNamespace]:
    return st.fixed_dictionaries(dict.fromkeys(names, VALUES)).map(
        lambda each: SimpleNamespace(**each)
    )


OBJECTS_OF: dict[Format, st.SearchStrategy[Any]] = {
    SCORES: ROWS.map(
        lambda rows: AttackScores(**dict(zip(("member", "nonmember"), classes(rows), strict=True)))
    ),
    PAIR: st.tuples(VALUES, VALUES) | st.lists(VALUES, max_size=3),
    FRAME: columns()
    | st.lists(CELLS, max_size=4).map(
        lambda cells: np.array([(cell, 1) for cell in cells], [("loss", "O"), ("member", "i1")])
    ),
    LIST_OF_ROWS: st.lists(st.dictionaries(KEYS, CELLS, max_size=3), min_size=1, max_size=4),
    MAPPING: st.dictionaries(KEYS | st.integers(0, 1), VALUES, max_size=5),
    OBJECTS: st.one_of(*(attributes(names) for names in (INPUT_FIELDS, *RESULT_FIELDS))),
}
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "missing": st.just("drop"),
        "kind": st.sampled_from(["loss", "score"]),
        "score": st.sampled_from(["loss", "g"]),
        "group": st.just("g"),
        "memory_limit": st.just(0),
    },
)


@st.composite
def damaged(draw: st.DrawFn, content: bytes) -> bytes:
    """The same but for some bytes changed, taken out, put in or cut off."""
    changed = bytearray(content)
    for _ in range(draw(st.integers(1, 3))):
        begin = draw(st.integers(0, len(changed)))
        end = min(len(changed), begin + draw(st.sampled_from([0, 1, 4, 40, 10**9])))
        changed[begin:end] = draw(st.binary(max_size=8))
    return bytes(changed)


def read_or_refuse(source: Any, **options: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)
        try:
            check_scores(read_scores(source, progress=lambda rounds: rounds, **options))
        except FileNotFoundError:
            assert isinstance(source, tuple | list)  # a text in a pair is a path
        except ReadError as error:
            check_message(str(error), options.get("name", ""))
        except ValueError as error:
            # AttackScores says it, which is no reader.
            assert isinstance(source, tuple | list)
            check_message(str(error), "")


def check_scores(scores: Any) -> None:
    assert isinstance(scores, AttackScores | BinnedScores)
    for values in (scores.members.values, scores.nonmembers.values):
        assert values.size
        assert not np.isnan(values).any()
    if scores.provenance is not None:
        kept = scores.provenance.n_rows - scores.provenance.n_dropped
        assert kept == scores.n_members + scores.n_nonmembers


def check_message(said: str, name: str) -> None:
    assert said.isprintable()
    assert len(said) < 1000
    # A message about an option names the option, and the kind of the source.
    roles, about = ("member", "score", "group"), ("names", "must be left out for")
    assert said.startswith((name, *(f"{role} {words}" for role in roles for words in about)))


def test_every_format_is_fuzzed() -> None:
    assert {*FILES, *OBJECTS_OF, LIRA, PARTS} == set(formats())


@pytest.mark.parametrize("file", EACH_FILE, ids=lambda file: file.name)
@pytest.mark.filterwarnings("ignore:.* look reversed:UserWarning")
@given(rows=ROWS)
@SETTINGS
def test_a_valid_file_is_read_exactly(file: FileFormat, rows: Rows) -> None:
    scores = read_scores(file.write(rows), name=file.name)
    assert isinstance(scores, AttackScores)
    member, nonmember = classes(rows)
    np.testing.assert_array_equal(scores.member, -np.array(member))
    np.testing.assert_array_equal(scores.nonmember, -np.array(nonmember))


@pytest.mark.parametrize("file", EACH_FILE, ids=lambda file: file.name)
@given(rows=ROWS, data=st.data(), options=OPTIONS)
@SETTINGS
def test_damaged_files(file: FileFormat, rows: Rows, data: st.DataObject, options: Any) -> None:
    read_or_refuse(data.draw(damaged(file.write(rows))), name=file.name, **options)


@pytest.mark.parametrize("file", EACH_FILE, ids=lambda file: file.name)
@given(rest=st.binary(max_size=200), options=OPTIONS)
@SETTINGS
def test_random_bytes(file: FileFormat, rest: bytes, options: Any) -> None:
    read_or_refuse(file.start + rest, name=file.name, **options)


@given(
    text=st.text(alphabet='01.,-+e"\n\r\t ;nainftruelossmember\ufeff\u202e٣_x', max_size=80),
    header=st.sampled_from(["loss,member\n", "", '"loss","member","g"\r\n', "loss\tmember\r"]),
    options=OPTIONS,
)
@SETTINGS
def test_random_tables_of_text(text: str, header: str, options: Any) -> None:
    for name in ("s.csv", "s.tsv"):
        read_or_refuse((header + text).encode(), name=name, **options)


@pytest.mark.slow
@given(
    document=DOCUMENTS, rows=st.lists(st.dictionaries(KEYS, DOCUMENTS, max_size=4)), options=OPTIONS
)
@SETTINGS
def test_random_documents(document: Any, rows: list[Any], options: Any) -> None:
    read_or_refuse(json.dumps(document).encode(), name="s.json", **options)
    read_or_refuse(json.dumps(rows).encode(), name="s.json", **options)
    lines = "\n".join(map(json.dumps, [*rows, document]))
    read_or_refuse(lines.encode(), name="s.jsonl", **options)


@given(named=st.dictionaries(KEYS, arrays(), max_size=4), array=arrays(), options=OPTIONS)
@SETTINGS
def test_random_arrays(named: dict[str, Any], array: Any, options: Any) -> None:
    content = written(lambda stream: np.savez(stream, **named))
    read_or_refuse(content, name="s.npz", **options)
    read_or_refuse(written(lambda stream: np.save(stream, array)), name="s.npy", **options)
    fields = np.zeros(3, [("loss", array.dtype), ("member", "i1"), ("g", array.dtype)])
    if array.size:
        fields["loss"][0] = array.ravel()[0]
    fields["member"][0] = 1
    read_or_refuse(written(lambda stream: np.save(stream, fields)), name="s.npy", **options)


@given(content=st.binary(max_size=100), names=st.lists(NAMED, max_size=3))
@SETTINGS
def test_random_entries_of_a_zip_file(content: bytes, names: list[str]) -> None:
    stream = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with zipfile.ZipFile(stream, "w") as archive:
            for name in (*names, "member.npy", "nonmember.npy"):
                archive.writestr(name, content)
    read_or_refuse(stream.getvalue(), name="s.npz")


@pytest.mark.parametrize("kind", OBJECTS_OF, ids=lambda kind: kind.name)
@given(data=st.data(), options=OPTIONS)
@SETTINGS
def test_random_objects(kind: Format, data: st.DataObject, options: Any) -> None:
    source = data.draw(OBJECTS_OF[kind])
    assert kind.accepts(source)
    read_or_refuse(source, **options)


@given(files=folders(), options=OPTIONS)
@SETTINGS
def test_random_folders(files: dict[str, bytes], options: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            path = Path(folder, name)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        read_or_refuse(folder, **options)
