"""Reports in Chromium: from a file, without network, for a screen reader, on paper."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

import dpviz
from dpviz import AttackScores
from dpviz.analysis.facts.questions import QUESTIONS
from dpviz.reports import ABOUT
from tests.browser.axe import violations
from tests.browser.test_hostile_text import EVERY, HACKED
from tests.slow import parametrize

A4, LETTER = (210 / 25.4, 297 / 25.4), (8.5, 11.0)  # inches
MARGINS = 2 * 15 / 25.4  # left and right
FOREIGN = """() => [...document.querySelectorAll('*')].filter(e =>
    /^(img|script|iframe|object|embed|link|a)$/.test(e.localName)
    || [...e.attributes].some(({ name, value }) =>
      /^on/.test(name) || /^(xlink:)?(href|src)$/.test(name))).map(e => e.outerHTML)"""
WIDER = "() => document.documentElement.scrollWidth > document.documentElement.clientWidth"


@pytest.fixture
def reported(opened: Callable[..., Page], tmp_path: Path) -> Callable[..., Page]:
    """Write a report and open it from the file."""
    path = tmp_path / "report.html"

    def show(result: dpviz.Result, width: int, **given: Any) -> Page:
        dpviz.report(result, path, **given)
        return opened(path, viewport={"width": width, "height": 900})

    return show


@pytest.fixture(scope="module")
def result() -> dpviz.Result:
    return dpviz.analyze(dpviz.read_sample("overfitted"), epsilon=1.0)


@parametrize("width", [1200, 360], slow_but=[360])
def test_a_screen_reader_finds_its_way(
    reported: Callable[..., Page], result: dpviz.Result, width: int
) -> None:
    page = reported(result, width)
    assert violations(page, "html") == []
    assert page.locator("html").get_attribute("lang") == "en"
    levels = page.locator("h1, h2, h3").evaluate_all("all => all.map(e => +e.localName[1])")
    assert levels[0] == 1
    assert set(levels[1:]) == {2}
    assert page.get_by_role("img").count() == page.locator("svg").count() >= 4
    plane = page.get_by_role("img", name="The attack leaves the allowed region")
    described = plane.locator("desc").text_content() or ""
    assert "this attack misses 0 % of members" in described
    row = page.get_by_role("row", name=re.compile("^lower bound on ε"))
    assert row.get_by_role("rowheader").count() == 1
    assert "at least 2.76" in row.get_by_role("cell").inner_text()
    assert not page.evaluate(WIDER)


@parametrize("paper", [A4, LETTER], slow_but=[A4], ids=["A4", "Letter"])
@parametrize("sample", ["overfitted", "null"], slow_but=["overfitted"])
def test_page_one_holds_the_answer(
    reported: Callable[..., Page], paper: tuple[float, float], sample: str
) -> None:
    page = reported(dpviz.analyze(dpviz.read_sample(sample), epsilon=1.0), 1200)
    width, height = (round(96 * inches) for inches in paper)
    page.set_viewport_size({"width": round(width - 96 * MARGINS), "height": height})
    page.emulate_media(media="print")
    last = page.locator(".checklist").bounding_box()  # the next section begins on page two
    assert last is not None
    assert last["y"] + last["height"] <= height - 96 * (14 + 16) / 25.4
    assert not page.evaluate(WIDER)


def test_text_of_others_stays_text(reported: Callable[..., Page]) -> None:
    evil = " ".join(EVERY)[:2000]
    source = f"{evil[:100]}.csv"
    scores = AttackScores.from_losses(member=[0.1, 0.2, 0.3, 0.4], nonmember=[0.3, 0.8, 0.9, 1])
    given = dpviz.audit.scores.base.Provenance(
        source=source, loader=evil, understood=evil, n_rows=8, dropped=evil
    )
    object.__setattr__(scores, "provenance", given)
    about = {group: dict.fromkeys(fields, evil) for group, fields in ABOUT.items()}
    facts = {name: {"note": evil[:500]} for name in QUESTIONS}
    page = reported(dpviz.analyze(scores, facts=facts), 800, about=about)
    assert page.evaluate(HACKED) == 0
    assert page.evaluate(FOREIGN) == []
    assert page.locator("style").count() == 1
    shown = page.locator("body").inner_text()
    assert shown.count("<img src=x onerror=") >= len(ABOUT) + len(QUESTIONS)
    assert not page.evaluate(WIDER)
