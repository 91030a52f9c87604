"""How numbers read, by the decimal module: the texts of vectors.json."""

import math
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Context, Decimal
from random import Random
from typing import Any


def numbers() -> list[float]:
    """Of every size, and exact ties at the third digit."""
    rng = Random(7)
    ties = [0.0625, 2.125, 2.375, 0.3125, 1.0625, 100.5, 101.5, 1.25e5 + 500, 9.995, 99950.0]
    ties += [(2 * k + 1) * 2.0**-n for n, k in [(3, 500), (4, 999), (7, 160), (9, 77), (1, 401)]]
    plain = [0.0, -0.0, 1.0, -0.5, 1e-5, 1e-4, 0.1, 1e15, 1e16, 1e17, 123456.0, 999999.5, 1e6]
    plain += [1e308, 2.2250738585072014e-308, 1e22, 1e23, 0.3, 2 / 3]
    return ties + [-t for t in ties[:3]] + plain + [10 ** rng.uniform(-12, 12) for _ in range(40)]


def rounded(value: Decimal | float, digits: int, mode: str = ROUND_HALF_EVEN) -> Decimal:
    return Context(prec=digits, rounding=mode).create_decimal(Decimal(value))


def text_of(value: Decimal, digits: int = 6) -> str:
    """Shortest text, with an exponent below 1e-4 and from 10^digits on."""
    if value == 0:
        return "-0" if value.is_signed() else "0"
    size = value.adjusted()
    mantissa = format(value.scaleb(-size).normalize(), "f")
    return format(value.normalize(), "f") if -4 <= size < digits else f"{mantissa}e{size}"


def short(value: float) -> str:
    if not math.isfinite(value):
        return "undefined" if math.isnan(value) else "∞" if value > 0 else "-∞"
    near, given = rounded(value, 3), Decimal(value)
    if near != given and abs(given) < 2**53 and given % 1 == 0:  # a count, such as 4321 steps
        return str(int(given))
    return text_of(near)


def percent(rate: float) -> str:
    if 0.999 < rate < 1:
        return text_of(min(rounded(rate * 100, 5), Decimal("99.999"))) + " %"
    return "undefined" if math.isnan(rate) else short(rate * 100) + " %"


def directed(value: float, mode: str, slack: str) -> float:
    if value < 1e-300 or not math.isfinite(value):
        return value
    return float(rounded(Decimal(value) * (1 + Decimal(slack)), 3, mode))


def short_above(value: float, floor: float) -> str:
    """By trying every number of digits; the slack is that of `lower`."""
    if not math.isfinite(value):
        return short(value)
    for digits in range(3, 12):
        shown = rounded(Decimal(value) * (1 + Decimal("1e-12")), digits, "ROUND_FLOOR")
        if float(shown) > floor or value <= floor:
            break
    return text_of(shown, max(digits, 6))


def tidy(rate: float) -> float:
    return float(1 - rounded(1 - rate, 3) if rate > 0.5 else rounded(rate, 3))


def read(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


ABOVE = [(2.506, 2.5), (2.506, 2.0), (2.5, 2.5), (2.4, 2.5), (2.5000004, 2.5), (0.0, 0.0)]
ABOVE += [(1.0000012, 1.0), (99.97, 99.9), (1234567.0, 1234560.0), (1.0001e-5, 1e-5), (7.3, 0.0)]
ABOVE += [(math.inf, 2.5), (math.inf, math.inf), (2.506, math.inf), (1e-7, 0.0), (0.30001, 0.3)]
WHOLE = [999.0, 1000.0, 4320.0, 4321.0, -4321.0, 4321.5, 12345678.0, 2.0**53 - 1, 2.0**53]
TEXTS = ["1e-5", " 2 ", "inf", "-inf", "nan", "1_000", "+Infinity", "-NaN", ".5", "5.", "1.e3", "0"]
TEXTS += ["", " ", "1__0", "_1", "1_", "0x10", "1e", "e5", ".", "1,5", "1 2", "--1", "infin", "١a"]
TEXTS += ["-0", "1E+05", "1_0.2_5e1_0", "1e400", "-1e-400", "0b1", "1n", "1f", "\t3\n", "+-1"]


def wording(cases: Callable[..., list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """Cases of every function of js/src/text/number_format.ts."""
    some_numbers = [*numbers(), math.inf, -math.inf, math.nan]
    positive = [x for x in some_numbers if not x < 0]
    rates = [x for x in numbers() if 0 <= x <= 1] + [0.9375, 0.999375, 1 - 1e-9, 0.99951, 0.9995]
    return {
        "short": cases(short, [(x,) for x in [*some_numbers, *WHOLE]]),
        "exact": cases(
            lambda x: text_of(Decimal(repr(x)), 16) if math.isfinite(x) else repr(x),
            [(x,) for x in some_numbers],
        ),
        "percent": cases(percent, [(x,) for x in [*rates, math.nan]]),
        "upper": cases(lambda x: directed(x, "ROUND_CEILING", "-1e-12"), [(x,) for x in positive]),
        "lower": cases(lambda x: directed(x, "ROUND_FLOOR", "1e-12"), [(x,) for x in positive]),
        "shortAbove": cases(short_above, ABOVE),
        "tidyRate": cases(tidy, [(x,) for x in rates]),
        "numberOf": cases(read, [(text,) for text in TEXTS]),
    }
