"""The strip of the explorer: undo, redo, the code, and the note about reversed scores."""

import re
from collections.abc import Iterator
from html import unescape

import ipywidgets
import numpy as np
import pytest

from dpviz import AttackScores, explore
from dpviz.theory import GaussianDP, GroupPrivacy
from dpviz.widgets import Explorer
from dpviz.widgets.controls.column import CODE_HTML


@pytest.fixture
def explorer(scores: AttackScores) -> Explorer:
    """With few views: what is tested here is the same, and it is made in a seventh of the time."""
    return explore(scores, layout=["region", "tradeoff"])


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
    assert explorer.error == "undo must follow a change, got nothing to undo"
    explorer.epsilon = 2.0
    explorer.history.undo.click()
    assert explorer.error == ""


def test_each_row_of_the_read_out_stands_below_its_fpr(scores: AttackScores) -> None:
    explorer = explore(scores, epsilon=1.0, fpr=0.25, layout=["region"])
    texts = re.findall(r"<(?:caption|th) .*?>(.*?)</", explorer.readout.widget.value)
    texts = [re.sub("<.*?>", "", text) for text in texts]
    first, second = texts.index("Rates (%) at FPR 25 %"), texts.index("Rates (%) at FPR 1 %")
    assert texts[first + 1 : second] == ["claim", "attack", "caught", "right", "advantage"]
    assert texts[second + 1 :] == ["caught"]


def within(widget: ipywidgets.Widget) -> Iterator[ipywidgets.Widget]:
    for child in getattr(widget, "children", ()):
        yield child
        yield from within(child)


def test_without_scores_the_read_out_has_no_heading_for_an_attack(scores: AttackScores) -> None:
    """While the browser writes the cells; the claim is not contradicted at any FPR."""
    made = explore(scores, epsilon=20.0)
    assert made.store.live is not None
    made.store.live.ready = True
    headings: list[list[str]] = []
    for loaded in (scores, None, scores):
        made.store.load(loaded)
        headings.append(re.findall(r'scope="col"[^>]*>(\w+)', made.readout.widget.value))
    assert headings == [["claim", "attack"], ["claim"], ["claim", "attack"]]


def test_every_button_says_what_it_does(explorer: Explorer) -> None:
    row = explorer.history
    for button in (row.undo, row.redo, row.reset, row.show_code):
        assert button.description
        assert button.tooltip
    inside = list(within(explorer))
    assert all(button in inside for button in (row.undo, row.redo, row.reset, row.show_code))


def shown(explorer: Explorer) -> str:
    after = CODE_HTML.partition("{text}")[2]
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


MEMBER, NONMEMBER = [0.5, 0.6, 0.7, 0.8, 0.9], [0.1, 0.2, 0.3, 0.4, 0.45]


@pytest.fixture
def reversed_explorer() -> Explorer:
    """Members have the higher losses."""
    return explore(AttackScores.from_losses(member=MEMBER, nonmember=NONMEMBER))


def is_shown(explorer: Explorer) -> bool:
    return not explorer.reversed_note.widget.is_hidden


def losses(explorer: Explorer) -> tuple[list[float], list[float]]:
    scores = explorer.store.scores
    assert isinstance(scores, AttackScores)
    sign = -1 if scores.kind == "loss" else 1
    return sorted(sign * scores.member), sorted(sign * scores.nonmember)


def test_high_can_mean_member(reversed_explorer: Explorer) -> None:
    explorer = reversed_explorer
    assert is_shown(explorer)
    assert explorer.reversed_note.turn.description == "high = member"
    explorer.reversed_note.turn.click()
    assert not is_shown(explorer)
    assert explorer.store.scores is not None
    assert explorer.store.scores.kind == "score"
    np.testing.assert_allclose(losses(explorer), (MEMBER, NONMEMBER))
    assert explorer.result.sample is not None
    assert explorer.result.sample.rates.auc.value == 1.0
    explorer.undo()
    assert is_shown(explorer)


def test_the_classes_can_be_swapped(reversed_explorer: Explorer) -> None:
    reversed_explorer.reversed_note.swap.click()
    assert not is_shown(reversed_explorer)
    np.testing.assert_allclose(losses(reversed_explorer), (NONMEMBER, MEMBER))


def test_they_can_be_kept(reversed_explorer: Explorer) -> None:
    scores = reversed_explorer.store.scores
    reversed_explorer.reversed_note.keep.click()
    reversed_explorer.epsilon = 2.0
    assert not is_shown(reversed_explorer)
    assert reversed_explorer.store.scores is scores


def test_other_scores_have_no_note(explorer: Explorer) -> None:
    assert not is_shown(explorer)


def test_the_row_at_one_percent_says_where_else_the_claim_is_contradicted() -> None:
    """Nobody is found at FPR 1 %, but high losses, of 30 % of non-members, are never a member's."""
    nonmember = np.concatenate([np.linspace(0, 1, 280), np.linspace(2, 3, 120)])
    hints = []
    for epsilon in (0.5, 8.0):
        explorer = explore((np.linspace(0, 1, 200), nonmember), epsilon=epsilon)
        explorer.complete_audit()
        hints.append(unescape(explorer.readout.widget.value))
    hint = r"ε = 0\.5 is contradicted at another FPR, most clearly at ([\d.]+) %\."
    first, second = (re.findall(hint, text) for text in hints)
    assert 70 <= float(first[0]) <= 73
    assert not second
