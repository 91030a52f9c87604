"""Reading and driving a saved page: its controls, sentences, paths and handles."""

import re
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Locator, Page

from tests.browser.wait import as_read
from tests.pictures.reading import vertices


def slider(page: Page, label: str) -> Locator:
    return page.locator(".control", has_text=re.compile(f"^{label} ")).locator("[type=range]")


def box(page: Page, label: str) -> Locator:
    return page.get_by_label(f"{label}, exact value")


def type_into(page: Page, label: str, text: str) -> None:
    box(page, label).fill(text)
    box(page, label).press("Enter")
    settle(page)


def settle(page: Page) -> None:
    page.evaluate("() => new Promise(f => requestAnimationFrame(() => requestAnimationFrame(f)))")


def sentence(page: Page, name: str) -> str:
    """A sentence of the page, which may be folded away."""
    return as_read(page.locator(f"[data-sentence={name}]").first.text_content() or "")


def path(page: Page, element_id: str) -> str:
    return page.locator(f"#{element_id}").get_attribute("d") or ""


def corners(path: str) -> NDArray[np.float64]:
    """Vertices of a path, read as those of a picture of Python's are."""
    return vertices(ElementTree.Element("path", id="path", d=path), "path")


def handle(page: Page, element_id: str) -> tuple[float, float]:
    """The middle of a handle, in pixels of the page."""
    shown = page.locator(f"#{element_id}").bounding_box()
    assert shown is not None
    return shown["x"] + shown["width"] / 2, shown["y"] + shown["height"] / 2
