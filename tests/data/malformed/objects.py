"""What is no single file: mappings, pairs, objects of libraries, folders, pipes."""

import os
import socket
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from dpviz.data.formats.registry import file_suffixes
from tests.data.malformed.arrays import PICKLED
from tests.data.malformed.case import (
    A_NUMBER,
    CODED,
    DROP,
    DROPS,
    LIBRARY,
    NO_SCORE,
    RECODE,
    Case,
    given,
)

A = np.array([0.1, 0.2, 0.3])
PICKLE = (
    "a pickle, which may run any code and is never opened; where you trust it, open it with the "
    'tool that wrote it and save the arrays: numpy.savez("scores.npz", member=..., '
    'nonmember=...), then read_scores("scores.npz", kind="loss" or "score")'
)
SUFFIXES = f"({', '.join(file_suffixes())})"


class Stubborn:
    """Looks like an array and gives none."""

    def __array__(self, *args: Any, **kwargs: Any) -> np.ndarray:
        raise RuntimeError("on another device")


def itself() -> list[Any]:
    """A list that holds itself."""
    values: list[Any] = []
    values.append(values)
    return values


def mapping(name: str, values: Mapping[Any, Any], message: str, **options: Any) -> Case:
    """A dict."""
    return given(f"{name} in a mapping", lambda: values, f"the mapping{message}", **options)


def member(name: str, values: Any, message: str) -> Case:
    """A dict whose members are wrong."""
    return mapping(name, {"member": values, "nonmember": A}, f', key "member"{message}')


MAPPINGS = [
    mapping("nothing", {}, ": expected keys with values, got none"),
    mapping("None", {"member": None}, ": expected keys with values, got none"),
    mapping("1 and '1'", {"1": A, 1: A}, ': keys must be different texts, got "1" twice'),
    mapping(
        "an unknown key",
        {"<b>\n</b>": A},
        f': no score column recognised, columns found: "<b>\\n</b>"; {NO_SCORE}',
    ),
    mapping(
        "lengths that differ",
        {"loss": A, "member": [1, 0]},
        ', key "member": expected as many values as "loss" has, 3, got 2',
    ),
    mapping(
        "2 as membership",
        {"loss": A, "member": [1, 0, 2]},
        f', row 2, column "member": {CODED} 2.0{RECODE}',
    ),
    mapping(
        "a gap in memberships",
        {"loss": A, "member": [1, None, 0]},
        f', row 1, column "member": {CODED} nan (1 such row; {DROP})',
    ),
    member(
        "rows of two lengths",
        [[1], [1, 2]],
        ": expected rows of equal length, got 1 in row 0 and 2 in row 1",
    ),
    member(
        "a list of itself", itself(), ": expected a list of numbers, got lists nested over 8 deep"
    ),
    member("no entries", [], ": expected numbers, got none"),
    member("a number", 1.0, ": expected a one-dimensional array, got a single value"),
    member(
        "two dimensions", np.ones((2, 2)), ": expected a one-dimensional array, got shape (2, 2)"
    ),
    member("truth values", [True, False], ": expected numbers, got truth values, the first True"),
    member("complex numbers", [0.5, 1j], ", position 1: expected a number, got 1j"),
    member("words", ["1", "2"], ': expected numbers, got text, the first "1"'),
    member("bytes", b"123", ": expected numbers, got bytes, the first b'123'"),
    member("decimals", [Decimal(1)], ", position 0: expected a number, got Decimal('1')"),
    member("objects", np.array([1, None], object), ": expected numbers, got objects"),
    member("a set", {1.0, 2.0}, ": expected numbers, got objects"),
    member(
        "masked entries",
        np.ma.masked_array(A, [0, 1, 0]),
        ": expected numbers, got a masked array; value.compressed() leaves out what is masked",
    ),
    member("nan", [0.5, np.nan], f", position 1: {A_NUMBER} nan (1 missing; {DROPS})"),
    member(
        "a whole number of 5001 digits",
        [10**5000],
        ", position 0: expected a number up to 1.8e308, got a whole number of 16610 bits",
    ),
    member(
        "an array that gives none",
        Stubborn(),
        ': expected numbers, got a Stubborn that gives none: "on another device"',
    ),
]


def pair(name: str, values: Any, message: str, **options: Any) -> Case:
    """Two sources."""
    return given(f"{name} as a pair", lambda: values, message, **options)


TWO = "a pair must be two arrays (member_losses, nonmember_losses), got a"
LABELS = (
    "a pair must be two arrays (member_losses, nonmember_losses), got only 0 and 1 in the {} "
    "array, as if these were labels for the {} array; pass "
    'read_scores({{"score": ..., "member": ...}}), or {{"loss": ..., "member": ...}}'
)
PAIRS = [
    pair("nothing", (), f"{TWO} tuple of 0"),
    pair("one array", (A,), f"{TWO} tuple of 1"),
    pair("three arrays", [A, A, A], f"{TWO} list of 3"),
    pair("two numbers", [1.0, 2.0], "member losses must be one-dimensional, of shape (n,), got ()"),
    pair("no members", ([], A), "member losses must not be empty, got 0 values"),
    pair("no non-members", (A, []), "nonmember losses must not be empty, got 0 values"),
    pair(
        "two dimensions",
        (A, A[None]),
        "nonmember losses must be one-dimensional, of shape (n,), got (1, 3)",
    ),
    pair("rows of two lengths", ([[1], [1, 2]], A), f"member losses must be {LIBRARY}"),
    pair("truth values", (A > 0, A), "member losses must be numbers, got True"),
    pair("complex numbers", (A * 1j, A), "member losses must be numbers, got 0.1j"),
    pair("words", (["a"], A), "member losses must be numbers, got 'a'"),
    pair("None", (None, A), "member losses must be a number, got None"),
    pair(
        "nan",
        ([0.5, np.nan], A),
        "member losses must be numbers, got 1 NaN among 2 values; read_scores(..., "
        "missing='drop') drops NaN",
    ),
    pair(
        "a number too large",
        (A, [1e301]),
        "nonmember losses must be in [-1e+300, 1e+300] or inf, got 1e+301",
    ),
    pair(
        "a whole number of 5001 digits",
        ([10**5000], A),
        "member losses must be numbers up to 1.8e308, got a int",
    ),
    pair(
        "masked entries",
        (np.ma.masked_array(A, [0, 1, 0]), A),
        "member losses: expected numbers, got a masked array; value.compressed() leaves out what "
        "is masked",
    ),
    pair(
        "an array that gives none",
        (Stubborn(), A),
        'member losses: expected numbers, got a Stubborn that gives none: "on another device"',
    ),
    pair("scores and labels", (A, [1, 0, 1]), LABELS.format("second", "first")),
    pair("scores and truth values", (A, [True, False, True]), LABELS.format("second", "first")),
    pair("scores and labels as floats", (A, [1.0, 0.0, 1.0]), LABELS.format("second", "first")),
    pair("labels and scores", ([1, 0, 1], A), LABELS.format("first", "second")),
    pair(
        "frames of two units",
        (pd.DataFrame({"loss": [1.0]}), pd.DataFrame({"score": [1.0]})),
        'the table of members, column "loss" holds losses and the table of non-members, column '
        '"score" scores; pass kind="loss" or kind="score" for both',
    ),
    pair(
        "a frame of no columns",
        (pd.DataFrame(), A),
        "the table of members: expected a column of numbers, got no columns",
    ),
    pair(
        "a frame with a word",
        (pd.DataFrame({"p": [1.0, "x"]}), A),
        'the table of members, row 1, column "p": expected a number, got "x"',
    ),
    pair(
        "decimal commas without a header",
        (b"0,5\n0,7\n", A),
        "the file of members: expected one column of numbers, got 2 unnamed columns; for "
        "predictions of a model, give the true classes too: "
        'read_scores({"probs_train": ..., "labels_train": ..., '
        '"probs_test": ..., "labels_test": ...})',
    ),
    pair(
        "nan in the first row",
        (b"nan\n0.5\n", A),
        f'the file of members, row 1, column "1": {A_NUMBER} nan (1 missing; {DROPS})',
    ),
]
INPUT_DATA = {
    f"{what}_{side}": None
    for what in ("logits", "probs", "labels", "loss", "entropy", "sample_weight")
    for side in ("train", "test")
}


def attacked(name: str, message: str, **attributes: Any) -> Case:
    """An object like TF Privacy's."""
    return given(
        f"{name} in an object",
        lambda: SimpleNamespace(**{**INPUT_DATA, **attributes}),
        f"SimpleNamespace{message}",
    )


OTHERS = [
    attacked("nothing", ": expected values in attributes such as loss_train, got only None"),
    attacked(
        "one class",
        f': no score column recognised, columns found: "loss_train"; {NO_SCORE}',
        loss_train=A,
    ),
    attacked(
        "words",
        ', attribute "loss_test": expected numbers, got text, the first "x"',
        loss_train=A,
        loss_test="x",
    ),
    *(
        given(
            f"a {type(source).__name__} alone",
            lambda source=source: source,
            'source must be a pair (member_losses, nonmember_losses), a mapping such as {"loss": '
            '..., "member": ...}, a table, a path or an open file (see python -m dpviz formats), '
            f"got {called}",
        )
        for source, called in (
            (None, "a NoneType"),
            (1.5, "a float"),
            (A, "one array of shape (3,)"),
            (iter([1.0]), "a list_iterator: list(...) makes a list"),
            (pd.Series(A), "a pandas.Series: .reset_index() makes a table"),
            (SimpleNamespace(), "a types.SimpleNamespace"),
        )
    ),
    given(
        "no bytes", lambda: b"", "the uploaded file: expected a header and rows, got an empty file"
    ),
    given(
        "an open file of something else",
        lambda: SimpleNamespace(read=lambda size=-1: [1.0]),
        "the uploaded file: expected text or bytes, got list",
    ),
]


def lira(name: str, files: Mapping[str, Any], message: str, **options: Any) -> Case:
    """A folder of the LiRA code: arrays, bytes, or None for a folder."""

    def make(folder: Path) -> Path:
        for path, content in files.items():
            place = folder / "lira" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            if content is None:
                place.mkdir()
            elif isinstance(content, bytes):
                place.write_bytes(content)
            else:
                np.save(place, content)
        return folder / "lira"

    return Case(name=f"{name} (LiRA)", make=make, message=f"lira{message}", options=options)


def folder(name: str, columns: dict[str, Any], message: str) -> Case:
    """A folder of two Parquet files, of which the second has these columns."""

    def make(place: Path) -> Path:
        (place / "run").mkdir()
        pd.DataFrame({"loss": [0.5, 0.7], "member": [1, 0]}).to_parquet(place / "run/a.parquet")
        pd.DataFrame(columns).to_parquet(place / "run/b.parquet")
        return place / "run"

    return Case(name=f"{name} (folder)", make=make, message=message)


def record(name: str, loss: Any, message: str) -> tuple[Case, Case]:
    """One record as a row and as an entry of an array with named fields."""
    row, entry = (
        {"loss": loss, "member": 1},
        np.array([(loss, 1)], [("loss", "O"), ("member", "i1")]),
    )
    return (
        given(f"{name} in a row", lambda: [row], f"the list of rows, row 0, {message}"),
        given(f"{name} in a named field", lambda: entry, f"the numpy table, row 0, {message}"),
    )


RECORDS = [
    *record("a word", "x", 'column "loss": expected a number, got "x"'),
    *record("a gap", None, f'column "loss": {A_NUMBER} None (1 such row; {DROP})'),
    folder(
        "other columns",
        {"loss": [0.5], "member": [1], "x": [1]},
        'b.parquet: expected the columns of a.parquet, "loss", "member", got "loss", "member", "x"',
    ),
    folder(
        "a word",
        {"loss": ["0.5", "x"], "member": [1, 0]},
        'b.parquet, row 1, column "loss": expected a number, got "x"',
    ),
]
KEEP, S = np.array([True, False, True]), np.array([[1.0, 2], [3, 4], [5, 6]])
UNREADABLE = f": not a readable .npy array: {LIBRARY}"
LIRA = [
    lira("no scores", {"keep.npy": KEEP}, ": expected a folder scores or logits beside keep.npy"),
    lira(
        "a file instead of scores",
        {"keep.npy": KEEP, "scores": b""},
        ": expected a folder scores or logits beside keep.npy",
    ),
    lira("no membership", {"scores/1.npy": S}, f": expected a file {SUFFIXES}, got a directory"),
    lira(
        "a folder instead of membership",
        {"keep.npy": None, "scores/1.npy": S},
        f": expected a file {SUFFIXES}, got a directory",
    ),
    lira("no epoch", {"keep.npy": KEEP, "scores": None}, "/scores: expected .npy files, got none"),
    lira(
        "a folder instead of an epoch",
        {"keep.npy": KEEP, "scores/1.npy": None},
        "/scores: expected .npy files, got none",
    ),
    lira("damaged membership", {"keep.npy": b"junk", "scores/1.npy": S}, f"/keep.npy{UNREADABLE}"),
    lira(
        "damaged scores", {"keep.npy": KEEP, "scores/1.npy": b"junk"}, f"/scores/1.npy{UNREADABLE}"
    ),
    lira(
        "scores beyond the limit",
        {"keep.npy": KEEP, "scores/1.npy": np.zeros((2**15, 2))},  # 512 KiB and 3 copies
        "/scores/1.npy: reading takes 2 MiB, more than the 1 MiB of memory_limit",
        memory_limit=2**20,
    ),
    lira(
        "pickled scores",
        {"keep.npy": KEEP, "scores/1.npy": np.array([1, None], object)},
        f"/scores/1.npy: {PICKLED}",
    ),
    lira(
        "too few marks",
        {"keep.npy": KEEP[:2], "scores/1.npy": S},
        "/keep.npy: expected 3 marks, as scores/1.npy has, got 2",
    ),
    lira(
        "halves as marks",
        {"keep.npy": KEEP * 0.5, "scores/1.npy": S},
        "/keep.npy: expected true or false for each record, got float64 of shape (3,)",
    ),
    lira(
        "all kept",
        {"keep.npy": KEEP | True, "scores/1.npy": S},
        "/keep.npy: expected members and non-members, got no left-out records",
    ),
    lira(
        "three dimensions",
        {"keep.npy": KEEP, "scores/1.npy": S[:, :, None]},
        "/scores/1.npy: expected a row per record and a column per augmentation, got shape "
        "(3, 2, 1)",
    ),
    lira(
        "no augmentation",
        {"keep.npy": KEEP, "scores/1.npy": S[:, :0]},
        "/scores/1.npy: expected a row per record and a column per augmentation, got shape (3, 0)",
    ),
    lira(
        "words",
        {"keep.npy": KEEP, "scores/1.npy": np.array(["a"])},
        '/scores/1.npy: expected numbers, got text, the first "a"',
    ),
    lira(
        "nan",
        {"keep.npy": KEEP, "scores/1.npy": S * np.nan},
        f", kept records, position 0: {A_NUMBER} nan (2 missing; {DROPS})",
    ),
    lira(
        "no true classes",
        {"keep.npy": KEEP, "logits/1.npy": S},
        "/logits/1.npy: logits need the true classes; put y_train.npy into the folder above",
    ),
    lira(
        "the other orientation",
        {"keep.npy": KEEP, "scores/1.npy": S},
        ": kind must be 'score' for LiRA scores, got 'loss'",
        kind="loss",
    ),
]


def special(name: str, filename: str, make: Callable[[str], Any], got: str) -> Case:
    """Something with a path that is no file."""

    def made(folder: Path) -> Path:
        make(str(folder / filename))
        return folder / filename

    return Case(name=name, make=made, message=f"{filename}: expected a file{got}")


def bind(path: str) -> None:
    """A socket with a path."""
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(path)


NO_FILE = ", got a pipe, a socket or a device"
SPECIAL = [
    special("a directory", "scores", os.mkdir, f" {SUFFIXES}, got a directory"),
    special("a directory called .csv", "scores.csv", os.mkdir, f" {SUFFIXES}, got a directory"),
    special("a pipe", "scores.csv", os.mkfifo, NO_FILE),
    special("a socket", "scores.npz", bind, NO_FILE),
    *(
        Case(
            name=f"a file called {filename}",
            make=lambda folder, filename=filename: special(
                "", filename, lambda path: Path(path).write_bytes(b"loss,member\n1,1\n"), ""
            ).make(folder),
            message=f"{filename}: expected a file that can be read {SUFFIXES}, got {got}",
        )
        for filename, got in (
            ("scores.xlsx", '".xlsx"'),
            *((f"scores{suffix}", PICKLE) for suffix in (".pkl", ".pt", ".joblib")),
            ("scores.gz", '".gz"'),
            ("scores.tar.gz", '".tar.gz"'),
            ("scores", "no extension"),
            (".csv", "no extension"),
        )
    ),
    Case(
        name="a device", make=lambda folder: "/dev/zero", message=f"zero: expected a file{NO_FILE}"
    ),
]

CASES = (*MAPPINGS, *PAIRS, *OTHERS, *RECORDS, *LIRA, *SPECIAL)
