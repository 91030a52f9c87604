"""A table format and a convention from another package, each registered by one line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpviz
from dpviz import BinnedScores, ReadError, read_fleet, read_scores
from dpviz.cli import main
from dpviz.data.conventions import CONVENTIONS
from dpviz.data.formats.registry import FILES
from dpviz.widgets.upload import UploadedFile

MAGIC = b"WIDE"
SOURCE = '''
"""A binary table: WIDE, the length of the header, names, then rows of float64."""

import numpy as np
import pandas as pd

from dpviz import ReadError
from dpviz.data.conventions import NamingConvention
from dpviz.data.formats.registry import Format
from dpviz.data.tables.one_class import scores_of_sides
from dpviz.data.tables.table_source import TableSource

ROWS = 100

class WideFile(TableSource):
    def __init__(self, file):
        self.file, self.where = file, file.where
        with file.open() as stream:
            length = int.from_bytes(stream.read(8)[4:], "little")
            self.names = stream.read(length).decode().split(",")
        self._start = 8 + length
        n, rest = divmod(file.size - self._start, 8 * len(self.names))
        if rest:
            raise ReadError(f"{self.where}: expected whole rows, got {rest} bytes more")
        self.memory, self.n_pieces = n * 100, -(-n // ROWS)

    def read_columns(self, positions):
        begin, width = 0, len(self.names)
        with self.file.open() as stream:
            stream.seek(self._start)
            while content := stream.read(8 * width * ROWS):
                rows = np.frombuffer(content).reshape(-1, width)
                yield [pd.Series(rows[:, i]) for i in positions], range(begin, begin + len(rows))
                begin += len(rows)

WIDE = Format(name="Wide table", suffixes=(".wide",), magic={b"WIDE": ".wide"}, table=WideFile)

def read_twins(fields, options):
    return scores_of_sides(
        *map(fields.members_or_nonmembers, ("twin_a", "twin_b")), options, kind="score",
        source=fields.where, loader="Twins", understood="scores of twins",
    )

TWINS = NamingConvention(
    name="Twins", keys="twin_a and twin_b",
    accepts=lambda fields: fields.has_all("twin_a", "twin_b"), read=read_twins,
)
'''


@pytest.fixture
def extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A package that knows a format and a convention; each is registered by one line."""
    (tmp_path / "package" / "extra_formats").mkdir(parents=True)
    (tmp_path / "package" / "extra_formats" / "__init__.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path / "package")
    import extra_formats  # type: ignore[import-not-found]

    FILES.append(extra_formats.WIDE)
    CONVENTIONS.append(extra_formats.TWINS)
    yield extra_formats
    FILES.remove(extra_formats.WIDE)
    CONVENTIONS.remove(extra_formats.TWINS)


def wide(**columns: Any) -> bytes:
    header = ",".join(columns).encode()
    rows = np.array(list(columns.values()), np.float64).T
    return MAGIC + len(header).to_bytes(4, "little") + header + rows.tobytes()


GOOD = wide(member=[1, 0, 1, 0], loss=[0.5, 2, 0.25, 3])


def losses(source: Any, **options: Any) -> tuple[list[float], list[float]]:
    scores = read_scores(source, **options)
    return (-scores.members.values).tolist(), (-scores.nonmembers.values).tolist()


@pytest.mark.usefixtures("extra")
def test_a_registered_file_is_read_by_path_and_as_bytes(tmp_path: Path) -> None:
    path = tmp_path / "scores.wide"
    path.write_bytes(GOOD)
    expected = sorted([-0.5, -0.25]), sorted([-2.0, -3.0])
    with path.open("rb") as stream:
        for source in (path, str(path), GOOD, stream):
            scores = read_scores(source)
            assert sorted(scores.members.values.tolist()) == expected[0]
            assert sorted(scores.nonmembers.values.tolist()) == expected[1]
            assert scores.provenance is not None
            assert scores.provenance.loader == "Wide table"
    assert dpviz.read_scores(path).provenance.sha256 == read_scores(GOOD).provenance.sha256


@pytest.mark.usefixtures("extra")
def test_it_is_streamed_where_memory_is_short(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    member, loss = np.arange(1000) % 2, np.float32(rng.normal(size=1000))
    path = tmp_path / "large.wide"
    path.write_bytes(wide(member=member, loss=loss))
    pieces: list[range] = []
    counted = read_scores(path, memory_limit=10_000, progress=lambda n: pieces.append(n) or n)
    assert isinstance(counted, BinnedScores)
    assert pieces[0] == range(10)
    assert (counted.n_members, counted.n_nonmembers) == (500, 500)


@pytest.mark.usefixtures("extra")
def test_it_is_half_of_a_pair_and_holds_a_fleet(tmp_path: Path) -> None:
    for name, numbers in (("member", [0.5, 0.25]), ("other", [2, 3, 4])):
        (tmp_path / f"{name}.wide").write_bytes(wide(loss=numbers))
    pair = read_scores((tmp_path / "member.wide", wide(loss=[2, 3, 4])))
    assert (pair.n_members, pair.n_nonmembers) == (2, 3)

    table = wide(model=[7, 7, 8, 8], member=[1, 0, 1, 0], loss=[0.5, 2, 0.25, 3])
    assert [model.name for model in read_fleet(table).models] == ["7", "8"]

    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.wide").write_bytes(GOOD)
    assert [model.name for model in read_fleet(folder).models] == ["a", "b"]


@pytest.mark.usefixtures("extra")
@pytest.mark.parametrize("name", ["scores.wide", "scores"])
def test_it_is_uploaded_with_and_without_a_suffix(name: str) -> None:
    file = UploadedFile(name, len(GOOD))
    file.add(GOOD)
    scores = file.read()
    assert (scores.n_members, scores.provenance.loader) == (2, "Wide table")
    file.close()


@pytest.mark.usefixtures("extra")
def test_lists_and_messages_name_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["formats"]) == 0
    listed = capsys.readouterr().out
    assert "  Wide table\n      .wide\n" in listed
    assert "  Twins\n      twin_a and twin_b\n" in listed
    (tmp_path / "scores.xls").write_bytes(b"")
    for source in (tmp_path / "scores.xls", (tmp_path / "scores.xls", [1.0])):
        with pytest.raises(ReadError, match=r"\.wide"):
            read_scores(source)
    with pytest.raises(ReadError, match=r"\.wide"):
        read_fleet(3)


@pytest.mark.usefixtures("extra")
def test_a_fault_is_found_with_row_and_column() -> None:
    with pytest.raises(ReadError, match=r"^f\.wide: expected whole rows, got 1 bytes more$"):
        read_scores(GOOD + b"x", name="f.wide")
    bad = wide(member=[1, 3], loss=[0.5, 2])
    with pytest.raises(ReadError, match=r'^f\.wide, row 1, column "member": expected 1/0, .*3\.0$'):
        read_scores(bad, name="f.wide")


def test_a_registered_convention_is_read_from_fields(
    extra: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = read_scores({"twin_a": [3.0, 4.0], "twin_b": [1.0]})
    assert (scores.member.tolist(), scores.nonmember.tolist()) == ([3.0, 4.0], [1.0])
    assert scores.provenance.loader == extra.TWINS.name
    CONVENTIONS.remove(extra.TWINS)
    with pytest.raises(ReadError, match="no score column recognised"):
        read_scores({"twin_a": [3.0, 4.0], "twin_b": [1.0]})
    CONVENTIONS.append(extra.TWINS)


def test_without_the_line_nothing_knows_it(tmp_path: Path) -> None:
    (tmp_path / "scores.wide").write_bytes(GOOD)
    with pytest.raises(ReadError, match=r'got "\.wide"$'):
        read_scores(tmp_path / "scores.wide")
    with pytest.raises(ReadError):
        read_scores(GOOD)
