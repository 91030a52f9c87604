"""Progress of reading: a bar, or the caller's wrapper around the pieces."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from dpviz.audit.epsilon_star.resampling import Progress

T = TypeVar("T")


def with_progress(items: Iterable[T], n: int, progress: Progress) -> Iterator[T]:
    """Yield all items; `progress` wraps a range of their expected number `n`."""
    rest = iter(items)
    for _ in progress(range(n)):
        item = next(rest, None)
        if item is None:
            return
        yield item
    yield from rest


def bar(rounds: range) -> Iterator[int]:
    """A bar of tqdm, shown where a file is streamed and the caller gives no `progress`."""
    from tqdm.auto import tqdm  # only for streams: slow to import

    return iter(tqdm(rounds, desc="reading", unit="piece"))
