"""The menus of pictures and of saving: by mouse and by keys, with what they download."""

import csv
import json
import math
import subprocess
import sys
import threading
from collections.abc import Callable
from html import escape
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Page, expect

import dpviz
from dpviz.analysis.svg import GAP
from dpviz.drawing.svg import WIDTH
from dpviz.widgets import RegionView, SlicesView
from tests.browser.bridge import Bridge
from tests.browser.wait import as_read, until_still

EVIL = "<img src=x onerror=window.hacked=1>"


@pytest.fixture
def downloaded(bridge: Bridge, tmp_path: Path) -> Callable[[str], bytes]:
    """Choose an entry of the menu that is open, and wait for the file it makes."""

    def choose(entry: str) -> bytes:
        with bridge.page.expect_download() as download:
            bridge.page.get_by_role("menuitem", name=entry).click()
            bridge.until(download.is_done)
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        said = bridge.page.locator(".dpviz-menu-said")
        bridge.until(lambda: f"Saved as {path.name}." in said.all_inner_texts())
        return path.read_bytes()

    return choose


def open_menu(page: Page, name: str = "More for: ") -> None:
    page.get_by_role("button", name=name).click()


def test_more_marks_are_shown_and_hidden_again(bridge: Bridge) -> None:
    view = RegionView(epsilon=1.0, delta=0.1)
    bridge.show(view)
    page = bridge.page
    label = page.locator(".dpviz-labels text", has_text="allowed by δ alone")
    for entry, count in (("More marks", 1), ("Fewer marks", 0)):
        assert label.count() == 1 - count
        open_menu(page)
        page.get_by_role("menuitem", name=entry).click()
        bridge.settle()
        until_still(page)
        assert label.count() == count


def test_a_picture_as_files(bridge: Bridge, downloaded: Callable[[str], bytes]) -> None:
    view = RegionView(epsilon=1.0, delta=0.0)
    bridge.show(view)
    open_menu(bridge.page)
    svg = downloaded("Download SVG")
    assert svg.decode() == view.svg()
    open_menu(bridge.page)
    image = downloaded("Download PNG")
    size = ElementTree.fromstring(svg)
    assert image[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(image[16:20]) == 2 * float(size.get("width", ""))
    open_menu(bridge.page)
    rows = list(csv.DictReader(StringIO(downloaded("Numbers as CSV").decode())))
    kink = 1 / (1 + math.e)
    corners = [(0, 1), (kink, kink), (1, 0), (1 - kink, 1 - kink)]
    marked = [row for row in rows if row["mark"] == "allowed by the claim"]
    allowed = {(float(row["x"]), float(row["y"])) for row in marked}
    assert sorted(allowed) == [pytest.approx(corner, rel=1e-14) for corner in sorted(corners)]


def test_the_menu_by_keys(bridge: Bridge, screenshot: Callable[..., None]) -> None:
    bridge.show(RegionView(epsilon=1.0))
    page = bridge.page
    button = page.get_by_role("button", name="More for: What does the claim allow?")
    assert button.get_attribute("aria-expanded") == "false"
    button.press("ArrowDown")
    expect(button).to_have_attribute("aria-expanded", "true")
    focused = page.locator(":focus")
    assert focused.inner_text() == "Enlarge"
    screenshot(page)
    focused.press("ArrowUp")
    assert page.locator(":focus").inner_text() == "Copy the sentence"
    page.locator(":focus").press("Escape")
    assert not page.get_by_role("menu").is_visible()
    assert button.evaluate("button => button === document.activeElement")
    button.press("Enter")
    page.locator(":focus").press("Enter")
    bridge.settle()
    picture = page.get_by_role("dialog").get_by_role("img")
    box = picture.bounding_box()
    assert box is not None
    assert box["width"] > 1000
    screenshot(page, "large")
    page.keyboard.press("Escape")
    assert page.get_by_role("dialog").count() == 0
    assert button.evaluate("button => button === document.activeElement")


def test_numbers_as_a_table_are_data(bridge: Bridge, screenshot: Callable[..., None]) -> None:
    rng = np.random.default_rng(20)
    scores = dpviz.AttackScores.from_losses(
        member=rng.normal(0, 1, 80),
        nonmember=rng.normal(2, 1, 100),
        member_groups=[EVIL] * 40 + ["b"] * 40,
        nonmember_groups=[EVIL, "b"] * 50,
    )
    view = SlicesView(scores=scores)
    view.choose(bound_method="e_process")
    thread = threading.Thread(target=view.compute)  # no event loop: it is there at once
    thread.start()
    thread.join()
    bridge.show(view)
    open_menu(bridge.page)
    bridge.page.get_by_role("menuitem", name="Numbers as a table").click()
    bridge.settle()
    dialog = bridge.page.get_by_role("dialog")
    assert dialog.get_by_role("columnheader").first.inner_text() == "mark"
    assert dialog.get_by_role("cell", name=EVIL[:20]).count() > 0
    assert bridge.page.evaluate("window.hacked") is None
    screenshot(bridge.page)
    dialog.get_by_role("button", name="close").click()


def curve_in(numbers: str) -> NDArray[np.float64]:
    """FPR and FNR at each vertex of the attack's curve, from a CSV file of numbers."""
    rows = list(csv.DictReader(StringIO(numbers)))
    of_it = [row for row in rows if row["mark"] == "this attack (95 % band)"]
    points = [(float(row["x"]), float(row["y"])) for row in of_it if "allow" in row["picture"]]
    return np.array(points)


@pytest.mark.slow
def test_the_save_menu(bridge: Bridge, tmp_path: Path, screenshot: Callable[..., None]) -> None:
    rng = np.random.default_rng(3)
    scores = (rng.normal(0, 1, 200), rng.normal(2, 1, 200))
    explorer = dpviz.explore(scores, epsilon=0.5)
    bridge.show(explorer)
    page = bridge.page
    page.locator(".dpviz-save summary").click()

    def save(entry: str) -> bytes:
        with page.expect_download() as download:
            page.get_by_role("button", name=entry, exact=True).click()
            bridge.until(download.is_done)  # the audit may have to end first
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        bridge.until(page.get_by_text(f"Saved as {path.name}.").is_visible)
        return path.read_bytes()

    assert json.loads(save("State (JSON)")) == explorer.state()
    code = save("Python code").decode()
    assert code == explorer.code()
    pictures = save("Pictures (SVG)").decode()
    assert "contradict" in pictures  # the audit was computed before
    assert not explorer.result.sample.audit.pending  # type: ignore[union-attr]
    assert "<title>Privacy audit" in save("Page (HTML)").decode()
    assert "The losses certify ε ≥" in as_read(save("Report (HTML)").decode())
    assert "# The losses contradict the claim ε = 0.5." in save("Report (Markdown)").decode()
    assert save("Report (PDF)").startswith(b"%PDF-")
    assert json.loads(save("Report (JSON)"))["schema"] == "dpviz/audit/1"
    numbers = save("Numbers (CSV)").decode()
    thresholds = np.concatenate([[-np.inf], *scores])[:, None]  # a low loss means member
    rates = [np.mean(scores[1] <= thresholds, axis=1), np.mean(scores[0] > thresholds, axis=1)]
    recount = np.array(sorted(zip(*rates, strict=True)))
    assert np.unique(curve_in(numbers), axis=0) == pytest.approx(recount, abs=1e-12)
    image = save("Pictures (PNG)")
    assert image[:4] == b"\x89PNG"
    # What is in sight: the ruler, and below it the board in two rows of two.
    wide, high = (int.from_bytes(image[at : at + 4]) / 2 for at in (16, 20))
    assert wide == 2 * WIDTH + 3 * GAP
    assert 0.5 * wide < high < 2 * wide
    for title in (each.scene.title_of(explorer.result) for each in explorer.pictures_in_sight()):
        assert f">{escape(title, quote=False)}</title>" in pictures
    assert pictures.count("</title>") == len(explorer.pictures_in_sight())
    # Story 19: the saved code makes the same picture and numbers where there is no browser.
    np.savez(tmp_path / "mine.npz", members=scores[0], nonmembers=scores[1])
    code = code.replace("...", "[np.load('mine.npz')[name] for name in ('members', 'nonmembers')]")
    code += "\nexplorer.complete_audit(); pathlib.Path('again.svg').write_text("
    code += "explorer.svg_in_sight(), 'utf-8'); explorer.to_csv('again.csv')"
    command = [sys.executable, "-c", f"import pathlib\nimport numpy as np\n{code}"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=300)
    assert (tmp_path / "again.csv").read_bytes().decode() == numbers
    again = (tmp_path / "again.svg").read_text("utf-8")
    assert again == pictures
    root = ElementTree.fromstring(again)
    assert len(root.findall(".//{*}title")) == len(root.findall(".//{*}desc")) > 3
    screenshot(page)
