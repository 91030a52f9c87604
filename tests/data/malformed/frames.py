"""Data frames."""

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from tests.data.malformed.case import (
    A_NUMBER,
    CODED,
    DROP,
    LIBRARY,
    NO_SCORE,
    RANGE,
    RECODE,
    Case,
    given,
)

NUMBER = 'column "loss": expected a number, got'


class Stubborn:
    """Neither a number nor text, and raises when it is asked."""

    def __float__(self) -> float:
        raise RuntimeError("not a number")

    def __repr__(self) -> str:
        raise RuntimeError("not a text")


class Talkative:
    """Says of itself more than fits."""

    def __repr__(self) -> str:
        return "words\n" * 10**5


def frame(name: str, score: Any, message: str, member: Any = (1, 0), **options: Any) -> Case:
    """A frame of two columns; the message is what follows what it is called."""
    return given(
        f"{name} in a frame",
        lambda: pd.DataFrame(
            {"loss": score, "member": list(member) if isinstance(member, tuple) else member}
        ),
        f"the data frame{message}",
        **options,
    )


def named(name: str, columns: Any, message: str) -> Case:
    """A frame of one row of ones."""
    return given(
        f"{name} in a frame",
        lambda: pd.DataFrame([[1.0] * len(columns)], columns=columns),
        f"the data frame{message}",
    )


SCORES = [
    frame("a word", [1, "x"], f', row 1, {NUMBER} "x"'),
    frame("a word among gaps", [None, "x"], f', row 1, {NUMBER} "x"'),
    frame("truth values", [True, False], f", row 0, {NUMBER} True"),
    frame("truth values with gaps", pd.array([True, None], "boolean"), f", row 0, {NUMBER} True"),
    frame("a list", [1, [2]], f", row 1, {NUMBER} [2]"),
    frame("an array", [1, np.array([2.0])], f", row 1, {NUMBER} array([2.])"),
    frame("bytes", [b"1", b"2"], f", row 0, {NUMBER} b'1'"),
    frame("complex numbers", [1 + 2j, 3], f", row 0, {NUMBER} (1+2j)"),
    frame("a signalling nan", [Decimal("sNaN"), 1], f", row 0, {NUMBER} Decimal('sNaN')"),
    frame(
        "intervals",
        pd.cut([0.5, 0.7], [0, 0.6, 1]),
        f", row 0, {NUMBER} Interval(0.0, 0.6, closed='right')",
    ),
    frame(
        "moments",
        pd.to_datetime(["2024-01-01", "2024-01-02"]),
        f", row 0, {NUMBER} Timestamp('2024-01-01 00:00:00')",
    ),
    frame("durations", [np.timedelta64(5, "s"), 1], f", row 0, {NUMBER} {LIBRARY}"),
    frame("periods", pd.period_range("2024", "2025", freq="Y"), f", row 0, {NUMBER} {LIBRARY}"),
    frame("a stubborn object", [Stubborn(), 1], f", row 0, {NUMBER} a Stubborn"),
    frame("a talkative object", [Talkative(), 1], f', row 0, {NUMBER} "{10 * "words "}..."'),
    frame(
        "a frame", [pd.DataFrame(), 1], f', row 0, {NUMBER} "Empty DataFrame Columns: [] Index: []"'
    ),
    frame("nan", [0.5, np.nan], f', row 1, column "loss": {A_NUMBER} nan (1 such row; {DROP})'),
    frame(
        "a gap",
        pd.array([0.5, None], "Float64"),
        f', row 1, column "loss": {A_NUMBER} <NA> (1 such row; {DROP})',
    ),
    frame(
        "a long double",
        np.array([0.5, np.longdouble("1e4000")]),
        f', row 1, column "loss": {RANGE} {LIBRARY} (1 such row)',
    ),
    frame(
        "a decimal number beyond all floats",
        [1, Decimal("-1e999")],
        f", row 1, column \"loss\": {RANGE} Decimal('-1E+999') (1 such row)",
    ),
    frame(
        "a whole number of 401 digits",
        [1, 10**400],
        f', row 1, column "loss": {RANGE} 1{59 * "0"}... (1 such row)',
    ),
    frame(
        "a whole number of 5001 digits",
        [1, 10**5000],
        f', row 1, column "loss": {RANGE} a int (1 such row)',
    ),
    frame(
        "a number too large",
        [0.5, 1e301],
        f', row 1, column "loss": {RANGE} 1e+301 (1 such row)',
    ),
]

MEMBERSHIP = [
    frame("-1", [1, 2], f', row 1, column "member": {CODED} -1{RECODE}', (1, -1)),
    frame(
        "an unknown split",
        [1, 2],
        f', row 1, column "member": {CODED} "dev"',
        pd.Categorical(["train", "dev"]),
    ),
    frame(
        "a gap in truth values",
        [1, 2],
        f', row 1, column "member": {CODED} <NA> (1 such row; {DROP})',
        pd.array([True, None], "boolean"),
    ),
    frame("a list as membership", [1, 2], f', row 1, column "member": {CODED} [0]', (1, [0])),
    frame("bytes as membership", [1, 2], f", row 0, column \"member\": {CODED} b'1'", (b"1", b"0")),
    frame("a complex membership", [1, 2], f', row 0, column "member": {CODED} (1+0j)', (1 + 0j, 0)),
    frame(
        "a moment as membership",
        [1, 2],
        f", row 0, column \"member\": {CODED} Timestamp('2024-01-01 00:00:00')",
        pd.to_datetime(["2024-01-01", "2024-01-02"]),
    ),
    frame(
        "one class",
        [1, 2],
        ', column "member": expected members and non-members, got 2 members and 0 non-members',
        (True, True),
    ),
]

NAMES = [
    frame("no rows", [], ": expected rows, got none", ()),
    named("no columns", [], f": no score column recognised, columns found: none; {NO_SCORE}"),
    named(
        "a name twice",
        ["loss", "loss", "member"],
        ': column names must be unique, got "loss" repeated',
    ),
    named("1 and '1'", ["loss", 1, "1"], ': column names must be unique, got "1" repeated'),
    named(
        "numbers as names",
        [0, 1],
        f': no score column recognised, columns found: "0", "1"; {NO_SCORE}',
    ),
    named(
        "a newline in a name",
        ["lo\nss", "member"],
        f': no score column recognised, columns found: "lo\\nss", "member"; {NO_SCORE}',
    ),
    named(
        "names of two levels",
        pd.MultiIndex.from_tuples([("a", "loss"), ("a", "member")]),
        ": no score column recognised, columns found: "
        f"\"('a', 'loss')\", \"('a', 'member')\"; {NO_SCORE}",
    ),
    named(
        "a thousand columns",
        range(1000),
        ": no score column recognised, columns found: "
        f"{', '.join(f'{chr(34)}{i}{chr(34)}' for i in range(20))} and 980 more; {NO_SCORE}",
    ),
    given(
        "a word in a pyarrow table",
        lambda: pa.table({"loss": ["x"], "member": [1]}),
        f'the pyarrow table, row 0, {NUMBER} "x"',
    ),
]

CASES = (*SCORES, *MEMBERSHIP, *NAMES)
