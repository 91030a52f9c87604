"""Jobs that run in several threads, with results in the order of the jobs."""

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import TypeVar

T = TypeVar("T")


def in_order(jobs: Iterable[Callable[[], T]], most: int) -> Iterator[T]:
    """Yield the results of the jobs, of which up to `most` run at a time.

    An exception of a job, or of `jobs` itself, is raised in its turn.
    """
    if sys.platform == "emscripten":  # Pyodide has no threads
        yield from (job() for job in jobs)
        return
    workers = min(most, os.cpu_count() or 1)
    pool, coming = _pool(workers), deque[Future[T]]()
    fault: Exception | None = None
    rest = iter(jobs)
    try:
        while True:
            try:
                job = next(rest, None)
            except Exception as error:
                fault, job = error, None
            if job is None:
                break
            coming.append(pool.submit(job))
            if len(coming) > workers:
                yield coming.popleft().result()
        while coming:
            yield coming.popleft().result()
    finally:
        for left in coming:
            left.cancel()
    if fault is not None:
        raise fault


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    """A process-wide thread pool; new threads per file would allocate new arenas.

    All its threads are begun here, by a thread of their own. Ctrl-C reaches the main thread only,
    where it could stop `submit` between the start of a thread and the note that it is there: the
    end of the process would then wait for that thread.
    """
    pool = ThreadPoolExecutor(workers, thread_name_prefix="dpviz-read")
    all_begun = threading.Barrier(workers)

    def begin() -> None:
        for _ in range(workers):
            pool.submit(all_begun.wait)

    beginner = threading.Thread(target=begin)
    beginner.start()
    beginner.join()
    return pool


if hasattr(os, "register_at_fork"):  # a child has no threads, and would wait for those of the pool
    os.register_at_fork(after_in_child=_pool.cache_clear)
