"""What a reader sees of a tab before its views are there."""

import asyncio
import xml.etree.ElementTree as ET

import bqplot
import pytest

from dpviz import AttackScores, explore
from dpviz.widgets import Explorer
from dpviz.widgets.base.still_view import StillView, still_views
from dpviz.widgets.views.registry import all_views


def built(explorer: Explorer) -> set[str]:
    return {type(view).__name__ for view in explorer.panel.built}


def text_of(explorer: Explorer) -> str:
    return str(explorer.panel.widget.children[0].value)


def test_a_tab_that_a_reader_chooses_is_one_text_until_its_views_are_built(
    scores: AttackScores,
) -> None:
    async def choose() -> Explorer:
        explorer = explore(scores)
        before = built(explorer)
        for name in ("follows", "reached", "how"):  # a sweep over the tabs builds the last one
            explorer.tab_bar.selected = name
            assert explorer.tab == name
            assert explorer.tab_bar.shown == "answer"  # busy, for screen readers
            assert built(explorer) == before
        assert text_of(explorer).count("<svg") == 3
        assert "How large can the privacy loss be?" in text_of(explorer)
        async with asyncio.timeout(60):
            while explorer.tab_bar.shown != "how":
                await asyncio.sleep(0.01)
        assert built(explorer) - before == {"MechanismView"}
        return explorer

    [view] = asyncio.run(choose()).shown_views
    for picture in view.pictures:
        assert any(isinstance(child, bqplot.Figure) for child in picture.widget.children)


def test_what_is_asked_for_in_python_is_there_at_once(scores: AttackScores) -> None:
    async def ask() -> tuple[set[str], str, list[str]]:
        explorer = explore(scores)
        explorer.tab = "how"
        found, text = built(explorer), text_of(explorer)
        explorer.tab_bar.selected = "promised"  # a reader; then a program that reads the views
        return found, text, [type(view).__name__ for view in explorer.shown_views]

    found, text, shown = asyncio.run(ask())
    assert "MechanismView" in found
    assert "<svg" not in text
    assert shown == ["RegionView", "ProfileView", "RiskView"]


@pytest.mark.parametrize("has_scores", [True, False])
def test_every_view_can_stand_still(scores: AttackScores, has_scores: bool) -> None:
    store = explore(scores if has_scores else None).store
    for kind in all_views().values():
        if kind.is_wanted(store):
            scenes, result = kind.at_first(store.result)
            view = StillView(kind=kind, scenes=scenes, result=result, is_new=True)
            text = still_views([view], "panel", css_class="", font_scale=1.0)
            page = ET.fromstring(f"<body>{text}</body>")
            drawn = [scene for scene in scenes if not scene.is_empty(result)]
            assert len(page.findall(".//svg")) == len(drawn), kind
            titles = [each.text for each in page.findall(".//*[@role='heading']")]
            assert titles == [scene.title_of(result) for scene in scenes]
