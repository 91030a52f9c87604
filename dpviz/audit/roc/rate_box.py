"""Limits of both true error rates at one threshold, a box in the plane of FPR and FNR."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class RateBox:
    """Exact confidence limits of an FPR and an FNR, which all hold at `confidence_level`.

    With others, as the maker says: the boxes of all thresholds of an attack at once, or each canary
    of G at ``1 - (1 - c) / G``, so that with probability c the boxes of all canaries hold.
    """

    fpr_low: float
    fpr_high: float
    fnr_low: float
    fnr_high: float
    confidence_level: float
