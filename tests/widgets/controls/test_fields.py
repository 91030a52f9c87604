"""Sliders in their scales, exact boxes, menus."""

import pkgutil
import re
from importlib import import_module

import pytest

import dpviz.widgets
from dpviz.number_format import tidy_rate
from dpviz.theory import ApproximateDP
from dpviz.widgets import EpsilonStarView, Explorer


def test_a_menu_s_text_that_is_a_number_is_the_number_chosen() -> None:
    """By text, value: all menus that the modules of the widgets state."""
    found = pkgutil.walk_packages(dpviz.widgets.__path__, "dpviz.widgets.")
    named = [each for module in found for each in vars(import_module(module.name)).values()]
    menus = [each for each in named if isinstance(each, dict) and set(map(type, each)) == {str}]
    pairs = [(re.sub(r"\s", "", text), value) for menu in menus for text, value in menu.items()]
    numbers = [(float(text), value) for text, value in pairs if re.fullmatch(r"[\d.]+", text)]
    assert len(numbers) >= 12
    assert [value for _, value in numbers] == [number for number, _ in numbers]


@pytest.mark.parametrize(
    ("name", "text", "value", "step"),
    [
        ("epsilon", "2.5", 2.5, 50),
        ("epsilon", "inf", float("inf"), 200),
        ("delta", "1e-6", 1e-6, 61),
        ("delta", "0", 0.0, 0),
        ("delta", "1", 1.0, 118),
        ("prior", "0.01", 0.01, 40),
        ("prior", "1e-9", 1e-9, 0),
        ("fpr", "0.001", 0.001, 61),
        ("fpr", "0", 0.0, 0),
    ],
)
def test_box_to_slider(
    same_explorer: Explorer, name: str, text: str, value: float, step: int
) -> None:
    control = same_explorer.controls[name]
    control.box.set_state({"value": text})
    assert getattr(same_explorer, name) == value
    assert control.slider.value == step


@pytest.mark.parametrize(
    ("name", "step", "value"),
    [
        ("epsilon", 47, 2.35),
        ("delta", 62, 1.26e-6),
        ("delta", 0, 0.0),
        ("delta", 1, 1e-12),
        ("prior", 80, 0.5),
        ("prior", 160, 0.9999),
        ("prior", 40, 0.0099),
        ("fpr", 0, 0.0),
        ("fpr", 121, 1.0),
    ],
)
def test_slider_to_value(same_explorer: Explorer, name: str, step: int, value: float) -> None:
    same_explorer.controls[name].slider.set_state({"value": step})
    assert getattr(same_explorer, name) == pytest.approx(value, rel=1e-12)
    assert float(same_explorer.controls[name].box.value) == pytest.approx(value, rel=1e-5)


def test_the_slider_does_not_round_what_the_box_says(same_explorer: Explorer) -> None:
    same_explorer.epsilon = 1.23456
    assert same_explorer.controls["epsilon"].box.value == "1.23456"
    assert same_explorer.epsilon == 1.23456


def test_menus_follow_and_change() -> None:
    view = EpsilonStarView(clip=0.02)
    method, clip, *_ = view.controls
    assert clip.widget.value == "0.02"
    clip.widget.set_state({"index": 1})
    assert view.clip is None
    method.widget.set_state({"index": 1})
    assert view.method == "normal"
    view.method = "empirical"
    assert method.widget.value == "empirical"


@pytest.mark.parametrize("text", ["0.9999999", "1e-7", "0.123456789", "0.99999999"])
def test_the_box_is_exact(same_explorer: Explorer, text: str) -> None:
    same_explorer.controls["prior"].box.set_state({"value": text})
    assert same_explorer.prior == float(text)
    assert same_explorer.controls["prior"].box.value == text


@pytest.mark.parametrize(
    ("rate", "tidy"),
    [
        *((0.123456, 0.123), (0.5568, 0.557), (0.99968, 0.99968)),
        *((1 - 1.2345e-7, 0.999999877), (1 - 2**-53, 1 - 2**-53), (1, 1)),
    ],
)
def test_tidy_rates_keep_both_ends(rate: float, tidy: float) -> None:
    assert tidy_rate(rate) == tidy


@pytest.mark.parametrize("epsilon", [1e-300, 1e308, 1.79e308])
def test_tiny_and_huge_epsilons_are_drawn(same_explorer: Explorer, epsilon: float) -> None:
    same_explorer.epsilon = epsilon
    assert same_explorer.store.spec.claim == ApproximateDP(epsilon=epsilon, delta=1e-5)
