"""Layouts and tabs of the explorer from Python: names, errors, what the saved state knows."""

import pytest
from ipywidgets.widgets.widget import _instances
from traitlets import TraitError

from dpviz import AttackScores, explore
from dpviz.widgets import Explorer
from dpviz.widgets.tabs import TABS


def names(explorer: Explorer) -> list[str]:
    return [type(view).__name__ for view in explorer.shown_views]


def test_the_first_tab_is_the_answer_with_scores_and_the_promise_without(
    scores: AttackScores,
) -> None:
    assert explore(scores).tab == "answer"
    assert explore().tab == "promised"


def test_a_list_shows_these_views_in_this_order(scores: AttackScores) -> None:
    explorer = explore(scores, layout=["scores", "region"])
    assert names(explorer) == ["ScoresView", "RegionView"]
    assert explorer.tab == ""
    with pytest.raises(TraitError, match="tab must be left alone"):
        explorer.tab = "answer"


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


@pytest.mark.parametrize("layout", ["pages", ["region", "regoin"], [], 3, [None]])
def test_a_layout_that_does_not_exist_is_refused(layout: object) -> None:
    with pytest.raises(ValueError, match="layout must be"):
        explore(layout=layout)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["answers", "answer", "reached", "", 3])
def test_a_tab_that_cannot_be_shown_is_refused(name: object) -> None:
    explorer = explore()
    with pytest.raises(TraitError):
        explorer.tab = name  # type: ignore[assignment]
    assert explorer.tab == "promised"
    assert names(explorer) == ["RegionView", "ProfileView", "RiskView"]


def test_unloading_leaves_a_tab_that_needs_scores(scores: AttackScores) -> None:
    explorer = explore(scores)
    explorer.tab = "reached"
    explorer.store.load(None)
    assert explorer.tab == "promised"
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
    explorer.tab = "follows"
    again = Explorer.from_state(explorer.state(), scores)
    assert again.tab == "follows"
    some = explore(layout=["region"])
    assert names(Explorer.from_state(some.state())) == ["RegionView"]
    state = explore().state()
    older = {name: value for name, value in state.items() if name not in ("layout", "tab")}
    assert Explorer.from_state(older).tab == "promised"
    with pytest.raises(ValueError, match=r"state\.tab must be one of"):
        Explorer.from_state(state | {"tab": "answers"})


def test_all_views_can_be_had_from_any_tab() -> None:
    explorer = explore()
    assert len(explorer.panel.built) == len(TABS["promised"].views)
    assert len(explorer.views) > 10
    assert names(explorer) == ["RegionView", "ProfileView", "RiskView"]


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
