"""The order of all tests."""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests come last: Playwright leaves an event loop that counts as running."""
    items.sort(key=lambda item: "browser" in item.path.parts)
