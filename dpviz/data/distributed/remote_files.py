"""Parquet files wherever fsspec finds them, and what their ends say."""

import errno
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dpviz.data.formats.format import ReadError, plain
from dpviz.data.formats.parquet import footer_of


@dataclass(frozen=True, kw_only=True, eq=False)
class RemoteFile:
    """A file that every worker can open.

    Parameters
    ----------
    where : str
        What messages call it.
    opened : fsspec.core.OpenFile
        Opens it anew at each ``with``.
    """

    where: str
    opened: Any

    def footer(self) -> "Footer":
        """Columns and row groups of a Parquet file.

        Raises
        ------
        FileNotFoundError
            If there is none.
        ReadError
            If it cannot be read.
        """
        names, rows = footer_of(lambda: self.opened, self.where)
        return Footer(names=names, rows=rows)


@dataclass(frozen=True, kw_only=True)
class Footer:
    """What the end of a Parquet file says of it: names of columns, rows of each row group."""

    names: tuple[str, ...]
    rows: tuple[int, ...]


def remote_files(sources: Sequence[str]) -> list[RemoteFile]:
    """What paths, globs and URLs lead to, the files of one glob in the order of their names.

    Messages call files by the last part of their paths where that tells them apart.

    Raises
    ------
    FileNotFoundError
        If no file matches a glob.
    ReadError
        If a file is given twice.
    ImportError
        If a URL needs a package that is not installed.
    ValueError
        If fsspec does not know a URL's protocol.
    """
    from fsspec.core import open_files

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
