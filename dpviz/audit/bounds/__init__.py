"""Lower bounds on epsilon, each a statement at a confidence level."""

from dpviz.audit.bounds.coverage import Cell, measured_coverage, worst_cell
from dpviz.audit.bounds.fixed_threshold import (
    AttackEpsilonInterval,
    attack_epsilon_interval,
    lower_bound_from_counts,
)
from dpviz.audit.bounds.lower_bound import lower_bound
from dpviz.audit.bounds.one_run import one_run_curve_p_value, one_run_epsilon, one_run_p_value
from dpviz.audit.bounds.registry import BOUNDS, DEFAULT
from dpviz.audit.bounds.result import EpsilonBound, Evidence, RankEvidence, WealthEvidence

__all__ = [
    "BOUNDS",
    "DEFAULT",
    "AttackEpsilonInterval",
    "Cell",
    "EpsilonBound",
    "Evidence",
    "RankEvidence",
    "WealthEvidence",
    "attack_epsilon_interval",
    "lower_bound",
    "lower_bound_from_counts",
    "measured_coverage",
    "one_run_curve_p_value",
    "one_run_epsilon",
    "one_run_p_value",
    "worst_cell",
]
