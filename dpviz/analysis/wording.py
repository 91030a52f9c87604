"""How numbers read in sentences, boxes and labels: three digits, no false precision."""

import math
import re


def short(value: float, *, digits: int = 3) -> str:
    """A few significant digits: 2.79, 1e-5, 12000, ∞; "undefined" for nan."""
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return _plain_exponent(f"{value:.{digits}g}")


def percent(rate: float) -> str:
    """A rate as a percentage: three significant digits, and 100 only when it is 1."""
    if math.isnan(rate):
        return "undefined"
    shown = rate * 100
    if 99.9 < shown < 100:
        return f"{math.floor(shown * 1000) / 1000:.6g} %"
    return f"{short(shown)} %"


def records(count: int, total: int, what: str) -> str:
    """A count out of a total: "204 of 898 members"."""
    return f"{count} of {total} {what}"


def _plain_exponent(text: str) -> str:
    return re.sub(r"e([+-])0*(\d+)", lambda m: f"e{m[1].replace('+', '')}{m[2]}", text)
