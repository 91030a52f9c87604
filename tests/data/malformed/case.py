"""One malformed source: what it is called, how it is made, and the sentence that refuses it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CODING = (
    "1/0, true/false, yes/no, member/nonmember, member/non-member, train/test, train/val or in/out"
)
CODED = f"expected {CODING}, got"
RECODE = "; recode the column: 1 = member, 0 = non-member"
A_NUMBER = "expected a number, got"
RANGE = "expected a number in [-1e+300, 1e+300] or inf, got"
DROP = 'missing="drop" drops rows with a missing value'
DROPS = 'missing="drop" drops them'
NO_SCORE = 'name it: read_scores(..., score=<column name>, kind="loss" or "score")'
LIBRARY = "<what a library said>"
"""Stands for words that change with the version of a library."""

Content = str | bytes | Callable[[], bytes]


@dataclass(frozen=True, kw_only=True)
class Case:
    """`make` writes into an empty folder, if it is a file, and gives what is read."""

    name: str
    make: Callable[[Path], Any]
    message: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def matches(self, message: str) -> bool:
        """Whether this is how it is refused."""
        return re.match(self.pattern, message) is not None

    @property
    def pattern(self) -> str:
        """Of the whole message."""
        said = re.escape(self.message).replace(re.escape(LIBRARY), r"[^\n]{5,600}")
        return f"^{said}$"


def file(name: str, filename: str, content: Content, message: str, **options: Any) -> Case:
    """A file; the message begins with its name."""

    def make(folder: Path) -> Path:
        path = folder / filename
        path.write_bytes(_bytes(content))
        return path

    return Case(name=name, make=make, message=f"{filename}{message}", options=options)


def given(name: str, make: Callable[[], Any], message: str, **options: Any) -> Case:
    """Something that is no file."""
    return Case(name=name, make=lambda folder: make(), message=message, options=options)


def _bytes(content: Content) -> bytes:
    if callable(content):
        return content()
    return content.encode() if isinstance(content, str) else content
