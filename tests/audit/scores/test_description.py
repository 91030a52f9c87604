"""What is said about scores: which remark, and when."""

import numpy as np
import pytest

from dpviz import AttackScores
from dpviz.audit.scores.base import remarks_about, reversed_remark
from dpviz.audit.scores.binned_scores import BinnedScores

ROUNDED = "scores are rounded down to 2 thresholds: those of a cell are tied"


@pytest.mark.parametrize(
    ("member_means", "remark"),
    [
        ([0.0, 1.0], "2 of 4 scores repeat another one"),  # every score is at its threshold
        ([0.0, 1.25], ROUNDED),  # one is above it
        ([0.25, 1.25], ROUNDED),
    ],
)
def test_one_score_above_its_threshold_is_enough(member_means: list[float], remark: str) -> None:
    scores = BinnedScores(
        thresholds=[0.0, 1.0],
        member_counts=[1, 1],
        nonmember_counts=[1, 1],
        member_means=member_means,
        nonmember_means=[0.0, 1.0],
        kind="score",
    )
    assert remarks_about(scores) == (remark,)


def test_many_scores_that_are_reversed_a_little() -> None:
    rng = np.random.default_rng(0)
    n = 200_000
    scores = AttackScores(member=rng.normal(-0.04, 1, n), nonmember=rng.normal(0, 1, n))
    # The AUC is 0.489; its standard error is 0.0009, that of a part of 8192 records each 0.0045.
    assert "the scores look reversed: AUC 0.4" in reversed_remark(scores)
    assert reversed_remark(AttackScores(member=-scores.member, nonmember=scores.nonmember)) == ""
