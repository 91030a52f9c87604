"""Parquet files that fsspec finds: on disk, by a glob or at a URL."""

import errno
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dpviz.data.formats.parquet import Footer
from dpviz.data.sources.options import ReadError, plain


@dataclass(frozen=True, kw_only=True, eq=False)
class RemoteFile:
    """A file that every worker can open."""

    where: str  # its name in messages
    opened: Any  # fsspec.core.OpenFile, which opens the file in each `with`

    def footer(self) -> Footer:
        """Read its columns and row groups; raises what `Footer.of` raises."""
        return Footer.of(lambda: self.opened, self.where)


def remote_files(sources: Sequence[str]) -> list[RemoteFile]:
    """Return the files of paths, globs and URLs, those of one glob in the order of their names.

    In messages a file has the last part of its path as name if that is unique. Raises
    FileNotFoundError for a glob without files, ReadError for a file that is given twice, and for a
    URL ImportError or ValueError if fsspec lacks a package or does not know the protocol.
    """
    from fsspec.core import open_files  # optional: dpviz[distributed]

    found: list[Any] = []
    for source in sources:
        matching = sorted(open_files([source]), key=lambda file: str(file.path))
        if not matching:
            raise FileNotFoundError(errno.ENOENT, "No file matches", source)
        found += matching
    ((url, n),) = Counter(file.full_name for file in found).most_common(1)
    if n > 1:
        raise ReadError(f"every file must be given once, got {plain(url)} {n} times")
    ends = [file.path.rpartition("/")[2] for file in found]
    names = ends if len(set(ends)) == len(ends) else [file.path for file in found]
    return [
        RemoteFile(where=plain(name), opened=file) for name, file in zip(names, found, strict=True)
    ]
