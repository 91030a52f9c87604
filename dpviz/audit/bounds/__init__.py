"""Lower bounds on epsilon, each a statement at a confidence level."""

from dpviz.audit.bounds.certified_profile import CertifiedProfile
from dpviz.audit.bounds.certify import Certificate
from dpviz.audit.bounds.coverage import Cell, measured_coverage, worst_cell
from dpviz.audit.bounds.fixed_threshold import (
    AttackEpsilonInterval,
    attack_epsilon_interval,
    lower_bound_from_counts,
)
from dpviz.audit.bounds.lower_bound import fewest_records, lower_bound
from dpviz.audit.bounds.one_run import one_run_curve_p_value, one_run_epsilon, one_run_p_value
from dpviz.audit.bounds.registry import BOUNDS
from dpviz.audit.bounds.result import DEFAULT, EpsilonBound, Evidence, RankEvidence, WealthEvidence
from dpviz.audit.bounds.slices import Slice, Slices

__all__ = ["BOUNDS", "DEFAULT", "AttackEpsilonInterval", "Cell", "Certificate"]
__all__ += ["CertifiedProfile", "EpsilonBound", "Evidence", "RankEvidence", "Slice"]
__all__ += ["Slices", "WealthEvidence", "attack_epsilon_interval", "fewest_records", "lower_bound"]
__all__ += ["lower_bound_from_counts", "measured_coverage", "one_run_curve_p_value"]
__all__ += ["one_run_epsilon", "one_run_p_value", "worst_cell"]
