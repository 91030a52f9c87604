"""Tabs and layouts of the explorer, and the text that stands for views until they are there."""

import asyncio
import xml.etree.ElementTree as ET

import bqplot
import pytest
from ipywidgets.widgets.widget import _instances
from traitlets import TraitError

from dpviz import AttackScores, explore
from dpviz.widgets import Explorer
from dpviz.widgets.base.view import View
from dpviz.widgets.tabs import (
    TABS,
    StaticView,
    positions_css,
    static_views_html,
    views_without_neighbour,
)
from dpviz.widgets.views.mechanism import MechanismView
from dpviz.widgets.views.registry import view_classes_by_name


def names(explorer: Explorer) -> list[str]:
    return [type(view).__name__ for view in explorer.shown_views]


def test_the_board_is_first_with_scores_and_without(scores: AttackScores) -> None:
    board = explore(scores)
    assert board.tab == "board"
    assert names(board) == ["RegionView", "TradeoffView", "EpsilonStarView", "RiskView"]
    assert explore().tab == "board"
    assert names(explore()) == ["RegionView", "TradeoffView", "ProfileView", "RiskView"]


def test_a_place_is_empty_beside_the_last_of_an_odd_number_of_views() -> None:
    one, two, three, wide = (type("AnyView", (View,), {"is_wide": i == 3}) for i in range(4))
    assert views_without_neighbour([one, two, three]) == [three]
    assert views_without_neighbour([one, wide, two, three]) == [one]


def test_bounds_and_the_checklist_share_the_last_column_of_the_evidence() -> None:
    shown = [view_classes_by_name()[name] for name in TABS["evidence"].views]
    css = positions_css("panel", shown=shown, others=(), columns=3)
    _, columns = css.split("{ grid-row: span 2 }")  # of the two others
    assert "repeat(2, minmax(0, 1fr))" in columns


def test_any_other_view_can_be_added_to_the_board(scores: AttackScores) -> None:
    explorer = explore(scores)
    menu = explorer.panel.menu
    assert ("What does the attacker see?", "scores") in menu.options
    assert ("What is stated about this audit?", "checklist") in menu.options
    assert all(text.endswith(("?", "...", "game", "model")) for text, _ in menu.options)
    assert "region" not in dict(menu.options).values()
    menu.value = "scores"
    assert names(explorer)[-1] == "ScoresView"
    assert "scores" not in dict(menu.options).values()
    explorer.tab = "how"
    assert menu.is_hidden


def test_a_list_shows_these_views_in_this_order(scores: AttackScores) -> None:
    explorer = explore(scores, layout=["scores", "region"])
    assert names(explorer) == ["ScoresView", "RegionView"]
    assert explorer.tab == ""
    with pytest.raises(TraitError, match="tab must be left out for a layout other than"):
        explorer.tab = "board"


def test_what_needs_scores_says_so_while_there_are_none(scores: AttackScores) -> None:
    explorer = explore(layout=["scores"])
    strongest = explorer.presets["strongest evidence"]
    assert names(explorer) == []
    assert explorer.panel.hint is not None
    assert "These pictures need scores" in explorer.panel.hint.value
    assert strongest.disabled
    explorer.store.load(scores)
    assert names(explorer) == ["ScoresView"]
    assert explorer.panel.hint.value == ""
    assert not strongest.disabled
    assert explore(layout=["region"]).panel.hint is None


def test_a_button_of_an_fpr_selects_the_fpr_that_it_names() -> None:
    explorer = explore(layout=["region"])
    for name in ("0.1 %", "1 %", "10 %"):
        explorer.presets[name].click()
        assert explorer.result.fpr == float(name.removesuffix(" %")) / 100


@pytest.mark.parametrize("layout", ["pages", ["region", "regoin"], [], 3, [None]])
def test_a_layout_that_does_not_exist_is_refused(layout: object) -> None:
    with pytest.raises(ValueError, match="layout must be"):
        explore(layout=layout)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["boards", "attack", "evidence", "", 3])
def test_a_tab_that_cannot_be_shown_is_refused(name: object) -> None:
    explorer = explore()
    with pytest.raises(TraitError):
        explorer.tab = name  # type: ignore[assignment]
    assert explorer.tab == "board"
    assert "EpsilonStarView" not in names(explorer)


def test_unloading_leaves_a_tab_that_needs_scores(scores: AttackScores) -> None:
    explorer = explore(scores)
    explorer.tab = "attack"
    explorer.store.load(None)
    assert explorer.tab == "board"
    explorer.undo()
    assert explorer.store.scores is scores


def test_undo_is_not_about_tabs(scores: AttackScores) -> None:
    explorer = explore(scores)
    explorer.epsilon = 2.0
    explorer.tab = "how"
    explorer.undo()
    assert (explorer.epsilon, explorer.tab) == (1.0, "how")


def test_the_state_knows_the_layout_and_the_tab(scores: AttackScores) -> None:
    explorer = explore(scores)
    explorer.tab = "evidence"
    again = Explorer.from_state(explorer.state(), scores)
    assert again.tab == "evidence"
    some = explore(layout=["region"])
    assert names(Explorer.from_state(some.state())) == ["RegionView"]
    state = explore().state()
    older = {name: value for name, value in state.items() if name not in ("layout", "tab")}
    assert Explorer.from_state(older).tab == "board"
    with pytest.raises(ValueError, match=r"state\.tab must be one of"):
        Explorer.from_state(state | {"tab": "boards"})


def test_all_views_can_be_had_from_any_tab() -> None:
    explorer = explore(tab="claim")
    assert built(explorer) >= {"RegionView", "ProfileView", "RiskView"}
    assert len(built(explorer)) <= len({*TABS["board"].without_scores, *TABS["claim"].views})
    assert len(explorer.views) > 10
    assert names(explorer) == ["RegionView", "ProfileView", "RiskView"]


@pytest.mark.slow
def test_the_code_makes_the_same_page(scores: AttackScores) -> None:
    def made_by(code: str) -> Explorer:
        names: dict[str, object] = {"scores": scores}
        exec(code.replace("scores = ...", "scores = scores"), names)
        explorer = names["explorer"]
        assert isinstance(explorer, Explorer)
        return explorer

    explorer = explore(scores)
    assert "tab" not in explorer.code()
    assert "layout" not in explorer.code()
    explorer.tab = "how"
    assert made_by(explorer.code()).tab == "how"
    assert made_by(explore(scores, layout="all").code()).state()["layout"] == "all"
    two = made_by(explore(scores, layout=["risk", "region"]).code())
    assert names(two) == ["RiskView", "RegionView"]


@pytest.mark.parametrize("layout", ["tabs", ["region", "for_risk"]])
def test_a_closed_explorer_leaves_no_widget(layout: str | list[str]) -> None:
    explore().close()  # what all explorers share is made once
    before = set(_instances)
    explore(layout=layout).close()
    assert set(_instances) == before


def built(explorer: Explorer) -> set[str]:
    return {type(view).__name__ for view in explorer.panel.built_views}


def text_of(explorer: Explorer) -> str:
    return str(explorer.panel.widget.children[0].value)


def test_a_tab_that_a_reader_chooses_is_one_text_until_its_views_are_built(
    scores: AttackScores,
) -> None:
    async def choose() -> Explorer:
        explorer = explore(scores)
        before = built(explorer)
        for name in ("evidence", "attack", "how"):  # a sweep over the tabs builds the last one
            explorer.tab_bar.selected = name
            assert explorer.tab == name
            assert explorer.tab_bar.shown == "board"  # busy, for screen readers
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
        explorer.tab_bar.selected = "claim"  # a reader; then a program that reads the views
        return found, text, [type(view).__name__ for view in explorer.shown_views]

    found, text, shown = asyncio.run(ask())
    assert "MechanismView" in found
    assert "<svg" not in text
    assert shown == ["RegionView", "ProfileView", "RiskView"]


def test_other_scores_take_the_place_of_still_views(scores: AttackScores) -> None:
    async def load() -> tuple[str, str, list[str]]:
        explorer = explore(scores)
        explorer.tab_bar.selected = "attack"
        before = text_of(explorer)
        explorer.store.load(AttackScores(member=[3, 4, 5], nonmember=[0, 1, 2]))
        return before, text_of(explorer), [type(view).__name__ for view in explorer.shown_views]

    before, after, shown = asyncio.run(load())
    assert "<svg" in before
    assert "<svg" not in after
    assert shown == ["ScoresView", "TradeoffView", "EpsilonStarView"]


def test_without_tabs_all_is_built_at_once(scores: AttackScores) -> None:
    async def ask() -> set[str]:
        return built(explore(scores, layout=["mechanism", "risk"]))

    assert asyncio.run(ask()) == {"MechanismView", "RiskView"}


def test_a_view_that_cannot_be_built_leaves_the_others(
    scores: AttackScores, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_view: MechanismView) -> None:
        raise RuntimeError("broken")

    async def choose() -> tuple[str, list[str]]:
        errors = []
        asyncio.get_running_loop().set_exception_handler(lambda _, found: errors.append(found))
        explorer = explore(scores)
        monkeypatch.setattr(MechanismView, "make_children", fail)
        explorer.tab_bar.selected = "how"
        async with asyncio.timeout(60):
            while not errors:
                await asyncio.sleep(0.01)
        assert explorer.tab_bar.shown == "how"  # no longer busy
        assert explorer.shown_views == ()
        monkeypatch.undo()
        explorer.tab_bar.selected = "board"
        explorer.tab = "how"
        explorer.tab_bar.selected = "claim"
        explorer.close()  # while a text stands for views
        return text_of(explorer), [type(view).__name__ for view in explorer.shown_views]

    text, shown = asyncio.run(choose())
    assert "broken" not in text
    assert shown == []


@pytest.mark.parametrize("has_scores", [True, False])
def test_every_view_can_stand_still(scores: AttackScores, has_scores: bool) -> None:
    store = explore(scores if has_scores else None).store
    for kind in view_classes_by_name().values():
        if kind.has_content_for(store):
            scenes, result = kind.initial_scenes_and_result(store.result)
            view = StaticView(kind=kind, scenes=scenes, result=result, folds=(), is_new=True)
            text = static_views_html([view], "panel", font_scale=1.0)
            page = ET.fromstring(f"<body>{text}</body>")
            drawn = [scene for scene in scenes if not scene.is_empty(result)]
            assert len(page.findall(".//svg")) == len(drawn), kind
            titles = [each.text for each in page.findall(".//*[@role='heading']")]
            assert titles == [scene.title_of(result) for scene in scenes]


def test_short_views_share_a_column_beside_two_others_alone() -> None:
    kinds = list(view_classes_by_name().values())
    assert sum(kind.is_short for kind in kinds) > 1
    css = positions_css("panel", shown=kinds, others=[], columns=len(kinds))
    assert "repeat(" not in css  # with twenty columns beside, each was a letter wide
    evidence = [kind for kind in kinds if kind.is_short or kind is kinds[0] or kind is kinds[1]]
    assert "repeat(2," in positions_css("panel", shown=evidence, others=[], columns=3)
