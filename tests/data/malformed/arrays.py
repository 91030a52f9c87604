"""NumPy's own files: one array (.npy), several by name (.npz)."""

import io
import struct
import warnings
import zipfile
from typing import Any

import numpy as np

from tests.data.malformed.case import (
    A_NUMBER,
    CODED,
    DROP,
    DROPS,
    LIBRARY,
    NO_SCORE,
    RECODE,
    Case,
    file,
)

A = np.array([0.1, 0.2, 0.3])
ROWS = np.array([(0.5, 1), (0.7, 0)], dtype=[("loss", "<f8"), ("member", "<i4")])
SHAPED = "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }"
FIELDS = "{'descr': %s, 'fortran_order': False, 'shape': (1,), }"
PICKLED = (
    "expected numbers, got pickled Python objects, which are never opened; save the arrays of "
    "numbers by name: numpy.savez(path, member=..., nonmember=...)"
)
BOTH = (
    "an array without named fields holds only one class; pass the files of both classes: "
    'read_scores(("member.npy", "nonmember.npy"))'
)


def npy(array: Any) -> bytes:
    """The bytes of a .npy file, pickled where there is no other way."""
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


def npz(**arrays: Any) -> bytes:
    """The bytes of a .npz file."""
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def header(text: str, content: bytes = b"", version: int = 1) -> bytes:
    """A .npy file with a header of one's own."""
    length = struct.pack("<H" if version == 1 else "<I", len(text.encode()))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text.encode() + content


def fields(*types: tuple[str, ...]) -> str:
    """The header of one row with fields."""
    return FIELDS % repr(list(types))


def zipped(*entries: tuple[str, bytes]) -> bytes:
    """A zip file that may hold what numpy does not write."""
    stream = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name twice
        with zipfile.ZipFile(stream, "w") as archive:
            for name, content in entries:
                archive.writestr(name, content)
    return stream.getvalue()


def patched(content: bytes, mark: bytes, offset: int, new: bytes) -> bytes:
    """Some bytes replaced, at a place relative to the first mark."""
    begin = content.index(mark) + offset
    return content[:begin] + new + content[begin + len(new) :]


def one(name: str, content: bytes, message: str) -> Case:
    """A .npy file."""
    return file(f"{name} (npy)", "s.npy", content, message)


def many(name: str, content: bytes, message: str, **options: Any) -> Case:
    """A .npz file."""
    return file(f"{name} (npz)", "s.npz", content, message, **options)


def member(name: str, array: Any, message: str) -> Case:
    """A .npz file whose array of members is wrong."""
    return many(name, npz(member=array, nonmember=A), f', key "member"{message}')


UNREADABLE = f": not a readable .npy array: {LIBRARY}"
NO_ZIP = f": not a readable .npz file: {LIBRARY}"
ARRAYS = [
    one("an empty file", b"", UNREADABLE),
    one("CSV", b"loss,member\n", UNREADABLE),
    one("a pickle", b"\x80\x04\x95", UNREADABLE),
    one("cut off in the mark", npy(ROWS)[:4], UNREADABLE),
    one("cut off in the header", npy(ROWS)[:40], UNREADABLE),
    one(
        "cut off in the entries",
        npy(ROWS)[:-3],
        ": expected 24 bytes for \"[('loss', '<f8'), ('member', '<i4')]\" of shape (2,), got 21: "
        "cut off or damaged",
    ),
    one(
        "a byte too many",
        npy(ROWS) + b"\n",
        ": expected 24 bytes for \"[('loss', '<f8'), ('member', '<i4')]\" of shape (2,), got 25: "
        "cut off or damaged",
    ),
    one("pickled objects", npy(np.array([0.5, None], object)), f": {PICKLED}"),
    one(
        "a field of objects",
        npy(np.array([(0.5, "1")], dtype=[("loss", "f8"), ("member", "O")])),
        f": {PICKLED}",
    ),
    one("one class", npy(A), f": {BOTH}"),
    one("Fortran's order", npy(np.asfortranarray(np.ones((2, 3)))), f": {BOTH}"),
    one("another version", patched(npy(ROWS), b"\x01\x00", 0, b"\x09\x00"), f": {LIBRARY}"),
    one("code in the header", header("__import__('os').abort()"), UNREADABLE),
    one("no keys in the header", header("{'descr': '<f8'}"), UNREADABLE),
    one("an unknown type", header(SHAPED.replace("<f8", "zzz") % "(1,)"), UNREADABLE),
    one("a shape of half", header(SHAPED % "(1.5,)"), UNREADABLE),
    one(
        "a negative shape",
        header(SHAPED % "(-1, -1)", bytes(8)),
        ": expected a shape without negative numbers, got (-1, -1)",
    ),
    one(
        "entries of 0 bytes",
        header(SHAPED.replace("<f8", "|V0") % "(9999999999999,)"),
        f": {LIBRARY}",
    ),
    one("a field twice", header(fields(("loss", "<f8"), ("loss", "<f8")), bytes(16)), UNREADABLE),
    one(
        "a field twice but for blanks",
        header(fields(("loss", "<f8"), (" loss", "<f8"), ("member", "<f8")), bytes(24)),
        ': column names must be unique, got "loss" repeated',
    ),
    one(
        "fields in a field",
        header(FIELDS % "[('loss', [('a', '<f8')]), ('member', '<i4')]", bytes(12)),
        ": expected a one-dimensional array with one value per field, got shape (1,) of "
        "[('loss', [('a', '<f8')]), ('member', '<i4')]",
    ),
    one(
        "two dimensions",
        npy(ROWS.reshape(2, 1)),
        ": expected a one-dimensional array with one value per field, got shape (2, 1) of "
        "[('loss', '<f8'), ('member', '<i4')]",
    ),
    one("no rows", npy(ROWS[:0]), ": expected rows, got none"),
    one(
        "moments",
        npy(np.array([("2024-01-01", 1)], dtype=[("loss", "M8[D]"), ("member", "i4")])),
        ', column "loss": expected numbers or text, got datetime64[D]',
    ),
    one(
        "moments without a unit",
        header(fields(("loss", "<M8"), ("member", "<f8")), bytes(16)),
        ', column "loss": expected numbers or text, got datetime64',
    ),
    one(
        "characters beyond Unicode",
        header(fields(("loss", "<f8"), ("member", "<U1")), bytes(8) + b"\xff" * 4),
        ', column "member": expected text, got code points that Unicode does not have',
    ),
    one(
        "complex numbers",
        npy(np.array([(1j, 1)], dtype=[("loss", "c16"), ("member", "i4")])),
        ', row 0, column "loss": expected a number, got 1j',
    ),
    one(
        "nan",
        npy(np.array([(np.nan, 1), (1, 0)], dtype=ROWS.dtype)),
        f', row 0, column "loss": {A_NUMBER} nan (1 such row; {DROP})',
    ),
    one(
        "2 as membership",
        npy(np.array([(0.5, 1), (1, 2)], dtype=ROWS.dtype)),
        f', row 1, column "member": {CODED} 2{RECODE}',
    ),
]

GOOD = npz(member=A, nonmember=A + 1)
CENTRAL, LOCAL = b"PK\x01\x02", b"PK\x03\x04"
ENCRYPTED = patched(patched(GOOD, CENTRAL, 8, b"\x01"), LOCAL, 6, b"\x01")
ARCHIVES = [
    many("an empty file", b"", NO_ZIP),
    many("CSV", b"loss,member\n", NO_ZIP),
    *(
        many(f"cut off after {n} bytes", GOOD[:n], NO_ZIP)
        for n in (4, 30, len(GOOD) // 2, len(GOOD) - 30, len(GOOD) - 1)
    ),
    many("nothing in it", zipped(), ": expected arrays (.npy) in the file, got nothing"),
    many(
        "six other files",
        zipped(*((f"{i}.txt", b"") for i in range(6))),
        ': expected arrays (.npy) in the file, got "0.txt", "1.txt", "2.txt", "3.txt", "4.txt"',
    ),
    many(
        "no array in it",
        zipped(("<b>.txt", b"x")),
        ': expected arrays (.npy) in the file, got "<b>.txt"',
    ),
    many("encrypted", ENCRYPTED, f', key "member"{NO_ZIP}'),
    many("an unknown compression", patched(GOOD, CENTRAL, 10, b"\x63"), f', key "member"{NO_ZIP}'),
    many(
        "a wrong checksum",
        patched(GOOD, A.tobytes(), 0, b"\x00"),
        f', key "member"{NO_ZIP}',
    ),
    many(
        "a place beyond the end",
        patched(GOOD, CENTRAL, 42, b"\xff\xff\xff\x7f"),
        f', key "member"{NO_ZIP}',
    ),
    many(
        "a size of 2 GiB",
        patched(GOOD, CENTRAL, 24, b"\xff\xff\xff\x7f"),
        ', key "member": expected 24 bytes for "float64" of shape (3,), got 2147483519: cut off '
        "or damaged",
    ),
    many(
        "a shape of 8 PB",
        zipped(("member.npy", header(SHAPED % "(1000000000000000,)")), ("nonmember.npy", npy(A))),
        ', key "member": expected 8000000000000000 bytes for "float64" of shape '
        "(1000000000000000,), got 0: cut off or damaged",
    ),
    many(
        "an entry that is no array",
        zipped(("member.npy", b"abc"), ("nonmember.npy", npy(A))),
        f', key "member"{UNREADABLE}',
    ),
    many(
        "a name twice",
        zipped(("member.npy", npy(A)), ("member.npy", npy(A)), ("nonmember.npy", npy(A))),
        ': names must be unique, got "member.npy" twice',
    ),
    many(
        "names that lead elsewhere",
        zipped(("../../member.npy", npy(A)), ("/nonmember.npy", npy(A))),
        f': no score column recognised, columns found: "../../member", "/nonmember"; {NO_SCORE}',
    ),
    many(
        "names without a meaning",
        npz(arr_0=A, arr_1=A),
        ': no score column recognised, columns found: "arr_0", "arr_1"; name the arrays: '
        "np.savez(path, member=..., nonmember=...)",
    ),
    many(
        "one of two names",
        npz(loss_train=A),
        f': no score column recognised, columns found: "loss_train"; {NO_SCORE}',
    ),
]
KEYS = [
    member("pickled objects", np.array([0.5, None], object), f": {PICKLED}"),
    member("no entries", A[:0], ": expected numbers, got none"),
    member("a single value", 1.0, ": expected a one-dimensional array, got a single value"),
    member(
        "two dimensions", np.ones((2, 2)), ": expected a one-dimensional array, got shape (2, 2)"
    ),
    member("truth values", A > 0, ": expected numbers, got truth values, the first True"),
    member("complex numbers", A * 1j, ": expected numbers, got complex numbers, the first 0.1j"),
    member("words", np.array(["<b>"]), ': expected numbers, got text, the first "<b>"'),
    member(
        "days",
        np.array(["2024-01-01"], "M8[D]"),
        ": expected numbers, got dates, the first datetime.date(2024, 1, 1)",
    ),
    member("nan", [1, np.nan], f", position 1: {A_NUMBER} nan (1 missing; {DROPS})"),
    many(
        "a long double",
        npz(member=np.array([np.longdouble("1e4000")]), nonmember=A),
        ": numbers must be in [-1e+300, 1e+300], or infinite, got a larger number",
    ),
    many(
        "a number too large",
        npz(loss_train=[1, 1e301], loss_test=A),
        ": member losses must be in [-1e+300, 1e+300] or inf, got 1e+301",
    ),
    many(
        "lengths that differ",
        npz(loss=A, member=[1, 0]),
        ', key "member": expected as many values as "loss" has, 3, got 2',
    ),
    many(
        "-1 as membership",
        npz(loss=A, member=[1, 0, -1]),
        f', row 2, column "member": {CODED} -1{RECODE}',
    ),
    many(
        "a score per class",
        npz(scores=np.ones((3, 2)), memberships=[1, 1, 0]),
        ', key "scores": expected one score per record, got shape (3, 2); choose a column, such as '
        "[:, 1] for the probability of a member",
    ),
    many(
        "a label beyond the classes",
        npz(
            logits_train=np.ones((1, 2)),
            labels_train=[5],
            logits_test=np.ones((1, 2)),
            labels_test=[0],
        ),
        ', key "logits_train": labels must be in [0, 1], got 5.0',
    ),
    many(
        "more predictions than labels",
        npz(
            logits_train=np.ones((3, 2)),
            labels_train=[0],
            logits_test=np.ones((1, 2)),
            labels_test=[0],
        ),
        ', key "logits_train": expected one row per label in "labels_train", 1, got 3',
    ),
    many(
        "a probability above 1",
        npz(probs_train=[[1.5, 0.0]], labels_train=[0], probs_test=[[0.5, 0.5]], labels_test=[0]),
        ', key "probs_train": probabilities must be in [0, 1], got 1.5; losses_from_logits takes '
        "logits",
    ),
    many(
        "counts below zero",
        npz(FN=1, FP=2, TN=3, TP=-1.0),
        ', key "TP": expected a whole number of at least 0, got -1.0',
    ),
    many(
        "counts of one class",
        npz(FN=0, FP=2, TN=3, TP=0),
        ": expected members and non-members, got 0 members (TP + FN) and 5 non-members (FP + TN)",
    ),
]

CASES = (*ARRAYS, *ARCHIVES, *KEYS)
