"""JSON and JSON Lines."""

import gzip
import json
from typing import Any

from tests.data.malformed.case import (
    A_NUMBER,
    CODED,
    DROP,
    DROPS,
    LIBRARY,
    NO_SCORE,
    RANGE,
    RECODE,
    Case,
    file,
)

EXPECTED = (
    ': expected an object such as {"member_losses": [...], "nonmember_losses": [...]} or a list of '
    "rows, got"
)
GOOD = '{"member_losses": [0.1, 0.2], "nonmember_losses": [0.3]}'
LINES = '{"loss": 0.5, "member": 1}\n{"loss": 0.7, "member": 0}\n'


def whole(name: str, content: str | bytes, message: str, **options: Any) -> Case:
    """A .json file."""
    return file(f"{name} (json)", "s.json", content, message, **options)


def first(name: str, number: str, message: str) -> Case:
    """A .json file whose first loss is wrong."""
    return whole(name, GOOD.replace("0.1", number), f', key "member_losses"{message}')


def third(name: str, line: str | bytes, message: str) -> Case:
    """A .jsonl file whose third line is wrong."""
    content = LINES.encode() + (line if isinstance(line, bytes) else line.encode())
    return file(f"{name} (jsonl)", "s.jsonl", content, message)


SYNTAX = [
    whole("an empty file", "", f"{EXPECTED} an empty file"),
    whole("blanks", " \n ", f"{EXPECTED} an empty file"),
    whole("cut off", GOOD[:30], f", line 1, column 31: not JSON: {LIBRARY}"),
    whole("cut off at the end", GOOD[:-1], f", line 1, column 56: not JSON: {LIBRARY}"),
    whole("cut off in line 3", '{\n"loss": [1,\n2,', f", line 3, column 3: not JSON: {LIBRARY}"),
    whole("Python's quotes", "{'a': 1}", f", line 1, column 2: not JSON: {LIBRARY}"),
    whole("a comment", f"// of a tool\n{GOOD}", f", line 1, column 1: not JSON: {LIBRARY}"),
    whole("two values", f"{GOOD}\n{GOOD}", f", line 2, column 1: not JSON: {LIBRARY}.jsonl"),
    whole("a control character", '{"a\x01": 1}', f", line 1, column 4: not JSON: {LIBRARY}"),
    whole(
        "a NUL byte", GOOD.replace("0.1", "0.\x001"), f", line 1, column 21: not JSON: {LIBRARY}"
    ),
    whole(
        "UTF-16", GOOD.encode("utf-16"), ", line 1, column 1: expected JSON in UTF-8, got byte 0xff"
    ),
    whole(
        "Latin-1",
        '{"é": 1}'.encode("latin-1"),
        ", line 1, column 3: expected JSON in UTF-8, got byte 0xe9",
    ),
    whole("lists in lists", "[" * 10**5 + "]" * 10**5, ": the values are nested too deeply"),
    whole(
        "objects in objects",
        '{"a":' * 10**5 + "1" + "}" * 10**5,
        ": the values are nested too deeply",
    ),
    whole(
        "a key twice",
        '{"member_losses": [1], "member_losses": [2], "nonmember_losses": [3]}',
        ': keys must be unique, got "member_losses" twice',
    ),
    whole(
        "a key twice through a dot",
        '{"a": {"b": [1]}, "a.b": [2]}',
        f": keys must be different texts, got {LIBRARY} twice",
    ),
    whole(
        "a whole number of 5001 digits",
        GOOD.replace("0.1", "1" + 5000 * "0"),
        ": a whole number has too many digits",
    ),
]

VALUES = [
    *(
        whole(f"{text} alone", text, f"{EXPECTED} a {kind}")
        for text, kind in (("1", "int"), ("null", "NoneType"), ("true", "bool"), ('"x"', "str"))
    ),
    whole("an empty list", "[]", ": expected rows, got none"),
    whole("an empty object", "{}", ": expected keys with values, got none"),
    whole("a list of numbers", "[1, 2]", f", row 0{EXPECTED} a list with an entry of type int"),
    whole("a list of lists", "[[1], [2]]", f", row 0{EXPECTED} a list with an entry of type list"),
    whole(
        "a list of all sorts",
        '[{"loss": 1, "member": 1}, 3]',
        f", row 1{EXPECTED} a list with an entry of type int",
    ),
    whole(
        "rows without cells",
        "[{}, {}]",
        f": no score column recognised, columns found: none; {NO_SCORE}",
    ),
    whole(
        "HTML as a key",
        '{"<b>": [1]}',
        f': no score column recognised, columns found: "<b>"; {NO_SCORE}',
    ),
    whole(
        "half a surrogate pair as a key",
        '{"\\ud800": [1]}',
        f': no score column recognised, columns found: "\\ud800"; {NO_SCORE}',
    ),
    first("NaN", "NaN", f", position 0: {A_NUMBER} nan (1 missing; {DROPS})"),
    first("null", "null", f", position 0: {A_NUMBER} nan (1 missing; {DROPS})"),
    first(
        "a whole number of 401 digits",
        "1" + 400 * "0",
        ", position 0: expected a number up to 1.8e308, got a whole number of 1329 bits",
    ),
    first("a word", '"<b>"', ', position 0: expected a number, got "<b>"'),
    first("a truth value", "true", ", position 0: expected a number, got True"),
    first("an object", "{}", ", position 0: expected a number, got {}"),
    whole(
        "words",
        '{"member_losses": ["1", "2"], "nonmember_losses": ["3"]}',
        ', key "member_losses": expected numbers, got text, the first "1"',
    ),
    whole(
        "rows of two lengths",
        '{"member_losses": [[1], [1, 2]], "nonmember_losses": [1]}',
        ', key "member_losses": expected rows of equal length, got 1 in row 0 and 2 in row 1',
    ),
    whole(
        "a single number",
        '{"member_losses": 1, "nonmember_losses": [1]}',
        ', key "member_losses": expected a one-dimensional array, got a single value',
    ),
    whole(
        "deep lists",
        f'{{"member_losses": {"[" * 500}{"]" * 500}, "nonmember_losses": [1]}}',
        ', key "member_losses": expected a list of numbers, got lists nested over 8 deep',
    ),
    whole(
        "-1 as membership",
        '{"loss": [1, 2], "member": [1, -1]}',
        f', row 1, column "member": {CODED} -1.0{RECODE}',
    ),
    whole(
        "an unknown split",
        '{"loss": [1, 2], "member": ["train", "holdout"]}',
        f', row 1, column "member": {CODED} "holdout"',
    ),
    whole(
        "lengths that differ",
        '{"loss": [1, 2], "member": [1]}',
        ', key "member": expected as many values as "loss" has, 2, got 1',
    ),
    whole(
        "a word in row 1",
        '[{"loss": 1, "member": 1}, {"loss": "x", "member": 0}]',
        ', row 1, column "loss": expected a number, got "x"',
    ),
    whole(
        "a cell that is not there",
        '[{"loss": 1, "member": 1}, {"member": 0}]',
        f', row 1, column "loss": {A_NUMBER} None (1 such row; {DROP})',
    ),
    whole(
        "counts as text",
        '{"FN": 1, "FP": 2, "TN": 3, "TP": "4"}',
        ', key "TP": expected numbers, got text, the first "4"',
    ),
    whole(
        "rates",
        '{"fpr": [0, 1], "tpr": [0, 1]}',
        ': expected scores, got rates only ("fpr", "tpr"): without the numbers of records behind '
        "them nothing can be bounded; dpviz needs the score and the membership of each record",
    ),
]

ROW = ', row 3: expected an object such as {"loss": 0.5, "member": 1}, got'
BY_LINE = [
    file(
        "an empty file (jsonl)",
        "s.jsonl",
        "",
        ": expected an object in every line, got an empty file",
    ),
    file(
        "blank lines (jsonl)",
        "s.jsonl",
        "\n\n",
        ": expected an object in every line, got an empty file",
    ),
    third("a broken line", '{"loss": 0.5,\n', f", line 3, column 14: not JSON: {LIBRARY}"),
    third("blank lines count", "\n\nx", f", line 5, column 1: not JSON: {LIBRARY}"),
    third("an array", "[1, 2]\n", f"{ROW} a list"),
    third("a number", "3\n", f"{ROW} a int"),
    third("null", "null\n", f"{ROW} a NoneType"),
    third("two objects", '{"loss": 1}{"loss": 1}\n', f", line 3, column 12: not JSON: {LIBRARY}"),
    third(
        "no loss",
        '{"member": 1}\n',
        f', row 3, column "loss": {A_NUMBER} None (1 such row; {DROP})',
    ),
    third(
        "no membership",
        '{"loss": 1}\n',
        f', row 3, column "member": {CODED} None (1 such row; {DROP})',
    ),
    third(
        "NaN",
        '{"loss": NaN, "member": 1}\n',
        f', row 3, column "loss": {A_NUMBER} nan (1 such row; {DROP})',
    ),
    third(
        "1e999",
        '{"loss": 1e999, "member": 1}\n',
        f', row 3, column "loss": {RANGE} 1.7976931348623157e+308 (1 such row)',
    ),
    third(
        "a key twice", '{"loss": 1, "loss": 2}\n', ', line 3: keys must be unique, got "loss" twice'
    ),
    third(
        "objects in objects", '{"a":' * 10**5 + "\n", ", line 3: the values are nested too deeply"
    ),
    third(
        "a whole number of 401 digits",
        f'{{"loss": 1{400 * "0"}, "member": 1}}',
        f', row 3, column "loss": {RANGE} 1{59 * "0"}... (1 such row)',
    ),
    third(
        "a whole number of 5001 digits",
        f'{{"loss": 1{5000 * "0"}}}',
        ", line 3: a whole number has too many digits",
    ),
    third(
        "holdout",
        '{"loss": 1, "member": "holdout"}',
        f', row 3, column "member": {CODED} "holdout"',
    ),
    third(
        "HTML",
        '{"loss": "<b>", "member": 1}',
        ', row 3, column "loss": expected a number, got "<b>"',
    ),
    third("Latin-1", b'{"\xe9": 1}\n', ", row 3: expected a .jsonl file in UTF-8, got byte 0xe9"),
    third("a NUL byte", "\0\n", ", row 3: expected a .jsonl file in UTF-8, got binary content"),
    file(
        "UTF-16 (jsonl)",
        "s.jsonl",
        LINES.encode("utf-16"),
        ", row 1: expected a .jsonl file in UTF-8, got byte 0xff",
    ),
    file(
        "one value over many lines (jsonl)",
        "s.jsonl",
        json.dumps({"loss": [1], "member": [1]}, indent=1),
        f", line 1, column 2: not JSON: {LIBRARY}",
    ),
    file(
        "one class (jsonl)",
        "s.jsonl",
        LINES.splitlines()[0],
        ', column "member": expected members and non-members, got 1 members and 0 non-members',
    ),
    file(
        "cut off (jsonl.gz)",
        "s.jsonl.gz",
        gzip.compress(LINES.encode(), mtime=0)[:-9],
        f": not a readable file: {LIBRARY}",
    ),
]

CASES = (*SYNTAX, *VALUES, *BY_LINE)
