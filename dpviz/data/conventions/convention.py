"""What a convention is: known names of values, and what they mean."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from dpviz.audit.binned_scores import Scores
from dpviz.data.formats.fields import Fields
from dpviz.data.formats.format import ReadOptions


@dataclass(frozen=True, kw_only=True)
class Convention:
    """One way of naming what an attack gave, such as a tool's.

    Parameters
    ----------
    name : str
        The tool, or what the values are.
    keys : str
        The names it goes by, on one line.
    accepts : callable
        Whether the names of some fields are its own; nothing is loaded.
    read : callable
        Turns accepted fields into scores or raises `ReadError`.
    """

    name: str
    keys: str
    accepts: Callable[[Fields], bool]
    read: Callable[[Fields, ReadOptions], Scores]


def names_by_tool(known: Iterable[tuple[str, str, str]]) -> str:
    """Pairs of names on one line, those of a tool together: "a and b, c and d (tool)"."""
    tools: dict[str, list[str]] = {}
    for tool, one, other in known:
        tools.setdefault(tool, []).append(f"{one} and {other}")
    return "; ".join(f"{', '.join(pairs)} ({tool})" for tool, pairs in tools.items())
