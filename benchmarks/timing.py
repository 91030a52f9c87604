"""How the benchmarks time: the fastest of a few runs."""

from collections.abc import Callable
from time import perf_counter


def best(action: Callable[[], object], repeats: int = 5) -> float:
    """Seconds of the fastest of `repeats` runs."""
    seconds = []
    for _ in range(repeats):
        start = perf_counter()
        action()
        seconds.append(perf_counter() - start)
    return min(seconds)
