"""SHA-256 of a file while it is read."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from dpviz.data.sources.file import File


@contextmanager
def hashed_meanwhile(file: File | None) -> Iterator[Callable[[], str | None]]:
    """Hash the bytes in a thread, which ends with the block; give a call that waits for them all.

    Whatever ends the block, a fault of the file or Ctrl-C, does not wait for the rest of the file.
    """
    if file is None:
        yield lambda: None
        return
    stopped = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        try:
            yield pool.submit(file.sha256_unless, stopped).result
        finally:
            stopped.set()
