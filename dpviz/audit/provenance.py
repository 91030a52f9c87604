"""Where scores came from, and what was understood of them."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """What was read, and how; nothing computes with it, reports repeat it.

    Parameters
    ----------
    source : str
        What messages call it: a file's name, "the data frame".
    loader : str
        The format that read it.
    understood : str
        Which columns or keys became scores and membership.
    n_rows : int
        Records found, dropped ones included.
    n_dropped : int
        Records with a missing value that were left out.
    dropped : str
        Why records were left out, and where the first of them stood; empty where none was.
    path : str, optional
        Absolute path of a file.
    sha256 : str, optional
        Of a file's bytes, hexadecimal.
    """

    source: str
    loader: str
    understood: str
    n_rows: int
    n_dropped: int = 0
    dropped: str = ""
    path: str | None = None
    sha256: str | None = None
