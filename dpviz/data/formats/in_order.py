"""Work of several threads, in the order it was asked for."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
WORKERS = min(4, os.cpu_count() or 1)
"""More would wait for the one who takes what they made."""


def in_order(jobs: Iterable[Callable[[], T]]) -> Iterator[T]:
    """What the jobs give, a few of which are always under way.

    What the first faulty one raises, or the jobs themselves, is raised when its turn comes.
    """
    coming: deque[Future[T]] = deque()
    fault: Exception | None = None
    rest = iter(jobs)
    with ThreadPoolExecutor(WORKERS) as pool:
        while True:
            try:
                job = next(rest, None)
            except Exception as error:
                fault, job = error, None
            if job is None:
                break
            coming.append(pool.submit(job))
            if len(coming) > WORKERS:
                yield coming.popleft().result()
        while coming:
            yield coming.popleft().result()
    if fault is not None:
        raise fault
