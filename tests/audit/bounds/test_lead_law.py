"""The largest lead of members: by enumeration, by a walk over all ranks, and of huge classes."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

from dpviz import audit
from dpviz.audit.bounds import number_law as class_sizes
from dpviz.audit.bounds.number_law import _reached, chance_of_lead, chance_to_cross
from tests.slow import parametrize


@pytest.mark.parametrize(("a", "b"), [(0, 0), (3, 0), (0, 4), (4, 3), (3, 5), (1, 6)])
def test_paths_reach_a_height_as_often_as_by_enumeration(a: int, b: int) -> None:
    for height in range(-3, a + 2):
        reaching = 0
        for ups in combinations(range(a + b), a):
            steps = np.isin(np.arange(a + b), ups) * 2 - 1
            reaching += max(np.cumsum(steps), default=0) >= height or height <= 0
        found = _reached(*(np.array([each]) for each in (height, a, b)))
        assert found[0] == pytest.approx(reaching / comb(a + b, a), rel=1e-11)
        assert found[0] >= reaching / comb(a + b, a) or found[0] == 1


def test_rounding_makes_no_height_of_a_long_path_rarer() -> None:
    size = 10**6
    for height in range(1, 1500, 37):
        steps = np.arange(1, height + 1)
        exact = np.exp(np.sum(np.log1p(-height / (size + steps))))
        found = _reached(*(np.array([each]) for each in (height, size, size)))[0]
        assert exact <= found <= exact * (1 + 1e-7)


@pytest.mark.parametrize(("n", "m", "lead"), [(60, 60, 21), (90, 30, 66), (30, 90, 5)])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.0), (0.4, 0.0), (0.4, 0.02)])
def test_a_lead_is_as_likely_as_by_a_walk_over_all_ranks(
    n: int, m: int, lead: int, epsilon: float, delta: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Numbers of leaks are told apart alike.
    monkeypatch.setattr(class_sizes, "LEAK_VALUES", 3)
    given = {"n_members": n, "n_nonmembers": m, "epsilon": epsilon, "delta": delta, "level": 0.05}
    cuts = np.arange(n + m + 1)
    exact = chance_to_cross(cuts, -(-(cuts + lead) // 2), **given)
    assert 1e-6 < exact < 0.999
    found = chance_of_lead(lead, **given)
    assert exact * (1 - 1e-9) <= found <= exact * (1 if delta == 0 else 1.03) + 1e-8


def test_rounded_class_sizes_make_no_lead_rarer(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"n_members": 300, "n_nonmembers": 200, "epsilon": 0.5, "delta": 0.0, "level": 0.05}
    exact = chance_of_lead(135, **given)
    assert 0.01 < exact < 0.9
    found = []
    for values in (40, 10, 4):
        monkeypatch.setattr(class_sizes, "VALUES", values)
        monkeypatch.setattr(class_sizes, "FEWEST_VALUES", values)
        found.append(chance_of_lead(135, **given))
    assert exact < found[0] < found[1] < found[2] < 1


def test_a_lead_of_nobody_is_certain() -> None:
    given = {"n_members": 5, "n_nonmembers": 9, "epsilon": 0.0, "level": 0.05}
    assert chance_of_lead(0, **given, delta=0.0) == 1
    # Of delta 1, all members show themselves.
    assert chance_of_lead(5, **given, delta=1.0) == 1
    assert chance_of_lead(6, **given, delta=1.0) < 1e-12


# Walks with a cut at every 800th or 2000th rank, which took 3 to 30 seconds (commit 1aeacb8), gave
# less: what crosses between cuts counted as if it did at the next one.
@parametrize(
    ("delta", "walked", "normal"),
    [(0.0, 0.399378, 0.403), (1e-5, 0.394719, 0.403), (0.01, 0.377861, 0.386)],
    slow_but=[(0.0, 0.399378, 0.403)],
)
def test_a_million_records_certify_what_walks_say_or_more(
    delta: float, walked: float, normal: float
) -> None:
    sizes = {"n_members": 10**6, "n_nonmembers": 10**6, "delta": delta}
    by_advantage = audit.certify(advantage=0.2, **sizes).low
    assert walked < by_advantage < normal
    assert audit.certify(accuracy=0.6, **sizes).low == by_advantage
