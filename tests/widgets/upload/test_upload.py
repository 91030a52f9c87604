"""Python's end of an upload, from the messages of the browser to the scores; no browser here."""

import asyncio
import gzip
import html
import io
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import comm
import comm.base_comm
import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import dpviz
from dpviz import AttackScores, explore
from dpviz.widgets import Explorer
from dpviz.widgets import upload as drop_zone
from dpviz.widgets import upload as received_file
from dpviz.widgets.controls.menus import NO_SCORES
from dpviz.widgets.upload import UploadedFile, size_text, upload_size_limit
from tests.widgets.base.test_job import apart, until

GOOD = b"loss,member\n0.5,1\n0.7,0\n0.9,0\n"
UNCLEAR = b"a,b,member\n0.5,9,1\n0.7,8,0\n0.9,7,0\n"


class Wire:
    """The browser's end of an explorer's upload: what it sends, and what it was told."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        told = self.told = []

        class Recorded(comm.base_comm.BaseComm):
            def publish_msg(self, msg_type: str, data: Any = None, **rest: Any) -> None:
                if (data or {}).get("method") == "custom":
                    told.append(data["content"])

        monkeypatch.setattr(comm, "create_comm", lambda *args, **keys: Recorded(*args, **keys))
        self.explorer = explore()

    def hear(self, piece: bytes | None = None, **content: Any) -> None:
        """One message of the page, in this thread."""
        zone = self.explorer.source.uploads.zone
        assert zone is not None
        data = {"method": "custom", "content": content}
        buffers = [] if piece is None else [memoryview(piece)]
        zone._handle_msg({"content": {"data": data}, "buffers": buffers})

    def say(self, piece: bytes | None = None, **content: Any) -> None:
        """One message of the page, in a thread without an event loop: all is done at once."""
        apart(lambda: self.hear(piece, **content))

    def send(self, name: str, content: bytes, *, upload: str = "1", step: int = 11) -> None:
        """A whole file, in pieces."""
        self.say(do="begin", id=upload, name=name, size=len(content))
        for at in range(0, len(content), step):
            self.say(content[at : at + step], do="piece", id=upload, at=at)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch, temporary: Path) -> Iterator[Wire]:
    wire = Wire(monkeypatch)
    yield wire
    wire.explorer.close()
    assert list(temporary.iterdir()) == []


def lines(explorer: Explorer) -> str:
    return str(explorer.source.lines.value)


def test_pieces_are_acknowledged_and_become_scores(wire: Wire, temporary: Path) -> None:
    explorer = wire.explorer
    wire.say(do="begin", id="x", name="a.csv", size=len(GOOD))
    assert wire.told == [{"id": "x", "taken": 0}]
    wire.say(GOOD[:10], do="piece", id="x", at=0)
    assert wire.told[1:] == [{"id": "x", "taken": 10}]
    assert [path.read_bytes() for path in temporary.iterdir()] == [GOOD[:10]]
    wire.say(GOOD[10:], do="piece", id="x", at=10)
    assert wire.told[2:] == [{"id": "x", "taken": len(GOOD)}]
    assert explorer.error == ""
    assert explorer.source.menu.value == "uploaded: a.csv"
    scores = explorer.store.scores
    assert isinstance(scores, AttackScores)
    np.testing.assert_array_equal(scores.member, [-0.5])
    np.testing.assert_array_equal(scores.nonmember, [-0.7, -0.9])
    assert scores.provenance is not None
    assert scores.provenance.source == "a.csv"
    assert scores.provenance.path is None
    assert list(temporary.iterdir()) == []


def test_an_error_stands_below_the_place_and_the_notes_before_are_gone(wire: Wire) -> None:
    source = wire.explorer.source
    wire.send("a.csv", GOOD)
    assert not source.lines.is_hidden
    wire.send("b.csv", b"loss,member\nn/a,0\n", upload="2")
    assert "expected a number" in source.uploads.error.value
    assert wire.explorer.error_line.value == ""
    assert (source.lines.value, source.lines.is_hidden) == ("", True)
    wire.explorer.epsilon = 2.0
    assert source.uploads.error.value == ""
    assert source.lines.is_hidden


def test_a_question_about_a_file_replaces_the_notes_on_the_one_before(wire: Wire) -> None:
    source = wire.explorer.source
    wire.send("a.csv", GROUPED)
    assert not source.lines.is_hidden
    wire.send("b.csv", b"a,b,member\n0.5,9,1\n0.7,8,0\n", upload="2")
    assert not source.uploads.questions.widget.is_hidden
    assert (source.lines.value, source.lines.is_hidden, source.close.is_hidden) == ("", True, True)
    assert source.uploads.groups.is_hidden


def test_notes_can_be_closed_and_do_not_come_back(wire: Wire) -> None:
    source = wire.explorer.source
    assert source.uploads.groups.is_hidden  # no file has groups yet
    wire.send("a.csv", GROUPED)
    source.close.click()
    assert (source.lines.is_hidden, source.close.is_hidden) == (True, True)
    assert source.uploads.groups.is_hidden
    wire.explorer.epsilon = 2.0
    wire.explorer.undo()
    assert source.lines.is_hidden


GROUPED = b"loss,member,class,note\n0.5,1,a,x\n0.7,0,a,x\n0.9,0,b,y\n0.8,1,b,y\n"


def groups(explorer: Explorer) -> tuple[str, ...]:
    assert explorer.store.scores is not None
    return tuple(explorer.store.scores.groups)


def test_a_column_that_is_known_to_hold_groups_is_read(wire: Wire) -> None:
    wire.send("a.csv", GROUPED)
    uploads = wire.explorer.source.uploads
    assert groups(wire.explorer) == ("a", "b")
    assert 'groups from column "class"' in html.unescape(lines(wire.explorer))
    assert 'columns not read: "note"' in html.unescape(lines(wire.explorer))
    menu = uploads.groups
    assert not menu.is_hidden
    assert menu.options == (("none", ""), ('"class"', "class"), ('"note"', "note"))
    assert menu.value == "class"


def test_columns_of_a_file_are_not_offered_for_other_scores(wire: Wire) -> None:
    wire.send("a.csv", GROUPED)
    wire.explorer.undo()
    assert wire.explorer.source.uploads.groups.is_hidden


def test_the_column_of_the_groups_can_be_chosen_after_the_upload(
    wire: Wire, temporary: Path
) -> None:
    explorer = wire.explorer
    wire.send("a.csv", GROUPED.replace(b"class", b"town"))
    assert groups(explorer) == ()
    assert 'columns not read: "town", "note"' in html.unescape(lines(explorer))
    menu = explorer.source.uploads.groups
    assert menu.value == ""
    for name, found in {"note": ("x", "y"), "": (), "town": ("a", "b")}.items():
        apart(partial(setattr, menu, "value", name))
        assert (groups(explorer), menu.value, explorer.error) == (found, name, "")
    assert explorer.source.menu.value == "uploaded: a.csv by town"
    assert len(list(temporary.iterdir())) == 1
    apart(lambda: setattr(explorer.source.menu, "value", NO_SCORES))
    assert menu.is_hidden
    assert list(temporary.iterdir()) == []


def test_groups_that_cannot_be_read_leave_the_scores(wire: Wire) -> None:
    explorer = wire.explorer
    wire.send("a.csv", GROUPED.replace(b"1,a,x", b"1,,x"))
    assert groups(explorer) == ()
    assert 'groups not read: a.csv, row 2, column "class"' in html.unescape(lines(explorer))
    menu = explorer.source.uploads.groups
    apart(lambda: setattr(menu, "value", "class"))
    assert 'row 2, column "class"' in explorer.error
    assert (menu.value, menu.is_hidden) == ("", False)


def parquet(columns: dict[str, Any]) -> bytes:
    sink = io.BytesIO()
    pyarrow.parquet.write_table(pa.table(columns), sink)
    return sink.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.parquet", parquet({"loss": [0.5, 0.7, 0.9], "member": [1, 0, 0]})),
        ("A.CSV.GZ", gzip.compress(GOOD, mtime=0)),
        ("no end", GOOD),
    ],
)
def test_the_name_says_the_format_or_else_the_content(
    wire: Wire, name: str, content: bytes
) -> None:
    wire.send(name, content, step=1000)
    assert wire.explorer.error == ""
    assert wire.explorer.source.menu.value == f"uploaded: {name}"
    assert wire.explorer.result.sample is not None


def test_three_lines_say_what_was_understood_while_these_scores_are_shown(wire: Wire) -> None:
    explorer = wire.explorer
    assert explorer.source.lines.is_hidden
    wire.send("a <b>&\"'.csv", GOOD)
    assert lines(explorer).count("<summary>") == 1  # the others are folded below the first
    assert lines(explorer).count("<div") == 2
    assert "a &lt;b&gt;&amp;&quot;&#x27;.csv" in lines(explorer)
    assert "low = member (losses): 1 members, 2 non-members" in lines(explorer)
    assert not explorer.source.lines.is_hidden
    explorer.epsilon = 2.0
    assert "2 non-members" in lines(explorer)
    explorer.store.load(None)
    assert (lines(explorer), explorer.source.lines.is_hidden) == ("", True)
    explorer.undo()
    assert "2 non-members" in lines(explorer)


def test_what_is_unclear_is_asked_and_each_answer_leads_on(wire: Wire) -> None:
    explorer, asked = wire.explorer, wire.explorer.source.uploads.questions
    wire.send("a.csv", UNCLEAR)
    assert explorer.error == ""
    assert explorer.store.scores is None
    assert not asked.widget.is_hidden
    assert list(asked.menus) == ["score"]
    assert asked.menus["score"].options == (
        ("choose ...", ""),
        ('"a"', "a"),
        ('"b"', "b"),
        ('"member"', "member"),
    )
    assert asked.read.disabled
    asked.menus["score"].value = "b"
    assert not asked.read.disabled
    apart(asked.read.click)
    assert list(asked.menus) == ["score", "kind"]
    assert asked.menus["kind"].options[1:] == (
        ("low = member (loss)", "loss"),
        ("high = member (score)", "score"),
    )
    assert asked.read.disabled
    asked.menus["kind"].value = "score"
    apart(asked.read.click)
    scores = explorer.store.scores
    assert isinstance(scores, AttackScores)
    np.testing.assert_array_equal(scores.member, [9.0])
    np.testing.assert_array_equal(scores.nonmember, [8.0, 7.0])
    assert asked.widget.is_hidden
    assert asked.menus == {}


def test_an_answer_that_does_not_do_can_be_changed(wire: Wire) -> None:
    asked = wire.explorer.source.uploads.questions
    wire.send("a.csv", b"id,signal,member\nx,0.5,1\ny,0.7,0\n")
    asked.menus["score"].value = "id"
    apart(asked.read.click)
    asked.menus["kind"].value = "loss"
    apart(asked.read.click)
    assert wire.explorer.error == 'a.csv, row 2, column "id": expected a number, got "x"'
    assert wire.explorer.store.scores is None
    asked.menus["score"].value = "signal"
    apart(asked.read.click)
    assert wire.explorer.error == ""
    assert wire.explorer.source.menu.value == "uploaded: a.csv"


def test_cancelled_questions_leave_all_as_it_was(wire: Wire, temporary: Path) -> None:
    wire.send("a.csv", GOOD)
    result, said = wire.explorer.result, lines(wire.explorer)
    wire.send("b.csv", UNCLEAR, upload="2")
    assert len(list(temporary.iterdir())) == 1
    assert lines(wire.explorer) == ""
    wire.explorer.source.uploads.questions.cancel.click()
    assert list(temporary.iterdir()) == []
    assert wire.explorer.source.uploads.questions.widget.is_hidden
    assert wire.explorer.result is result
    assert (lines(wire.explorer), wire.explorer.error) == (said, "")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.csv", b"loss,member\n0.5,1\nn/a,0\n", 'row 3, column "loss": expected a number'),
        ("x.csv", b"", "x.csv"),
        ("x.parquet", b"PAR1" + bytes(100), "x.parquet"),
    ],
)
def test_what_cannot_be_read_is_said_and_leaves_the_picture(
    wire: Wire, temporary: Path, name: str, content: bytes, said: str
) -> None:
    wire.send("a.csv", GOOD)
    result = wire.explorer.result
    wire.send(name, content, upload="2")
    assert said in wire.explorer.error
    assert wire.explorer.result is result
    assert list(temporary.iterdir()) == []
    wire.send("a.csv", GOOD, upload="3")
    assert wire.explorer.error == ""


def test_what_is_too_large_or_no_file_of_ours_is_refused_before_it_is_sent(
    wire: Wire, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(received_file, "MOST_BYTES", 2048)
    wire.say(do="begin", id="1", name="big.csv", size=2049)
    assert wire.explorer.error == (
        "big.csv: expected at most 2 KiB for an upload, got 2.1 KiB; nothing was sent. "
        'Give its path instead: dpviz.explore("path of the file")'
    )
    wire.say(do="begin", id="2", name="cat.png", size=10)
    assert 'got ".png"' in wire.explorer.error
    wire.say(b"x" * 10, do="piece", id="2", at=0)
    assert wire.told == [{"id": "1", "stopped": True}, {"id": "2", "stopped": True}]
    assert list(temporary.iterdir()) == []


def test_the_limit_is_half_of_what_is_free_and_follows_it(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    zone = wire.explorer.source.uploads.zone
    assert isinstance(zone, drop_zone.DropZone)
    assert zone.limit == upload_size_limit() <= 2**31
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=3 * 2**20))
    wire.send("a.csv", GOOD)
    assert zone.limit == 3 * 2**19
    assert zone.words["drop"] == "or drop it here, up to 1.5 MiB"


def test_an_upload_that_is_cancelled_or_replaced_is_over(wire: Wire, temporary: Path) -> None:
    wire.say(do="begin", id="1", name="a.csv", size=100)
    wire.say(do="cancel", id="1")
    assert list(temporary.iterdir()) == []
    wire.say(do="begin", id="2", name="b.csv", size=100)
    wire.say(do="begin", id="3", name="c.csv", size=len(GOOD))
    wire.say(b"x" * 100, do="piece", id="2", at=0)
    wire.say(do="cancel", id="2")
    wire.say(GOOD, do="piece", id="3", at=0)
    assert wire.explorer.source.menu.value == "uploaded: c.csv"
    assert {"id": "2", "stopped": True} in wire.told


def test_more_bytes_than_announced_are_refused(wire: Wire) -> None:
    wire.say(do="begin", id="1", name="a.csv", size=3)
    wire.say(b"loss", do="piece", id="1", at=0)
    assert wire.explorer.error == "a.csv: expected 3 bytes, got more"
    assert wire.told[-1] == {"id": "1", "stopped": True}


def test_a_closed_explorer_keeps_no_file(wire: Wire, temporary: Path) -> None:
    wire.say(do="begin", id="1", name="a.csv", size=100)
    wire.explorer.close()
    assert list(temporary.iterdir()) == []


def test_a_forgotten_file_goes(temporary: Path) -> None:
    file = UploadedFile("a.csv", 10)
    assert len(list(temporary.iterdir())) == 1
    del file
    assert list(temporary.iterdir()) == []


def test_reading_beside_the_picture_can_be_cancelled(wire: Wire, temporary: Path) -> None:
    uploads, store = wire.explorer.source.uploads, wire.explorer.store

    def begin(name: str) -> None:
        wire.hear(do="begin", id=name, name=f"{name}.csv", size=len(GOOD))
        wire.hear(GOOD, do="piece", id=name, at=0)
        assert uploads.job.is_running
        assert f"reading {name}.csv" in uploads.progress.value

    async def main() -> None:
        cancels = [uploads.job.cancel_button.click, lambda: wire.hear(do="cancel", id="b")]
        for name, cancel in zip("ab", cancels, strict=True):
            begin(name)
            cancel()
            assert not uploads.job.is_running
            assert uploads.progress.value == ""
            assert list(temporary.iterdir()) == []
            await asyncio.sleep(0.2)
            assert store.scores is None
        begin("c")
        begin("d")
        await until(lambda: store.scores is not None)

    apart(lambda: asyncio.run(main()))
    assert wire.explorer.source.menu.value == "uploaded: d.csv"
    assert wire.explorer.error == ""


@pytest.mark.slow
def test_without_the_bundle_a_plain_upload_stays(tmp_path: Path) -> None:
    home = Path(dpviz.__file__).parent
    shutil.copytree(home, tmp_path / "dpviz", ignore=shutil.ignore_patterns("*.js", "__pycache__"))
    code = (
        "import dpviz; s = dpviz.explore().source; assert s.uploads.zone is None; "
        f"import datetime; file = {{'name': 'a.csv', 'type': '', 'size': 9, 'content': {GOOD!r}}}; "
        "now = datetime.datetime(2026, 1, 1); "
        "s.uploads.fallback.value = ({**file, 'last_modified': now},); "
        "assert s.uploads.fallback.layout.display is None; print(s.menu.value, dpviz.__file__)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"uploaded: a.csv {tmp_path}")


@pytest.mark.parametrize(
    ("size", "down", "up"),
    [
        (0, "0 bytes", "0 bytes"),
        (1023, "1023 bytes", "1023 bytes"),
        (1024, "1 KiB", "1 KiB"),
        (1025, "1 KiB", "1.1 KiB"),
        (20 * 2**20 + 1, "20 MiB", "21 MiB"),
        (2**31 + 1, "2 GiB", "2.1 GiB"),
        (2**52, "4096 TiB", "4096 TiB"),
    ],
)
def test_amounts(size: int, down: str, up: str) -> None:
    assert (size_text(size), size_text(size, round_up=True)) == (down, up)


FORGED: tuple[tuple[dict[str, Any], str], ...] = (
    ({"do": "begin", "id": "x", "name": "a.csv", "size": float("nan")}, "message.size must be"),
    ({"do": "begin", "id": "x", "name": "a.csv", "size": -1}, "message.size must be a whole"),
    ({"do": "begin", "id": "x", "name": "a.csv", "size": "5"}, "message.size must be a number"),
    ({"do": "begin", "id": "x", "name": "a.csv", "size": 10**400}, "message.size must be"),
    ({"do": "begin", "id": "x", "name": ["a"], "size": 5}, "message.name must be a text"),
    ({"do": "begin", "id": "x", "name": "a" * 5000, "size": 5}, "message.name must be a text"),
    ({"do": "begin", "id": None, "name": "a.csv", "size": 5}, "message.id must be a text"),
    ({"do": "open", "id": "x"}, "message.do must be one of 'begin', 'piece', 'cancel'"),
    ({"do": "piece", "id": "x"}, "len(buffers) must be 1 in a message with a piece of"),
    ({}, "message.do must be one of"),
)


def test_messages_that_no_page_sends(wire: Wire) -> None:
    for message, said in FORGED:
        wire.say(do="begin", id="x", name="a.csv", size=len(GOOD))
        wire.say(GOOD[:5], do="piece", id="x")
        wire.say(**message)
        assert wire.explorer.error.startswith(said)
        assert len(wire.explorer.error) < 400
        wire.say(GOOD[5:], do="piece", id="x")  # of an upload that was refused
        assert wire.explorer.store.scores is None


def test_no_more_than_the_limit_is_taken(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(received_file, "MOST_BYTES", 100)
    for size in (200, float("nan"), float("inf")):
        wire.say(do="begin", id="x", name="a.csv", size=size)
        wire.say(b"1" * 200, do="piece", id="x")
    assert [each for each in wire.told if each.get("taken", 0) > 0] == []


def test_a_cancelled_reading_ends_its_thread(wire: Wire) -> None:
    rows = b"loss,member\n" + b"0.5,1\n0.75,0\n" * 10**6

    async def cancelled() -> None:
        before = set(threading.enumerate())
        wire.hear(do="begin", id="x", name="a.csv", size=len(rows))
        wire.hear(rows, do="piece", id="x")
        job = wire.explorer.source.uploads.job
        while not (new := set(threading.enumerate()) - before):
            await asyncio.sleep(0)
        job.cancel()
        while any(thread.is_alive() for thread in new if "dpviz" not in thread.name):
            await asyncio.sleep(0.01)

    apart(lambda: asyncio.run(cancelled()))
    assert wire.explorer.store.scores is None
