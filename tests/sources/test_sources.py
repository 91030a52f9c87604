"""What the five sources say, item by item: one runnable line each.

Expected are the sources' own numbers, closed forms, counts, or the words that a reader is to see.
"""

import pytest

from dpviz.naming import NAMINGS
from tests.sources import (
    bayesian_view,
    epsilon_star,
    hypothesis_interpretation,
    hypothesis_testing,
    slides,
)
from tests.sources.item import Item

SOURCES = (hypothesis_interpretation, hypothesis_testing, bayesian_view, slides, epsilon_star)
ITEMS = tuple(item for source in SOURCES for item in source.ITEMS)


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: f"{item.number}-{item.source}")
def test_item(item: Item) -> None:
    found = item.run()
    if isinstance(item.expected, str):
        assert item.expected in found
    else:
        assert found == item.expected


def test_items_are_in_the_order_of_the_sources() -> None:
    numbers = [item.number for item in ITEMS]
    assert numbers == list(range(1, 105))
    assert set(NAMINGS) == {
        *("words", "statistics", "hypothesis", "testing"),
        *("bayesian", "lecture", "epsilon_star", "attribute"),
    }
