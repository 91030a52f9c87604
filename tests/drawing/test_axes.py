"""Axes: round ticks, decades and log-odds, under the keys that bqplot looks up."""

from typing import Literal

import pytest

from dpviz.drawing.axes import Axis, AxisSpec, log10_odds_of, rate_of
from dpviz.widgets.plot_frame import PlotAxis


def labels(
    scale: Literal["linear", "log", "log-odds"], low: float, high: float, *, is_rate: bool = False
) -> dict[str, str]:
    axis = PlotAxis(is_log=scale == "log", side="bottom")
    Axis(AxisSpec(label="x", low=low, high=high, scale=scale, is_rate=is_rate), axis.update_from)
    assert len(axis.axis.tick_values) == len(axis.axis.tick_labels)
    assert low <= min(axis.axis.tick_values) <= max(axis.axis.tick_values) <= high
    return dict(axis.axis.tick_labels)


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (0, 1, ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        (-2, 4, ["-2", "-1", "0", "1", "2", "3", "4"]),
        (0, 0.137, ["0", "0.05", "0.1"]),
    ],
)
def test_linear_ticks_are_round(low: float, high: float, texts: list[str]) -> None:
    assert list(labels("linear", low, high).values()) == texts


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (0, 1, ["0 %", "25 %", "50 %", "75 %", "100 %"]),
        (0, 0.137, ["0 %", "5 %", "10 %"]),
        (0.01, 0.0101, ["1 %", "1.0025 %", "1.005 %", "1.0075 %", "1.01 %"]),
    ],
)
def test_rates_read_in_percent(low: float, high: float, texts: list[str]) -> None:
    assert list(labels("linear", low, high, is_rate=True).values()) == texts


def test_decades_of_rates_are_few() -> None:
    shown = labels("log", 1e-6, 1.0, is_rate=True)
    assert shown == {"0.000001": "1e-4 %", "0.0001": "0.01 %", "0.01": "1 %", "1": "100 %"}


@pytest.mark.parametrize("high", [1e-300, 1e-9, 1.0, 3.7, 1e9, 1e300])
@pytest.mark.parametrize("low", [0.0, -1.0, -0.3])
def test_linear_ticks_are_few(low: float, high: float) -> None:
    assert 2 <= len(labels("linear", low * high, high)) <= 11


def test_huge_decades_are_found_by_their_texts_in_javascript() -> None:
    """`String(1e20)` and `String(1e21)` by ECMA-262, Number::toString."""
    assert labels("log", 1e20, 1e21) == {"100000000000000000000": "1e20", "1e+21": "1e21"}


def test_decades_count_from_the_upper_end() -> None:
    assert labels("log", 1e-6, 1.0) == {
        "0.000001": "1e-6",
        "0.00001": "1e-5",
        "0.0001": "1e-4",
        "0.001": "0.001",
        "0.01": "0.01",
        "0.1": "0.1",
        "1": "1",
    }
    far = ["1e-15", "1e-12", "1e-9", "1e-6", "0.001", "1"]
    assert sorted(labels("log", 1e-15, 1.0).values(), key=float) == far


def test_log_odds_read_as_rates() -> None:
    assert list(labels("log-odds", -3, 3).values()) == [
        *("0.1 %", "1 %", "10 %", "50 %"),
        *("90 %", "99 %", "99.9 %"),
    ]
    far = labels("log-odds", -9, 9)
    assert list(far.values()) == [
        *("1e-7 %", "1e-4 %", "0.1 %", "50 %"),
        "99.9 %",  # longer ones would be cut at the end of a narrow picture
    ]


@pytest.mark.parametrize("rate", [1e-9, 0.01, 0.5, 0.999])
def test_decades_and_back(rate: float) -> None:
    assert rate_of(float(log10_odds_of(rate))) == pytest.approx(rate, rel=1e-9)
