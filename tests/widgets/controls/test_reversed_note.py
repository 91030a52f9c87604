"""The note about reversed scores: when it is shown, and what its buttons load."""

import numpy as np
import pytest

from dpviz import AttackScores, explore
from dpviz.widgets import Explorer

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
