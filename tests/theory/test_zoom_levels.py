"""Averages at several zoom levels: sensitivity and epsilon against brute force."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz.theory import GaussianDP
from dpviz.theory.zoom_levels import ZoomLevels

REGIONS = st.sets(st.sampled_from([1, 2, 3, 6]), min_size=1).map(sorted)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(REGIONS, st.sampled_from([6, 7, 8]), st.sampled_from([0.5, 3.0]))
def test_sensitivities_are_attained_by_one_record(
    regions: list[int], records: int, high: float
) -> None:
    """Records i, i + r, i + 2r, ... are region i of r; every change of one extreme value."""
    levels = ZoomLevels(records=records, low=0.0, high=high, regions=regions, scale=2.0)

    def averages(values: np.ndarray) -> np.ndarray:
        return np.array([values[i::r].mean() for r in regions for i in range(r)])

    values = np.zeros(records)
    moved = []
    for i in range(records):
        other = values.copy()
        other[i] = high
        moved.append(averages(other) - averages(values))
    for norm, order in (("l1", 1), ("l2", 2), ("linf", np.inf)):
        largest = max(np.linalg.norm(each, order) for each in moved)
        assert levels.sensitivity(norm) == pytest.approx(largest)  # type: ignore[arg-type]
    assert levels.epsilon == pytest.approx(levels.sensitivity("l1") / 2)
    assert levels.mechanism().epsilon(0.0) == pytest.approx(levels.epsilon)


def test_the_slides_incomes() -> None:
    """Range 200, 100 000 people: 200/100 000, 200/2000 and 200/40, with Lap(0, 1) on each."""
    levels = ZoomLevels()
    np.testing.assert_allclose(levels.epsilons, [0.002, 0.1, 5.0])
    assert levels.sensitivity("l2") == pytest.approx(math.sqrt(0.002**2 + 0.1**2 + 25))
    assert levels.sensitivity("linf") == 5.0


@pytest.mark.parametrize("own", [1, 2, 3])
def test_a_person_moves_most_with_all_records_in_one_region(own: int) -> None:
    """Twelve records in 1, 2 and 4 regions: every set of so many records gets the other extreme."""
    levels = ZoomLevels(records=12, low=0.0, high=1.0, regions=[1, 2, 4], scale=2.0, per_person=own)
    moved = []
    for chosen in itertools.combinations(range(12), own):
        values = np.zeros(12)
        values[list(chosen)] = 1.0
        moved.append(np.array([values[i::r].mean() for r in (1, 2, 4) for i in range(r)]))
    for norm, order in (("l1", 1), ("l2", 2), ("linf", np.inf)):
        largest = max(np.linalg.norm(each, order) for each in moved)
        assert levels.sensitivity(norm) == pytest.approx(largest)  # type: ignore[arg-type]
    assert levels.mechanism("l2").epsilon(1e-5) == pytest.approx(
        GaussianDP(mu=levels.sensitivity("l2") / 2).epsilon(1e-5)
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"records": 0}, "records must be a whole number of at least 1, got 0"),
        ({"low": 3.0, "high": 1.0}, "high must be in"),
        ({"regions": [5, 1]}, "regions must be in strictly ascending order"),
        ({"regions": []}, r"regions must be a list of 1 to 12 numbers, got \[\]"),
        ({"records": 10, "regions": [11]}, "regions must be a whole number from 1 to 10, got 11"),
        ({"scale": 0.0}, "scale must be in"),
        ({"per_person": 41}, "per_person must be a whole number from 1 to 40, got 41"),
    ],
)
def test_what_is_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ZoomLevels(**given)  # type: ignore[arg-type]


def test_pairs_of_levels_add_up() -> None:
    for one, other in itertools.combinations((1, 10, 100), 2):
        both = ZoomLevels(regions=[one, other]).epsilon
        assert both == pytest.approx(
            ZoomLevels(regions=[one]).epsilon + ZoomLevels(regions=[other]).epsilon
        )
