"""The provenance of scores: their source and how it was read."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """The source of scores and how it was read, for reports; nothing computes with it."""

    source: str  # what messages call it: a file's name, "the data frame"
    loader: str  # the format that read it
    understood: str  # which columns or keys became scores and membership
    n_rows: int  # records found, dropped ones included
    n_dropped: int = 0  # records with a missing value that were left out
    dropped: str = ""  # why records were left out, and where the first one stood
    path: str | None = None  # absolute, of a file
    sha256: str | None = None  # of a file's bytes, hexadecimal
