"""The explorer at every width: nothing is cut, covered, or off the screen.

The widths are those of the output: JupyterLab has 432 pixels more. A slow test goes through all of
them and writes a table, width by tab.
"""

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from dpviz import explore, read_sample
from dpviz.theory import GaussianDP, PureDP
from dpviz.widgets.tabs import TABS, tabs_for
from tests.browser import picture
from tests.browser.bridge import Bridge

MEASURE = Path(__file__).with_name("sweep.js").read_text(encoding="utf-8")
WIDTHS = (320, 400, 480, 560, 640, 720, 800, 848, 900, 968, 1008, 1100, 1205, 1300, 1400, 1488)
WIDTHS += (1700, 2000, 2200)
# The least with two columns, the least with controls beside them, and that of JupyterLab as it
# opens at 1440 x 900.
USUAL_WIDTHS = (560, 800, 1008)
DATA = ("overfitted", "regularised", "null", "gamma", None)
TABLE = Path(__file__).parents[2] / "screenshots" / "sweep.md"
# Pixels of JupyterLab around an output, and above it with and without a cell of three lines.
BESIDE, ABOVE, ABOVE_WITH_CELL = 432, 121, 206
# Rules that hold at any width, from 560, 800, 848 and 1000 pixels on. A narrower ruler has no room
# for its labels between its ticks, a lower picture none for all labels beside its lines.
ALWAYS = ["text is cut", "control is cut", "picture is cut", "label is cut", "axis name is cut"]
ALWAYS += ["few words in a line", "controls overlap", "page scrolls sideways", "ticks overlap"]
ALWAYS += ["labels overlap", "label on a handle", "axis name on a tick", "number is broken"]
ALWAYS += ["handle on a tick", "title on a button"]
FROM_560 = [*ALWAYS, "picture is small"]
FROM_800 = [*FROM_560, "tabs and buttons in several lines", "much is empty"]
FROM_848 = [*FROM_800, "label on a tick", "neighbours begin apart"]
FROM_1000 = [*FROM_848, "label is struck out"]


def test_the_board_at_the_usual_widths(bridge: Bridge) -> None:
    assert sweep(bridge, "overfitted", USUAL_WIDTHS, ["board"]) == {}


@pytest.mark.slow
def test_the_board_with_two_further_guarantees(bridge: Bridge) -> None:
    """What does not fit into the key of the region stands beside its curve."""
    overlays = [GaussianDP(mu=1.0), PureDP(epsilon=2.0)]
    assert sweep(bridge, "overfitted", (848, 1008, 1488), ["board"], overlays=overlays) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", DATA, ids=str)
def test_every_tab_at_every_width(bridge: Bridge, name: str | None) -> None:
    faults = sweep(bridge, name, WIDTHS, list(tabs_for(has_scores=name is not None)))
    write(name, faults)
    assert faults == {}


def sweep(
    bridge: Bridge, name: str | None, widths: tuple[int, ...], tabs: list[str], **spec: Any
) -> dict[tuple[int, str], list[str]]:
    """What is wrong in each state that is not in order, by width and tab."""
    explorer = explore(None if name is None else read_sample(name), epsilon=1.0, **spec)
    explorer.complete_audit()
    bridge.show(explorer)
    page, found = bridge.page, {}
    for tab in tabs:
        explorer.tab = tab
        bridge.settle()
        for width in widths:
            # A window of the shape of a laptop's; narrow ones are as high as the page.
            height = max(800, round((width + BESIDE) / 1.6)) if width >= 800 else 4000
            page.set_viewport_size({"width": width + 16, "height": height})
            bridge.settle()
            page.evaluate("scrollTo(0, document.body.scrollHeight)")  # what is out of sight rests
            picture.come_to_rest(page)
            faults = measure(page, width, height, is_board=tab == "board")
            if faults:
                found[width, tab] = faults
    return found


def faults_on_tabs(page: Page, width: int, height: int) -> dict[str, list[str]]:
    """What is wrong on the tabs of an explorer with scores, on a server's page of this size."""
    page.set_viewport_size({"width": width, "height": height})
    found = {}
    for name, tab in TABS.items():
        picture.open_tab(page, tab.title)
        picture.explorer(page).scroll_into_view_if_needed()
        picture.come_to_rest(page)
        # The page around an explorer takes what it needs: its height is not judged here.
        faults = measure(page, 800, 10_000, is_board=name == "board")
        if faults:
            found[name] = faults
    return found


def measure(page: Page, width: int, height: int, *, is_board: bool) -> list[str]:
    """What is wrong on the page, by the rules for its width."""
    known = {1000: FROM_1000, 848: FROM_848, 800: FROM_800, 560: FROM_560, 0: ALWAYS}
    rules = next(rules for least, rules in known.items() if width >= least)
    # Pixels of a picture on the board, and the share of the page that may be empty.
    limits = [295 if width >= 800 else 270, 0.25 if is_board else 0.33]
    seen: dict[str, Any] = page.evaluate(MEASURE, [rules, *limits])
    most = height - ABOVE_WITH_CELL if is_board else 1.2 * (height - ABOVE)
    faults = [f"{rule}: {what}" for rule, what in seen["faults"]]
    if width >= 800 and seen["height"] > most:
        faults.append(f"higher than a screen: {seen['height']:.0f} > {most:.0f}")
    return faults


def write(name: str | None, faults: dict[tuple[int, str], list[str]]) -> None:
    """Add a table of these scores to the git-ignored folder, if SCREENSHOTS is set."""
    if not os.environ.get("SCREENSHOTS"):
        return
    tabs = tabs_for(has_scores=name is not None)
    lines = [f"## {name}", "", "| width | " + " | ".join(TABS[tab].title for tab in tabs) + " |"]
    lines.append("|---" * (len(tabs) + 1) + "|")
    for width in WIDTHS:
        cells = []
        for tab in tabs:
            rules = Counter(fault.split(":")[0] for fault in faults.get((width, tab), []))
            cells.append("; ".join(f"{count} x {rule}" for rule, count in rules.items()) or "good")
        lines.append(f"| {width} | " + " | ".join(cells) + " |")
    TABLE.parent.mkdir(exist_ok=True)
    with TABLE.open("a", encoding="utf-8") as file:
        file.write("\n".join([*lines, "", ""]))
