"""What `benchmarks/at_most.py` has measured, and what the page says of it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.at_most import CROSSED, FILE, LEVEL

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "at_most.md"


@pytest.fixture(scope="module")
def measured() -> dict[str, Any]:
    return json.loads(FILE.read_text("utf-8"))


@pytest.fixture(scope="module")
def page() -> str:
    return " ".join(PAGE.read_text("utf-8").split())


def test_no_cell_is_above_the_level_by_more_than_two_standard_errors(
    measured: dict[str, Any], page: str
) -> None:
    rows = measured["simulated"]
    for row in rows:
        runs, share = row[4:6]
        assert share <= LEVEL + 2 * np.sqrt(LEVEL * (1 - LEVEL) / runs), row
    worst = max(rows, key=lambda row: row[5])
    most = f"{100 * worst[5]:.1f} % ± {100 * worst[6]:.1f} % of {worst[4]} samples"
    assert f"of {len(rows)} cells, none is above 5 %" in page
    assert f"The largest share is {most}" in page


def test_no_enumerated_limit_fails_more_often_than_the_level(
    measured: dict[str, Any], page: str
) -> None:
    found = measured["enumerated"]
    most = max(found["largest_chance_to_fail"].values())
    assert most <= LEVEL
    assert f"of {found['sets']} sets of outcomes, none has a probability above 5 %" in page
    assert f"the largest has {100 * most:.4f} %" in page


def test_bounds_from_both_sides_did_not_cross(measured: dict[str, Any], page: str) -> None:
    found = measured["crossed"]
    assert found["samples"] == CROSSED >= 10_000
    assert found["advantage"] == found["epsilon"] == 0
    assert f"in none of {found['samples']} samples" in page
    assert f"in none of {found['epsilon_compared']} of them" in page


def test_a_useless_attack_shows_five_percent_in_half_of_all_samples(
    measured: dict[str, Any],
) -> None:
    """A Smirnov band takes 2629 records of each class."""
    assert dict(row[:2] for row in measured["shown"])[1500] >= 0.5
