"""Bounds per group: which group leaks, and what looking at all of them costs."""

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from dpviz.audit import AttackScores, lower_bound
from dpviz.audit.bounds.slices import Slice, Slices, slices
from tests.slow import parametrize


def normal_groups(
    seed: int, *, shifts: Iterable[float], n: int = 100, m: int = 100, reverse: bool = False
) -> AttackScores:
    """One group per shift, "0", "1", ...: members N(shift, 1), non-members N(0, 1)."""
    rng, shifts = np.random.default_rng(seed), list(shifts)
    sign = -1 if reverse else 1
    return AttackScores(
        member=np.concatenate([sign * rng.normal(shift, 1, n) for shift in shifts]),
        nonmember=sign * rng.normal(0, 1, m * len(shifts)),
        member_groups=np.repeat(np.arange(len(shifts)), n),
        nonmember_groups=np.repeat(np.arange(len(shifts)), m),
    )


def lows(found: Slices) -> list[float]:
    return [row.bound.low for row in found.rows if row.bound is not None]


@pytest.mark.parametrize("method", ["rank_exact", "one_run"])
def test_the_one_class_of_ten_that_leaks_is_found(method: str) -> None:
    scores = normal_groups(1, shifts=[2.5 if i == 7 else 0 for i in range(10)])
    found = slices(scores, delta=1e-5, method=method)
    assert found.worst is found.rows[0]
    assert found.worst is not None
    assert found.worst.group == "7"
    assert lows(found)[0] > 1
    assert lows(found)[1:] == [0] * 9
    assert [row.group for row in found.rows[1:]] == [str(i) for i in range(10) if i != 7]
    assert (found.confidence_level, found.correction, found.n_tested) == (0.95, "Bonferroni", 10)


@parametrize("method", ["rank_exact", "e_process"], slow_but=["e_process"])
def test_a_group_has_the_bound_of_its_records_at_the_divided_level(method: str) -> None:
    scores = normal_groups(2, shifts=[0.5, 3, 1.5, 2], n=70, m=50)
    given: dict[str, Any] = {"delta": 0.01, "method": method, "sampling": "independent_trainings"}
    found = slices(scores, confidence_level=0.9, **given, rng=3)
    for row in found.rows:
        place = int(row.group)
        records = AttackScores(
            member=scores.member[70 * place : 70 * (place + 1)],
            nonmember=scores.nonmember[50 * place : 50 * (place + 1)],
        )
        bound = lower_bound(records, confidence_level=1 - 0.1 / 4, **given, rng=3)
        assert row.bound == bound
        assert (row.n_members, row.n_nonmembers, row.reason) == (70, 50, "")
    assert lows(found) == sorted(lows(found), reverse=True)
    assert lows(found)[0] > 0


def test_one_group_has_the_whole_level_and_may_be_the_worst() -> None:
    scores = normal_groups(3, shifts=[1.0])
    found = slices(scores, delta=0)
    records = AttackScores(member=scores.member, nonmember=scores.nonmember)
    assert found.worst is found.rows[0]
    bound = found.rows[0].bound
    assert bound == lower_bound(records, delta=0)
    assert bound is not None
    assert 0 < bound.low < 1


def test_estimates_are_those_of_every_pair_and_every_threshold() -> None:
    rng = np.random.default_rng(4)
    member, nonmember = rng.integers(0, 8, (2, 60)).astype(float)
    labels = rng.integers(0, 3, (2, 60))
    scores = AttackScores(
        member=member, nonmember=nonmember, member_groups=labels[0], nonmember_groups=labels[1]
    )
    for row in slices(scores, delta=0.1, method="e_process").rows:
        x, y = member[labels[0] == int(row.group)], nonmember[labels[1] == int(row.group)]
        pairs = [(a > b) + 0.5 * (a == b) for a in x for b in y]
        gains = [np.mean(x >= t) - np.mean(y >= t) for t in [*range(9)]]
        assert row.auc == pytest.approx(np.mean(pairs), abs=1e-12)
        assert row.advantage == pytest.approx(max(gains), abs=1e-12)


def without_a_leak(seed: int) -> AttackScores:
    return normal_groups(1000 + seed, shifts=[0] * 20, n=40, m=40)


@pytest.mark.slow
@parametrize(("method", "runs"), [("rank_exact", 60), ("one_run", 40)], slow_but=[("one_run", 40)])
def test_twenty_groups_without_a_leak_raise_an_alarm_in_one_run_of_twenty(
    method: str, runs: int
) -> None:
    found = (slices(without_a_leak(run), delta=0.0, method=method) for run in range(runs))
    alarms = sum(each.worst is not None for each in found)
    # More would happen by chance with probability below 0.001 if 5 % is the truth, and fewer with
    # probability below 0.001 if it is 1 - 0.95^20 = 64 %, as where nothing is paid.
    assert alarms <= binom.ppf(0.999, runs, 0.05)


@pytest.mark.slow
def test_without_the_division_they_would_raise_many() -> None:
    # The same data, one group at a time: what the test above would see if nothing were paid.
    found = 0
    for run in range(30):
        scores = without_a_leak(run)
        found += any(lower_bound(scores.group(i), delta=0.0).low > 0 for i in range(20))
    assert found > binom.ppf(0.9999, 30, 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("reverse", [False, True])
def test_all_bounds_hold_at_once(reverse: bool) -> None:
    # Randomized response: the truth is known, the same for all ten groups.
    epsilon, runs, false = 1.0, 100, 0
    q = 1 / (1 + np.exp(-epsilon))
    labels = np.repeat(np.arange(10), 60)
    for run in range(runs):
        rng = np.random.default_rng(run)
        says = [rng.random(600) < q, rng.random(600) < 1 - q]
        if reverse:  # the attack then shows nothing
            says.reverse()
        scores = AttackScores(
            member=says[0].astype(float),
            nonmember=says[1].astype(float),
            member_groups=labels,
            nonmember_groups=labels,
        )
        low = lows(slices(scores, delta=0.0))[0]
        false += low > (0 if reverse else epsilon)
    assert false <= binom.ppf(0.999, runs, 0.05)


def test_a_reversed_attack_shows_nothing() -> None:
    found = slices(normal_groups(5, shifts=[0, 3, 1], reverse=True), delta=0.0)
    assert (found.worst, lows(found)) == (None, [0, 0, 0])
    assert all(row.auc is not None and row.auc < 0.6 for row in found.rows)


def test_a_group_with_one_class_has_a_reason_and_costs_nothing() -> None:
    scores = AttackScores(
        member=[3.0] * 30 + [2.0] * 5,
        nonmember=[1.0] * 30 + [0.0] * 6,
        member_groups=["both"] * 30 + ["only in"] * 5,
        nonmember_groups=["both"] * 30 + ["only out"] * 6,
    )
    found = slices(scores, delta=0.0)
    both, only_in, only_out = found.rows
    assert found.n_tested == 1
    assert both.bound == lower_bound(scores.group("both"), delta=0.0)
    assert only_in == Slice(
        group="only in",
        n_members=5,
        n_nonmembers=0,
        bound=None,
        reason="no non-members",
        auc=None,
        advantage=None,
    )
    assert (only_out.n_members, only_out.n_nonmembers, only_out.reason) == (0, 6, "no members")
    assert (only_in.ceiling, only_out.ceiling) == (None, None)


def test_where_no_group_has_both_classes_nothing_is_found() -> None:
    scores = AttackScores(
        member=[1.0], nonmember=[0.0], member_groups=["a"], nonmember_groups=["b"]
    )
    found = slices(scores, delta=0.0)
    assert (found.worst, found.n_tested, [row.bound for row in found.rows]) == (None, 0, [None] * 2)


@parametrize("method", ["rank_exact", "e_process"], slow_but=["e_process"])
def test_groups_of_very_different_sizes(method: str) -> None:
    rng = np.random.default_rng(6)
    sizes = [(1, 1), (2, 400), (400, 3), (300, 300)]
    scores = AttackScores(
        member=rng.normal(2, 1, sum(n for n, _ in sizes)),
        nonmember=rng.normal(0, 1, sum(m for _, m in sizes)),
        member_groups=np.repeat(np.arange(4), [n for n, _ in sizes]),
        nonmember_groups=np.repeat(np.arange(4), [m for _, m in sizes]),
    )
    found = slices(scores, delta=1e-5, method=method)
    for row in found.rows:
        of_group = scores.group(row.group)
        assert row.bound == lower_bound(
            of_group, delta=1e-5, confidence_level=0.9875, method=method
        )
    assert {(row.n_members, row.n_nonmembers) for row in found.rows} == set(sizes)
    assert lows(found)[0] > lows(found)[-1] == 0


def test_a_ceiling_is_what_perfect_scores_of_as_many_records_get() -> None:
    found = slices(normal_groups(7, shifts=[1, 0], n=50, m=40), delta=0.0)
    perfect = AttackScores(member=[1.0] * 50, nonmember=[0.0] * 40)
    best = lower_bound(perfect, delta=0.0, confidence_level=0.975).low
    assert [row.ceiling for row in found.rows] == [best, best]
    assert lows(found)[0] < best


def test_progress_is_told_of_each_group_and_may_stop_it() -> None:
    seen: list[int] = []

    def watched(rounds: range) -> Iterator[int]:
        for i in rounds:
            seen.append(i)
            if i == 2:
                raise KeyboardInterrupt
            yield i

    with pytest.raises(KeyboardInterrupt):
        slices(normal_groups(8, shifts=[0] * 5), delta=0.0, progress=watched)
    assert seen == [0, 1, 2]


def test_what_cannot_be_asked() -> None:
    scores = normal_groups(9, shifts=[0, 0])
    ungrouped = AttackScores(member=[1.0], nonmember=[0.0])
    for arguments, said in (
        ({"scores": ungrouped}, "scores must have groups, got none"),
        ({"delta": 2.0}, r"delta must be in \[0, 1\], got 2.0"),
        ({"confidence_level": 1.0}, r"confidence_level must be in \[0.5, 1\), got 1.0"),
        ({"method": "magic"}, "method must be one of 'rank_exact'"),
        ({"method": "clopper_pearson"}, "threshold must be given"),
        ({"applies_to": "model"}, "applies_to must be one of"),
        ({"rng": -1}, "rng must be a whole number"),
    ):
        with pytest.raises(ValueError, match=said):
            slices(**{"scores": scores, "delta": 0.0, **arguments})
    with pytest.raises(dataclasses.FrozenInstanceError):
        slices(scores, delta=0.0).rows = ()  # type: ignore[misc]
