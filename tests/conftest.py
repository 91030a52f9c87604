"""The order of all tests, and how many threads they use."""

import gc
import os
from collections.abc import Generator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# Threads that wait for one another on cores that others use make a mixture's fit nine times slower.
# Set before numpy is loaded; kernels and servers that the tests start inherit it.
os.environ["OMP_NUM_THREADS"] = "1"

# The same examples on every machine, however slow; `make test` tries a tenth of them.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.register_profile("quick", settings.get_profile("steady"), max_examples=10)
settings.load_profile("steady")


# Longest first, so that no process is left with one of them while the other has nothing to do.
LONG = (
    *("test_lab.py", "test_reopened.py", "test_notebooks.py", "test_tabs.py", "test_saved_page.py"),
    *("test_live.py", "test_explorer.py", "test_board.py", "test_access.py"),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests come last: Playwright leaves an event loop that counts as running.

    With `-n` each process runs a part of this order; `--no-loadscope-reorder` keeps it.
    """
    rank = {name: place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: ("browser" in item.path.parts, rank.get(item.path.name, len(LONG))))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object | None:
    """Give files, not tests, to the processes of `--dist loadfile`: see tests/scheduling.py."""
    if config.getvalue("dist") != "loadfile":
        return None
    from tests.scheduling import BrowserLast  # needs xdist, as the option does

    return BrowserLast(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Garbage is looked for seldom, and not among fifteen thousand tests."""
    gc.disable()
    if os.environ.get("PYTEST_XDIST_WORKER") == "gw1":
        import_from_the_end(session.config)
    found = yield
    gc.freeze()
    gc.enable()
    gc.set_threshold(10_000, 20)
    return found


def import_from_the_end(config: pytest.Config) -> None:
    """Import the last tests first: each of two processes finds what the other has compiled."""
    files = [file for given in config.args for file in Path(given).rglob("test_*.py")]
    for file in sorted(files, reverse=True):
        name = ".".join(file.resolve().relative_to(config.rootpath).with_suffix("").parts)
        with suppress(pytest.skip.Exception):
            import_module(name)
