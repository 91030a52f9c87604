"""The view of published deployments beside the claim."""

import math

import pytest

import dpviz
from dpviz.theory import PureDP
from dpviz.widgets import DeploymentsView


def test_two_deployments_side_by_side() -> None:
    view = DeploymentsView(epsilon=1.0, delta=0.0, fpr=0.01, prior=0.1)
    view.choose(first="Community mobility, Google", second="HealthKit usage, Apple")
    tpr = 0.01 * math.exp(2.64)
    ppv = 0.1 * tpr / (0.1 * tpr + 0.9 * 0.01)
    assert (round(tpr, 4), round(ppv, 4)) == (0.1401, 0.6089)
    for cell in (">User-day-level<", ">Event-level<", ">pure DP ε = 2.64<", ">14.1 %<", ">60.9 %<"):
        assert cell in view.pair_table.value
    view.choose(units=2)
    assert "2 units together" in view.pair_table.value
    assert ">14.1 %<" not in view.pair_table.value
    view.choose(units=0)
    assert "units" in view.error


def test_deployments_are_counted_by_their_unit() -> None:
    view = DeploymentsView(claim=PureDP(epsilon=math.log(3)), fpr=0.01)
    stated = [each for each in dpviz.read_sample_registry() if each.guarantee is not None]
    for per, words in (("person", "per person"), ("event", "per event")):
        view.choose(per=per)
        most = [each.guarantee.tpr(0.01) > 0.5 for each in stated if each.per == per]
        lead = view.texts["deployments_lead"].value
        assert f"{sum(most)} of {len(most)} published guarantees {words}" in lead
        assert "the claim allows at most 3 %." in lead
        rows = view.result.answers["deployments"].rows
        assert [row.tpr for row in rows] == sorted(row.tpr for row in rows)
    view.epsilon = math.inf
    assert "the claim allows at most" not in view.texts["deployments_lead"].value


def test_both_can_be_seen_in_the_other_pictures() -> None:
    view = DeploymentsView(epsilon=1.0)
    view.choose(first="AutoPlay intent, Apple", second="Lookup hints, Apple")
    view.pin.click()
    assert view.store.spec.overlays == (PureDP(epsilon=8.0),)  # they state the same
    view.choose(second="Broadband coverage, Microsoft")
    view.pin.click()
    assert view.store.spec.overlays == (PureDP(epsilon=8.0), PureDP(epsilon=0.2))
    with pytest.raises(ValueError, match="first must be one of"):
        view.first = "FLEX, Uber"  # states an epsilon without its delta
