"""What one attack cannot reach: upper confidence limits of its rates at its best threshold."""

from dpviz.audit.upper_limits.at_most import AtMost, UpperLimit, at_most
from dpviz.audit.upper_limits.plan_at_most import PlanAtMost, plan_at_most

__all__ = ["AtMost", "PlanAtMost", "UpperLimit", "at_most", "plan_at_most"]
