"""Replacement of whole files; an error leaves the old file unchanged."""

import os
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

SUFFIXES = {".svg", ".png", ".html", ".csv", ".pdf", ".jpg"}


def replace_file(path: str | Path, content: bytes, suffix: str = "") -> None:
    """Write `content` to a file; if that fails, an existing file keeps its former content.

    An OSError names `path`, as the user gave it; ValueError for a name of another format.
    """
    if suffix and Path(path).suffix.lower() in SUFFIXES - {suffix}:
        raise ValueError(f"path must be a name that ends in {suffix}, got {os.fspath(path)!r}")
    target = Path(path).resolve()  # a link stays one
    if target.exists() and not target.is_file():  # a pipe, a terminal: nothing to keep
        target.write_bytes(content)
        return
    # A complete new file takes the old one's place at once: readers never see a part.
    beside = target.with_name(f".{target.name[:50]}-{token_hex(4)}")
    try:
        with beside.open("xb") as file:
            file.write(content)
        if target.exists():
            beside.chmod(target.stat().st_mode)
        os.replace(beside, target)
    except BaseException as error:
        with suppress(OSError):
            beside.unlink()
        if isinstance(error, OSError):  # users know the file that they named
            error.filename = os.fspath(path)
        raise
