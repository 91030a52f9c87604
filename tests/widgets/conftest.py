"""A small sample with a leak, an explorer on it."""

from collections.abc import Iterator

import numpy as np
import pytest

from dpviz import AttackScores, explore
from dpviz.widgets import Explorer


@pytest.fixture(scope="session")
def scores() -> AttackScores:
    rng = np.random.default_rng(20)
    return AttackScores.from_losses(member=rng.normal(0, 1, 400), nonmember=rng.normal(1, 1, 500))


@pytest.fixture
def explorer(scores: AttackScores) -> Explorer:
    """With all views on one page: what is on a hidden tab rests."""
    return explore(scores, layout="all")


@pytest.fixture(scope="module")
def kept(scores: AttackScores) -> Iterator[Explorer]:
    widget = explore(scores, layout="all")
    yield widget
    widget.close()


@pytest.fixture
def same_explorer(kept: Explorer) -> Explorer:
    """The module's explorer as it began: for tests that leave a spec and an error line behind."""
    kept.reset()
    return kept
