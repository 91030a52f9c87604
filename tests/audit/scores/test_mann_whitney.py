"""The area under the ROC curve of a sample: all pairs by hand, and its largest standard error."""

import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import roc_auc_score

from dpviz.audit import AttackScores
from dpviz.audit.scores.base import auc, largest_standard_error
from tests.audit.oracles import tied_losses


def of(member: object, nonmember: object) -> AttackScores:
    return AttackScores(member=member, nonmember=nonmember)


def psi(a: float, b: float) -> float:
    return 1.0 if a > b else 0.5 if a == b else 0.0


@given(member=tied_losses, nonmember=tied_losses)
def test_the_area_is_the_share_of_pairs_ranked_right(
    member: list[float], nonmember: list[float]
) -> None:
    scores = of(member, nonmember)
    by_hand = sum(psi(a, b) for a in member for b in nonmember) / (len(member) * len(nonmember))
    assert auc(scores) == by_hand
    labels = np.r_[np.ones(len(member)), np.zeros(len(nonmember))]
    assert auc(scores) == pytest.approx(roc_auc_score(labels, member + nonmember), abs=1e-12)


def test_no_law_has_a_larger_standard_error_than_the_largest() -> None:
    rng, runs = np.random.default_rng(9), 3000
    # Members above or below all non-members: their number alone varies, the bound is reached.
    above = rng.binomial(30, 0.8, runs)
    areas = [auc(of(np.r_[np.ones(k), -np.ones(30 - k)], np.zeros(60))) for k in above]
    largest = largest_standard_error(0.8, of(np.ones(30), np.zeros(60)))
    assert np.std(areas) == pytest.approx(largest, rel=0.05)
    areas = [auc(of(rng.normal(1, 1, 30), rng.normal(0, 1, 60))) for _ in range(runs)]
    # The true area of two Normal distributions at distance 1 is Phi(1 / sqrt(2)).
    assert np.std(areas) < largest_standard_error(0.7602, of(np.ones(30), np.zeros(60)))
