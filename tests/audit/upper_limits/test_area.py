import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom

from dpviz.audit import AttackScores, BinnedScores, auc, auc_interval
from dpviz.audit.upper_limits.area import area_with_cells, upper_area


def chance_bound(area: float, pairs: int, true_area: float) -> float:
    """The least E (t - B / k)^+ / (t - z) over a fine grid of t."""
    numbers = np.arange(pairs + 1)
    chances = binom.pmf(numbers, pairs, true_area)
    t = np.linspace(area + 1e-6, 1, 4001)[:, None]
    return float(((np.maximum(t - numbers / pairs, 0) @ chances) / (t[:, 0] - area)).min())


@pytest.mark.parametrize(("area", "pairs"), [(0.5, 20), (0.13, 7), (0.61, 150), (0.0, 30)])
@pytest.mark.parametrize("level", [0.05, 0.5])
def test_limit_is_the_root_of_the_bound(area: float, pairs: int, level: float) -> None:
    found = upper_area(area, pairs, level)
    expected = brentq(lambda a: chance_bound(area, pairs, a) - level, area, 1 - 1e-12)
    assert found == pytest.approx(expected, abs=2e-4)


@pytest.mark.parametrize("pairs", [5, 40])
@pytest.mark.parametrize("true_area", [0.5, 0.8])
def test_binomial_areas_are_covered(pairs: int, true_area: float) -> None:
    """Members above all or below all non-members: the sample's area is a share of `pairs`."""
    numbers = np.arange(pairs + 1)
    limits = np.array([upper_area(each / pairs, pairs, 0.05) for each in numbers])
    assert binom.pmf(numbers, pairs, true_area) @ (limits < true_area) <= 0.05


def test_limit_is_below_hoeffdings() -> None:
    rng = np.random.default_rng(0)
    scores = AttackScores(member=rng.normal(0.5, 1, 300), nonmember=rng.normal(0, 1, 400))
    hoeffding = auc_interval(scores, method="chernoff", confidence_level=0.9)
    assert hoeffding.value < upper_area(auc(scores), 300, 0.05) < hoeffding.high


def test_perfect_area_has_no_limit_below_1() -> None:
    assert upper_area(1.0, 10, 0.05) == 1.0


def test_ties_inside_cells_count_as_right() -> None:
    scores = AttackScores(member=[1.001, 2.001], nonmember=[1.002, 2.002])
    binned = BinnedScores.of(scores, bits=12)
    assert area_with_cells(scores) == 0.25
    assert auc(binned) == 0.5
    assert area_with_cells(binned) == 0.75
