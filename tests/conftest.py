"""The order of all tests, and how many threads they use."""

import os

import pytest

# Threads that wait for one another on cores that others use make a mixture's fit nine times slower.
# Set before numpy is loaded; kernels and servers that the tests start inherit it.
os.environ["OMP_NUM_THREADS"] = "1"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests come last: Playwright leaves an event loop that counts as running.

    With `-n` each process runs a part of this order; `--no-loadscope-reorder` keeps it.
    """
    items.sort(key=lambda item: "browser" in item.path.parts)
