"""Pictures of saved pages, and of the page as a widget, are light or dark as what is around them.

Limits of contrast: WCAG 2.2, success criteria 1.4.3 and 1.4.11, as for the palette itself.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ipywidgets
import pytest
from playwright.sync_api import Page, expect

import dpviz
from dpviz import theory
from dpviz.analysis.topics.registry import SCENES
from dpviz.widgets import LivePage, RegionView
from dpviz.widgets.base.picture import StaticPicture
from tests.browser.axe import violations
from tests.browser.bridge import Bridge
from tests.browser.colors import contrast
from tests.browser.saved import type_into
from tests.browser.wait import eventually
from tests.slow import parametrize

OVERLAYS = (theory.GaussianDP(mu=1.0), theory.LaplaceMechanism(epsilon=2.0))
# Of each picture: its paper, and the colours of letters and marks that are not translucent.
COLORS = """() => {
  const rgb = color => color.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const all = [document, ...[...document.querySelectorAll('*')].flatMap(e => e.shadowRoot ?? [])];
  return all.flatMap(root => [...root.querySelectorAll('.card')]).map(card => ({
    name: card.querySelector('svg').ariaLabel,
    paper: rgb(getComputedStyle(card).backgroundColor),
    texts: [...card.querySelectorAll('text')].map(text => [text, getComputedStyle(text)])
      .map(([text, style]) => [text.textContent, rgb(style.fill), style.stroke]),
    marks: [...card.querySelectorAll('path:not([display])')]
      .map(path => [path, getComputedStyle(path)])
      .map(([path, style]) => [path.id, [
        ...(style.stroke === 'none' ? [] : [rgb(style.stroke)]),
        ...(style.fill === 'none' || style.fillOpacity !== '1' ? [] : [rgb(style.fill)])]]),
  })) }"""

BODY = """() => { const { color, backgroundColor } = getComputedStyle(document.body);
  return [color, backgroundColor].map(found => found.match(/[\\d.]+/g).slice(0, 3).map(Number)) }"""
# The colour of a label in each place that has it.
LETTERS = """text => {
  const all = [document, ...[...document.querySelectorAll('*')].flatMap(e => e.shadowRoot ?? [])];
  return all.flatMap(root => [...root.querySelectorAll('svg g > text:last-child')])
    .filter(found => found.textContent === text)
    .map(found => getComputedStyle(found).fill.match(/[\\d.]+/g).slice(0, 3).map(Number)) }"""
DARK = "body[data-jp-theme-light=false] { background: #111; color: #eee; --jp-layout-color0: #111 }"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A saved explorer with everything in it."""
    path = tmp_path_factory.mktemp("dark") / "full.html"
    explorer = dpviz.explore(dpviz.read_sample("overfitted"), epsilon=1.0, overlays=OVERLAYS)
    explorer.save_html(path)
    yield path
    explorer.close()


def check(page: Page, *, dark: bool) -> list[dict[str, Any]]:
    """Each picture is of the scheme, and its letters and marks are seen; return their colours."""
    pictures: list[dict[str, Any]] = page.evaluate(COLORS)
    assert pictures
    for picture in pictures:
        paper = picture["paper"]
        assert (max(paper) < 50) if dark else (paper == [255, 255, 255])
        halos = {stroke for _, _, stroke in picture["texts"]} - {"none"}
        assert halos <= {f"rgb({paper[0]}, {paper[1]}, {paper[2]})"}
        assert picture["texts"] or not picture["marks"], picture["name"]
        for text, color, stroke in picture["texts"]:
            if stroke == "none":
                assert contrast(color, paper) >= 4.5, (picture["name"], text)
        for name, colors in picture["marks"]:
            if colors:
                best = max(contrast(color, paper) for color in colors)
                assert best >= 3, (picture["name"], name, colors)
    return pictures


@pytest.mark.slow
@pytest.mark.parametrize("scripts", [True, False])
@parametrize("scheme", ["light", "dark"], slow_but=["dark"])
def test_every_picture_follows_the_readers_system(
    opened: Callable[..., Page], path: Path, scheme: str, *, scripts: bool
) -> None:
    page = opened(path, color_scheme=scheme, java_script_enabled=scripts)
    before = check(page, dark=scheme == "dark")
    assert len(before) > 20
    if not scripts:
        return
    type_into(page, "ε", "2")  # marks, labels and ticks are drawn anew
    type_into(page, "prior p", "1 %")
    after = check(page, dark=scheme == "dark")
    assert {name for picture in before for name, _ in picture["marks"]} <= {
        name for picture in after for name, _ in picture["marks"]
    }
    for was, now in zip(before, after, strict=True):
        old = dict(was["marks"])
        for name, colors in now["marks"]:
            assert not name or colors == old.get(name, colors), name


@pytest.mark.slow
def test_a_dark_page_has_nothing_that_a_reader_cannot_use(
    opened: Callable[..., Page], path: Path, screenshot: Callable[..., None]
) -> None:
    page = opened(path, color_scheme="dark")
    assert violations(page, "html") == []
    screenshot(page)


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_in_the_documentation_the_readers_choice_counts(
    opened: Callable[..., Page], path: Path, tmp_path: Path, theme: str
) -> None:
    system = {"light": "dark", "dark": "light"}[theme]
    check(opened(in_theme(path, theme, tmp_path), color_scheme=system), dark=theme == "dark")


@pytest.mark.slow
def test_on_paper_it_is_light(opened: Callable[..., Page], path: Path, tmp_path: Path) -> None:
    for each in (path, in_theme(path, "dark", tmp_path)):
        page = opened(each, color_scheme="dark")
        check(page, dark=True)
        page.emulate_media(media="print")
        check(page, dark=False)
        letters, background = page.evaluate(BODY)
        assert min(background) > 240
        assert contrast(letters, background) >= 4.5


@pytest.mark.slow
@parametrize("scheme", ["light", "dark"], slow_but=["dark"])
def test_where_a_browser_does_not_know_how_to_be_dark_it_is_light(
    opened: Callable[..., Page], path: Path, tmp_path: Path, scheme: str
) -> None:
    older = tmp_path / "older.html"
    older.write_text(path.read_text("utf-8").replace("light-dark(", "not-known("), "utf-8")
    page = opened(older, color_scheme=scheme)
    check(page, dark=False)
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"


def in_theme(path: Path, theme: str, folder: Path) -> Path:
    """The page as `docs/extensions/pictures.py` embeds it."""
    text, begun = path.read_text("utf-8"), "color-scheme: light dark"
    assert text.count(begun) == 1
    chosen = folder / f"{theme}.html"
    chosen.write_text(text.replace(begun, f"color-scheme: {theme}"), "utf-8")
    return chosen


@pytest.mark.slow
def test_in_a_dark_notebook_still_live_and_saved_pictures_have_the_same_colors(
    bridge: Bridge,
) -> None:
    live, view = LivePage(epsilon=1.0, pictures=["region"]), RegionView(epsilon=1.0)
    still = ipywidgets.VBox([StaticPicture(SCENES["region"], view.result)], _dom_classes=["dpviz"])
    page = bridge.page
    sheet = page.add_style_tag(content=DARK)
    try:
        for theme, dark in (("true", False), ("false", True)):
            page.evaluate("theme => { document.body.dataset.jpThemeLight = theme }", theme)
            if not dark:
                bridge.show(ipywidgets.VBox([live, view, still]))
            eventually(page, lambda dark=dark: check(page, dark=dark))
            page.emulate_media(media="print")
            check(page, dark=False)
            for it in page.locator(".dpviz-figure.widget-html").all():
                expect(it).to_have_css("background-color", "rgb(255, 255, 255)")
            page.emulate_media(media="screen")
            for text in ("allowed by the claim", "random guessing"):
                found = page.evaluate(LETTERS, text)
                assert len(found) == 3, text
                assert found[0] == found[1] == found[2], text
                assert contrast(found[0], [17] * 3 if dark else [255] * 3) >= 4.5
    finally:
        sheet.evaluate("style => style.remove()")
        page.evaluate("delete document.body.dataset.jpThemeLight")
