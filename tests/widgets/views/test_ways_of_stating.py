"""The view of one claim in every way of stating it."""

import pytest

from dpviz.analysis.topics.ways_of_stating import WAYS_OF_STATING
from dpviz.drawing.svg import TICK_FONT_SIZE, TICK_LENGTH, shortened
from dpviz.theory import GaussianMechanism, PureDP, SubsampledGaussian, TradeoffFunction
from dpviz.widgets import WaysOfStatingView


def test_it_says_how_much_more_an_epsilon_and_delta_allow() -> None:
    view = WaysOfStatingView(claim=GaussianMechanism(noise_multiplier=1.0), fpr=0.01)
    lead, table = view.texts["ways_of_stating_lead"], view.table
    # Phi(Phi^-1(0.01) + 1) = 9.24 %
    assert "At FPR 1 % at most 9.24 % of members are caught. If only ε = 4.7" in lead.value
    for row in (
        "μ = 1<",
        "ρ = 0.5 (zCDP)<",
        "ε = 4.38, δ = 1e-5<",
        "79.7 %<",
        "no finite ε at δ = 0",
    ):
        assert row in table.value
    view.fpr = 0.1
    assert "At FPR 10 % at most 39 %" in lead.value  # Phi(Phi^-1(0.1) + 1) = 38.9 %
    view.delta = 1e-3
    assert "δ = 0.001" in table.value
    assert "δ = 1e-5" not in table.value


def test_numbers_are_those_of_the_claim_as_it_is_given() -> None:
    """Poisson samples lose their Rényi divergences under a conversion of the adjacency."""
    sgd = SubsampledGaussian(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    view = WaysOfStatingView(claim=sgd, fpr=0.01)
    assert "(add/remove)" in view.texts["ways_of_stating"].value
    assert "ε = 1.83, δ = 1e-5<" in view.table.value  # as dp-accounting says
    assert "ρ = 500 (zCDP)" in view.table.value


@pytest.mark.parametrize("claim", [PureDP(epsilon=0.0), PureDP(epsilon=float("inf"))])
def test_claims_without_a_number_have_a_sentence(claim: TradeoffFunction) -> None:
    view = WaysOfStatingView(claim=claim, fpr=0.01)
    lead = view.texts["ways_of_stating_lead"].value
    assert "All ways of stating the claim allow this rate." in lead
    assert view.error == ""


def test_small_rates_have_long_bars() -> None:
    view = WaysOfStatingView(claim=PureDP(epsilon=1.0), fpr=1e-4)
    longest = max(allowed for allowed in view.result.answers["ways_of_stating"].allowed if allowed)
    assert longest < 0.01
    assert view.pictures[0].frame.x.high == pytest.approx(1.5 * longest)
    view.fpr = 1.0
    assert view.pictures[0].frame.x.high == 1.16
    view.fpr = 0.0
    assert view.error == ""


def test_names_with_long_numbers_have_room() -> None:
    view = WaysOfStatingView(claim=GaussianMechanism(noise_multiplier=1.0), fpr=0.01)
    view.delta = 1.23e-10
    frame = view.pictures[0].frame
    longest = max(frame.y.ticks.values(), key=len)
    assert longest.endswith("δ = 1.23e-10 through Rényi")
    assert shortened(longest, TICK_FONT_SIZE, WAYS_OF_STATING.left - TICK_LENGTH - 3) == longest
