"""The epsilon of raw counts by brute force over all thresholds."""

import math

import numpy as np
import pytest

from dpviz import AttackScores, audit


def by_hand(scores: AttackScores, delta: float, least: int) -> float:
    thresholds = np.unique(np.concatenate([scores.member, scores.nonmember])).tolist()
    return max(
        ratio_of_counts(
            sum(score >= threshold for score in scores.member),
            sum(score >= threshold for score in scores.nonmember),
            scores,
            delta,
            least,
        )
        for threshold in thresholds
    )


def ratio_of_counts(tp: float, fp: float, scores: AttackScores, delta: float, least: int) -> float:
    n, m = len(scores.member), len(scores.nonmember)
    found = 0.0
    for above, of, below, of_below in (
        (tp, n, fp, m),
        (m - fp, m, n - tp, n),
        (n - tp, n, m - fp, m),
        (fp, m, tp, n),
    ):
        if below >= least and above / of > delta:
            found = max(found, math.log((above / of - delta) / (below / of_below)))
    return found


@pytest.mark.parametrize("delta", [0.0, 0.05])
@pytest.mark.parametrize("least", [1, 3, 10])
def test_all_thresholds_by_hand(delta: float, least: int) -> None:
    rng = np.random.default_rng(3)
    for shift, n in ((1.0, 40), (-1.0, 25), (0.2, 31)):
        scores = AttackScores(
            member=rng.normal(shift, 1, n).round(1), nonmember=rng.normal(0, 1, 30).round(1)
        )
        found = audit.raw_epsilon(scores, delta=delta, min_count=least)
        assert found.value == pytest.approx(by_hand(scores, delta, least), rel=1e-12)
        at = found.at
        assert at is not None
        tp, fp = round((1 - at.fnr) * n), round(at.fpr * 30)
        there = ratio_of_counts(tp, fp, scores, delta, least)
        assert found.value == pytest.approx(there, rel=1e-12)


def test_too_few_records_say_nothing() -> None:
    scores = AttackScores(member=[1.0, 2.0], nonmember=[0.0, 1.0])
    found = audit.raw_epsilon(scores, min_count=50)
    assert math.isnan(found.value)
    assert found.at is None
    with pytest.raises(ValueError, match=r"min_count must be"):
        audit.raw_epsilon(scores, min_count=0)
