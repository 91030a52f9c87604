"""Work of several threads, in the order it was asked for."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import TypeVar

T = TypeVar("T")


def in_order(jobs: Iterable[Callable[[], T]], most: int) -> Iterator[T]:
    """What the jobs give, of which up to `most` are under way at a time.

    What the first faulty one raises, or the jobs themselves, is raised when its turn comes.
    """
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
    """Threads that stay: new ones would ask the system for fresh memory with every file."""
    return ThreadPoolExecutor(workers, thread_name_prefix="dpviz-read")


if hasattr(os, "register_at_fork"):  # threads do not come along, the pool would wait for them
    os.register_at_fork(after_in_child=_pool.cache_clear)
