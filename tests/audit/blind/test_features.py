"""Tables of all kinds become the same numbers; what has a gap or another shape is refused."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpviz.audit.blind import blind_baseline
from dpviz.audit.blind.features import columns_of_both, numeric_matrix

AGES, PLACES = [31.0, 47.0, 20.0, 31.0], ["north", "south", "south", "east"]
ROWS = [*zip(AGES, PLACES, strict=True)]
FRAME = pd.DataFrame({"age": AGES, "place": PLACES})
# The place "south" is the most frequent one, then those of equal number by their letters.
EXPECTED = [[31, 0, 0, 1], [47, 1, 0, 0], [20, 1, 0, 0], [31, 0, 1, 0]]


@pytest.mark.parametrize(
    "table",
    [ROWS, FRAME, FRAME.astype({"place": "category"}), np.array(ROWS, object)],
    ids=["rows", "frame", "categories", "objects"],
)
def test_numbers_stay_and_categories_become_columns(table: Any) -> None:
    found = numeric_matrix(columns_of_both("features", table, table))
    assert found.tolist() == EXPECTED + EXPECTED


def test_only_the_counted_rows_choose_the_categories() -> None:
    names = np.array([f"place {i}" for i in range(30)])
    table = columns_of_both("features", names, names)
    found = numeric_matrix(table, counted=np.arange(25, 30))
    assert found.shape == (60, 20)
    assert found[25:30, :5].tolist() == np.eye(5).tolist()


def test_columns_go_by_their_names() -> None:
    turned = FRAME[["place", "age"]]
    one, other = (columns_of_both("features", FRAME, each) for each in (FRAME, turned))
    assert [column.tolist() for column in one.values()] == [x.tolist() for x in other.values()]


def test_times_are_numbers_and_numbers_beside_texts_are_categories() -> None:
    days = np.datetime64("2026-11-29") + np.arange(3)
    [found] = columns_of_both("features", days, days).values()
    assert np.diff(found).tolist()[:2] == [86_400e6, 86_400e6]
    [found] = columns_of_both("features", [1.5, 2.0], ["a", "b"]).values()
    assert found.tolist() == ["1.5", "2.0", "a", "b"]


GOOD = np.zeros((12, 2))
NONE = pd.DataFrame({"age": [1.0] * 12, "place": ["a"] * 11 + [None]})
NA = pd.DataFrame({"age": pd.array([1] * 11 + [pd.NA], "Int64")})
NAT = np.array(["2026-11-29"] * 11 + ["NaT"], "datetime64[D]")


@pytest.mark.parametrize(
    ("member", "nonmember", "message"),
    [
        (NONE, NONE, "feature place must have no missing values, got 2 among 24"),
        (NA, NA, "feature age must be finite, got nan"),
        (NAT, NAT, "feature 0 must have no missing values, got 2 among 24"),
        ([1.0] * 12, [np.nan] * 12, "feature 0 must be finite, got nan"),
        (["a"] * 12, [None] * 12, "feature 0 must have no missing values, got 12 among 24"),
        (GOOD, GOOD + np.inf, "feature 0 must be finite, got inf"),
        (GOOD, GOOD + 1e200, r"feature 0 must be in \[-1e\+150, 1e\+150\], got 1e\+200"),
        (GOOD, GOOD[:, :1], "features must be tables with the same columns"),
        (GOOD[:, :0], GOOD[:, :0], "features must be tables with the same columns"),
        (np.zeros((12, 2, 2)), GOOD, r"features must be a table of shape \(rows, columns\)"),
        ([[1, 2]] * 11 + [[1]], GOOD, "features must be a table with rows of one length"),
        (GOOD[:9], GOOD, "records in features_members must be at least 10, got 9"),
        (GOOD, [], "records in features_nonmembers must be at least 10, got 0"),
        (FRAME.set_axis(["a", "a"], axis=1).loc[[0] * 12], GOOD, "columns of features must be dis"),
        (np.ma.masked_equal(GOOD, 0), GOOD, "features must have no masked values"),
    ],
)
def test_what_is_no_table_is_refused(member: Any, nonmember: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        blind_baseline(member, nonmember)


@pytest.mark.parametrize("given", [None, 3, object()])
def test_what_has_no_rows_is_refused(given: object) -> None:
    with pytest.raises(TypeError, match="features_members must be an array, a list of rows or a"):
        blind_baseline(given, GOOD)
