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
    [(n, certified, star, ceiling)] = MoreRecords(login="ada").audits
    assert n == 100
    assert ceiling == pytest.approx(4.18, abs=0.005)  # of 100 against 100, in the lesson
    assert 0 < certified < star < ceiling
    assert "exceeds the truth" not in MoreRecords(login="ada").text


@pytest.mark.slow
def test_the_bound_rises_towards_the_truth_and_the_ceiling_with_the_log_of_n() -> None:
    shown = teach.game(6, login="ada")
    for _ in range(4):  # once more than there are steps
        shown.press("ten times the records")
    sizes, certified, stars, ceilings = zip(*shown.game.audits, strict=True)
    assert sizes == (100, 1000, 10_000, 100_000)
    assert ceilings[1] == pytest.approx(6.50, abs=0.005)
    for before, after in pairwise(ceilings):
        assert after - before == pytest.approx(math.log(10), abs=0.15)
    assert certified[0] < certified[-1]
    assert abs(certified[-1] - TRUTH) < 0.15
    assert abs(stars[-1] - TRUTH) < abs(stars[0] - TRUTH)
