"""Bounds of too few records say so, with the next numbers of records that could do."""

import re
from typing import Any

import numpy as np
import pytest

from dpviz.audit import AttackScores, lower_bound
from dpviz.audit.bounds import BOUNDS, DEFAULT

WORDS = "no attack on so few records certifies anything with this method"
NEXT = re.compile(WORDS + r"; on (\d+) members and (\d+) non-members one can")


def bound_of(method: str, n: int, m: int, **given: Any) -> Any:
    """Of a perfect attack, or with too few records of one that finds nothing."""
    scores = BOUNDS[method].separated(n, m)
    return lower_bound(scores, delta=0, method=method, threshold=0.0, **given)


@pytest.mark.parametrize("level", [0.95, 0.99])
@pytest.mark.parametrize("sizes", [(2, 2), (2, 3)])
@pytest.mark.parametrize(
    "method", [name for name in BOUNDS if name != "joint_beta" and not BOUNDS[name].fair_coins]
)
def test_the_next_numbers_that_can_certify_are_said(
    method: str, sizes: tuple[int, int], level: float
) -> None:
    found = bound_of(method, *sizes, confidence_level=level)
    assert found.low == 0
    (said,) = (NEXT.search(each) for each in found.warnings if WORDS in each)
    assert said is not None
    n, m = int(said[1]), int(said[2])
    certified = bound_of(method, n, m, confidence_level=level)
    assert certified.low > 0
    assert not any(WORDS in each for each in certified.warnings)
    for larger in range(max(sizes), max(n, m)):
        smaller = round(larger * min(sizes) / max(sizes))
        assert bound_of(method, smaller, larger, confidence_level=level).low == 0


def test_nothing_is_said_where_another_attack_could_certify_something() -> None:
    scores = AttackScores(member=[1, 4, 5, 8], nonmember=[2, 3, 6, 7])
    found = lower_bound(scores, delta=0)
    assert (found.low, found.warnings) == (0, ())


def test_in_both_directions_it_takes_more() -> None:
    scores = AttackScores(member=[1, 4, 5, 8], nonmember=[2, 3, 6, 7])
    (said,) = lower_bound(scores, delta=0, directions="both", confidence_level=0.98).warnings
    assert NEXT.fullmatch(said)


def test_a_delta_that_explains_everything_has_no_such_numbers() -> None:
    scores = AttackScores(member=[1, 4, 5, 8], nonmember=[2, 3, 6, 7])
    assert lower_bound(scores, delta=1).warnings == (f"{WORDS} and at this delta",)


@pytest.mark.parametrize("method", ["one_run", "one_run_curve", "three_paths"])
@pytest.mark.parametrize("size", [1, 2])
def test_so_many_records_by_fair_coins_can(method: str, size: int) -> None:
    said = " ".join(bound_of(method, size, size).warnings)
    found = re.search(r"; on (\d+), half of them members, one can", said)
    assert found is not None
    half = int(found[1]) // 2
    assert bound_of(method, half, half).low > 0
    for fewer in range(size, half):
        assert bound_of(method, fewer, fewer).low == 0


def test_from_a_hundred_records_of_each_class_on_nothing_is_said() -> None:
    for n, m, said in ((99, 200, True), (200, 99, True), (100, 100, False)):
        scores = AttackScores(member=np.arange(n) + 1000, nonmember=np.arange(m))
        assert any(WORDS in each for each in lower_bound(scores, delta=1).warnings) == said


@pytest.mark.slow
def test_numbers_are_looked_for_beyond_the_larger_class() -> None:
    found = bound_of(DEFAULT, 1, 95, confidence_level=0.999)
    (said,) = (NEXT.search(each) for each in found.warnings if WORDS in each)
    assert said is not None
    n, m = int(said[1]), int(said[2])
    assert (n, round(m / 95)) == (2, 2)
    assert bound_of(DEFAULT, n, m, confidence_level=0.999).low > 0
    assert bound_of(DEFAULT, round((m - 1) / 95), m - 1, confidence_level=0.999).low == 0


@pytest.mark.parametrize("method", ["one_run", "one_run_curve"])
def test_coins_could_have_made_other_numbers_of_members(method: str) -> None:
    found = bound_of(method, 2, 10)
    assert found.low == 0
    few = "no attack on these numbers of records certifies anything with this method"
    assert any(each.startswith(few) for each in found.warnings)
    assert bound_of(method, 6, 6).low > 0


@pytest.mark.parametrize("method", ["one_run", "one_run_curve"])
def test_by_coins_the_next_even_number_of_records_is_said(method: str) -> None:
    few = "no attack on these numbers of records certifies anything with this method"
    for n, m in ((2, 2), (2, 10)):
        more = range((n + m) // 2 + 1, 20)
        half = next(each for each in more if bound_of(method, each, each).low > 0)
        said = f"{few}; on {2 * half}, half of them members, one can"
        assert said in bound_of(method, n, m).warnings
    scores = AttackScores(member=[5, 6, 7], nonmember=[1, 2, 3])
    assert few in lower_bound(scores, delta=1, method=method).warnings
