"""Options of readers, errors that readers raise, and user text in error messages."""

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from dpviz import checks
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.scores.base import SCORE_KINDS, ScoreKind

SHARE_OF_FREE = 0.25  # the default limit, as a share of the free memory
BROWSER_LIMIT = 256 * 2**20  # bytes: the default limit under Pyodide, where free memory is unknown
LEAST_PIECE_LIMIT = 64 * 2**20  # bytes that one piece may take under any limit
# Files with the memory limit of a container, in control groups of version 2 and 1.
CONTAINER_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def default_memory_limit() -> int:
    """Return 1/4 of the free memory of the machine or container in bytes; 256 MiB in a browser."""
    if sys.platform == "emscripten":
        return BROWSER_LIMIT
    import psutil  # only where something is read: slow to import

    free = psutil.virtual_memory().available
    return int(SHARE_OF_FREE * min([free, *map(_container_memory_limit, CONTAINER_LIMITS)]))


def _container_memory_limit(file: Path) -> float:
    try:
        return float(file.read_text())
    except (OSError, ValueError):  # no such group, or "max"
        return float("inf")


# Options of readers, and errors that readers raise.

Missing = Literal["refuse", "drop"]
MISSING_CHOICES = ("refuse", "drop")
SHOWN_LENGTH = 60  # characters of user text in a message
MOST_LISTED = 20  # names in a message


class ReadError(ValueError):
    r"""An error in a source of scores that cannot be read.

    The message says where the problem is, and what to do.

    Examples
    --------
    >>> from dpviz import ReadError, read_scores
    >>> try:
    ...     read_scores(b"loss,member\n0.5,1\nhigh,0\n")
    ... except ReadError as error:
    ...     print(error)
    the uploaded file, row 3, column "loss": expected a number, got "high"
    """


class ColumnError(ReadError):
    """The error raised if the caller must choose a column, or choose between losses and scores.

    `role` is the argument of `read_scores` for this choice, such as "score", "member" or "kind".
    `choices` are its possible values: candidate columns (all if there is no candidate), or kinds.
    """

    def __init__(self, message: str, *, role: str, choices: Sequence[str]) -> None:
        super().__init__(message)
        self.role = role
        self.choices = tuple(choices)


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """The checked arguments of a reader; `caller` is the public function that messages name."""

    member: str | None = None
    score: str | None = None
    kind: ScoreKind | None = None
    missing: Missing = "refuse"
    name: str | None = None
    group: str | None = None
    memory_limit: int | None = None
    progress: Progress | None = None
    caller: str = "read_scores"

    def __post_init__(self) -> None:
        for role in ("member", "score", "group", "name"):
            value = getattr(self, role)
            if value is not None and not isinstance(value, str):
                raise checks.fail(role, "a str", value)
        if self.kind is not None:
            checks.choice("kind", self.kind, SCORE_KINDS)
        checks.choice("missing", self.missing, MISSING_CHOICES)
        if self.memory_limit is not None:
            checks.whole("memory_limit", self.memory_limit, 0)

    @property
    def memory(self) -> int:
        """The bytes that reading may take: `memory_limit`, or else `default_memory_limit()`."""
        return default_memory_limit() if self.memory_limit is None else self.memory_limit

    def name_or(self, default: str) -> str:
        """Return the source's name for messages: `name`, or `default` if `name` is None."""
        return default if self.name is None else printable(self.name)

    def reject_column_options(
        self, source: str, roles: Sequence[str] = ("member", "score", "group")
    ) -> None:
        """Raise ReadError if an option in `roles` is set, because `source` has no named columns."""
        for role in roles:
            column = getattr(self, role)
            if column is not None:
                got = f"got {quoted(column)}"
                raise ReadError(f"{role} must be left out for {source}, {got}")


def mismatch(where: str, expected: str, got: object) -> ReadError:
    """Return the ReadError "`where`: expected `expected`, got `got`"."""
    return ReadError(f"{where}: expected {expected}, got {got}")


def plural_of(kind: ScoreKind) -> str:
    """Return the plural of a kind for messages: "losses" or "scores"."""
    return "losses" if kind == "loss" else "scores"


def quoted(value: object) -> str:
    """Return a user's text or value for messages: on one line, quoted, escaped, cut if long."""
    try:
        plain = value.item() if isinstance(value, np.generic) else value
        text = plain if isinstance(plain, str) else repr(plain)
    except Exception:  # such as a whole number of 5000 digits
        text = f"a {type(value).__name__}"
    text = text if len(text) <= SHOWN_LENGTH else text[:SHOWN_LENGTH] + "..."
    if isinstance(value, str):
        return json.dumps(text, ensure_ascii=not text.isprintable())
    return text if text.isprintable() else json.dumps(" ".join(text.split()))


def quoted_names(names: Iterable[str]) -> str:
    """Return at most `MOST_LISTED` of the names, quoted, on one line, or "" without names."""
    found = list(names)
    shown = ", ".join(quoted(name) for name in found[:MOST_LISTED])
    return shown if len(found) <= MOST_LISTED else f"{shown} and {len(found) - MOST_LISTED} more"


def printable(text: str) -> str:
    """Return a text unchanged if all its characters are printable, else quoted and escaped."""
    return text if text.isprintable() else quoted(text)
