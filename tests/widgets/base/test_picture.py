"""Pictures in a kernel: still at first, then figures."""

import asyncio
import subprocess
import sys
import xml.etree.ElementTree as ET

import bqplot

from dpviz.widgets import RegionView
from dpviz.widgets.base.picture import Picture


def test_a_picture_stands_still_until_the_loop_turns() -> None:
    async def show() -> tuple[list[str], Picture]:
        view = RegionView(epsilon=1.0, delta=0.0)
        [picture] = view.pictures
        [still] = picture.widget.children
        texts = [still.value]
        assert not isinstance(still, bqplot.Figure)
        view.fpr = 0.2  # what changes before the figure is there
        texts.append(still.value)
        await asyncio.sleep(0)
        assert still.comm is None  # closed
        return texts, picture

    (first, second), picture = asyncio.run(show())
    for text in (first, second):
        svg = ET.fromstring(text)
        assert svg.get("role") == "img"
        assert svg.get("aria-label") == picture.title
        assert svg.findall(".//path")
    assert first != second
    figure, _ = picture.widget.children
    assert isinstance(figure, bqplot.Figure)
    assert any(mark.visible for mark in figure.marks)


def test_a_closed_view_gets_no_figures() -> None:
    async def close() -> Picture:
        view = RegionView(epsilon=1.0)
        [picture] = view.pictures
        view.close()
        await asyncio.sleep(0)
        return picture

    [still] = asyncio.run(close()).widget.children
    assert not isinstance(still, bqplot.Figure)


def test_widgets_are_imported_without_what_is_slow() -> None:
    slow = (
        "import sys, dpviz.widgets; print({'bqplot', 'pandas', 'scipy.stats'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", slow], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"
