"""Many models: fleets, aggregates, frontiers of privacy and utility, and classes of results."""

from dpviz.audit.models.aggregate import Aggregate, BothSides, aggregate, both_sides, log_mean_exp
from dpviz.audit.models.fleet import FleetBounds, FleetEstimates, FleetModel
from dpviz.audit.models.frontier import Frontier, Landscape, Repeat, Strategy, frontier, repeats
from dpviz.audit.models.retraining import CanaryAudit, RetrainingAudit

__all__ = ["Aggregate", "BothSides", "CanaryAudit", "FleetBounds", "FleetEstimates", "FleetModel"]
__all__ += ["Frontier", "Landscape", "Repeat", "RetrainingAudit", "Strategy", "aggregate"]
__all__ += ["both_sides", "frontier", "log_mean_exp", "repeats"]
