"""The Jupyter widgets: a store, layers, views and the explorer."""

from dpviz.widgets.bounds_view import BoundsView
from dpviz.widgets.experiment_view import ExperimentView
from dpviz.widgets.explorer import Explorer
from dpviz.widgets.mechanism_view import MechanismView
from dpviz.widgets.profile_view import ProfileView
from dpviz.widgets.store import SpecError, Store
from dpviz.widgets.views import (
    EpsilonStarView,
    FitView,
    QuantileView,
    RegionView,
    RiskView,
    ScoresView,
    TradeoffView,
)

__all__ = [
    "BoundsView",
    "EpsilonStarView",
    "ExperimentView",
    "Explorer",
    "FitView",
    "MechanismView",
    "ProfileView",
    "QuantileView",
    "RegionView",
    "RiskView",
    "ScoresView",
    "SpecError",
    "Store",
    "TradeoffView",
]
