"""SHA-256 of a file while it is read."""

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
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
    if sys.platform == "emscripten":  # Pyodide has no threads
        yield lambda: file.sha256
        return
    stopped, found = threading.Event(), Future[str]()

    def work() -> None:
        try:
            found.set_result(file.sha256_unless(stopped))
        except Exception as error:
            found.set_exception(error)

    # Not one of a pool, which would wait for more work where Ctrl-C keeps the pool from its end.
    thread = threading.Thread(target=work)
    try:
        thread.start()
        yield found.result
    finally:
        stopped.set()
        if thread.is_alive():
            thread.join()
