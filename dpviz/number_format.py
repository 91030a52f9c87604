"""Formats of numbers in sentences and labels, with outward rounding of bounds."""

import math
import re
from collections.abc import Callable
from decimal import Decimal

# Blanks beside "≥" and before "%"; beside "=" only of a parameter, as texts may hold style sheets.
RELATION_OR_PERCENT = r" (?=[%≈≤≥])|(?<=[≈≤≥]) |(?<=[εδμσp]) (?==)|(?<=[εδμσp] =) "
# In HTML: what holds no sentence, or a number with a hyphen, after which browsers break a line.
MARKUP_OR_NUMBER = re.compile(r"(?s)<(svg|style)\b.*?</\1>|<[^>]*>|([\d.]+e-\d+)")


def short(value: float, *, digits: int = 3) -> str:
    """Return a number as text, rounded to `digits` digits unless it is an integer below 2^53.

    Examples: 2.79, 1e-5, 4321; "∞" for inf and "undefined" for nan.
    """
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    rounded = float(f"{value:.{digits}g}")
    if rounded != value == round(value) and abs(value) < 2**53:
        return exact(value)
    return _short_exponent(f"{rounded:.{max(digits, 6)}g}")


def exact(value: float) -> str:
    """Return the shortest text that reads back as the same float: 0.1, 1e-5, inf."""
    return _short_exponent(repr(float(value)).removesuffix(".0"))


def percent(rate: float) -> str:
    """Return a rate in percent with three significant digits; only a rate of 1 gives "100 %"."""
    if math.isnan(rate):
        return "undefined"
    if 0.999 < rate < 1:
        return f"{min(round(rate * 100, 3), 99.999):g} %"
    return f"{short(rate * 100)} %"


def percent_at_most(rate: float) -> str:
    """Return a rate in percent, rounded up; more digits show that a rate below 1 is not 100 %."""
    digits = next((n for n in (3, 4, 5) if upper(rate, n) < 1), 3)
    return percent(upper(rate, digits))


def unbroken(text: str) -> str:
    """Return a text without line breaks beside a relation sign, before "%" or in "non-member"."""
    text = re.sub(RELATION_OR_PERCENT, "\u00a0", text)
    return re.sub(r"(?<=[Nn]on-)(?=member)", "\u2060", text)


def unbroken_html(html: str) -> str:
    """Return HTML without the line breaks that `unbroken` removes, or inside a number: "1e-5"."""
    # No sign joins the letters of a number: users copy numbers.
    kept = r'<span style="white-space:nowrap">{}</span>'
    return MARKUP_OR_NUMBER.sub(lambda m: kept.format(m[2]) if m[2] else m[0], unbroken(html))


def percent_with_error(rate: float, error: float) -> str:
    """Return a rate with its error, to two significant digits of the error: "81.3 % ± 1.1 %"."""
    decimals = max(0, 1 - math.floor(math.log10(float(f"{100 * error:.1e}"))))
    return f"{100 * rate:.{decimals}f} % ± {100 * error:.{decimals}f} %"


def upper(value: float, digits: int = 3) -> float:
    """Round a value up, to `digits` significant digits, so that "at most" stays true."""
    return _rounded(value, math.ceil, -1e-12, digits)


def lower(value: float) -> float:
    """Round a value down, to three significant digits, so that "at least" stays true."""
    return _rounded(value, math.floor, 1e-12)


def short_above(value: float, floor: float) -> str:
    """Return a lower bound as text, rounded down with just enough digits to stay above `floor`."""
    for digits in range(3, 12):
        shown = _rounded(value, math.floor, 1e-12, digits)
        if shown > floor or value <= floor:
            return short(shown, digits=digits)
    return exact(value)


def _rounded(value: float, to_int: Callable[[float], int], slack: float, digits: int = 3) -> float:
    """Round a value to `digits` significant digits by `to_int`, which is floor or ceil."""
    if value < 1e-300 or not math.isfinite(value):  # 0, or too near the smallest float
        return value
    unit = 10.0 ** (math.floor(math.log10(value)) + 1 - digits)
    return float(f"{to_int(value / unit * (1 + slack)) * unit:.{digits}g}")


def tidy_rate(rate: float, digits: int = 3) -> float:
    """Round a rate to `digits` significant digits of the rate or, above 0.5, of 1 - rate."""
    if rate > 0.5:
        return float(1 - Decimal(f"{1 - rate:.{digits}g}"))  # not 1 - 0.443 = 0.5569999999999999
    return float(f"{rate:.{digits}g}")


def _short_exponent(text: str) -> str:
    return re.sub(r"e([+-])0*(\d+)", lambda m: f"e{m[1].replace('+', '')}{m[2]}", text)
