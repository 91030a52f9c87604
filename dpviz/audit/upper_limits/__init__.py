"""What one attack cannot reach: classes of upper confidence limits, and of plans for them."""

from dpviz.audit.upper_limits.at_most import AtMost, UpperLimit
from dpviz.audit.upper_limits.plan_at_most import PlanAtMost

__all__ = ["AtMost", "PlanAtMost", "UpperLimit"]
