"""The board: its handles can be taken, and nothing moves but what the user moves."""

from itertools import pairwise
from typing import Any

import pytest

from dpviz import explore, read_sample
from dpviz.widgets import Explorer
from tests.browser import picture
from tests.browser.bridge import Bridge
from tests.browser.wait import until_still

SIZE = {"width": 864, "height": 720}  # the output of JupyterLab as it opens at 1280 x 800
TARGET = 24  # pixels, either way: WCAG 2.2, success criterion 2.5.8

# How far from the centre of each handle a press still meets it: left, right, up, down.
REACH = """() => [...document.querySelectorAll('.dpviz-Explorer .dpviz-handle path.element, '
    + '.dpviz-Explorer .noUi-handle')]
  .filter(e => e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length
    && !e.closest('[disabled]') && getComputedStyle(e).pointerEvents !== 'none')
  .map(e => {
    const { x, y, width, height } = e.getBoundingClientRect();
    const [cx, cy] = [x + width / 2, y + height / 2];
    const meets = (dx, dy) => {
      const met = document.elementFromPoint(cx + dx, cy + dy);
      return !!met && e.contains(met);
    };
    const reach = (dx, dy) => { let n = 0; while (n < 20 && meets(n * dx, n * dy)) n++; return n };
    return [e.closest('[class*=View]')?.className ?? e.ariaLabel,
      reach(-1, 0) + reach(1, 0) - 1, reach(0, -1) + reach(0, 1) - 1];
  })"""

# In each frame: the height of the page, and where the labels stand, by picture and text.
WATCH = """() => {
  const frames = [], shifts = [];
  const observer = new PerformanceObserver(list => shifts.push(...list.getEntries()));
  observer.observe({ type: 'layout-shift' });
  const look = () => {
    const labels = {};
    document.querySelectorAll('.dpviz-Explorer .bqplot').forEach((figure, i) => {
      for (const text of figure.querySelectorAll('.dpviz-labels text')) {
        const { x, y } = text.getBoundingClientRect();
        labels[`${i} ${text.textContent}`] = [x, y];
      }
    });
    frames.push({ height: document.documentElement.scrollHeight, labels });
    window.watching = requestAnimationFrame(look);
  };
  look();
  window.watched = () => {
    cancelAnimationFrame(window.watching);
    shifts.push(...observer.takeRecords());
    return { frames, shift: shifts.reduce((sum, { value }) => sum + value, 0) };
  } }"""
# Labels whose marks stay where they are while epsilon moves.
STAY = ("this attack", "random", "guessing", "chance", "Epsilon*", "prior p", "TPR/FPR", "TNR/FNR")
STAY += ("PPV: this attack", "this attack at FPR 0", "ceiling")


@pytest.fixture
def explorer(bridge: Bridge) -> Explorer:
    bridge.page.set_viewport_size(SIZE)

    def make() -> Explorer:
        made = explore(read_sample("overfitted"), epsilon=1.0, fpr=0.1)
        made.complete_audit()
        return made

    return bridge.keep(make)


def test_every_handle_is_large_enough_for_a_finger(bridge: Bridge, explorer: Explorer) -> None:
    picture.come_to_rest(bridge.page)
    found = bridge.page.evaluate(REACH)
    assert len(found) >= 5  # four sliders and the point of the region
    assert [each for each in found if min(each[1:]) < TARGET] == []


def test_while_epsilon_is_dragged_nothing_else_moves(bridge: Bridge, explorer: Explorer) -> None:
    page = bridge.page
    picture.come_to_rest(page)
    place = picture.slider(page, "ε").bounding_box()
    assert place is not None
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.evaluate(WATCH)
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 41):
        page.mouse.move(x + 2 * step, y)
        bridge.deliver()
        until_still(page, 1)
    seen: dict[str, Any] = page.evaluate("watched()")
    page.mouse.up()
    bridge.settle()
    assert explorer.epsilon > 3
    frames = seen["frames"]
    assert len(frames) > 40
    assert len({frame["height"] for frame in frames}) == 1
    assert seen["shift"] < 0.01
    far = [
        (name, before["labels"][name], after["labels"][name])
        for before, after in pairwise(frames)
        for name in before["labels"].keys() & after["labels"].keys()
        if name.partition(" ")[2].startswith(STAY)
        and max(
            abs(a - b) for a, b in zip(before["labels"][name], after["labels"][name], strict=True)
        )
        > 8
    ]
    assert far == []
