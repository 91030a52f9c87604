"""What a format is: how it is recognised and how it is read."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dpviz import checks
from dpviz.audit.binned_scores import Scores
from dpviz.audit.resampling import Progress
from dpviz.audit.scores import SCORE_KINDS, ScoreKind
from dpviz.data.memory import default_limit

Missing = Literal["refuse", "drop"]
MISSING_CHOICES = ("refuse", "drop")
SHOWN_LENGTH = 60
LISTED = 20


class ReadError(ValueError):
    """A source that cannot be read as attack scores; the message says where and what to do."""


class ColumnError(ReadError):
    """A question that one argument answers: which column, or which unit.

    Parameters
    ----------
    message : str
    role : {"score", "member", "kind", ...}
        The argument of `read_scores` that answers it.
    choices : sequence of str
        What it may be: columns that were recognised, else all that were found; or the units.
    """

    def __init__(self, message: str, *, role: str, choices: Sequence[str]) -> None:
        super().__init__(message)
        self.role = role
        self.choices = tuple(choices)


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """The keyword arguments of `read_scores`, checked once.

    `caller` is the function whose arguments messages name.
    """

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
        """Bytes that reading may take: the limit, else a quarter of what is free now."""
        return default_limit() if self.memory_limit is None else self.memory_limit

    def refuse_columns(self, source: str) -> None:
        """Refuse `member`, `score` and `group` for a source that has no columns to name."""
        for role in ("member", "score", "group"):
            column = getattr(self, role)
            if column is not None:
                raise ReadError(
                    f"{role} names a column and {source} has none, got {role}={quoted(column)}"
                )


@dataclass(frozen=True, kw_only=True)
class Format:
    """One kind of source.

    Parameters
    ----------
    name : str
        What the source is called in the list of what can be read.
    accepts : callable
        Whether a source is of this kind; of a `File` by its suffix, of anything else by its type.
    read : callable
        Turns an accepted source into scores or raises `ReadError`.
    suffixes : tuple of str
        Of a format of files.
    """

    name: str
    accepts: Callable[[Any], bool]
    read: Callable[[Any, ReadOptions], Scores]
    suffixes: tuple[str, ...] = ()


def quoted(value: object) -> str:
    """Show user text on one line: in double quotes, control characters escaped, cut when long."""
    if not isinstance(value, str):
        shown = _cut(_said(value.item() if isinstance(value, np.generic) else value))
        return shown if shown.isprintable() else json.dumps(" ".join(shown.split()))
    cut = _cut(value)
    return json.dumps(cut, ensure_ascii=not cut.isprintable())


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN_LENGTH else text[:SHOWN_LENGTH] + "..."


def _said(value: object) -> str:
    """What an object says of itself, if it can: a whole number of 5000 digits cannot."""
    try:
        return repr(value)
    except Exception:
        return f"a {type(value).__name__}"


def listed(names: Iterable[str]) -> str:
    """Show names on one line, each in quotes, the first of many; empty if there are none."""
    found = list(names)
    shown = ", ".join(quoted(name) for name in found[:LISTED])
    return shown if len(found) <= LISTED else f"{shown} and {len(found) - LISTED} more"


def plain(name: str) -> str:
    """Show a file name on one line, without quotes unless it needs them."""
    return name if name.isprintable() else quoted(name)
