"""A small sample with a leak, an explorer on it."""

import numpy as np
import pytest

from dpviz import AttackScores, explore
from dpviz.widgets import Explorer


@pytest.fixture
def scores() -> AttackScores:
    rng = np.random.default_rng(20)
    return AttackScores.from_losses(member=rng.normal(0, 1, 400), nonmember=rng.normal(1, 1, 500))


@pytest.fixture
def explorer(scores: AttackScores) -> Explorer:
    return explore(scores)
