"""Audits with ten times the records: known truth, ceilings, bounds."""

import math
from itertools import pairwise

import pytest

from dpviz import teach
from dpviz.teach.games.more_records import TRUTH, MoreRecords


def test_the_truth_is_that_of_laplace_noise() -> None:
    """Laplace noise that hides a shift of 2 scales has δ = 1 - exp((ε - 2) / 2)."""
    assert pytest.approx(2 + 2 * math.log(1 - 1e-5), abs=1e-9) == TRUTH


def test_an_audit_of_100_records_has_a_bound_below_its_ceiling() -> None:
    [first] = MoreRecords(login="ada").audits
    assert first.n == 100
    assert first.ceiling == pytest.approx(4.18, abs=0.005)  # of 100 against 100, in the lesson
    assert 0 < first.certified < first.epsilon_star < first.ceiling
    assert "exceeds the truth" not in MoreRecords(login="ada").text
    with pytest.raises(ValueError, match="steps must be a whole number from 0 to 3, got 4"):
        MoreRecords(login="ada", steps=4)


@pytest.mark.slow
def test_the_bound_rises_towards_the_truth_and_the_ceiling_with_the_log_of_n() -> None:
    shown = teach.game(6, login="ada")
    for _ in range(4):  # once more than there are steps
        shown.press("ten times the records")
    audits = shown.game.audits
    assert [each.n for each in audits] == [100, 1000, 10_000, 100_000]
    assert audits[1].ceiling == pytest.approx(6.50, abs=0.005)
    for before, after in pairwise(audits):
        assert after.ceiling - before.ceiling == pytest.approx(math.log(10), abs=0.15)
    assert audits[0].certified < audits[-1].certified
    assert abs(audits[-1].certified - TRUTH) < 0.15
    assert abs(audits[-1].epsilon_star - TRUTH) < abs(audits[0].epsilon_star - TRUTH)
