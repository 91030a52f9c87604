"""Laws of comparing attacks, with ties and with classes of a single record."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz import AttackScores, audit

LEVELS = st.sampled_from([0.5, 0.9, 0.99])
FPRS = st.floats(0, 1)


@st.composite
def attacks(draw: st.DrawFn, least: int = 2, most: int = 2) -> list[AttackScores]:
    """Attacks on the same records."""
    n, m = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    numbers = st.lists(st.integers(0, 6), min_size=n + m, max_size=n + m)
    found = [draw(numbers) for _ in range(draw(st.integers(least, most)))]
    return [AttackScores(member=each[:n], nonmember=each[n:]) for each in found]


def reached(scores: AttackScores, fpr: float) -> float:
    """The lowest FNR at an FPR: of all chords between two thresholds, counted one by one."""
    cuts = [-np.inf, *np.unique([*scores.member, *scores.nonmember]), np.inf]
    points = [((scores.nonmember >= t).mean(), (scores.member < t).mean()) for t in cuts]
    return min(
        max(a[1], b[1]) if a[0] == b[0] else a[1] + (b[1] - a[1]) * (fpr - a[0]) / (b[0] - a[0])
        for a, b in product(points, repeat=2)
        if a[0] <= fpr <= b[0] and (a == b or a[0] < b[0])
    )


@settings(max_examples=60)
@given(given=attacks(least=1, most=4))
def test_the_leader_of_a_stretch_is_nowhere_above_another(given: list[AttackScores]) -> None:
    found = audit.lowest_curves([audit.AttackCurve.from_scores(each) for each in given])
    ends = [each.end for each in found]
    assert [0.0, *ends] == [*(each.start for each in found), 1.0]
    assert ends == sorted(set(ends))
    for each, share in product(found, (0.001, 0.5, 0.999)):
        fpr = each.start + share * (each.end - each.start)
        heights = [reached(scores, fpr) for scores in given]
        leader = heights if each.lowest is None else [heights[each.lowest]]
        assert leader == pytest.approx([min(heights)] * len(leader), abs=1e-9)


@given(pair=attacks(), fpr=FPRS, level=LEVELS, paired=st.booleans())
def test_a_difference_is_counted_and_has_a_sign(
    pair: list[AttackScores], fpr: float, level: float, paired: bool
) -> None:
    one, other = pair
    asked = {"confidence_level": level, "paired": paired}
    area = audit.auc_difference(one, other, **asked)
    rate = audit.tpr_difference(one, other, fpr, **asked)
    halves = [np.sign(s.member[:, None] - s.nonmember).mean() / 2 for s in pair]
    assert area.value == pytest.approx(halves[0] - halves[1], abs=1e-12)
    for found, mirrored in (
        (area, audit.auc_difference(other, one, **asked)),
        (rate, audit.tpr_difference(other, one, fpr, **asked)),
    ):
        assert -1 <= found.low <= found.value <= found.high <= 1
        turned = [-mirrored.value, -mirrored.high, -mirrored.low]
        assert [found.value, found.low, found.high] == pytest.approx(turned, abs=1e-12)
    if paired:
        assert rate.value * one.n_members == pytest.approx(rate.only_first - rate.only_second)


@given(pair=attacks(), fpr=FPRS, seed=st.integers(0, 99))
def test_the_order_of_the_records_and_the_scale_of_the_scores_are_nothing(
    pair: list[AttackScores], fpr: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    members, others = (rng.permutation(pair[0].n_members), rng.permutation(pair[0].n_nonmembers))
    moved = [
        AttackScores(
            member=np.exp(scale * each.member[members]),
            nonmember=np.exp(scale * each.nonmember[others]),
        )
        for each, scale in zip(pair, (1.0, 2.0), strict=True)
    ]
    assert audit.tpr_difference(*moved, fpr, paired=True) == audit.tpr_difference(
        *pair, fpr, paired=True
    )
    before, after = (audit.auc_difference(*each, paired=True) for each in (pair, moved))
    assert [after.value, after.low, after.high] == pytest.approx(
        [before.value, before.low, before.high], abs=1e-9
    )


@settings(max_examples=30)
@given(given=attacks(least=2, most=4), delta=st.sampled_from([0.0, 1e-5, 0.1]))
def test_every_further_attack_is_paid_for(given: list[AttackScores], delta: float) -> None:
    named = {str(i): each for i, each in enumerate(given)}
    asked = {"delta": delta, "method": "rank_exact"}
    lows = {
        k: audit.best_of({n: named[n] for n in [*named][:k]}, **asked)
        for k in range(1, len(named) + 1)
    }
    for fewer, more in combinations(lows.values(), 2):
        for name, bound in fewer.bounds.items():
            assert more.bounds[name].low <= bound.low + 1e-12
    for k, found in lows.items():
        assert found.each == pytest.approx(1 - 0.05 / k)
        assert found.low == max(each.low for each in found.bounds.values())
