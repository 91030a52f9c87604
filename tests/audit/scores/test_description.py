"""What is said about scores: which remark, and when."""

import pytest

from dpviz.audit.scores.binned_scores import BinnedScores
from dpviz.audit.scores.description import remarks_about

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
