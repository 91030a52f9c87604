"""Several attacks and a pinned point in an explorer: layers, labels, undo, files."""

from typing import Any

import numpy as np
import pytest

import dpviz
from dpviz import AttackScores
from dpviz.analysis.attacks import MOST_COMPARED
from dpviz.analysis.topics.answer import Ruler
from dpviz.analysis.topics.attacks import OtherAttackCurves
from dpviz.widgets import Explorer, RegionView, TradeoffView
from dpviz.widgets.controls.menus import ADD_ATTACK, NO_SCORES
from tests.widgets.controls.test_menus import upload

RNG = np.random.default_rng(2)
SCORES, LIRA = (
    AttackScores(member=RNG.normal(leak, 1, 60), nonmember=RNG.normal(0, 1, 80))
    for leak in (0.5, 2.5)
)
NAME = 'LiRA <b>&"'


def shown_layer(view: Any, kind: type) -> Any:
    return next(each for each in view.pictures_on_page[0].layers if isinstance(each, kind))


@pytest.mark.parametrize("axes", ["linear", "roc", "log-log"])
def test_curves_have_names_and_dashes_of_their_own(axes: str) -> None:
    names = {str(i): LIRA for i in range(MOST_COMPARED)}
    view = TradeoffView(scores=SCORES, compare=names, fpr=0.1)
    view.axes = axes
    marks = shown_layer(view, OtherAttackCurves).marks_by_name()
    lines = [marks[f"line {i}"].mark for i in range(MOST_COMPARED)]
    assert len({(line.line_style, line.stroke_width) for line in lines}) == MOST_COMPARED
    assert len({line.colors[0] for line in lines}) == 1  # the hue of what an attack reached
    assert [marks[f"name {i}"].mark.names[0] for i in range(MOST_COMPARED)] == list(names)
    assert all(np.isfinite(line.x).all() and np.isfinite(line.y).all() for line in lines)
    view.compare = {"LiRA": LIRA}
    assert [line.visible for line in lines] == [True] + [False] * (MOST_COMPARED - 1)
    assert "LiRA" in view.texts["lowest"].value
    view.removals.children[0].click()
    assert dict(view.compare) == {}
    assert view.texts["lowest"].value == ""


def test_names_are_data_everywhere() -> None:
    explorer = dpviz.explore(SCORES, compare={NAME: LIRA}, layout=["tradeoff"])
    explorer.answer_view.compute()
    texts = [explorer.answer_view.text.value, explorer.shown_views[0].texts["lowest"].value]
    assert all("LiRA &lt;b&gt;" in text and "<b>" not in text for text in texts)
    label = (
        next(layer for layer in explorer.answer_view.pictures[0].layers if isinstance(layer, Ruler))
        .marks_by_name()["label of attack 0"]
        .mark.names[0]
    )
    assert label.startswith(f"{NAME} ≥ ")
    for name in ("ruler", "region", "tradeoff", "roc", "tail"):
        assert "LiRA &lt;b&gt;" in explorer.result.svg(name)


def test_compared_attacks_are_undone_and_end_with_the_scores() -> None:
    explorer = dpviz.explore(SCORES, layout=["region"])
    explorer.compare = {"LiRA": LIRA}
    explorer.undo()
    assert not explorer.compare
    explorer.redo()
    assert explorer.compare["LiRA"] is LIRA
    explorer.source.menu.value = NO_SCORES
    assert (explorer.error, dict(explorer.compare)) == ("", {})
    explorer.undo()
    assert explorer.compare["LiRA"] is LIRA


def test_an_attack_of_a_file_is_compared() -> None:
    explorer = dpviz.explore(SCORES, layout=["tradeoff"])
    content = b"loss,member\n0.5,1\n0.7,0\n0.9,0\n"
    for expected in (["mine"], ["mine", "mine (2)"]):
        explorer.source.menu.value = ADD_ATTACK
        upload(explorer, "mine.csv", content)
        assert (explorer.error, list(explorer.compare)) == ("", expected)
    assert explorer.store.scores is SCORES
    upload(explorer, "other.csv", content)  # a file that is not asked for is data
    assert explorer.store.scores is not SCORES


def test_a_point_is_pinned_by_its_button_and_by_python() -> None:
    view = RegionView(epsilon=1.0, fpr=0.1, fnr=0.5)
    view.pin.click()
    assert view.pinned_point == (0.1, 0.5)
    assert view.pin.disabled
    view.fnr = 0.3
    assert "the current point leaks more" in view.texts["pinned_point"].value
    view.unpin.click()
    assert view.texts["pinned_point"].value == ""
    explorer = dpviz.explore(SCORES, fpr=0.1)
    explorer.pin_point()
    reached = explorer.result.sample.at_fpr
    assert explorer.pinned_point == (reached.fpr, reached.fnr)
    assert Explorer.from_state(explorer.state(), SCORES).pinned_point == explorer.pinned_point
    assert f"pinned_point=[{reached.fpr}, {reached.fnr}]" in explorer.code()
    explorer.undo()
    assert explorer.pinned_point is None
