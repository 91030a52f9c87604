"""What one attack cannot reach: results of upper confidence limits, plans and tests for them."""

from dpviz.audit.upper_limits.at_most import AtMost, UpperLimit
from dpviz.audit.upper_limits.limit_test import LimitTest, limit_test
from dpviz.audit.upper_limits.plan_at_most import PlanAtMost, plan_at_most

__all__ = ["AtMost", "LimitTest", "PlanAtMost", "UpperLimit", "limit_test", "plan_at_most"]
