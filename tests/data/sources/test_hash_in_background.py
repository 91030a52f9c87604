"""The hash of a file does not hold up a reading that has ended."""

import io
import threading

import pytest

from dpviz.data.sources.file import File
from dpviz.data.sources.progress import hash_in_background

PIECES = 50_000


class Long(io.BytesIO):
    """A file of 49 GiB."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = 0
        self.begun = threading.Event()

    def read(self, size: int | None = -1, /) -> bytes:
        self.begun.set()
        self.reads += 1
        return bytes(2**20) if self.reads <= PIECES else b""


def test_a_fault_does_not_wait_for_the_rest_of_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    content = Long()
    monkeypatch.setattr(File, "open", lambda _: content)
    file = File(where="long.csv", suffix=".csv", content=b"")

    def read() -> None:
        with hash_in_background(file):
            content.begun.wait()
            raise ValueError("fault")

    with pytest.raises(ValueError, match="fault"):
        read()
    assert content.reads < PIECES
