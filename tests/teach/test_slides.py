"""The slides of each lesson: what they state, and which numbers they begin with."""

import math

import pytest
from scipy import stats
from scipy.optimize import brentq

from dpviz import read_sample, teach
from dpviz.teach.lessons.registry import LESSONS
from dpviz.widgets.present import Presentation


def opened(number: int) -> Presentation:
    slides = teach.slides(number, login="ada")
    slides.presenter.open()
    assert slides.presenter.presentation is not None
    return slides.presenter.presentation


WITH_SCORES = [pytest.param(number, marks=pytest.mark.slow) for number in (5, 6)]


@pytest.mark.parametrize("number", [*sorted(LESSONS.keys() - {5, 6}), *WITH_SCORES])
def test_each_slide_has_a_title_a_claim_a_sentence_and_a_picture(number: int) -> None:
    shown = opened(number)
    assert 5 <= len(shown.slides) <= 7
    for slide in shown.slides:
        assert slide.title
        assert "{" not in slide.title + slide.text
        assert "dpviz-slide_claim" in shown.texts["slide_claim"].value
        assert "ε" in shown.texts["slide_claim"].value
        if slide.widget is None:
            assert slide.text or all(text.value for text in shown.texts.values())
            assert not shown.pictures[0].scene.is_empty(shown.result)
        shown.forth.click()


def test_a_slide_states_the_claim_of_its_lesson_and_follows_its_slider() -> None:
    shown = opened(1)
    assert "the claim ε = 2.5, δ = 0.0001" in shown.texts["slide_claim"].value
    for _ in range(3):
        shown.forth.click()
    assert "ε = 1, δ = 0" in shown.texts["slide_claim"].value
    shown.change(epsilon=1.5)
    assert "ε = 1.5, δ = 0" in shown.texts["slide_claim"].value
    shown.forth.click()
    shown.back.click()
    assert shown.result.spec.epsilon == 1.0  # a slide begins as it is written


def test_gaussian_noise_is_stated_with_the_epsilon_of_the_delta_that_is_shown() -> None:
    shown = opened(2)
    shown.forth.click()
    shown.forth.click()
    for delta in (0.127, 0.01):
        shown.change(delta=delta)
        # Rounded up, where Phi(1/2 - ε) - e^ε Phi(-1/2 - ε) is δ: Dong, Roth, Su, Corollary 2.13.
        epsilon = brentq(
            lambda e, d=delta: stats.norm.cdf(0.5 - e) - math.exp(e) * stats.norm.cdf(-0.5 - e) - d,
            0.0,
            5.0,
        )
        stated = f"GDP μ = 1 implies (ε, δ) = ({math.ceil(100 * epsilon) / 100:g}, {delta})"
        assert stated in shown.texts["slide_claim"].value


def test_base_rates_begin_where_members_are_rare() -> None:
    shown = opened(4)
    shown.forth.click()
    # 90 % of 100 members; 5 % of 9900 others, by the claim's curve: 1 - e^2.891 0.05 - 1e-5 = 0.1
    assert (
        "calls 585 people “member” (members: 90, non-members: 495)"
        in shown.texts["population"].value
    )


@pytest.mark.slow
def test_a_slide_has_scores_of_its_own_and_a_menu_changes_its_clip() -> None:
    shown = opened(5)
    numbers = []
    for _ in shown.slides:
        numbers.append(None if shown.store.scores is None else shown.store.scores.n_members)
        if shown.controls:
            [menu] = shown.controls
            menu.widget.value = "0.01"
            assert shown.result.spec.clip == 0.01
        shown.forth.click()
    overfitted, own = read_sample("overfitted"), teach.data_for("ada").scores
    assert numbers == [2000, 2000, *[overfitted.n_members] * 2, None, own.n_members]
