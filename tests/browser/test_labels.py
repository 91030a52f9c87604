"""Labels in the browser: apart, inside their figures, beside their marks, readable on any page."""

from typing import Any

import ipywidgets
import numpy as np
import pytest
from playwright.sync_api import Page

from dpviz import AttackScores, Spec, explore, read_sample
from dpviz.widgets import EpsilonStarView, PeopleView, RegionView, RiskView, ScoresView
from dpviz.widgets.state.store import Store
from tests.browser.bridge import Bridge
from tests.browser.colors import contrast
from tests.browser.wait import eventually, until_still
from tests.slow import parametrize

DARK = """:root { --jp-layout-color0: #111; --jp-layout-color1: #111;
  --jp-content-font-color1: #eee; --jp-content-font-color2: #ccc }
  body { background: #111; color: #eee }"""
LABELS = """() => [...document.querySelectorAll('.bqplot')].map(figure => {
  const box = e => { const r = e.getBoundingClientRect(); return [r.x, r.y, r.right, r.bottom]; };
  const rgb = color => color.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const seen = e => e.getClientRects().length && getComputedStyle(e).visibility === 'visible';
  return {
    figure: box(figure),
    texts: [...figure.querySelectorAll('.dpviz-labels g')].flatMap((g, i) =>
      [...g.querySelectorAll('text')].map(t =>
        [i, t.textContent, box(t), rgb(getComputedStyle(t).fill)])),
    lines: [...figure.querySelectorAll('g.curve path.line')]
      .filter(p => seen(p) && p.style.strokeWidth !== '0' && p.getAttribute('d'))
      .map(p => rgb(getComputedStyle(p).stroke)),
    dots: [...figure.querySelectorAll('g.object_grp path.element')].filter(seen).map(box),
  }})"""


@pytest.mark.slow
@parametrize("page_color", [255, 17], slow_but=[17])
def test_labels_are_apart_inside_and_readable(bridge: Bridge, page_color: int) -> None:
    rng = np.random.default_rng(7)
    scores = AttackScores(member=rng.normal(1.2, 1, 40), nonmember=rng.normal(0, 1, 40))
    store = Store(scores, Spec.of(epsilon=1.0))
    kinds = (RegionView, ScoresView, PeopleView, EpsilonStarView, RiskView)
    box = ipywidgets.VBox([kind(store=store) for kind in kinds])
    page = bridge.page
    sheet = page.add_style_tag(content=DARK if page_color < 128 else "/* light */")
    try:
        bridge.show(box)
        for width in (320, 480, 900):
            page.evaluate("width => { document.body.style.width = `${width}px` }", width)
            eventually(page, lambda: check_all(page, len(kinds), [page_color] * 3))
    finally:
        sheet.evaluate("style => style.remove()")
        page.evaluate("document.body.removeAttribute('style')")


def check_all(page: Page, count: int, background: list[int]) -> None:
    figures = page.evaluate(LABELS)
    assert len(figures) == count
    for shown in figures:
        assert shown["texts"]
        check(shown, background)


def check(shown: dict[str, Any], background: list[int]) -> None:
    left, top, right, bottom = shown["figure"]
    for i, text, box, color in shown["texts"]:
        assert left - 1 <= box[0], text
        assert box[2] <= right + 1, text
        assert top - 1 <= box[1], text
        assert box[3] <= bottom + 1, text
        assert contrast(color, background) >= 4.5, text
        for j, other, there, _ in shown["texts"]:
            # Boxes of texts are as high as the tallest letters: lines may touch, letters do not.
            apart = box[2] <= there[0] or there[2] <= box[0]
            assert i == j or apart or box[3] <= there[1] + 2 or there[3] <= box[1] + 2, (
                text,
                other,
            )
    for color in shown["lines"]:
        assert contrast(color, background) >= 3, color


@pytest.mark.slow
def test_a_label_of_the_ruler_stands_beside_its_tick(bridge: Bridge) -> None:
    """To its left, too, where letters are narrower than those for which there is room."""
    explorer = explore(read_sample("overfitted"), epsilon=1.0)
    explorer.complete_audit()
    bridge.page.set_viewport_size({"width": 700, "height": 1000})
    bridge.show(explorer)
    shown = bridge.page.evaluate(LABELS)[0]
    [ceiling] = [box for _, text, box, _ in shown["texts"] if text.startswith("ceiling")]
    middles = [(dot[0] + dot[2]) / 2 for dot in shown["dots"]]
    assert min(max(ceiling[0] - x, x - ceiling[2]) for x in middles) < 10  # beside it or above it


def test_the_key_stands_beside_its_dots(bridge: Bridge) -> None:
    """At least three pixels between a text and any dot: bqplot moves marks away from the edge."""
    view = PeopleView(epsilon=1.0, fpr=0.1)
    bridge.show(view)
    [shown] = bridge.page.evaluate(LABELS)
    keys = [(text, box) for _, text, box, _ in shown["texts"] if "member" in text]
    assert len(keys) >= 3
    for text, box in keys:
        for dot in shown["dots"]:
            if dot[2] - dot[0] < 3:  # where a heading is anchored
                continue
            beside = dot[2] + 3 <= box[0] or box[2] + 3 <= dot[0]
            assert beside or dot[3] <= box[1] + 3 or box[3] <= dot[1] + 3, text


def test_no_line_of_a_key_ends_with_a_relation_sign(bridge: Bridge) -> None:
    """The point of a claim alone has the name "allowed; needs ε ≥ 1"."""
    page = bridge.page
    bridge.show(explore(epsilon=1.0))
    lines = set()
    for width in range(960, 1100, 8):
        page.set_viewport_size({"width": width, "height": 900})
        bridge.settle()
        figures = page.evaluate(LABELS)
        lines |= {text for shown in figures for _, text, _, _ in shown["texts"]}
    assert any(line.endswith("ε ≥ 1") for line in lines)
    assert not {line for line in lines if line.endswith(("≥", "="))}


def test_a_picture_that_left_the_page_is_not_measured(bridge: Bridge) -> None:
    bridge.show(RegionView(epsilon=1.0))
    bridge.page.locator(".bqplot").first.evaluate("figure => figure.remove()")
    until_still(bridge.page, 30)
    assert bridge.errors == []
