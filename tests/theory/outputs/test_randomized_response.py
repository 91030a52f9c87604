"""The bars of randomized response: names, and masses that add up."""

import numpy as np
import pytest

from dpviz.theory import RandomizedResponse


@pytest.mark.parametrize(
    ("categories", "labels"),
    [
        (2, ("“out”", "“in”")),
        (3, ("“out”", "1 other", "“in”")),
        (10, ("“out”", "8 others", "“in”")),
    ],
)
def test_all_other_answers_are_one_bar(categories: int, labels: tuple[str, ...]) -> None:
    bars = RandomizedResponse(epsilon=1.0, categories=categories).outputs()
    assert bars.labels == labels
    keeps = np.e / (np.e + categories - 1)  # the true answer; each other one e times as rarely
    assert bars.q[-1] == pytest.approx(keeps)
    assert bars.q[0] == pytest.approx(keeps / np.e)
    assert bars.q.sum() == pytest.approx(1)
