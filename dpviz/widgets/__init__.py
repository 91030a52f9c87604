"""The Jupyter widgets: a store, layers, views and the explorer."""

from dpviz.widgets.audit_view import AuditView
from dpviz.widgets.bounds_view import BoundsView
from dpviz.widgets.experiment_view import ExperimentView
from dpviz.widgets.explorer import Explorer
from dpviz.widgets.landscape_view import LandscapeView
from dpviz.widgets.mechanism_view import MechanismView
from dpviz.widgets.profile_view import ProfileView
from dpviz.widgets.retraining_view import RetrainingView
from dpviz.widgets.simulation_view import SimulationView
from dpviz.widgets.slices_view import SlicesView
from dpviz.widgets.store import SpecError, Store
from dpviz.widgets.timeline_view import TimelineView
from dpviz.widgets.tradeoff_view import TradeoffView
from dpviz.widgets.views import (
    EpsilonStarView,
    FitView,
    QuantileView,
    RegionView,
    RiskView,
    ScoresView,
)

__all__ = [
    "AuditView",
    "BoundsView",
    "EpsilonStarView",
    "ExperimentView",
    "Explorer",
    "FitView",
    "LandscapeView",
    "MechanismView",
    "ProfileView",
    "QuantileView",
    "RegionView",
    "RetrainingView",
    "RiskView",
    "ScoresView",
    "SimulationView",
    "SlicesView",
    "SpecError",
    "Store",
    "TimelineView",
    "TradeoffView",
]
