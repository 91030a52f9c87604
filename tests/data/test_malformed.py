"""Every malformed source of the table is refused, with its own sentence that says where and why.

Warnings are errors here, so that none is given on the way.
"""

import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpviz import AttackScores, BinnedScores
from dpviz.data import ReadError, read_scores
from dpviz.data.formats.registry import file_suffixes
from dpviz.data.read import formats
from dpviz.data.sources.file import File, suffix_of
from tests.data.malformed import CASES
from tests.data.malformed.case import Case
from tests.data.malformed.dangerous import CASES as DANGEROUS
from tests.data.malformed.dangerous import MOST_CPU, RANDOM

LONGEST_MESSAGE = 1000
ALLOWANCE = 64 * 2**20  # bytes that one piece may take beyond `memory_limit`


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_refused(case: Case, tmp_path: Path) -> None:
    source = case.make(tmp_path)
    with pytest.raises(ValueError) as refused:  # noqa: PT011, the whole message is compared
        read_scores(source, **case.options)
    refused.match(case.pattern)
    # A pair of arrays is checked by AttackScores, which is no reader.
    assert isinstance(refused.value, ReadError) or isinstance(source, tuple | list)
    said = str(refused.value)
    assert said.isprintable()
    assert len(said) < LONGEST_MESSAGE
    if isinstance(source, Path) and source.is_file() and suffix_of(source.name) in file_suffixes():
        for again in (source.read_bytes(), io.BytesIO(source.read_bytes())):
            with pytest.raises(ReadError) as also:
                read_scores(again, name=source.name, **case.options)
            assert case.matches(str(also.value))


def test_the_table_is_long_and_of_all_formats(tmp_path: Path) -> None:
    assert len({case.name for case in (*CASES, *DANGEROUS)}) == len(CASES) + len(DANGEROUS)
    files, refused = set(), set()
    for i, case in enumerate(CASES):
        (tmp_path / str(i)).mkdir()
        source: Any = case.make(tmp_path / str(i))
        if isinstance(source, Path) and source.is_file():
            files.add((source.suffix, hashlib.sha256(source.read_bytes()).digest()))
        if isinstance(source, Path):
            source = File.of(source, None) if source.is_file() or source.is_dir() else None
        refused |= {each.name for each in formats() if each.accepts(source)}
    assert len(files) >= 100
    without_faults = {"AttackScores or BinnedScores"}
    assert refused == {each.name for each in formats()} - without_faults


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="Linux counts the peak")
def test_a_thousand_hostile_inputs_take_little_time_and_memory(tmp_path: Path) -> None:
    """Each at most 2 s of the processor, and at most 64 MiB beyond `memory_limit`."""
    ran = subprocess.run(
        [sys.executable, "-m", "tests.data.malformed.dangerous", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert MOST_CPU == 2  # an input that takes more ends the process
    assert ran.returncode == 0, ran.stderr
    *said, (ends, grown) = map(json.loads, ran.stdout.splitlines())
    assert [name for name, _, _ in said] == [case.name for case in DANGEROUS]
    for case, (_, got, beyond) in zip(DANGEROUS, said, strict=True):
        kind, _, message = got.partition(": ")
        assert kind in ("ReadError", "ColumnError"), got
        assert case.matches(message), message
        assert beyond <= ALLOWANCE, case.name
    assert set(ends) == {"'taken'", "'refused'"}
    assert sum(ends.values()) == RANDOM >= 1000
    assert grown <= ALLOWANCE


ODD = {
    "a byte order mark": "\ufeffloss,member\n1,1\n2,0\n",
    "Windows' line ends": "loss,member\r\n1,1\r\n2,0\r\n",
    "old line ends": "loss,member\r1,1\r2,0",
    "quotes around numbers": 'loss,member\n"1","1"\n"2","0"\n',
    "blanks around cells": " loss , member\n 1 ,\ttrain\n2 , test \n",
    "columns without a name or cells": "loss,member,,\n1,1,,\n2,0\n",
    "capitals": "LOSS,Is_Member\n1,TRUE\n2,False\n",
    "codings side by side": "loss,member\n1,yes\n2,0\n1,In\n2,non-member\n",
    "whole numbers as floats": "loss,member\n1e0,1.0\n2.,0.00\n",
    "cells beyond the columns, all empty": "loss,member\n1,1,,,\n2,0\n",
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_odd_files_that_leave_no_doubt(text: str) -> None:
    scores = read_scores(text.encode())
    assert isinstance(scores, AttackScores)
    assert set(scores.member) == {-1.0}
    assert set(scores.nonmember) == {-2.0}


def test_more_than_the_size_says_is_counted(tmp_path: Path) -> None:
    rows = 2**20
    path = tmp_path / "scores.csv.gz"
    path.write_bytes(gzip.compress(b"loss,member\n") + gzip.compress(b"1,1\n2,0\n" * (rows // 2)))
    limit = 2**24
    assert 60 * path.stat().st_size < limit  # what reading looks like before it begins
    scores = read_scores(path, memory_limit=limit)
    assert isinstance(scores, BinnedScores)
    assert (scores.n_members, scores.n_nonmembers) == (rows // 2, rows // 2)
    sides = (tmp_path / "a.csv.gz", tmp_path / "b.csv.gz")
    for side, number in zip(sides, (1, 2), strict=True):
        side.write_bytes(gzip.compress(b"loss\n" + b"%d\n" % number * rows))
    both = read_scores(sides, memory_limit=limit)
    assert isinstance(both, BinnedScores)
    assert (both.n_members, both.n_nonmembers) == (rows, rows)
    path.write_bytes(gzip.compress(b"loss,member,g\n" + b"1,1,a\n2,0,b\n" * (rows // 2)))
    with pytest.raises(ReadError, match=r"^scores\.csv\.gz: group must be left out if the records"):
        read_scores(path, memory_limit=limit, group="g")


def test_an_open_file_is_read_and_hashed_at_once() -> None:
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=500_000).round(6)  # three blocks of text
    text = "".join(f"{x},{i % 2}\n" for i, x in enumerate(numbers.tolist()))
    content = b"loss,member\n" + text.encode()
    scores = read_scores(io.BytesIO(content))
    assert isinstance(scores, AttackScores)
    np.testing.assert_array_equal(scores.member, -numbers[1::2])
    assert scores.provenance is not None
    assert scores.provenance.sha256 == hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize(
    "change",
    [
        b"",
        b"loss,member\n1,1\n",
        b"x\n" * 100,
        b"loss,member\n" + b"5,1\n6,0\n" * 10**5,
    ],
)
def test_a_file_that_changes_while_it_is_read(tmp_path: Path, change: bytes) -> None:
    path = tmp_path / "scores.csv"
    path.write_bytes(b"loss,member\n" + b"1,1\n2,0\n" * 10)

    def changed(rounds: range) -> range:
        path.write_bytes(change)
        return rounds

    try:
        losses = -read_scores(path, progress=changed).member
    except ReadError as error:
        losses, said = np.empty(0), str(error)
    else:
        said = "scores.csv"
    assert said.startswith("scores.csv")
    assert set(losses) <= {1.0, 5.0}


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_bytes(b"loss,member\n1,1\n2,0\n")
    path.chmod(0)
    with pytest.raises(PermissionError):
        read_scores(path)


def test_no_file(tmp_path: Path) -> None:
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    text = "loss,member\n" + "1,1\n" * 10_000
    for source in (tmp_path / "none.csv", tmp_path / "loop.csv", "", "a\0b.csv", text):
        with pytest.raises(FileNotFoundError, match="a str is a path") as refused:
            read_scores(source)
        assert len(str(refused.value)) < 10_000
