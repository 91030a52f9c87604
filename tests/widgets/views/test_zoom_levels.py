"""The incomes of the lecture as a view."""

import pytest

from dpviz.theory import LaplaceMechanism
from dpviz.widgets import ZoomLevelsView


def test_it_says_what_each_map_and_all_of_them_leak() -> None:
    view = ZoomLevelsView()
    assert "ε = 0.002 with 1 region and ε = 5 with 2500; all maps together have ε = 5.11" in (
        view.texts["zoom_levels_lead"].value
    )
    view.regions.box.value = "1, 50"
    assert view.levels.regions == (1, 50)
    assert "all maps together have ε = 0.102" in view.texts["zoom_levels_lead"].value
    view.use.click()
    assert isinstance(view.claim, LaplaceMechanism)
    assert view.claim.epsilon(0.0) == pytest.approx(0.102)


def test_what_is_refused_changes_nothing() -> None:
    view = ZoomLevelsView()
    before = view.levels
    view.choose(low=300.0)
    assert view.error
    assert view.levels is before
    view.regions.box.value = "1, many"
    assert "regions" in view.error
    assert view.regions.box.value == "1, 50, 2500"
    view.choose(regions=[7])
    assert view.error == ""
    assert "averages have ε = 0.0141 with 7 regions" in view.texts["zoom_levels_lead"].value
