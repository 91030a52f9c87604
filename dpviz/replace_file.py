"""Writing files so that an error leaves the old file as it was."""

import os
from contextlib import suppress
from pathlib import Path
from secrets import token_hex


def replace_file(path: str | Path, content: bytes) -> None:
    """Write a file; until all is written, a file of this name stays as it was.

    OSError as of any file, for instance where the folder is read-only or the disk is full.
    """
    target = Path(path).resolve()  # a link stays one
    if target.exists() and not target.is_file():  # a pipe, a terminal: nothing to keep
        target.write_bytes(content)
        return
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
