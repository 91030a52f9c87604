"""A notebook opened the next day, without its kernel: the last picture and the answer."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.lab import lab_server, notebook_server, run_notebook

WIDGET = "application/vnd.jupyter.widget-view+json"
CODE = """import numpy as np, dpviz
rng = np.random.default_rng(3)
explorer = dpviz.explore((rng.normal(0, 1, 200), rng.normal(2, 1, 200)), epsilon=0.5)
explorer"""
CELL = {"cell_type": "code", "id": "only", "source": CODE, "outputs": []}
NOTEBOOK = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {"kernelspec": {"name": "python3", "display_name": "Python"}},
    "cells": [CELL | {"metadata": {}, "execution_count": None}],
}
ANSWER = "contradict the claim"
LIVE = ".dpviz-Explorer .dpviz-RegionView g.curve path.line"
DRAWN = "document.querySelector('.dpviz-still img').getBoundingClientRect().width > 300"
HOW = "In a notebook: run the cell to make it live"


@pytest.mark.slow
def test_the_last_picture_and_the_answer(
    page: Page, tmp_path: Path, screenshot: Callable[..., None]
) -> None:
    notebook = tmp_path / "audit.ipynb"
    notebook.write_text(json.dumps(NOTEBOOK))
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    with lab_server(first, notebook) as address:
        run_notebook(page, address)
        page.wait_for_selector(LIVE, state="attached", timeout=180_000)
        page.wait_for_function(
            "text => document.querySelector('.dpviz-still')?.textContent.includes(text)",
            arg=ANSWER,
        )
        assert not page.locator(".dpviz-still").is_visible()  # the widget lives
        page.evaluate("jupyterapp.commands.execute('docmanager:save')")
        saved = first / notebook.name
        (cell,) = json.loads(saved.read_text())["cells"]
        live, still = (output["data"] for output in cell["outputs"])
        assert WIDGET in live
        assert WIDGET not in still
        assert ANSWER in "".join(still["text/html"])  # it came after the cell had ended

        page.evaluate("jupyterapp.serviceManager.sessions.shutdownAll()")
        page.goto("about:blank")
        page.goto(address)
        page.get_by_text(HOW).wait_for()
        message = page.get_by_text("Error displaying widget")
        message.wait_for(state="attached")
        assert not message.is_visible()
        page.wait_for_function(DRAWN)
        screenshot(page, "trusted")
    with notebook_server(second, saved) as address:  # somebody else's: not trusted there
        page.goto(address)
        page.get_by_text(HOW).wait_for()
        page.get_by_text("Not Trusted").wait_for()
        page.wait_for_function(DRAWN)
        page.locator(".dpviz-still").get_by_text(ANSWER).wait_for()
        screenshot(page, "not trusted")
