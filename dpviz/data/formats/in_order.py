"""Work of several threads, in the order it was asked for."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def in_order(jobs: Iterable[Callable[[], T]], most: int) -> Iterator[T]:
    """What the jobs give, of which up to `most` are under way at a time.

    What the first faulty one raises, or the jobs themselves, is raised when its turn comes.
    """
    coming: deque[Future[T]] = deque()
    fault: Exception | None = None
    rest, workers = iter(jobs), min(most, os.cpu_count() or 1)
    with ThreadPoolExecutor(workers) as pool:
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
    if fault is not None:
        raise fault
