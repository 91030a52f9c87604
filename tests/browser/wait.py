"""Waiting for what a page shows, however slow the machine: never for a fixed time."""

import time
from collections.abc import Callable
from typing import TypeVar

from playwright.sync_api import Page

T = TypeVar("T")

PATIENCE = 120
"""Seconds that a busy machine may need."""

STILL = """frames => new Promise(done => {
  let left = frames;
  const changes = new MutationObserver(() => { left = frames; });
  const all = { attributes: true, characterData: true, childList: true, subtree: true };
  changes.observe(document, all);
  const next = () => {
    if (left-- > 0) return requestAnimationFrame(next);
    changes.disconnect();
    done();
  };
  requestAnimationFrame(next);
})"""


FRAMES = "async left => { while (left-- > 0) await new Promise(requestAnimationFrame) }"


def draw_frames(page: Page, frames: int) -> None:
    """Wait until the page has drawn so many times more."""
    page.evaluate(FRAMES, frames)


def until_still(page: Page, frames: int = 3) -> None:
    """Wait until so many frames have passed without a change of the document."""
    page.evaluate(STILL, frames)


def eventually(page: Page, check: Callable[[], T]) -> T:
    """Make a check again until its assertions hold, and give what it gives."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return check()
        except AssertionError:
            if time.monotonic() > deadline:
                raise
        page.wait_for_timeout(10)


def as_read(text: str) -> str:
    """A text as people read it, without the signs that keep a line from breaking."""
    return text.replace("\u00a0", " ").replace("\u2060", "")
