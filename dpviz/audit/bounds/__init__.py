"""Lower bounds on epsilon, each a statement at a confidence level."""

from dpviz.audit.bounds.bound import EpsilonBound, Evidence, RankEvidence
from dpviz.audit.bounds.counts import lower_bound_from_counts
from dpviz.audit.bounds.joint_beta import joint_beta_cdf, joint_beta_epsilon
from dpviz.audit.bounds.lower_bound import BOUNDS, lower_bound
from dpviz.audit.bounds.one_run import one_run_epsilon, one_run_p_value

__all__ = [
    "BOUNDS",
    "EpsilonBound",
    "Evidence",
    "RankEvidence",
    "joint_beta_cdf",
    "joint_beta_epsilon",
    "lower_bound",
    "lower_bound_from_counts",
    "one_run_epsilon",
    "one_run_p_value",
]
