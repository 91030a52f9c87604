"""One way of drawing in JupyterLab: keys and drags with the kernel idle, busy and gone."""

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

from playwright.sync_api import Browser, Locator, Page, WebSocket

from benchmarks.harness import QUICK
from benchmarks.slider_notebooks import Way
from tests.browser.conftest import WIDE
from tests.browser.lab import lab_server, run_notebook

PROBE = (Path(__file__).parent / "slider_probe.js").read_text()
WARM_UPS, KEYS, DRAG_SECONDS = (3, 10, 1.0) if QUICK else (3, 20, 2.0)
QUIET_MS, LIMIT_MS = 150, 15_000
IDLE_SECONDS = 8.0 if QUICK else 600.0  # for as many keys as there is time for
BUSY_SECONDS = 5.0
"""For keys while a cell of 10 s runs, as many as there is time for; then the mouse drags."""
BUSY = {
    # JupyterLab hands comm messages to a thread of their own (a subshell) if the kernel has them.
    "sleeping": "import time; time.sleep(10)",
    "computing": "import time; end = time.monotonic() + 10\nwhile time.monotonic() < end: pass",
}
STATES = ("idle",) if QUICK else ("idle", *BUSY, "gone")
KERNEL = "jupyterapp.shell.currentWidget.context.sessionContext.session.kernel"
ASK = f"""async expression => {{
  const request = {{ code: "", user_expressions: {{ asked: expression }} }};
  const reply = await {KERNEL}.requestExecute(request).done;
  return reply.content.user_expressions.asked.data?.["text/plain"] ?? "";
}}"""


class Traffic:
    """What went through the kernel's WebSocket so far."""

    def __init__(self, page: Page) -> None:
        self.totals = {"received": (0, 0), "sent": (0, 0)}
        page.on("websocket", self._watch)

    def since(self, totals: dict[str, tuple[int, int]], changes: int) -> dict[str, str]:
        """Bytes and messages of one change, each way, since the totals were those."""
        return {
            way: f"{(size - totals[way][0]) / changes:.0f}, "
            f"{(messages - totals[way][1]) / changes:.1f}"
            for way, (size, messages) in self.totals.items()
        }

    def _watch(self, socket: WebSocket) -> None:
        if "/channels" in socket.url:
            socket.on("framereceived", lambda payload: self._count("received", payload))
            socket.on("framesent", lambda payload: self._count("sent", payload))

    def _count(self, way: str, payload: str | bytes) -> None:
        size, messages = self.totals[way]
        self.totals[way] = (size + len(payload), messages + 1)


@dataclass
class Reaction:
    """Milliseconds from each key to the last paint, and painted updates per second of a drag."""

    milliseconds: list[float]
    updates: float

    @property
    def median(self) -> float:
        """NaN when the pictures stood still."""
        return median(self.milliseconds) if self.milliseconds else float("nan")

    def __str__(self) -> str:
        if not self.milliseconds:
            return "stands still"
        if len(self.milliseconds) == 1:
            return f"{self.median:.0f} (1 key)"
        tenths = quantiles(self.milliseconds, n=10)
        few = f", {len(self.milliseconds)} keys" if len(self.milliseconds) < KEYS else ""
        return f"{self.median:.0f} ({tenths[0]:.0f}–{tenths[-1]:.0f}{few})"


@dataclass
class Measured:
    """A way in each of `STATES` of the kernel, and its bytes and messages per change when idle."""

    reactions: dict[str, Reaction]
    traffic: dict[str, str]
    is_live: bool


def measure(browser: Browser, way: Way) -> Measured:
    """Open the way's notebook in a JupyterLab of its own and measure it."""
    context = browser.new_context(viewport=WIDE)
    page = context.new_page()
    page.add_init_script(PROBE)
    traffic = Traffic(page)
    with (
        tempfile.TemporaryDirectory() as source,
        tempfile.TemporaryDirectory() as folder,
        lab_server(Path(folder), way.write(Path(source))) as address,
    ):
        run_notebook(page, address)
        measured = _measure(page, way, traffic)
        context.close()
    return measured


def _measure(page: Page, way: Way, traffic: Traffic) -> Measured:
    page.locator(way.selector).nth(way.pictures - 1).wait_for(timeout=60_000)
    page.wait_for_timeout(3000)
    page.evaluate(f"selector => probe.{way.watch}(selector)", way.selector)
    ready = page.evaluate(ASK, "getattr(getattr(store, 'live', None), 'ready', False)")

    press(page, way, WARM_UPS)
    page.wait_for_timeout(500)
    before = dict(traffic.totals)
    milliseconds = press(page, way, KEYS, seconds=IDLE_SECONDS)
    page.wait_for_timeout(500)
    per_change = traffic.since(before, len(milliseconds) or 1)
    reactions = {"idle": Reaction(milliseconds, drag(page, way))}
    if QUICK:
        return Measured(reactions, per_change, ready == "True")
    for state, cell in BUSY.items():
        with occupied(page, cell):
            milliseconds = press(page, way, KEYS, seconds=BUSY_SECONDS)
            reactions[state] = Reaction(milliseconds, drag(page, way))

    page.evaluate("jupyterapp.shell.currentWidget.context.sessionContext.shutdown()")
    page.wait_for_timeout(1000)
    milliseconds = press(page, way, KEYS, limit=2000)
    reactions["gone"] = Reaction(milliseconds, drag(page, way))
    return Measured(reactions, per_change, ready == "True")


def press(
    page: Page, way: Way, times: int, *, limit: float = LIMIT_MS, seconds: float = 600
) -> list[float]:
    """Milliseconds from a key to the last paint; ends early when time is up or nothing moves."""
    handle_of(page).focus()
    taken: list[float] = []
    end = time.monotonic() + seconds
    while len(taken) < times and (left := 1e3 * (end - time.monotonic())) > 0:
        page.keyboard.press("ArrowRight" if len(taken) % KEYS < KEYS / 2 else "ArrowLeft")
        given = [way.pictures, QUIET_MS, min(limit, left)]
        settled = page.evaluate("given => probe.settled(...given)", given)
        if settled is None:
            break
        taken.append(settled[0])
    return taken


def drag(page: Page, way: Way) -> float:
    """Painted updates per second of the picture that has fewest."""
    box = handle_of(page).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate("probe.restart()")
    start = time.perf_counter()
    while (elapsed := time.perf_counter() - start) < DRAG_SECONDS:
        page.mouse.move(x + 200 * (1 - abs(1 - elapsed % 2)), y)
        time.sleep(0.008)
    paints = page.evaluate("probe.paints")
    page.mouse.up()
    page.mouse.move(0, 0)
    page.wait_for_timeout(1500)
    return min(paints.values()) / elapsed if len(paints) == way.pictures else 0.0


def handle_of(page: Page) -> Locator:
    """The first slider's handle."""
    return page.locator(".widget-slider .noUi-handle").first


@contextmanager
def occupied(page: Page, cell: str) -> Iterator[None]:
    """While a cell runs, which must not end before the work does."""
    page.evaluate(f"code => void (probe.cell = {KERNEL}.requestExecute({{ code }}))", cell)
    page.wait_for_function(f"{KERNEL}.status === 'busy'")
    page.wait_for_timeout(200)
    yield
    if page.evaluate("probe.cell.isDisposed"):
        raise RuntimeError("the busy cell ended before all was measured: a slower machine")
    page.evaluate("async () => void await probe.cell.done")
    page.wait_for_timeout(1500)
