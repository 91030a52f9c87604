"""How far reading is: a bar, or whatever the caller wraps around the pieces."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from dpviz.audit.resampling import Progress

T = TypeVar("T")


def announced(items: Iterable[T], n: int, progress: Progress) -> Iterator[T]:
    """Items, of which there are about n, with a bar."""
    rest = iter(items)
    for _ in progress(range(n)):
        item = next(rest, None)
        if item is None:
            return
        yield item
    yield from rest


def bar(rounds: range) -> Iterator[int]:
    """The bar that is shown where a file is streamed and the caller wants no other."""
    from tqdm.auto import tqdm

    return iter(tqdm(rounds, desc="reading", unit="piece"))
