"""The maps of lesson 3: one income moves the averages, and the curves, as far as ε says."""

import math

import numpy as np
import pytest

from dpviz import teach
from dpviz.teach.games.maps import FOOT, LEFT, LEVELS, WIDTH, Maps, density_curve
from tests.teach.games.parts import parts


def test_another_income_moves_each_average_by_the_change_per_person() -> None:
    maps = Maps(login="ada", person=3)
    own = int(maps.incomes[3])
    changed = Maps(login="ada", person=3, income=200)
    for i, people in enumerate((1000, 100, 20)):
        rest = np.delete(maps.incomes[:people], 3)
        assert (maps.published - maps.noise)[i] == pytest.approx((rest.sum() + own) / people)
        assert (changed.published - maps.noise)[i] == pytest.approx((rest.sum() + 200) / people)
    assert f"This person earns {own}. An income of 200 moves the averages: " in changed.text
    assert f"street {(200 - own) / 20:.3g}. Published are: " in changed.text


@pytest.mark.parametrize(("people", "epsilon"), [(1000, 0.1), (100, 1.0), (20, 5.0)])
def test_the_curves_of_two_incomes_differ_by_at_most_epsilon(people: int, epsilon: float) -> None:
    """Incomes 0 and 200 move an average of n people by 200 / n, against noise of scale 2."""
    assert LEVELS.epsilons.tolist()[(1000, 100, 20).index(people)] == pytest.approx(epsilon)
    x = np.linspace(LEFT[0], LEFT[0] + WIDTH, 50)
    curves = [density_curve(LEFT[0], move) for move in (-100 / people, 100 / people)]
    low, high = (np.interp(x, each[:, 0], each[:, 1] - FOOT) for each in curves)
    assert np.abs(np.log(low / high)).max() == pytest.approx(epsilon, rel=0.01)


def test_the_incomes_of_a_login_stay_in_the_range_that_sensitivity_assumes() -> None:
    incomes = Maps(login="ada").incomes
    assert 0 <= incomes.min() < incomes.max() <= 200
    assert (incomes == Maps(login="ada", income=0).incomes).all()
    assert not (incomes == Maps(login="bob").incomes).all()


def test_a_person_is_changed_by_the_slider_and_by_buttons() -> None:
    shown = teach.game(3, login="ada")
    _, [slider], _, text = parts(shown)
    slider.value = 150
    assert shown.game.income == 150
    shown.press("start again")
    assert slider.value == shown.game.incomes[0]
    assert "moves the averages: country 0, town 0, street 0." in text.value
    shown.press("another person")
    assert (shown.game.person, slider.value) == (1, shown.game.incomes[1])


def test_all_maps_together_cost_the_sum() -> None:
    assert math.isclose(LEVELS.epsilon, 0.1 + 1 + 5)


def test_after_the_last_person_of_the_street_comes_the_first() -> None:
    last = Maps(login="ada", person=19, income=0)
    assert last.moves["another person"](last) == Maps(login="ada")
