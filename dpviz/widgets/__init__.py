"""The Jupyter widgets: a store, layers, views and the explorer."""

from dpviz.widgets.explorer import Explorer
from dpviz.widgets.live_page import LivePage
from dpviz.widgets.state.store import SpecError, Store
from dpviz.widgets.views.answer import AnswerView
from dpviz.widgets.views.audit import AuditView
from dpviz.widgets.views.averaged import BothSidesView
from dpviz.widgets.views.bounds import BoundsView
from dpviz.widgets.views.certificate import CertificateView
from dpviz.widgets.views.checklist import ChecklistView
from dpviz.widgets.views.density_ratio import RatioView
from dpviz.widgets.views.deployments import DeploymentsView
from dpviz.widgets.views.designs import DesignsView
from dpviz.widgets.views.experiment import ExperimentView
from dpviz.widgets.views.family import FamilyView
from dpviz.widgets.views.for_risk import ForRiskView
from dpviz.widgets.views.guess import CostsView, GuessView
from dpviz.widgets.views.landscape import LandscapeView
from dpviz.widgets.views.mechanism import MechanismView
from dpviz.widgets.views.noise import NoiseView
from dpviz.widgets.views.people import PeopleView
from dpviz.widgets.views.plan import PlanView
from dpviz.widgets.views.processing import ProcessingView
from dpviz.widgets.views.retraining import RetrainingView
from dpviz.widgets.views.scene_views import (
    EpsilonStarView,
    FitView,
    ProfileView,
    QuantileView,
    RegionView,
    RiskView,
    ScoresView,
)
from dpviz.widgets.views.simulation import SimulationView
from dpviz.widgets.views.slices import SlicesView
from dpviz.widgets.views.timeline import TimelineView
from dpviz.widgets.views.tradeoff import TradeoffView
from dpviz.widgets.views.ways_of_stating import WaysOfStatingView
from dpviz.widgets.views.wealth import WealthView
from dpviz.widgets.views.zoom_levels import ZoomLevelsView

__all__ = [
    "AnswerView",
    "AuditView",
    "BothSidesView",
    "BoundsView",
    "CertificateView",
    "ChecklistView",
    "CostsView",
    "DeploymentsView",
    "DesignsView",
    "EpsilonStarView",
    "ExperimentView",
    "Explorer",
    "FamilyView",
    "FitView",
    "ForRiskView",
    "GuessView",
    "LandscapeView",
    "LivePage",
    "MechanismView",
    "NoiseView",
    "PeopleView",
    "PlanView",
    "ProcessingView",
    "ProfileView",
    "QuantileView",
    "RatioView",
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
    "WaysOfStatingView",
    "WealthView",
    "ZoomLevelsView",
]
