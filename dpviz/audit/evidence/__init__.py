"""Tests of claims, families of claims, null distributions, and the classes of results."""

from dpviz.audit.evidence.canary_checkpoints import CanaryCheckpoints
from dpviz.audit.evidence.canary_plan import CanaryPlan
from dpviz.audit.evidence.claim import ClaimTest, strongest_evidence
from dpviz.audit.evidence.null import NullBand, NullDistribution
from dpviz.audit.evidence.plan import AttackRates, Plan
from dpviz.audit.evidence.smallest import (
    ConditionalParameterBound,
    OrderedFamily,
    dp_sgd_family,
    sensitivity_family,
)
from dpviz.audit.evidence.stream import Checkpoints, Look
from dpviz.audit.evidence.whole_curve import CurveEvidence, CurveTest

__all__ = ["AttackRates", "CanaryCheckpoints", "CanaryPlan", "Checkpoints", "ClaimTest"]
__all__ += ["ConditionalParameterBound", "CurveEvidence", "CurveTest", "Look", "NullBand"]
__all__ += [
    "NullDistribution",
    "OrderedFamily",
    "Plan",
    "dp_sgd_family",
    "sensitivity_family",
    "strongest_evidence",
]
