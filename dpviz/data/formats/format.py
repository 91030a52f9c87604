"""A format: the rules by which sources of one kind are recognised and read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dpviz.audit.scores.base import Scores
from dpviz.data.conventions import read_any_table
from dpviz.data.sources.file import File
from dpviz.data.sources.options import ReadOptions
from dpviz.data.tables.one_class import MembersOrNonmembers
from dpviz.data.tables.table_source import TableSource


@dataclass(frozen=True, kw_only=True, eq=False)
class Format:
    """A format that can be read; a format of table files needs only `name`, `suffixes`, `table`."""

    name: str  # the format's name in the list of readable sources
    suffixes: tuple[str, ...] = ()  # of file names, in lower case; none for Python objects
    # From the first bytes of a file to its suffix, to recognise uploads without a name.
    magic: Mapping[bytes, str] = field(default_factory=dict)
    # Opens a file as a table with named columns, which may also be half of a pair or hold the
    # models of a fleet, and which is streamed if it is large.
    table: Callable[[File], TableSource] | None = None
    # Opens a file as half of a pair, members or non-members; default: a column of `table`.
    numbers: Callable[[File], MembersOrNonmembers] | None = None
    recognise: Callable[[Any], bool] | None = None  # default: a file with one of the suffixes
    reader: Callable[[Any, ReadOptions], Scores] | None = None  # default: scores of `table`

    def accepts(self, source: object) -> bool:
        """Return whether a source has this format, judged by its type and its name."""
        if self.recognise is not None:
            return self.recognise(source)
        return isinstance(source, File) and source.suffix in self.suffixes

    def read(self, source: Any, options: ReadOptions) -> Scores:
        """Return the scores of an accepted source; ReadError if the source is malformed."""
        if self.reader is not None:
            return self.reader(source, options)
        if self.table is None:
            raise TypeError(f"format {self.name!r} must define table or reader, got neither")
        return read_any_table(self.table(source), options, self.name)
