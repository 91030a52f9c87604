"""How much memory reading may take, in a container too."""

from pathlib import Path

import psutil
import pytest

from dpviz.data.sources import options as memory


def test_a_quarter_of_what_is_free() -> None:
    free = psutil.virtual_memory()
    assert 0 < memory.default_memory_limit() <= free.total / 4


def test_a_browser_has_256_mib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "emscripten")
    assert memory.default_memory_limit() == 256 * 1024 * 1024


@pytest.mark.parametrize(("said", "limit"), [("1048576\n", 2**18), ("max\n", None)])
def test_a_container_has_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, limit: int | None
) -> None:
    (tmp_path / "memory.max").write_text(said)
    files = (tmp_path / "memory.max", tmp_path / "none")
    monkeypatch.setattr(memory, "CONTAINER_LIMITS", files)
    found = memory.default_memory_limit()
    assert found == limit if limit else found > 2**20
