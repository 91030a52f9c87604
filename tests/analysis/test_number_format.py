"""How numbers read."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.number_format import (
    lower,
    percent,
    percent_at_most,
    percent_with_error,
    short,
    unbroken,
    unbroken_html,
    upper,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2.789, "2.79"),
        (0.0, "0"),
        (1.0, "1"),
        (1e-5, "1e-5"),
        (1.236e-7, "1.24e-7"),
        (-0.5, "-0.5"),
        (12000.0, "12000"),
        (1500.0, "1500"),
        (4321, "4321"),
        (4321.5, "4320"),
        (2.0**53 - 1, "9007199254740991"),
        (2.0**53, "9.01e15"),
        (1e22, "1e22"),
        (math.inf, "∞"),
        (-math.inf, "-∞"),
        (math.nan, "undefined"),
    ],
)
def test_short(value: float, text: str) -> None:
    assert short(value) == text


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (0.0, "0 %"),
        (0.01, "1 %"),
        (0.026656, "2.67 %"),
        (1e-7, "1e-5 %"),
        (0.5, "50 %"),
        (0.999, "99.9 %"),
        (0.99999, "99.999 %"),
        (1 - 1e-12, "99.999 %"),
        (1.0, "100 %"),
        (math.nan, "undefined"),
    ],
)
def test_percent(rate: float, text: str) -> None:
    assert percent(rate) == text


def test_a_rate_below_one_never_reads_100_nor_loses_a_digit_it_shows() -> None:
    for k in range(99_901, 100_000):
        assert percent(k / 100_000) == f"{k / 1000:g} %"


@pytest.mark.parametrize(
    ("rate", "error", "text"),
    [
        (0.8131, 0.0113, "81.3 % ± 1.1 %"),
        (0.5, 0.0989, "50.0 % ± 9.9 %"),
        (0.5, 0.09989, "50 % ± 10 %"),
        (0.9996, 0.00057, "99.960 % ± 0.057 %"),
        (0.31, 0.25, "31 % ± 25 %"),
    ],
)
def test_a_rate_has_no_digit_that_its_error_makes_meaningless(
    rate: float, error: float, text: str
) -> None:
    assert percent_with_error(rate, error) == text


@pytest.mark.parametrize(
    ("value", "down", "up"),
    [
        (0.0, 0.0, 0.0),
        (0.5000000000000001, 0.5, 0.5),
        (0.4999999999999999, 0.5, 0.5),
        (0.73113, 0.731, 0.732),
        (0.97282, 0.972, 0.973),
        (0.99999, 0.999, 1.0),
        (1.0001e-5, 1e-5, 1.01e-5),
        (12345.0, 12300.0, 12400.0),
        (math.inf, math.inf, math.inf),
    ],
)
def test_bounds_are_rounded_to_the_side_where_they_hold(
    value: float, down: float, up: float
) -> None:
    assert (lower(value), upper(value)) == (down, up)


def test_no_line_breaks_beside_a_relation() -> None:
    """A title was "Attack misses 0 %; allowed: ≥", and 11.1 % in the next line."""
    text = "allowed: ≥ 11.1 %, at δ = 1e-5, FPR + FNR = 100 %; width >= 3px"
    assert unbroken(text).split(" ") == [
        *("allowed:\u00a0≥\u00a011.1\u00a0%,", "at", "δ\u00a0=\u00a01e-5,"),
        *("FPR", "+", "FNR", "=", "100\u00a0%;", "width", ">=", "3px"),
    ]


def test_no_line_of_html_ends_inside_a_number_that_users_copy() -> None:
    """Browsers break a line after the hyphen of 1e-5."""
    tag, svg, rule = '<p title="1e-5">', "<svg><text>1e-5</text></svg>", "<style>a{b:1e-5}</style>"
    kept = '<span style="white-space:nowrap">{}</span>'
    said = unbroken_html(f"{tag}at δ 1e-5, 2.5e-12</p>{svg}{rule}{tag}1e-6</p>")
    numbers = [kept.format(number) for number in ("1e-5", "2.5e-12", "1e-6")]
    assert said == f"{tag}at δ {numbers[0]}, {numbers[1]}</p>{svg}{rule}{tag}{numbers[2]}</p>"


def test_no_line_breaks_before_a_percent_sign_and_inside_nonmember() -> None:
    text = "Non-members: 3 % of 4 non-members, a non-private run"
    assert unbroken(text) == "Non-\u2060members: 3\u00a0% of 4 non-\u2060members, a non-private run"


@given(st.just(0.0) | st.floats(1e-300, 1) | st.floats(0.99, 1))
def test_a_limit_in_percent_is_no_smaller_than_the_rate(rate: float) -> None:
    shown = float(percent_at_most(rate).removesuffix(" %"))
    assert 100 * rate * (1 - 1e-11) <= shown <= max(101 * rate, 5e-322)
    assert shown < 100 or rate > 0.99999


def test_a_limit_near_1_is_not_shown_as_100_percent() -> None:
    assert [percent_at_most(rate) for rate in (0.02713, 0.99945, 0.99991, 1.0, math.nan)] == [
        "2.72 %",
        "99.95 %",
        "99.991 %",
        "100 %",
        "undefined",
    ]
