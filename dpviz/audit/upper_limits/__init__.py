"""What one attack cannot reach: upper confidence limits of its rates at its best threshold."""

from dpviz.audit.upper_limits.at_most import AtMost, UpperLimit, at_most

__all__ = ["AtMost", "UpperLimit", "at_most"]
