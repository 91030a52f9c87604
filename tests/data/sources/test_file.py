"""Temporary files: those of killed processes are removed, those in use stay."""

import os
import tempfile
from pathlib import Path

import pytest

from dpviz import read_scores
from dpviz.data.sources import file


def test_only_temporary_files_that_no_process_uses_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    used = file.TemporaryFile()
    orphan = tmp_path / f"{file.PREFIX}of a killed process"
    orphan.touch()
    for path in (used.path, orphan):
        os.utime(path, (0, 0))
    with monkeypatch.context() as on_windows:  # without locks nobody knows what is in use
        on_windows.setattr(file, "fcntl", None)
        file.remove_temporary_files_of_killed_processes()
    assert orphan.exists()
    file.remove_temporary_files_of_killed_processes()
    assert os.listdir(tmp_path) == [os.path.basename(used.path)]
    used.close()


def test_an_open_file_is_read_from_where_it_is_and_without_a_name_too(tmp_path: Path) -> None:
    path = tmp_path / "losses.csv"
    path.write_text("written by hand\nloss,member\n1,1\n2,0\n")
    with path.open() as text, path.open("rb") as content:
        assert next(text) == "written by hand\n"
        assert next(content) == b"written by hand\n"
        assert read_scores(text) == read_scores(content)
    path.write_text("loss,member\n1,1\n2,0\n")
    with path.open("rb") as content:
        path.unlink()
        assert read_scores(content).n_members == 1
