"""A convention: known names of values, and their meaning."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from dpviz.audit.scores.base import Scores
from dpviz.data.sources.options import ReadOptions
from dpviz.data.tables.fields import Fields


@dataclass(frozen=True, kw_only=True)
class Convention:
    """The names that a tool gives to the output of an attack."""

    name: str  # the tool, or the kind of the values
    keys: str  # its names in the list of readable sources, on one line
    accepts: Callable[[Fields], bool]  # whether the names are its own; loads no value
    read: Callable[[Fields, ReadOptions], Scores]  # raises ReadError if a value is malformed


def names_by_tool(known: Iterable[tuple[str, str, str]]) -> str:
    """Pairs of names on one line, grouped by tool: "a and b, c and d (tool)"."""
    tools: dict[str, list[str]] = {}
    for tool, one, other in known:
        tools.setdefault(tool, []).append(f"{one} and {other}")
    return "; ".join(f"{', '.join(pairs)} ({tool})" for tool, pairs in tools.items())
