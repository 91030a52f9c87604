"""Progress of reading: a bar, or the caller's wrapper around the pieces."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from dpviz.audit.epsilon_star.resampling import Progress

T = TypeVar("T")


def with_progress(items: Iterable[T], n: int, progress: Progress) -> Iterator[T]:
    """Yield all items; `progress` wraps a range of their expected number `n`.

    Where there are more, as in a compressed file, it wraps such a range again, so that it can
    cancel at every item.
    """
    rest = iter(items)
    is_called = True
    while is_called:
        is_called = False
        for _ in progress(range(n)):
            is_called = True
            item = next(rest, None)
            if item is None:
                return
            yield item
    yield from rest  # of a `progress` that leaves rounds out


def bar(rounds: range) -> Iterator[int]:
    """A bar of tqdm, shown where a file is streamed and the caller gives no `progress`."""
    from tqdm.auto import tqdm  # only for streams: slow to import

    return iter(tqdm(rounds, desc="reading", unit="piece"))
