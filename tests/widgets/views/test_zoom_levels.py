"""The incomes of the lecture as a view."""

import pytest

from dpviz.analysis.words import MOST_WORDS
from dpviz.theory import GaussianDP, LaplaceMechanism
from dpviz.widgets import ZoomLevelsView


def test_it_says_what_each_map_and_all_of_them_leak() -> None:
    view = ZoomLevelsView()
    assert "ε = 0.002 with 1 region and ε = 5 with 2500; all maps together have ε = 5.102" in (
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
    axis = view.pictures[0].frame.y
    assert (axis.low, axis.high) == pytest.approx((0.001, 0.1))  # 0.01 would be at its edge


def test_norms_and_records_of_a_person_are_chosen() -> None:
    view = ZoomLevelsView()
    view.noise.widget.value = "L2 norm: Gaussian noise, μ-GDP"
    assert "all maps together have μ = 5.002" in view.texts["zoom_levels_lead"].value
    view.choose(per_person=3)
    assert "For 3 records a person, averages have μ = 0.006" in view.texts["zoom_levels_lead"].value
    assert "(user-level)" in view.texts["zoom_levels"].value
    view.use.click()
    assert isinstance(view.claim, GaussianDP)
    assert view.claim.mu == pytest.approx(15.003, abs=1e-3)
    for norm in ("l1", "l2", "linf"):
        view.choose(norm=norm)
        lead = view.with_answers_of_view(view.result).sentences["zoom_levels_lead"]
        assert len(lead.split()) <= MOST_WORDS
    assert view.use.disabled
    view.choose(norm="l3")
    assert "norm must be one of" in view.error
    assert view.norm == "linf"
    view.choose(per_person=100)
    assert "per_person must be a whole number from 1 to 40" in view.error
