"""The four pictures without server and kernel: frames from a key to the last paint."""

from statistics import median, quantiles
from typing import Any

from playwright.sync_api import Browser

from benchmarks.slider_notebooks import DPVIZ, WAYS
from benchmarks.slider_run import KEYS, PROBE, QUIET_MS, WARM_UPS, handle_of
from tests.browser.bridge import Bridge
from tests.browser.conftest import WIDE


def frames(browser: Browser) -> str:
    """One line: frames and milliseconds, and who drew."""
    page = browser.new_page(viewport=WIDE)
    page.add_init_script(PROBE)
    bridge = Bridge(page)
    bridge.open()
    made: dict[str, Any] = {}
    exec(DPVIZ, made)
    bridge.show(made["shown"])
    way = WAYS["dpviz"]
    page.evaluate(f"selector => probe.{way.watch}(selector)", way.selector)
    page.evaluate("probe.countFrames()")
    handle_of(page).focus()
    taken = []
    by_python = 0
    for i in range(WARM_UPS + KEYS):
        page.keyboard.press("ArrowRight" if i % KEYS < KEYS / 2 else "ArrowLeft")
        wait = "given => probe.settled(...given)"
        settled = page.evaluate(wait, [way.pictures, QUIET_MS, 500])
        bridge.settle()  # sentences, and pictures that Python draws
        if settled is None:
            by_python += 1
            settled = page.evaluate(wait, [way.pictures, QUIET_MS, 5000])
        taken.append(settled)
    bridge.close()
    milliseconds, counted = (sorted(column) for column in zip(*taken[WARM_UPS:], strict=True))
    drawn = f"; {by_python} of {len(taken)} changes waited 500 ms for Python" if by_python else ""
    tenths = quantiles(counted, n=10)
    return (
        f"bridge, no kernel: {median(counted):.0f} frames ({tenths[0]:.0f}–{tenths[-1]:.0f}), "
        f"{median(milliseconds):.0f} ms{drawn}"
    )
