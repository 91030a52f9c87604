"""How much memory reading may take."""

from pathlib import Path

SHARE_OF_FREE = 0.25
CONTAINER_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
"""Of control groups, versions 2 and 1: what a container may use, which the machine does not say."""


def default_limit() -> int:
    """A quarter of the memory that is free, of what a container may use if that is less; bytes."""
    import psutil

    free = psutil.virtual_memory().available
    return int(SHARE_OF_FREE * min([free, *map(_limit, CONTAINER_LIMITS)]))


def _limit(file: Path) -> float:
    try:
        return float(file.read_text())
    except (OSError, ValueError):  # no such group, or "max"
        return float("inf")
