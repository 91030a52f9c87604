"""Pictures in a kernel: still at first, then figures."""

import asyncio
import math
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import bqplot
from ipywidgets.widgets.widget import _instances

import dpviz
from dpviz.analysis.topics.answer import RULER
from dpviz.analysis.topics.registry import SCENES
from dpviz.drawing.svg import WIDTH
from dpviz.widgets import RegionView, TradeoffView
from dpviz.widgets.base.picture import Picture, StaticPicture, static_svg


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


def test_pictures_of_a_tab_that_is_shown_for_the_first_time_stand_still_first() -> None:
    """The kernel and the browser need longer to make figures than to show the tab."""

    async def show() -> tuple[list[type], list[type]]:
        explorer = dpviz.explore(epsilon=1.0)
        await asyncio.sleep(0)
        explorer.tab = "how"
        shown = [picture.widget for picture in explorer.shown_views[0].pictures]
        at_first = [type(widget.children[0]) for widget in shown]
        await asyncio.sleep(0)
        return at_first, [type(widget.children[0]) for widget in shown]

    at_first, then = asyncio.run(show())
    assert at_first == [StaticPicture] * 3
    assert then == [bqplot.Figure] * 3


def marks_of(picture: Picture) -> tuple[bqplot.Mark, ...]:
    return tuple(picture.frame.figure.marks)


def test_a_legend_names_what_is_drawn_and_nothing_else() -> None:
    view = RegionView(epsilon=1.0, delta=0.0)
    frame = view.pictures[0].frame

    def named() -> set[str]:
        rows = re.findall("<span>(.*?)</span>", frame.legend_html())
        return {re.sub("<.*>", "", row) for row in rows}

    assert named() == {drawn.of.label for drawn in frame.created_marks} - {""}
    claimed = named()
    view.epsilon = math.inf  # nothing is claimed
    assert named() < claimed


def test_a_picture_with_none_beside_it_stands_still_in_full_width() -> None:
    result = dpviz.analyze(epsilon=1.0)
    assert static_svg(RULER, result).startswith(f'<svg viewBox="0 0 {WIDTH} ')
    assert static_svg(SCENES["region"], result).startswith('<svg viewBox="0 0 400 ')


def test_a_mark_is_made_when_it_is_first_drawn() -> None:
    """Each mark is a model that the browser has to make before it shows the picture."""
    view = TradeoffView(epsilon=1.0, delta=0.0)
    linear, roc, *_ = view.pictures
    opened = set(_instances)
    at_first = marks_of(linear)
    assert all(mark.visible for mark in at_first)
    assert len(at_first) < len(linear.frame.drawn) / 2
    assert not roc.widget.children  # never shown
    view.overlays = [dpviz.theory.GaussianDP(mu=1.0)]
    new = set(marks_of(linear)) - set(at_first)
    assert new
    assert all(mark.visible for mark in new)
    assert set(_instances) - opened == {mark.model_id for mark in new}
    # From back to front, as the layers have them.
    made = [drawn.mark for drawn in linear.frame.drawn if drawn.is_created]
    assert marks_of(linear) == tuple(made)
    view.overlays = []
    assert not any(mark.visible for mark in new)


def test_the_browser_hears_of_a_mark_when_it_is_made_under_the_same_key() -> None:
    view = TradeoffView(epsilon=1.0, delta=0.0)
    live = view.store.live
    assert live is not None
    [before] = live.pictures
    view.overlays = [dpviz.theory.GaussianDP(mu=1.0)]
    [after] = live.pictures
    assert after["key"] == before["key"]  # requests on their way still find the view
    told = {label["mark"] for label in after["labels"]}
    assert told > {label["mark"] for label in before["labels"]}
    assert told == {f"IPY_MODEL_{mark.model_id}" for mark in marks_of(view.pictures[0])}


def test_widgets_are_imported_without_what_is_slow() -> None:
    slow = (
        "import sys, dpviz.widgets; print({'bqplot', 'pandas', 'scipy.stats'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", slow], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"
