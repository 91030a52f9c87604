"""The memory that reading may take by default."""

import sys
from pathlib import Path

SHARE_OF_FREE = 0.25  # of the free memory: the limit where none is given
IN_BROWSER = 256 * 2**20  # bytes: the limit under Pyodide, which does not say what is free
ALWAYS = 64 * 2**20  # bytes that one piece may take under any limit
# Limits of a container, which the machine's own numbers do not show: control groups 2 and 1.
CONTAINER_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def default_limit() -> int:
    """A quarter of the free memory of the machine or of the container, in bytes."""
    if sys.platform == "emscripten":
        return IN_BROWSER
    import psutil  # only where something is read: slow to import

    free = psutil.virtual_memory().available
    return int(SHARE_OF_FREE * min([free, *map(_limit, CONTAINER_LIMITS)]))


def _limit(file: Path) -> float:
    try:
        return float(file.read_text())
    except (OSError, ValueError):  # no such group, or "max"
        return float("inf")
