"""Rates as exact as a hand on a slider or a marker is."""


def tidy_rate(rate: float, digits: int = 3) -> float:
    """Round to a few digits of the rate, or of its complement near 1."""
    if rate > 0.5:
        return 1 - float(f"{1 - rate:.{digits}g}")
    return float(f"{rate:.{digits}g}")
