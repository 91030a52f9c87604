"""Time four linked pictures over one slider: dpviz beside matplotlib, plotly and ipympl.

Run with what the peers and the browser need installed, and Chromium (``make browser``)::

    pip install -e '.[lab,test,bench]'
    python -m benchmarks.slider                # all, five minutes; writes benchmarks/README.md
    QUICK=1 python -m benchmarks.slider        # fewer keys, the kernel idle; only printed
    python -m benchmarks.slider dpviz plotly   # some, only printed; dpviz first, for the ratios
    python -m benchmarks.slider --bridge       # dpviz without server and kernel, in frames

One run opens each way in a JupyterLab of its own and in the same browser. A real ArrowRight on the
slider's handle is timed to the end of the frame in which the last of the four pictures changed, 20
times after 3. Then the mouse drags the handle for 2 seconds. Both again while a cell sleeps, and
after the kernel was shut down. Bytes and messages are those of the kernel's WebSocket per key. Each
line is printed when it is measured: one way takes a minute, with a load of 12 one and a half.

Milliseconds depend on the machine and are noisy by a third: ratios are what to compare.
"""

import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from playwright.sync_api import Browser, Playwright, sync_playwright

from benchmarks.harness import QUICK, Peer, Row
from benchmarks.slider_bridge import frames
from benchmarks.slider_notebooks import WAYS
from benchmarks.slider_run import STATES, Measured, measure
from tests.browser.conftest import ARGUMENTS

README = Path(__file__).parent / "README.md"
MARKED = re.compile(r"(<!-- slider -->\n).*(<!-- /slider -->)", re.DOTALL)
HEAD = (
    "drawn by",
    "dpviz / it",
    *(f"kernel {state}: ms" for state in STATES),
    "drag: updates/s",
    "to the browser: B, messages",
    "to the kernel: B, messages",
)


def main(arguments: list[str]) -> None:
    """Measure what is asked for and print the table."""
    with sync_playwright() as playwright:
        browser = launched(playwright)
        if arguments == ["--bridge"]:
            print(frames(browser))
        else:
            lines = []
            for line in compare(browser, arguments or list(WAYS)):
                print(line, flush=True)
                lines.append(line)
            if not arguments and not QUICK:
                text = "\n".join(lines)
                text = MARKED.sub(rf"\g<1>{text}\n\g<2>", README.read_text())
                README.write_text(text)
        browser.close()


def rows() -> Iterator[Row]:
    """A key on the slider, kernel idle: dpviz beside each other way."""
    with sync_playwright() as playwright:
        browser = launched(playwright)
        ours, *others = (
            (way, measure(browser, way).reactions["idle"].median / 1000) for way in WAYS.values()
        )
        browser.close()
    for way, seconds in others:
        yield Row("a key moves a slider and four pictures", ours[1], Peer(way.name, seconds))


def launched(playwright: Playwright) -> Browser:
    """Chromium as the tests have it."""
    path = shutil.which("chromium") or shutil.which("google-chrome")
    return playwright.chromium.launch(executable_path=path, headless=True, args=ARGUMENTS)


def compare(browser: Browser, names: list[str]) -> Iterator[str]:
    """Measure these ways: lines of Markdown, each when it is known, and what the machine was."""
    load = os.getloadavg()[0]
    ours: Measured | None = None
    yield from map(in_cells, (HEAD, ("---",) * len(HEAD)))
    for name in names:
        one = measure(browser, WAYS[name])
        ours = one if name == "dpviz" else ours
        yield in_cells(row(WAYS[name].name, one, ours))
    live = f"live ready: {'yes' if ours.is_live else 'no'}. " if ours else ""
    yield (
        f"\n{live}{os.cpu_count()} cores, load {load:.1f} before and {os.getloadavg()[0]:.1f} "
        f"after, Chromium {browser.version}, headless."
    )


def in_cells(texts: Iterable[str]) -> str:
    """A line of a table."""
    return f"| {' | '.join(texts)} |"


def row(name: str, one: Measured, ours: Measured | None) -> tuple[str, ...]:
    """One way's line."""
    ratio = f"{ours.reactions['idle'].median / one.reactions['idle'].median:.2f}" if ours else ""
    reactions = [one.reactions[state] for state in STATES]
    drags = " / ".join(f"{reaction.updates:.0f}" for reaction in reactions)
    return (name, ratio, *map(str, reactions), drags, *one.traffic.values())


if __name__ == "__main__":
    main(sys.argv[1:])
