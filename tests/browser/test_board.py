"""The board: its handles can be taken, and nothing moves but what the user moves."""

from base64 import b64encode
from itertools import pairwise
from typing import Any

import pytest

from dpviz import explore, read_sample
from dpviz.widgets import Explorer
from tests.browser import picture
from tests.browser.bridge import Bridge
from tests.browser.test_sweep import MEASURE
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

# Pixels of each slider's handle that stand on the box above it.
ON_BOX = """() => [...document.querySelectorAll('.dpviz-controls .dpviz-number')]
  .filter(e => e.checkVisibility())
  .map(e => e.querySelector('input').getBoundingClientRect().bottom
    - e.querySelector('.noUi-handle').getBoundingClientRect().top)"""

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
# How many pixels of a picture have the color of the attack.
ORANGE = """async address => {
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
  canvas.drawImage(image, 0, 0);
  const { data } = canvas.getImageData(0, 0, image.width, image.height);
  let n = 0;
  for (let i = 0; i < data.length; i += 4)
    if (Math.hypot(data[i] - 0xC4, data[i + 1] - 0x4F, data[i + 2]) < 60) n++;
  return n;
}"""
# Whether something lies over the lower edge of a button of a picture, by button.
COVERED = """() => [...document.querySelectorAll('.dpviz-board .dpviz-head :is(summary, button)')]
  .filter(e => e.checkVisibility()).map(e => {
    const { x, width, bottom } = e.getBoundingClientRect();
    return !e.contains(document.elementFromPoint(x + width / 2, bottom - 1)); })"""
# Labels whose marks stay where they are while epsilon moves.
STAY = ("this attack", "random", "guessing", "chance", "Epsilon*", "prior p", "TPR/FPR", "TNR/FNR")
STAY += ("PPV: attack", "attack at FPR 0", "ceiling")

# How high each picture of the board is, and how far its end is from the explorer's beginning.
FIGURES = """() => {
  const explorer = document.querySelector('.dpviz-Explorer');
  const { top } = explorer.getBoundingClientRect();
  const boxes = [...explorer.querySelectorAll('.dpviz-board .dpviz-figure')]
    .filter(figure => figure.checkVisibility({ visibilityProperty: true }))
    .map(figure => figure.getBoundingClientRect());
  return [boxes.map(box => box.height), boxes.map(box => box.bottom - top)];
}"""

# Where the pictures of the board begin and end, from the left of the window.
SIDES = """() => {
  const boxes = [...document.querySelectorAll('.dpviz-Explorer .dpviz-board .dpviz-figure')]
    .filter(figure => figure.checkVisibility({ visibilityProperty: true }))
    .map(figure => figure.getBoundingClientRect());
  return [boxes.map(box => box.left), boxes.map(box => box.right)];
}"""

# Pixels between the name of a row of the read-out and the first number.
GAPS = """() => [...document.querySelectorAll('.dpviz-readout tr[data-name]')].map(row => {
  const text = document.createRange();
  text.selectNodeContents(row.querySelector('td'));
  const name = row.querySelector('.dpviz-term').getBoundingClientRect();
  return text.getBoundingClientRect().left - name.right;
})"""


@pytest.fixture
def explorer(bridge: Bridge) -> Explorer:
    bridge.page.set_viewport_size(SIZE)

    def make() -> Explorer:
        made = explore(read_sample("overfitted"), epsilon=1.0, fpr=0.1)
        made.complete_audit()
        return made

    return bridge.keep(make)


def test_at_200_percent_all_four_pictures_are_there(bridge: Bridge, explorer: Explorer) -> None:
    """Half as many CSS pixels as a window of 1280 x 800 has: WCAG 2.2, criterion 1.4.4."""
    page = bridge.page
    page.set_viewport_size({"width": 640, "height": 400})
    picture.come_to_rest(page)
    heights, _ = page.evaluate(FIGURES)
    assert len(heights) == 4
    assert min(heights) >= 160
    assert page.evaluate("document.documentElement.scrollWidth") <= 640
    lefts, rights = page.evaluate(SIDES)
    assert min(lefts) >= 0
    assert max(rights) <= 640


@pytest.mark.slow
def test_every_handle_is_large_enough_for_a_finger(bridge: Bridge, explorer: Explorer) -> None:
    picture.come_to_rest(bridge.page)
    found = bridge.page.evaluate(REACH)
    assert len(found) >= 5  # four sliders and the point of the region
    assert [each for each in found if min(each[1:]) < TARGET] == []
    assert max(bridge.page.evaluate(ON_BOX)) <= 0


# What the page of a front end has above an explorer, in pixels, and how high its pictures are.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("front_end", "width", "above", "least"),
    [("notebook", 1108, 217, 160), ("voila", 1254, 9, 210)],
)
def test_four_pictures_fit_into_the_window_and_use_it(
    bridge: Bridge, explorer: Explorer, front_end: str, width: int, above: int, least: int
) -> None:
    page = bridge.page
    page.evaluate("name => { document.body.dataset[name] = name }", front_end)
    page.set_viewport_size({"width": width + 16, "height": 800})
    picture.come_to_rest(page)
    heights, ends = page.evaluate(FIGURES)
    page.evaluate("name => { delete document.body.dataset[name] }", front_end)
    assert len(heights) == 4
    assert min(heights) >= least
    assert max(ends) <= 800 - above


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


@pytest.mark.slow
def test_a_hollow_point_is_seen(bridge: Bridge) -> None:
    made = explore(read_sample("overfitted"), epsilon=3.0)  # outside by estimate, not contradicted
    bridge.page.set_viewport_size(SIZE)
    bridge.show(made)
    assert faults(bridge, "text is cut") == []  # "Not tested yet"
    made.complete_audit()
    made.store.refresh()
    bridge.settle()
    picture.come_to_rest(bridge.page)
    assert faults(bridge, "text is cut") == []  # "perhaps by chance"
    point = bridge.page.locator(".dpviz-RegionView .dpviz-handle path.element").bounding_box()
    assert point is not None
    width, height = point["width"] / 2, point["height"] / 2 - 4
    # Its upper right quarter: the attack's curve is to the left, and below at FNR 0.
    quarter = {"x": point["x"] + width, "y": point["y"], "width": width, "height": height}
    # Its lower tip, below the axis, where nothing else is orange.
    end = {"x": point["x"] + width - 1, "y": point["y"] + point["height"] - 9}
    tip = {**end, "width": 2, "height": 6}
    for part, least in ((quarter, 5), (tip, 0)):
        taken = b64encode(bridge.page.screenshot(clip=part)).decode()
        assert bridge.page.evaluate(ORANGE, f"data:image/png;base64,{taken}") > least


def test_no_picture_covers_the_buttons_above_it(bridge: Bridge, explorer: Explorer) -> None:
    assert explorer.tab == "board"
    covered = bridge.page.evaluate(COVERED)
    assert covered == [False] * 8  # two of each picture


@pytest.mark.slow
def test_names_of_axes_fit_when_they_change(bridge: Bridge, explorer: Explorer) -> None:
    explorer.naming = "lecture"  # "members missed (type I error)"
    bridge.settle()
    picture.come_to_rest(bridge.page)
    assert faults(bridge, "axis name is cut") == []
    explorer.prior = 0.01  # "PPV and advantage (up to 5 %)"
    bridge.settle()
    picture.come_to_rest(bridge.page)
    assert faults(bridge, "axis name is cut") == []


def test_the_numbers_at_the_selected_fpr_are_within_the_controls(
    bridge: Bridge, explorer: Explorer
) -> None:
    assert "0.0468" in bridge.page.locator(".dpviz-readout").inner_text()  # the widest number
    right = "e => e.getBoundingClientRect().right"
    table = bridge.page.locator(".dpviz-readout table").evaluate(right)
    assert table < bridge.page.locator(".dpviz-controls").first.evaluate(right)


def test_a_long_number_stands_apart_from_the_name_of_its_row(bridge: Bridge) -> None:
    bridge.page.set_viewport_size(SIZE)
    bridge.show(explore(read_sample("gamma"), epsilon=1.0, fpr=0.0002))
    assert "0.0354" in bridge.page.locator(".dpviz-readout").inner_text()
    assert min(bridge.page.evaluate(GAPS)) >= 6


def test_the_menus_behind_more_show_what_is_chosen(bridge: Bridge, explorer: Explorer) -> None:
    picture.open_more(bridge.page)
    menus = bridge.page.locator(".dpviz-controls > .dpviz-popover select:visible")
    widths = menus.evaluate_all("menus => menus.map(menu => menu.clientWidth)")
    assert len(widths) >= 5
    assert min(widths) >= 60  # "95 %" and the arrow


def faults(bridge: Bridge, rule: str) -> list[list[str]]:
    """What breaks this rule of the sweep."""
    found: list[list[str]] = bridge.page.evaluate(MEASURE, [[rule], 0, 1])["faults"]
    return found
