"""A format: how a source is recognised and how it is read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dpviz.audit.scores.base import Scores
from dpviz.data.sources.file import File
from dpviz.data.sources.options import ReadOptions
from dpviz.data.tables.side import MembersOrNonmembers
from dpviz.data.tables.table_source import TableSource, read_table


@dataclass(frozen=True, kw_only=True, eq=False)
class Format:
    """A format that `read_scores` can read; a table needs only `name`, `suffixes` and `table`."""

    name: str  # its name in the list of readable sources
    # Ends of file names in lower case, such as ".csv.gz"; none for objects of Python.
    suffixes: tuple[str, ...] = ()
    # First bytes of its files, each with a suffix: recognise uploads without a name.
    magic: Mapping[bytes, str] = field(default_factory=dict)
    # Opens a file as a table with named columns: then it may also be half of a pair or hold the
    # models of a fleet, and is streamed if it is large.
    table: Callable[[File], TableSource] | None = None
    # Opens a file as the members or the non-members, half of a pair; default: a column of `table`.
    numbers: Callable[[File], MembersOrNonmembers] | None = None
    # Whether a source is of this kind; default: whether it is a file with one of the suffixes.
    recognise: Callable[[Any], bool] | None = None
    # Turns a source into scores; default: reads `table`.
    reader: Callable[[Any, ReadOptions], Scores] | None = None

    def accepts(self, source: object) -> bool:
        """Whether a source has this format, judged by its type and its name."""
        if self.recognise is not None:
            return self.recognise(source)
        return isinstance(source, File) and source.suffix in self.suffixes

    def read(self, source: Any, options: ReadOptions) -> Scores:
        """Return the scores of an accepted source, or raise ReadError."""
        if self.reader is not None:
            return self.reader(source, options)
        if self.table is None:
            raise TypeError(f"format {self.name!r} must have a table or a reader, got neither")
        return read_table(self.table(source), options, self.name)
