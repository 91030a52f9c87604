"""The buttons of the explorer: offered when there is a step, and the code beside them."""

from collections.abc import Iterator
from html import unescape

import ipywidgets
import pytest

from dpviz import explore
from dpviz.theory import GaussianDP, GroupPrivacy
from dpviz.widgets import Explorer
from dpviz.widgets.controls.buttons import CODE


def offered(explorer: Explorer) -> list[bool]:
    row = explorer.history
    return [not button.disabled for button in (row.undo, row.redo, row.reset)]


def test_buttons_are_offered_when_there_is_a_step(explorer: Explorer) -> None:
    row = explorer.history
    assert offered(explorer) == [False, False, False]
    explorer.epsilon = 2.0
    assert offered(explorer) == [True, False, True]
    row.undo.click()
    assert explorer.epsilon == 1.0
    assert offered(explorer) == [False, True, False]
    row.redo.click()
    assert explorer.epsilon == 2.0
    row.reset.click()
    assert explorer.epsilon == 1.0
    assert offered(explorer) == [True, False, False]
    assert explorer.controls["epsilon"].box.value == "1"


def test_a_click_that_comes_too_late_is_an_error_line(explorer: Explorer) -> None:
    explorer.history.undo.click()
    assert explorer.error == "undo must follow a change, got nothing to take back"
    explorer.epsilon = 2.0
    explorer.history.undo.click()
    assert explorer.error == ""


def within(widget: ipywidgets.Widget) -> Iterator[ipywidgets.Widget]:
    for child in getattr(widget, "children", ()):
        yield child
        yield from within(child)


def test_every_button_says_what_it_does(explorer: Explorer) -> None:
    row = explorer.history
    for button in (row.undo, row.redo, row.reset, row.show_code):
        assert button.description
        assert button.tooltip
    inside = list(within(explorer))
    assert all(button in inside for button in (row.undo, row.redo, row.reset, row.show_code))


def shown(explorer: Explorer) -> str:
    after = CODE.partition("{text}")[2]
    text = explorer.history.text.value
    assert text.endswith(after)
    return unescape(text.removesuffix(after).partition(">")[2])


def test_the_code_is_shown_on_demand_and_follows() -> None:
    explorer = explore(epsilon=2.0)
    row = explorer.history
    assert (row.text.value, row.text.is_hidden) == ("", True)
    row.show_code.value = True
    assert not row.text.is_hidden
    assert shown(explorer) == explorer.code()
    explorer.prior = 0.1
    assert shown(explorer) == explorer.code()
    assert "prior=0.1" in shown(explorer)
    row.show_code.value = False
    assert row.text.is_hidden


@pytest.mark.parametrize("label", ["tabindex", "aria-label", 'role="region"'])
def test_the_code_can_be_reached_without_a_mouse(explorer: Explorer, label: str) -> None:
    explorer.history.show_code.value = True
    assert label in explorer.history.text.value.partition(">")[0]


def test_the_code_is_data(explorer: Explorer) -> None:
    """A class of the user may be called anything."""
    odd = type("<b>", (GaussianDP,), {})
    explorer.history.show_code.value = True
    explorer.claim = odd(mu=1.0)
    assert "<b>" not in explorer.history.text.value
    assert shown(explorer).startswith("# no code: claim must be of a class in")
    assert "'<b>'" in shown(explorer)
    assert explorer.error == ""


def test_what_has_no_code_leaves_the_explorer_at_work(explorer: Explorer) -> None:
    explorer.claim = GroupPrivacy(GaussianDP(mu=0.5), size=3)
    explorer.history.show_code.value = True
    assert "GroupPrivacy" in shown(explorer)
    explorer.claim = GaussianDP(mu=0.5)
    assert shown(explorer) == explorer.code()
