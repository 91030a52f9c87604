import numpy as np
import pytest

from dpviz import Analysis, AttackScores


@pytest.fixture
def scores() -> AttackScores:
    """A leak, unequal sizes (so that an exchange would show) and a few ties."""
    rng = np.random.default_rng(21)
    return AttackScores.from_losses(
        member=rng.normal(0, 1, 700).round(2), nonmember=rng.normal(1, 1, 900).round(2)
    )


@pytest.fixture
def analysis(scores: AttackScores) -> Analysis:
    return Analysis(scores)
