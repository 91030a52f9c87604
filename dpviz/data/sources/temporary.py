"""Temporary files that are removed when they are closed, or later if their process was killed."""

import os
import stat
import tempfile
import time
import weakref
from contextlib import suppress
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # on Windows, where the file of a killed process stays
    fcntl = None  # type: ignore[assignment]

PREFIX = "dpviz-"
NEW = 60.0  # seconds in which a file that has just been made gets its lock


class TemporaryFile:
    """A temporary file at `path`, written through `stream`, that nothing else of dpviz removes.

    It is removed by `close`, or when it is garbage-collected.
    """

    def __init__(self, suffix: str = "") -> None:
        remove_orphans()
        descriptor, self.path = tempfile.mkstemp(prefix=PREFIX, suffix=suffix)
        self.stream = os.fdopen(descriptor, "wb")
        _lock(descriptor)
        self.close = weakref.finalize(self, _remove, self.stream, self.path)


def remove_orphans() -> None:
    """Remove temporary files whose process was killed: nobody holds their locks."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            status = path.lstat()
            is_old = status.st_mtime < time.time() - NEW
            if is_old and stat.S_ISREG(status.st_mode) and status.st_uid == os.getuid():
                with path.open("rb") as file:
                    if _lock(file.fileno()):
                        path.unlink()


def _lock(descriptor: int) -> bool:
    """Lock an open file for as long as it is open; False if another process has locked it."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove(stream: IO[bytes], path: str) -> None:
    with suppress(OSError):  # a full disk; or Windows, while a cancelled reader still has it open
        stream.close()
    with suppress(OSError):
        os.unlink(path)
