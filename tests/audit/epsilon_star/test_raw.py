"""The epsilon of raw counts by brute force over all thresholds."""

import math

import numpy as np
import pytest

from dpviz import AttackScores, audit


def by_hand(scores: AttackScores, delta: float, least: int) -> float:
    found = -math.inf
    for threshold in np.unique(np.concatenate([scores.member, scores.nonmember])).tolist():
        tp = sum(score >= threshold for score in scores.member)
        fp = sum(score >= threshold for score in scores.nonmember)
        n, m = len(scores.member), len(scores.nonmember)
        fn, tn = n - tp, m - fp
        for above, of, below, of_below in (
            (tp, n, fp, m),
            (tn, m, fn, n),
            (fn, n, tn, m),
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
        assert found.value == pytest.approx(max(0.0, by_hand(scores, delta, least)), rel=1e-12)
        at = found.at
        assert at is not None
        implied = audit_at(at.fpr, at.fnr, delta)
        assert found.value == pytest.approx(implied, rel=1e-12)


def audit_at(fpr: float, fnr: float, delta: float) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        pairs = [(1 - fnr, fpr), (1 - fpr, fnr), (fnr, 1 - fpr), (fpr, 1 - fnr)]
        return max(0.0, *(math.log((a - delta) / b) for a, b in pairs if a > delta and b > 0))


def test_too_few_records_say_nothing() -> None:
    scores = AttackScores(member=[1.0, 2.0], nonmember=[0.0, 1.0])
    found = audit.raw_epsilon(scores, min_count=50)
    assert math.isnan(found.value)
    assert found.at is None
    with pytest.raises(ValueError, match=r"min_count must be"):
        audit.raw_epsilon(scores, min_count=0)
