"""What a user sees and hears of one explorer: counted again with NumPy, read as a newcomer does."""

import re
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Page

from dpviz import explore, read_sample
from dpviz.drawing import theme
from dpviz.widgets import Explorer
from dpviz.widgets.tabs import TABS
from tests.browser import picture
from tests.browser.bridge import Bridge
from tests.browser.wait import as_read

# Texts that are in the window, not clipped for screen readers; the chosen option of a menu.
SEEN = """() => {
  const found = [...document.querySelectorAll('.dpviz-Explorer select')]
    .filter(menu => menu.checkVisibility()).map(menu => menu.selectedOptions[0].label);
  const texts = document.createTreeWalker(
    document.querySelector('.dpviz-Explorer'), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode, owner = text.parentElement;
    if (owner.closest('style, option, .dpviz-unseen, .dpviz-board .dpviz-words')) continue;
    if (!owner.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const box = range.getBoundingClientRect();
    const isInside = box.bottom <= innerHeight && box.right <= innerWidth && box.y >= 0;
    if (box.width && isInside) found.push(text.data);
  }
  return found.join(' ').replace(/\\s+/g, ' ').replaceAll('( ', '(');
}"""
DOTS = """colour => [...document.querySelectorAll('.dpviz-PeopleView .bqplot g.object_grp')]
  .filter(each => each.getClientRects().length)
  .filter(each => getComputedStyle(each.querySelector('path.element')).fill === colour)
  .map(each => each.querySelector('path.element').getBoundingClientRect())
  .map(box => [box.x, box.y])"""
HEIGHT = "() => document.querySelector('.dpviz-Explorer').getBoundingClientRect().height"
LIVE = """() => [...document.querySelectorAll('[aria-live], [role=status], [role=alert]')]
  .filter(each => each.checkVisibility()).map(each => each.innerText).filter(Boolean)"""
CONTROL = re.compile(r"^\s*- '?(button|combobox|textbox|slider|tab|checkbox)\b(.*)$", re.M)
HEADING = re.compile(r"heading .*\[level=(\d)\]")


@pytest.fixture(scope="module")
def explorer(wire: Bridge) -> Iterator[Explorer]:
    wire.page.set_viewport_size({"width": 1400, "height": 900})
    shown = explore(read_sample("overfitted"), epsilon=1.0)
    wire.show(shown)
    wire.until(lambda: not pending(shown), "the audit")
    yield shown
    errors = list(wire.errors)
    wire.clear()
    assert errors == []


@pytest.fixture
def page(explorer: Explorer, wire: Bridge) -> Page:
    explorer.tab = "board"
    wire.page.set_viewport_size({"width": 1400, "height": 900})
    wire.settle()
    return wire.page


def pending(explorer: Explorer) -> bool:
    sample = explorer.result.sample
    return sample is None or bool(sample.audit.pending)


def test_five_questions_are_answered_at_one_look(page: Page) -> None:
    seen = as_read(page.evaluate(SEEN))
    members, nonmembers = losses()
    # The largest threshold that flags at most 1 % of the non-members.
    flagged = np.sort(nonmembers)[int(0.01 * len(nonmembers))]
    caught = np.sum(members < flagged)
    for answer in [
        "The losses contradict the claim ε = 1.",
        "ε ≥ 2.76 for this trained model (95 % confidence",
        "chance ≤ 2.02",
        f"At FPR 1 % this attack catches {100 * caught / len(members):.2f} % of the members",
        f"({caught} of {len(members)}, an estimate)",
        f"{len(members)} members, {len(nonmembers)} non-members",
        "ceiling 6.4",
    ]:
        assert answer in seen
    assert len(re.findall(r"[^\W\d_][\w*’'-]*", seen)) <= 250


@pytest.mark.slow
def test_one_change_of_the_threshold_moves_all_pictures(
    page: Page, explorer: Explorer, wire: Bridge
) -> None:
    """Story 1: counts, curve point, dots and sentences are those of a recount."""
    members, nonmembers = losses()
    for fpr in (0.1, 0.5):
        explorer.fpr = fpr
        wire.settle()
        picture.come_to_rest(page)
        flagged = np.sort(nonmembers)[int(fpr * len(nonmembers))]
        caught, accused = np.sum(members < flagged), np.sum(nonmembers < flagged)
        explorer.tab = "people"
        wire.settle()
        picture.come_to_rest(page)
        said = picture.sentence(page, "ScoresView")
        assert f"{caught} of 300 members are caught" in said
        assert f"{accused} of 1497 non-members" in said
        tpr, reached = caught / len(members), accused / len(nonmembers)
        red, green, blue = (int(theme.ATTACK[i : i + 2], 16) for i in (1, 3, 5))
        dots = np.array(page.evaluate(DOTS, f"rgb({red}, {green}, {blue})"))
        dots = dots[np.isin(dots[:, 1], rows_of_people(dots))]
        middle = dots[:, 0].mean()
        assert np.sum(dots[:, 0] < middle) == round(100 * tpr)
        assert np.sum(dots[:, 0] >= middle) == round(100 * reached)

        explorer.tab = "board"
        wire.settle()
        picture.come_to_rest(page)
        assert f"misses {100 * (1 - tpr):.3g} % of members" in picture.sentence(page, "RegionView")

        plane = page.locator(".dpviz-RegionView .plotarea_background").bounding_box()
        assert plane is not None
        outline = picture.lines(page, "RegionView", theme.CLAIM)[0]
        (left, top), (right, bottom) = outline.min(axis=0), outline.max(axis=0)
        x, y = picture.markers(page, "RegionView")[-1]
        assert (x - plane["x"] - left) / (right - left) == pytest.approx(reached, abs=0.01)
        assert (y - plane["y"] - top) / (bottom - top) == pytest.approx(tpr, abs=0.01)
    explorer.fpr = None
    wire.settle()


@pytest.mark.slow
def test_every_tab_is_on_one_screen_and_has_names(
    page: Page, explorer: Explorer, wire: Bridge
) -> None:
    for name, tab in TABS.items():
        explorer.tab = name
        for width, height in [(1400, 900), (1205, 760)]:
            page.set_viewport_size({"width": width, "height": height})
            wire.settle()
            assert page.evaluate(HEIGHT) <= height, (name, width)

        tree = picture.explorer(page).aria_snapshot()
        levels = [int(level) for level in HEADING.findall(tree)]
        assert levels[0] == 2  # the answer, before the tabs
        assert set(levels[1:]) == {3}
        order = [tree.index(each) for each in ("status", "heading", "tablist", "tabpanel")]
        assert order == sorted(order)
        assert f'tabpanel "{tab.title}"' in tree
        figures = page.locator(".dpviz-Explorer .bqplot:visible").all()
        labels = [each.get_attribute("aria-label") for each in figures]
        assert all(labels)
        assert len(set(labels)) == len(labels), labels
        controls = CONTROL.findall(tree)
        assert len(controls) >= 12
        assert [kind for kind, rest in controls if '"' not in rest] == []
        assert "Type I" not in page.inner_text(".dpviz-Explorer")
        [spoken] = page.evaluate(LIVE)
        assert as_read(spoken).startswith("The losses contradict the claim ε = 1.")


def losses() -> tuple[np.ndarray, np.ndarray]:
    """Of members and of non-members, as in the file: low means member."""
    scores = read_sample("overfitted")
    return -np.asarray(scores.member), -np.asarray(scores.nonmember)


def rows_of_people(dots: np.ndarray) -> np.ndarray:
    """Heights at which there is more than one dot: the legend has one in a line."""
    heights, number = np.unique(dots[:, 1], return_counts=True)
    return heights[number > 1]
