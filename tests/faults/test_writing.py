"""A full disk, or a folder that takes no file: an error, and the old file as it was."""

import os
from pathlib import Path

import pytest

from dpviz.replace_file import replace_file
from tests.faults.process import answer_of

# No file of the process may grow beyond 1000 bytes, as on a disk that is full.
FULL_DISK = """
import contextlib, io, json, os, resource
import dpviz
from dpviz.cli.command import main
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
explorer = dpviz.explore(([.1, .4, .2, .5], [.3, .9, .8, .7]))
region = explorer.views[0]
ends = {}
for name, save in {
    "page.html": explorer.save_html,
    "picture.svg": region.save_svg,
    "audit.json": lambda path: main(["audit", "scores.csv", "--json", path]),
}.items():
    with open(name, "w") as file:
        file.write("old")
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        try:
            ends[name] = save(name)
        except OSError as error:
            ends[name] = type(error).__name__
    if isinstance(ends[name], int):
        ends[name] = [ends[name], said.getvalue().count(chr(10))]
print(json.dumps(ends))
"""


@pytest.mark.slow
def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.getcwd())
    monkeypatch.chdir(tmp_path)
    Path("scores.csv").write_text("loss,member\n.1,1\n.4,1\n.3,0\n.9,0\n")
    ends = answer_of(FULL_DISK)
    # The command says it in one line and exits with 2.
    assert ends == {"page.html": "OSError", "picture.svg": "OSError", "audit.json": [2, 1]}
    assert sorted(os.listdir()) == ["audit.json", "page.html", "picture.svg", "scores.csv"]
    assert {Path(name).read_text() for name in ends} == {"old"}


def test_a_folder_that_takes_no_file() -> None:
    with pytest.raises(OSError, match="/proc"):
        replace_file("/proc/page.html", b"text")  # read-only, also for the system's own user


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        replace_file(tmp_path / "nowhere" / "page.html", b"text")


def test_an_interrupted_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "page.html"
    target.write_text("old")

    def interrupted(_source: object, _target: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace_file(target, b"new")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]
