"""The page as one widget: its traits, what a hand asks for, and what it cannot draw."""

from typing import Any

import pytest

import dpviz
from dpviz import theory
from dpviz.widgets import LivePage


def ask(page: LivePage, serial: int, **changes: float | None) -> None:
    """As the browser does when the user lets go."""
    page.hand = {"serial": serial, "changes": {"": changes}}


def shown(page: LivePage) -> str:
    """The page's HTML, with blanks at which lines may break."""
    return str(page.page["html"]).replace("\N{NO-BREAK SPACE}", " ")


def test_traits_and_hands_change_the_same_numbers() -> None:
    page = LivePage(dpviz.read_sample("overfitted"), epsilon=1.0)
    assert "The losses contradict the claim ε = 1." in shown(page)
    page.epsilon = 3.0
    assert "do not contradict ε = 3." in shown(page)
    ask(page, 1, epsilon=1.5, prior=0.1)
    assert (page.epsilon, page.prior, page.page["answers"]) == (1.5, 0.1, 1)
    assert "contradict the claim ε = 1.5" in shown(page)
    ask(page, 1, epsilon=9.0)  # late, and answered already
    assert page.epsilon == 1.5


def test_python_changes_the_page_without_scores() -> None:
    page = LivePage(epsilon=1.0)
    page.epsilon = 2.0
    assert "ε = 2" in shown(page)


def test_an_error_is_said_and_the_last_good_picture_stays() -> None:
    page = LivePage(epsilon=1.0)
    before = page.page["script"]
    ask(page, 1, delta=2.0)
    assert (page.delta, page.page["answers"], page.page["script"]) == (1e-5, 1, before)
    assert "δ must be from 0 to 1 (you typed 2)." in shown(page)
    ask(page, 2, delta=0.1)
    assert page.delta == 0.1
    assert "you typed" not in shown(page)


def test_a_parameter_of_the_claim() -> None:
    page = LivePage(claim=theory.GaussianDP(mu=1.0))
    ask(page, 1, **{"claim.mu": 2.0})
    assert page.result.spec.claim == theory.GaussianDP(mu=2.0)


@pytest.mark.parametrize("name", ["claim.spec", "claim.base", "claim.adjacency", "store", "fnr2"])
def test_a_field_without_a_slider_is_refused(name: str) -> None:
    page = LivePage(claim=theory.GaussianDP(mu=1.0))
    spec = page.store.spec
    ask(page, 1, **{"claim.mu": 2.0, name: 0.5})
    assert page.store.spec is spec
    assert "field must be one of" in shown(page)


def test_a_claim_that_only_python_draws_has_no_controls() -> None:
    claim: Any = theory.SubsampledGaussian(noise_multiplier=1.0, sampling_rate=0.02, steps=100)
    page = LivePage(claim=claim)
    assert page.page["script"] is None
    assert "Change its numbers in Python" in shown(page)
    assert "<svg" in shown(page)


def test_pictures_are_chosen_by_name() -> None:
    page = LivePage(pictures=["profile"])
    assert page.page["html"].count("<figure") == 2  # the ruler, too
    with pytest.raises(ValueError, match="pictures must be one of"):
        LivePage(pictures=["nothing"])
    with pytest.raises(ValueError, match=r"epsilon must be in \[0, inf\], got -1"):
        LivePage(epsilon=-1.0)
