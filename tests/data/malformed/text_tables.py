"""CSV and TSV files, packed or not."""

import gzip
from typing import Any

from tests.data.malformed.case import (
    A_NUMBER,
    CODED,
    DROP,
    LIBRARY,
    NO_SCORE,
    RANGE,
    RECODE,
    Case,
    file,
)

NUMBER = 'column "loss": expected a number, got'
POINT = 'column "loss": expected a number with a decimal point, got'
GOOD = "loss,member\n0.5,1\n0.7,0\n"
PACKED = gzip.compress(GOOD.encode() * 100, mtime=0)


def csv(
    name: str, rows: str | bytes, message: str, header: str = "loss,member", **options: Any
) -> Case:
    """A CSV file below a header; the message is what follows the file's name."""
    rows = rows if isinstance(rows, bytes) else rows.encode()
    return file(name, "scores.csv", f"{header}\n".encode() + rows, message, **options)


def cell(name: str, text: str, shown: str) -> Case:
    """A cell of row 3 that is no number."""
    return csv(name, f"0.5,1\n{text},0\n", f", row 3, {NUMBER} {shown}")


def member(name: str, text: str, advice: str = "") -> Case:
    """A cell of row 3 that is no membership."""
    said = f', row 4, column "member": {CODED} "{text}"{advice}'
    return csv(name, f"0.5,1\n0.7,0\n0.1,{text}\n", said)


CELLS = [
    csv(
        "a word in row 12",
        "0.5,1\n0.7,0\n" * 5 + "n/a,1\n",
        f', row 12, {NUMBER} "n/a"',
    ),
    csv("blank lines count", "\n1,1\n\nx,0\n", f', row 5, {NUMBER} "x"'),
    csv(
        "a quoted newline is one row",
        '"a\nb",1,1\nc,x,0\n',
        f', row 3, {NUMBER} "x"',
        "n,loss,split",
    ),
    cell("NA", "NA", '"NA"'),
    cell("None", "None", '"None"'),
    cell("null", "null", '"null"'),
    cell("Excel's error", "#DIV/0!", '"#DIV/0!"'),
    cell("a dash", "-", '"-"'),
    cell("a truth value", "True", '"True"'),
    csv("truth values", "True,1\nFalse,0\n", f', row 2, {NUMBER} "True"'),
    csv("decimal comma in quotes", '0.5,1\n"0,5",0\n', f', row 3, {POINT} "0,5"'),
    csv("thousands with a comma", '0.5,1\n"1,234.5",0\n', f', row 3, {POINT} "1,234.5"'),
    cell("thousands with a space", "1 234.5", '"1 234.5"'),
    cell("thousands with an apostrophe", "1'234.5", '"1\'234.5"'),
    cell("thousands with a hard space", "1\u00a0234", '"1\\u00a0234"'),
    cell("an underscore", "1_000", '"1_000"'),
    cell("hexadecimal", "0x10", '"0x10"'),
    cell("a hexadecimal float", "0x1p3", '"0x1p3"'),
    cell("Arabic digits", "٠.٥", '"٠.٥"'),
    cell("wide digits", "０.５", '"０.５"'),
    cell("a typographic minus", "\u22120.5", '"\u22120.5"'),
    cell("percent", "50%", '"50%"'),
    cell("money", "$1", '"$1"'),
    cell("a fraction", "1/2", '"1/2"'),
    cell("a complex number", "1+2j", '"1+2j"'),
    cell("Fortran's exponent", "1.5D3", '"1.5D3"'),
    cell("two points", "1.2.3", '"1.2.3"'),
    cell("a date", "2024-01-01", '"2024-01-01"'),
    cell("a list", '"[0.5]"', '"[0.5]"'),
    cell("a tensor", "tensor(0.5)", '"tensor(0.5)"'),
    cell("a signed nan", "-nan", '"-nan"'),
    cell("Windows' nan", "1.#QNAN", '"1.#QNAN"'),
    cell("HTML", "<script>alert(1)</script>", '"<script>alert(1)</script>"'),
    cell("right-to-left mark", "\u202e0.5", '"\\u202e0.5"'),
    cell("zero-width space", "\u200b0.5", '"\\u200b0.5"'),
    cell("terminal colours", "\x1b[31m0.5", '"\\u001b[31m0.5"'),
    cell("80 characters", 80 * "x", f'"{60 * "x"}..."'),
    csv("a byte order mark below", "\ufeff0.5,1\n", f', row 2, {NUMBER} "\\ufeff0.5"'),
    csv("the header again", "0.5,1\nloss,member\n0.7,0\n", f', row 3, {NUMBER} "loss"'),
]

NOT_FINITE = [
    csv(
        "empty cells",
        "1,1\n,0\n,1\n",
        f', row 3, column "loss": {A_NUMBER} "" (2 such rows; {DROP})',
    ),
    csv("a nan", "1,1\nnan,0\n", f', row 3, column "loss": {A_NUMBER} "nan" (1 such row; {DROP})'),
    csv(
        "nothing but nan",
        "nan,1\nNaN,0\n",
        f', row 2, column "loss": {A_NUMBER} "nan" (2 such rows; {DROP})',
    ),
    csv("1e999", "1,1\n1e999,0\n", f', row 3, column "loss": {RANGE} "1e999" (1 such row)'),
    csv(
        "a whole number of 401 digits",
        f"1,1\n1{400 * '0'},0\n",
        f', row 3, column "loss": {RANGE} "1{59 * "0"}..." (1 such row)',
    ),
    csv(
        "a whole number of 5001 digits",
        f"1,1\n1{5000 * '0'},0\n",
        f', row 3, column "loss": {RANGE} "1{59 * "0"}..." (1 such row)',
    ),
    csv(
        "too large to subtract",
        "1,1\n1e301,0\n",
        f', row 3, column "loss": {RANGE} "1e301" (1 such row)',
    ),
    csv(
        "too large where missing ones are dropped",
        "1,1\n1e301,0\n,1\n",
        f', row 3, column "loss": {RANGE} "1e301" (1 such row)',
        missing="drop",
    ),
]

MEMBERSHIP = [
    member("-1 for non-members", "-1", RECODE),
    member("2 for non-members", "2", RECODE),
    member("half a member", "0.5"),
    member("holdout", "holdout"),
    member("a letter", "T"),
    member("HTML as membership", "<b>1</b>"),
    member("infinite membership", "inf"),
    member("a wide 1", "１"),
    member("NULL", "NULL"),
    member("a huge membership", "1" + 50 * "0"),
    csv(
        "-1 in a column of -1 and 1",
        "0.5,1\n0.7,-1\n",
        f', row 3, column "member": {CODED} "-1"{RECODE}',
    ),
    csv(
        "development in a column of splits",
        "0.5,train\n0.7,test\n0.1,dev\n",
        f', row 4, column "split": {CODED} "dev"',
        "loss,split",
    ),
    csv(
        "a row too short",
        "1,1\n2,0\n3\n",
        f', row 4, column "member": {CODED} "" (1 such row; {DROP})',
    ),
    csv(
        "members only",
        "0.5,train\n0.7,train\n",
        ', column "member": expected members and non-members, got 2 members and 0 non-members',
    ),
    csv(
        "non-members only",
        "0.5,0\n",
        ', column "member": expected members and non-members, got 0 members and 1 non-members',
    ),
    csv(
        "a label is missing",
        "1,1,a\n2,0,\n",
        f', row 3, column "g": expected a label, got "" (1 such row; {DROP})',
        "loss,member,g",
        group="g",
    ),
]

ROWS = [
    csv(
        "decimal comma without quotes",
        "0,5,1\n0,7,0\n",
        ', row 2: expected 2 columns, got 3; the row begins "0,5,1"',
    ),
    csv(
        "a row too long",
        "1,1\n2,0,7\n",
        ', row 3: expected 2 columns, got 3; the row begins "2,0,7"',
    ),
    csv(
        "a row too long, with an empty cell before what is too much",
        "1,1\n2,0,,7\n",
        ', row 3: expected 2 columns, got 4; the row begins "2,0,,7"',
    ),
    csv(
        "a row of a million cells",
        b"0.5,1\n1" + b",2" * 10**6 + b"\n",
        f', row 3: expected 2 columns, got 1000001; the row begins "{("1" + ",2" * 30)[:60]}..."',
    ),
    csv(
        "a quote that is never closed",
        '0.5,1\n0.7,0\n"0.9,1\n0.1,0\n',
        ", row 4: not a readable row of CSV: a quote is never closed",
    ),
    csv(
        "text after a quote",
        '0.5,1\n"0.7"x,0\n',
        f", row 3: not a readable row of CSV: {LIBRARY}",
    ),
    csv(
        "a cell of 200 thousand characters",
        200_000 * "x" + ",1\n",
        f", row 2: not a readable row of CSV: {LIBRARY}",
    ),
]

HEADERS = [
    file("an empty file", "scores.csv", "", ": expected a header and rows, got an empty file"),
    file(
        "blank lines", "scores.csv", "\n \r\n\n", ": expected a header and rows, got an empty file"
    ),
    file(
        "only a byte order mark",
        "scores.csv",
        "\ufeff",
        ": expected a header and rows, got an empty file",
    ),
    csv("only a header", "", ": expected rows, got none"),
    csv("a header and blank lines", "\n\n\n", ": expected rows, got none"),
    csv(
        "no header",
        "0.7,0\n",
        f': no score column recognised, columns found: "0.5", "1"; {NO_SCORE}',
        "0.5,1",
    ),
    csv(
        "names that are blank",
        "0.5,1\n",
        f': no score column recognised, columns found: "", ""; {NO_SCORE}',
        ",",
    ),
    csv(
        "HTML as a name",
        "0.5,1\n",
        ": no score column recognised, columns found: "
        f'"<img src=x onerror=alert(1)>", "member"; {NO_SCORE}',
        "<img src=x onerror=alert(1)>,member",
    ),
    csv(
        "a bell in a name",
        "0.5,1\n",
        f': no score column recognised, columns found: "lo\\u0007ss", "member"; {NO_SCORE}',
        "lo\x07ss,member",
    ),
    csv(
        "two byte order marks",
        "0.5,1\n",
        f': no score column recognised, columns found: "\\ufeffloss", "member"; {NO_SCORE}',
        "\ufeff\ufeffloss,member",
    ),
    csv(
        "a comment above",
        "loss,member\n0.5,1\n",
        f': no score column recognised, columns found: "# of a tool"; {NO_SCORE}',
        "# of a tool",
    ),
    csv(
        "a name twice",
        "1,1,1\n",
        ': column names must be unique, got "loss" repeated',
        "loss,member,loss",
    ),
    csv(
        "a name twice but for blanks",
        "1,1,1\n",
        ': column names must be unique, got "loss" repeated',
        "loss,member, loss",
    ),
    csv(
        "two score columns",
        "1,1,1\n",
        ': several columns could be the score column: "loss", "LLR"; '
        'choose one: read_scores(..., score="loss")',
        "loss,LLR,member",
    ),
    csv(
        "two member columns",
        "1,1,1\n",
        ': several columns could be the member column: "split", "Member"; '
        'choose one: read_scores(..., member="split")',
        "loss,split,Member",
    ),
    csv(
        "a class is no membership",
        "1,1\n",
        ': no member column recognised, columns found: "loss", "label"; '
        "name it: read_scores(..., member=<column name>)",
        "loss,label",
    ),
    csv(
        "semicolons and decimal commas",
        "0,5;1\n0,7;0\n",
        f', row 2, {POINT} "0,5"',
        "loss;member",
    ),
    file(
        "decimal comma between tabs",
        "scores.tsv",
        "loss\tmember\n0,5\t1\n",
        f', row 2, {POINT} "0,5"',
    ),
    csv(
        "10001 columns",
        "",
        ", row 1: expected at most 10000 columns, got 10001",
        ",".join(f"c{i}" for i in range(10_001)),
    ),
    file(
        "a web page",
        "scores.csv",
        "<!DOCTYPE html>\n<html>404, not found</html>\n",
        f': no score column recognised, columns found: "<!DOCTYPE html>"; {NO_SCORE}',
    ),
    file(
        "JSON called .csv",
        "scores.csv",
        '{"loss": [1], "member": [1]}',
        ': no score column recognised, columns found: "{\\"loss\\": [1]", "\\"member\\": [1]}"; '
        f"{NO_SCORE}",
    ),
]


def not_text(name: str, content: bytes, row: int, got: str) -> Case:
    """A file that is not in UTF-8."""
    said = f", row {row}: expected a .csv file in UTF-8, got {got}"
    return file(name, "scores.csv", content, said)


NOT_TEXT = [
    not_text("UTF-16", GOOD.encode("utf-16"), 1, "byte 0xff"),
    not_text("UTF-16 without a mark", GOOD.encode("utf-16-le"), 1, "binary content"),
    not_text("UTF-32", GOOD.encode("utf-32"), 1, "byte 0xff"),
    not_text(
        "Latin-1 in the header", "loss,member,Größe\n1,1,2\n".encode("latin-1"), 1, "byte 0xf6"
    ),
    not_text("Latin-1 in row 4", f"{GOOD}é,1\n".encode("latin-1"), 4, "byte 0xe9"),
    not_text("Windows' quotes", "loss,member\n“1”,1\n".encode("cp1252"), 2, "byte 0x93"),
    not_text("half a surrogate pair", b"loss,member\n\xed\xa0\x80,1\n", 2, "byte 0xed"),
    not_text("cut off inside a character", GOOD.encode() + "é".encode()[:1], 4, "byte 0xc3"),
    not_text("a NUL byte", b"loss,member\r\n0.5,1\r\n0.\x007,0\r\n", 3, "binary content"),
    not_text("a pickle", b"\x80\x04\x95", 1, "byte 0x80"),
    not_text("a zip file called .csv", b"PK\x03\x04" + bytes(99), 1, "binary content"),
    not_text("a gzip file called .csv", PACKED, 1, "byte 0x8b"),
    not_text("a picture called .csv", b"\x89PNG\r\n\x1a\n", 1, "byte 0x89"),
]


def flipped(position: int) -> bytes:
    """The packed file with one byte changed."""
    content = bytearray(PACKED)
    content[position] ^= 0xFF
    return bytes(content)


def packed(name: str, content: bytes, message: str = f": not a readable file: {LIBRARY}") -> Case:
    """A .csv.gz file."""
    return file(name, "scores.csv.gz", content, message)


GZIP = [
    packed("cut off in the middle", PACKED[: len(PACKED) // 2]),
    packed("cut off before the checksum", PACKED[:-8]),
    packed("cut off in the length", PACKED[:-1]),
    packed("five bytes of gzip", PACKED[:5]),
    packed("not packed", GOOD.encode()),
    packed("a wrong checksum", flipped(-6)),
    packed("a wrong length", flipped(-1)),
    packed("a damaged middle", flipped(len(PACKED) // 2)),
    packed("something after the end", PACKED + b"something"),
    packed("nothing, unpacked", b"", ": expected a header and rows, got an empty file"),
    packed(
        "nothing, packed",
        gzip.compress(b"", mtime=0),
        ": expected a header and rows, got an empty file",
    ),
    packed(
        "packed twice",
        gzip.compress(PACKED, mtime=0),
        ", row 1: expected a .csv.gz file in UTF-8, got byte 0x8b",
    ),
    packed(
        "a word in row 4 of a packed file",
        gzip.compress(f"{GOOD}x,1\n".encode(), mtime=0),
        f', row 4, {NUMBER} "x"',
    ),
]

NAMES = [
    file("HTML in a file's name", "<b>.csv", "loss,member\n", ": expected rows, got none"),
    Case(
        name="a newline in a file's name",
        make=file("", "a\nb.csv", "loss,member\n", "").make,
        message='"a\\nb.csv": expected rows, got none',
    ),
    Case(
        name="a right-to-left mark in a file's name",
        make=file("", "\u202es.csv", "loss,member\n", "").make,
        message='"\\u202es.csv": expected rows, got none',
    ),
]

CASES = (
    *CELLS,
    *NOT_FINITE,
    *MEMBERSHIP,
    *ROWS,
    *HEADERS,
    *NOT_TEXT,
    *GZIP,
    *NAMES,
)
