"""Files dropped and chosen in a real page: good ones, unclear ones, broken ones, too large ones."""

import io
import tempfile
from collections.abc import Callable
from pathlib import Path

import ipywidgets
import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from playwright.sync_api import FileChooser, FilePayload, expect

from dpviz import AttackScores, explore
from dpviz.drawing import theme
from dpviz.widgets import Explorer, RegionView
from dpviz.widgets import upload as received_file
from dpviz.widgets.upload import DropZone, UploadReader
from tests.browser import picture
from tests.browser.axe import violations
from tests.browser.bridge import Bridge
from tests.browser.wait import as_read, eventually

MIB = 2**20
DROP = """([files, kind]) => {
  const dataTransfer = new DataTransfer();
  for (const [name, text] of files) dataTransfer.items.add(new File([text], name));
  const event = new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true });
  document.querySelector('.dpviz-upload').dispatchEvent(event);
  return event.defaultPrevented; }"""
WATCH_BAR = """() => { window.shares = [];
  const [bar] = document.querySelectorAll('.dpviz-upload progress');
  const watch = new MutationObserver(() => shares.push(bar.value));
  watch.observe(bar, { attributes: true }); }"""
HOSTILE = "<img src=x onerror=hacked=1>&\"' \u202e" + "m" * 4000 + ".csv"
TORN = """() => [...document.querySelectorAll('html, .dpviz [class^=dpviz-]')]
  .filter(e => e.getClientRects().length && e.scrollWidth > e.clientWidth + 1)
  .map(e => e.className)"""
WITHOUT_KERNEL = "state => bridge.manager.set_state(state)"


def drop(bridge: Bridge, *files: tuple[str, str]) -> None:
    """As a hand does: over the place, then let go."""
    picture.offer_a_file(bridge.page)
    bridge.settle()
    assert bridge.page.evaluate(DROP, [list(files), "dragover"])
    assert bridge.page.locator(".dpviz-upload-over").count() == 1
    assert bridge.page.evaluate(DROP, [list(files), "drop"])
    assert bridge.page.locator(".dpviz-upload-over").count() == 0


def rows(n: int, note: str) -> str:
    rng = np.random.default_rng(6)
    losses = zip(rng.normal(0, 1, n).tolist(), rng.normal(1, 1, n).tolist(), strict=True)
    lines = (f"{member},1,{note}\n{other},0,{note}\n" for member, other in losses)
    return "loss,is_member,note\n" + "".join(lines)


def understood(bridge: Bridge) -> list[str]:
    """What is said of the file that was read: one line, then those that are folded below it."""
    notes = bridge.page.locator(".dpviz-understood")
    assert notes.locator(".dpviz-sentence:visible").count() == 0
    picture.open_fold(notes, "")
    return [as_read(text) for text in notes.locator("summary, .dpviz-sentence").all_inner_texts()]


def uploaded(bridge: Bridge, explorer: Explorer, name: str) -> AttackScores:
    bridge.until(lambda: f"uploaded: {name}" == explorer.source.menu.value or explorer.error)
    assert explorer.error == ""
    assert isinstance(explorer.store.scores, AttackScores)
    return explorer.store.scores


@pytest.mark.slow
def test_files_one_after_the_other(
    bridge: Bridge,
    screenshot: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(received_file, "MOST_BYTES", 3 * MIB)
    explorer, page = explore(epsilon=1.0, layout=["region", "scores", "tradeoff"]), bridge.page
    choosers: list[FileChooser] = []
    page.once("filechooser", lambda chooser: choosers.append(chooser))
    bridge.show(explorer)
    assert not page.get_by_text("upload a file").is_visible()
    picture.offer_a_file(page)
    bridge.settle()
    assert "up to 3 MiB" in page.locator(".dpviz-upload").inner_text()

    # A good one, in three pieces: the bar moves, the views follow, four lines say what it was.
    content = rows(200, "n" * 5400)
    assert 2 * MIB < len(content) < 2.1 * MIB
    page.evaluate(WATCH_BAR)
    drop(bridge, ("good.csv", content))
    bar = page.locator(".dpviz-upload progress")
    assert bar.is_visible()
    scores = uploaded(bridge, explorer, "good.csv")
    assert (scores.n_members, scores.n_nonmembers) == (200, 200)
    shares = page.evaluate("shares")
    pieces = [0, MIB / len(content), 2 * MIB / len(content)]
    assert list(dict.fromkeys(shares)) == pytest.approx(pieces)
    assert not bar.is_visible()
    assert len(picture.lines(page, "TradeoffView", theme.ATTACK)) == 1
    assert [line.split(" ")[0] for line in understood(bridge)] == [
        "good.csv",
        "low",
        "no",
        "columns",
    ]

    # One with a nasty name: data, not markup, and nothing is torn.
    drop(bridge, (HOSTILE, "loss,member\n0.5,1\n0.7,0\n"))
    uploaded(bridge, explorer, HOSTILE)
    bridge.settle()
    assert understood(bridge)[0].startswith('"<img src=x onerror=hacked=1>&')
    assert page.locator("img").count() == 0
    assert page.evaluate("window.hacked") is None
    assert page.evaluate(TORN) == []

    # By keyboard and file chooser; pictures and lines are those of the new file.
    sink = io.BytesIO()
    pyarrow.parquet.write_table(pa.table({"score": [3.0, 2.0, 1.0], "member": [1, 1, 0]}), sink)
    picture.offer_a_file(page)
    bridge.settle()
    page.get_by_role("button", name="choose a file").press("Enter")
    bridge.until(lambda: bool(choosers))
    file: FilePayload = {"name": "b.parquet", "mimeType": "", "buffer": sink.getvalue()}
    choosers[0].set_files([file])
    np.testing.assert_array_equal(uploaded(bridge, explorer, "b.parquet").member, [3.0, 2.0])
    bridge.settle()
    assert understood(bridge)[1] == "high = member (scores): 2 members, 1 non-members"

    # An unclear one: asked once, asked again, then read.
    drop(bridge, ("unclear.csv", "a,b,member\n0.5,9,1\n0.7,8,0\n0.9,7,0\n"))
    score = page.get_by_label("Which column holds the loss or score?")
    bridge.until(score.is_visible)
    read = page.locator(".dpviz-questions").get_by_role("button", name="read")
    assert read.is_disabled()
    score.select_option('"b"')
    bridge.settle()
    read.click()
    kind = page.get_by_label("Do low or high numbers mean member?")
    bridge.until(kind.is_visible)
    screenshot(page, "asked")
    assert violations(page, ".dpviz-questions") == []
    kind.select_option("high = member (score)")
    bridge.settle()
    read.click()
    np.testing.assert_array_equal(uploaded(bridge, explorer, "unclear.csv").member, [9.0])
    bridge.settle()
    assert not page.locator(".dpviz-questions").is_visible()

    # A broken one, and several at once: said, and all stays as it was.
    before = explorer.store.scores
    drop(bridge, ("broken.csv", "loss,member\n0.5,1\nn/a,0\n"))
    message = 'broken.csv, row 3, column "loss": expected a number, got "n/a"'
    bridge.until(lambda: picture.error(page) == message)
    drop(bridge, ("a.csv", "x"), ("b.csv", "y"))
    alert = page.locator(".dpviz-error:visible").first
    assert alert.inner_text() == "expected one file at a time, got 2"

    # One that is too large: not a byte is sent.
    bridge.settle()
    drop(bridge, ("large.csv", "x" * (3 * MIB + 1)))
    expect(alert).to_have_text(
        "large.csv: expected at most 3 MiB for an upload, got 3.1 MiB; nothing was sent. "
        'Give its path instead: dpviz.explore("path of the file")',
    )
    assert bridge.to_python == []
    screenshot(page, "refused")

    # One that is cancelled when all of it is on the way.
    drop(bridge, ("late.csv", content))

    def begun() -> None:
        assert bridge.to_python

    eventually(page, begun)
    bridge.deliver()
    page.locator(".dpviz-upload-going button").click()
    bridge.settle()
    assert not bar.is_visible()
    assert explorer.store.scores is before
    assert list(tmp_path.iterdir()) == []


def uploads(view: RegionView) -> ipywidgets.VBox:
    return ipywidgets.VBox([view, *UploadReader(view, lambda *_: None).widgets])


@pytest.mark.slow
@pytest.mark.parametrize(
    "code", ["export default { render() { throw Error('broken') } }", "export default {}"]
)
def test_where_the_bundle_does_not_load_a_plain_upload_stays(
    bridge: Bridge, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.setattr(DropZone, "_esm", code)
    bridge.show(uploads(RegionView()))
    assert bridge.page.get_by_text("upload a file").is_visible()
    assert bridge.page.locator(".dpviz-upload").count() == 0
    bridge.errors.clear()


@pytest.mark.slow
def test_without_a_kernel_there_is_no_place_for_files(bridge: Bridge) -> None:
    box = uploads(RegionView())
    bridge.show(box)
    assert bridge.page.locator(".dpviz-upload").is_visible()
    state = box.get_manager_state()
    bridge.load()
    bridge.page.evaluate(WITHOUT_KERNEL, state)
    bridge.show(box)
    assert bridge.page.locator(".dpviz-upload").count() == 0
    assert not bridge.page.get_by_text("upload a file").is_visible()
