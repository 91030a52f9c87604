"""A published number: what it may stand for, and the smallest evidence that agrees with it."""

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from math import ceil

import numpy as np

from dpviz import checks

AS_GIVEN = Fraction(1, 10**9)  # how far a number that was computed may be off
MOST_DECIMALS = 300


@dataclass(frozen=True, kw_only=True)
class Published:
    """All numbers in [low, high) that are printed as `text`; between 0 and 1.

    "0.60" stands for [0.595, 0.605), "60 %" for the same; "1" and a float for themselves, within
    the rounding of the float's type: a float32 has about 7 digits.
    """

    name: str
    text: str
    low: Fraction
    high: Fraction

    @classmethod
    def of(cls, name: str, value: str | float) -> "Published":
        """Raises ValueError if it is no number, or not in [0, 1]."""
        if not isinstance(value, str):
            exact = Fraction(checks.real(name, value, 0, 1))
            given = np.asarray(value)
            half = AS_GIVEN
            text = f"{float(value):.12g}"
            if given.dtype in (np.float16, np.float32):
                half = max(half, Fraction(float(np.finfo(given.dtype).eps)))
                text = str(given)  # the fewest digits that are rounded to it
            return cls(name=name, text=text, low=exact - half, high=exact + half)
        digits = value.strip().removesuffix("%").rstrip()
        unit = Fraction(1, 100 if value.rstrip().endswith("%") else 1)
        try:
            number = Decimal(digits)
            is_rate = 0 <= number <= unit.denominator
        except InvalidOperation:
            raise checks.fail(name, 'a number, as in "0.60" or "60 %"', value) from None
        if not is_rate:
            raise checks.fail(name, "in [0, 1]", value)
        exponent = int(number.as_tuple().exponent)
        if exponent < -MOST_DECIMALS:  # as a fraction, 1e-999999999 would fill the memory
            raise checks.fail(name, f"of at most {MOST_DECIMALS} decimals", value)
        exact = Fraction(number) * unit if number else Fraction(0)
        # "1" is 1: nobody prints a rate without decimals.
        half = AS_GIVEN if exponent >= 0 and unit == 1 else Fraction(10) ** exponent / 2 * unit
        return cls(name=name, text=value.strip(), low=exact - half, high=exact + half)

    def least_of(self, total: int) -> int:
        """The smallest count out of `total` whose share is printed like this.

        Raises ValueError if there is none.
        """
        count = max(0, ceil(self.low * total))
        if count >= self.high * total or count > total:
            below, above = (f"{min(max(each, 0), total)}/{total}" for each in (count - 1, count))
            raise checks.fail(
                self.name, f"a whole number of 1/{total} ({below} or {above} is next)", self.text
            )
        return count

    def most_of(self, total: int) -> int:
        """The largest count out of `total` whose share is no more than what is printed."""
        return min(total, ceil(self.high * total) - 1)

    @property
    def least(self) -> float:
        """The smallest number that it may stand for, to 7 digits."""
        return max(0.0, float(f"{float(self.low):.7g}"))

    @property
    def most(self) -> float:
        """The number that all it may stand for are below, to 7 digits."""
        return min(1.0, float(f"{float(self.high):.7g}"))
