"""The packaged table of deployments."""

import math
from collections import Counter
from typing import Any

import pytest

from dpviz import read_claim, read_sample_registry
from dpviz.claims.deployments import PER
from dpviz.theory import ApproximateDP, PureDP, ZeroConcentratedDP

KNOWN = {each.label: each for each in read_sample_registry()}


def test_the_table_of_deployments() -> None:
    found = {each.source: each for each in read_sample_registry()}
    kinds = [type(each.guarantee) for each in found.values() if each.guarantee is not None]
    assert (len(found), len(KNOWN), len(kinds)) == (41, 41, 34)
    assert kinds.count(ZeroConcentratedDP) == 9
    assert set(kinds) == {PureDP, ApproximateDP, ZeroConcentratedDP}
    without = [each for each in found.values() if each.guarantee is None]
    assert [(e.epsilon, e.rho) for e in without if e.epsilon is not None] == [(0.01, None)]
    assert read_sample_registry() is read_sample_registry()  # as are the guarantees' curves
    assert all(each.organisation and 2008 <= each.year <= 2026 for each in found.values())


def test_each_has_a_kind_of_unit() -> None:
    """A day or month in the registry's name of a unit is a period, "event" or "tuple" an event."""
    assert set(Counter(each.per for each in KNOWN.values())) == set(PER)
    for each in KNOWN.values():
        unit = each.unit.lower()
        if "event" in unit or "tuple" in unit or "trip" in unit:
            assert each.per == "event", each
        elif "day" in unit or "month" in unit:
            assert each.per == "period", each
    # Its description says "action level", its unit "User-level".
    assert (KNOWN["URL shares, Meta"].unit, KNOWN["URL shares, Meta"].per) == (
        "User-level",
        "event",
    )


@pytest.mark.parametrize("label", list(KNOWN))
def test_a_file_of_the_registry_gives_what_the_table_says(label: str) -> None:
    each = KNOWN[label]
    stated = {"epsilon": each.epsilon, "delta": each.delta, "rho": each.rho}
    numbers = {name: value for name, value in stated.items() if value is not None}
    entry: dict[str, Any] = {
        "url_slug": each.source,
        "deployment": {
            "basic": {"name": each.name},
            "dp_variant": {"variant_name": each.variant} if each.variant else None,
            "privacy_loss": {"privacy_unit": each.unit, "privacy_parameters": numbers or None},
        },
    }
    if each.guarantee is None:
        with pytest.raises(ValueError, match=r"must be a section with delta|got no numbers"):
            read_claim(entry)
        with pytest.raises(ValueError, match="must be one that states a guarantee"):
            each.group_guarantee(2)
    else:
        claim = read_claim(entry)
        assert claim.guarantee == each.guarantee == each.group_guarantee(1)
        assert not claim.states_adjacency


def test_group_privacy_moves_between_units() -> None:
    day = KNOWN["Community mobility, Google"]
    # epsilon-DP twice: from 0.01 to 0.01 e^2.64 = 0.14, then up the other edge of the region.
    once = 0.01 * math.exp(2.64)
    assert day.group_guarantee(1).tpr(0.01) == pytest.approx(once)
    assert day.group_guarantee(2).tpr(0.01) == pytest.approx(1 - math.exp(-2.64) * (1 - once))
    device = KNOWN["Current pageviews, Wikimedia"]
    assert device.group_guarantee(30) == ZeroConcentratedDP(rho=900 * 0.015)
    with pytest.raises(ValueError, match="units must be a whole number from 1 to 1000"):
        device.group_guarantee(0)
